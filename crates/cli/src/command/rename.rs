//! `fragreel rename`

use std::path::PathBuf;

use super::Paths;
use crate::edit::Pattern;
use crate::failure::{Failure, Stop};
use crate::moves::{self, Options};
use crate::shell::{Outcome, Shell};

/// Rename recordings by what is in them
///
/// Each file gets a name by the pattern, in its folder. No file is replaced: a second file of one
/// name gets _2. A list of the moves is kept, and --undo moves the files back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel rename demos/ --to '{date}_{map}_{team1}_vs_{team2}.{ext}' --dry-run
      what the files would be called
  fragreel rename demos/ --to '{date}_{time}_{map}_{score}.{ext}'
  fragreel rename --undo fragreel-moves.jsonl
      all the old names again

In a pattern {date}, {time}, {map}, {mode}, {team1}, {team2}, {winner} and {score}
are those of the last match, {server}, {game}, {mod} and {player} (who recorded)
the recording's, {stem} and {ext} the file's. What is unknown is `unknown`. .gz and
.frp stay at the end.")]
pub struct Arguments {
    /// Files, folders (all recordings below them), or patterns in quotes
    #[arg(value_name = "PATH", required_unless_present = "undo", conflicts_with = "undo")]
    paths: Vec<PathBuf>,

    /// The new name
    #[arg(long, value_name = "PATTERN", required_unless_present = "undo", conflicts_with = "undo")]
    to: Option<PathBuf>,

    /// Move files back by this list, the last move first
    #[arg(long, value_name = "FILE")]
    undo: Option<PathBuf>,

    #[command(flatten)]
    options: Options,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        match (&self.undo, &self.to) {
            (Some(list), _) => moves::undo(shell, list, &self.options),
            (None, Some(to)) => moves::by_content(shell, &Paths { paths: self.paths }, &pattern(to)?, None, &self.options),
            (None, None) => Err(Failure::new("no new name was given").help("Give a pattern with --to.").into()),
        }
    }
}

/// A pattern that does something.
pub fn pattern(path: &std::path::Path) -> Result<Pattern, Failure> {
    if !Pattern::is(path) {
        return Err(Failure::new(format!("`{}` is one name for all files", path.display())).help("Write a pattern such as '{date}_{map}_{stem}.{ext}'."));
    }
    Pattern::new(path)
}
