//! Plain text for a terminal from the little Markdown that the concepts are written in: a title,
//! paragraphs, lists with `-`, and lines indented by four spaces, which stay as they are.

/// Lays the text out in lines of at most `width` characters.
pub fn wrap(markdown: &str, width: usize) -> String {
    let mut text = String::new();
    let mut in_list = false;
    for block in blocks(markdown) {
        let is_item = matches!(block, Block::Item(_));
        let goes_on = is_item && in_list;
        if !text.is_empty() && !goes_on {
            text.push('\n');
        }
        in_list = is_item;
        match block {
            Block::Title(title) => fill(&mut text, title, "", "", width),
            Block::Paragraph(words) => fill(&mut text, &words, "", "", width),
            Block::Item(words) => fill(&mut text, &words, "- ", "  ", width),
            Block::Verbatim(lines) => {
                lines.iter().for_each(|line| text.extend([line, "\n"]));
            }
        }
    }
    text
}

enum Block<'a> {
    Title(&'a str),
    Paragraph(String),
    Item(String),
    Verbatim(Vec<&'a str>),
}

fn blocks(markdown: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut fresh = true;
    for line in markdown.lines() {
        if line.trim().is_empty() {
            fresh = true;
            continue;
        }
        let item = line.strip_prefix("- ");
        match (blocks.last_mut(), item) {
            (_, Some(item)) => blocks.push(Block::Item(item.to_owned())),
            (_, None) if line.starts_with('#') => {
                blocks.push(Block::Title(line.trim_start_matches(['#', ' '])));
            }
            (Some(Block::Verbatim(lines)), None) if line.starts_with("    ") && !fresh => {
                lines.push(line);
            }
            (_, None) if line.starts_with("    ") => blocks.push(Block::Verbatim(vec![line])),
            (Some(Block::Paragraph(words) | Block::Item(words)), None) if !fresh => {
                words.push(' ');
                words.push_str(line.trim());
            }
            _ => blocks.push(Block::Paragraph(line.trim().to_owned())),
        }
        fresh = false;
    }
    blocks
}

/// Adds the words in lines, the first after `first`, the others after `rest`.
fn fill(text: &mut String, words: &str, first: &str, rest: &str, width: usize) {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            text.extend([line.as_str(), "\n"]);
            line = rest.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    text.extend([line.as_str(), "\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_form() {
        let markdown = "# a: b\n\none two\nthree four\n\n- item one two\n  three\n- next\n\n    x  =  1\n    y\n\nend\n";
        let expected = "a: b\n\none two\nthree four\n\n- item one\n  two\n  three\n- next\n\n    x  =  1\n    y\n\nend\n";
        assert_eq!(wrap(markdown, 10), expected);
        assert_eq!(
            wrap("incomprehensibilities are long\n", 5),
            "incomprehensibilities\nare\nlong\n"
        );
    }
}
