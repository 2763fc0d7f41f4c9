//! The data of the page as compact JSON: one array per column, numbers with as many digits as are visible.

use super::{LabelReport, ReportInstance, ReportKind, ReportLine, ReportPath, ReportVerdict, Thumbnail, thin};
use base64::prelude::{BASE64_STANDARD, Engine};
use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use std::borrow::Cow;
use std::io::{Result, Write};

/// Maximum lengths of texts in characters, so that no single text fills the page.
const LONGEST_ID: usize = 200;
const LONGEST_NAME: usize = 120;
const LONGEST_REASON: usize = 800;
const LONGEST_TEXT: usize = 1000;
/// Maximum number of listed neighbours per instance.
const NEIGHBOURS: usize = 8;
/// Twentieths of the page that rows may take, with and without images.
const ROWS_WITH_IMAGES: usize = 12;
const ROWS_WITHOUT_IMAGES: usize = 17;
/// Maximum number of lines in the plot of the path, and of points per line.
const LINES: usize = 500;
const GRID: usize = 100;
/// Coordinates and norms are stored as integers from 0 to this number.
const STEPS: f64 = 9999.0;
/// Bytes kept free for the names of the columns.
const RESERVE: usize = 999;

/// What does not depend on the space available.
#[derive(Clone, Serialize)]
struct Head<'a> {
    kind: ReportKind,
    total: usize,
    facts: &'a [(String, String)],
    notes: &'a [String],
    classes: Vec<Cow<'a, str>>,
    counts: [usize; 6],
    shares: [String; 6],
    rounds: Vec<Vec<usize>>,
}

#[derive(Serialize)]
struct PageData<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    id: Vec<Cow<'a, str>>,
    reason: Vec<Cow<'a, str>>,
    verdict: Vec<usize>,
    label: Vec<usize>,
    given: Option<Vec<Option<usize>>>,
    rival: Vec<Option<usize>>,
    text: Option<Vec<Option<Cow<'a, str>>>>,
    probability: Vec<f64>,
    credibility: Vec<f64>,
    round: Vec<Option<usize>>,
    neighbours: Vec<Vec<usize>>,
    suggested: Vec<usize>,
    position: Vec<[i64; 2]>,
    path: Option<PathData>,
    images: Option<ImageData>,
}

/// `of` is the number of lines in the report.
#[derive(Serialize)]
struct PathData {
    of: usize,
    largest: f32,
    lambda: Vec<f32>,
    /// The row of the instance, then its norms.
    lines: Vec<Vec<usize>>,
}

/// `of` is the number of thumbnails in the report.
#[derive(Serialize)]
struct ImageData {
    of: usize,
    /// The row of the instance and a data URL.
    files: Vec<(usize, String)>,
}

/// The data in at most `budget` bytes, or slightly more if titles and notes alone are longer.
pub(super) fn write(report: &LabelReport, budget: usize) -> String {
    let with_images = report.instances.iter().any(|i| i.thumbnail.is_some());
    let share = if with_images { ROWS_WITH_IMAGES } else { ROWS_WITHOUT_IMAGES };
    let plan = Plan::new(report, budget, share);
    let mut page = plan.rows();
    if with_images {
        let left = budget.saturating_sub(to_json(&page).len() + RESERVE);
        page.images = Some(plan.images(left));
    }
    to_json(&page)
}

/// The instances whose thumbnails fit on the page if each has the given number of bytes.
pub(super) fn thumbnails_that_fit(report: &LabelReport, budget: usize, bytes: usize) -> Vec<usize> {
    let plan = Plan::new(report, budget, ROWS_WITH_IMAGES);
    let spent: usize = plan.rows.iter().map(|&i| row_cost(&report.instances[i])).sum();
    let path = report.path.as_ref().map_or(0, |_| plan.left / 10);
    let left = plan.left.saturating_sub(spent + path + 2000);
    thin::take(&plan.shown(|_| true), left, |_| image_cost(bytes, 10))
}

/// Which instances get a row on the page.
struct Plan<'a> {
    report: &'a LabelReport,
    head: Head<'a>,
    /// Bytes left after the head.
    left: usize,
    /// All instances with their tiers, the most interesting first.
    order: Vec<(usize, usize)>,
    /// The instances that get a row.
    rows: Vec<usize>,
    /// The row of each instance.
    place: Vec<Option<usize>>,
}

impl<'a> Plan<'a> {
    fn new(report: &'a LabelReport, budget: usize, share: usize) -> Self {
        let counts = report.counts.unwrap_or_else(|| {
            let mut counts = [0; 6];
            report.instances.iter().for_each(|i| counts[i.verdict as usize] += 1);
            counts
        });
        let rounds = report.rounds.iter().map(|r| [&[r.changed], &r.accepted[..]].concat());
        let head = Head {
            kind: report.kind,
            total: counts.iter().sum(),
            facts: &report.facts,
            notes: &report.notes,
            classes: report.classes.iter().map(|name| clip(name, LONGEST_NAME)).collect(),
            counts,
            shares: shares(report.kind, counts),
            rounds: rounds.collect(),
        };
        let left = budget.saturating_sub(to_json(&head).len() + RESERVE);
        let order = thin::by_interest(report);
        let rows = thin::take(&order, left / 20 * share, |i| row_cost(&report.instances[i]));
        let mut place = vec![None; report.instances.len()];
        rows.iter().enumerate().for_each(|(at, i)| place[*i] = Some(at));
        Self { report, head, left, order, rows, place }
    }

    /// The instances that have a row and fulfil a condition, in order of interest.
    fn shown(&self, test: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let shown = |&&(_, i): &&(usize, usize)| self.place[i].is_some() && test(i);
        self.order.iter().filter(shown).copied().collect()
    }

    fn rows(&self) -> PageData<'a> {
        let instances: Vec<&ReportInstance> = self.rows.iter().map(|i| &self.report.instances[*i]).collect();
        let fraction = |value: f64| (value * 1e4).round() / 1e4;
        let near = |i: &ReportInstance| -> Vec<usize> {
            i.neighbours.iter().take(NEIGHBOURS).filter_map(|n| self.place[*n]).collect()
        };
        let ranked = instances.iter().enumerate().filter_map(|(at, i)| Some((i.suggested?, at)));
        let mut ranked: Vec<(usize, usize)> = ranked.collect();
        ranked.sort_unstable();
        macro_rules! column {
            ($value:expr) => {
                instances.iter().copied().map($value).collect()
            };
        }
        PageData {
            head: self.head.clone(),
            id: column!(|i| clip(&i.id, LONGEST_ID)),
            reason: column!(|i| clip(&i.reason, LONGEST_REASON)),
            verdict: column!(|i| i.verdict as usize),
            label: column!(|i| i.label),
            given: (self.report.kind == ReportKind::Audit).then(|| column!(|i| i.given)),
            rival: column!(|i| i.rival),
            text: instances
                .iter()
                .any(|i| i.text.is_some())
                .then(|| column!(|i: &'a ReportInstance| i.text.as_ref().map(|text| clip(text, LONGEST_TEXT)))),
            probability: column!(|i| fraction(i.probability)),
            credibility: column!(|i| fraction(i.credibility)),
            round: column!(|i| i.round),
            neighbours: column!(near),
            suggested: ranked.into_iter().map(|(_, at)| at).collect(),
            position: positions(&instances),
            path: self.report.path.as_ref().map(|path| self.path(path)),
            images: None,
        }
    }

    fn path(&self, path: &ReportPath) -> PathData {
        let grid = thin::evenly(path.lambda.len(), GRID);
        let mut line_of = vec![None; self.place.len()];
        path.lines.iter().for_each(|line| line_of[line.instance] = Some(line));
        let cost = 5 * grid.len() + 12;
        let drawable = self.shown(|i| line_of[i].is_some());
        let shown = thin::take(&drawable, (self.left / 10).min(LINES * cost), |_| cost);

        let lines = || shown.iter().filter_map(|i| Some((self.place[*i]?, line_of[*i]?)));
        let norms = lines().flat_map(|(_, line)| grid.iter().map(|g| f64::from(line.norms[*g])));
        let largest = norms.filter(|x| x.is_finite()).fold(0.0, f64::max);
        let scale = if largest > 0.0 { STEPS / largest } else { 0.0 };
        // Only an exact zero becomes zero: it marks where an instance becomes credible.
        let step = |norm: f32| match f64::from(norm) {
            x if x > 0.0 && x.is_finite() => (x * scale).round().max(1.0) as usize,
            _ => 0,
        };
        let numbers = |(at, line): (usize, &ReportLine)| {
            [at].into_iter().chain(grid.iter().map(|g| step(line.norms[*g]))).collect()
        };
        PathData {
            of: path.lines.len(),
            largest: largest as f32,
            lambda: grid.iter().map(|g| path.lambda[*g] as f32).collect(),
            lines: lines().map(numbers).collect(),
        }
    }

    fn images(&self, budget: usize) -> ImageData {
        let image = |i: usize| self.report.instances[i].thumbnail.as_ref();
        let cost = |i: usize| image(i).map_or(0, |t| image_cost(t.bytes.len(), t.mime.len()));
        let shown = thin::take(&self.shown(|i| image(i).is_some()), budget, cost);
        let url =
            |Thumbnail { bytes, mime }: &Thumbnail| format!("data:{mime};base64,{}", BASE64_STANDARD.encode(bytes));
        let files = shown.iter().filter_map(|i| Some((self.place[*i]?, url(image(*i)?)))).collect();
        ImageData { of: self.report.instances.iter().filter(|i| i.thumbnail.is_some()).count(), files }
    }
}

/// The share of each verdict, as the summary in the terminal has it: of the instances without a given label, or of all
/// labels that were audited.
fn shares(kind: ReportKind, counts: [usize; 6]) -> [String; 6] {
    let given = ReportVerdict::Given as usize;
    let all = counts.iter().sum::<usize>() - if kind == ReportKind::Label { counts[given] } else { 0 };
    let percent = |n: usize| 100.0 * n as f64 / all.max(1) as f64;
    std::array::from_fn(|verdict| match kind {
        ReportKind::Label if verdict == given => String::new(),
        ReportKind::Label => format!("{:.0} %", percent(counts[verdict])),
        ReportKind::Audit => format!("{:.1} %", percent(counts[verdict])),
    })
}

/// The size of an image on the page.
fn image_cost(bytes: usize, mime: usize) -> usize {
    bytes.div_ceil(3) * 4 + 6 * mime + 24
}

/// An upper bound of the size of a row on the page.
fn row_cost(instance: &ReportInstance) -> usize {
    let id = to_json(&clip(&instance.id, LONGEST_ID));
    let reason = to_json(&clip(&instance.reason, LONGEST_REASON));
    let text = to_json(&instance.text.as_ref().map(|text| clip(text, LONGEST_TEXT)));
    id.len() + reason.len() + text.len() + 90 + 8 * instance.neighbours.len().min(NEIGHBOURS)
}

/// Positions on the map as integers, with the same scale for both axes; `-1, -1` if there is none.
fn positions(instances: &[&ReportInstance]) -> Vec<[i64; 2]> {
    let shown = |p: &[f32; 2]| p.iter().all(|x| x.is_finite());
    let mut low = [f64::INFINITY; 2];
    let mut span: f64 = 0.0;
    for axis in 0..2 {
        let all = || instances.iter().map(|i| i.position).filter(shown).map(|p| f64::from(p[axis]));
        low[axis] = all().fold(f64::INFINITY, f64::min);
        span = span.max(all().fold(f64::NEG_INFINITY, f64::max) - low[axis]);
    }
    let scale = if span > 0.0 { STEPS / span } else { 0.0 };
    let place = |p: [f32; 2]| {
        let axis = |a: usize| ((f64::from(p[a]) - low[a]) * scale).round() as i64;
        if shown(&p) { [axis(0), axis(1)] } else { [-1, -1] }
    };
    instances.iter().map(|i| place(i.position)).collect()
}

/// At most `longest` characters.
fn clip(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// JSON that can stand inside a page: no text in it can end the element around it or begin another.
fn to_json(value: &impl Serialize) -> String {
    let mut out = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut out, HtmlSafe));
    written.expect("plain data can be written to memory");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// Short numbers, and escapes for every character with a meaning in HTML or in old JavaScript.
struct HtmlSafe;

impl Formatter for HtmlSafe {
    fn write_f32<W: ?Sized + Write>(&mut self, out: &mut W, value: f32) -> Result<()> {
        write!(out, "{value}")
    }

    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> Result<()> {
        write!(out, "{value}")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, text: &str) -> Result<()> {
        let special = |c: char| matches!(c, '<' | '>' | '&' | '\u{7f}' | '\u{2028}' | '\u{2029}');
        for part in text.split_inclusive(special) {
            let plain = part.trim_end_matches(special);
            out.write_all(plain.as_bytes())?;
            part[plain.len()..].chars().try_for_each(|c| write!(out, "\\u{:04x}", u32::from(c)))?;
        }
        Ok(())
    }
}

/// The order of verdicts that the page's script assumes.
const _: () = assert!(ReportVerdict::Given as usize == 0 && ReportVerdict::Suspect as usize == 5);

#[cfg(test)]
mod tests {
    use super::to_json;

    /// The page once gave shares of all instances and the terminal shares of the unlabelled ones.
    #[test]
    fn shares_are_those_of_the_terminal() {
        use super::{ReportKind, shares};
        let label = shares(ReportKind::Label, [100, 1547, 353, 0, 0, 0]);
        assert_eq!(label[..4], ["", "81 %", "19 %", "0 %"]);
        let audit = shares(ReportKind::Audit, [0, 0, 0, 0, 1708, 292]);
        assert_eq!(audit[4..], ["85.4 %", "14.6 %"]);
        assert_eq!(shares(ReportKind::Label, [3, 0, 0, 0, 0, 0])[1], "0 %");
    }

    #[test]
    fn no_text_can_leave_its_string() {
        assert_eq!(to_json(&"</script>"), r#""\u003c/script\u003e""#);
        assert_eq!(to_json(&"<!-- \" \\ &amp;"), r#""\u003c!-- \" \\ \u0026amp;""#);
        assert_eq!(to_json(&"a\u{2028}b\u{2029}c\n\u{0}"), r#""a\u2028b\u2029c\n\u0000""#);
        assert_eq!(to_json(&"Ä λ 猫 🐈"), "\"Ä λ 猫 🐈\"");
    }

    #[test]
    fn numbers_are_short_and_never_nan() {
        let numbers = [0.5, 0.3333, f64::NAN, f64::INFINITY, 1.0, 0.0];
        assert_eq!(to_json(&numbers), "[0.5,0.3333,null,null,1,0]");
    }
}
