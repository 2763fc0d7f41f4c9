//! Pools beyond memory: a random part goes through the pipeline, and its model predicts the rest block by block.
//!
//! Rows of a random part and the others are exchangeable, so that the promise of the part's model holds for them. The part has all
//! given labels, or an even part of very many, and is chosen by a hash of the seed and the row: the same for every source of the same
//! rows. Nothing but results is kept of rows beyond the part.

use crate::label::{Labelling, PredictedRow, Verdict, blocks};
use crate::limits::Limits;
use crate::observer::{Observer, Stages};
use crate::pipeline::{self, Request};
use crate::pool::{Pool, hash};
use crate::represent::Represented;
use crate::{Features, Result};

/// Stages beyond those of the part.
const STAGES: usize = 2;
/// Rows that are read together for the part.
const BLOCK: usize = 4096;

/// Labels a pool: together as far as it fits into memory, otherwise a part of it, by which the rest is predicted.
pub(crate) fn label(request: &Request<'_>, observer: &mut dyn Observer) -> Result<Labelling> {
    let stages = pipeline::STAGES + usize::from(request.kept.is_none());
    if request.kept.is_some() || request.pool.rows <= request.limits.in_memory {
        return pipeline::label(request, &mut Stages::new(observer, stages));
    }
    label_part(request, &mut Stages::new(observer, stages + STAGES))
}

/// What to label first, in a pool without any label; of one beyond memory, in a random part of it.
///
/// # Errors
/// When all instances are the same, one has no direction, or the observer asks to stop.
///
/// ```
/// use trustpath::Features;
/// use trustpath::label_first;
/// use trustpath::NoObserver;
///
/// // Three groups around three axes: one instance of each is to be labelled first.
/// let noise = |at: usize| 0.1 * ((at * at) as f32).sin();
/// let values: Vec<f32> =
///     (0..60 * 4).map(|at| f32::from(u8::from(at % 4 == at / 4 % 3)) + noise(at)).collect();
/// let features = Features::new(&values[..], 60, 4)?;
/// let mut first = label_first(&features, 3, &mut NoObserver)?;
/// first.iter_mut().for_each(|row| *row %= 3);
/// first.sort_unstable();
/// assert_eq!(first, [0, 1, 2]);
/// # Ok::<(), trustpath::Error>(())
/// ```
pub fn label_first(features: &Features<'_>, batch: usize, observer: &mut dyn Observer) -> Result<Vec<usize>> {
    let (rows, most) = (features.rows(), Limits::default().in_memory);
    if rows <= most {
        let mut stages = Stages::new(observer, 2);
        let represented = Represented::in_stage(features, &mut stages)?;
        stages.next("choosing what to label")?;
        return Ok(represented.label_first(batch));
    }
    let mut stages = Stages::new(observer, 3);
    stages.next("reading a part of the pool")?;
    let below = (most as f64 / rows as f64 * 2.0f64.powi(64)) as u64;
    let part: Vec<usize> = (0..rows).filter(|&row| hash(0, row) < below).collect();
    let values = gather(features, &part, &stages)?;
    let represented = Represented::in_stage(&Features::new(&values[..], part.len(), features.dims())?, &mut stages)?;
    stages.next("choosing what to label")?;
    Ok(represented.label_first(batch).into_iter().map(|place| part[place]).collect())
}

/// Labels a part of a pool, and predicts the rest.
fn label_part(request: &Request<'_>, stages: &mut Stages<'_>) -> Result<Labelling> {
    let Request { features, pool, spec, limits, .. } = request;
    stages.next("reading a part of the pool")?;
    let part = choose(request);
    let values = gather(features, &part, stages)?;
    let given = pool.given_labels();
    let labels: Vec<Option<usize>> = part.iter().map(|&row| given[row]).collect();
    let none: Vec<usize> = pool.none.iter().filter_map(|row| part.binary_search(row).ok()).collect();
    let of_part = Features::new(&values[..], part.len(), features.dims())?;
    let request_of_part =
        Request { features: &of_part, pool: pool.part(&part, &labels, &none)?, spec, limits: *limits, kept: None };
    let mut labelling = pipeline::label(&request_of_part, stages)?;
    drop(values);
    stages.next("predicting the rest")?;
    spread(&mut labelling, part, pool);
    for rows in blocks(pool.rows) {
        stages.check_stop()?;
        let first = rows.start;
        let predicted = labelling.model.predict_rows(features, rows, None)?;
        for (at, predicted) in predicted.into_iter().enumerate() {
            let row = first + at;
            if labelling.place(row).is_none() {
                labelling.set(row, predicted, given[row]);
            }
        }
    }
    let trusted = labelling.verdicts.iter().enumerate();
    let trusted = trusted.filter(|(_, verdict)| **verdict == Verdict::Trusted);
    labelling.trusted.rows = trusted.map(|(row, _)| row).collect();
    Ok(labelling)
}

/// The rows of the part, ascending: those with a given label, as many as may take up half of the part but twenty of every class, and
/// others by their hash.
fn choose(request: &Request<'_>) -> Vec<usize> {
    let Request { pool, spec, limits, .. } = request;
    let places = limits.to_give(&pool.labels, pool.classes);
    let mut part: Vec<usize> = places.into_iter().map(|at| pool.given[at]).collect();
    part.extend(&pool.none);
    let wanted = limits.in_memory.saturating_sub(part.len()).max(limits.in_memory / 2);
    let share = wanted as f64 / pool.open.len().max(1) as f64;
    let below = (share * 2.0f64.powi(64)) as u64;
    part.extend(pool.open.iter().copied().filter(|&row| share >= 1.0 || hash(spec.seed, row) < below));
    part.sort_unstable();
    part
}

/// The features of these rows, which are ascending.
pub(crate) fn gather(features: &Features<'_>, rows: &[usize], stages: &Stages<'_>) -> Result<Vec<f64>> {
    let d = features.dims();
    let mut values = Vec::with_capacity(rows.len() * d);
    let mut block = vec![0.0; BLOCK.min(features.rows()) * d];
    for rows in rows.chunk_by(|a, b| a / BLOCK == b / BLOCK) {
        stages.check_stop()?;
        let first = rows[0] / BLOCK * BLOCK;
        let block = &mut block[..BLOCK.min(features.rows() - first) * d];
        features.block(first, block)?;
        let row = |row: &usize| &block[(row - first) * d..(row - first + 1) * d];
        rows.iter().for_each(|at| values.extend_from_slice(row(at)));
    }
    Ok(values)
}

/// Puts what was found in the part into the order of all rows, where it is kept for all.
fn spread(labelling: &mut Labelling, part: Vec<usize>, pool: &Pool) {
    fn by_row<T: Copy>(values: &mut Vec<T>, part: &[usize], rows: usize, others: T) {
        let mut all = vec![others; rows];
        part.iter().zip(values.iter()).for_each(|(&row, &value)| all[row] = value);
        *values = all;
    }
    by_row(&mut labelling.labels, &part, pool.rows, None);
    by_row(&mut labelling.probability, &part, pool.rows, 0.0);
    by_row(&mut labelling.credibility, &part, pool.rows, 0.0);
    by_row(&mut labelling.judged_as, &part, pool.rows, 0);
    by_row(&mut labelling.rival, &part, pool.rows, 0);
    by_row(&mut labelling.verdicts, &part, pool.rows, Verdict::Doubtful);
    labelling.suggestions.iter_mut().for_each(|suggestion| suggestion.row = part[suggestion.row]);
    labelling.part = Some(part);
}

impl Labelling {
    /// Sets what was predicted for a row, or keeps the label that was given to it.
    fn set(&mut self, row: usize, predicted: PredictedRow, given: Option<usize>) {
        self.labels[row] = given.or(predicted.label);
        self.judged_as[row] = given.unwrap_or(predicted.judged_as);
        self.probability[row] = if given.is_some() { 1.0 } else { predicted.probability };
        self.verdicts[row] = if given.is_some() { Verdict::Given } else { predicted.verdict };
        // The judgement of a given label that is not the predicted one is turned round: that one competes with it.
        let contradicts = given.is_some_and(|label| label != predicted.judged_as);
        self.credibility[row] = if contradicts { 1.0 - predicted.credibility } else { predicted.credibility };
        self.rival[row] = if contradicts { predicted.judged_as } else { predicted.rival };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::spec::LabelSpec;
    use crate::{BlockSource, audit, label, random_order};

    const ROWS: usize = 1500;
    const DIMS: usize = 12;
    const CLASSES: usize = 4;

    fn values() -> Vec<f32> {
        let mut random = Random::stream(3, 0);
        let value = |at: usize| {
            let lean = if at % DIMS % CLASSES == at / DIMS % CLASSES { 1.0 } else { 0.0 };
            (lean + 0.6 * random.normal()).max(0.0) as f32 + 0.01
        };
        (0..ROWS * DIMS).map(value).collect()
    }

    fn limits() -> Limits {
        Limits { in_memory: 300, ..Limits::default() }
    }

    #[derive(Debug)]
    struct Stored(Vec<f32>);

    impl BlockSource for Stored {
        fn read(&self, first: usize, out: &mut [f32]) -> std::result::Result<(), String> {
            out.copy_from_slice(&self.0[first * DIMS..][..out.len()]);
            Ok(())
        }
    }

    #[test]
    fn a_large_pool_is_labelled_in_part_and_the_rest_predicted() {
        let values = values();
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let given: Vec<Option<usize>> = (0..ROWS).map(|row| (row % 50 < CLASSES).then_some(row % CLASSES)).collect();
        let spec = LabelSpec { suggest: 6, ..LabelSpec::default() };
        let labelling = label(&features, &given).spec(&spec).limits(limits()).run().unwrap();
        let random: Vec<usize> = labelling.suggestions.iter().skip(1).step_by(2).map(|next| next.row).collect();
        let order = random_order(spec.seed, ROWS).into_iter().filter(|&row| given[row].is_none());
        assert_eq!(random, order.take(3).collect::<Vec<usize>>(), "the next of the whole pool");
        let part = labelling.part.clone().unwrap();
        assert!((250..350).contains(&part.len()) && part.is_sorted());
        assert!((0..ROWS).filter(|&row| given[row].is_some()).all(|row| part.contains(&row)));
        // The part is labelled as it would be alone.
        let of_part: Vec<f32> = part.iter().flat_map(|row| &values[row * DIMS..(row + 1) * DIMS]).copied().collect();
        let of_part = Features::new(&of_part[..], part.len(), DIMS).unwrap();
        let given_of_part: Vec<Option<usize>> = part.iter().map(|&row| given[row]).collect();
        let alone = label(&of_part, &given_of_part).run().unwrap();
        for (place, &row) in part.iter().enumerate() {
            assert_eq!(
                (labelling.labels[row], labelling.verdicts[row], labelling.probability[row]),
                (alone.labels[place], alone.verdicts[place], alone.probability[place])
            );
            assert_eq!((labelling.place(row), labelling.row(place)), (Some(place), row));
        }
        // The others are as the model predicts them.
        let predicted = alone.model.predict(&features).unwrap();
        let others: Vec<usize> = (0..ROWS).filter(|&row| labelling.place(row).is_none()).collect();
        for &row in &others {
            assert_eq!(
                (labelling.labels[row], labelling.verdicts[row], labelling.rival[row]),
                (predicted.labels[row], predicted.verdicts[row], predicted.rival[row])
            );
            assert_eq!(labelling.nearest_to(row).count(), 0);
        }
        let right = others.iter().filter(|&&row| labelling.labels[row] == Some(row % CLASSES)).count();
        assert!(right * 10 > 9 * others.len(), "{right} of {}", others.len());
        let trusted = (0..ROWS).filter(|&row| labelling.verdicts[row] == Verdict::Trusted);
        assert!(trusted.eq(labelling.trusted.rows.iter().copied()));
        // Rows that are read from a file, on another number of threads.
        let stored = Stored(values.clone());
        let blocks = Features::blocks(&stored, ROWS, DIMS).unwrap();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let again = threads.install(|| label(&blocks, &given).limits(limits()).run()).unwrap();
        assert_eq!((&again.labels, &again.probability), (&labelling.labels, &labelling.probability));
        assert_eq!((&again.credibility, &again.part), (&labelling.credibility, &labelling.part));
    }

    #[test]
    fn the_labels_of_a_large_pool_are_audited_by_a_part() {
        let values = values();
        let features = Features::new(&values[..], ROWS, DIMS).unwrap();
        let is_wrong = |row: usize| row.is_multiple_of(25);
        let of_row = |row: usize| (row + usize::from(is_wrong(row))) % CLASSES;
        let labels: Vec<usize> = (0..ROWS).map(of_row).collect();
        let audited = audit(&features, &labels).limits(limits()).run().unwrap();
        let part = audited.part.clone().unwrap();
        assert!((250..350).contains(&part.len()) && audited.coordinates.len() == part.len());
        let first = &audited.ranking[..ROWS / 25];
        let right = first.iter().filter(|&&row| is_wrong(row)).count();
        assert!(right * 10 > 8 * first.len(), "{right} of {}", first.len());
        let outside = first.iter().filter(|&&row| audited.place(row).is_none()).count();
        assert!(outside * 2 > first.len());
        let wrong = audited.wrong.unwrap();
        assert!((30.0..110.0).contains(&wrong.count), "{wrong:?}");
    }
}
