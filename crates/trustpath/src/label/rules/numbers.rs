//! Rules as numbers, one after the other, so that they can be sent to another machine.

use super::{PoolRules, Ranked};
use crate::classify::LogisticModel;
use crate::judge::FrozenPath;
use crate::label::trusted::TrustRule;
use crate::trust::{
    Discount, GroupTable, HiddenScores, NoveltyRule, PValueTable, RankedBy, RightCurve,
};
use crate::{Error, Matrix, Result};

/// The first number, which changes whenever others are added or mean something else.
const FORMAT: f64 = 1.0;

impl PoolRules {
    /// All numbers of the rules.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut to = Writer(vec![FORMAT]);
        to.matrix(&self.classifier.weights);
        to.list(&self.classifier.intercept);
        to.list(&self.path.lambda);
        to.each(&self.path.beta, |to, beta| to.matrix(beta));
        to.list(&self.ranked.sorted);
        to.0.push(self.ranked.share);
        to.0.push(self.ranked_by as usize as f64);
        let (intercept, slope, known) = self.curve.parts();
        to.0.extend([intercept, slope]);
        to.pairs(known);
        let (kind, value) = match self.trusted {
            TrustRule::Share(share) => (0.0, share),
            TrustRule::Credibility(cut) => (1.0, cut),
            TrustRule::Nothing => (2.0, 0.0),
        };
        to.0.extend([kind, value]);
        to.each(self.discount.as_slice(), |to, discount| {
            to.list(&discount.sorted);
            to.0.push(discount.known);
        });
        to.each(self.novelty.as_slice(), |to, rule| {
            to.table(&rule.equal);
            to.table(&rule.weighted);
            to.pairs(&rule.density);
            to.0.extend([rule.known, rule.cut]);
        });
        to.0.push(f64::from(u8::from(self.picked)));
        to.each(self.folds.as_slice(), |to, folds| to.0.push(*folds as f64));
        to.0
    }

    /// Rules from their numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] where the numbers are not those of rules.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self> {
        let mut from = Reader { left: numbers, all: numbers.len() };
        if from.number()? != FORMAT {
            return Err(from.unfit());
        }
        let rules = Self {
            classifier: LogisticModel { weights: from.matrix()?, intercept: from.list()? },
            path: FrozenPath { lambda: from.list()?, beta: from.each(Reader::matrix)? },
            ranked: Ranked { sorted: from.list()?, share: from.number()? },
            ranked_by: *RankedBy::ALL.get(from.count()?).ok_or_else(|| from.unfit())?,
            curve: RightCurve::from_parts(from.number()?, from.number()?, from.pairs()?),
            trusted: match (from.number()?, from.number()?) {
                (0.0, share) => TrustRule::Share(share),
                (1.0, cut) => TrustRule::Credibility(cut),
                (2.0, _) => TrustRule::Nothing,
                _ => return Err(from.unfit()),
            },
            discount: from
                .option(|from| Ok(Discount { sorted: from.list()?, known: from.number()? }))?,
            novelty: from.option(|from| {
                Ok(NoveltyRule {
                    equal: from.table()?,
                    weighted: from.table()?,
                    density: from.pairs()?,
                    known: from.number()?,
                    cut: from.number()?,
                })
            })?,
            picked: match from.number()? {
                0.0 => false,
                1.0 => true,
                _ => return Err(from.unfit()),
            },
            folds: from.option(Reader::count)?,
        };
        match from.left.is_empty() && rules.fit_together() {
            true => Ok(rules),
            false => Err(from.unfit()),
        }
    }

    /// Whether all parts are of the same classes, coordinates and folds.
    fn fit_together(&self) -> bool {
        let (classes, dims) = (self.classifier.weights.rows(), self.classifier.weights.cols());
        let FrozenPath { lambda, beta } = &self.path;
        let judged = self.path.dims();
        let tables = self.novelty.iter().flat_map(|rule| [&rule.equal, &rule.weighted]);
        let mut groups = tables.flat_map(|table| &table.groups);
        classes > 1
            && self.classifier.intercept.len() == classes
            && lambda.len() == beta.len()
            && (1..=dims).contains(&judged)
            && beta.iter().all(|beta| (beta.rows(), beta.cols()) == (judged, classes))
            && groups.all(|group| Some(group.folds.len()) == self.folds)
    }
}

/// Numbers that are written.
struct Writer(Vec<f64>);

impl Writer {
    fn list(&mut self, values: &[f64]) {
        self.0.push(values.len() as f64);
        self.0.extend_from_slice(values);
    }

    fn pairs(&mut self, pairs: &[(f64, f64)]) {
        self.list(&pairs.iter().flat_map(|&(a, b)| [a, b]).collect::<Vec<f64>>());
    }

    fn matrix(&mut self, matrix: &Matrix) {
        self.0.extend([matrix.rows() as f64, matrix.cols() as f64]);
        self.0.extend_from_slice(matrix.as_slice());
    }

    fn each<T>(&mut self, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.0.push(items.len() as f64);
        items.iter().for_each(|item| write(self, item));
    }

    fn table(&mut self, table: &PValueTable) {
        self.each(&table.groups, |to, group| {
            to.0.extend([group.share, group.own, group.all, group.least]);
            to.each(&group.folds, |to, hidden| {
                to.list(&hidden.scores);
                to.list(&hidden.sums);
            });
        });
    }
}

/// Numbers that are read.
struct Reader<'a> {
    left: &'a [f64],
    all: usize,
}

impl Reader<'_> {
    fn unfit(&self) -> Error {
        Error::Shape {
            rows: 1,
            dims: self.all,
            expected: self.all - self.left.len(),
            given: self.all,
        }
    }

    fn take(&mut self, count: usize) -> Result<Vec<f64>> {
        let Some((taken, left)) = self.left.split_at_checked(count) else {
            return Err(self.unfit());
        };
        self.left = left;
        Ok(taken.to_vec())
    }

    fn number(&mut self) -> Result<f64> {
        Ok(self.take(1)?[0])
    }

    fn count(&mut self) -> Result<usize> {
        let count = self.number()?;
        // More than there are numbers is no count.
        match (0.0..=self.all as f64).contains(&count) && count.fract() == 0.0 {
            true => Ok(count as usize),
            false => Err(self.unfit()),
        }
    }

    fn list(&mut self) -> Result<Vec<f64>> {
        let count = self.count()?;
        self.take(count)
    }

    fn pairs(&mut self) -> Result<Vec<(f64, f64)>> {
        let list = self.list()?;
        let (pairs, rest) = list.as_chunks::<2>();
        match rest.is_empty() {
            true => Ok(pairs.iter().map(|&[a, b]| (a, b)).collect()),
            false => Err(self.unfit()),
        }
    }

    fn matrix(&mut self) -> Result<Matrix> {
        let (rows, cols) = (self.count()?, self.count()?);
        let values = self.take(rows.saturating_mul(cols))?;
        Matrix::from_vec(rows, cols, values)
    }

    fn each<T>(&mut self, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        (0..self.count()?).map(|_| read(self)).collect()
    }

    fn option<T>(&mut self, read: impl Fn(&mut Self) -> Result<T>) -> Result<Option<T>> {
        match self.count()? {
            0 => Ok(None),
            1 => read(self).map(Some),
            _ => Err(self.unfit()),
        }
    }

    fn table(&mut self) -> Result<PValueTable> {
        let hidden = |from: &mut Self| {
            let (scores, sums) = (from.list()?, from.list()?);
            match scores.len() == sums.len() {
                true => Ok(HiddenScores { scores, sums }),
                false => Err(from.unfit()),
            }
        };
        let group = |from: &mut Self| {
            Ok(GroupTable {
                share: from.number()?,
                own: from.number()?,
                all: from.number()?,
                least: from.number()?,
                folds: from.each(hidden)?,
            })
        };
        Ok(PValueTable { groups: self.each(group)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::Calibration;

    /// Rules of three classes in four coordinates, in an open pool with two folds.
    fn rules() -> PoolRules {
        let hidden = HiddenScores { scores: vec![0.5, 0.2], sums: vec![1.0, 2.0] };
        let group =
            GroupTable { share: 1.0, own: 1.0, all: 2.0, least: 0.0, folds: vec![hidden; 2] };
        let table = PValueTable { groups: vec![group] };
        PoolRules {
            classifier: LogisticModel { weights: Matrix::zeros(3, 4), intercept: vec![0.0; 3] },
            path: FrozenPath { lambda: vec![1.0, 0.5], beta: vec![Matrix::zeros(2, 3); 2] },
            ranked: Ranked::new(&[0.3, 0.9], 1.0),
            ranked_by: RankedBy::Probability,
            curve: RightCurve::of(&Calibration::default()),
            trusted: TrustRule::Credibility(0.5),
            discount: Some(Discount { sorted: vec![0.4], known: 0.9 }),
            novelty: Some(NoveltyRule {
                equal: table.clone(),
                weighted: table,
                density: vec![(1.0, 1.0)],
                known: 0.9,
                cut: 0.1,
            }),
            picked: false,
            folds: Some(2),
        }
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        let read = |rules: &PoolRules| PoolRules::from_numbers(&rules.to_numbers());
        let sound = rules();
        assert_eq!(read(&sound).unwrap(), sound);
        let changes: [fn(&mut PoolRules); 8] = [
            |rules| rules.classifier.intercept = vec![0.0; 2],
            |rules| rules.classifier.weights = Matrix::zeros(2, 4),
            |rules| rules.classifier.weights = Matrix::zeros(3, 1),
            |rules| rules.path.lambda = vec![1.0],
            |rules| rules.path.beta[1] = Matrix::zeros(2, 2),
            |rules| rules.folds = Some(3),
            |rules| rules.folds = None,
            |rules| {
                let rule = rules.novelty.as_mut().unwrap();
                rule.weighted.groups[0].folds[1].sums = vec![1.0];
            },
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let mut rules = rules();
            change(&mut rules);
            assert!(matches!(read(&rules), Err(Error::Shape { .. })), "{at}");
        }
    }

    #[test]
    fn numbers_that_mean_nothing_are_refused() {
        let numbers = rules().to_numbers();
        let refused = |at: usize, value: f64| {
            let mut numbers = numbers.clone();
            numbers[at] = value;
            assert!(PoolRules::from_numbers(&numbers).is_err(), "{value} at {at}");
        };
        refused(0, FORMAT + 1.0);
        // The shape of the classifier, then 12 weights and 3 intercepts, the grid, two matrices of the path, and two ranked scores.
        refused(1, 2.5);
        let ranked_by = 1 + 2 + 12 + 4 + 3 + 1 + 2 * (2 + 6) + 3 + 1;
        assert_eq!(numbers[ranked_by], 1.0);
        refused(ranked_by, 2.0);
        refused(ranked_by, f64::NAN);
        // Intercept and slope of the curve, then the pairs of its known shares.
        let pairs = ranked_by + 3;
        let trusted = pairs + 1 + numbers[pairs] as usize;
        assert_eq!(numbers[trusted..trusted + 3], [1.0, 0.5, 1.0]);
        refused(trusted, 3.0);
        // Two discounts.
        refused(trusted + 2, 2.0);
        // Whether labels were picked, and the folds.
        refused(numbers.len() - 3, 0.5);
        refused(numbers.len() - 1, 1.5);
        let mut odd = Writer(Vec::new());
        odd.list(&[1.0, 2.0, 3.0]);
        assert!(Reader { left: &odd.0, all: odd.0.len() }.pairs().is_err());
    }
}
