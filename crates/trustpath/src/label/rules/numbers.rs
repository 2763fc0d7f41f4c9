//! Rules as numbers, one after the other, so that they can be sent to another machine.

use super::{PoolRules, Ranked};
use crate::classify::LogisticModel;
use crate::judge::FrozenPath;
use crate::label::trusted::TrustRule;
use crate::trust::{
    Discount, GroupTable, HiddenScores, NoveltyRule, PValueTable, RankedBy, RightCurve,
};
use crate::{Error, Matrix, Result};

impl PoolRules {
    /// All numbers of the rules.
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut to = Writer::default();
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
        to.0
    }

    /// Rules from their numbers.
    ///
    /// # Errors
    /// [`Error::Shape`] where the numbers are not those of rules.
    pub fn from_numbers(numbers: &[f64]) -> Result<Self> {
        let mut from = Reader { left: numbers, all: numbers.len() };
        let rules = Self {
            classifier: LogisticModel { weights: from.matrix()?, intercept: from.list()? },
            path: FrozenPath { lambda: from.list()?, beta: from.each(Reader::matrix)? },
            ranked: Ranked { sorted: from.list()?, share: from.number()? },
            ranked_by: match from.number()? {
                1.0 => RankedBy::Probability,
                _ => RankedBy::Credibility,
            },
            curve: RightCurve::from_parts(from.number()?, from.number()?, from.pairs()?),
            trusted: match (from.number()?, from.number()?) {
                (0.0, share) => TrustRule::Share(share),
                (1.0, cut) => TrustRule::Credibility(cut),
                _ => TrustRule::Nothing,
            },
            discount: from
                .each(|from| Ok(Discount { sorted: from.list()?, known: from.number()? }))?
                .pop(),
            novelty: from
                .each(|from| {
                    Ok(NoveltyRule {
                        equal: from.table()?,
                        weighted: from.table()?,
                        density: from.pairs()?,
                        known: from.number()?,
                        cut: from.number()?,
                    })
                })?
                .pop(),
            picked: from.number()? != 0.0,
        };
        match from.left.is_empty() {
            true => Ok(rules),
            false => Err(from.unfit()),
        }
    }
}

/// Numbers that are written.
#[derive(Default)]
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
        if (0.0..=self.all as f64).contains(&count) {
            Ok(count as usize)
        } else {
            Err(self.unfit())
        }
    }

    fn list(&mut self) -> Result<Vec<f64>> {
        let count = self.count()?;
        self.take(count)
    }

    fn pairs(&mut self) -> Result<Vec<(f64, f64)>> {
        Ok(self.list()?.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
    }

    fn matrix(&mut self) -> Result<Matrix> {
        let (rows, cols) = (self.count()?, self.count()?);
        let values = self.take(rows.saturating_mul(cols))?;
        Matrix::from_vec(rows, cols, values)
    }

    fn each<T>(&mut self, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        (0..self.count()?).map(|_| read(self)).collect()
    }

    fn table(&mut self) -> Result<PValueTable> {
        let hidden =
            |from: &mut Self| Ok(HiddenScores { scores: from.list()?, sums: from.list()? });
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
