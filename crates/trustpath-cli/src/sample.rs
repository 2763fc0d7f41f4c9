//! `trustpath sample`: real data to try the other commands on.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use trustpath_episodes::{Random, Split, embedded};
use trustpath_table::{Column, Error as TableError, Output, ResultTable, npy, write_atomically};

use crate::cli::positive;
use crate::error::{Error, Result};
use crate::print;

/// What to write.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SampleArgs {
    /// Folder for the files, made if it is missing
    folder: PathBuf,
    /// The dataset
    #[arg(long, default_value = "cifar-fs",
        value_parser = PossibleValuesParser::new(embedded::DATASETS))]
    dataset: String,
    /// Instances of every class in the pool; fewer where a class has not as many
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = positive)]
    size: usize,
    /// How many of them are labelled
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive)]
    labels: usize,
    /// Seed of the choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const AFTER: &str = "\
Features of real images, of classes that the network never saw. Writes
  pool.npy    the features of the pool, one row an instance
  labels.csv  id and label of the few that are labelled; ids are row numbers
  truth.csv   id and label of all, to see how well it went
  new.npy     features of other instances, for trustpath predict

Example: trustpath sample try && trustpath label try/pool.npy --labels try/labels.csv";

/// Instances of every class that are kept for `predict`.
const NEW: usize = 20;

/// Runs the command.
pub fn run(args: &SampleArgs) -> Result<()> {
    if args.labels >= args.size {
        return Err(Error::Usage(format!(
            "--labels {} leaves nothing to label of --size {}: ask for fewer labels",
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
                "--labels {} is too many: class {} has {size} instances for the pool",
                args.labels,
                table.class_names()[class]
            )));
        }
        pool.extend(
            members[..size].iter().enumerate().map(|(at, &row)| (row, class, at < args.labels)),
        );
        new.extend(members[size..].iter().copied().take(NEW));
    }
    random.shuffle(&mut pool);
    random.shuffle(&mut new);

    std::fs::create_dir_all(&args.folder).map_err(|e| TableError::write(&args.folder, e))?;
    let rows: Vec<usize> = pool.iter().map(|&(row, ..)| row).collect();
    features(&args.folder.join("pool.npy"), &table.gather(&rows), table.dims())?;
    features(&args.folder.join("new.npy"), &table.gather(&new), table.dims())?;
    let name = |class: usize| table.class_names()[class].clone();
    let labels = |given: &dyn Fn(bool) -> bool, file: &str| -> Result<()> {
        let (ids, names) = pool
            .iter()
            .enumerate()
            .filter(|(_, (.., labelled))| given(*labelled))
            .map(|(id, &(_, class, _))| (id.to_string(), name(class)))
            .unzip();
        let mut table = ResultTable::default();
        table.push("id", Column::Text(ids))?;
        table.push("label", Column::Text(names))?;
        Ok(table.write(&Output::new(args.folder.join(file)))?)
    };
    labels(&|labelled| labelled, "labels.csv")?;
    labels(&|_| true, "truth.csv")?;
    let folder = args.folder.display();
    print::stdout(&format!(
        "{}: {} instances of {} classes, {} of each labelled, and {} new ones, in {folder}\n\nNext: trustpath label {folder}/pool.npy --labels {folder}/labels.csv --out {folder}/out.csv --report {folder}/report.html\n",
        args.dataset,
        pool.len(),
        table.class_names().len(),
        args.labels,
        new.len(),
    ))
}

/// Writes features as an array.
fn features(path: &Path, values: &[f32], dims: usize) -> Result<()> {
    let shape = [values.len() / dims, dims];
    Ok(write_atomically(path, |file| npy::write_f32(file, &shape, values))?)
}
