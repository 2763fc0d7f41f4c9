//! The time and peak memory of a run.

use std::time::Duration;

/// Time and, where the system reports it, memory: `1.6 s, peak memory 0.21 GiB`.
pub fn spent(took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match peak() {
        Some(bytes) => format!("{seconds:.1} s, peak memory {}", gibibytes(bytes)),
        None => format!("{seconds:.1} s"),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.2} GiB", bytes as f64 / (1u64 << 30) as f64)
}

/// The peak memory of this process in bytes.
fn peak() -> Option<u64> {
    high_water(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// The line `VmHWM:   123456 kB` of the status of a process on Linux, in bytes.
fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_high_water_mark_is_read_or_none() {
        let status = "Name:\ttrustpath\nVmPeak:\t  9000 kB\nVmHWM:\t  220000 kB\nThreads:\t2\n";
        assert_eq!(high_water(status), Some(220_000 << 10));
        assert_eq!(gibibytes(220_000 << 10), "0.21 GiB");
        for other in ["", "VmHWM:\t kB\n", "VmHWM:\t 12 pages\n", "VmHWM: 99999999999999999999 kB"] {
            assert_eq!(high_water(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_was_written_to_counts() {
        let touched = vec![1u8; 64 << 20];
        let peak = peak().unwrap();
        assert!(peak >= touched.len() as u64 && touched[peak as usize % touched.len()] == 1);
    }
}
