//! Drawing episodes.
//!
//! The random draws come in this order: classes; class sizes of the queries, where they vary; an order of all rows of each
//! class, of which the first are support, the next queries, the next unlabeled; the order of the queries; distractors; the
//! order of the unlabeled. Hence one seed gives the same support and the same queries in all three settings, so that these
//! can be compared in pairs. Queries and unlabeled rows are presented in random order, so that a method that breaks ties
//! by position does not profit from sorted classes.

use crate::episode::EpisodeRows;
use crate::{Classes, Episode, EpisodeShape, Error, FeatureTable, Queries, Random, Result};

/// Attempts to draw class sizes that fit before giving up.
const ATTEMPTS: usize = 1000;

impl EpisodeShape {
    /// Checks once that every episode of this shape can be drawn from the table.
    ///
    /// # Errors
    /// If there are fewer classes than asked for, or a class has too few rows.
    pub fn check(self, table: &FeatureTable) -> Result<Sampler<'_>> {
        self.check_classes(table.classes())
    }

    /// The same for features that are not in a table.
    ///
    /// # Errors
    /// As [`EpisodeShape::check`].
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
        let sampler = Sampler { shape: self, table, classes };
        sampler.check_sizes()?;
        Ok(sampler)
    }
}

/// Draws episodes of one [`EpisodeShape`] from one table.
#[derive(Debug, Clone)]
pub struct Sampler<'a> {
    shape: EpisodeShape,
    table: &'a Classes,
    /// Classes that have rows.
    classes: Vec<usize>,
}

impl Sampler<'_> {
    /// The shape of the episodes.
    pub fn shape(&self) -> &EpisodeShape {
        &self.shape
    }

    /// Episode `index` of `seed`, a function of these two numbers alone.
    ///
    /// # Errors
    /// [`Error::TooFewInClass`] if class sizes are drawn from the Dirichlet distribution and no draw fits the classes.
    pub fn draw(&self, seed: u64, index: u64) -> Result<Episode> {
        let EpisodeShape { way, shot, .. } = self.shape;
        let mut random = Random::stream(seed, index);
        let classes = random.choose(&self.classes, way);
        let counts = self.query_counts(&classes, &mut random)?;

        let (mut support, mut query, mut unlabeled) = (Vec::new(), Vec::new(), Vec::new());
        for (label, (&class, &count)) in classes.iter().zip(&counts).enumerate() {
            let mut rows = self.table.members()[class].clone();
            random.shuffle(&mut rows);
            let mut rows = rows.into_iter();
            support.extend(rows.by_ref().take(shot).map(|row| (row, label)));
            query.extend(rows.by_ref().take(count).map(|row| (row, label)));
            unlabeled.extend(rows.take(self.shape.unlabeled().1).map(|row| (row, Some(label))));
        }
        random.shuffle(&mut query);

        let distractors = self.shape.distractors();
        let others: Vec<usize> = self.classes.iter().copied().filter(|class| !classes.contains(class)).collect();
        for class in random.choose(&others, distractors.classes) {
            let rows = random.choose(&self.table.members()[class], distractors.per_class);
            unlabeled.extend(rows.into_iter().map(|row| (row, None)));
        }
        random.shuffle(&mut unlabeled);

        Ok(Episode {
            classes,
            support: EpisodeRows::new(support),
            unlabeled: EpisodeRows::new(unlabeled),
            query: EpisodeRows::new(query),
        })
    }

    /// The share of draws of class sizes that fit the classes. Below one, the sizes of the episodes are more alike than
    /// those of the Dirichlet distribution.
    pub fn fitting(&self, seed: u64, draws: u64) -> f64 {
        let Queries::Dirichlet { total, alpha } = self.shape.queries else { return 1.0 };
        let fits = |index: &u64| {
            let mut random = Random::stream(seed, *index);
            let classes = random.choose(&self.classes, self.shape.way);
            let counts = draw_counts(classes.len(), total, alpha, &mut random);
            self.excess(&classes, &counts).is_none()
        };
        (0..draws).filter(fits).count() as f64 / draws.max(1) as f64
    }

    /// A class that has too few rows for this number of queries, and the rows it would need.
    fn excess(&self, classes: &[usize], counts: &[usize]) -> Option<(usize, usize)> {
        let others = self.shape.shot + self.shape.unlabeled().0;
        let mut needs = classes.iter().zip(counts).map(|(&class, &count)| (class, others + count));
        needs.find(|&(class, needs)| needs > self.table.members()[class].len())
    }

    fn check_sizes(&self) -> Result<()> {
        let EpisodeShape { way, shot, queries, .. } = self.shape;
        let (must, _) = self.shape.unlabeled();
        let (query, mut what) = match queries {
            Queries::PerClass(q) => (q, format!("{shot} support + {q} queries")),
            Queries::Rest => (1, format!("{shot} support + 1 query")),
            // Balanced counts must fit even if the smallest classes are drawn.
            Queries::Dirichlet { total, .. } => {
                let mean = total.div_ceil(way);
                (mean, format!("{shot} support + {mean} queries on average"))
            }
        };
        if must > 0 {
            what += &format!(" + {must} unlabeled");
        }
        let needs = shot.saturating_add(query).saturating_add(must);
        let distractors = self.shape.distractors();
        let mut limits = vec![(needs, what)];
        if distractors.classes > 0 {
            limits.push((distractors.per_class, format!("{} distractors", distractors.per_class)));
        }
        for &class in &self.classes {
            let has = self.table.members()[class].len();
            if let Some((needs, what)) = limits.iter().find(|(needs, _)| has < *needs) {
                return Err(self.too_few(class, *needs, what.clone()));
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
        let (total, alpha) = match self.shape.queries {
            Queries::PerClass(q) => return Ok(vec![q; classes.len()]),
            Queries::Rest => {
                let others = self.shape.shot + self.shape.unlabeled().0;
                return Ok(classes.iter().map(|&c| self.table.members()[c].len() - others).collect());
            }
            Queries::Dirichlet { total, alpha } => (total, alpha),
        };
        let mut refused = (classes[0], 0);
        for _ in 0..ATTEMPTS {
            let counts = draw_counts(classes.len(), total, alpha, random);
            match self.excess(classes, &counts) {
                None => return Ok(counts),
                Some(excess) => refused = excess,
            }
        }
        let (class, needs) = refused;
        let what = "queries by the Dirichlet distribution, support and unlabeled".to_owned();
        Err(self.too_few(class, needs, what))
    }
}

/// Class sizes that sum to `total`, in proportions drawn from the symmetric Dirichlet distribution.
fn draw_counts(classes: usize, total: usize, alpha: f64, random: &mut Random) -> Vec<usize> {
    let weight = |random: &mut Random| if alpha.is_finite() { random.gamma(alpha) } else { 1.0 };
    let weights: Vec<f64> = (0..classes).map(|_| weight(random)).collect();
    apportion(&weights, total)
}

/// Integers that sum to `total` in proportion to the weights, by largest remainder.
fn apportion(weights: &[f64], total: usize) -> Vec<usize> {
    let sum: f64 = weights.iter().sum();
    // Weights that all underflow to zero count as equal.
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

    fn with_queries(queries: Queries) -> EpisodeShape {
        EpisodeShape { queries, ..EpisodeShape::default() }
    }

    fn in_setting(setting: Setting) -> EpisodeShape {
        EpisodeShape { setting, ..EpisodeShape::default() }
    }

    fn count(labels: &[usize], class: usize) -> usize {
        labels.iter().filter(|&&label| label == class).count()
    }

    #[test]
    fn an_episode_depends_on_seed_and_number_alone() {
        let table = table(8, 30);
        let sampler = EpisodeShape::default().check(&table).unwrap();
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
        let draw = |setting| in_setting(setting).check(&table).unwrap().draw(9, 4).unwrap();
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
    fn up_to_takes_all_remaining_rows_below_the_cap() {
        let table = table(5, 40);
        for (cap, expected) in [(usize::MAX, 5 * (40 - 16) - 1), (24, 5 * 24 - 1), (10, 50)] {
            let shape = in_setting(semi(Unlabeled::UpTo(cap), 0, 0));
            let episode = shape.check(&table).unwrap().draw(0, 0).unwrap();
            assert_eq!(episode.unlabeled.len(), expected);
        }
    }

    #[test]
    fn dirichlet_proportions_have_the_right_spread() {
        let table = table(6, 200);
        let shape = with_queries(Queries::Dirichlet { total: 75, alpha: 2.0 });
        let sampler = shape.check(&table).unwrap();
        let mut shares = Vec::new();
        for index in 0..4000 {
            let episode = sampler.draw(0, index).unwrap();
            assert_eq!(episode.query.len(), 75);
            shares.push(count(&episode.query.labels, 0) as f64 / 75.0);
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
    fn an_infinite_concentration_makes_classes_as_equal_as_possible() {
        let table = table(6, 40);
        let shape = with_queries(Queries::Dirichlet { total: 33, alpha: f64::INFINITY });
        let sampler = shape.check(&table).unwrap();
        let labels = sampler.draw(0, 3).unwrap().query.labels;
        assert!((0..5).all(|class| (6..=7).contains(&count(&labels, class))));
        assert_eq!(sampler.fitting(0, 50), 1.0);
    }

    #[test]
    fn the_share_of_draws_that_fit_matches_the_distribution() {
        let table = table(2, 101);
        let shape = with_queries(Queries::Dirichlet { total: 100, alpha: 1.0 });
        // One share of two under Dirichlet(1) is uniform; with 26 of 101 labelled both must stay below 76.
        for (shot, expected, tolerance) in [(1, 1.0, 0.03), (26, 0.5, 0.04)] {
            let sampler = EpisodeShape { way: 2, shot, ..shape }.check(&table).unwrap();
            let share = sampler.fitting(0, 4000);
            assert!((share - expected).abs() < tolerance, "{share}");
        }
    }

    #[test]
    fn impossible_shapes_are_refused_with_the_reason() {
        let table = table(5, 20);
        let refused = |shape: EpisodeShape| shape.check(&table).unwrap_err();
        let base = EpisodeShape::default();
        let error = refused(EpisodeShape { way: 6, ..base });
        assert!(matches!(error, Error::TooManyWays { asked: 6, classes: 5, .. }), "{error}");
        let error = refused(in_setting(semi(Unlabeled::Exactly(1), 1, 1)));
        assert!(error.to_string().contains("5 ways and 1 distractors"), "{error}");
        let error = refused(EpisodeShape { shot: 5, ..base });
        assert_eq!(
            error.to_string(),
            "class \"class 4\" of t has 19 rows but an episode needs 20 of it (5 support + 15 queries): ask for fewer, or drop that class"
        );
        let parameter: fn(&Error) -> bool = |e| matches!(e, Error::Parameter { .. });
        let one_short: fn(&Error) -> bool = |e| matches!(e, Error::TooFewInClass { has: 19, needs: 20, .. });
        let size: fn(&Error) -> bool = |e| matches!(e, Error::TooFewInClass { .. } | Error::TooManyWays { .. });
        for (shape, expected) in [
            (in_setting(semi(Unlabeled::Exactly(4), 0, 0)), one_short),
            (EpisodeShape { way: 3, ..in_setting(semi(Unlabeled::UpTo(4), 1, 20)) }, one_short),
            (EpisodeShape { way: 1, ..base }, parameter),
            (EpisodeShape { shot: 0, ..base }, parameter),
            (with_queries(Queries::PerClass(0)), parameter),
            (with_queries(Queries::Dirichlet { total: 75, alpha: 0.0 }), parameter),
            (with_queries(Queries::Dirichlet { total: 75, alpha: f64::NAN }), parameter),
            // Huge numbers must not overflow.
            (EpisodeShape { shot: usize::MAX, ..base }, size),
            (with_queries(Queries::PerClass(usize::MAX)), size),
            (with_queries(Queries::Dirichlet { total: usize::MAX, alpha: 2.0 }), size),
            (in_setting(semi(Unlabeled::Exactly(usize::MAX), usize::MAX, 1)), size),
        ] {
            let error = refused(shape);
            assert!(expected(&error), "{shape:?}: {error}");
        }
    }

    #[test]
    fn classes_without_rows_do_not_count() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let table = FeatureTable::new(vec![0.0; 4], 1, vec![0, 0, 2, 2], names, "t").unwrap();
        let shape = EpisodeShape { way: 2, ..with_queries(Queries::PerClass(1)) };
        let mut classes = shape.check(&table).unwrap().draw(0, 0).unwrap().classes;
        classes.sort_unstable();
        assert_eq!(classes, [0, 2]);
        assert!(EpisodeShape { way: 3, ..shape }.check(&table).is_err());
    }

    #[test]
    fn a_class_too_small_for_every_draw_is_reported() {
        // Only balanced draws fit classes of 16 and 17 rows, of which 1 + 15 are used.
        let table = table(5, 17);
        let shape = with_queries(Queries::Dirichlet { total: 75, alpha: 0.05 });
        let sampler = shape.check(&table).unwrap();
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
        fn every_episode_fits_its_table_and_its_shape(
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
            let shape = EpisodeShape { way, shot, queries, setting };
            let episode = shape.check(&table).unwrap().draw(seed, index).unwrap();
            episode.check(&table, 0).unwrap();
            prop_assert_eq!(episode.classes.len(), way);
            prop_assert_eq!(episode.query.len(), q * way);
            prop_assert_eq!(episode.unlabeled.len(), u * way + 3 * k);
            for label in 0..way {
                prop_assert_eq!(count(&episode.support.labels, label), shot);
                prop_assert!(!balanced || count(&episode.query.labels, label) == q);
                let unlabeled = episode.unlabeled.labels.iter().filter(|&&l| l == Some(label));
                prop_assert_eq!(unlabeled.count(), u);
            }
            prop_assert!(episode.support.labels.is_sorted());
        }
    }
}
