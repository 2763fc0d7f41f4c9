//! Processor time: what a computation costs, however busy the machine is.
//!
//! By the clocks of the operating system, which are exact to less than a microsecond: the counters in Linux's `/proc` are brought up to
//! date every few milliseconds only, too rarely for an episode.

use std::time::Duration;

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};

/// The time that the processors have spent on this thread so far. None where the system does not say.
pub fn thread_time() -> Option<Duration> {
    #[cfg(unix)]
    return clock_gettime(ClockId::ThreadCPUTime).try_into().ok();
    #[cfg(not(unix))]
    None
}

/// The time that the processors have spent on all threads of this process so far. None where the system does not say.
pub fn process_time() -> Option<Duration> {
    #[cfg(unix)]
    return clock_gettime(ClockId::ProcessCPUTime).try_into().ok();
    #[cfg(not(unix))]
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_costs_time_and_sleep_does_not() {
        let before = thread_time().unwrap();
        std::thread::sleep(Duration::from_millis(30));
        let slept = thread_time().unwrap() - before;
        assert!(slept < Duration::from_millis(25), "{slept:?}");
        let (start, mut sum) = (Instant::now(), 0u64);
        // Less than the system's counters of threads would notice.
        while thread_time().unwrap() - before < slept + Duration::from_micros(500) {
            sum = (0..1000).fold(sum, |sum, i| std::hint::black_box(sum ^ i));
            assert!(start.elapsed() < Duration::from_secs(60), "no time passes");
        }
        assert!(process_time().unwrap() >= Duration::from_micros(500));
    }
}
