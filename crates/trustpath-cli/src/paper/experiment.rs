//! One cell of a table: shots, what is unlabeled, and the method, 5-way with 15 queries a class.

use trustpath::reduce;
use trustpath_episodes::{
    Distractors, EpisodeShape, Method, Model, Selector, Setting, Split, Unlabeled,
};

/// Where the unlabeled instances come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// They are the queries, all of which are taken in.
    Transductive,
    /// 15 a class besides the queries, of which at most 15 a class are taken in.
    Semi15,
    /// 30 a class at 1 shot and 50 at 5 shots (or what is left of the class), of which at most 25 and 45 are taken in.
    SemiMore,
}

impl Pool {
    /// The name of the paper's tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Transductive => "Tran.",
            Self::Semi15 => "Semi. 15/15",
            Self::SemiMore => "Semi. 30/50",
        }
    }

    fn setting(self, shot: usize) -> Setting {
        let semi =
            |unlabeled| Setting::SemiSupervised { unlabeled, distractors: Distractors::default() };
        match self {
            Self::Transductive => Setting::Transductive,
            Self::Semi15 => semi(Unlabeled::Exactly(15)),
            Self::SemiMore => semi(Unlabeled::UpTo(if shot == 1 { 30 } else { 50 })),
        }
    }

    fn cap(self, shot: usize) -> Option<usize> {
        match self {
            Self::Transductive => None,
            Self::Semi15 => Some(15),
            Self::SemiMore => Some(if shot == 1 { 25 } else { 45 }),
        }
    }
}

/// What is run over many episodes.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Which classes.
    pub split: Split,
    /// Labelled instances a class.
    pub shot: usize,
    /// What is unlabeled.
    pub pool: Pool,
    /// The method.
    pub method: Method,
    /// By how much fewer episodes are run, where the method is slow.
    pub thinned: usize,
}

impl Experiment {
    /// The paper's ICI-R on novel classes.
    pub fn new(shot: usize, pool: Pool) -> Self {
        let method = Method { cap: pool.cap(shot), ..Method::default() };
        Self { split: Split::Novel, shot, pool, method, thinned: 1 }
    }

    /// Changes the method.
    pub fn with(mut self, change: impl FnOnce(&mut Method)) -> Self {
        change(&mut self.method);
        self
    }

    /// Runs on these classes.
    pub fn on(self, split: Split) -> Self {
        Self { split, ..self }
    }

    /// Runs so many times fewer episodes, the first of them: for slow methods.
    pub fn thin(self, by: usize) -> Self {
        Self { thinned: by, ..self }
    }

    /// How many of the episodes asked for are run: at least 50 of them.
    pub fn episodes(&self, asked: usize) -> usize {
        (asked / self.thinned).max(50).min(asked)
    }

    /// What its episodes look like.
    pub fn task(&self) -> EpisodeShape {
        EpisodeShape {
            shot: self.shot,
            setting: self.pool.setting(self.shot),
            ..EpisodeShape::default()
        }
    }

    /// What is run, for a progress bar.
    pub fn name(&self) -> String {
        let Method { model, selector, classifier, reduction, d, step, alpha, .. } = &self.method;
        let mut name = format!("{}-shot {} {classifier}", self.shot, self.pool.name());
        name += &match (*selector, *model) {
            (Selector::Ici, Model::IciC) => format!(" {model} α={alpha}"),
            (Selector::Ici, Model::IciR) => format!(" {model}"),
            (other, _) => format!(" {other}"),
        };
        name += &match reduction {
            reduce::Method::Identity => String::new(),
            _ => format!(" {reduction} d={d}"),
        };
        name + &format!(" step={step}")
    }

    /// What tells it from every other experiment on the same dataset.
    pub fn key(&self) -> String {
        format!("{:?} {} {:?} {:?} {}", self.split, self.shot, self.pool, self.method, self.thinned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_those_of_the_paper() {
        let cap = |shot, pool| Experiment::new(shot, pool).method.cap;
        assert_eq!(cap(1, Pool::Transductive), None);
        assert_eq!((cap(1, Pool::Semi15), cap(5, Pool::Semi15)), (Some(15), Some(15)));
        assert_eq!((cap(1, Pool::SemiMore), cap(5, Pool::SemiMore)), (Some(25), Some(45)));
    }

    #[test]
    fn thinning_leaves_fifty_or_what_was_asked_for() {
        let thin = Experiment::new(1, Pool::Transductive).thin(10);
        assert_eq!([2000, 300, 7].map(|asked| thin.episodes(asked)), [200, 50, 7]);
    }

    #[test]
    fn keys_tell_experiments_apart() {
        let plain = || Experiment::new(1, Pool::Transductive);
        let other = [
            Experiment::new(5, Pool::Transductive),
            Experiment::new(1, Pool::Semi15),
            plain().with(|m| m.d = 2),
            plain().on(Split::Validation),
            plain().thin(2),
        ];
        assert_eq!(plain().key(), plain().key());
        assert!(other.iter().all(|experiment| experiment.key() != plain().key()));
    }
}
