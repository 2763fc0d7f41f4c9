//! Ctrl-C: the first asks the run to end and show what it has, the second ends it at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that was interrupted.
const INTERRUPTED: i32 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Begins to listen. Where no handler can be set, Ctrl-C keeps its usual meaning.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
}

/// Whether Ctrl-C was pressed.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
