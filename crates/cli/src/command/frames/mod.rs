//! `fragreel frames`

mod known;
mod line;
mod parts;
mod piece;
mod row;

use std::io::Write;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fragreel::edit::Clock;
use fragreel::model::{EntityKinds, Fields, Frame, FrameOptions};

use super::{Named, Paths, Times};
use crate::asked::Asked;
use crate::batch::{self, Renderer};
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Ink, Outcome, Shell};
use crate::{command, json};
use line::Lines;
use row::Rows;

/// List where every player was, frame by frame
///
/// Columns are the same for all games: positions and speeds in game units, view angles in degrees
/// (pitch is positive downwards), health, and weapon. Unknown values are empty. `*` marks the
/// player whose view was recorded.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel frames --hz 1 final.dm_68            every player once a second
  fragreel frames --from 5:00 --to 5:10 final.dm_68
      every frame of ten seconds
  fragreel frames --player 'sar*' --hz 10 --csv final.dm_68 > sarge.csv
      one player's path, for programs and spreadsheets
  fragreel frames --entities missile --fields origin --json final.dm_68
      one JSON object per frame, with all missiles in flight")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// At most this number of frames per second [default: all]
    #[arg(long, value_name = "RATE", value_parser = rate)]
    hz: Option<f64>,

    #[command(flatten)]
    times: Times,

    /// Clock of all times, in options and in the output
    #[arg(long, value_enum, default_value_t = command::Clock::Demo)]
    clock: command::Clock,

    /// Only these players: the name without colors, in any case, with `*` and `?` as wildcards. May
    /// be repeated
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Only these fields, separated by commas [default: all]
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = PossibleValuesParser::new(Fields::NAMES).try_map(|name| Fields::named(&name).ok_or("no field")))]
    fields: Vec<Fields>,

    /// Also list entities of these kinds, separated by commas
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = PossibleValuesParser::new(EntityKinds::NAMES).try_map(|name| EntityKinds::named(&name).ok_or("no kind")))]
    entities: Vec<EntityKinds>,

    #[command(flatten)]
    rows: RowOutput,
}

/// Reads how many frames a second are wanted.
pub fn rate(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0).ok_or_else(|| String::from("write the frames per second, such as 10 or 0.5"))
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        let format = self.rows.format();
        let keys = &["number", "message", "level", "time", "server_time", "players", "entities"];
        let shape = Shape { keys, instead: &[], edit: None, headings: row::COLUMNS.join(","), several: true };
        let (resume, headed) = self.rows.open(&shape, &self.paths.paths)?;
        let several = !self.paths.mean_one();
        let wanted = Wanted { options: self.options(), players: Named::new(&self.player) };
        let ask = |asked: &Asked<'_>| {
            let path = asked.name;
            let times = self.times.of_asked(asked, self.clock)?;
            let options = FrameOptions { from: times.from, to: times.to, ..wanted.options };
            match format {
                Format::Json => {
                    let mut lines = Lines::about(path);
                    // Writing to memory cannot fail.
                    wanted.ask(asked, options, |frame, text| drop(lines.append(text, frame)))
                }
                Format::Csv => {
                    let mut rows = Rows::about(path, self.rows.formulas());
                    wanted.ask(asked, options, |frame, text| rows.append(text, frame))
                }
                Format::Table => wanted.ask(asked, options, |frame, text| row::table(text, frame, self.clock)),
            }
        };
        let outcome = batch::run_in_chunks(shell, &self.paths.paths, resume, true, ask, &mut Report { shell, format, several, headed, has_begun: false })?;
        wanted.players.remark();
        Ok(outcome)
    }

    fn options(&self) -> FrameOptions {
        let mut options = FrameOptions::default().players_only();
        if !self.fields.is_empty() {
            options.fields = self.fields.iter().fold(Fields::NONE, |all, &one| all | one);
        }
        if self.rows.format() == Format::Csv {
            options.fields = row::UNSAID.into_iter().fold(options.fields, Fields::without);
        }
        options.entities = self.entities.iter().fold(EntityKinds::NONE, |all, &one| all | one);
        options.rate = self.hz;
        options.clock = match self.clock {
            command::Clock::Demo => Clock::Demo,
            command::Clock::Server => Clock::Server,
            command::Clock::Match => Clock::Match,
        };
        options
    }
}

struct Wanted {
    options: FrameOptions,
    players: Named,
}

impl Wanted {
    /// Hands the frames as text to the recording's stream.
    fn ask(&self, asked: &Asked<'_>, options: FrameOptions, mut write: impl FnMut(&Frame, &mut Vec<u8>)) -> Result<Answer, Failure> {
        let path = asked.name;
        let mut frames = asked
            .frames(options)
            .map_err(|error| Failure::new(format!("`{path}` has no frames to list")).because(error).help("`fragreel state` shows single moments."))?;
        let (mut frame, mut text) = (Frame::default(), Vec::new());
        while frames.next_into(&mut frame) {
            if !self.players.are_all() {
                frame.players.retain(|player| player.name.as_ref().is_some_and(|name| self.players.hold(&name.clean)));
            }
            write(&frame, &mut text);
            asked.stream.take_piece(&mut text)?;
        }
        asked.stream.take(&mut text)?;
        if let Some(error) = frames.failure() {
            return Err(asked.broken_off(error));
        }
        let damage = frames.damage().first().map(|first| format!("{}: {}", printable(path), printable(&super::describe(first))));
        Ok(Answer { damage })
    }
}

/// What is said of a recording behind its frames.
struct Answer {
    damage: Option<String>,
}

struct Report<'a> {
    shell: &'a Shell,
    format: Format,
    several: bool,
    headed: bool,
    /// Whether frames of the present recording were shown.
    has_begun: bool,
}

impl Report<'_> {
    /// Writes what stands above the frames.
    fn begin(&mut self, output: &mut Output, path: &str) -> std::io::Result<()> {
        match self.format {
            Format::Csv if !self.headed => writeln!(output, "{}", row::COLUMNS.join(","))?,
            Format::Table => {
                if self.several {
                    let gap = if self.headed { "\n" } else { "" };
                    writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
                }
                writeln!(output, "{}", self.shell.paint(Ink::Strong, row::heading()))?;
            }
            _ => {}
        }
        self.headed = true;
        Ok(())
    }
}

impl Renderer<Answer> for Report<'_> {
    fn piece(&mut self, output: &mut Output, path: &str, piece: &[u8]) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.begin(output, path)?;
        }
        Ok(output.write_all(piece)?)
    }

    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        // a table has no heading without rows
        if !std::mem::take(&mut self.has_begun) && self.format != Format::Table {
            self.begin(output, path)?;
        }
        if let Some(damage) = &answer.damage {
            output.flush()?;
            eprintln!("{damage}");
        }
        Ok(Outcome::damaged(answer.damage.is_some()))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.has_begun = false;
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
