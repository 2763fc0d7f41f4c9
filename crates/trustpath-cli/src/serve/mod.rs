//! `trustpath serve`: a local page that labels, shows and learns.

mod source;

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use clap::Args;
use trustpath::spec::LabelSpec;
use trustpath_serve::{Server, Session, Settings};
use trustpath_table::{FileLock, ReadingNote, is_same_file};

use crate::args::{InputArgs, Wanted, WorkArgs};
use crate::error::{Error, Result};
use crate::files::CommandFiles;
use crate::images::SourceArgs;
use crate::spec_args::SpecArgs;
use crate::values::up_to;
use crate::{interrupt, print, reading};
use source::PoolSource;

/// Options of `trustpath serve`.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ServeArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    options: SpecArgs<LabelSpec>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Session")]
struct SessionArgs {
    /// Port of the server, which listens on 127.0.0.1 only [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Share of the pool that should be labelled or trusted in the end
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    coverage: f64,
    /// Number of answers between two model updates
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = up_to::<65_536>)]
    batch: usize,
    /// Also answer Label Studio as a machine learning backend: /health, /setup, /predict and /webhook below the printed
    /// address, whose token is kept in LABELS.token
    #[arg(long)]
    label_studio: bool,
}

const AFTER: &str = "\
Examples:
  trustpath serve embeddings.npy --labels answers.csv
  trustpath serve photos/ --labels photo-labels.csv
  trustpath serve questions.csv --text question --labels question-labels.csv --precision 0.95
  trustpath serve tasks.json --labels answers.csv --label-studio --port 9090

The page asks in turn for labels of the most useful instances and of random ones, which check how many
labels are right. It takes answers one at a time, in a grid or many together, lists given labels that
may be wrong, shows progress, and exports the labels. The model is updated in the background, by the
same pipeline as trustpath label.

--labels names the .csv or .tsv that the answers go to. It need not exist: then the labels in the
data are the start. Every answer is on the disk before the page goes on, in LABELS.journal beside
the file; the file itself is written when the session ends, by the page or by Ctrl-C. A session that
was killed goes on where it was. One process at a time can work on a labels file.

Exit status: 0 on success, 1 on failure, 2 for invalid input or usage.";

/// Suggestions for each answer of a batch, so that the page has enough until the next update.
const AHEAD: usize = 4;

/// Reads a share.
fn share(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("give a share between 0 and 1, as in 0.9".into()),
    }
}

pub fn run(args: &ServeArgs) -> Result<()> {
    let mut spec = args.options.spec()?;
    let trust = spec.trust()?;
    if spec.suggest == 0 {
        spec.suggest = AHEAD * args.session.batch;
    }
    let labels = labels_file(&args.input)?;
    let name = labels.display();
    let token = labels.with_file_name(format!("{}.token", labels.file_name().unwrap_or_default().to_string_lossy()));
    // Before the labels are read: another session may be about to write them.
    let lock = FileLock::acquire(labels)?;
    let (threads, progress) = (args.work.pool()?, args.work.progress.get());
    // A labels file that does not exist yet is not read.
    let mut input = args.input.clone();
    input.labels = input.labels.filter(|labels| labels.exists());
    let instances = input.read(Wanted::Any, CommandFiles::default(), &args.source, None, &threads, progress)?;
    let settings = Settings {
        labels: labels.to_owned(),
        missing: args.input.missing_labels(),
        coverage: args.session.coverage,
        batch: args.session.batch,
        seed: spec.seed,
        label_studio: args.session.label_studio,
    };
    let notes = instances.pool.notes().iter().filter(|note| !matches!(note, ReadingNote::Journal(..)));
    let notes = reading::notes(notes);
    let text = args.input.text_column(&instances.pool);
    let source = Arc::new(PoolSource { instances, threads, spec, trust, text, represented: OnceLock::new() });
    let session = Session::open(source.clone(), settings, lock)?;
    let token_file = args.session.label_studio.then_some(token.as_path());
    let server = Server::bind(args.session.port, token_file)?;
    let mut said: String = notes.iter().map(|note| format!("{note}\n")).collect();
    if session.replayed() > 0 {
        said += &format!(
            "{} of a session that did not end were read from the journal.\n",
            print::count(session.replayed(), "answer", "answers")
        );
    }
    let pool = &source.instances.pool;
    said += &format!(
        "{}: {}. Open this address in a browser:\n\n  {}\n\nAnswers go to {name}. Ctrl-C ends the session.\n",
        pool.source(),
        print::count(pool.rows(), "instance", "instances"),
        server.address(),
    );
    if args.session.label_studio {
        said += &format!(
            "\nLabel Studio: add this address as a model of the project, without authentication:\n\n  {0}\n\nand this one as a webhook for created and updated annotations:\n\n  {0}/webhook\n",
            server.label_studio_address(),
        );
    }
    print::stdout(&said)?;
    // The address is needed now, also by a program that reads a pipe.
    std::io::stdout().flush().map_err(|e| Error::Print(e.to_string()))?;
    server.run(&session, interrupt::requested);
    let ended = session.finish()?;
    let labelled = print::count(ended.labelled, "label", "labels");
    print::stdout(&if ended.written {
        format!("{name}: {labelled}, {} of them checked by a person\n", ended.checked)
    } else {
        format!("No answer was given, and {name} is unchanged.\n")
    })
}

/// The file that the answers go to.
fn labels_file(input: &InputArgs) -> Result<&Path> {
    let usage = |why: String| Err(Error::Usage(why));
    let Some(labels) = &input.labels else {
        return usage("no file for the answers: give --labels labels.csv, which need not exist yet".into());
    };
    let name = labels.display();
    let ending = labels.extension().map(|ending| ending.to_ascii_lowercase());
    if ending.is_none_or(|ending| ending != "csv" && ending != "tsv") {
        return usage(format!("--labels {name} must end in .csv or .tsv, since the answers are written there"));
    }
    if is_same_file(labels, &input.features) {
        return usage(format!(
            "--labels {name} is the file of the data, which the answers would replace: name another file, and the labels in the data are the start"
        ));
    }
    if input.labels_in_order {
        return usage(
            "--labels-in-order is not for trustpath serve, which writes labels by id: name the ids in the data by --id-column, or leave the ids out of the labels file".into(),
        );
    }
    Ok(labels)
}
