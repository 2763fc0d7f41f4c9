//! Ctrl-C: the first ends the run and prints the results so far, the second exits immediately.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of an interrupted program.
const INTERRUPTED: i32 = 130;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler. If that fails, Ctrl-C keeps its usual meaning.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
}

pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
