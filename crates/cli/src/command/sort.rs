//! `fragreel sort`

use std::path::PathBuf;

use super::Paths;
use super::rename::pattern;
use crate::failure::Stop;
use crate::moves::{self, Options};
use crate::shell::{Outcome, Shell};

/// Move recordings into folders by what is in them
///
/// Each file goes to where the pattern says, below the output folder. No file is replaced: a second
/// file of one name gets _2. A list of the moves is kept, and `fragreel rename --undo` moves the
/// files back.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel sort incoming/ -o archive --dry-run
      archive/GAME/MOD/MAP/NAME: where the files would go
  fragreel sort incoming/ -o archive --by '{game}/{mode}/{date}_{map}_{stem}.{ext}'
  fragreel rename --undo fragreel-moves.jsonl
      everything back to where it was

The pattern takes what that of `fragreel rename` takes.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// The folder that the files go to; on the same disk
    #[arg(long, short, value_name = "FOLDER")]
    output: PathBuf,

    /// The place below the folder
    #[arg(long, value_name = "PATTERN", default_value = "{game}/{mod}/{map}/{stem}.{ext}")]
    by: PathBuf,

    #[command(flatten)]
    options: Options,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        moves::by_content(shell, &self.paths, &pattern(&self.by)?, Some(&self.output), &self.options)
    }
}
