//! `trustpath completions` and `trustpath man`: shell completions and manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use trustpath_table::Error as TableError;

use crate::error::Result;
use crate::print;

#[derive(Debug, Args)]
#[command(after_help = "\
Example: trustpath completions bash > ~/.local/share/bash-completion/completions/trustpath")]
pub struct CompletionsArgs {
    /// Shell
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: trustpath man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for one page per command, created if missing [default: print the main page]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub fn completions(args: &CompletionsArgs, mut all: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut all, "trustpath", &mut script);
    print::bytes(&script)
}

pub fn man(args: &ManArgs, all: Command) -> Result<()> {
    match &args.out {
        Some(folder) => std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(all, folder))
            .map_err(|e| TableError::write(folder, e).into()),
        None => {
            let mut page = Vec::new();
            // Writing into memory cannot fail.
            let _ = clap_mangen::Man::new(all).render(&mut page);
            print::bytes(&page)
        }
    }
}
