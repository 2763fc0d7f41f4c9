//! A small pool in three groups, its server, and a client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use trustpath::label::{Labelling, Trust};
use trustpath::label_first;
use trustpath::spec::LabelSpec;
use trustpath::{Audit, Features, Observer, Origin};
use trustpath_explain::AuditedRows;
use trustpath_serve::{Ended, Server, Session, SessionPool, Settings};
use trustpath_table::{FileLock, MissingLabels, PartlyLabelledFile, PartlyLabelledTable};

/// After this time a condition is never going to be true, even on a machine with much other work.
pub const PATIENCE: Duration = Duration::from_secs(600);
const DIMS: usize = 6;
pub const CLASSES: [&str; 3] = ["auk", "gull", "tern"];

/// The features of instance `i`, which leans towards axis `i mod 3`.
fn features(i: usize) -> [f32; DIMS] {
    std::array::from_fn(|j| {
        let at = (i * DIMS + j) as f32;
        let base = if j == i % 3 { 2.0 } else { 0.4 };
        base + 0.35 * (at * at * 0.7).sin()
    })
}

/// What a test wants of a pool.
#[derive(Clone)]
pub struct Wish {
    pub rows: usize,
    pub images: bool,
    /// Whether the images are files, in the folder `shots`.
    pub files: bool,
    pub texts: bool,
    /// Whether requests of Label Studio are answered.
    pub label_studio: bool,
    /// The name of instance `i`.
    pub id: fn(usize) -> String,
}

impl Default for Wish {
    fn default() -> Self {
        let id = |i| format!("shot {i:03}.jpg");
        Self { rows: 60, images: false, files: false, texts: false, label_studio: false, id }
    }
}

pub struct ServedPool {
    pool: PartlyLabelledTable,
    images: bool,
    files: Vec<PathBuf>,
}

impl ServedPool {
    /// Writes the pool as a table and reads it with the labels file, if there is one.
    pub fn read(folder: &Path, wish: &Wish) -> Self {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let names: Vec<String> = (0..DIMS).map(|j| format!("x{j}")).collect();
        let mut csv = format!("id,{}{}\n", names.join(","), if wish.texts { ",text" } else { "" });
        for i in 0..wish.rows {
            let values: Vec<String> = features(i).iter().map(|v| v.to_string()).collect();
            csv += &format!("{},{}", quoted(&(wish.id)(i)), values.join(","));
            if wish.texts {
                csv += &format!(",the {} calls <b>{i}</b> times", CLASSES[i % 3]);
            }
            csv.push('\n');
        }
        let path = folder.join("pool.csv");
        std::fs::write(&path, csv).unwrap();
        let mut file = PartlyLabelledFile::new(path);
        let labels = folder.join("labels.csv");
        if labels.exists() {
            file = file.labels(labels);
        }
        let mut pool = Self { pool: file.read().unwrap(), images: wish.images, files: Vec::new() };
        if wish.files {
            let shots = folder.join("shots");
            std::fs::create_dir_all(&shots).unwrap();
            for row in 0..wish.rows {
                let file = shots.join(format!("{row}.gif"));
                std::fs::write(&file, pool.original(row).unwrap()).unwrap();
                pool.files.push(file);
            }
        }
        pool
    }

    fn features(&self) -> Features<'_> {
        Features::new(self.pool.features().unwrap(), self.pool.rows(), DIMS).unwrap()
    }

    fn spec() -> LabelSpec {
        LabelSpec { suggest: 20, precision: Some(0.7), ..LabelSpec::default() }
    }
}

impl SessionPool for ServedPool {
    fn pool(&self) -> &PartlyLabelledTable {
        &self.pool
    }

    fn label(
        &self,
        labels: &[Option<usize>],
        origins: &[Origin],
        none: &[usize],
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Labelling, String> {
        let features = self.features();
        let label = trustpath::label(&features, labels).origins(origins).none_of_these(none).classes(classes);
        label.spec(&Self::spec()).run_observed(observer).map_err(|e| e.to_string())
    }

    fn label_first(&self, observer: &mut (dyn Observer + Send)) -> Result<Vec<usize>, String> {
        let features = self.features();
        label_first(&features, 3, observer).map_err(|e| e.to_string())
    }

    fn audit(
        &self,
        labelled: &AuditedRows,
        classes: usize,
        observer: &mut (dyn Observer + Send),
    ) -> Result<Audit, String> {
        let rows = labelled.rows.iter();
        let values: Vec<f32> = rows.flat_map(|&r| self.pool.features().unwrap()[r * DIMS..][..DIMS].to_vec()).collect();
        let features = Features::new(&values[..], labelled.rows.len(), DIMS).unwrap();
        let audit = trustpath::audit(&features, &labelled.labels).classes(classes);
        audit.run_observed(observer).map_err(|e| e.to_string())
    }

    fn trust(&self) -> Trust {
        Self::spec().trust().unwrap()
    }

    fn closed(&self) -> bool {
        false
    }

    fn text_column(&self) -> Option<&str> {
        Some("text")
    }

    fn has_images(&self) -> bool {
        self.images
    }

    fn image(&self, row: usize, _: usize) -> Option<Vec<u8>> {
        self.original(row)
    }

    /// An image of one colour: a GIF of one pixel.
    fn original(&self, row: usize) -> Option<Vec<u8>> {
        let mut bytes = b"GIF89a\x01\0\x01\0\x80\0\0".to_vec();
        let colour = [[200, 60, 40], [50, 160, 90], [40, 90, 200]][row % 3];
        bytes.extend(colour);
        bytes.extend([0, 0, 0]);
        bytes.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;");
        self.images.then_some(bytes)
    }

    fn file(&self, row: usize) -> Option<&Path> {
        self.files.get(row).map(PathBuf::as_path)
    }

    fn size(&self, _: usize) -> Option<(usize, usize)> {
        Some((1, 1))
    }
}

/// Opens a session on `labels.csv` in this folder.
pub fn open(folder: &Path, wish: &Wish) -> trustpath_serve::Result<Session> {
    let labels = folder.join("labels.csv");
    let lock = FileLock::acquire(&labels).unwrap();
    let source = Arc::new(ServedPool::read(folder, wish));
    let (missing, label_studio) = (MissingLabels::usual(), wish.label_studio);
    Session::open(source, Settings { labels, missing, coverage: 0.9, batch: 5, seed: 0, label_studio }, lock)
}

/// A session in a thread of its own, which ends when this is dropped.
pub struct Running {
    pub address: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Option<Ended>>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()), "the session panicked");
    }
}

impl Running {
    /// Starts a session in a new folder.
    pub fn fresh(wish: &Wish) -> (TempDir, Self) {
        let folder = tempfile::tempdir().unwrap();
        let session = Self::start(folder.path(), wish);
        (folder, session)
    }

    /// Starts a session on `labels.csv` in this folder.
    pub fn start(folder: &Path, wish: &Wish) -> Self {
        Self::begin(folder, wish, true)
    }

    /// The same, for a session whose labels file is not written in the end: it ends as if it were killed.
    pub fn doomed(folder: &Path, wish: &Wish) -> Self {
        Self::begin(folder, wish, false)
    }

    fn begin(folder: &Path, wish: &Wish, finish: bool) -> Self {
        let session = open(folder, wish).unwrap();
        let server = Server::bind(0, None).unwrap();
        let (address, stop) = (server.address(), Arc::new(AtomicBool::new(false)));
        let seen = stop.clone();
        let thread = std::thread::spawn(move || {
            server.run(&session, || seen.load(Ordering::Relaxed));
            finish.then(|| session.finish().unwrap())
        });
        Self { address, stop, thread: Some(thread) }
    }

    /// Ends it, and returns what it left.
    pub fn end(self) -> Option<Ended> {
        self.stop.store(true, Ordering::Relaxed);
        self.wait()
    }

    /// Waits until the page has ended it.
    pub fn wait(mut self) -> Option<Ended> {
        self.thread.take().unwrap().join().unwrap()
    }

    /// The host and port, and the token with its slashes.
    pub fn parts(&self) -> (String, String) {
        let rest = self.address.strip_prefix("http://").unwrap();
        let (host, path) = rest.split_once('/').unwrap();
        (host.to_owned(), format!("/{path}"))
    }

    /// Status, head and body of the response to these bytes.
    pub fn raw(&self, request: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.parts().0).unwrap();
        stream.write_all(request).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        (head[9..12].parse().unwrap(), head, answer[end + 4..].to_vec())
    }

    pub fn get_bytes(&self, path: &str) -> (u16, String, Vec<u8>) {
        let (host, token) = self.parts();
        self.raw(format!("GET {token}{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())
    }

    /// The answer to a request that is granted, read as JSON.
    pub fn get(&self, path: &str) -> Value {
        let (status, _, body) = self.get_bytes(path);
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap()
    }

    pub fn try_post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (host, token) = self.parts();
        let body = body.to_string();
        let head = format!(
            "POST {token}{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let (status, _, answer) = self.raw(format!("{head}{body}").as_bytes());
        (status, serde_json::from_slice(&answer).unwrap())
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.try_post(path, body);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Gives rows a label, as if they had been drawn at random.
    pub fn label(&self, rows: &[usize], label: &str) {
        self.post("answer", &json!({ "rows": rows, "origin": "random", "to": "label", "label": label }));
    }

    /// Labels the first rows with their true classes.
    pub fn label_truly(&self, rows: std::ops::Range<usize>) {
        rows.for_each(|row| self.label(&[row], CLASSES[row % 3]));
    }

    /// Waits until the state fulfils a condition.
    pub fn until(&self, condition: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let state = self.get("state");
            if condition(&state) {
                return state;
            }
            assert!(start.elapsed() < PATIENCE, "{state}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for a model that knows all answers.
    pub fn updated(&self) -> Value {
        self.post("update", &json!({}));
        self.until(|state| state["model"]["stale"] == false)
    }
}
