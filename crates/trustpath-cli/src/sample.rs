//! `trustpath sample`: real data to try the other commands with.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use trustpath_bench::{Random, Split, embedded};
use trustpath_table::{Column, Error as TableError, Output, ResultTable, npy, write_atomically};

use crate::error::{Error, Result};
use crate::print;
use crate::values::up_to;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SampleArgs {
    /// Folder for the files, created if missing
    folder: PathBuf,
    /// Dataset
    #[arg(long, default_value = "cub",
        value_parser = PossibleValuesParser::new(embedded::DATASETS))]
    dataset: String,
    /// Instances per class in the pool; fewer if a class is smaller
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = up_to::<1_000_000>)]
    size: usize,
    /// Labelled instances per class
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = up_to::<10_000>)]
    labels: usize,
    /// Random seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const AFTER: &str = "\
Features of real images, of classes that the network was not trained on. Files:
  pool.npy    features of the pool, one row per instance
  labels.csv  id and label of the labelled instances; ids are row numbers
  truth.csv   id and label of all instances, to check the result
  new.npy     features of other instances, for trustpath predict

Example: trustpath sample try && trustpath label try/pool.npy --labels try/labels.csv";

/// Instances per class for `predict`.
const NEW: usize = 20;

pub fn run(args: &SampleArgs) -> Result<()> {
    if args.labels >= args.size {
        return Err(Error::Usage(format!(
            "--labels {} of --size {} leaves no unlabelled instances: use fewer labels",
            args.labels, args.size
        )));
    }
    let table = embedded::load(&args.dataset, Split::Novel)?;
    let mut random = Random::stream(args.seed, 0);
    let mut pool: Vec<(usize, usize, bool)> = Vec::new();
    let mut new = Vec::new();
    for (class, members) in table.members().iter().enumerate() {
        let mut members = members.clone();
        random.shuffle(&mut members);
        let size = args.size.min(members.len().saturating_sub(NEW));
        if args.labels >= size {
            return Err(Error::Usage(format!(
                "--labels {} is too many: class {} has only {size} instances for the pool; use fewer labels",
                args.labels,
                table.class_names()[class]
            )));
        }
        pool.extend(members[..size].iter().enumerate().map(|(at, &row)| (row, class, at < args.labels)));
        new.extend(members[size..].iter().copied().take(NEW));
    }
    random.shuffle(&mut pool);
    random.shuffle(&mut new);

    std::fs::create_dir_all(&args.folder).map_err(|e| TableError::write(&args.folder, e))?;
    let rows: Vec<usize> = pool.iter().map(|&(row, ..)| row).collect();
    features(&args.folder.join("pool.npy"), &table.gather(&rows), table.dims())?;
    features(&args.folder.join("new.npy"), &table.gather(&new), table.dims())?;
    for (file, all) in [("labels.csv", false), ("truth.csv", true)] {
        let (ids, names) = pool
            .iter()
            .enumerate()
            .filter(|(_, (.., labelled))| all || *labelled)
            .map(|(id, &(_, class, _))| (id.to_string(), table.class_names()[class].clone()))
            .unzip();
        let mut labels = ResultTable::default();
        labels.push("id", Column::Text(ids))?;
        labels.push("label", Column::Text(names))?;
        labels.write(&Output::new(args.folder.join(file)))?;
    }
    let folder = args.folder.display();
    print::stdout(&format!(
        "{}: {} instances of {} classes, {} of each labelled, and {} new ones, written to {folder}\n\nNext: trustpath label {folder}/pool.npy --labels {folder}/labels.csv --out {folder}/out.csv --report {folder}/report.html\n",
        args.dataset,
        pool.len(),
        table.class_names().len(),
        args.labels,
        new.len(),
    ))
}

fn features(path: &Path, values: &[f32], dims: usize) -> Result<()> {
    let shape = [values.len() / dims, dims];
    Ok(write_atomically(path, |file| npy::write_f32(file, &shape, values))?)
}
