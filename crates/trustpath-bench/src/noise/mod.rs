//! How well wrong labels are found: labels flipped on purpose, and three detectors.
//!
//! [`flip`] makes labels wrong, determined by a seed. [`audit_study`] flips labels that are known to be right and measures
//! how many of the flipped ones each [`Detector`] finds ([`Detection`]).
//!
//! ```
//! use trustpath::Features;
//! use trustpath_bench::noise::{LabelNoise, Study, audit_study};
//!
//! // Instance i leans towards axis i mod 4.
//! let noise = |at: usize| 0.5 + 0.3 * ((at * at) as f32).sin();
//! let value = |at: usize| if (at / 6) % 4 == at % 6 { 2.0 } else { noise(at) };
//! let values: Vec<f32> = (0..80 * 6).map(value).collect();
//! let truth: Vec<usize> = (0..80).map(|i| i % 4).collect();
//!
//! let features = Features::new(&values[..], 80, 6)?;
//! let study = Study { noises: &[LabelNoise::Symmetric], shares: &[0.1], draws: 1, seed: 0 };
//! let rows = audit_study(&features, &truth, 4, &study, &mut |_, _| true)?;
//! assert_eq!(rows.len(), 3); // one per detector
//! assert!(rows.iter().all(|row| row.draws[0].auroc > 0.99));
//! # Ok::<(), trustpath_bench::Error>(())
//! ```

mod detect;
mod flip;
mod score;

use trustpath::Features;

pub use detect::{Detector, Suspicion};
pub use flip::{LabelNoise, flip, flip_to, most_similar};
pub use score::{Detection, auroc};

use crate::{Result, stats::MeanEstimate};

/// The levels of noise to study.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Study<'a> {
    /// Kinds of noise.
    pub noises: &'a [LabelNoise],
    /// Shares of the labels that are made wrong.
    pub shares: &'a [f64],
    /// Random draws of each level.
    pub draws: u64,
    /// Seed of the first draw; each further draw adds one.
    pub seed: u64,
}

impl Default for Study<'_> {
    /// Symmetric and asymmetric noise of 10, 20 and 40 %, three draws.
    fn default() -> Self {
        Self { noises: &LabelNoise::ALL, shares: &[0.1, 0.2, 0.4], draws: 3, seed: 0 }
    }
}

/// The results of one detector at one level of one kind of noise.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRow {
    /// The kind of noise.
    pub noise: LabelNoise,
    /// Share of wrong labels.
    pub share: f64,
    /// The detector.
    pub detector: Detector,
    /// The result of each draw.
    pub draws: Vec<Detection>,
}

impl AuditRow {
    /// The mean of a figure over the draws, with its interval.
    ///
    /// # Errors
    /// If there was no draw.
    pub fn mean(&self, figure: impl Fn(&Detection) -> f64) -> Result<MeanEstimate> {
        MeanEstimate::of(&self.draws.iter().map(figure).collect::<Vec<_>>())
    }
}

/// Flips labels that are right and lets every detector look for them. The rows are in the order of the study, with those
/// of one noise and share together. `progress` is called with the number of draws done and their total, and returns
/// whether to continue; otherwise the study ends with [`trustpath::Error::Stopped`].
///
/// # Errors
/// When labels and instances differ in number, a label is out of range, there are fewer than two classes or one has too
/// few instances, a share is outside its domain, there are no more instances than neighbours, or `progress` asks to stop.
pub fn audit_study(
    features: &Features<'_>,
    truth: &[usize],
    classes: usize,
    study: &Study<'_>,
    progress: &mut dyn FnMut(usize, usize) -> bool,
) -> Result<Vec<AuditRow>> {
    let instances = features.normalize()?;
    let total = study.noises.len() * study.shares.len() * study.draws as usize;
    let (mut rows, mut done) = (Vec::new(), 0);
    for &noise in study.noises {
        for &share in study.shares {
            let row = |detector| AuditRow { noise, share, detector, draws: Vec::new() };
            let mut cell = Detector::ALL.map(row);
            for draw in 0..study.draws {
                if !progress(done, total) {
                    return Err(trustpath::Error::Stopped.into());
                }
                let seed = study.seed.wrapping_add(draw);
                let labels = flip(truth, classes, noise, share, seed)?;
                let wrong: Vec<bool> = labels.iter().zip(truth).map(|(l, t)| l != t).collect();
                for row in &mut cell {
                    let suspicion = row.detector.examine(features, &instances, &labels, classes)?;
                    row.draws.push(Detection::of(&suspicion.score, &suspicion.suspect, &wrong));
                }
                done += 1;
            }
            rows.extend(cell);
        }
    }
    progress(done, total);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_can_be_stopped_and_is_reproducible() {
        let value = |i: usize, j: usize| if i % 3 == j { 1.0 } else { 0.4 + ((i * j) as f64).cos() };
        let values: Vec<f64> = (0..60 * 5).map(|at| value(at / 5, at % 5)).collect();
        let truth: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let features = Features::new(&values[..], 60, 5).unwrap();
        let study = Study { draws: 2, ..Study::default() };
        let mut seen = Vec::new();
        let mut watch = |done, total| {
            seen.push((done, total));
            true
        };
        let rows = audit_study(&features, &truth, 3, &study, &mut watch).unwrap();
        assert_eq!(rows.len(), 2 * 3 * 3);
        assert!(rows.iter().all(|row| row.draws.len() == 2));
        assert_eq!((seen.len(), seen[12]), (13, (12, 12)));
        let again = audit_study(&features, &truth, 3, &study, &mut |_, _| true).unwrap();
        assert_eq!(rows, again);
        let stopped = audit_study(&features, &truth, 3, &study, &mut |done, _| done < 1);
        assert_eq!(stopped, Err(trustpath::Error::Stopped.into()));
    }
}
