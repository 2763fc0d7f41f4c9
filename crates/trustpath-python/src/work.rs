//! Long work: on threads of its own, without the interpreter, and abandoned when Python is interrupted.
//!
//! The calling thread waits and checks for signals twenty times a second. On Ctrl-C it returns at once; the work is asked
//! to stop, which it does between two of its stages, and its result is dropped. Threads are created for each call, so
//! that none is left behind in a process that forks.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use trustpath_bench as episodes;

use crate::options::Threads;

/// How often signals are checked for.
const INTERVAL: Duration = Duration::from_millis(50);

/// Asks work to stop.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl trustpath::Observer for Stop {
    fn stage(&mut self, _: &'static str, _: usize, _: usize) {}

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl episodes::EpisodeObserver for Stop {
    fn finished(&mut self, _: &episodes::Finished) -> episodes::Result<()> {
        Ok(())
    }

    fn stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A pool of the threads asked for, or of one per core.
pub fn pool(threads: Threads) -> PyResult<ThreadPool> {
    let threads = threads.0.unwrap_or(0);
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        let sentence = format!("{threads} threads cannot be started ({error}): use fewer with n_jobs");
        PyRuntimeError::new_err(sentence)
    })
}

/// Runs a job on its own threads.
pub fn work<T: Send + 'static>(
    py: Python<'_>,
    threads: Threads,
    job: impl FnOnce(Stop) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let pool = pool(threads)?;
    let stop = Stop::default();
    let (done, outcome) = mpsc::channel();
    let observed = stop.clone();
    std::thread::spawn(move || {
        // The caller may have returned already.
        let _ = done.send(catch_unwind(AssertUnwindSafe(|| pool.install(|| job(observed)))));
    });
    let outcome = Mutex::new(outcome);
    loop {
        let wait = || outcome.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(INTERVAL);
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

/// Runs a short job without the interpreter.
pub fn detached<T: Send>(py: Python<'_>, job: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(job))).map_err(|panic| failed(&*panic))
}

/// A panic as an exception: an error of this package, not of the user.
fn failed(panic: &(dyn Any + Send)) -> PyErr {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!("internal error in trustpath ({said}): please report it together with the input"))
}
