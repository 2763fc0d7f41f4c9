//! Finding labels that were made wrong on purpose.

use trustpath::Features;
use trustpath_episodes::noise::{Detection, Study, audit_study};
use trustpath_episodes::{Random, Result, Split, embedded};

use crate::{PER_CLASS, head, percent};

pub fn report(split: Split, draws: u64) -> Result<()> {
    head(
        "dataset | noise | wrong | by | AUROC | precision of suspects | recall of suspects | \
         precision at the number of errors",
    );
    for dataset in embedded::DATASETS {
        let table = embedded::load(dataset, split)?;
        let mut random = Random::stream(0, 0);
        let (mut rows, mut truth) = (Vec::new(), Vec::new());
        for (class, members) in table.members().iter().enumerate() {
            rows.extend(random.choose(members, PER_CLASS.min(members.len())));
            truth.resize(rows.len(), class);
        }
        let values = table.gather(&rows);
        let features = Features::new(&values[..], truth.len(), table.dims())?;
        let study = Study { draws, ..Study::default() };
        let classes = table.class_names().len();
        for row in audit_study(&features, &truth, classes, &study, &mut |_, _| true)? {
            let cell = |figure: fn(&Detection) -> f64| percent(row.found.iter().map(figure));
            println!(
                "| {dataset} | {} | {:.0} % | {} | {} | {} | {} | {} |",
                row.noise,
                100.0 * row.share,
                row.detector,
                cell(|d| d.auroc),
                cell(|d| d.precision),
                cell(|d| d.recall),
                cell(|d| d.at_errors),
            );
        }
    }
    Ok(())
}
