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
        let shell = self.shell();
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

    /// The instances whose pictures the page has room for, if each takes so many bytes; in ascending order. Large
    /// reports need no thumbnails of the others.
    ///
    /// # Errors
    /// As [`html`](Self::html).
    pub fn worth_a_picture(&self, bytes: usize) -> Result<Vec<usize>> {
        self.check()?;
        Ok(data::worth_a_picture(self, LARGEST.saturating_sub(self.shell()), bytes))
    }

    /// What the page takes without its data.
    fn shell(&self) -> usize {
        let words = 2 * escape(&self.title).len() + escape(&self.subtitle).len();
        PAGE.len() + STYLE.len() + SCRIPT.len() + POLICY.len() + words
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labelling::testing::report;
    use crate::labelling::{ReportKind, Thumbnail, Verdict};

    /// The data inside a page, as text.
    fn data(page: &str) -> &str {
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        rest.split_once("</script>").unwrap().0
    }

    /// How many items the array of this name has, where no item holds a comma or bracket.
    fn length(page: &str, name: &str) -> usize {
        let (_, rest) = data(page).split_once(&format!("\"{name}\":[")).unwrap();
        let inside = rest.split_once(']').unwrap().0;
        if inside.is_empty() { 0 } else { inside.split(',').count() }
    }

    #[test]
    fn the_page_holds_its_parts_once_and_fetches_nothing() {
        let page = report(10, 2).html().unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!page.contains("@@"));
        assert!(page.contains("default-src 'none'"));
        for outside in ["http://", "https://", "src=\"/", "@import", "eval(", "innerHTML"] {
            let found = page.matches(outside).count();
            // The name of the SVG namespace is an address that nobody visits.
            assert_eq!(found, usize::from(outside == "http://"), "{outside}");
        }
    }

    #[test]
    fn names_cannot_leave_their_place() {
        let hostile = "</script><script>alert(1)</script>\u{2028}\"'<!--@@script@@";
        let mut report = report(6, 2);
        report.title = hostile.into();
        report.subtitle = hostile.into();
        report.classes[1] = hostile.into();
        report.notes = vec![hostile.into()];
        report.facts = vec![(hostile.into(), hostile.into())];
        report.instances[0].id = hostile.into();
        report.instances[0].reason = hostile.into();
        report.instances[0].thumbnail = Some(Thumbnail { bytes: vec![1], mime: hostile.into() });
        let page = report.html().unwrap();
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(!data(&page).contains(['<', '>', '&', '\u{2028}']));
        assert!(page.contains("<h1>&lt;/script&gt;&lt;script&gt;"));
    }

    #[test]
    fn twelve_thousand_instances_of_fifty_classes_are_all_there() {
        let page = report(12_000, 50).html().unwrap();
        assert!(page.len() < LARGEST, "{}", page.len());
        assert_eq!(length(&page, "id"), 12_000);
        assert_eq!(length(&page, "classes"), 50);
    }

    #[test]
    fn pictures_are_thinned_before_rows_and_doubtful_ones_last() {
        let mut report = report(12_000, 20);
        for instance in &mut report.instances {
            instance.thumbnail =
                Some(Thumbnail { bytes: vec![7; 1500], mime: "image/webp".into() });
        }
        report.instances[11_999].suggested = Some(1);
        let page = report.html().unwrap();
        assert!(page.len() < LARGEST && page.len() > LARGEST * 9 / 10, "{}", page.len());
        assert_eq!(length(&page, "id"), 12_000);
        let files: Vec<usize> = data(&page)
            .match_indices(",\"data:")
            .map(|(at, _)| data(&page)[..at].rsplit_once('[').unwrap().1.parse().unwrap())
            .collect();
        assert!(files.len() > 500 && files.len() < 12_000, "{}", files.len());
        assert!(files.contains(&11_999), "what to label next has its picture");
        let doubtful = |i: &&usize| report.instances[**i].verdict == Verdict::Doubtful;
        assert!(files.iter().filter(doubtful).count() * 2 > files.len());
    }

    #[test]
    fn as_many_pictures_are_asked_for_as_the_page_shows() {
        for (instances, all) in [(300, true), (20_000, false)] {
            let mut report = report(instances, 4);
            let worth = report.worth_a_picture(2000).unwrap();
            assert_eq!(worth.len() == instances, all);
            for &i in &worth {
                let picture = Thumbnail { bytes: vec![7; 2000], mime: "image/jpeg".into() };
                report.instances[i].thumbnail = Some(picture);
            }
            let page = report.html().unwrap();
            assert!(page.len() < LARGEST, "{}", page.len());
            let shown = page.matches("data:image/jpeg").count();
            assert!(shown == worth.len() && shown > 250, "{shown} of {}", worth.len());
        }
    }

    #[test]
    fn too_many_rows_are_thinned_and_the_total_stays() {
        let mut report = report(150_000, 5);
        report.path = None;
        report.instances[77_777].suggested = Some(1);
        let page = report.html().unwrap();
        assert!(page.len() < LARGEST, "{}", page.len());
        assert!((10_000..150_000).contains(&length(&page, "id")));
        assert!(data(&page).contains("\"total\":150000"));
        assert!(data(&page).contains("picture-77777.png"));
    }

    #[test]
    fn no_single_text_fills_the_page() {
        let mut report = report(30, 3);
        report.instances.iter_mut().for_each(|i| i.reason = "long ".repeat(400_000));
        report.instances[3].id = "\u{1F408}".repeat(1_000_000);
        report.classes[2] = "<".repeat(1_000_000);
        let page = report.html().unwrap();
        assert!(page.len() < 400_000, "{}", page.len());
        assert_eq!(length(&page, "id"), 30);
    }

    #[test]
    fn nothing_and_hardly_anything_are_pages_too() {
        let empty = LabelReport::default().html().unwrap();
        assert_eq!((length(&empty, "id"), length(&empty, "classes")), (0, 0));
        let one = report(1, 1).html().unwrap();
        assert!(data(&one).contains("\"position\":[[0,0]]"));
        let mut lost = report(2, 1);
        lost.kind = ReportKind::Audit;
        lost.instances[1].position = [f32::NAN, 0.0];
        lost.instances[1].probability = f64::NAN;
        let page = lost.html().unwrap();
        assert!(data(&page).contains("\"position\":[[0,0],[-1,-1]]"));
        assert!(data(&page).contains("\"probability\":[0,null]"));
        assert!(data(&page).contains("\"given\":[null,null]"));
    }

    #[test]
    fn the_path_keeps_its_zeros_and_its_ends() {
        let mut report = report(2000, 4);
        let page = report.html().unwrap();
        let path = data(&page).split_once("\"path\":").unwrap().1;
        assert!(path.starts_with("{\"of\":2000,"));
        let lines = path.split_once("\"lines\":[").unwrap().1;
        assert_eq!(lines.split("],[").count(), 500);
        // The smallest norm that is not zero does not become zero.
        report = crate::labelling::testing::report(2, 1);
        let path = report.path.as_mut().unwrap();
        path.lambda = vec![0.0, 0.5, 1.0];
        path.lines[0].norms = vec![1e-30, 0.0, 0.0];
        path.lines[1].norms = vec![3.0, 1.5, 0.0];
        let page = report.html().unwrap();
        assert!(data(&page).contains("\"lines\":[[0,1,0,0],[1,9999,5000,0]]"), "{}", data(&page));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        let refused = |change: fn(&mut LabelReport)| {
            let mut report = report(5, 2);
            change(&mut report);
            report.html().unwrap_err()
        };
        let missing = |e: Error| matches!(e, Error::Missing { .. });
        assert!(missing(refused(|r| r.instances[3].label = 2)));
        assert!(missing(refused(|r| r.instances[3].given = Some(9))));
        assert!(missing(refused(|r| r.instances[3].neighbours = vec![5])));
        assert!(missing(refused(|r| r.path.as_mut().unwrap().lines[0].instance = 5)));
        let uneven = |e: Error| matches!(e, Error::Length { .. });
        assert!(uneven(refused(|r| r.path.as_mut().unwrap().lines[0].norms.truncate(3))));
        assert!(uneven(refused(|r| r.rounds[0].accepted.truncate(1))));
    }
}
