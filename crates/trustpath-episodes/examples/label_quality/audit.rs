//! Finding labels that were made wrong on purpose.

use trustpath::Features;
use trustpath_episodes::noise::{Detection, Study, audit_study};
use trustpath_episodes::{FeatureTable, Random, Result, Split, embedded};

use crate::PER_CLASS;

pub fn report(split: Split, draws: u64) -> Result<()> {
    println!(
        "| dataset | noise | wrong | by | AUROC | precision of suspects | recall of suspects | \
         precision at the number of errors |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for dataset in embedded::DATASETS {
        let (values, truth, table) = sample(embedded::load(dataset, split)?);
        let features = Features::new(&values[..], truth.len(), table.dims())?;
        let study = Study { draws, ..Study::default() };
        let classes = table.class_names().len();
        for row in audit_study(&features, &truth, classes, &study, &mut |_, _| true)? {
            let figure = |f: fn(&Detection) -> f64| {
                Ok::<_, trustpath_episodes::Error>(100.0 * row.mean(f)?.mean)
            };
            println!(
                "| {dataset} | {} | {:.0} % | {} | {:.1} | {:.1} | {:.1} | {:.1} |",
                row.noise,
                100.0 * row.share,
                row.detector,
                figure(|d| d.auroc)?,
                figure(|d| d.precision)?,
                figure(|d| d.recall)?,
                figure(|d| d.at_errors)?,
            );
        }
    }
    Ok(())
}

/// Rows of a table, at most so many of a class.
fn sample(table: &FeatureTable) -> (Vec<f32>, Vec<usize>, &FeatureTable) {
    let mut random = Random::stream(0, 0);
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    for (class, members) in table.members().iter().enumerate() {
        rows.extend(random.choose(members, PER_CLASS.min(members.len())));
        truth.resize(rows.len(), class);
    }
    (table.gather(&rows), truth, table)
}
