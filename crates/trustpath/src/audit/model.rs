//! The model that remains of an audit: it judges labels of rows that took no part in it, block by block.
//!
//! A new row is smoothed over reference rows as for a prediction ([`Reference`]), and judged by the paths of both views. Its label did not
//! contribute to them, so that there is nothing to leave out.

use rayon::prelude::*;

use super::error_rate::MistakeModel;
use super::score;
use crate::judge::Judgement;
use crate::label::blocks;
use crate::represent::{Projection, Reference, Represented};
use crate::{Features, Matrix, Result};

use trustpath_path::LeaveOneOutPath;
use trustpath_path::labels::check_labels;
use trustpath_path::leave_one_out::{NOT_FITTED, ROWS, design};

/// Judges labels of new rows by an audit of others.
#[derive(Debug)]
pub struct AuditModel {
    projection: Projection,
    reference: Reference,
    /// From prepared rows to the view before smoothing.
    plain: Projection,
    /// Of the smoothed view, and of that before smoothing.
    paths: Vec<LeaveOneOutPath>,
    mistakes: Option<MistakeModel>,
    classes: usize,
}

/// What an audit says of the label of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct AuditedLabel {
    /// How credible the label is.
    pub credibility: f64,
    /// The label that fits best other than the given one.
    pub suggested: usize,
    /// How credible that would be.
    pub suggested_credibility: f64,
    /// How suspicious the label is: the larger, the more.
    pub score: f64,
    /// The probability that the label is wrong; not a number where it cannot be estimated.
    pub probability: f64,
}

impl AuditedLabel {
    /// By where every label of a row vanishes.
    pub(super) fn of(vanish: &[f64], label: usize, mistakes: Option<MistakeModel>) -> Self {
        let judged = Judgement::of(vanish, label);
        Self {
            credibility: judged.credibility(),
            suggested: judged.rival,
            suggested_credibility: Judgement::of(vanish, judged.rival).credibility(),
            score: score::score(&judged),
            probability: mistakes.map_or(f64::NAN, |model| model.probability(vanish, label)),
        }
    }
}

impl AuditModel {
    /// Of an audit of these rows, with the map to the view before smoothing and the paths of both views.
    pub(super) fn of(
        representation: &Represented,
        (plain, paths): (Projection, Vec<LeaveOneOutPath>),
        mistakes: Option<MistakeModel>,
        classes: usize,
    ) -> Result<Self> {
        let (reference, _) = Reference::of(representation)?;
        let projection = representation.projection.clone();
        Ok(Self { projection, reference, plain, paths, mistakes, classes })
    }

    /// Judges the labels of new rows, which must have the features of those that were audited.
    ///
    /// # Errors
    /// [`Error::Dimensions`](crate::Error::Dimensions) for another number of features, [`Error::ZeroVector`](crate::Error::ZeroVector), and
    /// for labels that are not one of the classes for each row.
    pub fn judge(&self, features: &Features<'_>, labels: &[usize]) -> Result<Vec<AuditedLabel>> {
        check_labels(labels, features.rows(), self.classes)?;
        let mut all = Vec::with_capacity(labels.len());
        for rows in blocks(features.rows()) {
            all.extend(self.judge_rows(features, rows.clone(), &labels[rows])?);
        }
        Ok(all)
    }

    /// Judges the labels of these rows.
    pub(super) fn judge_rows(
        &self,
        features: &Features<'_>,
        rows: std::ops::Range<usize>,
        labels: &[usize],
    ) -> Result<Vec<AuditedLabel>> {
        let (d, components) = (features.dims(), self.plain.basis.rows());
        let mut plain = Vec::with_capacity(rows.len() * components);
        let keep = |x: &[f64]| -> Result<()> {
            let x = Matrix::from_vec(x.len() / d, d, x.to_vec())?;
            plain.extend_from_slice(self.plain.coordinates(&x).as_slice());
            Ok(())
        };
        let placed = self.reference.place(&self.projection, features, rows.clone(), keep)?;
        let views = [placed.u, Matrix::from_vec(rows.len(), components, plain)?];
        let judge = |(block, labels): (usize, &[usize])| {
            let rows: Vec<usize> = (block * ROWS..block * ROWS + labels.len()).collect();
            let mut mean = vec![0.0; rows.len() * self.classes];
            let share = 1.0 / views.len() as f64;
            for (x, path) in views.iter().zip(&self.paths) {
                let vanish = path.judge_block(design(x, &rows).as_slice(), &vec![NOT_FITTED; rows.len()]);
                mean.iter_mut().zip(vanish).for_each(|(mean, vanish)| *mean += share * vanish);
            }
            let each = mean.chunks_exact(self.classes).zip(labels);
            each.map(|(vanish, &label)| AuditedLabel::of(vanish, label, self.mistakes)).collect::<Vec<_>>()
        };
        Ok(labels.par_chunks(ROWS).enumerate().flat_map_iter(judge).collect())
    }
}
