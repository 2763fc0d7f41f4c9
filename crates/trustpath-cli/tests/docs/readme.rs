//! Commands of a Markdown file with what they print, compared and refreshed.

/// Runs every command of the code blocks; `run` returns what it prints, or nothing if it is not run. Returns the text
/// with the output of now, and how what is shown differs from it.
pub fn compare(text: &str, mut run: impl FnMut(&str) -> Option<String>) -> (String, Vec<String>) {
    let (mut fresh, mut problems) = (Vec::new(), Vec::new());
    let mut lines = text.lines().peekable();
    let mut fence = false;
    while let Some(line) = lines.next() {
        fence ^= line.starts_with("```");
        fresh.push(line.to_owned());
        let Some(command) = line.strip_prefix("$ ").filter(|_| fence) else { continue };
        let mut shown = Vec::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("```") && !line.starts_with("$ ")) {
            shown.push(line.to_owned());
        }
        let Some(printed) = run(command) else {
            fresh.extend(shown);
            continue;
        };
        let printed: Vec<&str> = printed.lines().collect();
        if matches(&shown, &printed) {
            fresh.extend(shown);
            continue;
        }
        problems.push(format!("$ {command}\nis shown with\n{}\nbut prints\n{}", shown.join("\n"), printed.join("\n")));
        fresh.extend(refreshed(&shown, &printed));
    }
    (fresh.join("\n") + "\n", problems)
}

/// The runs of lines between lines `…`.
fn parts(shown: &[String]) -> Vec<&[String]> {
    shown.split(|line| line.trim() == "…").collect()
}

/// Whether the lines shown are those printed.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    let (parts, mut rest) = (parts(shown), printed);
    let last = parts.len() - 1;
    for (place, part) in parts.iter().enumerate() {
        let same = |at: usize| {
            rest.get(at..at + part.len())
                .is_some_and(|lines| lines.iter().zip(*part).all(|(a, b)| stable(a) == stable(b)))
        };
        let place = match (place == 0, place == last) {
            (true, true) => (rest.len() == part.len() && same(0)).then_some(0),
            (true, false) => same(0).then_some(0),
            (false, true) => rest.len().checked_sub(part.len()).filter(|&at| same(at)),
            (false, false) => (0..rest.len()).find(|&at| same(at)),
        };
        let Some(at) = place else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// The same parts of what is printed now: each begins with the line of the same name as before.
fn refreshed(shown: &[String], printed: &[&str]) -> Vec<String> {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    if shown.is_empty() {
        return owned(printed);
    }
    let name = |line: &str| line.trim().split("  ").next().unwrap_or_default().to_owned();
    let parts = parts(shown);
    let (mut fresh, mut from) = (Vec::new(), 0);
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            fresh.push(shown.iter().find(|line| line.trim() == "…").unwrap().clone());
        }
        let Some(first) = part.first() else { continue };
        let at = (from..printed.len()).find(|&at| name(printed[at]) == name(first));
        let at = if place == 0 { from } else { at.unwrap_or(from) };
        let end = if parts.len() == 1 { printed.len() } else { (at + part.len()).min(printed.len()) };
        fresh.extend(owned(&printed[at..end]));
        from = end;
    }
    fresh
}

/// A line without what differs from run to run: times, speeds, memory and the number of threads.
fn stable(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    if line.starts_with("episodes per second") || line.starts_with("ms per episode") {
        return words[..3].join(" ");
    }
    let units = ["s", "s,", "s:", "GiB", "thread", "threads", "threads.", "thread.", "ms", "episodes per"];
    let varies = |at: usize| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        let pair = format!("{next} {}", words.get(at + 2).copied().unwrap_or_default());
        let number = words[at].trim_matches(',').parse::<f64>().is_ok();
        number && (units.contains(&next) || units.contains(&pair.as_str()))
    };
    let word = |at: usize| if varies(at) { "#" } else { words[at] };
    (0..words.len()).map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A\n\n```text\n$ run a\none  1\ntwo  2\n…\nfive  5\n```\n\n```text\n$ run b\nin 4.1 s, peak memory 0.10 GiB\n```\n";

    fn printed(command: &str) -> Option<String> {
        Some(match command {
            "run a" => "one  1\ntwo  2\nthree  3\nfive  5\n".into(),
            _ => "in 7.0 s, peak memory 0.2 GiB\n".into(),
        })
    }

    #[test]
    fn what_is_shown_is_compared() {
        assert_eq!(compare(TEXT, printed), (TEXT.to_owned(), vec![]));
        let (fresh, problems) = compare(&TEXT.replace("two  2", "two  3"), printed);
        assert_eq!((fresh.as_str(), problems.len()), (TEXT, 1));
        let (fresh, problems) = compare(&TEXT.replace("five  5", "five  6"), printed);
        assert_eq!((fresh.as_str(), problems.len()), (TEXT, 1));
        let more = |_: &str| Some("in 7.0 s, peak memory 0.2 GiB\nmore\n".to_owned());
        assert_eq!(compare("```\n$ b\nin 1 s, peak memory 0.1 GiB\n```\n", more).1.len(), 1);
        assert_eq!(compare(TEXT, |_| None), (TEXT.to_owned(), vec![]));
        let new = compare("```\n$ run a\n```\n", printed).0;
        assert_eq!(new, "```\n$ run a\none  1\ntwo  2\nthree  3\nfive  5\n```\n");
    }
}
