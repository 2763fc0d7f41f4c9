//! Progress of a long computation, and a way to stop it.

use crate::{Error, Result};

/// Observes a computation that runs in stages, and may ask it to stop.
pub trait Observer {
    /// A stage has begun: number `done` of `total`, counted from 0.
    fn stage(&mut self, name: &'static str, done: usize, total: usize);

    /// Whether the computation should stop; it then returns [`Error::Stopped`].
    fn stop(&self) -> bool;
}

/// Ignores progress and never stops the computation.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn stage(&mut self, _: &'static str, _: usize, _: usize) {}

    fn stop(&self) -> bool {
        false
    }
}

/// The stages of one computation, reported to its observer one after the other.
pub(crate) struct Stages<'a> {
    observer: &'a mut dyn Observer,
    done: usize,
    total: usize,
}

impl<'a> Stages<'a> {
    /// A computation of `total` stages.
    pub fn new(observer: &'a mut dyn Observer, total: usize) -> Self {
        Self { observer, done: 0, total }
    }

    /// Begins the next stage.
    pub fn next(&mut self, name: &'static str) -> Result<()> {
        self.check_stop()?;
        self.observer.stage(name, self.done, self.total);
        self.done += 1;
        Ok(())
    }

    /// Returns an error if the observer asks to stop.
    pub fn check_stop(&self) -> Result<()> {
        if self.observer.stop() { Err(Error::Stopped) } else { Ok(()) }
    }
}
