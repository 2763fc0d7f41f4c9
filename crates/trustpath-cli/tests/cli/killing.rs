//! Processes that are killed at random moments: their files are the old or the new ones, never broken, and running
//! the command again gives the same bits as if nothing had happened.
//!
//! `TRUSTPATH_KILLS` is the number of kills of each command, `TRUSTPATH_FUZZ_SEED` the seed of the moments.

use std::time::{Duration, Instant};

use trustpath::random::Random;

use super::*;

fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// A command that is killed again and again.
struct Killed {
    folder: CommandFolder,
    line: &'static str,
    /// How long it takes if nothing happens.
    takes: Duration,
}

impl Killed {
    /// Runs the command once completely, and returns its standard output.
    fn new(folder: CommandFolder, line: &'static str) -> (Self, String) {
        let begun = Instant::now();
        let printed = folder.prints(line);
        (Self { folder, line, takes: begun.elapsed() }, printed)
    }

    /// Kills it at random moments of its time, and checks what it leaves each time.
    fn kill(&self, check: impl Fn()) {
        for kill in 0..setting("TRUSTPATH_KILLS", 8) {
            let share = Random::stream(setting("TRUSTPATH_FUZZ_SEED", 0), kill).uniform();
            let mut child = self.folder.process(self.line).spawn().unwrap();
            // It may end before, where the complete run was slower because of other work on the machine.
            let moment = Instant::now() + self.takes.mul_f64(share);
            while Instant::now() < moment && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let _ = child.kill();
            child.wait().unwrap();
            check();
        }
    }

    /// Runs it completely, and checks which files there are then.
    fn complete(&self, files: &[&str]) -> String {
        let printed = self.folder.prints(self.line);
        assert_eq!(self.folder.names(), files);
        printed
    }
}

#[test]
fn labelling() {
    let line = "label pool.csv --out o.csv --report r.html --model m.safetensors --threads 1";
    let (killed, _) = Killed::new(super::label::pool(), line);
    let folder = &killed.folder;
    let names = ["o.csv", "r.html", "m.safetensors"];
    let new = names.map(|name| folder.bytes(name));
    let reset = || names.iter().for_each(|name| folder.write(name, b"old"));
    reset();
    killed.kill(|| {
        for (name, new) in names.iter().zip(&new) {
            let content = folder.bytes(name);
            assert!(content == b"old" || content == *new, "{name} is broken");
        }
        reset();
    });
    killed.complete(&["m.safetensors", "new.csv", "o.csv", "pool.csv", "r.html"]);
    assert!(names.map(|name| folder.bytes(name)) == new);
}

#[test]
fn a_journal() {
    let line = "bench --episodes 40 --json --journal run.jsonl --resume --threads 2";
    let (killed, printed) = Killed::new(CommandFolder::new(), line);
    let result = |printed: &str| {
        let mut value: Value = serde_json::from_str(printed).unwrap();
        value["speed"].take();
        value
    };
    killed.folder.remove("run.jsonl");
    killed.kill(|| ());
    assert_eq!(result(&killed.complete(&["run.jsonl"])), result(&printed));
    assert_eq!(killed.folder.read("run.jsonl").lines().count(), 1 + 40);
}

#[test]
fn an_extraction() {
    let line = "extract --images photos --out f.safetensors --threads 1";
    let (killed, _) = Killed::new(super::images::photos(27, 0), line);
    let folder = &killed.folder;
    let new = folder.bytes("f.safetensors");
    folder.remove("f.safetensors");
    killed.kill(|| {
        // Either it is not there yet, or it is complete; then it begins anew.
        if folder.path("f.safetensors").exists() {
            assert!(folder.bytes("f.safetensors") == new, "f.safetensors is broken");
            folder.remove("f.safetensors");
        }
    });
    killed.complete(&["f.safetensors", "photos"]);
    assert!(folder.bytes("f.safetensors") == new);
}
