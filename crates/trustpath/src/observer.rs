//! Progress of a long computation, and a way to stop it.

use std::io::{Read, Write};

use crate::{Error, Result};

/// Observes a computation that runs in stages, and may ask it to stop.
pub trait Observer {
    /// A stage has begun: number `done` of `total`, counted from 0.
    fn stage(&mut self, name: &'static str, done: usize, total: usize);

    /// Whether the computation should stop; it then returns [`Error::Stopped`].
    fn stop(&self) -> bool;

    /// What [`keep`](Self::keep) was given when an earlier run on the same features had represented the pool, if there was one. What cannot
    /// be read, or was computed with another search for neighbours, is computed again.
    fn kept(&mut self) -> Option<Box<dyn Read>> {
        None
    }

    /// A large pool is represented, which takes most of the time of a run, and `write` writes it: an observer may keep that for a later run.
    /// It depends on the features and on how neighbours are searched, not on labels.
    fn keep(&mut self, _write: &dyn Fn(&mut dyn Write) -> std::io::Result<()>) {}
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

    /// As [`next`](Self::next), for a stage that stands for this number of stages.
    pub fn next_instead(&mut self, name: &'static str, stages: usize) -> Result<()> {
        self.next(name)?;
        self.done += stages - 1;
        Ok(())
    }

    /// What an earlier run has kept.
    pub fn kept(&mut self) -> Option<Box<dyn Read>> {
        self.observer.kept()
    }

    /// Lets the observer keep what is written.
    pub fn keep(&mut self, write: &dyn Fn(&mut dyn Write) -> std::io::Result<()>) {
        self.observer.keep(write);
    }

    /// Returns an error if the observer asks to stop.
    pub fn check_stop(&self) -> Result<()> {
        match self.observer.stop() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }
}
