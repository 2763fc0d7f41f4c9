//! Headless Chromium, controlled through its DevTools protocol.

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// After this time a step is never going to end, even on a machine with much other work.
const PATIENCE: Duration = Duration::from_secs(600);

/// A browser with one page.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    calls: u64,
    errors: Vec<String>,
    folder: tempfile::TempDir,
    /// Where screenshots are saved.
    screenshots: PathBuf,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts a browser that saves screenshots in this folder. Without Chromium it prints so and returns `None`, or panics if
    /// `TRUSTPATH_REQUIRE_BROWSER` is 1.
    pub fn start(screenshots: &str) -> Option<Self> {
        let Some(program) = program() else {
            let required = std::env::var("TRUSTPATH_REQUIRE_BROWSER").is_ok_and(|v| v == "1");
            assert!(!required, "TRUSTPATH_REQUIRE_BROWSER is 1, but Chromium is not installed");
            eprintln!("skipped: no Chromium (install it, or set TRUSTPATH_CHROMIUM to its path)");
            return None;
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let log = folder.path().join("log");
        let mut child = Command::new(&program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--no-default-browser-check", "--disable-extensions"])
            .args(["--disable-background-networking", "--hide-scrollbars"])
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&log).expect("a log file"))
            .spawn()
            .unwrap_or_else(|e| panic!("{} does not start: {e}", program.display()));
        let socket = connect(&mut child, &log);
        let socket = socket.unwrap_or_else(|e| panic!("{}: {e}", program.display()));
        let (session, errors) = (String::new(), Vec::new());
        let screenshots = PathBuf::from(screenshots);
        let mut browser = Self { child, socket, session, calls: 0, errors, folder, screenshots };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page", "Runtime", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.size(1280, 900);
        Some(browser)
    }

    /// Calls a method and waits for its answer; meanwhile it records errors that the page reports.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        let message = Message::text(message.to_string());
        self.socket.send(message).unwrap_or_else(|e| panic!("{method}: {e}"));
        let started = Instant::now();
        loop {
            assert!(started.elapsed() < PATIENCE, "{method} was not answered within {PATIENCE:?}");
            let message = self.socket.read().unwrap_or_else(|e| panic!("{method}: {e}"));
            let Message::Text(text) = message else { continue };
            let answer: Value = serde_json::from_str(&text).expect("JSON from the browser");
            if answer["id"] == json!(self.calls) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let error = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => &params["exceptionDetails"],
            Some("Runtime.consoleAPICalled") if params["type"] == "error" => &params["args"],
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => &params["entry"],
            _ => return,
        };
        self.errors.push(error.to_string());
    }

    /// Opens a page from disk and waits until it is drawn.
    pub fn open(&mut self, html: &str) {
        let file = self.folder.path().join("report.html");
        std::fs::write(&file, html).expect("the page");
        self.visit(&format!("file://{}", file.display()));
    }

    /// Opens an address and waits until it is drawn.
    pub fn visit(&mut self, address: &str) {
        self.call("Page.navigate", json!({"url": address}));
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'");
        self.settle();
    }

    /// Forgets the errors so far, which a test has caused on purpose.
    pub fn forget_errors(&mut self) {
        self.errors.clear();
    }

    /// The value of an expression in the page; panics if it throws.
    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.call("Runtime.evaluate", params);
        let exception = &answer["exceptionDetails"];
        assert!(exception.is_null(), "{expression}: {exception}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is a text.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    /// The text inside the first element that matches a selector.
    pub fn content(&mut self, selector: &str) -> String {
        self.text(&format!("document.querySelector('{selector}').textContent"))
    }

    /// The value of an expression that is a number.
    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.eval(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Whether an expression is true.
    pub fn is(&mut self, expression: &str) -> bool {
        self.eval(expression) == json!(true)
    }

    /// Waits until a condition holds in the page.
    pub fn until(&mut self, condition: &str) {
        let started = Instant::now();
        while !self.is(condition) {
            assert!(started.elapsed() < PATIENCE, "waited {PATIENCE:?} for {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until all animations have ended and two frames are drawn.
    pub fn settle(&mut self) {
        let still = "Promise.all(document.getAnimations().map((a) => a.finished)).then(() => \
             new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))";
        assert!(self.is(still));
    }

    /// Sets the size of the window; a narrow one is a phone.
    pub fn size(&mut self, width: u32, height: u32) {
        let params = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.call("Emulation.setDeviceMetricsOverride", params);
    }

    /// Emulates a media feature, such as `prefers-color-scheme: dark`.
    pub fn prefer(&mut self, name: &str, value: &str) {
        let params = json!({"features": [{"name": name, "value": value}]});
        self.call("Emulation.setEmulatedMedia", params);
        self.settle();
    }

    /// Moves the pointer.
    pub fn move_to(&mut self, (x, y): (f64, f64)) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Clicks at a position.
    pub fn click_at(&mut self, (x, y): (f64, f64)) {
        self.move_to((x, y));
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params);
        }
    }

    /// Scrolls an element into view and returns its left, top, width and height there.
    ///
    /// Waits for two frames after scrolling: until they are drawn, the browser sends clicks to what was there before.
    pub fn frame(&mut self, element: &str) -> [f64; 4] {
        let expression = format!(
            "(async () => {{ const e = {element}; e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); \
             const frame = () => new Promise(requestAnimationFrame); await frame(); await frame(); \
             const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()"
        );
        let value = self.eval(&expression);
        std::array::from_fn(|k| value[k].as_f64().unwrap_or_else(|| panic!("{element}: {value}")))
    }

    /// Clicks the middle of an element.
    pub fn click(&mut self, element: &str) {
        let [left, top, width, height] = self.frame(element);
        self.click_at((left + width / 2.0, top + height / 2.0));
    }

    /// Presses and releases a key: a character, or a key with a name.
    pub fn key(&mut self, key: &str) {
        let named = KEYS.iter().find(|(name, ..)| *name == key);
        let (code, typed) = named.map_or_else(
            || {
                let character = key.parse::<char>().unwrap_or_else(|_| panic!("add the code of {key}"));
                (u32::from(character.to_ascii_uppercase()), key)
            },
            |&(_, code, typed)| (code, typed),
        );
        for (kind, text) in [("keyDown", typed), ("keyUp", "")] {
            let params = json!({"type": kind, "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Moves the pointer through these places with its button held.
    pub fn drag(&mut self, places: &[(f64, f64)]) {
        let mut event = |kind: &str, (x, y): (f64, f64), buttons: u32| {
            let params = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", params);
        };
        let (first, last) = (places[0], places[places.len() - 1]);
        event("mouseMoved", first, 0);
        event("mousePressed", first, 1);
        places[1..].iter().for_each(|&place| event("mouseMoved", place, 1));
        event("mouseReleased", last, 0);
    }

    /// Types a text at once.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// What a screen reader gets: role and name of everything on the page that it does not skip, in reading order. Panics if
    /// something that one can act on, or an image, has no name.
    pub fn accessible(&mut self) -> Vec<(String, String)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().expect("a tree").iter();
        let nodes: HashMap<&str, &Value> =
            nodes.map(|node| (node["nodeId"].as_str().unwrap_or_default(), node)).collect();
        let is_root = |node: &&&Value| node["parentId"].is_null();
        let root = nodes.values().find(is_root).expect("a root");
        let (mut read, mut open) = (Vec::new(), vec![*root]);
        while let Some(node) = open.pop() {
            let children = node["childIds"].as_array().map(Vec::as_slice).unwrap_or_default();
            let child = |id: &Value| nodes.get(id.as_str().unwrap_or_default()).copied();
            open.extend(children.iter().rev().filter_map(child));
            if node["ignored"] != json!(true) {
                let (role, name) = role_and_name(node);
                assert!(!name.is_empty() || NAMED.split(' ').all(|named| named != role), "a name: {node}");
                read.push((role, name));
            }
        }
        read
    }

    /// Role and name of what has the focus, as a screen reader gets them.
    pub fn focused(&mut self) -> (String, String) {
        let element = self.call("Runtime.evaluate", json!({"expression": "document.activeElement"}));
        let id = &element["result"]["objectId"];
        let tree = self.call("Accessibility.getPartialAXTree", json!({"objectId": id, "fetchRelatives": false}));
        role_and_name(&tree["nodes"][0])
    }

    /// Fails if a script from a text of the page has set `window.hacked`, or if one that is added to the page can.
    pub fn expect_no_other_scripts(&mut self) {
        assert!(self.is("window.hacked === undefined"));
        let add = "s.textContent = 'window.hacked = 4'; document.body.append(s);";
        self.eval(&format!("(() => {{ const s = document.createElement('script'); {add} }})()"));
        assert!(self.is("window.hacked === undefined"));
    }

    /// Saves a screenshot of the window, or of the entire page, in the `tmp` folder of the build.
    pub fn screenshot(&mut self, name: &str, entire: bool) {
        self.settle();
        let mut params = json!({"format": "png"});
        if entire {
            let size = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"].clone();
            params["captureBeyondViewport"] = json!(true);
            params["clip"] = json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        }
        let answer = self.call("Page.captureScreenshot", params);
        let png = BASE64_STANDARD.decode(answer["data"].as_str().expect("an image")).unwrap();
        assert_eq!(png[1..4], *b"PNG");
        let file = self.screenshots.join(format!("{name}.png"));
        std::fs::write(&file, png).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    }

    /// Fails if the page has reported an error so far.
    pub fn expect_no_errors(&mut self) {
        self.settle();
        assert!(self.errors.is_empty(), "the page reported: {}", self.errors.join("\n"));
    }
}

/// Names of keys, their codes, and the text that they type: Enter presses a button through it.
const KEYS: [(&str, u32, &str); 10] = [
    ("Tab", 9, ""),
    ("Enter", 13, "\r"),
    ("Escape", 27, ""),
    ("End", 35, ""),
    ("Home", 36, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("Delete", 46, ""),
];
/// Roles that one can act on, and images: each needs a name.
const NAMED: &str = "application button canvas checkbox combobox dialog DisclosureTriangle image link listbox searchbox \
    slider tab tabpanel textbox";

fn role_and_name(node: &Value) -> (String, String) {
    let text = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
    (text("role"), text("name"))
}

fn program() -> Option<PathBuf> {
    let chosen = std::env::var_os("TRUSTPATH_CHROMIUM").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&folders).flat_map(|f| names.map(|name| f.join(name)));
    chosen.or_else(|| files.find(|file| file.is_file()))
}

/// Connects to the address that the browser prints.
fn connect(child: &mut Child, log: &Path) -> Result<WebSocket<TcpStream>, Box<dyn Error>> {
    let started = Instant::now();
    loop {
        let printed = String::from_utf8_lossy(&std::fs::read(log)?).into_owned();
        let mut complete = printed.split_inclusive('\n').filter_map(|l| l.strip_suffix('\n'));
        let address = complete.find_map(|l| l.strip_prefix("DevTools listening on ws://"));
        if let Some(address) = address {
            let stream = TcpStream::connect(address.split('/').next().unwrap_or(address))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_nodelay(true)?;
            return Ok(tungstenite::client(format!("ws://{address}"), stream)?.0);
        }
        if child.try_wait()?.is_some() || started.elapsed() > PATIENCE {
            return Err(format!("it does not listen and printed:\n{printed}").into());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
