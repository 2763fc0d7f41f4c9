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
//! A file that fails stays in `target/tmp/fuzz`, where the message says.

mod mutate;
mod targets;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use mutate::changed;
use targets::FuzzTarget;
use trustpath::random::Random;
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
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&out).unwrap();
    let share = Duration::from_secs_f64(seconds / targets.len() as f64);
    let failures: Vec<String> = targets.into_iter().filter_map(|target| run(target, seed, share, &out)).collect();
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
fn run(target: FuzzTarget, seed: u64, share: Duration, out: &Path) -> Option<String> {
    let end = Instant::now() + share;
    let name = target.name.clone();
    let current = out.join(format!("{}-current-{}", name.replace(' ', "-"), target.file));
    let (send, receive) = mpsc::channel();
    let place = current.clone();
    let thread = std::thread::spawn(move || {
        let last = try_files(&target, seed, end, &place, &send);
        let _ = send.send(last);
    });
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

/// Tries files until the time is up or one fails. `current` is a copy of the file that is read now, which stays if the
/// process ends.
fn try_files(target: &FuzzTarget, seed: u64, end: Instant, current: &Path, send: &mpsc::Sender<Message>) -> Message {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &target.others {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = folder.path().join(&target.file);
    let mix = |seed: u64, byte| trustpath::random::mix(seed.wrapping_add(u64::from(byte) + 1));
    let seed = target.name.bytes().fold(seed, mix);
    let (mut tried, mut refused) = (0, 0);
    // The seeds themselves come first.
    let mut inputs = target.seeds.clone().into_iter();
    while tried < target.seeds.len() || Instant::now() < end {
        let changed = || changed(&target.seeds, &mut Random::stream(seed, tried as u64));
        let bytes = inputs.next().unwrap_or_else(changed);
        for place in [current, &path] {
            // Some file systems flush a file that is overwritten, but not a new one.
            let _ = fs::remove_file(place);
            fs::write(place, &bytes).unwrap();
        }
        let _ = send.send(Message::Begun);
        match catch_unwind(AssertUnwindSafe(|| (target.read)(&path))) {
            Ok(Ok(())) => {}
            Ok(Err(sentence)) => {
                refused += 1;
                let shown = printable_sentence(&sentence);
                if shown.is_empty() || shown.chars().any(char::is_control) {
                    return Message::Failed(format!("says {shown:?}"));
                }
            }
            Err(_) => return Message::Failed("panics".into()),
        }
        tried += 1;
    }
    Message::Finished { tried, refused }
}
