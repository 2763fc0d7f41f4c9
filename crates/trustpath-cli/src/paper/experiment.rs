//! One cell of a table: shots, unlabeled instances and method, 5-way with 15 queries per class.

use trustpath_bench::SelfTrainingSpec;
use trustpath_bench::judges::Selector;
use trustpath_bench::{Distractors, EpisodeShape, Setting, Split, Unlabeled};

/// Where the unlabeled instances come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolKind {
    /// They are the queries; all of them are selected in the end.
    Transductive,
    /// 15 per class in addition to the queries; at most 15 per class are selected.
    Semi15,
    /// 30 per class at 1 shot and 50 at 5 shots (or what is left of the class); at most 25 and 45 are selected.
    SemiMore,
}

impl PoolKind {
    /// Its name in the paper's tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transductive => "Tran.",
            Self::Semi15 => "Semi. 15/15",
            Self::SemiMore => "Semi. 30/50",
        }
    }

    /// The setting, and the largest number of selected instances per class.
    fn setting(self, shot: usize) -> (Setting, Option<usize>) {
        let (unlabeled, cap) = match (self, shot) {
            (Self::Transductive, _) => return (Setting::Transductive, None),
            (Self::Semi15, _) => (Unlabeled::Exactly(15), 15),
            (Self::SemiMore, 1) => (Unlabeled::UpTo(30), 25),
            (Self::SemiMore, _) => (Unlabeled::UpTo(50), 45),
        };
        let distractors = Distractors::default();
        (Setting::SemiSupervised { unlabeled, distractors }, Some(cap))
    }
}

/// A method that is run over many episodes.
#[derive(Debug, Clone)]
pub struct Experiment {
    pub split: Split,
    pub shot: usize,
    pub pool: PoolKind,
    pub method: SelfTrainingSpec,
}

impl Experiment {
    /// The paper's ICI-R on novel classes.
    pub fn new(shot: usize, pool: PoolKind) -> Self {
        let method = SelfTrainingSpec { cap: pool.setting(shot).1, ..SelfTrainingSpec::default() };
        Self { split: Split::Novel, shot, pool, method }
    }

    pub fn with(mut self, change: impl FnOnce(&mut SelfTrainingSpec)) -> Self {
        change(&mut self.method);
        self
    }

    pub fn task(&self) -> EpisodeShape {
        EpisodeShape { shot: self.shot, setting: self.pool.setting(self.shot).0, ..EpisodeShape::default() }
    }

    /// Its name in the progress bar.
    pub fn name(&self) -> String {
        let SelfTrainingSpec { model, selector, classifier, reduction, dim, step, alpha, .. } = &self.method;
        let model = match selector {
            Selector::Ici => format!("{model} α={alpha}"),
            other => other.to_string(),
        };
        let pool = self.pool.name();
        format!("{}-shot {pool} {classifier} {model} {reduction} d={dim} step={step}", self.shot)
    }

    /// A key that is unique among the experiments on a dataset.
    pub fn key(&self) -> String {
        format!("{:?} {} {:?} {:?}", self.split, self.shot, self.pool, self.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_those_of_the_paper() {
        let cap = |shot, pool| Experiment::new(shot, pool).method.cap;
        assert_eq!(cap(1, PoolKind::Transductive), None);
        assert_eq!((cap(1, PoolKind::Semi15), cap(5, PoolKind::Semi15)), (Some(15), Some(15)));
        assert_eq!((cap(1, PoolKind::SemiMore), cap(5, PoolKind::SemiMore)), (Some(25), Some(45)));
    }

    #[test]
    fn different_experiments_have_different_keys() {
        let plain = || Experiment::new(1, PoolKind::Transductive);
        let other = [
            Experiment::new(5, PoolKind::Transductive),
            Experiment::new(1, PoolKind::Semi15),
            plain().with(|m| m.dim = 2),
            Experiment { split: Split::Validation, ..plain() },
        ];
        assert_eq!(plain().key(), plain().key());
        assert!(other.iter().all(|experiment| experiment.key() != plain().key()));
    }
}
