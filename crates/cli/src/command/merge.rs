//! `fragreel merge`

use fragreel::Recording;

use super::SeveralPaths;
use crate::edit::{self, Against, Doing, OneOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Merge several views of one Quake III match
///
/// The result shows the first recording's view. The other recordings add the entities that they
/// saw.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel merge mine.dm_68 theirs.dm_68 -o both.dm_68
  fragreel merge --dry-run mine.dm_68 theirs.dm_68           whether they fit

Exit codes: 0 the result is whole and has all of the first recording, 1
otherwise, 2 failed.")]
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
    help: "They must show one match on one server. Compare them with `fragreel info`.",
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
