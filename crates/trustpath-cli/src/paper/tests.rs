//! Every target through [`run`](super::run), on few episodes.

use std::fs;
use std::path::Path;

use clap::Parser;

use super::*;

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    args: PaperArgs,
}

pub fn args(line: &str, out: &Path) -> PaperArgs {
    let out = out.to_str().unwrap();
    let words = ["paper"].into_iter().chain(line.split_whitespace()).chain(["--out", out, "--quiet"]);
    Command::try_parse_from(words).unwrap().args
}

/// Opens the datasets of a command line and uses them.
pub fn with_lab<T>(line: &str, action: impl FnOnce(&Lab) -> T) -> T {
    let args = args(line, Path::new("out"));
    let runner = Runner::new(None, crate::progress::Progress::Quiet).unwrap();
    let datasets = dataset::open(&args, &runner).unwrap();
    action(&Lab::new(datasets, &args, &runner))
}

fn target(name: &str) -> Target {
    *TARGETS.iter().find(|target| target.name == name).unwrap()
}

/// A features file of noisy corners, one per class.
fn csv(folder: &Path, rows: usize, classes: usize) -> String {
    let names: Vec<String> = (0..classes).map(|column| format!("f{column}")).collect();
    let mut csv = format!("{},label\n", names.join(","));
    for row in 0..rows {
        let class = row % classes;
        let value = |column: usize| {
            let noise = ((row * 31 + column * 17) as f64).sin();
            f64::from(u8::from(column == class)) + 0.4 * noise
        };
        let values: Vec<String> = (0..classes).map(|column| value(column).to_string()).collect();
        csv += &format!("{},c{class}\n", values.join(","));
    }
    let file = folder.join("net.csv");
    fs::write(&file, csv).unwrap();
    file.display().to_string()
}

/// Heads and rows of the tables in a Markdown file.
fn tables(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut tables: Vec<Vec<String>> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let row = line.starts_with('|');
        if row && !inside {
            tables.push(Vec::new());
        }
        inside = row;
        if let Some(table) = tables.last_mut().filter(|_| row) {
            table.push(line.to_owned());
        }
    }
    tables
}

#[test]
fn every_target_has_its_tables_figures_and_verdicts() {
    // Target; rows of its tables; names of its figures; verdicts.
    let expected: [(&str, &[usize], &[&str], usize); 14] = [
        ("table1", &[7, 31], &["table1-cub"], 5),
        ("assumptions", &[9], &[], 10),
        ("errors", &[2], &["errors-cub", "errors-cub-intercept"], 4),
        ("path", &[], &["path-toy", "path-cub"], 1),
        ("selectors", &[6], &["selectors-cub"], 6),
        ("iterations", &[6], &["iterations-cub"], 2),
        ("initial", &[10], &["initial"], 1),
        ("classifiers", &[3], &["classifiers-cub"], 3),
        ("dimension", &[6], &["dimension"], 2),
        ("reductions", &[7], &["reductions"], 3),
        ("backbones", &[3, 1], &["backbones"], 1),
        ("alpha", &[8], &["alpha-cub"], 1),
        ("episode", &[1], &["episode-cub"], 2),
        ("peers", &[20], &["peers-time-cub", "peers-balance-cub"], 1),
    ];
    let all: Vec<&str> = target("all").each().iter().map(|target| target.name).collect();
    assert_eq!(all, expected.map(|(name, ..)| name));
    with_lab("all --dataset cub --episodes 5 --seed 3", |lab| {
        for (name, rows, figures, verdicts) in expected {
            let finding = target(name).run(lab).unwrap();
            assert_eq!(finding.verdicts.len(), verdicts, "{name}");
            let (mut found_rows, mut found_figures) = (Vec::new(), Vec::new());
            for block in &finding.blocks {
                match block {
                    Block::Table { table, caption } => {
                        assert!(!caption.is_empty(), "{name}");
                        found_rows.push(table.rows().len());
                    }
                    Block::Figure { name, .. } => found_figures.push(name.clone()),
                    _ => {}
                }
            }
            assert_eq!(found_rows, rows, "{name}");
            assert_eq!(found_figures, figures, "{name}");
            for verdict in &finding.verdicts {
                assert!(!verdict.evidence.contains("NaN"), "{name}: {}", verdict.sentence());
            }
        }
    });
}

#[test]
fn a_target_is_written_with_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new");
    run(&args("selectors --dataset cub --episodes 5 --threads 1", &out)).unwrap();
    for file in ["selectors.md", "selectors.html", "figures/selectors-cub.svg"] {
        assert!(out.join(file).metadata().unwrap().len() > 500, "{file}");
    }
    assert!(fs::read(out.join("figures/selectors-cub.png")).unwrap().starts_with(b"\x89PNG"));
    let tables = tables(&out.join("selectors.md"));
    assert_eq!(tables.len(), 1);
    // A head, a rule and six selectors, each with its name and eight numbers.
    assert_eq!(tables[0].len(), 8);
    assert!(tables[0].iter().all(|row| row.matches('|').count() == 10), "{tables:?}");
    let text = fs::read_to_string(out.join("selectors.md")).unwrap();
    assert!(text.contains("The paper: with 5 of 15") && text.contains(" on CUB: ICIR selects"));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let markdown = |threads: usize| {
        let out = folder.path().join(threads.to_string());
        run(&args(&format!("initial --episodes 8 --threads {threads}"), &out)).unwrap();
        fs::read_to_string(out.join("initial.md")).unwrap()
    };
    assert_eq!(markdown(1), markdown(3));
}

#[test]
fn files_of_features_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = csv(folder.path(), 240, 6);
    let out = folder.path().join("out");
    let line = format!("backbones --episodes 6 --features {file} --features wide={file}");
    run(&args(&line, &out)).unwrap();
    let tables = tables(&out.join("backbones.md"));
    assert_eq!((tables.len(), tables[1].len()), (2, 4));
    assert!(tables[1][2].starts_with("| net ") && tables[1][3].starts_with("| wide "));
    assert!(out.join("figures/backbones.svg").is_file());
    let line = format!("table1 --features a/net.npy --labels {file} --labels x");
    let error = run(&args(&line, &out)).unwrap_err().to_string();
    assert!(error.starts_with("2 labels files were given for 1 features files"), "{error}");
}

#[test]
fn own_features_with_the_name_of_a_dataset_get_its_published_column() {
    let folder = tempfile::tempdir().unwrap();
    let file = csv(folder.path(), 800, 8);
    let heads = |name: &str| {
        let out = folder.path().join(name);
        run(&args(&format!("table1 --episodes 3 --features {name}={file}"), &out)).unwrap();
        tables(&out.join("table1.md"))[0][0].clone()
    };
    assert_eq!(heads("miniImageNet").matches("paper").count(), 2);
    assert_eq!(heads("dino").matches("paper").count(), 0);
    let text = fs::read_to_string(folder.path().join("miniImageNet/table1.md")).unwrap();
    // The paper's transductive ICIR, and a verdict against the semi-supervised methods that it prints.
    assert!(text.contains("72.39 ± 0.62"));
    assert!(text.contains("ICIR is above the published semi-supervised methods"), "{text}");
}

#[test]
fn the_report_of_all_begins_with_an_overview() {
    let (document, text) = with_lab("all --dataset cub --episodes 4 --seed 3", |lab| {
        let findings = ["initial", "path"].map(|name| target(name).run(lab).unwrap());
        let document = document(lab, findings.into()).unwrap();
        let text = finding::text(&document);
        (document, text)
    });
    let [Block::Paragraph(lead), Block::Table { table, .. }] = &document.lead[..] else {
        panic!("{:?}", document.lead);
    };
    assert!(lead.starts_with("4 episodes per experiment"), "{lead}");
    assert_eq!((table.rows().len(), table.columns().len()), (2, 4));
    assert!(text.contains("Figure: figures/initial.svg"), "{text}");
    assert!(text.contains("on CUB: most episodes improve whatever the initial accuracy"), "{text}");
}

#[test]
fn the_grid_continues_from_its_notes() {
    let folder = tempfile::tempdir().unwrap();
    let file = csv(folder.path(), 5 * 30, 5);
    let out = folder.path().join("out");
    let methods = "--method pt-map --method icir --method bd-cspn";
    let line = format!("grid --episodes 2 --features {file} {methods}");
    run(&args(&line, &out)).unwrap();
    let first = fs::read_to_string(out.join("grid.md")).unwrap();
    let notes = fs::read_to_string(out.join("grid.jsonl")).unwrap();
    // 5 ways, 1 and 5 shots, four sizes, six concentrations.
    assert_eq!(notes.lines().count(), 48);
    let tables = tables(&out.join("grid.md"));
    assert_eq!(tables.iter().map(Vec::len).collect::<Vec<_>>(), [2 + 4, 2 + 24, 2 + 24]);
    assert!(tables[0][2].starts_with("| pt-map ") && tables[0][5].starts_with("| plain "));
    // Thirty instances per class are not enough for pools of 300.
    assert!(first.contains("n = 300, because the classes are too few or too small"), "{first}");

    // Settings that have a line are not run again; those without one are.
    let kept: Vec<&str> = notes.lines().take(30).collect();
    fs::write(out.join("grid.jsonl"), kept.join("\n")).unwrap();
    run(&args(&line, &out)).unwrap();
    assert_eq!(fs::read_to_string(out.join("grid.md")).unwrap(), first);
    assert_eq!(fs::read_to_string(out.join("grid.jsonl")).unwrap().lines().count(), 48);
}
