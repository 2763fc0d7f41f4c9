//! What the episodes look like.

use clap::{Args, ValueEnum};
use trustpath_bench::{Distractors, EpisodeShape, ListMeta, Queries, Setting, Unlabeled};

use crate::error::{Error, Result};
use crate::print;

/// Ways, shots, queries and the setting.
#[derive(Debug, Args)]
#[command(next_help_heading = "Episodes")]
pub struct TaskArgs {
    /// Classes of an episode, or all
    #[arg(long, value_name = "C|all", default_value = "5", conflicts_with = "episode_list",
        value_parser = |text: &str| number_or("all", text))]
    pub way: OrAll,
    /// Labelled instances of each class [default: 1; both 1 and 5 for --method all]
    #[arg(long, value_name = "M", conflicts_with = "episode_list")]
    shot: Option<usize>,
    /// Queries of each class, on average if they are imbalanced; rest for all rows that are not labelled. With --way all
    /// --queries rest an episode is the complete pool, as trustpath label meets it
    #[arg(long, value_name = "Q|rest", default_value = "15", conflicts_with = "episode_list",
        value_parser = |text: &str| number_or("rest", text))]
    queries: OrAll,
    /// What is given without a label: nothing, the queries, or others
    #[arg(long, value_enum, default_value_t = SettingName::Transductive,
        conflicts_with = "episode_list")]
    setting: SettingName,
    /// Unlabeled instances of each class in the semi setting; left:N for what is left of the class,
    /// but at most N [default: 15]
    #[arg(long, value_name = "N|left:N", value_parser = unlabeled, conflicts_with = "episode_list")]
    unlabeled: Option<Unlabeled>,
    /// Other classes among the unlabeled in the semi setting, and how many instances of each
    /// [default of N: 15]
    #[arg(long, value_name = "K[:N]", value_parser = distractors, conflicts_with = "episode_list")]
    distractors: Option<Distractors>,
    /// Class-imbalanced queries: their proportions are drawn from a Dirichlet distribution; 2 is usual,
    /// inf is balanced
    #[arg(long, value_name = "ALPHA", conflicts_with = "episode_list", allow_negative_numbers = true)]
    dirichlet: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum SettingName {
    Inductive,
    Transductive,
    Semi,
}

/// A number of classes, or of queries of each class; `None` for all.
type OrAll = Option<usize>;

fn number_or(all: &str, text: &str) -> std::result::Result<OrAll, String> {
    if text == all {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("give a whole number, or {all}"))
}

/// Unlabeled instances of each class, and of each distractor, where no number is given.
const UNLABELED: usize = 15;

fn unlabeled(text: &str) -> std::result::Result<Unlabeled, String> {
    let number = |text: &str| text.parse().map_err(|_| "give a number, or left:N".to_owned());
    match text.strip_prefix("left:") {
        Some(most) => number(most).map(Unlabeled::UpTo),
        None => number(text).map(Unlabeled::Exactly),
    }
}

fn distractors(text: &str) -> std::result::Result<Distractors, String> {
    let number = |text: &str| text.parse().map_err(|_| "give two numbers as in 3:15".to_owned());
    let (classes, per_class) = match text.split_once(':') {
        Some((classes, rows)) => (number(classes)?, number(rows)?),
        None => (number(text)?, UNLABELED),
    };
    Ok(Distractors { classes, per_class })
}

impl TaskArgs {
    /// The shape of episodes with this number of classes.
    pub fn task(&self, way: usize) -> Result<EpisodeShape> {
        let given = [("--unlabeled", self.unlabeled.is_some()), ("--distractors", self.distractors.is_some())];
        if self.setting != SettingName::Semi
            && let Some((option, _)) = given.into_iter().find(|(_, given)| *given)
        {
            return Err(Error::Usage(format!("{option} is for the semi setting: add --setting semi, or drop it")));
        }
        let setting = match self.setting {
            SettingName::Inductive => Setting::Inductive,
            SettingName::Transductive => Setting::Transductive,
            SettingName::Semi => Setting::SemiSupervised {
                unlabeled: self.unlabeled.unwrap_or(Unlabeled::Exactly(UNLABELED)),
                distractors: self.distractors.unwrap_or_default(),
            },
        };
        let queries = match (self.queries, self.dirichlet) {
            (None, None) => Queries::Rest,
            (Some(queries), None) => Queries::PerClass(queries),
            (Some(queries), Some(alpha)) => Queries::Dirichlet { total: way.saturating_mul(queries), alpha },
            (None, Some(_)) => {
                return Err(Error::Usage("--dirichlet draws a number of queries: give it by --queries N".into()));
            }
        };
        Ok(EpisodeShape { way, shot: self.shot.unwrap_or(1), queries, setting })
    }
}

/// Shots of the table of all methods.
const SHOTS: [usize; 2] = [1, 5];
/// The concentration of its imbalanced pools.
const IMBALANCED: f64 = 2.0;

impl TaskArgs {
    /// The tasks of the table of all methods: balanced and imbalanced pools, few and more shots.
    pub fn cells(&self, way: usize) -> Result<Vec<EpisodeShape>> {
        let task = self.task(way)?;
        let shots = self.shot.map_or(SHOTS.to_vec(), |shot| vec![shot]);
        let mut pools = vec![task.queries];
        if let Some(queries) = self.queries {
            let alpha = self.dirichlet.unwrap_or(IMBALANCED);
            let total = way.saturating_mul(queries);
            pools = vec![Queries::PerClass(queries), Queries::Dirichlet { total, alpha }];
        }
        let of_pool = |queries| shots.iter().map(move |&shot| EpisodeShape { shot, queries, ..task });
        Ok(pools.into_iter().flat_map(of_pool).collect())
    }
}

/// The class sizes of the queries in a word.
pub fn pool(queries: &Queries) -> String {
    match queries {
        Queries::PerClass(_) => "balanced".to_owned(),
        Queries::Rest => "complete".to_owned(),
        Queries::Dirichlet { alpha, .. } => format!("Dirichlet({alpha})"),
    }
}

/// A task in words.
pub fn describe(task: &EpisodeShape) -> String {
    let queries = match task.queries {
        Queries::PerClass(queries) => format!("{} per class", print::count(queries, "query", "queries")),
        Queries::Rest => "all other instances as queries".to_owned(),
        Queries::Dirichlet { total, alpha } => format!("{total} queries by Dirichlet({alpha})"),
    };
    let setting = match task.setting {
        Setting::Inductive => "inductive".to_owned(),
        Setting::Transductive => "transductive".to_owned(),
        Setting::SemiSupervised { unlabeled, distractors } => {
            let unlabeled = match unlabeled {
                Unlabeled::Exactly(number) => number.to_string(),
                Unlabeled::UpTo(most) => format!("up to {most}"),
            };
            let among = match distractors {
                Distractors { classes: 0, .. } => String::new(),
                Distractors { classes, per_class } => format!(" and {per_class} of each of {classes} other classes"),
            };
            format!("semi-supervised with {unlabeled} unlabeled per class{among}")
        }
    };
    format!("{}-way {}-shot, {setting}, {queries}", task.way, task.shot)
}

/// The episodes of a list in words.
pub fn describe_list(meta: &ListMeta) -> String {
    format!("{}-way {}-shot, {}, a fixed list of {}", meta.way, meta.shot, meta.setting, meta.episodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_colon_are_read() {
        assert_eq!(unlabeled("30"), Ok(Unlabeled::Exactly(30)));
        assert_eq!(unlabeled("left:35"), Ok(Unlabeled::UpTo(35)));
        assert_eq!(distractors("3:20"), Ok(Distractors { classes: 3, per_class: 20 }));
        assert_eq!(distractors("3"), Ok(Distractors { classes: 3, per_class: 15 }));
        assert!(unlabeled("left").is_err() && unlabeled("-1").is_err() && distractors("3:").is_err());
    }

    #[test]
    fn tasks_are_described_in_words() {
        let task = EpisodeShape::default();
        assert_eq!(describe(&task), "5-way 1-shot, transductive, 15 queries per class");
        let distractors = Distractors { classes: 3, per_class: 15 };
        let setting = Setting::SemiSupervised { unlabeled: Unlabeled::UpTo(35), distractors };
        let queries = Queries::Dirichlet { total: 75, alpha: 2.0 };
        assert_eq!(
            describe(&EpisodeShape { setting, queries, ..task }),
            "5-way 1-shot, semi-supervised with up to 35 unlabeled per class and 15 of each of 3 other classes, \
             75 queries by Dirichlet(2)"
        );
    }
}
