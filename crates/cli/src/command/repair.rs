//! `fragreel repair`

use std::path::PathBuf;

use super::Paths;
use crate::edit::{self, Against, Doing, EachOptions};
use crate::failure::Stop;
use crate::input;
use crate::shell::{Outcome, Shell};

/// Turn a damaged recording into one that plays
///
/// Reports each change, and verifies the result before it writes the output file. The damaged file
/// is never changed. Undamaged messages are copied unchanged. A damaged message is repaired if
/// there is only one way to repair it, and left out otherwise.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel repair --dry-run broken.dem              what would be done
  fragreel repair broken.dem -o whole.dem           write the repaired recording to another file
  fragreel repair headless.dm_71 --donor other.dm_71 -o whole.dm_71
      with the opening of a recording of the same server and map

Exit codes: 0 the result is whole, 1 it is not, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Take a lost opening from a recording of the same server and map
    #[arg(long, value_name = "FILE")]
    donor: Option<PathBuf>,

    #[command(flatten)]
    options: EachOptions,
}

const DOING: Doing = Doing {
    name: "repair",
    now: "repairing the recording",
    done: "repaired",
    help: "`fragreel verify --details` lists the damage.",
    of_damaged: true,
    result: Against::Source,
};

/// With the opening of another recording, frames can be read that could not.
const WITH_DONOR: Doing = Doing { result: Against::Wishes, ..DOING };

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if let Some(path) = &self.donor {
            let donor = input::load(shell, path, false)?;
            return edit::each(shell, &self.paths, self.options, &WITH_DONOR, |recording, path| {
                recording.repair_with(&donor).map_err(|error| edit::failed(&WITH_DONOR, path, error))
            });
        }
        edit::each(shell, &self.paths, self.options, &DOING, |recording, path| recording.repair().map_err(|error| edit::failed(&DOING, path, error)))
    }
}
