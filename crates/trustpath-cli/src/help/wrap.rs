//! Plain text for a terminal from the Markdown of the concepts: a title, paragraphs, lists with `-`, and lines indented
//! by four spaces, which stay as they are.

/// Breaks the text into lines of at most `width` characters.
pub fn wrap(markdown: &str, width: usize) -> String {
    let mut text = String::new();
    for line in join_lines(markdown) {
        if line.starts_with("    ") {
            text.extend([line.as_str(), "\n"]);
        } else {
            let indent = if line.starts_with("- ") { "  " } else { "" };
            fill(&mut text, line.trim_start_matches(['#', ' ']), indent, width);
        }
    }
    text
}

/// Joins the lines of each paragraph and list item.
fn join_lines(markdown: &str) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for line in markdown.lines() {
        let is_text = |line: &str| !line.is_empty() && !line.starts_with("    ");
        match joined.last_mut() {
            Some(last) if is_text(last) && is_text(line) && !line.starts_with("- ") => {
                last.extend([" ", line.trim()]);
            }
            _ => joined.push(line.to_owned()),
        }
    }
    joined
}

/// Adds the words in lines; those after the first are indented.
fn fill(text: &mut String, words: &str, indent: &str, width: usize) {
    let mut line = String::new();
    for word in words.split_whitespace() {
        if line.trim().is_empty() {
            line += word;
        } else if line.chars().count() + 1 + word.chars().count() > width {
            text.extend([line.as_str(), "\n"]);
            line = format!("{indent}{word}");
        } else {
            line.extend([" ", word]);
        }
    }
    text.extend([line.as_str(), "\n"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_form() {
        let markdown =
            "# a: b\n\none two\nthree four\n\n- item one two\n  three\n- next\n\n    x  =  1\n    y\n\nend\n";
        let expected =
            "a: b\n\none two\nthree four\n\n- item one\n  two\n  three\n- next\n\n    x  =  1\n    y\n\nend\n";
        assert_eq!(wrap(markdown, 10), expected);
        assert_eq!(wrap("incomprehensibilities are long\n", 5), "incomprehensibilities\nare\nlong\n");
    }
}
