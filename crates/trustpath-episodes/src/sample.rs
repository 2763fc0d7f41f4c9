//! Drawing episodes.
//!
//! The order of the draws is: classes; class sizes of the queries, where they vary; an order of all
//! rows of each class, of which the first are support, the next queries, the next unlabeled; the
//! order of the queries; distractors; the order of the unlabeled. Hence one seed gives the same
//! support and the same queries in all three settings, so that these can be compared in pairs.
//! Queries and unlabeled rows are presented in random order: a method that breaks ties by position
//! must not profit from classes that lie together.

use crate::{Classes, Episode, Error, FeatureTable, Queries, Random, Result, Task};

/// Draws of the class sizes before it is said that they do not fit.
const ATTEMPTS: usize = 1000;

impl Task {
    /// Checks once that every episode asked for can be drawn from the table.
    ///
    /// # Errors
    /// If there are fewer classes than asked for, or a class has too few rows.
    pub fn check(self, table: &FeatureTable) -> Result<Sampler<'_>> {
        self.check_classes(table.classes())
    }

    /// The same for features that are elsewhere.
    ///
    /// # Errors
    /// As [`Task::check`].
    pub fn check_classes(self, table: &Classes) -> Result<Sampler<'_>> {
        self.check_parameters()?;
        let members = table.members();
        let classes: Vec<usize> = (0..members.len()).filter(|&c| !members[c].is_empty()).collect();
        let distractors = self.distractors();
        let asked = self.way.saturating_add(distractors.classes);
        if asked > classes.len() {
            let what = match distractors.classes {
                0 => format!("{} ways", self.way),
                k => format!("{} ways and {k} distractors", self.way),
            };
            let file = table.source().to_owned();
            return Err(Error::TooManyWays { file, asked, what, classes: classes.len() });
        }
        let sampler = Sampler { task: self, table, classes };
        sampler.check_sizes()?;
        Ok(sampler)
    }
}

/// Draws episodes of one [`Task`] from one table.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    task: Task,
    table: &'a Classes,
    /// Classes that have rows.
    classes: Vec<usize>,
}

impl Sampler<'_> {
    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Episode `index` of `seed`; nothing else has a part in it.
    ///
    /// # Errors
    /// [`Error::TooFewInClass`] if the queries are drawn from the Dirichlet distribution and the
    /// classes are too small for any of many draws; never otherwise.
    pub fn draw(&self, seed: u64, index: u64) -> Result<Episode> {
        let Task { way, shot, .. } = self.task;
        let mut random = Random::stream(seed, index);
        let mut episode =
            Episode { classes: random.choose(&self.classes, way), ..Episode::default() };
        let counts = self.query_counts(&episode.classes, &mut random)?;

        let (mut query, mut unlabeled) = (Vec::new(), Vec::new());
        for (label, (&class, &count)) in episode.classes.iter().zip(&counts).enumerate() {
            let mut rows = self.table.members()[class].clone();
            random.shuffle(&mut rows);
            let mut rows = rows.into_iter();
            rows.by_ref().take(shot).for_each(|row| episode.support.push(row, label));
            query.extend(rows.by_ref().take(count).map(|row| (row, label)));
            unlabeled.extend(rows.take(self.task.unlabeled().1).map(|row| (row, Some(label))));
        }
        random.shuffle(&mut query);

        let distractors = self.task.distractors();
        let others: Vec<usize> =
            self.classes.iter().copied().filter(|class| !episode.classes.contains(class)).collect();
        for class in random.choose(&others, distractors.classes) {
            let rows = random.choose(&self.table.members()[class], distractors.per_class);
            unlabeled.extend(rows.into_iter().map(|row| (row, None)));
        }
        random.shuffle(&mut unlabeled);

        query.into_iter().for_each(|(row, label)| episode.query.push(row, label));
        unlabeled.into_iter().for_each(|(row, label)| episode.unlabeled.push(row, label));
        Ok(episode)
    }

    /// The share of draws of class sizes that the classes are large enough for: below one, the sizes that are drawn in
    /// the end are more alike than the Dirichlet distribution's.
    pub fn fitting(&self, seed: u64, draws: u64) -> f64 {
        let Queries::Dirichlet { total, alpha } = self.task.queries else { return 1.0 };
        let taken = self.task.shot + self.task.unlabeled().0;
        let fits = |index: &u64| {
            let mut random = Random::stream(seed, *index);
            let classes = random.choose(&self.classes, self.task.way);
            let counts = draw_counts(classes.len(), total, alpha, &mut random);
            self.excess(&classes, &counts, taken).is_none()
        };
        (0..draws).filter(fits).count() as f64 / draws.max(1) as f64
    }

    /// A class that has too few rows for its queries, and how many those are.
    fn excess(&self, classes: &[usize], counts: &[usize], taken: usize) -> Option<(usize, usize)> {
        let mut pairs = classes.iter().copied().zip(counts.iter().copied());
        pairs.find(|&(class, count)| taken + count > self.table.members()[class].len())
    }

    fn check_sizes(&self) -> Result<()> {
        let Task { way, shot, queries, .. } = self.task;
        let (must, _) = self.task.unlabeled();
        let (query, what) = match queries {
            Queries::PerClass(q) => (q, format!("{shot} support + {q} queries")),
            // With the smallest classes drawn, balanced counts must fit at least.
            Queries::Dirichlet { total, .. } => {
                let mean = total.div_ceil(way);
                (mean, format!("{shot} support + {mean} queries on average"))
            }
        };
        let what = if must > 0 { format!("{what} + {must} unlabeled") } else { what };
        let distractors = self.task.distractors().per_class;
        for &class in &self.classes {
            let has = self.table.members()[class].len();
            let needs = shot.saturating_add(query).saturating_add(must);
            if has < needs {
                return Err(self.too_few(class, needs, what));
            }
            if self.task.distractors().classes > 0 && has < distractors {
                return Err(self.too_few(class, distractors, format!("{distractors} distractors")));
            }
        }
        Ok(())
    }

    fn too_few(&self, class: usize, needs: usize, what: String) -> Error {
        Error::TooFewInClass {
            file: self.table.source().to_owned(),
            class: self.table.names()[class].clone(),
            has: self.table.members()[class].len(),
            needs,
            what,
        }
    }

    fn query_counts(&self, classes: &[usize], random: &mut Random) -> Result<Vec<usize>> {
        let (total, alpha) = match self.task.queries {
            Queries::PerClass(q) => return Ok(vec![q; classes.len()]),
            Queries::Dirichlet { total, alpha } => (total, alpha),
        };
        let taken = self.task.shot + self.task.unlabeled().0;
        let mut refused = (classes[0], 0);
        for _ in 0..ATTEMPTS {
            let counts = draw_counts(classes.len(), total, alpha, random);
            match self.excess(classes, &counts, taken) {
                None => return Ok(counts),
                Some(excess) => refused = excess,
            }
        }
        let (class, count) = refused;
        let what = format!("{count} queries by the Dirichlet distribution, support and unlabeled");
        Err(self.too_few(class, taken + count, what))
    }
}

/// Class sizes that sum to `total`, in proportions of the symmetric Dirichlet distribution.
fn draw_counts(classes: usize, total: usize, alpha: f64, random: &mut Random) -> Vec<usize> {
    let weight = |random: &mut Random| if alpha.is_finite() { random.gamma(alpha) } else { 1.0 };
    let weights: Vec<f64> = (0..classes).map(|_| weight(random)).collect();
    apportion(&weights, total)
}

/// Whole numbers that sum to `total` in the proportion of the weights, by largest remainder.
fn apportion(weights: &[f64], total: usize) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    // Weights that all underflow to zero are all alike.
    let share = |w: f64| if sum > 0.0 { w / sum } else { 1.0 / weights.len() as f64 };
    let quotas: Vec<f64> = weights.iter().map(|&w| share(w) * total as f64).collect();
    let mut counts: Vec<usize> = quotas.iter().map(|&quota| quota as usize).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| quotas[b].fract().total_cmp(&quotas[a].fract()));
    let missing = total.saturating_sub(counts.iter().sum());
    order.iter().cycle().take(missing).for_each(|&class| counts[class] += 1);
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distractors, Setting, Unlabeled};
    use proptest::prelude::*;

    /// `classes` classes of `size` rows, the last one row shorter.
    fn table(classes: usize, size: usize) -> FeatureTable {
        let labels: Vec<usize> = (0..classes * size - 1).map(|row| row / size).collect();
        let names = (0..classes).map(|class| format!("class {class}")).collect();
        FeatureTable::new(vec![0.0; labels.len()], 1, labels, names, "t").unwrap()
    }

    fn semi(unlabeled: Unlabeled, classes: usize, per_class: usize) -> Setting {
        Setting::SemiSupervised { unlabeled, distractors: Distractors { classes, per_class } }
    }

    #[test]
    fn an_episode_depends_on_seed_and_number_alone() {
        let table = table(8, 30);
        let sampler = Task::default().check(&table).unwrap();
        let forward: Vec<_> = (0..20).map(|i| sampler.draw(1, i).unwrap()).collect();
        let mut backward: Vec<_> = (0..20).rev().map(|i| sampler.draw(1, i).unwrap()).collect();
        backward.reverse();
        assert_eq!(forward, backward);
        assert_ne!(forward[0], forward[1]);
        assert_ne!(forward[0], sampler.draw(2, 0).unwrap());
    }

    #[test]
    fn the_three_settings_share_support_and_queries() {
        let table = table(10, 40);
        let draw = |setting| {
            Task { setting, ..Task::default() }.check(&table).unwrap().draw(9, 4).unwrap()
        };
        let transductive = draw(Setting::Transductive);
        assert_eq!(draw(Setting::Inductive), transductive);
        for setting in [semi(Unlabeled::Exactly(15), 0, 0), semi(Unlabeled::UpTo(99), 2, 7)] {
            let other = draw(setting);
            assert_eq!(other.support, transductive.support);
            assert_eq!(other.query, transductive.query);
            assert!(!other.unlabeled.is_empty());
        }
    }

    #[test]
    fn what_is_left_is_all_that_is_left() {
        let table = table(5, 40);
        let left = |cap| {
            let setting = semi(Unlabeled::UpTo(cap), 0, 0);
            Task { setting, ..Task::default() }.check(&table).unwrap().draw(0, 0).unwrap()
        };
        assert_eq!(left(usize::MAX).unlabeled.len(), 5 * (40 - 16) - 1);
        assert_eq!(left(24).unlabeled.len(), 5 * 24 - 1);
        assert_eq!(left(10).unlabeled.len(), 50);
    }

    #[test]
    fn dirichlet_proportions_have_the_right_spread() {
        let table = table(6, 200);
        let queries = Queries::Dirichlet { total: 75, alpha: 2.0 };
        let sampler = Task { queries, ..Task::default() }.check(&table).unwrap();
        let mut shares = Vec::new();
        for index in 0..4000 {
            let episode = sampler.draw(0, index).unwrap();
            assert_eq!(episode.query.len(), 75);
            let first = episode.query.labels.iter().filter(|&&l| l == 0).count();
            shares.push(first as f64 / 75.0);
        }
        let n = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / n;
        let variance = shares.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / n;
        // One of five shares of Dirichlet(2) is Beta(2, 8): mean 0.2, variance 0.16/11. The
        // bounds are five standard errors; rounding adds a variance of about 1/(12·75²).
        assert!((mean - 0.2).abs() < 5.0 * (0.16 / 11.0 / n).sqrt(), "{mean}");
        assert!((variance - 0.16 / 11.0).abs() < 0.0018, "{variance}");
    }

    #[test]
    fn an_infinite_concentration_is_as_equal_as_can_be() {
        let table = table(6, 40);
        let queries = Queries::Dirichlet { total: 33, alpha: f64::INFINITY };
        let sampler = Task { queries, ..Task::default() }.check(&table).unwrap();
        let episode = sampler.draw(0, 3).unwrap();
        for class in 0..5 {
            let count = episode.query.labels.iter().filter(|&&label| label == class).count();
            assert!(count == 6 || count == 7, "{count}");
        }
        assert_eq!(sampler.fitting(0, 50), 1.0);
    }

    #[test]
    fn the_share_of_draws_that_fit_is_that_of_the_distribution() {
        let table = table(2, 101);
        let queries = Queries::Dirichlet { total: 100, alpha: 1.0 };
        let sampler =
            |shot| Task { way: 2, shot, queries, ..Task::default() }.check(&table).unwrap();
        // One share of two under Dirichlet(1) is uniform; with 26 of 101 labelled both must stay below 76.
        assert!(sampler(1).fitting(0, 4000) > 0.97);
        let few = sampler(26).fitting(0, 4000);
        assert!((few - 0.5).abs() < 0.04, "{few}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_its_reason() {
        let table = table(5, 20);
        let refused = |task: Task| task.check(&table).unwrap_err();
        let task = Task::default();
        let error = refused(Task { way: 6, ..task });
        assert!(matches!(error, Error::TooManyWays { asked: 6, classes: 5, .. }), "{error}");
        let error = refused(Task { setting: semi(Unlabeled::Exactly(1), 1, 1), ..task });
        assert!(error.to_string().contains("5 ways and 1 distractors"), "{error}");
        let error = refused(Task { shot: 5, ..task });
        assert_eq!(
            error.to_string(),
            "class \"class 4\" of t has 19 rows but an episode needs 20 of it (5 support + 15 queries): ask for fewer, or drop that class"
        );
        let error = refused(Task { setting: semi(Unlabeled::Exactly(4), 0, 0), ..task });
        assert!(matches!(error, Error::TooFewInClass { has: 19, needs: 20, .. }), "{error}");
        let error = refused(Task { way: 3, setting: semi(Unlabeled::UpTo(4), 1, 20), ..task });
        assert!(matches!(error, Error::TooFewInClass { has: 19, needs: 20, .. }), "{error}");
        for task in [
            Task { way: 1, ..task },
            Task { shot: 0, ..task },
            Task { queries: Queries::PerClass(0), ..task },
            Task { queries: Queries::Dirichlet { total: 75, alpha: 0.0 }, ..task },
            Task { queries: Queries::Dirichlet { total: 75, alpha: f64::NAN }, ..task },
        ] {
            assert!(matches!(refused(task), Error::Parameter { .. }), "{task:?}");
        }
        // Enormous numbers overflow nothing.
        for task in [
            Task { shot: usize::MAX, ..task },
            Task { queries: Queries::PerClass(usize::MAX), ..task },
            Task { queries: Queries::Dirichlet { total: usize::MAX, alpha: 2.0 }, ..task },
            Task { setting: semi(Unlabeled::Exactly(usize::MAX), usize::MAX, 1), ..task },
        ] {
            refused(task);
        }
    }

    #[test]
    fn classes_without_rows_do_not_count() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let table = FeatureTable::new(vec![0.0; 4], 1, vec![0, 0, 2, 2], names, "t").unwrap();
        let task = Task { way: 2, queries: Queries::PerClass(1), ..Task::default() };
        let mut classes = task.check(&table).unwrap().draw(0, 0).unwrap().classes;
        classes.sort_unstable();
        assert_eq!(classes, [0, 2]);
        assert!(Task { way: 3, ..task }.check(&table).is_err());
    }

    #[test]
    fn a_class_too_small_for_the_draw_is_said_so() {
        // All but balanced draws exceed a class of 16 rows, and 1 + 15 are just there.
        let table = table(5, 17);
        let queries = Queries::Dirichlet { total: 75, alpha: 0.05 };
        let sampler = Task { queries, ..Task::default() }.check(&table).unwrap();
        assert!(matches!(sampler.draw(0, 0), Err(Error::TooFewInClass { .. })));
    }

    proptest! {
        #[test]
        fn apportioned_counts_are_within_one_of_their_quota(
            weights in proptest::collection::vec(0f64..1e3, 1..8), total in 0usize..500
        ) {
            let counts = apportion(&weights, total);
            prop_assert_eq!(counts.iter().sum::<usize>(), total);
            let sum: f64 = weights.iter().sum();
            if sum > 0.0 {
                for (&w, &count) in weights.iter().zip(&counts) {
                    prop_assert!((count as f64 - w / sum * total as f64).abs() <= 1.0 + 1e-9);
                }
            }
        }

        #[test]
        fn every_episode_fits_its_table_and_its_task(
            way in 2usize..5, shot in 1usize..4, q in 1usize..8, u in 0usize..8, k in 0usize..3,
            seed in any::<u64>(), index in any::<u64>(), balanced in any::<bool>(),
        ) {
            let table = table(7, 40);
            let queries = if balanced {
                Queries::PerClass(q)
            } else {
                Queries::Dirichlet { total: q * way, alpha: 2.0 }
            };
            let setting = semi(Unlabeled::Exactly(u), k, 3);
            let task = Task { way, shot, queries, setting };
            let episode = task.check(&table).unwrap().draw(seed, index).unwrap();
            episode.check(&table, 0).unwrap();
            prop_assert_eq!(episode.classes.len(), way);
            prop_assert_eq!(episode.query.len(), q * way);
            prop_assert_eq!(episode.unlabeled.len(), u * way + 3 * k);
            for label in 0..way {
                let of = |labels: &[usize]| labels.iter().filter(|&&l| l == label).count();
                prop_assert_eq!(of(&episode.support.labels), shot);
                if balanced {
                    prop_assert_eq!(of(&episode.query.labels), q);
                }
                let unlabeled = episode.unlabeled.labels.iter().filter(|&&l| l == Some(label));
                prop_assert_eq!(unlabeled.count(), u);
            }
            prop_assert!(episode.support.labels.is_sorted());
        }
    }
}
