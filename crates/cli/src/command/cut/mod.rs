//! `fragreel cut`

mod around;
mod part;

use std::path::Path;

use fragreel::{Error, ErrorKind, LongRecording, Recording};

use super::Paths;
use crate::asked::{Held, broken_off};
use crate::edit::{self, Against, Doing, EachOptions};
use crate::failure::Stop;
use crate::input;
use crate::shell::{Outcome, Shell};
use part::Part;

/// Cut a part out of a recording; the game plays the result
///
/// The part begins with the last frame at or before --from and ends with the last frame at or
/// before --to. It starts with what the game needs: a signon or gamestate with all strings of that
/// moment, and a full frame. All later messages are unchanged.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel cut final.dm_68 --from 5:00 --to 5:20 -o moment.dm_68
  fragreel cut final.dm_68 --around kill:3 -o moment.dm_68
      five seconds before and after the third kill
  fragreel cut final.dm_68 --around chat:1 --before 2 --after 10 -o moment.dm_68
  fragreel cut final.dm_68 --clock match --from 9:30 --to 10:00 -o end.dm_68.gz
  fragreel cut final.dm2 --to 1:00 -o - | gzip > first-minute.dm2.gz

Exit codes: 0 the result is whole and its frames match the source, 1 it is not,
or its frames differ, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    part: Part,

    #[command(flatten)]
    options: EachOptions,
}

const DOING: Doing = Doing {
    name: "cut",
    now: "cutting the recording",
    done: "cut like that",
    help: "`fragreel info` shows its length, and `fragreel events` the times of its events.",
    of_damaged: false,
    result: Against::Source,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let Arguments { paths, part, options } = self;
        part.must_make_sense()?;
        let failed = |path: &Path, error: Error| match error.kind() {
            ErrorKind::Io => broken_off(&input::name(path), &error),
            _ => edit::failed(&DOING, path, error),
        };
        let whole = |recording: &Recording, path: &Path| recording.cut(part.range(Held::Whole(recording), path)?).map_err(|error| failed(path, error));
        let long = |recording: &LongRecording, path: &Path| recording.cut(part.range(Held::Long(recording), path)?).map_err(|error| failed(path, error));
        edit::each_in_chunks(shell, &paths, options, &DOING, whole, &long)
    }
}
