//! The page: checked data, its own style and script, and a security policy that allows nothing else.

use super::{LabelReport, ReportInstance, ReportLine, Thumbnail, data};
use crate::draw::escape::escape;
use crate::error::same_length;
use crate::{Error, Result, web};
use std::sync::LazyLock;

/// Maximum size of a page in bytes.
const LARGEST: usize = 5_000_000;

/// The template; a name between two `@@` is replaced by the part with that name.
const PAGE: &str = include_str!("page/page.html");
/// One module: later files use the definitions of earlier ones.
const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/data.js"),
    include_str!("page/state.js"),
    include_str!("page/marks.js"),
    include_str!("page/keys.js"),
    include_str!("page/plot.js"),
    include_str!("page/map.js"),
    include_str!("page/path.js"),
    include_str!("page/legend.js"),
    include_str!("page/table.js"),
    include_str!("page/summary.js"),
    include_str!("page/gallery.js"),
    include_str!("page/rounds.js"),
    include_str!("page/confusion.js"),
    include_str!("page/answers.js"),
    include_str!("page/panel.js"),
    include_str!("page/main.js"),
);

static STYLE: LazyLock<String> = LazyLock::new(|| web::style(""));

/// The page may run this script, apply this style and show embedded images and fonts; everything else is forbidden.
static POLICY: LazyLock<String> = LazyLock::new(|| web::policy(SCRIPT, &STYLE, "img-src data:"));

impl LabelReport {
    /// The report as one self-contained HTML page of at most five megabytes.
    ///
    /// # Errors
    /// [`Error::Missing`] if the index of a class or instance is out of range, [`Error::Length`] if a line does not have
    /// one norm for each λ, or a round not one count for each class.
    pub fn html(&self) -> Result<String> {
        self.check()?;
        let (title, subtitle) = (escape(&self.title), escape(&self.subtitle));
        let data = data::write(self, LARGEST.saturating_sub(self.shell()));
        Ok(web::fill(
            PAGE,
            &[
                ("title", &title),
                ("subtitle", &subtitle),
                ("policy", &POLICY),
                ("style", &STYLE),
                ("data", &data),
                ("script", SCRIPT),
            ],
        ))
    }

    /// Gives the instances their images, as many as the page has room for if each takes `bytes`, and says so where that is
    /// not all. `make` is given those instances and makes a thumbnail for each, if it has one.
    ///
    /// # Errors
    /// As [`html`](Self::html).
    pub fn illustrate(&mut self, bytes: usize, make: impl FnOnce(&[usize]) -> Vec<Option<Thumbnail>>) -> Result<()> {
        self.check()?;
        let worth = data::thumbnails_that_fit(self, LARGEST.saturating_sub(self.shell()), bytes);
        let all = self.instances.len();
        if worth.len() < all {
            self.notes.push(format!(
                "The images of {} of {all} instances are on this page, so that it stays small: first those that are suggested or doubtful, then some of every class.",
                worth.len()
            ));
        }
        for (&at, thumbnail) in worth.iter().zip(make(&worth)) {
            self.instances[at].thumbnail = thumbnail;
        }
        Ok(())
    }

    /// The size of the page without its data.
    fn shell(&self) -> usize {
        let words = 2 * escape(&self.title).len() + escape(&self.subtitle).len();
        PAGE.len() + STYLE.len() + SCRIPT.len() + POLICY.len() + words
    }

    /// Refuses indices that are out of range and lists of the wrong length.
    fn check(&self) -> Result<()> {
        let (classes, count) = (self.classes.len(), self.instances.len());
        for ReportInstance { id, label, given, rival, neighbours, .. } in &self.instances {
            let class = |c| in_range(c, classes, || format!("the class of instance \"{id}\""));
            class(*label)?;
            given.map_or(Ok(()), class)?;
            rival.map_or(Ok(()), class)?;
            for &n in neighbours {
                in_range(n, count, || format!("a neighbour of instance \"{id}\""))?;
            }
        }
        for (i, round) in self.rounds.iter().enumerate() {
            let what = || format!("counts of round {} for the classes", i + 1);
            same_length(round.accepted.len(), classes, what)?;
        }
        if let Some(path) = &self.path {
            for ReportLine { instance, norms } in &path.lines {
                in_range(*instance, count, || "the instance of a line of the path".into())?;
                let what = || format!("norms of the line of instance {instance} for the λ of the grid");
                same_length(norms.len(), path.lambda.len(), what)?;
            }
        }
        Ok(())
    }
}

fn in_range(index: usize, count: usize, what: impl FnOnce() -> String) -> Result<()> {
    if index < count { Ok(()) } else { Err(Error::Missing { what: what(), index, count }) }
}
