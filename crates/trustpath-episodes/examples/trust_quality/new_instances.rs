//! Whether what a model says about new instances is true: a pool is labelled, a model is trained on it, and instances of the same
//! classes that were not in the pool are predicted.

use std::fmt;

use trustpath::label::Verdict;
use trustpath::spec::LabelSpec;
use trustpath::{Features, label};
use trustpath_episodes::{FeatureTable, Result};

use crate::cases::{Case, Draw};
use crate::measure::{mean_and_error, share};

/// Rows of each class that are in the pool; the others are new.
const IN_POOL: usize = 40;

/// One draw.
struct Outcome {
    /// Share of the new instances of labelled classes whose label is right.
    accuracy: f64,
    /// Share of wrong ones among the trusted labels of the pool and among the trusted predictions, and the share that is trusted.
    pool: (f64, f64),
    new: (f64, f64),
    /// Share of predictions that are none of these; false ones among them; share of novel instances found.
    none: (f64, Option<f64>, Option<f64>),
}

/// A row of the table.
pub struct NewCell(Vec<Outcome>);

impl NewCell {
    pub const HEAD: &str = "| features | case | accuracy | pool: wrong at 0.9 (coverage) | new: wrong at 0.9 (coverage) | none of these | false | recall |\n|---|---|---|---|---|---|---|---|";

    pub fn measure(table: &FeatureTable, case: &Case, draws: u64) -> Result<Option<Self>> {
        // A case of small classes leaves no instance for later.
        if case.per_class <= IN_POOL {
            return Ok(None);
        }
        let mut outcomes = Vec::new();
        for seed in 0..draws {
            match case.draw(table, seed) {
                Some(draw) => outcomes.push(Outcome::of(&draw, table.dims(), seed)?),
                None => return Ok(None),
            }
        }
        Ok(Some(Self(outcomes)))
    }
}

impl Outcome {
    fn of(draw: &Draw, dims: usize, seed: u64) -> Result<Self> {
        let (pool, new) = split(draw, dims);
        let features = Features::new(&pool.values[..], pool.truth.len(), dims)?;
        let spec = LabelSpec { seed, precision: Some(0.9), ..Default::default() };
        let found = label(&features, &pool.given).classes(pool.classes).spec(&spec).run()?;
        let trusted = &found.trusted.rows;
        let open = pool.given.iter().filter(|label| label.is_none()).count();
        let wrong = share(trusted, |i| found.labels[i] != Some(pool.truth[i])).unwrap_or(0.0);
        let in_pool = (wrong, trusted.len() as f64 / open as f64);

        let features = Features::new(&new.values[..], new.truth.len(), dims)?;
        let predicted = found.model.predict(&features)?;
        let rows = |is: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..new.truth.len()).filter(|&i| is(i)).collect()
        };
        let right = |i: usize| predicted.labels[i] == Some(new.truth[i]);
        let is_none = |i: usize| predicted.verdicts[i] == Verdict::NoneOfThese;
        let is_known = |i: usize| new.truth[i] < new.classes;
        let trusted = rows(&|i| predicted.verdicts[i] == Verdict::Trusted);
        let none = rows(&is_none);
        let total = new.truth.len() as f64;
        Ok(Self {
            accuracy: share(&rows(&is_known), right).unwrap_or(0.0),
            pool: in_pool,
            new: (share(&trusted, |i| !right(i)).unwrap_or(0.0), trusted.len() as f64 / total),
            none: (
                none.len() as f64 / total,
                share(&none, is_known),
                share(&rows(&|i| !is_known(i)), is_none),
            ),
        })
    }
}

/// Splits every class: its first rows, the given ones among them, and the others.
fn split(draw: &Draw, dims: usize) -> (Draw, Draw) {
    let empty =
        || Draw { values: Vec::new(), truth: Vec::new(), given: Vec::new(), classes: draw.classes };
    let mut parts = (empty(), empty());
    let mut seen = vec![0; draw.truth.iter().max().map_or(0, |class| class + 1)];
    for ((row, &class), &given) in draw.values.chunks(dims).zip(&draw.truth).zip(&draw.given) {
        let part = if seen[class] < IN_POOL { &mut parts.0 } else { &mut parts.1 };
        seen[class] += 1;
        part.values.extend_from_slice(row);
        part.truth.push(class);
        part.given.push(given);
    }
    parts
}

impl fmt::Display for NewCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |read: &dyn Fn(&Outcome) -> Option<f64>| {
            mean_and_error(&self.0.iter().filter_map(read).collect::<Vec<f64>>())
        };
        write!(f, "{:.1} |", of(&|o| Some(o.accuracy)).0)?;
        let mut trusted = |part: &dyn Fn(&Outcome) -> (f64, f64)| {
            let (wrong, error) = of(&|o| Some(part(o).0));
            write!(f, " {wrong:.1} ± {error:.1} ({:.0}) |", of(&|o| Some(part(o).1)).0)
        };
        trusted(&|o| o.pool)?;
        trusted(&|o| o.new)?;
        write!(f, " {:.1} |", of(&|o| Some(o.none.0)).0)?;
        let optional: [fn(&Outcome) -> Option<f64>; 2] = [|o| o.none.1, |o| o.none.2];
        for part in optional {
            match of(&part).0 {
                mean if mean.is_nan() => write!(f, " – |")?,
                mean => write!(f, " {mean:.1} |")?,
            }
        }
        Ok(())
    }
}
