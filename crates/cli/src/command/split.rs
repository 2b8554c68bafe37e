//! `fragreel split`

use fragreel::edit::Split;

use super::Paths;
use crate::edit::{self, Against, Doing, ManyOptions};
use crate::failure::Stop;
use crate::shell::{Outcome, Shell, size};

/// Split a recording into parts; the game plays each one
///
/// Splits by level, by gamestate (a level that was loaded twice gives two parts), by match from its
/// start to its intermission, or by size.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel split long.dm_68 --by match -o matches
      matches/long_1.dm_68 and so on
  fragreel split campaign.dm2 --by level -o 'parts/{#}_{map}.{ext}'
  fragreel split huge.mvd --by size:10MB -o parts
  fragreel split demos/ --by match -o 'matches/{date}_{map}_{#}.{ext}'
  fragreel split long.dm_68 --by level --dry-run
      list the parts, and write nothing

In a pattern {#} is the part's number, {stem} the recording's name without
extension, {ext} its extension, {map}, {date}, {server}, {game}, {mod}, {mode}
and {player} (the recorder) are those of the part; a pattern that ends
in .gz compresses. Names are made safe; a second result with the same name gets _2.

Exit codes: 0 all parts are whole and their frames match the source, 1 some are
not, or their frames differ, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Where to split: level, gamestate, match, or size:BYTES such as size:10MB
    #[arg(long, value_name = "WHAT", value_parser = by)]
    by: Split,

    #[command(flatten)]
    options: ManyOptions,
}

const DOING: Doing = Doing {
    name: "split",
    now: "splitting the recording",
    done: "split like that",
    help: "`fragreel events --kinds level,match` lists its levels and matches.",
    of_damaged: false,
    result: Against::Source,
};

fn by(text: &str) -> Result<Split, String> {
    match text {
        "level" => Ok(Split::Level),
        "gamestate" => Ok(Split::Gamestate),
        "match" => Ok(Split::Match),
        _ => text
            .strip_prefix("size:")
            .and_then(|text| size(text).ok())
            .map(Split::Size)
            .ok_or_else(|| String::from("write level, gamestate, match, or a size such as size:10MB")),
    }
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        edit::each_into_several(shell, &self.paths, self.options, &DOING, |recording, path| {
            recording.split(self.by).map_err(|error| edit::failed(&DOING, path, error))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_to_split_by_is_read() {
        for (text, expected) in [("level", Some(Split::Level)), ("size:10MB", Some(Split::Size(10_000_000))), ("size:500", Some(Split::Size(500)))] {
            assert_eq!(by(text).ok(), expected);
        }
        for wrong in ["size:", "size:0", "size:ten", "round", "size:99999999999GB"] {
            assert!(by(wrong).is_err(), "{wrong}");
        }
    }
}
