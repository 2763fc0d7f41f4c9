//! Files that once made a reader hang, print a panic or misread them.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use trustpath_table::PartlyLabelledFile;

use crate::testing::refused;

fn file(name: &str) -> PartlyLabelledFile {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    PartlyLabelledFile::new(folder.join(name))
}

/// A page header announces a long list, which the decoder skipped far beyond the end of the file.
#[cfg(feature = "parquet")]
#[test]
fn a_list_beyond_the_end_of_a_parquet_file_ends() {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more where the deadline has passed.
        let _ = send.send(file("fz_timeout.parquet").read());
    });
    let read = receive.recv_timeout(Duration::from_secs(300)).expect("reading ends");
    refused(read, &["cannot parse", "fz_timeout.parquet"]);
}

/// The decoder panics on an empty dictionary page; the message of the panic must not be printed.
#[cfg(feature = "parquet")]
#[test]
fn a_panic_of_the_parquet_decoder_is_an_error() {
    refused(file("pq1.parquet").read(), &["cannot parse", "its pages contradict each other"]);
}

#[test]
fn terminal_escapes_in_a_cell_are_shown_as_text() {
    let error = refused(file("esc.csv").read(), &["line 3", r#""x\u{1b}[2J" is not a number"#]);
    assert!(!error.to_string().contains('\u{1b}'));
}

#[test]
fn a_key_that_comes_twice_is_refused() {
    refused(file("dupkeys.jsonl").read(), &["line 1 has the key \"a\" twice"]);
}
