//! The label page in a real browser: hovering, clicking, typing, and the keyboard.
//!
//! Without Chromium these tests print that they are skipped; with `TRUSTPATH_REQUIRE_BROWSER=1` they fail instead.
//! Screenshots of every view are saved in the `tmp` folder of the build.

use crate::sample;
use trustpath_browser::Browser;
use trustpath_report::label_page::{LabelReport, ReportVerdict};

const MAP: &str = "document.querySelector('#map canvas[tabindex]')";
/// Answers of this page, as they would be downloaded.
const SAVED: &str = "(async () => { let blob; const make = URL.createObjectURL; URL.createObjectURL = (b) => ((blob = b), make(b)); \
     document.querySelector('#answered button').click(); URL.createObjectURL = make; return blob.text(); })()";
const PATH: &str = "document.querySelector('#path canvas[tabindex]')";
const PANEL: &str = "document.getElementById('panel')";
const PANEL_OPEN: &str = "!document.getElementById('panel').hidden";

fn start() -> Option<Browser> {
    Browser::start(env!("CARGO_TARGET_TMPDIR"))
}

fn open(report: &LabelReport) -> Option<Browser> {
    let mut browser = start()?;
    browser.open(&report.html().unwrap());
    // The path and the rounds are folded away.
    browser.eval("document.querySelectorAll('#method details').forEach((d) => (d.open = true))");
    browser.settle();
    Some(browser)
}

/// Moves the pointer over a plot until a tooltip appears; returns the position and the id in the tooltip.
fn sweep(browser: &mut Browser, plot: &str) -> ((f64, f64), String) {
    let [left, top, width, height] = browser.frame(plot);
    for row in 2..30 {
        for column in 2..30 {
            let [x, y] = [column, row].map(|k| f64::from(k) / 31.0);
            let at = (left + width * x, top + height * y);
            browser.move_to(at);
            if browser.is("!document.getElementById('tip').hidden") {
                return (at, browser.content("#tip strong"));
            }
        }
    }
    panic!("no point of {plot} has a tooltip");
}

fn column(browser: &mut Browser, class: &str) -> Vec<String> {
    let cells = format!("[...document.querySelectorAll('tbody td.{class}')].map((c) => c.textContent)");
    serde_json::from_value(browser.eval(&cells)).unwrap()
}

/// Chooses an option of a list by its text.
fn choose(browser: &mut Browser, list: &str, option: &str) {
    browser.eval(&format!(
        "(() => {{ const s = document.querySelector('{list}'); \
         s.selectedIndex = [...s.options].findIndex((o) => o.text === '{option}'); \
         s.dispatchEvent(new Event('change')); }})()"
    ));
}

fn numbers(browser: &mut Browser, class: &str) -> Vec<f64> {
    column(browser, class).iter().map(|cell| cell.parse().unwrap()).collect()
}

#[test]
fn points_and_lines_show_and_open_their_instance() {
    let Some(mut browser) = open(&sample::label(80, 5)) else { return };
    browser.screenshot("page-80-light", true);
    for plot in [MAP, PATH] {
        let (at, id) = sweep(&mut browser, plot);
        assert!(id.starts_with("shots/2024/"), "{id}");
        browser.screenshot(if plot == MAP { "hover-map" } else { "hover-path" }, false);
        browser.click_at(at);
        browser.until(PANEL_OPEN);
        assert_eq!(browser.content("#panel h2"), id);
        assert!(browser.content("#panel .reason").contains("nearest"));
        browser.screenshot(if plot == MAP { "panel-map" } else { "panel-path" }, false);
        browser.key("Escape");
        browser.until(&format!("{PANEL}.hidden"));
        assert!(browser.is(&format!("document.activeElement === {plot}")), "focus goes back");
    }
    // A neighbour in the panel opens that instance.
    let (at, _) = sweep(&mut browser, MAP);
    browser.click_at(at);
    let other = browser.text("document.querySelector('.near > span').firstChild.textContent");
    browser.click("document.querySelector('.near')");
    assert_eq!(browser.content("#panel h2"), other);
    browser.expect_no_errors();
}

#[test]
fn the_keyboard_reaches_everything() {
    let Some(mut browser) = open(&sample::label(80, 5)) else { return };
    // Tab visits summary, legend, plots, galleries and table in this order, each with a visible focus ring.
    let mut visited = Vec::new();
    for _ in 0..400 {
        browser.key("Tab");
        let place = browser.eval(
            "(() => { const e = document.activeElement; const section = e.closest('section'); \
             return [section?.id ?? e.className, getComputedStyle(e).outlineStyle !== 'none']; })()",
        );
        assert_eq!(place[1], true, "no ring at {place}");
        let name = place[0].as_str().unwrap().to_owned();
        if visited.last() != Some(&name) {
            visited.push(name.clone());
        }
        if name == "rows" {
            break;
        }
    }
    assert_eq!(visited, ["skip", "summary", "plots", "next", "confusion", "classes", "rows"]);
    for plot in [MAP, PATH] {
        browser.eval(&format!("{plot}.focus()"));
        let mut seen = std::collections::BTreeSet::new();
        for key in ["Home", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "ArrowLeft"] {
            browser.key(key);
            seen.insert(browser.content("#live"));
        }
        assert!(seen.len() >= 3, "arrow keys move: {seen:?}");
        assert!(seen.iter().all(|s| s.contains("credibility")), "{seen:?}");
        let said = browser.content("#live");
        browser.key("Enter");
        browser.until(PANEL_OPEN);
        assert!(said.starts_with(&browser.content("#panel h2")));
        let focused = browser.is(&format!("{PANEL}.contains(document.activeElement)"));
        assert!(focused, "focus is in the panel");
        browser.key("Escape");
        browser.until(&format!("{PANEL}.hidden && document.activeElement === {plot}"));
    }
    browser.expect_no_errors();
}

#[test]
fn a_screen_reader_gets_names_in_the_order_of_the_page() {
    for (report, sections) in [
        (
            sample::label(80, 5),
            ["Map of the features", "Label these next", "Which classes compete", "Classes", "All instances"],
        ),
        (
            sample::audit(80, 5),
            ["All instances", "Map of the features", "Which classes compete", "Classes", "Regularisation path"],
        ),
    ] {
        let Some(mut browser) = start() else { return };
        browser.open(&report.html().unwrap());
        browser.click("document.querySelector('tbody .link')");
        browser.until(PANEL_OPEN);
        let tree = browser.accessible();
        let mut rest = tree.iter();
        for section in sections {
            let is_read = rest.any(|(role, name)| {
                ["heading", "DisclosureTriangle", "group"].contains(&role.as_str()) && name.starts_with(section)
            });
            assert!(is_read, "{section} in {tree:?}");
        }
        let id = browser.content("#panel h2");
        assert!(tree.contains(&("dialog".into(), format!("Instance {id}"))), "{tree:?}");
        assert_eq!(browser.focused().0, "dialog");
        browser.expect_no_errors();
    }
}

#[test]
fn images_grow_and_what_is_for_researchers_is_folded_away() {
    let mut report = sample::label(60, 3);
    for (i, instance) in report.instances.iter_mut().enumerate() {
        instance.thumbnail = Some(sample::image(i as u8, 90, 160));
    }
    let (Some(mut browser), html) = (start(), report.html().unwrap()) else { return };
    browser.open(&html);
    assert!(browser.is("[...document.querySelectorAll('#method details')].every((d) => !d.open && d.querySelector('p').textContent.length > 40)"));
    let width = "document.querySelector('#classes .image img').getBoundingClientRect().width";
    let before = browser.number(width);
    browser.eval("document.querySelector('#classes .size input').focus()");
    browser.key("End");
    browser.settle();
    assert_eq!((before, browser.number(width)), (62.0, 180.0));
    // Percentages are those of the report, to the letter.
    let shares =
        browser.text("JSON.stringify([...document.querySelectorAll('.tile small')].map((e) => e.textContent))");
    let shares: Vec<String> = serde_json::from_str(&shares).unwrap();
    assert!(!shares.is_empty() && shares.iter().all(|share| html.contains(&format!("\"{share}\""))), "{shares:?}");
    browser.expect_no_errors();
}

#[test]
fn twelve_thousand_rows_can_be_sorted_filtered_and_paged() {
    let Some(mut browser) = open(&sample::label(12_000, 20)) else { return };
    browser.screenshot("page-12000-light", true);
    assert_eq!(column(&mut browser, "id").len(), 50);

    let head = "document.querySelector('th.credibility button')";
    for (order, sign) in [("descending", -1.0), ("ascending", 1.0)] {
        browser.click(head);
        assert_eq!(browser.text(&format!("{head}.parentElement.ariaSort")), order);
        let values = numbers(&mut browser, "credibility");
        assert!(values.is_sorted_by(|a, b| sign * a <= sign * b), "{order}: {values:?}");
    }
    browser.click("document.querySelector('.pages button:last-child')");
    assert!(browser.content(".status").starts_with("51–100 of 12,000"));

    browser.click("document.querySelector('input[type=search]')");
    browser.type_text("00077.png");
    browser.until("document.querySelector('.status').textContent.startsWith('1–1 of 1 ')");
    assert_eq!(column(&mut browser, "id"), ["shots/2024/00077.png"]);
    browser.click("document.querySelector('.tools button')");
    assert!(browser.content(".status").starts_with("1–50 of 12,000"));

    // A tile of the summary filters by its verdict; the class narrows it further.
    browser.click("document.querySelector('.tile.bad')");
    assert!(column(&mut browser, "verdict").iter().all(|v| v.starts_with("doubtful")));
    choose(&mut browser, "select[aria-label=Class]", "class 3");
    assert!(column(&mut browser, "label").iter().all(|v| v == "class 3"));
    browser.click("document.querySelector('tbody tr td.reason')");
    browser.until(PANEL_OPEN);

    // A class of the legend stays highlighted after a click.
    browser.key("Escape");
    let chip = "document.querySelector('#legend .chip:nth-child(4)')";
    browser.click(chip);
    assert!(browser.is(&format!("{chip}.ariaPressed === 'true'")));
    browser.settle();
    browser.screenshot("page-12000-class", false);
    let (_, id) = sweep(&mut browser, MAP);
    let number: usize = id["shots/2024/".len()..][..5].parse().unwrap();
    assert_eq!(number % 20, 3, "only the selected class has tooltips");
    browser.expect_no_errors();
}

#[test]
fn names_are_always_shown_as_text() {
    let mut report = sample::label(60, 4);
    let hostile = [
        "<script>window.hacked = 1</script>",
        "</script><script>window.hacked = 2</script>",
        "\"><img src=x onerror=window.hacked=3>",
        "a\u{2028}b'c\"d\\e&amp;",
    ];
    sample::rename(&mut report, &hostile);
    let Some(mut browser) = open(&report) else { return };

    assert_eq!(browser.content("h1"), hostile[0]);
    assert_eq!(browser.text("document.title"), hostile[0]);
    assert_eq!(browser.content(".note"), hostile[1]);
    assert_eq!(browser.content(".facts dt"), hostile[2]);
    for (i, text) in hostile.iter().enumerate() {
        let name = format!("document.querySelectorAll('#legend .chip span')[{i}].textContent");
        assert_eq!(browser.text(&name), *text);
    }
    assert_eq!(column(&mut browser, "label")[..4], hostile);
    assert_eq!(column(&mut browser, "reason")[3], hostile[0]);
    let (at, id) = sweep(&mut browser, MAP);
    browser.click_at(at);
    assert_eq!(browser.content("#panel h2"), id);
    assert!(browser.is("document.scripts.length === 2"));
    browser.expect_no_errors();
    browser.expect_no_other_scripts();
}

#[test]
fn a_phone_never_scrolls_horizontally() {
    let mut long = sample::label(300, 50);
    long.classes[0] = "Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(3);
    long.instances[1].id = "0123456789".repeat(19);
    long.title = "averylongnamewithoutanyspace".repeat(4);
    for (i, instance) in long.instances.iter_mut().enumerate().take(150) {
        instance.thumbnail = Some(sample::image(i as u8, 90, 160));
    }
    let Some(mut browser) = start() else { return };
    browser.size(360, 740);
    let (label, audit) = (sample::label(80, 5), sample::audit(80, 5));
    for (name, report) in [("phone-long", long), ("phone-80", label), ("phone-audit", audit)] {
        browser.open(&report.html().unwrap());
        browser.eval("document.querySelectorAll('details').forEach((d) => (d.open = true))");
        browser.settle();
        let width = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)";
        let pixels = browser.number(width);
        assert!(pixels <= 360.0, "{name}: {pixels}");
        browser.eval("document.querySelectorAll('details').forEach((d, k) => (d.open = k < 1))");
        browser.settle();
        browser.screenshot(name, true);
        // A list replaces the headings for sorting.
        assert!(browser.is("document.querySelector('#rows thead').offsetHeight === 0"));
        choose(&mut browser, "select.narrow", "By credibility");
        let values = numbers(&mut browser, "credibility");
        assert!(values.is_sorted_by(|a, b| a >= b), "{name}: {values:?}");
        browser.click("document.querySelectorAll('tbody .link')[1]");
        browser.until(PANEL_OPEN);
        let pixels = browser.number(&format!("Math.max({width}, {PANEL}.scrollWidth)"));
        assert!(pixels <= 360.0, "{name}, panel: {pixels}");
        browser.screenshot(&format!("{name}-panel"), false);
    }
    browser.expect_no_errors();
}

#[test]
fn dark_and_light_themes_have_enough_contrast() {
    let Some(mut browser) = open(&sample::audit(400, 12)) else { return };
    // Relative luminance and contrast as WCAG 2 defines them.
    let contrast = "(a, b) => { const light = (name) => { const hex = getComputedStyle(document.documentElement)\
        .getPropertyValue(name).trim().slice(1); const [r, g, b] = [0, 2, 4].map((k) => { \
        const v = parseInt(hex.slice(k, k + 2), 16) / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); \
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; }; const [x, y] = [light(a), light(b)].sort((p, q) => q - p); \
        return (x + 0.05) / (y + 0.05); }";
    let mut backs = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer("prefers-color-scheme", scheme);
        backs.push(browser.text("getComputedStyle(document.body).backgroundColor"));
        let texts = ["ink", "muted", "good", "bad", "given", "accent"].map(|name| (name, 4.5));
        let marks = ["none", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"].map(|name| (name, 3.0));
        for (name, least) in texts.into_iter().chain(marks) {
            let ratio = browser.number(&format!("({contrast})('--{name}', '--card')"));
            assert!(ratio >= least, "{scheme} {name}: {ratio:.2}");
        }
        browser.screenshot(&format!("audit-{scheme}"), true);
    }
    assert_ne!(backs[0], backs[1]);
    browser.prefer("prefers-reduced-motion", "reduce");
    browser.click("document.querySelector('tbody .link')");
    assert_eq!(browser.text(&format!("getComputedStyle({PANEL}).animationName")), "none");
    browser.expect_no_errors();
}

#[test]
fn an_audit_begins_with_the_most_suspicious_labels() {
    let report = sample::audit(400, 12);
    let Some(mut browser) = open(&report) else { return };
    let suspects = report.instances.iter().filter(|i| i.verdict == ReportVerdict::Suspect);
    let worst = suspects.min_by(|a, b| a.credibility.total_cmp(&b.credibility)).unwrap();
    assert_eq!(column(&mut browser, "id")[0], worst.id);
    assert_eq!(column(&mut browser, "given")[0], report.classes[worst.given.unwrap()]);
    assert_eq!(column(&mut browser, "label")[0], report.classes[worst.label]);

    // The map shows given labels: instances of a class in the legend have it as their given label.
    browser.click("document.querySelector('#legend .chip:nth-child(3)')");
    let (at, id) = sweep(&mut browser, MAP);
    assert_eq!(report.instances.iter().find(|i| i.id == id).unwrap().given, Some(2));
    browser.click_at(at);
    browser.until(PANEL_OPEN);
    browser.screenshot("audit-panel", false);
    browser.expect_no_errors();
}

#[test]
fn empty_and_tiny_reports_are_shown() {
    let Some(mut browser) = open(&LabelReport::default()) else { return };
    assert!(browser.text("document.body.innerText").contains("There are no instances."));

    let mut one = sample::label(1, 1);
    one.instances[0].id = "the only one".into();
    one.instances[0].thumbnail = Some(sample::image(200, 30, 30));
    browser.open(&one.html().unwrap());
    let [left, top, width, height] = browser.frame(MAP);
    browser.move_to((left + width / 2.0, top + height / 2.0));
    assert_eq!(browser.content("#tip strong"), "the only one");
    assert!(browser.is("document.querySelector('#tip img').naturalWidth === 1"), "the image");
    browser.screenshot("page-1", false);

    let mut bare = sample::label(40, 3);
    (bare.path, bare.rounds, bare.facts, bare.notes) = (None, vec![], vec![], vec![]);
    for instance in &mut bare.instances {
        instance.position = [f32::NAN; 2];
        (instance.probability, instance.credibility) = (f64::NAN, f64::NAN);
        instance.neighbours.clear();
    }
    browser.open(&bare.html().unwrap());
    assert!(browser.is("document.getElementById('plots').hidden"));
    assert_eq!(column(&mut browser, "probability")[0], "–");
    browser.expect_no_errors();
}

#[test]
fn answers_are_given_by_keys_and_downloaded() {
    let mut report = sample::label(80, 5);
    report.instances[3].id = "=evil,\"quoted\"".into();
    report.instances[30].text = Some("a text <b>with markup</b>".into());
    let Some(mut browser) = open(&report) else { return };
    let panel = |browser: &mut Browser| browser.content("#panel h2");
    browser.click("document.querySelector('tbody .link')");
    browser.until(PANEL_OPEN);
    let ids: Vec<String> = report.instances.iter().map(|i| i.id.clone()).collect();
    // Arrow keys go on and back in the order of the table.
    for (key, at) in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)] {
        browser.key(key);
        assert_eq!(panel(&mut browser), ids[at]);
    }
    // A digit, the prediction, the competitor, none of these, a new class; each goes on to the next.
    for (at, key) in [(1, "4"), (2, "Enter"), (3, "0"), (4, "n")] {
        assert_eq!(panel(&mut browser), ids[at]);
        browser.key(key);
    }
    browser.key("+");
    browser.until("document.activeElement.classList.contains('class-name')");
    browser.type_text("new class");
    browser.key("Enter");
    assert_eq!(panel(&mut browser), ids[6]);
    browser.key("1");
    browser.key("z");
    assert_eq!(panel(&mut browser), ids[6], "undo goes back");
    browser.key("s");
    assert!(browser.content("#answered").starts_with("5 answers."));
    browser.screenshot("page-answers", false);
    let file = browser.text(SAVED);
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines[0], "id,label,answer");
    let class = |at: usize| report.instances[at].label;
    assert_eq!(lines[1], format!("{},class 0,given", ids[0]));
    assert_eq!(lines[2], format!("{},class 3,checked", ids[1]));
    assert_eq!(lines[3], format!("{},class {},checked", ids[2], class(2)));
    let rival = report.instances[3].rival.unwrap();
    assert_eq!(lines[4], format!("\"'=evil,\"\"quoted\"\"\",class {rival},checked"));
    assert_eq!(lines[5], format!("{},,none of these", ids[4]));
    assert_eq!(lines[6], format!("{},new class,checked", ids[5]));
    assert_eq!(lines.len(), 16, "the other given labels, and nothing that was only predicted");
    assert!(browser.content("#answered").contains("downloaded"));

    // Texts are shown as texts.
    browser.key("Escape");
    assert_eq!(column(&mut browser, "words")[30], "a text <b>with markup</b>");
    browser.expect_no_errors();
}

#[test]
fn an_audit_is_corrected_by_keys() {
    let report = sample::audit(120, 4);
    let Some(mut browser) = open(&report) else { return };
    // The table of suspects comes before the map.
    assert!(browser.is("document.getElementById('rows').compareDocumentPosition(document.getElementById('plots')) === Node.DOCUMENT_POSITION_FOLLOWING"));
    browser.click("document.querySelector('tbody .link')");
    browser.until(PANEL_OPEN);
    let (first, at) =
        (browser.content("#panel h2"), |id: &str| report.instances.iter().position(|i| i.id == id).unwrap());
    browser.key("0");
    let second = browser.content("#panel h2");
    browser.key("Enter");
    let file = browser.text(SAVED);
    let suggested = report.instances[at(&first)].label;
    assert!(file.contains(&format!("{first},class {suggested},checked\n")), "{file}");
    let kept = report.instances[at(&second)].given.unwrap();
    assert!(file.contains(&format!("{second},class {kept},checked\n")), "{file}");
    assert_eq!(file.lines().count(), 121);
    browser.expect_no_errors();
}

#[test]
fn competing_classes_are_a_table_of_buttons_and_none_of_these_have_no_label() {
    let report = sample::label(600, 24);
    let Some(mut browser) = open(&report) else { return };
    let cell = "document.querySelector('.matrix td button')";
    let words = browser.text(&format!("{cell}.ariaLabel"));
    let count: usize = words.split(' ').next().unwrap().parse().unwrap();
    browser.click(cell);
    assert_eq!(column(&mut browser, "id").len(), count);
    let label = words.split(" of ").nth(1).unwrap().split(" against ").next().unwrap().to_owned();
    assert!(column(&mut browser, "label").iter().all(|cell| cell.ends_with(&label)), "{label}");
    browser.screenshot("page-confusion", true);
    // More classes than colours are numbered.
    assert_eq!(browser.text("document.querySelectorAll('#legend .number-of')[11].dataset.n"), "12");
    choose(&mut browser, "select[aria-label=Class]", "All classes");
    choose(&mut browser, "select[aria-label=Verdict]", "none of these");
    let none = column(&mut browser, "label");
    assert!(!none.is_empty() && none.iter().all(|cell| cell == "–"), "{none:?}");
    browser.expect_no_errors();
}
