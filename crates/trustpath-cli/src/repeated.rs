//! Near-duplicates, which `trustpath check` reports and `trustpath label` can leave out.

use trustpath_table::{Column, PartlyLabelledTable};

use crate::error::{Error, Result};
use crate::features::{PoolRows, named};
use crate::print;

/// The cosine of near-duplicates where none is given.
pub const COSINE: &str = "0.99";

/// Groups that are listed, and instances of each.
const SHOWN: usize = 10;

/// Groups of near-duplicates in a pool.
pub struct Repeated {
    cosine: f64,
    /// Groups whose labels differ first.
    pub groups: Vec<Vec<usize>>,
    different: usize,
    all_pairs: bool,
}

impl Repeated {
    /// Finds instances whose features have at least this cosine.
    pub fn find(pool: &PartlyLabelledTable, cosine: f64) -> Result<Self> {
        if pool.dims() == 0 {
            return Err(Error::Usage(
                "near-duplicates are found by features: make them by trustpath extract --texts, and check these".into(),
            ));
        }
        let rows = PoolRows::all(pool);
        let duplicates = trustpath::duplicates(&rows.features()?, cosine);
        let mut duplicates = duplicates.map_err(|error| named(pool, error))?;
        duplicates.groups.sort_by_key(|group| !differ(pool, group));
        let different = duplicates.groups.iter().take_while(|group| differ(pool, group)).count();
        Ok(Self { cosine, groups: duplicates.groups, different, all_pairs: duplicates.all_pairs })
    }

    /// For every instance but the first of a group, the name of the first.
    pub fn column(&self, pool: &PartlyLabelledTable) -> Column {
        let mut first = vec![None; pool.rows()];
        for group in &self.groups {
            group[1..].iter().for_each(|&row| first[row] = Some(pool.ids()[group[0]].clone()));
        }
        Column::OptionalText(first)
    }

    /// Unlabelled instances that can be left out: all but the first of each group without a label, all of them where another
    /// of the group has a label. Ascending.
    pub fn superfluous(&self, pool: &PartlyLabelledTable) -> Vec<usize> {
        let mut rows = Vec::new();
        for group in &self.groups {
            let (labelled, open): (Vec<usize>, Vec<usize>) =
                group.iter().partition(|&&row| pool.labels()[row].is_some());
            rows.extend(open.into_iter().skip(usize::from(labelled.is_empty())));
        }
        rows.sort_unstable();
        rows
    }

    /// The groups for people.
    pub fn text(&self, pool: &PartlyLabelledTable) -> String {
        let instances: usize = self.groups.iter().map(Vec::len).sum();
        let mut text = match self.groups.len() {
            0 => format!("\nno near-duplicates (cosine at least {})\n", self.cosine),
            groups => format!(
                "\n{} in {} (cosine at least {})\n",
                print::count(instances, "near-duplicate", "near-duplicates"),
                print::count(groups, "group", "groups"),
                self.cosine
            ),
        };
        if self.different > 0 {
            let has = if self.different == 1 { "group has" } else { "groups have" };
            text += &format!("{} {has} different labels, listed first\n", self.different);
        }
        for group in self.groups.iter().take(SHOWN) {
            let label = |row: usize| pool.labels()[row].map(|class| &pool.class_names()[class]);
            let named = group.iter().take(SHOWN).map(|&row| match label(row) {
                Some(label) => format!("{} ({label})", pool.ids()[row]),
                None => pool.ids()[row].clone(),
            });
            text += &format!("  {}", named.collect::<Vec<_>>().join(", "));
            text += &print::more(group.len(), SHOWN).map_or("\n".into(), |more| format!(" {more}\n"));
        }
        text.extend(print::more(self.groups.len(), SHOWN).map(|more| format!("  {more} groups\n")));
        if !self.all_pairs {
            text += "Instances were compared with those around them, not with all, so some may be missing.
";
        }
        text
    }
}

/// Whether two instances of a group have different labels.
fn differ(pool: &PartlyLabelledTable, group: &[usize]) -> bool {
    let mut labels = group.iter().filter_map(|&row| pool.labels()[row]);
    labels.next().is_some_and(|first| labels.any(|label| label != first))
}
