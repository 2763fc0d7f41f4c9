//! The page itself: checked data between a head that allows nothing but its own style and script, and that script.

use std::sync::LazyLock;

use super::{LabelReport, data, sha256};
use crate::draw::base64;
use crate::draw::escape::escape;
use crate::{Error, Result};

/// No page is larger than this, in bytes.
pub(super) const LARGEST: usize = 5_000_000;

/// Between pairs of `@@` stands the name of what belongs there.
const PAGE: &str = include_str!("page/page.html");
/// One module: what a file defines, those after it may use.
const SCRIPT: &str = concat!(
    include_str!("page/dom.js"),
    include_str!("page/data.js"),
    include_str!("page/state.js"),
    include_str!("page/marks.js"),
    include_str!("page/plot.js"),
    include_str!("page/map.js"),
    include_str!("page/path.js"),
    include_str!("page/legend.js"),
    include_str!("page/table.js"),
    include_str!("page/summary.js"),
    include_str!("page/gallery.js"),
    include_str!("page/rounds.js"),
    include_str!("page/panel.js"),
    include_str!("page/main.js"),
);

/// The style, with the fonts inside.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let font = |weight: usize, file: &[u8]| {
        format!(
            "@font-face {{ font-family: Inter; font-weight: {weight}; src: url(data:font/otf;base64,{}); }}\n",
            base64::encode(file)
        )
    };
    font(400, include_bytes!("../../assets/Inter-Regular.otf"))
        + &font(600, include_bytes!("../../assets/Inter-SemiBold.otf"))
        + include_str!("page/style.css")
});

/// What the page may do: run this script, apply this style, show pictures and fonts that are inside. Nothing else.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |text: &str| base64::encode(&sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; font-src data:; \
         base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(&STYLE)
    )
});

impl LabelReport {
    /// The report as one self-contained HTML page of at most five megabytes.
    ///
    /// # Errors
    /// [`Error::Missing`] when a class or instance is named that is not there, [`Error::Length`] when a line has not
    /// one norm for each λ, or a round not one count for each class.
    pub fn html(&self) -> Result<String> {
        self.check()?;
        let title = escape(&self.title);
        let subtitle = escape(&self.subtitle);
        let shell = PAGE.len()
            + STYLE.len()
            + SCRIPT.len()
            + POLICY.len()
            + 2 * title.len()
            + subtitle.len();
        let data = data::write(self, LARGEST.saturating_sub(shell));
        let mut out = String::with_capacity(shell + data.len());
        for (at, part) in PAGE.split("@@").enumerate() {
            out.push_str(match part {
                "title" if at % 2 == 1 => &title,
                "subtitle" if at % 2 == 1 => &subtitle,
                "policy" if at % 2 == 1 => &POLICY,
                "style" if at % 2 == 1 => &STYLE,
                "data" if at % 2 == 1 => &data,
                "script" if at % 2 == 1 => SCRIPT,
                _ => part,
            });
        }
        Ok(out)
    }

    /// Refuses positions that name nothing.
    fn check(&self) -> Result<()> {
        let (classes, count) = (self.classes.len(), self.instances.len());
        for instance in &self.instances {
            let of = || format!("instance \"{}\"", instance.id);
            let class = |c: usize| named(|| format!("the class of {}", of()), c, classes);
            class(instance.label)?;
            instance.given.map_or(Ok(()), class)?;
            for &n in &instance.neighbours {
                named(|| format!("a neighbour of {}", of()), n, count)?;
            }
        }
        for (i, round) in self.rounds.iter().enumerate() {
            same(
                || format!("counts of round {} and classes", i + 1),
                round.accepted.len(),
                classes,
            )?;
        }
        if let Some(path) = &self.path {
            for line in &path.lines {
                named(|| "a line of the path".into(), line.instance, count)?;
                let what =
                    || format!("norms of the line of instance {} and λ of the grid", line.instance);
                same(what, line.norms.len(), path.lambda.len())?;
            }
        }
        Ok(())
    }
}

fn named(what: impl Fn() -> String, index: usize, count: usize) -> Result<()> {
    if index < count { Ok(()) } else { Err(Error::Missing { what: what(), index, count }) }
}

fn same(what: impl Fn() -> String, given: usize, expected: usize) -> Result<()> {
    if given == expected { Ok(()) } else { Err(Error::Length { what: what(), given, expected }) }
}
