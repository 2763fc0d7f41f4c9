//! The page in a real browser, used by its keys.
//!
//! Without Chromium these tests print that they are skipped; with `TRUSTPATH_REQUIRE_BROWSER=1` they fail instead.
//! Screenshots of every view are saved in the `tmp` folder of the build.

use std::time::Instant;

use tempfile::TempDir;
use trustpath_browser::Browser;
use trustpath_table::{AnswerKind, read_answers};

use crate::pool::{CLASSES, PATIENCE, Running, Wish};

fn images(rows: usize) -> Wish {
    Wish { rows, images: true, ..Wish::default() }
}

/// A page of a session, whose labels file has these labels if there are any.
fn start(wish: &Wish, labels: Option<&str>) -> Option<(TempDir, Browser, Running)> {
    let mut browser = Browser::start(env!("CARGO_TARGET_TMPDIR"))?;
    let folder = tempfile::tempdir().unwrap();
    labels.into_iter().for_each(|labels| std::fs::write(folder.path().join("labels.csv"), labels).unwrap());
    let session = Running::start(folder.path(), wish);
    browser.visit(&session.address);
    browser.until("document.querySelector('#view-label .question, #view-label .card') !== null");
    Some((folder, browser, session))
}

/// Waits until the model knows all answers and the page shows it: what is redrawn under the pointer misses its click.
fn in_step(browser: &mut Browser, session: &Running) {
    session.updated();
    let state = session.until(|state| state["stage"].is_null());
    browser.until(&format!("document.body.dataset.version === '{}'", state["version"]));
    browser.settle();
}

/// A session with 60 images, of which the first 12 have labels, and a page that shows predictions.
fn with_model() -> Option<(TempDir, Browser, Running)> {
    let (folder, mut browser, session) = start(&images(60), None)?;
    session.label_truly(0..12);
    in_step(&mut browser, &session);
    browser.until(PREDICTED);
    Some((folder, browser, session))
}

const PREDICTED: &str =
    "document.querySelector('.predicted .pill') !== null && document.querySelectorAll('.answer').length === 3";

const ROW: &str = "Number(document.querySelector('#view-label .shown img').src.split('/').at(-1))";

/// The number of answers that the server has.
fn answers(session: &Running) -> u64 {
    let counts = &session.get("state")["counts"];
    ["checked", "none", "skipped"].iter().map(|name| counts[name].as_u64().unwrap()).sum()
}

/// The row that is shown after this one.
fn next_row(browser: &mut Browser, row: usize) -> usize {
    browser.until(&format!("{ROW} !== {row}"));
    browser.settle();
    browser.number(ROW) as usize
}

fn wait_for(session: &Running, count: u64) {
    session.until(|_| answers(session) == count);
}

/// Presses the digit of the true class of the image that is shown, and returns its row.
fn press_true_class(browser: &mut Browser) -> usize {
    let row = browser.number(ROW) as usize;
    browser.key(&(row % 3 + 1).to_string());
    row
}

#[test]
fn fifty_images_are_labelled_by_keys_and_survive_a_kill() {
    let (folder, wish) = (tempfile::tempdir().unwrap(), images(120));
    let Some(mut browser) = Browser::start(env!("CARGO_TARGET_TMPDIR")) else { return };
    let session = Running::doomed(folder.path(), &wish);
    browser.visit(&session.address);
    browser.until("document.querySelector('#view-label .shown img') !== null");
    // There are no classes yet: the first three are named on the spot.
    let mut rows = Vec::new();
    let mut named = std::collections::BTreeSet::new();
    while named.len() < 3 {
        let row = browser.number(ROW) as usize;
        let class = CLASSES[row % 3];
        if !named.insert(class) {
            browser.key("s");
        } else {
            browser.key("+");
            browser.until("document.activeElement.classList.contains('class-name')");
            browser.type_text(class);
            browser.key("Enter");
            rows.push(row);
        }
        browser.until(&format!("{ROW} !== {row}"));
    }
    browser.until("document.querySelectorAll('.answer').length === 3");
    // Digits by class; the page does not wait for the server.
    let started = std::time::Instant::now();
    let names = session.until(|state| state["classes"].as_array().unwrap().len() == 3);
    let digit = |row: usize| {
        let place = names["classes"].as_array().unwrap().iter().position(|n| n == CLASSES[row % 3]);
        (place.unwrap() + 1).to_string()
    };
    while rows.len() < 50 {
        let row = browser.number(ROW) as usize;
        assert!(!rows.contains(&row), "{row} is asked for twice");
        browser.key(&digit(row));
        browser.until(&format!("{ROW} !== {row}"));
        rows.push(row);
    }
    println!("47 answers took {:?}", started.elapsed());
    session.until(|state| state["counts"]["checked"] == 50);
    // Undo shows the last one again, and a letter gives it another label.
    browser.key("z");
    let last = rows[49];
    browser.until(&format!("{ROW} === {last}"));
    session.until(|state| state["counts"]["checked"] == 49);
    browser.key(&digit(last));
    session.until(|state| state["counts"]["checked"] == 50);
    browser.expect_no_errors();
    session.end();

    let session = Running::start(folder.path(), &wish);
    let state = session.get("state");
    assert_eq!(state["counts"]["checked"], 50, "nothing is lost");
    session.end();
    let kinds = read_answers(&folder.path().join("labels.csv")).unwrap();
    assert_eq!(kinds.iter().filter(|(_, kind)| *kind == AnswerKind::Checked).count(), 50);
    let text = std::fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    for row in rows {
        let line = format!("shot {row:03}.jpg,{},checked", CLASSES[row % 3]);
        assert!(text.contains(&line), "{line}");
    }
}

#[test]
fn every_key_does_what_it_says() {
    let Some((_folder, mut browser, session)) = with_model() else { return };
    browser.screenshot("serve-label-light", false);

    let answer = |session: &Running, row: usize| session.get(&format!("items?rows={row}"))["items"][0].clone();
    // Enter accepts the prediction.
    let row = browser.number(ROW) as usize;
    let predicted = answer(&session, row)["prediction"]["label"].clone();
    browser.key("Enter");
    wait_for(&session, 13);
    assert_eq!(answer(&session, row)["class"], predicted);
    // A letter of the name, which is shown on the button.
    let row = next_row(&mut browser, row);
    assert!(browser.content(".answer:nth-child(2) .caps").ends_with('G'));
    browser.key("g");
    wait_for(&session, 14);
    assert_eq!(answer(&session, row)["class"], 1);
    // 0 is the competitor, N none of these, S skips.
    let row = next_row(&mut browser, row);
    let rival = answer(&session, row)["prediction"]["rival"].clone();
    browser.key("0");
    wait_for(&session, 15);
    assert_eq!(answer(&session, row)["class"], rival);
    let mut row = row;
    for (key, expected) in [("n", "none"), ("s", "skipped")] {
        row = next_row(&mut browser, row);
        let before = answers(&session);
        browser.key(key);
        wait_for(&session, before + 1);
        assert_eq!(answer(&session, row)["answer"], expected);
    }
    // Three times back.
    for left in [16, 15, 14] {
        browser.key("z");
        wait_for(&session, left);
    }
    // A class that exists can be typed too; a name that means no label is refused with a sentence.
    browser.key("+");
    browser.until("document.activeElement.classList.contains('class-name')");
    browser.type_text("unknown");
    browser.key("Enter");
    browser.until("document.getElementById('trouble').textContent.includes('choose another name')");
    assert_eq!(answers(&session), 14);
    browser.forget_errors();
    // The space bar zooms, and zooms back.
    let zoomed = "document.querySelector('.shown').classList.contains('zoomed')";
    for expected in ["true", "false"] {
        browser.key(" ");
        browser.until(&format!("{zoomed} === {expected}"));
    }
    // Typing in the field answers nothing.
    browser.key("+");
    browser.until("document.activeElement.classList.contains('class-name')");
    browser.key("g");
    browser.key("Escape");
    browser.until("document.querySelector('.naming') === null");
    assert_eq!(answers(&session), 14);

    // Two tabs: an answer elsewhere arrives here.
    session.label(&[40], "auk");
    browser.until("document.getElementById('totals').textContent.includes('15 answered')");
    browser.expect_no_errors();
}

#[test]
fn rows_of_features_are_shown_as_values() {
    let Some((_folder, mut browser, session)) = start(&Wish::default(), None) else { return };
    let values = "document.querySelectorAll('#view-label .fields dt').length > 1";
    let readable = "!/undefined|\\[object/.test(document.body.innerText)";
    browser.until(&format!("{values} && {readable}"));
    session.label_truly(0..12);
    in_step(&mut browser, &session);
    browser.until(&format!("{PREDICTED} && {values} && {readable}"));
    browser.key("g");
    browser.until(&format!("document.querySelector('#view-label .card, #view-label .pick') !== null && {readable}"));
    browser.expect_no_errors();
}

#[test]
fn a_grid_is_answered_by_keys_and_at_once() {
    let Some((_folder, mut browser, session)) = with_model() else { return };
    browser.click("document.querySelector('.modes button:nth-child(2)')");
    browser.until("document.querySelectorAll('.grid .pick').length === 12");
    browser.key("ArrowRight");
    browser.until("document.querySelectorAll('.grid .pick')[1].getAttribute('aria-current') === 'true'");
    browser.key("2");
    browser.key("n");
    wait_for(&session, 14);
    browser.screenshot("serve-grid", false);
    let open = browser.text("document.querySelector('#view-label p > .act').textContent");
    assert_eq!(open, "Accept all 10 predicted labels");
    browser.click("document.querySelector('#view-label p > .act')");
    wait_for(&session, 24);
    browser.until("[...document.querySelectorAll('.grid .pick')].every((p) => !p.classList.contains('done'))");
    browser.expect_no_errors();
}

#[test]
fn many_are_answered_together() {
    let Some((_folder, mut browser, session)) = with_model() else { return };
    browser.click("document.getElementById('tab-bulk')");
    browser.eval("(() => { const s = document.querySelector('input[type=range]'); s.value = 0.3; s.dispatchEvent(new Event('input')); s.dispatchEvent(new Event('change')); })()");
    browser.until("document.querySelectorAll('#view-bulk .pick').length >= 10");
    let shown = browser.number("document.querySelectorAll('#view-bulk .pick').length") as u64;
    browser.click("document.querySelector('#view-bulk .pick')");
    assert!(browser.is("document.querySelector('#view-bulk .pick').ariaPressed === 'false'"));
    browser.screenshot("serve-bulk", false);
    let button = browser.text("document.querySelector('#view-bulk .act.main').textContent");
    assert_eq!(button, format!("Label {} as auk", shown - 1));
    browser.click("document.querySelector('#view-bulk .act.main')");
    wait_for(&session, 12 + shown - 1);
    // One action, so that one key takes it back.
    browser.key("z");
    wait_for(&session, 12);
    browser.until(&format!("document.querySelectorAll('#view-bulk .pick').length === {shown}"));
    in_step(&mut browser, &session);

    // A line around everything on the map selects all that is open.
    browser.click("document.querySelector('#view-bulk .modes button:nth-child(3)')");
    browser.until("document.querySelector('.lasso') !== null");
    browser.settle();
    let [left, top, width, height] = browser.frame("document.querySelector('.lasso')");
    browser.until("fetch('map').then((r) => r.ok)");
    browser.settle();
    // It begins inside, since the corners are round, and may leave the map.
    let (far, low) = (width + 9.0, height + 9.0);
    let corners = [(60.0, 2.0), (far, -9.0), (far, low), (-9.0, low), (-9.0, -9.0)];
    let trail: Vec<(f64, f64)> = corners.iter().map(|(x, y)| (left + x, top + y)).collect();
    browser.drag(&trail);
    browser.until("document.querySelectorAll('#view-bulk .pick').length === 48");
    browser.screenshot("serve-map", true);

    // Instances like one of them.
    browser.click("document.getElementById('tab-label')");
    browser.click("document.querySelector('#view-label .side > .more')");
    browser.until("document.querySelectorAll('#view-bulk .grid .pick').length === 47");
    browser.expect_no_errors();
}

#[test]
fn suspects_are_kept_changed_and_removed() {
    let mut labels = "id,label\n".to_owned();
    for row in 0..24 {
        // Three wrong labels.
        let class = if row % 8 == 5 { row + 1 } else { row };
        labels += &format!("shot {row:03}.jpg,{}\n", CLASSES[class % 3]);
    }
    let Some((_folder, mut browser, session)) = start(&images(60), Some(&labels)) else { return };
    in_step(&mut browser, &session);
    browser.click("document.getElementById('tab-audit')");
    browser.click("document.querySelector('#view-audit .act.main')");
    browser.until("document.querySelectorAll('#view-audit .half').length === 2");
    browser.screenshot("serve-audit", true);
    let shown = "Number(document.querySelector('#view-audit .shown img').src.split('/').at(-1))";
    let mut wrong = Vec::new();
    for key in ["0", "0", "Delete", "Enter"] {
        let row = browser.number(shown) as usize;
        wrong.push(row);
        browser.key(key);
        browser.until(&format!("{shown} !== {row}"));
    }
    wrong[..3].sort_unstable();
    assert_eq!(wrong[..3], [5, 13, 21], "the wrong ones come first");
    session.until(|state| state["counts"]["checked"] == 3 && state["counts"]["given"] == 20);
    browser.key("z");
    session.until(|state| state["counts"]["checked"] == 2);
    browser.expect_no_errors();
}

#[test]
fn progress_is_drawn_and_the_session_ends_from_the_page() {
    let Some((_folder, mut browser, session)) = start(&images(90), None) else { return };
    for end in [12, 24, 36, 48] {
        session.label_truly(end - 12..end);
        in_step(&mut browser, &session);
    }
    browser.click("document.getElementById('tab-progress')");
    browser.until("document.querySelectorAll('.dot.coverage').length >= 4");
    let advice = browser.content("#view-progress .note");
    assert!(advice.contains("of the pool"), "{advice}");
    browser.screenshot("serve-progress", true);
    // A check hides the prediction on the page too.
    browser.click("document.querySelector('#view-progress .card .act')");
    browser.until("document.querySelector('#view-label .side')?.textContent.includes('part of a check')");
    assert!(browser.is("document.querySelector('.answer.chosen') === null"));
    browser.key("Enter");
    browser.settle();
    assert_eq!(session.get("state")["check"]["answered"], 0, "Enter accepts nothing that is hidden");
    press_true_class(&mut browser);
    session.until(|state| state["check"]["answered"] == 1);

    browser.click("document.getElementById('tab-export')");
    browser.until("document.querySelectorAll('.exports li').length === 12");
    browser.screenshot("serve-export", true);
    browser.click("[...document.querySelectorAll('#view-export .act')].at(-1)");
    browser.until("document.body.textContent.includes('The session has ended')");
    browser.expect_no_errors();
    assert_eq!(session.wait().unwrap().labelled, 49);
}

#[test]
fn hostile_names_are_text_and_a_phone_never_scrolls_sideways() {
    let id = |i: usize| match i % 4 {
        0 => format!("<script>window.hacked = {i}</script>"),
        1 => format!("\"><img src=x onerror=window.hacked={i}>"),
        2 => format!("{i}{}", "averylongnamewithoutanyspace".repeat(5)),
        _ => format!("{i} a\u{2028}b'c\"d\\e&amp;"),
    };
    let wish = Wish { texts: true, id, ..Wish::default() };
    let Some((_folder, mut browser, session)) = start(&wish, None) else { return };
    let classes = ["<img src=x onerror=window.hacked=1>", "</script><b>", &"Pneumonoultramicroscopic".repeat(4)];
    for row in 0..12 {
        session.label(&[row], classes[row % 3]);
    }
    in_step(&mut browser, &session);
    browser.until(PREDICTED);
    assert_eq!(browser.content(".answer .name"), classes[0]);
    assert!(browser.content(".shown .text").contains("<b>"), "markup in a text is shown as text");
    let width = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)";
    browser.size(360, 740);
    for tab in ["label", "bulk", "audit", "progress", "export"] {
        browser.click(&format!("document.getElementById('tab-{tab}')"));
        browser.settle();
        let pixels = browser.number(width);
        assert!(pixels <= 360.0, "{tab}: {pixels}");
        browser.screenshot(&format!("serve-phone-{tab}"), true);
    }
    browser.size(1280, 900);
    browser.prefer("prefers-color-scheme", "dark");
    browser.click("document.getElementById('tab-label')");
    browser.screenshot("serve-texts-dark", false);
    assert!(browser.is("document.scripts.length === 1"));
    browser.expect_no_errors();
    browser.expect_no_other_scripts();
}

/// Every view: its tab, and what the browser hands to a screen reader, in this order.
const VIEWS: [(&str, &[&str]); 5] = [
    (
        "label",
        &["tab:Label next", "tabpanel:Label next", "image:Image of ", "button:auk", "button:Accept", "button:Undo"],
    ),
    ("bulk", &["tabpanel:Bulk", "combobox:Predicted class", "slider:Least probability", "status:", "button:Select"]),
    ("audit", &["tabpanel:Audit", "heading:Given", "button:Keep", "heading:Suggested", "button:Change to this"]),
    ("progress", &["tabpanel:Progress", "image:9 labels: coverage ", "heading:When to stop", "button:Check 50"]),
    ("export", &["tabpanel:Export", "button:labels.csv", "heading:End the session", "button:Write the labels"]),
];

#[test]
fn screen_readers_get_names_and_the_focus_moves_in_order() {
    // Labels that were there before, so that the audit has something to ask.
    let given = |row: usize| format!("shot {row:03}.jpg,{}\n", CLASSES[row % 3]);
    let labels: String = std::iter::once("id,label\n".to_owned()).chain((0..9).map(given)).collect();
    let Some((_folder, mut browser, session)) = start(&images(60), Some(&labels)) else { return };
    in_step(&mut browser, &session);
    browser.until("document.querySelectorAll('.answer').length === 3");
    check_that_the_focus_is_seen(&mut browser);
    // What was answered is said.
    browser.eval("document.activeElement.blur()");
    browser.key("1");
    browser.until("document.getElementById('live').textContent.endsWith(': auk')");
    wait_for(&session, 1);
    browser.key("z");
    wait_for(&session, 0);
    in_step(&mut browser, &session);
    browser.click("document.getElementById('tab-audit')");
    browser.click("document.querySelector('#view-audit .act.main')");
    browser.until("document.querySelectorAll('#view-audit .half').length === 2");
    for (tab, expected) in VIEWS {
        check_what_is_read(&mut browser, tab, expected);
    }
    check_that_the_focus_moves_as_the_page_is_read(&mut browser);
    browser.expect_no_errors();
}

/// What gets the focus by the key Tab has a name and a ring, and comes in the order of the page.
fn check_that_the_focus_is_seen(browser: &mut Browser) {
    let mut visited: Vec<String> = Vec::new();
    browser.eval("document.getElementById('tab-label').focus()");
    for _ in 0..40 {
        browser.key("Tab");
        let focused = browser.eval(
            "(() => { const e = document.activeElement; if (e === document.body) return null; \
             return [e.closest('.top, .modes, .answers, .acts, .side, section')?.className ?? '', e.textContent || e.ariaLabel || '', getComputedStyle(e).outlineStyle]; })()",
        );
        let Some(place) = focused[0].as_str() else { break };
        assert!(!focused[1].as_str().unwrap().is_empty(), "a name: {focused}");
        assert_ne!(focused[2], "none", "a ring: {focused}");
        if visited.last().is_none_or(|last| last != place) {
            visited.push(place.to_owned());
        }
    }
    assert_eq!(visited[..3], ["modes", "answers", "acts"].map(String::from), "{visited:?}");
}

/// A view as the browser hands it to a screen reader, once it has fetched what it shows.
fn check_what_is_read(browser: &mut Browser, tab: &str, expected: &[&str]) {
    browser.click(&format!("document.getElementById('tab-{tab}')"));
    // In this order, and each key of a button is not a part of its name.
    let is_read = |tree: &[(String, String)]| {
        let mut rest = tree.iter();
        let mut wanted = expected.iter().map(|wanted| wanted.split_once(':').unwrap());
        wanted.all(|(role, name)| rest.any(|(r, n)| r == role && n.starts_with(name)))
    };
    let start = Instant::now();
    let mut tree = browser.accessible();
    while !is_read(&tree) {
        assert!(start.elapsed() < PATIENCE, "{tab}: {expected:?} in {tree:?}");
        browser.settle();
        tree = browser.accessible();
    }
    let views = tree.iter().filter(|(role, _)| role == "tabpanel").count();
    assert_eq!(views, 1, "{tab}: what is hidden is not read");
}

fn check_that_the_focus_moves_as_the_page_is_read(browser: &mut Browser) {
    browser.click("document.getElementById('tab-label')");
    let order: Vec<(String, String)> = browser.accessible();
    browser.eval("document.getElementById('tab-label').focus()");
    let (mut at, mut reached) = (0, 0);
    for _ in 0..40 {
        browser.key("Tab");
        if browser.is("document.activeElement === document.body") {
            break;
        }
        reached += 1;
        let (role, name) = browser.focused();
        let place = order[at..].iter().position(|(r, n)| (r, n) == (&role, &name));
        at += place.unwrap_or_else(|| panic!("{role} {name:?} comes before {:?}", &order[at..])) + 1;
    }
    assert!(reached >= 10, "modes, classes, commands and more: {reached}");
}
