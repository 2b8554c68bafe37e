//! `fragreel convert`

use fragreel::edit::Target;

use super::OnePath;
use crate::edit::{self, Against, Doing, OneOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell};

/// Convert a recording to another format
///
/// A format is an extension (dm_68, dm2, qwd, mvd, dem), a protocol number (34, 666), or both (\"dem 666\"). What the new
/// format cannot say is listed as lost. Whether the result is compressed, its name says: .gz does.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel convert final.dm_66 --to dm_68 -o final.dm_68
  fragreel convert replacement-deltas.dem -o plain.dem                 the closest that stock engines play
  fragreel convert match.mvd --to qwd --pov Sarge -o sarge.qwd         through one player's eyes
  fragreel convert server.dm2 --pov 3 --dry-run                        only what would be lost
  fragreel convert --to dm2 final.dm2.gz -o final.dm2                  only uncompressed

Exit codes: 0 the result is whole and its frames are the source's, 1 not quite, 2 it could not be done.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// What to convert it to [default: the closest that stock engines play]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,

    /// Through whose eyes, where the recording saw several players: a name without colours, or a slot's number
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    #[command(flatten)]
    options: OneOptions,
}

const DOING: Doing = Doing {
    now: "converting the recording",
    done: "converted like that",
    help: "`fragreel info` says what it is and who is in it; docs/guide.md lists what becomes what.",
    of_damaged: false,
    result: Against::Source,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = self.file.path;
        let target = Target { format: self.to, pov: self.pov };
        edit::run(shell, std::slice::from_ref(&path), &self.options.settle()?, &DOING, |sources| {
            let converted = sources[0].convert(&target).map_err(|error| edit::failed(&DOING, &path, error))?;
            Ok(vec![converted])
        })
    }
}
