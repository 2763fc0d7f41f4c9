//! What happens from update to update while somebody labels what is suggested, from nothing: six batches of as many labels as classes.

use std::fmt;

use rayon::prelude::*;
use trustpath::label::Suggestion;
use trustpath::represent::Represented;
use trustpath::spec::LabelSpec;
use trustpath::{NoObserver, Origin, label};
use trustpath_bench::pools::{KnownPool, share, shuffled_classes};
use trustpath_bench::{FeatureTable, Random, Result};

/// Batches of labels.
const UPDATES: usize = 6;
/// Instances of a class.
const PER_CLASS: usize = 60;
/// A change of the trusted share that counts as a jump.
const JUMP: f64 = 0.4;

/// What is labelled next.
#[derive(Debug, Clone, Copy)]
pub enum Strategy {
    /// Random instances.
    Random,
    /// What is suggested: in turn useful and random.
    Suggested,
    /// The useful ones of what is suggested, whose labels are taken to be of unknown origin.
    Useful,
}

impl Strategy {
    pub const ALL: [(&str, Self); 3] =
        [("random", Self::Random), ("suggested", Self::Suggested), ("useful alone, origin unknown", Self::Useful)];
}

/// After an update: accuracy on the unlabelled, share of them that is trusted, and the share of wrong ones among the trusted.
type UpdateOutcome = (f64, f64, Option<f64>);

/// The sessions of a row of the table.
pub struct Sessions(Vec<Vec<UpdateOutcome>>);

impl Sessions {
    pub const COLUMNS: &str = "features | classes | labels | accuracy after 2, 4, 6 updates | coverage | jumps of more than 40 points | draws above 10 % | wrong where trusted";

    pub fn measure(table: &FeatureTable, classes: usize, strategy: Strategy, draws: u64) -> Result<Self> {
        let session = |seed| session(table, classes, strategy, seed);
        Ok(Self((0..draws).into_par_iter().map(session).collect::<Result<_>>()?))
    }
}

fn session(table: &FeatureTable, classes: usize, strategy: Strategy, seed: u64) -> Result<Vec<UpdateOutcome>> {
    let mut random = Random::stream(seed, 77);
    let drawn = shuffled_classes(table, classes, &mut random);
    let batch = drawn.len();
    let mut pool = KnownPool { values: Vec::new(), truth: Vec::new(), given: Vec::new(), classes: batch };
    for (class, (_, rows)) in drawn.iter().enumerate() {
        for &row in rows.iter().take(PER_CLASS) {
            pool.values.extend_from_slice(table.row(row));
            pool.truth.push(class);
        }
    }
    let rows = pool.truth.len();
    let features = pool.features()?;
    let represented = Represented::of(&features, &mut NoObserver)?;
    let mut known = vec![false; rows];
    let mut origins = vec![Origin::Unknown; rows];
    let first = represented.label_first(batch).into_iter();
    let mut next: Vec<Suggestion> = first.map(|row| Suggestion { row, origin: Origin::Chosen }).collect();
    let mut updates = Vec::new();
    for _ in 0..UPDATES {
        if let Strategy::Random = strategy {
            let left: Vec<usize> = (0..rows).filter(|&row| !known[row]).collect();
            let of = |row| Suggestion { row, origin: Origin::Random };
            next = random.choose(&left, batch).into_iter().map(of).collect();
        }
        for suggestion in next.iter().filter(|s| !matches!(strategy, Strategy::Useful) || s.origin == Origin::Chosen) {
            known[suggestion.row] = true;
            if !matches!(strategy, Strategy::Useful) {
                origins[suggestion.row] = suggestion.origin;
            }
        }
        // Classes that were met are numbered from 0.
        let mut met: Vec<usize> = (0..rows).filter(|&row| known[row]).map(|row| pool.truth[row]).collect();
        met.sort_unstable();
        met.dedup();
        let number = |row: usize| met.binary_search(&pool.truth[row]).ok();
        let given: Vec<Option<usize>> = (0..rows).map(|row| number(row).filter(|_| known[row])).collect();
        let suggest = if let Strategy::Useful = strategy { 2 * batch } else { batch };
        let spec = LabelSpec { suggest, ..LabelSpec::default() };
        let request = label(&features, &given).classes(met.len()).origins(&origins).spec(&spec).on(&represented);
        let labelling = request.run()?;
        let open: Vec<usize> = (0..rows).filter(|&row| !known[row]).collect();
        let accuracy = share(&open, |row| number(row) == Some(labelling.judged_as[row])).unwrap_or(0.0);
        let trusted = &labelling.trusted.rows;
        let wrong = share(trusted, |row| labelling.labels[row] != number(row));
        updates.push((accuracy, trusted.len() as f64 / open.len() as f64, wrong));
        next = labelling.suggestions;
    }
    Ok(updates)
}

impl fmt::Display for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |values: Vec<f64>| 100.0 * values.iter().sum::<f64>() / values.len().max(1) as f64;
        let is = |yes: bool| f64::from(u8::from(yes));
        let after = |which: &dyn Fn(&UpdateOutcome) -> f64| {
            let mean = |at: usize| percent(self.0.iter().map(|updates| which(&updates[at])).collect());
            [1, 3, 5].map(|at| format!("{:.0}", mean(at))).join(", ")
        };
        let all = || self.0.iter().flatten();
        let changes = self.0.iter().flat_map(|updates| updates.windows(2).map(|pair| pair[1].1 - pair[0].1));
        let jumps = percent(changes.map(|change| is(change.abs() > JUMP)).collect());
        let above = percent(all().map(|update| is(update.2.is_some_and(|wrong| wrong > 0.1))).collect());
        let wrong = percent(all().filter_map(|update| update.2).collect());
        let (accuracy, coverage) = (after(&|update| update.0), after(&|update| update.1));
        write!(f, "{accuracy} | {coverage} | {jumps:.1} | {above:.1} | {wrong:.1} |")
    }
}
