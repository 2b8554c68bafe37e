//! `fragreel join`

use fragreel::Recording;

use super::SeveralPaths;
use crate::edit::{self, Against, Doing, OneOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Join parts of one recording session
///
/// Parts are joined in the order given. Messages that two parts of a Quake II or Quake III
/// recording share are written once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel join part_1.dm_68 part_2.dm_68 -o whole.dm_68
  fragreel join --dry-run part_1.dm2 part_2.dm2              check whether they fit

Exit codes: 0 the result is whole and its frames match the parts, 1 it is not,
or its frames differ, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    files: SeveralPaths,

    #[command(flatten)]
    options: OneOptions,
}

const DOING: Doing = Doing {
    name: "join",
    now: "joining the recordings",
    done: "joined with the others",
    help: "They must be parts of one session, in order. Compare them with `fragreel info`.",
    of_damaged: false,
    result: Against::Parts,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let paths = self.files.paths;
        edit::run(shell, &paths, &self.options.settle()?, &DOING, |sources| {
            let joined = Recording::join(sources).map_err(|error| edit::failed(&DOING, &paths[0], error))?;
            Ok(vec![joined])
        })
    }
}
