//! The label page as text: its data, its size, and what it refuses.

use crate::sample::{label, rename};
use serde_json::{Value, json};
use trustpath_report::label_page::{LabelReport, ReportKind, ReportVerdict, Thumbnail};
use trustpath_report::{Error, Result};

/// Maximum size of a page in bytes.
const LARGEST: usize = 5_000_000;

/// The data inside a page, as text.
fn text(page: &str) -> &str {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    rest.split_once("</script>").unwrap().0
}

/// The page of a report, which is never too large, and its data.
fn page(report: &LabelReport) -> (String, Value) {
    let page = report.html().unwrap();
    assert!(page.len() < LARGEST, "{}", page.len());
    let data = serde_json::from_str(text(&page)).unwrap();
    (page, data)
}

fn length(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

fn thumbnail(bytes: usize, mime: &str) -> Option<Thumbnail> {
    Some(Thumbnail { bytes: vec![7; bytes], mime: mime.into() })
}

#[test]
fn the_page_contains_its_parts_once_and_loads_nothing() {
    let (page, _) = page(&label(10, 2));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("@@") && page.contains("default-src 'none'"));
    for outside in ["http://", "https://", "src=\"/", "@import", "eval(", "innerHTML"] {
        // The name of the SVG namespace is an address that is never loaded.
        assert_eq!(page.matches(outside).count(), usize::from(outside == "http://"), "{outside}");
    }
}

#[test]
fn names_cannot_leave_their_place() {
    let hostile = "</script><script>alert(1)</script>\u{2028}\"'<!--@@script@@";
    let mut report = label(6, 2);
    rename(&mut report, &[hostile]);
    report.instances[0].thumbnail = thumbnail(1, hostile);
    let (page, data) = page(&report);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!text(&page).contains(['<', '>', '&', '\u{2028}']));
    assert!(page.contains("<h1>&lt;/script&gt;&lt;script&gt;"));
    assert_eq!(data["reason"][0], hostile);
}

#[test]
fn twelve_thousand_instances_of_fifty_classes_are_all_included() {
    let (_, data) = page(&label(12_000, 50));
    assert_eq!((length(&data["id"]), length(&data["classes"])), (12_000, 50));
}

#[test]
fn images_are_dropped_before_rows_and_doubtful_instances_last() {
    let mut report = label(12_000, 20);
    for instance in &mut report.instances {
        (instance.suggested, instance.thumbnail) = (None, thumbnail(1500, "image/webp"));
    }
    report.instances[11_999].suggested = Some(1);
    let (page, data) = page(&report);
    assert!(page.len() > LARGEST * 9 / 10, "{}", page.len());
    assert_eq!(length(&data["id"]), 12_000);
    let files = data["images"]["files"].as_array().unwrap();
    let files: Vec<usize> = files.iter().map(|f| f[0].as_u64().unwrap() as usize).collect();
    assert!(files.len() > 500 && files.len() < 12_000, "{}", files.len());
    assert!(files.contains(&11_999), "the suggested instance has its image");
    let doubtful = |i: &&usize| {
        let verdict = report.instances[**i].verdict;
        matches!(verdict, ReportVerdict::Doubtful | ReportVerdict::NoneOfThese)
    };
    assert!(files.iter().filter(doubtful).count() * 2 > files.len());
}

#[test]
fn the_page_shows_the_images_that_were_said_to_fit() {
    for (instances, all) in [(300, true), (20_000, false)] {
        let (mut report, mut fit) = (label(instances, 4), 0);
        let make = |worth: &[usize]| {
            fit = worth.len();
            vec![thumbnail(2000, "image/jpeg"); fit]
        };
        report.illustrate(2000, make).unwrap();
        assert_eq!((fit == instances, report.notes.len()), (all, if all { 1 } else { 2 }));
        let shown = page(&report).0.matches("data:image/jpeg").count();
        assert!(shown == fit && shown > 250, "{shown} of {fit}");
    }
}

#[test]
fn too_many_rows_are_thinned_and_the_total_remains() {
    let mut report = label(150_000, 5);
    report.path = None;
    report.instances[77_777].suggested = Some(1);
    let (page, data) = page(&report);
    assert!((10_000..150_000).contains(&length(&data["id"])));
    assert_eq!(data["total"], 150_000);
    assert!(page.contains("77777.png"));
}

#[test]
fn no_single_text_fills_the_page() {
    let mut report = label(30, 3);
    report.instances.iter_mut().for_each(|i| i.reason = "long ".repeat(400_000));
    report.instances[3].id = "\u{1F408}".repeat(1_000_000);
    report.classes[2] = "<".repeat(1_000_000);
    let (page, data) = page(&report);
    assert!(page.len() < 400_000, "{}", page.len());
    assert_eq!(length(&data["id"]), 30);
}

#[test]
fn empty_and_tiny_reports_are_pages_too() {
    let (_, empty) = page(&LabelReport::default());
    assert_eq!((length(&empty["id"]), length(&empty["classes"])), (0, 0));
    assert_eq!(page(&label(1, 1)).1["position"], json!([[0, 0]]));
    let mut report = label(2, 1);
    report.kind = ReportKind::Audit;
    report.instances[0].probability = 0.0;
    report.instances[1].position = [f32::NAN, 0.0];
    report.instances[1].probability = f64::NAN;
    let (_, data) = page(&report);
    assert_eq!(data["position"], json!([[0, 0], [-1, -1]]));
    assert_eq!(data["probability"], json!([0, null]));
    assert_eq!(data["given"], json!([null, null]));
}

#[test]
fn the_path_keeps_its_zeros_and_its_ends() {
    let path = &page(&label(2000, 4)).1["path"];
    assert_eq!((&path["of"], length(&path["lines"])), (&json!(2000), 500));
    // The smallest norm that is not zero does not become zero.
    let mut report = label(2, 1);
    let path = report.path.as_mut().unwrap();
    path.lambda = vec![0.0, 0.5, 1.0];
    path.lines[0].norms = vec![1e-30, 0.0, 0.0];
    path.lines[1].norms = vec![3.0, 1.5, 0.0];
    assert_eq!(page(&report).1["path"]["lines"], json!([[0, 1, 0, 0], [1, 9999, 5000, 0]]));
}

#[test]
fn indices_out_of_range_and_wrong_lengths_are_refused() {
    let html = |change: fn(&mut LabelReport)| -> Result<String> {
        let mut report = label(40, 2);
        change(&mut report);
        report.html()
    };
    let out_of_range: [fn(&mut LabelReport); 4] = [
        |r| r.instances[3].label = 2,
        |r| r.instances[3].given = Some(9),
        |r| r.instances[3].neighbours = vec![40],
        |r| r.path.as_mut().unwrap().lines[0].instance = 40,
    ];
    assert!(out_of_range.map(html).iter().all(|r| matches!(r, Err(Error::Missing { .. }))));
    let uneven: [fn(&mut LabelReport); 2] =
        [|r| r.path.as_mut().unwrap().lines[0].norms.truncate(3), |r| r.rounds[0].accepted.truncate(1)];
    assert!(uneven.map(html).iter().all(|r| matches!(r, Err(Error::Length { .. }))));
}
