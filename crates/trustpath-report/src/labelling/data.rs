//! The data of the page, as compact JSON: one array a column, numbers to as many digits as can be seen.

use super::{LabelReport, ReportInstance, ReportKind, ReportPath, Verdict, json, thin};
use crate::draw::base64;

/// Longest texts, in characters; a page is for reading, and no name may fill it.
const LONGEST_ID: usize = 200;
const LONGEST_NAME: usize = 120;
const LONGEST_REASON: usize = 800;
/// Nearest labelled instances that are listed of each.
const NEIGHBOURS: usize = 8;
/// Twentieths of the page that rows may take where there are pictures.
const ROWS_BESIDE_PICTURES: usize = 12;
/// Lines and points of each that a plot can show.
const LINES: usize = 500;
const GRID: usize = 100;
/// Whole numbers that stand for the range of a coordinate or norm.
const STEPS: f64 = 9999.0;

/// Data that take at most `budget` bytes, or a little more where titles and notes alone are longer.
pub(super) fn write(report: &LabelReport, budget: usize) -> String {
    let mut out = String::from("{");
    head(&mut out, report);
    let left = budget.saturating_sub(out.len() + 1000);
    let order = thin::by_interest(report);

    let pictured = report.instances.iter().any(|i| i.thumbnail.is_some());
    let room = left / 20 * if pictured { ROWS_BESIDE_PICTURES } else { 17 };
    let rows = thin::take(&order, room, |i| row_cost(&report.instances[i]));
    let mut place = vec![None; report.instances.len()];
    rows.iter().enumerate().for_each(|(at, i)| place[*i] = Some(at));
    columns(&mut out, report, &rows, &place);

    if let Some(path) = &report.path {
        lines(&mut out, path, &order, &place, left / 10);
    }
    if pictured {
        let left = budget.saturating_sub(out.len() + 1000);
        thumbnails(&mut out, report, &order, &place, left);
    }
    out.push('}');
    out
}

/// The instances whose pictures fit beside all else, if each takes so many bytes.
pub(super) fn worth_a_picture(report: &LabelReport, budget: usize, bytes: usize) -> Vec<usize> {
    let mut out = String::from("{");
    head(&mut out, report);
    let left = budget.saturating_sub(out.len() + 1000);
    let order = thin::by_interest(report);
    let cost = |i: usize| row_cost(&report.instances[i]);
    let rows = thin::take(&order, left / 20 * ROWS_BESIDE_PICTURES, cost);
    let spent: usize = rows.iter().map(|&i| cost(i)).sum();
    let path = report.path.as_ref().map_or(0, |_| left / 10);
    let mut on_page = vec![false; report.instances.len()];
    rows.iter().for_each(|&i| on_page[i] = true);
    let order: Vec<(usize, usize)> = order.into_iter().filter(|o| on_page[o.1]).collect();
    thin::take(&order, left.saturating_sub(spent + path + 2000), |_| picture_cost(bytes, 10))
}

/// What a picture of so many bytes adds to the page.
fn picture_cost(bytes: usize, mime: usize) -> usize {
    bytes.div_ceil(3) * 4 + 6 * mime + 24
}

fn key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    json::string(out, name);
    out.push(':');
}

fn head(out: &mut String, report: &LabelReport) {
    key(out, "kind");
    json::string(
        out,
        match report.kind {
            ReportKind::Label => "label",
            ReportKind::Audit => "audit",
        },
    );
    let counts = report.counts.unwrap_or_else(|| {
        let mut counts = [0usize; 6];
        report.instances.iter().for_each(|i| counts[i.verdict as usize] += 1);
        counts
    });
    key(out, "total");
    json::number(out, Some(counts.iter().sum::<usize>()));
    key(out, "facts");
    json::array(out, &report.facts, |out, (name, value)| {
        json::array(out, [name, value], |out, text| json::string(out, text));
    });
    key(out, "notes");
    json::array(out, &report.notes, |out, note| json::string(out, note));
    key(out, "classes");
    json::array(out, &report.classes, |out, name| {
        json::string(out, &clip(name, LONGEST_NAME));
    });
    key(out, "counts");
    json::array(out, counts, |out, n| json::number(out, Some(n)));
    key(out, "rounds");
    json::array(out, &report.rounds, |out, round| {
        let numbers = std::iter::once(&round.changed).chain(&round.accepted);
        json::array(out, numbers, |out, n| json::number(out, Some(n)));
    });
}

/// An upper bound of what a row adds to the page.
fn row_cost(instance: &ReportInstance) -> usize {
    let mut text = String::new();
    json::string(&mut text, &clip(&instance.id, LONGEST_ID));
    json::string(&mut text, &clip(&instance.reason, LONGEST_REASON));
    text.len() + 80 + 8 * instance.neighbours.len().min(NEIGHBOURS)
}

fn columns(out: &mut String, report: &LabelReport, rows: &[usize], place: &[Option<usize>]) {
    let of = |i: &usize| &report.instances[*i];
    key(out, "id");
    json::array(out, rows, |out, i| json::string(out, &clip(&of(i).id, LONGEST_ID)));
    key(out, "reason");
    json::array(out, rows, |out, i| json::string(out, &clip(&of(i).reason, LONGEST_REASON)));
    key(out, "verdict");
    json::array(out, rows, |out, i| json::number(out, Some(of(i).verdict as usize)));
    key(out, "label");
    json::array(out, rows, |out, i| json::number(out, Some(of(i).label)));
    if report.kind == ReportKind::Audit {
        key(out, "given");
        json::array(out, rows, |out, i| json::number(out, of(i).given));
    }
    key(out, "probability");
    json::array(out, rows, |out, i| json::fraction(out, of(i).probability));
    key(out, "credibility");
    json::array(out, rows, |out, i| json::fraction(out, of(i).credibility));
    key(out, "round");
    json::array(out, rows, |out, i| json::number(out, of(i).round));
    key(out, "neighbours");
    json::array(out, rows, |out, i| {
        let near = of(i).neighbours.iter().take(NEIGHBOURS).filter_map(|n| place[*n]);
        json::array(out, near, |out, n| json::number(out, Some(n)));
    });
    key(out, "suggested");
    let mut suggested: Vec<(usize, usize)> =
        rows.iter().enumerate().filter_map(|(at, i)| of(i).suggested.map(|s| (s, at))).collect();
    suggested.sort_unstable();
    json::array(out, suggested, |out, (_, at)| json::number(out, Some(at)));
    positions(out, report, rows);
}

/// Places on the map as whole numbers, at one scale for both axes; `-1, -1` where there is none.
fn positions(out: &mut String, report: &LabelReport, rows: &[usize]) {
    let places: Vec<[f32; 2]> = rows.iter().map(|i| report.instances[*i].position).collect();
    let shown = |p: &&[f32; 2]| p.iter().all(|x| x.is_finite());
    let mut low = [f64::INFINITY; 2];
    let mut span: f64 = 0.0;
    for axis in 0..2 {
        let values = || places.iter().filter(shown).map(|p| f64::from(p[axis]));
        low[axis] = values().fold(f64::INFINITY, f64::min);
        span = span.max(values().fold(f64::NEG_INFINITY, f64::max) - low[axis]);
    }
    let scale = if span > 0.0 { STEPS / span } else { 0.0 };
    key(out, "position");
    json::array(out, &places, |out, p| {
        let axis = |a: usize| ((f64::from(p[a]) - low[a]) * scale).round() as i64;
        let at = if shown(&p) { [axis(0), axis(1)] } else { [-1, -1] };
        json::array(out, at, |out, x| json::number(out, Some(x)));
    });
}

fn lines(
    out: &mut String,
    path: &ReportPath,
    order: &[(usize, usize)],
    place: &[Option<usize>],
    budget: usize,
) {
    let grid = thin::evenly(path.lambda.len(), GRID);
    let mut line_of = vec![None; place.len()];
    path.lines.iter().for_each(|line| line_of[line.instance] = Some(line));
    let drawable: Vec<(usize, usize)> =
        order.iter().copied().filter(|o| line_of[o.1].is_some() && place[o.1].is_some()).collect();
    let cost = 5 * grid.len() + 12;
    let shown = thin::take(&drawable, budget.min(LINES * cost), |_| cost);

    let lines = || shown.iter().filter_map(|i| Some((place[*i]?, line_of[*i]?)));
    let largest = lines()
        .flat_map(|(_, line)| grid.iter().map(|g| f64::from(line.norms[*g])))
        .filter(|x| x.is_finite())
        .fold(0.0, f64::max);
    let scale = if largest > 0.0 { STEPS / largest } else { 0.0 };
    key(out, "path");
    out.push('{');
    key(out, "of");
    json::number(out, Some(path.lines.len()));
    key(out, "largest");
    json::number(out, Some(largest as f32));
    key(out, "lambda");
    json::array(out, &grid, |out, g| json::number(out, Some(path.lambda[*g] as f32)));
    key(out, "lines");
    json::array(out, lines(), |out, (at, line)| {
        let norms = grid.iter().map(|g| match f64::from(line.norms[*g]) {
            // Zero means zero: that is where an instance becomes credible.
            x if x > 0.0 && x.is_finite() => (x * scale).round().max(1.0) as usize,
            _ => 0,
        });
        json::array(out, std::iter::once(at).chain(norms), |out, x| json::number(out, Some(x)));
    });
    out.push('}');
}

fn thumbnails(
    out: &mut String,
    report: &LabelReport,
    order: &[(usize, usize)],
    place: &[Option<usize>],
    budget: usize,
) {
    let of = |i: usize| report.instances[i].thumbnail.as_ref();
    let drawable: Vec<(usize, usize)> =
        order.iter().copied().filter(|o| of(o.1).is_some() && place[o.1].is_some()).collect();
    let cost = |i: usize| of(i).map_or(0, |t| picture_cost(t.bytes.len(), t.mime.len()));
    let shown = thin::take(&drawable, budget, cost);
    key(out, "pictures");
    out.push('{');
    key(out, "of");
    json::number(out, Some(report.instances.iter().filter(|i| i.thumbnail.is_some()).count()));
    key(out, "files");
    json::array(
        out,
        shown.iter().filter_map(|i| Some((place[*i]?, of(*i)?))),
        |out, (at, file)| {
            out.push('[');
            json::number(out, Some(at));
            out.push(',');
            json::string(
                out,
                &format!("data:{};base64,{}", file.mime, base64::encode(&file.bytes)),
            );
            out.push(']');
        },
    );
    out.push('}');
}

/// At most `longest` characters.
fn clip(text: &str, longest: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// The order of verdicts that the page's script knows.
const _: () = assert!(Verdict::Given as usize == 0 && Verdict::Suspect as usize == 5);
