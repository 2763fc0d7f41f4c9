//! The labelling loop as a process: what it prints, refuses and leaves.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command as Process, Stdio};

use super::*;

const POOL: &[u8] = b"id,x,y,kind\na,1,0.1,\nb,0.9,0.2,auk\nc,0.1,1,tern\nd,0.2,0.9,\ne,1,0.3,\nf,0.3,1,\n";

/// A session in a process of its own.
pub struct Serving {
    child: Child,
    output: BufReader<ChildStdout>,
    pub address: String,
}

impl Serving {
    pub fn start(folder: &TempDir, args: &[&str]) -> Self {
        let mut process = Process::new(assert_cmd::cargo::cargo_bin!("trustpath"));
        process.current_dir(folder.path()).arg("serve").args(args).arg("--quiet");
        let mut child = process.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
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
        write!(
            stream,
            "{method} /{path}{place} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
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
    let folder = folder_with(&[("pool.csv", POOL)]);
    let args = ["pool.csv", "--label-column", "kind", "--labels", "labels.csv"];
    let serving = Serving::start(&folder, &args);
    serving.label(0, "auk");
    serving.label(3, "=gull, \"grey\"");
    // A second process is refused with a sentence while the first one works.
    refused(&folder, &[&["serve"], &args[..]].concat(), 1, &["labels.csv", "in use by process"]);
    serving.kill();
    assert!(!folder.path().join("labels.csv").exists());

    // Another command does not use the answers, and says so.
    fs::write(folder.path().join("labels.csv"), "id,label\nb,auk\nc,tern\n").unwrap();
    let said = succeeds(&folder, &["check", "pool.csv", "--labels", "labels.csv"]);
    assert!(said.contains("labels.csv.journal holds answers of trustpath serve"), "{said}");

    let serving = Serving::start(&folder, &["pool.csv", "--labels", "labels.csv"]);
    serving.label(5, "tern");
    serving.wait_for_model();
    let printed = serving.end();
    assert!(printed.contains("labels.csv: 5 labels, 3 of them checked by a person"), "{printed}");
    let labels = fs::read_to_string(folder.path().join("labels.csv")).unwrap();
    assert_eq!(
        labels,
        "id,label,answer\na,auk,checked\nb,auk,given\nc,tern,given\nd,\"'=gull, \"\"grey\"\"\",checked\nf,tern,checked\n"
    );
    let said = succeeds(&folder, &["check", "pool.csv", "--labels", "labels.csv"]);
    assert!(!said.contains("journal") && said.contains("=gull"), "{said}");
    let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    // The curve, which has a point from the first model on, is kept for the next session.
    assert_eq!(names, ["labels.csv", "labels.csv.progress", "pool.csv"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_the_labels() {
    let folder = folder_with(&[("pool.csv", POOL)]);
    let mut serving = Serving::start(&folder, &["pool.csv", "--labels", "new.tsv"]);
    serving.label(1, "auk");
    let id = serving.child.id().to_string();
    assert!(Process::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert!(serving.child.wait().unwrap().success());
    let labels = fs::read_to_string(folder.path().join("new.tsv")).unwrap();
    assert_eq!(labels, "id\tlabel\tanswer\nb\tauk\tchecked\n");
}

#[test]
fn what_a_session_would_damage_is_refused() {
    let folder = folder_with(&[
        ("pool.csv", POOL),
        ("wide.csv", b"id,label,weight\na,auk,3\n"),
        ("bad.csv.journal", b"something else\n"),
        (
            "other.csv.journal",
            b"{\"journal\":\"trustpath serve\",\"version\":1}\n{\"set\":[{\"id\":\"z\",\"to\":\"open\"}]}\n",
        ),
    ]);
    let refuse = |args: &[&str], code: i32, parts: &[&str]| {
        refused(&folder, &[&["serve", "pool.csv"], args].concat(), code, parts);
    };
    refuse(&[], 2, &["--labels labels.csv"]);
    refuse(&["--labels", "labels.npy"], 2, &["labels.npy", ".csv"]);
    refuse(&["--labels", "./pool.csv"], 2, &["pool.csv", "replace"]);
    refuse(&["--labels", "wide.csv"], 2, &["wide.csv", "\"weight\""]);
    refuse(&["--labels", "bad.csv"], 1, &["bad.csv.journal"]);
    refuse(&["--labels", "other.csv"], 2, &["other.csv.journal", "\"z\"", "pool.csv"]);
    refuse(&["--labels", "nowhere/labels.csv"], 1, &["nowhere"]);
    refuse(&["--labels", "labels.csv", "--coverage", "2"], 2, &["between 0 and 1"]);
    refuse(&["--labels", "labels.csv", "--labels-in-order"], 2, &["--labels-in-order"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    refuse(&["--labels", "labels.csv", "--port", &port], 1, &[&port, "--port"]);
    assert!(!folder.path().join("labels.csv").exists());
}
