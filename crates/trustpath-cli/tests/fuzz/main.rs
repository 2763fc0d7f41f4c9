//! Every reader on files that are changed at random: it must end soon with a result or one sentence, never with a
//! panic, and within bounded memory.
//!
//! The same seed tries the same files. The time is shared among the readers:
//!
//! ```sh
//! TRUSTPATH_FUZZ_SECONDS=3600 TRUSTPATH_FUZZ_SEED=7 cargo test --release -p trustpath-cli --test fuzz -- --nocapture
//! TRUSTPATH_FUZZ_TARGET=parquet …   # only readers whose name contains this
//! ```
//!
//! A file that fails is kept in `target/tmp/fuzz`, where the message says.

mod mutate;
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use mutate::{Random, changed};
use targets::Target;
use trustpath_table::printable_sentence;

/// Seconds for all readers together unless the environment says otherwise.
const SECONDS: f64 = 10.0;
/// The longest that one file may take, also on a busy machine.
const SLOWEST: Duration = Duration::from_secs(30);
/// The memory that all of it may take, in KiB.
const MOST_MEMORY: u64 = 3 << 20;

fn setting<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is not usable"))
}

#[test]
fn no_file_breaks_a_reader() {
    let seconds = setting("TRUSTPATH_FUZZ_SECONDS", SECONDS);
    let seed = setting("TRUSTPATH_FUZZ_SEED", 0u64);
    let only = setting("TRUSTPATH_FUZZ_TARGET", String::new());
    let mut targets = targets::all();
    targets.retain(|target| target.name.contains(&only));
    assert!(!targets.is_empty(), "no reader is called {only}");
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&kept).unwrap();
    let share = Duration::from_secs_f64(seconds / targets.len() as f64);
    let failures: Vec<String> = targets.into_iter().filter_map(|target| run(target, seed, share, &kept)).collect();
    assert!(failures.is_empty(), "TRUSTPATH_FUZZ_SEED={seed}\n{}", failures.join("\n"));
    if let Some(peak) = peak_memory() {
        assert!(peak < MOST_MEMORY, "{} MiB were needed at once", peak >> 10);
    }
}

/// The largest memory this process has had, in KiB.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

/// Tries a reader until its time is up; returns what went wrong.
fn run(target: Target, seed: u64, share: Duration, kept: &Path) -> Option<String> {
    let begun = Instant::now();
    let name = target.name.clone();
    let current = kept.join(format!("{}-current-{}", name.replace(' ', "-"), target.file));
    let (send, receive) = mpsc::channel();
    let worker = Worker { target, seed, share, current: current.clone(), begun, send };
    let thread = std::thread::spawn(move || worker.run());
    loop {
        match receive.recv_timeout(SLOWEST) {
            Ok(Message::Begun) => {}
            Ok(Message::Finished { tried, refused }) => {
                thread.join().unwrap();
                let _ = fs::remove_file(&current);
                println!("{name}: {tried} files, {refused} refused");
                return None;
            }
            Ok(Message::Failed(reason)) => {
                let place =
                    current.with_file_name(current.file_name().unwrap().to_string_lossy().replace("-current", ""));
                fs::rename(&current, &place).unwrap();
                return Some(format!("{name}: {reason}: {}", place.display()));
            }
            // The thread cannot be ended; the file stays where it is.
            Err(_) => {
                return Some(format!("{name}: not done after {SLOWEST:?}: {}", current.display()));
            }
        }
    }
}

enum Message {
    Begun,
    Finished { tried: usize, refused: usize },
    Failed(String),
}

struct Worker {
    target: Target,
    seed: u64,
    share: Duration,
    /// A copy of the file that is read now, which stays if the process ends.
    current: PathBuf,
    begun: Instant,
    send: mpsc::Sender<Message>,
}

impl Worker {
    fn run(self) {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in &self.target.others {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let path = folder.path().join(&self.target.file);
        let of_name = self
            .target
            .name
            .bytes()
            .fold(self.seed, |seed, byte| trustpath::random::mix(seed.wrapping_add(u64::from(byte) + 1)));
        let (mut tried, mut refused) = (0, 0);
        // The seeds themselves come first.
        let mut inputs = self.target.seeds.clone().into_iter();
        while tried < self.target.seeds.len() || self.begun.elapsed() < self.share {
            let mut random = Random(of_name ^ trustpath::random::mix(tried as u64));
            let bytes = inputs.next().unwrap_or_else(|| changed(&self.target.seeds, &mut random));
            for place in [&self.current, &path] {
                // Some file systems flush a file that is overwritten, but not a new one.
                let _ = fs::remove_file(place);
                fs::write(place, &bytes).unwrap();
            }
            let _ = self.send.send(Message::Begun);
            match catch_unwind(AssertUnwindSafe(|| (self.target.read)(&path))) {
                Ok(Ok(())) => {}
                Ok(Err(sentence)) => {
                    refused += 1;
                    let shown = printable_sentence(&sentence);
                    if shown.is_empty() || shown.chars().any(char::is_control) {
                        let _ = self.send.send(Message::Failed(format!("says {shown:?}")));
                        return;
                    }
                }
                Err(_) => {
                    let _ = self.send.send(Message::Failed("panics".into()));
                    return;
                }
            }
            tried += 1;
        }
        let _ = self.send.send(Message::Finished { tried, refused });
    }
}
