//! Long work: on threads of its own, without the interpreter, and given up when Python is interrupted.
//!
//! The calling thread waits and asks Python for signals twenty times a second. On one (Ctrl-C) it returns at once; the
//! work is told to stop, which it does between two of its stages, and its result is dropped. Threads are made for each
//! call, so that nothing is left behind in a process that forks.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use trustpath_episodes as episodes;

/// How often Python is asked for signals.
const LISTEN: Duration = Duration::from_millis(50);

/// Whether to stop; watches everything that can be watched.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl trustpath::label::Watch for Stop {
    fn stage(&mut self, _: &'static str, _: usize, _: usize) {}

    fn stop(&self) -> bool {
        self.requested()
    }
}

impl episodes::Watch for Stop {
    fn finished(&mut self, _: &episodes::Finished) -> episodes::Result<()> {
        Ok(())
    }

    fn stop(&self) -> bool {
        self.requested()
    }
}

/// As many threads as asked for, or as there are cores.
pub fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    let threads = threads.unwrap_or(0);
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        let sentence =
            format!("{threads} threads cannot be started ({error}): ask for fewer by n_jobs");
        PyRuntimeError::new_err(sentence)
    })
}

/// Does the job on that many threads.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    job: impl FnOnce(Stop) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let stop = Stop::default();
    let (done, outcome) = mpsc::channel();
    let told = stop.clone();
    std::thread::spawn(move || {
        // Whoever waited may have left.
        let _ = done.send(catch_unwind(AssertUnwindSafe(|| pool.install(|| job(told)))));
    });
    let outcome = Mutex::new(outcome);
    loop {
        let wait = || outcome.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LISTEN);
        match py.detach(wait) {
            Ok(Ok(result)) => return result,
            Ok(Err(panic)) => return Err(failed(&*panic)),
            Err(RecvTimeoutError::Disconnected) => return Err(failed(&"its thread ended")),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    stop.0.store(true, Ordering::Relaxed);
                    return Err(interrupt);
                }
            }
        }
    }
}

/// A panic as an exception: a mistake of ours, not of the user.
fn failed(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!(
        "trustpath failed where it must not ({said}): please report this with the input"
    ))
}
