//! The labelling loop as a process: what it prints, refuses and leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout};

use super::*;

const POOL: &str = "id,x,y,kind\na,1,0.1,\nb,0.9,0.2,auk\nc,0.1,1,tern\nd,0.2,0.9,\ne,1,0.3,\nf,0.3,1,\n";

/// A session in a process of its own.
pub struct Serving {
    child: Child,
    output: BufReader<ChildStdout>,
    pub address: String,
}

impl Serving {
    pub fn start(folder: &CommandFolder, line: &str) -> Self {
        let mut process = folder.process(&format!("{line} --quiet"));
        let mut child = process.stderr(Stdio::inherit()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.trim().starts_with("http://") {
            line.clear();
            assert_ne!(output.read_line(&mut line).unwrap(), 0, "it prints its address");
        }
        Self { child, output, address: line.trim().to_owned() }
    }

    pub fn ask(&self, request: &str, body: &str) -> String {
        let (host, path) = self.address["http://".len()..].split_once('/').unwrap();
        let (method, place) = request.split_once(' ').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        let kind = "Content-Type: application/json";
        let length = body.len();
        let head = format!("{method} /{path}{place} HTTP/1.1\r\nHost: {host}\r\n{kind}\r\nContent-Length: {length}");
        write!(stream, "{head}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn label(&self, row: usize, label: &str) {
        let body = serde_json::json!({ "rows": [row], "to": "label", "label": label }).to_string();
        assert!(self.ask("POST answer", &body).starts_with("HTTP/1.1 200"));
    }

    /// Waits for the first model, which is trained in the background.
    fn wait_for_model(&self) {
        while !self.ask("GET state", "").contains("\"model\":{") {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends the session from the page, and returns what else it printed.
    pub fn end(mut self) -> String {
        self.ask("POST end", "{}");
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

#[test]
fn a_killed_process_loses_nothing_and_other_commands_say_so() {
    let folder = CommandFolder::with([("pool.csv", POOL)]);
    let line = "serve pool.csv --label-column kind --labels labels.csv";
    let serving = Serving::start(&folder, line);
    serving.label(0, "auk");
    serving.label(3, "=gull, \"grey\"");
    // A second process is refused with a sentence while the first one works.
    folder.refuses(line, 1, &["labels.csv", "in use by process"]);
    serving.kill();
    assert!(!folder.path("labels.csv").exists());

    // Another command does not use the answers, and says so.
    folder.write("labels.csv", "id,label\nb,auk\nc,tern\n");
    let check = "check pool.csv --labels labels.csv";
    contains(&folder.prints(check), &["labels.csv.journal holds answers of trustpath serve"]);

    let serving = Serving::start(&folder, "serve pool.csv --labels labels.csv");
    serving.label(5, "tern");
    serving.wait_for_model();
    contains(&serving.end(), &["labels.csv: 5 labels, 3 of them checked by a person"]);
    assert_eq!(
        folder.read("labels.csv"),
        "id,label,answer,origin\na,auk,checked,chosen\nb,auk,given,\nc,tern,given,\nd,\"'=gull, \"\"grey\"\"\",checked,chosen\nf,tern,checked,chosen\n"
    );
    let said = folder.prints(check);
    assert!(!said.contains("journal") && said.contains("=gull"), "{said}");
    // The curve, which has a point from the first model on, is kept for the next session.
    assert_eq!(folder.names(), ["labels.csv", "labels.csv.progress", "pool.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_the_labels() {
    let folder = CommandFolder::with([("pool.csv", POOL)]);
    let mut serving = Serving::start(&folder, "serve pool.csv --labels new.tsv");
    serving.label(1, "auk");
    super::stopping::interrupt(&serving.child);
    assert!(serving.child.wait().unwrap().success());
    assert_eq!(folder.read("new.tsv"), "id\tlabel\tanswer\torigin\nb\tauk\tchecked\tchosen\n");
}

#[test]
fn what_a_session_would_damage_is_refused() {
    let other = "{\"journal\":\"trustpath serve\",\"version\":1}\n{\"set\":[{\"id\":\"z\",\"to\":\"open\"}]}\n";
    let folder = CommandFolder::with([
        ("pool.csv", POOL),
        ("wide.csv", "id,label,weight\na,auk,3\n"),
        ("bad.csv.journal", "something else\n"),
        ("other.csv.journal", other),
    ]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    folder.refuses("serve pool.csv", 2, &["--labels labels.csv"]);
    let cases: [(&str, i32, &[&str]); 9] = [
        ("labels.npy", 2, &["labels.npy", ".csv"]),
        ("./pool.csv", 2, &["pool.csv", "replace"]),
        ("wide.csv", 2, &["wide.csv", "\"weight\""]),
        ("bad.csv", 1, &["bad.csv.journal"]),
        ("other.csv", 2, &["other.csv.journal", "\"z\"", "pool.csv"]),
        ("nowhere/labels.csv", 1, &["nowhere"]),
        ("labels.csv --coverage 2", 2, &["between 0 and 1"]),
        ("labels.csv --labels-in-order", 2, &["--labels-in-order"]),
        (&format!("labels.csv --port {port}"), 1, &[&port, "--port"]),
    ];
    for (labels, code, expected) in cases {
        folder.refuses(&format!("serve pool.csv --labels {labels}"), code, expected);
    }
    assert!(!folder.path("labels.csv").exists());
}
