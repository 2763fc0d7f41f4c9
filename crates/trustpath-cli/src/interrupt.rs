//! Ctrl-C: the first ends the run and prints the results so far, the second exits immediately.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Installs the handler. If that fails, Ctrl-C keeps its usual meaning.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
