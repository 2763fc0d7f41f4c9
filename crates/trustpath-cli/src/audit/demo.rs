//! `trustpath audit --demo`: labels changed on purpose, and how well they are found.

use trustpath::Features;
use trustpath_bench::noise::{AuditRow, Detection, Study, audit_study};
use trustpath_bench::{Split, embedded};
use trustpath_report::{Table, TableColumn};

use crate::args::RunArgs;
use crate::error::Result;
use crate::{args, interrupt, print};

/// The largest number of rows per class.
const ROWS: usize = 100;

/// Runs the demo.
pub fn run(args: &RunArgs) -> Result<()> {
    let mut studies = serde_json::Map::new();
    for dataset in embedded::DATASETS {
        let rows = args::pool(args.threads)?.install(|| study(dataset, args))?;
        if args.json {
            studies.insert(dataset.into(), as_json(&rows)?);
            continue;
        }
        print::stdout(&format!(
            "{dataset}: labels of novel classes changed at random, at most {ROWS} instances per class\n\n{}\n",
            table(&rows)?.text()
        ))?;
    }
    if args.json {
        return print::json(&studies);
    }
    print::stdout(
        "AUROC: how often a wrong label ranks before a right one. Precision and recall are those of the verdict\n\
         \"suspect\". The last column is the precision among the first N, where N is the number of wrong labels.\n",
    )
}

fn study(dataset: &str, args: &RunArgs) -> Result<Vec<AuditRow>> {
    let table = embedded::load(dataset, Split::Novel)?;
    let (mut rows, mut truth) = (Vec::new(), Vec::new());
    for (class, members) in table.members().iter().enumerate() {
        rows.extend(members.iter().take(ROWS));
        truth.resize(rows.len(), class);
    }
    let values = table.gather(&rows);
    let features = Features::new(&values[..], rows.len(), table.dims())?;
    let study = Study { draws: 1, ..Study::default() };
    let draws = (study.noises.len() * study.shares.len()) as u64 * study.draws;
    let stage = args.progress().stage(&format!("auditing {dataset}"), draws, "draws");
    let mut watch = |done: usize, _| {
        if done > 0 {
            stage.step();
        }
        !interrupt::requested()
    };
    let classes = table.class_names().len();
    Ok(audit_study(&features, &truth, classes, &study, &mut watch)?)
}

/// The figures of every row, as shares.
fn as_json(rows: &[AuditRow]) -> Result<serde_json::Value> {
    let row = |row: &AuditRow| -> Result<serde_json::Value> {
        Ok(serde_json::json!({
            "noise": row.noise.to_string(),
            "score": row.detector.to_string(),
            "wrong": row.share,
            "auroc": row.mean(|d| d.auroc)?.mean,
            "precision": row.mean(|d| d.precision)?.mean,
            "recall": row.mean(|d| d.recall)?.mean,
            "at_errors": row.mean(|d| d.at_errors)?.mean,
        }))
    };
    rows.iter().map(row).collect::<Result<Vec<_>>>().map(Into::into)
}

fn table(rows: &[AuditRow]) -> Result<Table> {
    let heads = ["wrong", "AUROC", "precision", "recall", "at the number of errors"];
    let mut columns = vec![TableColumn::left("noise"), TableColumn::left("score")];
    columns.extend(heads.map(TableColumn::right));
    let mut table = Table::new(columns);
    let figures: [fn(&Detection) -> f64; 4] = [|d| d.auroc, |d| d.precision, |d| d.recall, |d| d.at_errors];
    for row in rows {
        let mut cells = vec![row.noise.to_string(), row.detector.to_string()];
        cells.push(format!("{:.0} %", 100.0 * row.share));
        for figure in figures {
            cells.push(format!("{:.1}", 100.0 * row.mean(figure)?.mean));
        }
        table.push(cells)?;
    }
    Ok(table)
}
