//! The page in a real browser: what a reader sees, points at, presses and types.
//!
//! Skipped, with a line that says so, where there is no Chromium; with `TRUSTPATH_REQUIRE_BROWSER=1` that is a failure.
//! Pictures of every view are left in the `tmp` folder of the build.

mod chromium;
mod sample;
mod websocket;

use chromium::Browser;
use trustpath_report::labelling::{LabelReport, Verdict};

const MAP: &str = "document.querySelector('#map canvas[tabindex]')";
const PATH: &str = "document.querySelector('#path canvas[tabindex]')";
const PANEL: &str = "document.getElementById('panel')";

fn open(report: &LabelReport) -> Option<Browser> {
    let mut browser = Browser::start()?;
    browser.open(&report.html().unwrap());
    Some(browser)
}

/// Moves the pointer over a plot until something is pointed at; its place and id.
fn sweep(browser: &mut Browser, plot: &str) -> ((f64, f64), String) {
    let [left, top, width, height] = browser.frame(plot);
    for row in 2..30 {
        for column in 2..30 {
            let at =
                (left + width * f64::from(column) / 31.0, top + height * f64::from(row) / 31.0);
            browser.move_to(at);
            if browser.is("!document.getElementById('tip').hidden") {
                return (at, browser.text("document.querySelector('#tip strong').textContent"));
            }
        }
    }
    panic!("nothing in {plot} can be pointed at");
}

fn column(browser: &mut Browser, class: &str) -> Vec<String> {
    let cells = browser.eval(&format!(
        "[...document.querySelectorAll('tbody td.{class}')].map((cell) => cell.textContent)"
    ));
    let cells = cells.as_array().unwrap().iter();
    cells.map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

#[test]
fn points_and_lines_show_and_open_their_instance() {
    let Some(mut browser) = open(&sample::label(80, 5)) else { return };
    browser.picture("page-80-light", true);
    for plot in [MAP, PATH] {
        let (at, id) = sweep(&mut browser, plot);
        assert!(id.starts_with("shots/2024/"), "{id}");
        browser.picture(if plot == MAP { "hover-map" } else { "hover-path" }, false);
        browser.click_at(at);
        browser.until(&format!("!{PANEL}.hidden"));
        assert_eq!(browser.text(&format!("{PANEL}.querySelector('h2').textContent")), id);
        assert!(
            browser
                .text(&format!("{PANEL}.querySelector('.reason').textContent"))
                .contains("nearest")
        );
        browser.picture(if plot == MAP { "panel-map" } else { "panel-path" }, false);
        browser.key("Escape");
        browser.until(&format!("{PANEL}.hidden"));
        assert!(browser.is(&format!("document.activeElement === {plot}")), "focus goes back");
    }
    // A neighbour in the panel leads on to that instance.
    let (at, _) = sweep(&mut browser, MAP);
    browser.click_at(at);
    let other =
        browser.text(&format!("{PANEL}.querySelector('.near > span').firstChild.textContent"));
    browser.click(&format!("{PANEL}.querySelector('.near')"));
    assert_eq!(browser.text(&format!("{PANEL}.querySelector('h2').textContent")), other);
    browser.expect_no_errors();
}

#[test]
fn the_keyboard_reaches_everything() {
    let Some(mut browser) = open(&sample::label(80, 5)) else { return };
    // Tab visits summary, legend, plots, galleries and table in this order, each with a visible ring.
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
    assert_eq!(visited, ["skip", "summary", "plots", "next", "classes", "rows"]);
    for plot in [MAP, PATH] {
        browser.eval(&format!("{plot}.focus()"));
        let mut seen = std::collections::BTreeSet::new();
        for key in ["Home", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End", "ArrowLeft"] {
            browser.key(key);
            seen.insert(browser.text("document.getElementById('live').textContent"));
        }
        assert!(seen.len() >= 3, "arrow keys move: {seen:?}");
        assert!(seen.iter().all(|s| s.contains("credibility")), "{seen:?}");
        let said = browser.text("document.getElementById('live').textContent");
        browser.key("Enter");
        browser.until(&format!("!{PANEL}.hidden"));
        assert!(
            said.starts_with(&browser.text(&format!("{PANEL}.querySelector('h2').textContent")))
        );
        assert!(
            browser.is(&format!("{PANEL}.contains(document.activeElement)")),
            "focus is in the panel"
        );
        browser.key("Escape");
        browser.until(&format!("{PANEL}.hidden && document.activeElement === {plot}"));
    }
    browser.expect_no_errors();
}

#[test]
fn twelve_thousand_rows_are_sorted_filtered_and_turned() {
    let Some(mut browser) = open(&sample::label(12_000, 20)) else { return };
    browser.picture("page-12000-light", true);
    assert_eq!(column(&mut browser, "id").len(), 50);

    let head = "document.querySelector('th.credibility button')";
    for (order, sign) in [("descending", -1.0), ("ascending", 1.0)] {
        browser.click(head);
        assert_eq!(browser.text(&format!("{head}.parentElement.ariaSort")), order);
        let values: Vec<f64> =
            column(&mut browser, "credibility").iter().map(|v| v.parse().unwrap()).collect();
        assert!(values.is_sorted_by(|a, b| sign * a <= sign * b), "{order}: {values:?}");
    }
    browser.click("document.querySelector('.pages button:last-child')");
    assert!(
        browser
            .text("document.querySelector('.status').textContent")
            .starts_with("51–100 of 12,000")
    );

    browser.click("document.querySelector('input[type=search]')");
    browser.type_text("00077.png");
    browser.until("document.querySelector('.status').textContent.startsWith('1–1 of 1 ')");
    assert_eq!(column(&mut browser, "id"), ["shots/2024/00077.png"]);
    browser.click(
        "[...document.querySelectorAll('.tools button')].find((b) => b.textContent === 'Clear')",
    );
    assert!(
        browser.text("document.querySelector('.status').textContent").starts_with("1–50 of 12,000")
    );

    // A tile of the summary filters by its verdict; the class narrows it further.
    browser.click("document.querySelector('.tile.bad')");
    assert!(column(&mut browser, "verdict").iter().all(|v| v.starts_with("doubtful")));
    browser.eval(
        "(() => { const s = document.querySelector('select[aria-label=Class]'); s.value = '3'; \
         s.dispatchEvent(new Event('change')); })()",
    );
    assert!(column(&mut browser, "label").iter().all(|v| v == "class 3"));
    let row = "document.querySelector('tbody tr td.reason')";
    browser.click(row);
    browser.until(&format!("!{PANEL}.hidden"));

    // A class of the legend stays lit once pressed.
    browser.key("Escape");
    let chip = "document.querySelector('#legend .chip:nth-child(4)')";
    browser.click(chip);
    assert!(browser.is(&format!("{chip}.ariaPressed === 'true'")));
    browser.settle();
    browser.picture("page-12000-class", false);
    let (_, id) = sweep(&mut browser, MAP);
    let number: usize = id["shots/2024/".len()..][..5].parse().unwrap();
    assert_eq!(number % 20, 3, "only the pressed class can be pointed at");
    browser.expect_no_errors();
}

#[test]
fn names_are_text_whatever_they_say() {
    let mut report = sample::label(60, 4);
    let hostile = [
        "<script>window.hacked = 1</script>",
        "</script><script>window.hacked = 2</script>",
        "\"><img src=x onerror=window.hacked=3>",
        "a\u{2028}b'c\"d\\e&amp;",
    ];
    for (class, text) in report.classes.iter_mut().zip(hostile) {
        *class = text.into();
    }
    for (i, instance) in report.instances.iter_mut().enumerate() {
        instance.id = format!("{i} {}", hostile[i % 4]);
        instance.reason = hostile[(i + 1) % 4].into();
    }
    report.title = hostile[0].into();
    report.subtitle = hostile[1].into();
    report.facts = vec![(hostile[2].into(), hostile[0].into())];
    report.notes = vec![hostile[1].into()];
    let Some(mut browser) = open(&report) else { return };

    assert!(browser.is("window.hacked === undefined"));
    assert_eq!(browser.text("document.querySelector('h1').textContent"), hostile[0]);
    assert_eq!(browser.text("document.title"), hostile[0]);
    assert_eq!(browser.text("document.querySelector('.note').textContent"), hostile[1]);
    assert_eq!(browser.text("document.querySelector('.facts dt').textContent"), hostile[2]);
    for (i, text) in hostile.iter().enumerate() {
        let name = format!("document.querySelectorAll('#legend .chip span')[{i}].textContent");
        assert_eq!(browser.text(&name), *text);
    }
    assert_eq!(column(&mut browser, "label")[..4], hostile);
    assert_eq!(column(&mut browser, "reason")[3], hostile[0]);
    let (at, id) = sweep(&mut browser, MAP);
    browser.click_at(at);
    assert_eq!(browser.text(&format!("{PANEL}.querySelector('h2').textContent")), id);
    assert!(browser.is("document.scripts.length === 2 && window.hacked === undefined"));

    browser.expect_no_errors();

    // Even what the page's own code might let through, the policy would not run.
    browser.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked = 4'; document.body.append(s); })()");
    assert!(browser.is("window.hacked === undefined"));
}

#[test]
fn a_phone_never_scrolls_sideways() {
    let mut long = sample::label(300, 50);
    long.classes[0] = "Pneumonoultramicroscopicsilicovolcanoconiosis".repeat(3);
    long.instances[1].id = "0123456789".repeat(19);
    long.title = "averylongnamewithoutanyspace".repeat(4);
    for (i, instance) in long.instances.iter_mut().enumerate().take(150) {
        instance.thumbnail = Some(sample::picture(i as u8, 90, 160));
    }
    let Some(mut browser) = Browser::start() else { return };
    browser.size(360, 740);
    for (name, report) in [
        ("phone-long", long),
        ("phone-80", sample::label(80, 5)),
        ("phone-audit", sample::audit(80, 5)),
    ] {
        browser.open(&report.html().unwrap());
        browser.eval("document.querySelectorAll('details').forEach((d) => (d.open = true))");
        browser.settle();
        let fits =
            "document.documentElement.scrollWidth <= 360 && document.body.scrollWidth <= 360";
        assert!(
            browser.is(fits),
            "{name}: {}",
            browser.number("document.documentElement.scrollWidth")
        );
        browser.eval("document.querySelectorAll('details').forEach((d, k) => (d.open = k < 1))");
        browser.settle();
        browser.picture(name, true);
        // The heads of the table give way to a list to sort by.
        assert!(browser.is("document.querySelector('thead').offsetHeight === 0"));
        browser.eval(
            "(() => { const s = document.querySelector('select.narrow'); \
             s.selectedIndex = [...s.options].findIndex((o) => o.text === 'By credibility'); \
             s.dispatchEvent(new Event('change')); })()",
        );
        let values: Vec<f64> =
            column(&mut browser, "credibility").iter().map(|v| v.parse().unwrap()).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{name}: {values:?}");
        browser.click("document.querySelectorAll('tbody .link')[1]");
        browser.until(&format!("!{PANEL}.hidden"));
        assert!(
            browser.is(fits) && browser.is(&format!("{PANEL}.scrollWidth <= 360")),
            "{name}, panel"
        );
        browser.picture(&format!("{name}-panel"), false);
    }
    browser.expect_no_errors();
}

#[test]
fn dark_and_light_can_both_be_read() {
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
        for text in ["--ink", "--muted", "--good", "--bad", "--given", "--accent"] {
            let ratio = browser.number(&format!("({contrast})('{text}', '--card')"));
            assert!(ratio >= 4.5, "{scheme} {text}: {ratio:.2}");
        }
        for mark in ["--none", "--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"] {
            let ratio = browser.number(&format!("({contrast})('{mark}', '--card')"));
            assert!(ratio >= 3.0, "{scheme} {mark}: {ratio:.2}");
        }
        browser.picture(&format!("audit-{scheme}"), true);
    }
    assert_ne!(backs[0], backs[1]);
    browser.prefer("prefers-reduced-motion", "reduce");
    browser.click("document.querySelector('tbody .link')");
    assert_eq!(browser.text(&format!("getComputedStyle({PANEL}).animationName")), "none");
    browser.expect_no_errors();
}

#[test]
fn an_audit_begins_with_its_worst_suspects() {
    let report = sample::audit(400, 12);
    let Some(mut browser) = open(&report) else { return };
    let suspects = report.instances.iter().filter(|i| i.verdict == Verdict::Suspect);
    let worst = suspects.min_by(|a, b| a.credibility.total_cmp(&b.credibility)).unwrap();
    assert_eq!(column(&mut browser, "id")[0], worst.id);
    assert_eq!(column(&mut browser, "given")[0], report.classes[worst.given.unwrap()]);
    assert_eq!(column(&mut browser, "label")[0], report.classes[worst.label]);

    // The map shows given labels: what it finds under a class of the legend was given as that class.
    browser.click("document.querySelector('#legend .chip:nth-child(3)')");
    let (at, id) = sweep(&mut browser, MAP);
    assert_eq!(report.instances.iter().find(|i| i.id == id).unwrap().given, Some(2));
    browser.click_at(at);
    browser.until(&format!("!{PANEL}.hidden"));
    browser.picture("audit-panel", false);
    browser.expect_no_errors();
}

#[test]
fn nothing_and_hardly_anything_can_be_shown() {
    let Some(mut browser) = open(&LabelReport::default()) else { return };
    assert!(browser.text("document.body.innerText").contains("There are no instances."));

    let mut one = sample::label(1, 1);
    one.instances[0].id = "the only one".into();
    one.instances[0].thumbnail = Some(sample::picture(200, 30, 30));
    browser.open(&one.html().unwrap());
    let [left, top, width, height] = browser.frame(MAP);
    browser.move_to((left + width / 2.0, top + height / 2.0));
    assert_eq!(browser.text("document.querySelector('#tip strong').textContent"), "the only one");
    assert!(
        browser.is("document.querySelector('#tip img').naturalWidth === 1"),
        "pictures are shown"
    );
    browser.picture("page-1", false);

    let mut bare = sample::label(40, 3);
    (bare.path, bare.rounds, bare.facts, bare.notes) = (None, vec![], vec![], vec![]);
    for instance in &mut bare.instances {
        (instance.position, instance.probability, instance.credibility) =
            ([f32::NAN; 2], f64::NAN, f64::NAN);
        instance.neighbours.clear();
    }
    browser.open(&bare.html().unwrap());
    assert!(browser.is("document.getElementById('plots').hidden"));
    assert_eq!(column(&mut browser, "probability")[0], "–");
    browser.expect_no_errors();
}
