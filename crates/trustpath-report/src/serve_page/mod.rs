//! The page of a labelling session (`trustpath serve`): it labels, shows and learns.
//!
//! Unlike the report it is never opened from disk: a server on the same machine gives it its data under addresses relative
//! to its own, and takes its answers. Marks, keys and style are those of the report. The page loads nothing from anywhere else, which
//! its security policy enforces.
//!
//! ```
//! assert!(trustpath_report::serve_page::html().starts_with("<!DOCTYPE html>"));
//! assert!(trustpath_report::serve_page::policy().contains("connect-src 'self'"));
//! ```

use crate::web;
use std::sync::LazyLock;

/// One module: later files use the definitions of earlier ones.
const SCRIPT: &str = concat!(
    include_str!("../label_page/page/dom.js"),
    include_str!("page/session.js"),
    include_str!("../label_page/page/marks.js"),
    include_str!("../label_page/page/keys.js"),
    include_str!("page/parts.js"),
    include_str!("page/label.js"),
    include_str!("page/lasso.js"),
    include_str!("page/bulk.js"),
    include_str!("page/audit.js"),
    include_str!("page/progress.js"),
    include_str!("page/export.js"),
    include_str!("page/main.js"),
);

static STYLE: LazyLock<String> = LazyLock::new(|| web::style(include_str!("page/serve.css")));

/// The page, always the same; what it shows comes from the server.
pub fn html() -> String {
    web::fill(include_str!("page/page.html"), &[("style", &STYLE), ("script", SCRIPT)])
}

/// The value of the header `Content-Security-Policy` that the server sends with the page.
pub fn policy() -> String {
    let others = "img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";
    web::policy(SCRIPT, &STYLE, others)
}
