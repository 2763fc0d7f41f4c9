//! `trustpath completions` and `trustpath man`: shell completions and manual pages.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use trustpath_table::{Error as TableError, write_atomically};

use crate::cli::Cli;
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

pub fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "trustpath", &mut script);
    print::bytes(&script)
}

pub fn man(args: &ManArgs) -> Result<()> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = &args.out else { return print::bytes(&page(command)) };
    std::fs::create_dir_all(folder).map_err(|e| TableError::write(folder, e))?;
    for (name, page) in pages(command, "") {
        write_atomically(folder.join(format!("{name}.1")), |file| file.write_all(&page))?;
    }
    Ok(())
}

/// The pages of a command and its subcommands, by name.
fn pages(command: Command, before: &str) -> Vec<(String, Vec<u8>)> {
    let name = format!("{before}{}", command.get_name());
    let within: Vec<Command> =
        command.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let command = command.display_name(&name);
    let own = (name.clone(), page(command));
    let within = within.into_iter().flat_map(|command| pages(command, &format!("{name}-")));
    std::iter::once(own).chain(within).collect()
}

fn page(command: Command) -> Vec<u8> {
    let mut page = Vec::new();
    // Writing into memory cannot fail.
    let _ = Man::new(command).render(&mut page);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_its_page() {
        let mut command = Cli::command();
        command.build();
        let pages = pages(command, "");
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        for name in ["trustpath", "trustpath-bench", "trustpath-check", "trustpath-man"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for (name, page) in &pages {
            let page = String::from_utf8(page.clone()).unwrap();
            assert!(page.contains(".TH") && page.contains(".SH"), "{name}");
        }
    }
}
