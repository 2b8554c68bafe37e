//! `fragreel completions`

use std::io::Write;

use clap::{CommandFactory, ValueHint};
use clap_complete::Shell as Dialect;

use crate::failure::Stop;
use crate::output;
use crate::shell::{Outcome, Shell};
use crate::usage::shown;

/// Generate shell completions
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel completions bash > fragreel.bash
  fragreel completions zsh > ~/.zfunc/_fragreel
  fragreel completions fish > ~/.config/fish/completions/fragreel.fish")]
pub struct Arguments {
    /// Shell to generate them for
    #[arg(value_name = "SHELL")]
    dialect: Dialect,
}

impl Arguments {
    pub fn run(self, _: &Shell) -> Result<Outcome, Stop> {
        // Into memory first: the generator gives up loudly when its reader does.
        let mut script = Vec::new();
        clap_complete::generate(self.dialect, &mut without_false_hints(crate::Cli::command()), "fragreel", &mut script);
        let script = shown(&String::from_utf8_lossy(&script)).into_bytes();
        let mut output = output::stdout();
        output.write_all(&script)?;
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}

/// Shells offer files for whatever they know nothing of; here only for what names files.
fn without_false_hints(command: clap::Command) -> clap::Command {
    let hinted = |argument: clap::Arg| {
        let names_files = argument.get_value_names().unwrap_or_default().iter().any(|name| ["FILE", "PATH", "FOLDER", "FILE.bsp"].contains(&name.as_str()));
        let takes_words = argument.get_action().takes_values() && argument.get_possible_values().is_empty() && !names_files;
        if takes_words { argument.value_hint(ValueHint::Other) } else { argument }
    };
    let subcommands: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    subcommands.into_iter().fold(command.mut_args(hinted), |command, name| command.mut_subcommand(name, without_false_hints))
}
