//! `fragreel merge`

use fragreel::Recording;

use super::SeveralPaths;
use crate::edit::{self, Against, Doing, OneOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Merge several viewpoints of one Quake III match into one recording
///
/// Through the eyes of the first recording's player; the others add the entities that they saw.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel merge mine.dm_68 theirs.dm_68 -o both.dm_68
  fragreel merge --dry-run mine.dm_68 theirs.dm_68           whether they fit

Exit codes: 0 the result is whole and holds all of the first, 1 not quite, 2 it
could not be done.")]
pub struct Arguments {
    #[command(flatten)]
    files: SeveralPaths,

    #[command(flatten)]
    options: OneOptions,
}

const DOING: Doing = Doing {
    name: "merge",
    now: "merging the recordings",
    done: "merged with the others",
    help: "They must show one match on one server: `fragreel info` on all of them shows what they are.",
    of_damaged: false,
    result: Against::Wishes,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let paths = self.files.paths;
        edit::run(shell, &paths, &self.options.settle()?, &DOING, |sources| {
            let merged = Recording::merge(sources).map_err(|error| edit::failed(&DOING, &paths[0], error))?;
            Ok(vec![merged])
        })
    }
}
