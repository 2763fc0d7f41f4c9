//! Processes that are killed at random moments: their files are the old or the new ones, never broken, and running
//! the command again gives the same bits as if nothing had happened.
//!
//! `TRUSTPATH_KILLS` is the number of kills of each command, `TRUSTPATH_FUZZ_SEED` the seed of the moments.

use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use trustpath_vision::image::RgbImage;

use super::*;

fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// A command that is killed again and again.
struct Killed {
    folder: TempDir,
    args: Vec<String>,
    kills: u64,
    /// How long it takes if nothing happens.
    takes: Duration,
}

impl Killed {
    /// Runs the command once completely, and returns its standard output.
    fn new(folder: TempDir, line: &str) -> (Self, Vec<u8>) {
        let args = line.split_whitespace().map(String::from).collect();
        let kills = setting("TRUSTPATH_KILLS", 8);
        let mut killed = Self { folder, args, kills, takes: Duration::ZERO };
        let begun = Instant::now();
        let printed = killed.complete();
        killed.takes = begun.elapsed();
        (killed, printed)
    }

    fn process(&self) -> Process {
        let mut process = Process::new(assert_cmd::cargo::cargo_bin!("trustpath"));
        process.current_dir(self.folder.path()).args(&self.args);
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
        process
    }

    #[track_caller]
    fn complete(&self) -> Vec<u8> {
        let output = self.process().output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Kills it at random moments of its time, and checks what it leaves each time.
    fn kill(&self, check: impl Fn()) {
        for kill in 0..self.kills {
            let random = trustpath::random::mix(setting("TRUSTPATH_FUZZ_SEED", 0) << 32 | kill);
            let share = (random >> 11) as f64 / (1u64 << 53) as f64;
            let mut child = self.process().spawn().unwrap();
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

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.folder.path().join(name)).ok()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join(name), bytes).unwrap();
    }

    /// Checks that a complete run leaves no files but these.
    fn assert_names(&self, expected: &[&str]) {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, expected);
    }
}

#[test]
fn labelling() {
    let line = "label pool.csv --out o.csv --report r.html --model m.safetensors --threads 1";
    let (killed, _) = Killed::new(super::label::pool(), line);
    let names = ["o.csv", "r.html", "m.safetensors"];
    let new = names.map(|name| killed.read(name).unwrap());
    let reset = || names.iter().for_each(|name| killed.write(name, b"old"));
    reset();
    killed.kill(|| {
        for (name, new) in names.iter().zip(&new) {
            let content = killed.read(name).unwrap();
            assert!(content == b"old" || content == *new, "{name} is broken");
        }
        reset();
    });
    killed.complete();
    assert!(names.map(|name| killed.read(name).unwrap()) == new);
    killed.assert_names(&["m.safetensors", "new.csv", "o.csv", "pool.csv", "r.html"]);
}

#[test]
fn stages_of_a_large_pool() {
    let folder = tempfile::tempdir().unwrap();
    let (n, dims) = (20_400, 6);
    let value = |at: usize| {
        let (i, j) = (at / dims, at % dims);
        let noise = (trustpath::random::mix(at as u64) >> 40) as f32 / (1u64 << 24) as f32;
        noise + if i % 3 == j { 1.0 } else { 0.1 }
    };
    let values: Vec<f32> = (0..n * dims).map(value).collect();
    let mut file = fs::File::create(folder.path().join("pool.npy")).unwrap();
    trustpath_table::npy::write_f32(&mut file, &[n, dims], &values).unwrap();
    let label = |i: usize| if i < 60 { ["a\n", "b\n", "c\n"][i % 3] } else { "\n" };
    fs::write(folder.path().join("labels.txt"), (0..n).map(label).collect::<String>()).unwrap();
    let line = "label pool.npy --labels labels.txt --out o.npz --stages kept --progress json";
    let (killed, _) = Killed::new(folder, line);
    let expected = killed.read("o.npz").unwrap();
    let kept = killed.folder.path().join("kept");
    let files = || fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path());
    let stage = files().next().unwrap();
    // Killed as soon as the stage is there, the next run goes on from it.
    fs::remove_file(&stage).unwrap();
    let mut child = killed.process().spawn().unwrap();
    while !stage.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the stage never came");
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    child.wait().unwrap();
    killed.write("o.npz", b"old");
    let run = |resumed: bool| {
        let output = killed.process().output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        assert_eq!(told.contains("going on from an earlier run"), resumed, "{told}");
        assert_eq!(told.contains("\"stage\":\"finding neighbours\""), !resumed, "{told}");
        assert!(killed.read("o.npz").unwrap() == expected);
    };
    run(true);
    // Also where no instance has a label yet.
    let line = "label pool.npy --suggest 3 --stages kept --progress json";
    let first = trustpath_in(&killed.folder, &line.split(' ').collect::<Vec<_>>()).output().unwrap();
    let told = String::from_utf8(first.stderr).unwrap();
    assert!(first.status.success() && told.contains("going on from an earlier run"), "{told}");
    // What is left of a file, and other features, are not used.
    let bytes = fs::read(&stage).unwrap();
    fs::write(&stage, &bytes[..bytes.len() / 2]).unwrap();
    run(false);
    assert!(fs::read(&stage).unwrap() == bytes);
    let mut other = killed.read("pool.npy").unwrap();
    let end = other.len() - 24 * 4;
    other[end + 3] ^= 1;
    killed.write("pool.npy", &other);
    killed.complete();
    assert_eq!(files().count(), 2);
}

#[test]
fn a_journal() {
    let line = "bench --episodes 40 --json --journal run.jsonl --resume --threads 2";
    let (killed, printed) = Killed::new(tempfile::tempdir().unwrap(), line);
    let result = |printed: &[u8]| {
        let mut value: Value = serde_json::from_slice(printed).unwrap();
        value["speed"].take();
        value
    };
    fs::remove_file(killed.folder.path().join("run.jsonl")).unwrap();
    killed.kill(|| ());
    assert_eq!(result(&killed.complete()), result(&printed));
    killed.assert_names(&["run.jsonl"]);
    let journal = String::from_utf8(killed.read("run.jsonl").unwrap()).unwrap();
    assert_eq!(journal.lines().count(), 1 + 40);
}

#[test]
fn an_extraction() {
    let folder = tempfile::tempdir().unwrap();
    for class in ["auk", "gull"] {
        fs::create_dir_all(folder.path().join("birds").join(class)).unwrap();
        for i in 0..40u8 {
            let rgb = (0..9 * 9 * 3).map(|at| (at as u8).wrapping_mul(i).wrapping_add(class.len() as u8)).collect();
            let image = RgbImage { width: 9, height: 9, rgb };
            let name = folder.path().join(format!("birds/{class}/{i}.png"));
            fs::write(name, image.png().unwrap()).unwrap();
        }
    }
    let line = "extract --images birds --out f.safetensors --threads 1";
    let (killed, _) = Killed::new(folder, line);
    let new = killed.read("f.safetensors").unwrap();
    let out = killed.folder.path().join("f.safetensors");
    fs::remove_file(&out).unwrap();
    killed.kill(|| {
        // Either it is not there yet, or it is complete; then it begins anew.
        if let Some(found) = killed.read("f.safetensors") {
            assert!(found == new, "f.safetensors is broken");
            fs::remove_file(&out).unwrap();
        }
    });
    killed.complete();
    assert!(killed.read("f.safetensors").unwrap() == new);
    killed.assert_names(&["birds", "f.safetensors"]);
}
