//! `fragreel completions`

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell as Dialect;

use crate::failure::Stop;
use crate::output;
use crate::shell::{Outcome, Shell};

/// Write what a shell needs to complete fragreel's options
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel completions bash > ~/.local/share/bash-completion/completions/fragreel
  fragreel completions zsh > ~/.zfunc/_fragreel
  fragreel completions fish > ~/.config/fish/completions/fragreel.fish")]
pub struct Arguments {
    /// Which shell
    #[arg(value_name = "SHELL")]
    dialect: Dialect,
}

impl Arguments {
    pub fn run(self, _: &Shell) -> Result<Outcome, Stop> {
        // Into memory first: the generator gives up loudly when its reader does.
        let mut script = Vec::new();
        clap_complete::generate(self.dialect, &mut crate::Cli::command(), "fragreel", &mut script);
        let mut output = output::stdout();
        output.write_all(&script)?;
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}
