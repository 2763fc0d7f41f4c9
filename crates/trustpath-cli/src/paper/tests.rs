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

fn args(line: &str, out: &Path) -> PaperArgs {
    let out = out.to_str().unwrap();
    let words =
        ["paper"].into_iter().chain(line.split_whitespace()).chain(["--out", out, "--quiet"]);
    Command::try_parse_from(words).unwrap().args
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

fn lab(episodes: usize) -> Lab {
    let datasets = dataset::open(&["cub".to_owned()], &[], &[], &[]).unwrap();
    Lab::new(datasets, episodes, 3, true)
}

#[test]
fn every_target_has_its_tables_figures_and_verdicts() {
    // Target; rows of its tables; names of its figures; verdicts.
    let expected: [(Target, &[usize], &[&str], usize); 14] = [
        (Target::Table1, &[7, 6], &["table1-cub"], 4),
        (Target::Assumptions, &[6], &[], 2),
        (Target::Errors, &[1], &["errors-cub"], 2),
        (Target::Path, &[], &["path-cub"], 1),
        (Target::Selectors, &[5], &["selectors-cub"], 4),
        (Target::Iterations, &[6], &["iterations-cub"], 2),
        (Target::Initial, &[10], &["initial"], 1),
        (Target::Classifiers, &[3], &["classifiers-cub"], 2),
        (Target::Dimension, &[6], &["dimension"], 2),
        (Target::Reductions, &[6], &["reductions"], 2),
        (Target::Backbones, &[3], &[], 0),
        (Target::Alpha, &[8], &["alpha-cub"], 1),
        (Target::Episode, &[1], &["episode-cub"], 1),
        (Target::Peers, &[14], &["peers-time-cub", "peers-balance-cub"], 1),
    ];
    assert_eq!(Target::All.each(), expected.map(|(target, ..)| target));
    let lab = lab(5);
    for (target, rows, figures, verdicts) in expected {
        let finding = target.find(&lab).unwrap();
        let name = target.name();
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
    // A head, a rule and five selectors, each with its name and eight numbers.
    assert_eq!(tables[0].len(), 7);
    assert!(tables[0].iter().all(|row| row.matches('|').count() == 10), "{tables:?}");
    let text = fs::read_to_string(out.join("selectors.md")).unwrap();
    assert!(text.contains("The paper: with 5 of 15") && text.contains("CUB: that ICIR selects"));
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
    let mut csv = String::from("a,b,c,d,e,f,label\n");
    for row in 0..240usize {
        let class = row % 6;
        let value = |column: usize| {
            let noise = ((row * 31 + column * 17) as f64).sin();
            f64::from(u8::from(column == class)) + 0.4 * noise
        };
        let values: Vec<String> = (0..6).map(|column| value(column).to_string()).collect();
        csv += &format!("{},c{class}\n", values.join(","));
    }
    let file = folder.path().join("net.csv");
    fs::write(&file, csv).unwrap();
    let file = file.to_str().unwrap();
    let out = folder.path().join("out");
    let line = format!("backbones --episodes 6 --features {file} --features wide={file}");
    run(&args(&line, &out)).unwrap();
    let tables = tables(&out.join("backbones.md"));
    assert_eq!((tables.len(), tables[1].len()), (2, 4));
    assert!(tables[1][2].starts_with("| net ") && tables[1][3].starts_with("| wide "));
    assert!(out.join("figures/backbones.svg").is_file());
    let error =
        run(&args(&format!("table1 --features a/net.npy --labels {file} --labels x"), &out));
    assert!(matches!(error, Err(Error::Labels { labels: 2, features: 1 })));
}

#[test]
fn the_whole_report_begins_with_what_holds() {
    let lab = lab(4);
    let findings = vec![Target::Initial.find(&lab).unwrap(), Target::Path.find(&lab).unwrap()];
    let document = document(&lab, Target::All, findings).unwrap();
    let [Block::Paragraph(lead), Block::Table { table, .. }] = &document.lead[..] else {
        panic!("{:?}", document.lead);
    };
    assert!(lead.starts_with("4 episodes of each experiment"), "{lead}");
    assert_eq!((table.rows().len(), table.columns().len()), (2, 4));
    let text = finding::text(&document);
    assert!(text.contains("Figure: figures/initial.svg"), "{text}");
    assert!(
        text.contains("CUB: that most episodes improve whatever the initial accuracy"),
        "{text}"
    );
}

#[test]
fn the_grid_goes_on_from_its_notes() {
    let folder = tempfile::tempdir().unwrap();
    let mut csv = String::from("a,b,c,d,e,label\n");
    for row in 0..5 * 30usize {
        let class = row % 5;
        let value = |column: usize| {
            f64::from(u8::from(column == class)) + 0.4 * ((row * 31 + column * 17) as f64).sin()
        };
        let values: Vec<String> = (0..5).map(|column| value(column).to_string()).collect();
        csv += &format!("{},c{class}\n", values.join(","));
    }
    let file = folder.path().join("net.csv");
    fs::write(&file, csv).unwrap();
    let out = folder.path().join("out");
    let methods = "--method pt-map --method icir --method bd-cspn";
    let line = format!("grid --episodes 2 --features {} {methods}", file.display());
    run(&args(&line, &out)).unwrap();
    let first = fs::read_to_string(out.join("grid.md")).unwrap();
    let notes = fs::read_to_string(out.join("grid.jsonl")).unwrap();
    // 5 ways, 1 and 5 shots, four sizes, six concentrations.
    assert_eq!(notes.lines().count(), 48);
    let found = tables(&out.join("grid.md"));
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2 + 4, 2 + 24, 2 + 24]);
    assert!(found[0][2].starts_with("| pt-map ") && found[0][5].starts_with("| plain "));
    // Thirty of a class are not enough for pools of 300.
    assert!(first.contains("n = 300, as the classes are too few or too small"), "{first}");

    // Lines that are there are not run again, and those that are missing are.
    let kept: Vec<&str> = notes.lines().take(30).collect();
    fs::write(out.join("grid.jsonl"), kept.join("\n")).unwrap();
    run(&args(&line, &out)).unwrap();
    assert_eq!(fs::read_to_string(out.join("grid.md")).unwrap(), first);
    assert_eq!(fs::read_to_string(out.join("grid.jsonl")).unwrap().lines().count(), 48);
}
