//! Processor time: what a computation costs, however busy the machine is.

use std::fs;
use std::time::Duration;

/// The time that the processors have spent on this thread so far. None where the system does not say (it is read from Linux's
/// `/proc`).
pub fn thread_time() -> Option<Duration> {
    spent("/proc/thread-self/schedstat")
}

/// The time that the processors have spent on all threads of this process that are still running.
pub fn process_time() -> Option<Duration> {
    let threads = fs::read_dir("/proc/self/task").ok()?;
    let mut total = Duration::ZERO;
    for thread in threads {
        // A thread may end meanwhile.
        let file = thread.ok()?.path().join("schedstat");
        total += file.to_str().and_then(spent).unwrap_or_default();
    }
    Some(total)
}

/// The first number of such a file, in nanoseconds.
fn spent(path: &str) -> Option<Duration> {
    let text = fs::read_to_string(path).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn work_costs_time_and_sleep_does_not() {
        // Not every system that calls itself Linux has these files.
        let (Some(before), Some(_)) = (thread_time(), process_time()) else { return };
        std::thread::sleep(Duration::from_millis(30));
        let slept = thread_time().unwrap() - before;
        assert!(slept < Duration::from_millis(25), "{slept:?}");
        let (start, mut sum) = (Instant::now(), 0u64);
        while thread_time().unwrap() - before < slept + Duration::from_millis(20) {
            sum = (0..100_000).fold(sum, |sum, i| std::hint::black_box(sum ^ i));
            assert!(start.elapsed() < Duration::from_secs(60), "no time passes");
        }
        assert!(process_time().unwrap() >= Duration::from_millis(20));
    }
}
