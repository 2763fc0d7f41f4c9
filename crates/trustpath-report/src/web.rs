//! What the interactive pages share: fonts, style and the hashes of their security policies.

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

/// The style of the pages with the embedded fonts, followed by `more`.
pub(crate) fn style(more: &str) -> String {
    let font = |weight: usize, file: &[u8]| {
        format!(
            "@font-face {{ font-family: Inter; font-weight: {weight}; src: url(data:font/otf;base64,{}); }}\n",
            BASE64_STANDARD.encode(file)
        )
    };
    font(400, include_bytes!("../assets/Inter-Regular.otf"))
        + &font(600, include_bytes!("../assets/Inter-SemiBold.otf"))
        + include_str!("label_page/page/style.css")
        + include_str!("label_page/page/answer.css")
        + more
}

/// A policy that runs this script and applies this style; `others` says what else is allowed, and everything else is not.
pub(crate) fn policy(script: &str, style: &str, others: &str) -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; font-src data:; {others}; \
         base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    )
}

/// A template with each of these parts in the place of its name between two `@@`.
pub(crate) fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let part = |(at, piece): (usize, &'_ str)| {
        let named = parts.iter().find(|(name, _)| at % 2 == 1 && *name == piece);
        named.map_or(piece, |(_, part)| part).to_owned()
    };
    template.split("@@").enumerate().map(part).collect()
}
