//! `fragreel convert`

use std::io::Write;

use fragreel::edit::{Format, Target};
use fragreel::model::Loss;

use super::Paths;
use crate::edit::{self, Against, Doing, EachOptions};
use crate::failure::Stop;
use crate::progress::Progress;
use crate::shell::{Outcome, Shell};
use crate::{input, json, output, table};

/// Convert a recording to another format
///
/// FORMAT is an extension (dm_68, dm2, mvd2, rla, qwd, mvd, dem), a protocol number (34, 666), or
/// both ("dem 666"); `server` is a Quake II server's recording. Data that the new format cannot
/// store is listed as lost. The result is compressed if its name ends in .gz.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel convert final.dm_66 --to dm_68 -o final.dm_68
  fragreel convert replacement-deltas.dem -o plain.dem
      the closest that stock engines play
  fragreel convert match.mvd --to qwd --pov Sarge -o sarge.qwd
      one player's view
  fragreel convert server.dm2 --pov 3 --dry-run
      list what would be lost, and write nothing
  fragreel convert --list match.mvd --pov Sarge
      list possible formats and what each loses
  fragreel convert --to mvd2 match.rla -o match.mvd2
      all players' views, in another form
  fragreel convert --to dm2 final.dm2.gz -o final.dm2
      only uncompressed

Exit codes: 0 the result is whole and its frames match the source, 1 it is not,
or its frames differ, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Target format [default: the closest one that stock engines play]
    #[arg(long, value_name = "FORMAT")]
    to: Option<String>,

    /// The player to follow, if the recording has several: a name without colors, or a slot number
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    /// List possible formats and what each loses, and write nothing
    #[arg(long, conflicts_with = "to")]
    list: bool,

    #[command(flatten)]
    options: EachOptions,
}

const DOING: Doing = Doing {
    name: "convert",
    now: "converting the recording",
    done: "converted like that",
    help: "`fragreel info` shows its format and players; docs/guide.md lists the possible conversions.",
    of_damaged: false,
    result: Against::Frames,
};

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        if self.list {
            return self.show(shell);
        }
        let target = Target { format: self.to.map(|format| format.to_ascii_lowercase()), pov: self.pov };
        edit::each(shell, &self.paths, self.options, &DOING, |recording, path| recording.convert(&target).map_err(|error| edit::failed(&DOING, path, error)))
    }

    fn show(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = self.paths.only()?;
        let recording = input::load(shell, path, false)?;
        let progress = Progress::new(shell, "trying the possible formats");
        let found = recording.formats(self.pov.as_deref());
        drop(progress);
        let mut output = output::stdout();
        if self.options.json() {
            for Format { name, losses, needs } in &found {
                let answer = Possible { format: name, losses, loss_kinds: losses.iter().map(Loss::kind).collect(), needs: needs.as_deref() };
                json::line(&mut output, &json::About { path: &input::name(path), answer: &answer })?;
            }
        } else if found.is_empty() {
            writeln!(output, "no other target format")?;
        } else {
            let mut rows = table::Rows::new(&["FORMAT", "LOSES"]);
            for Format { name, losses, needs } in found {
                let mut name = name.to_owned();
                for line in lines(losses, needs) {
                    rows.hold(vec![std::mem::take(&mut name), line]);
                }
            }
            rows.flush(shell, &mut output)?;
        }
        output::finish(output)?;
        Ok(Outcome::Fine)
    }
}

/// What is said of a format, a line for each thing.
fn lines(losses: Vec<Loss>, needs: Option<String>) -> Vec<String> {
    match needs {
        Some(needs) => vec![format!("({needs})")],
        None if losses.is_empty() => vec![String::from("nothing")],
        None => losses.iter().map(ToString::to_string).collect(),
    }
}

/// A format as docs/json.md describes it.
#[derive(serde::Serialize)]
struct Possible<'a> {
    format: &'a str,
    losses: &'a [Loss],
    loss_kinds: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<&'a str>,
}
