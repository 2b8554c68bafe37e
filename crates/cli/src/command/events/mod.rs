//! `fragreel events`

mod csv;
mod filter;

use std::io::Write;

use fragreel::model::{Damage, Event, Evidence, Kind};

use super::Paths;
use crate::asked::{Asked, Held};
use crate::batch::{self, Renderer};
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Ink, Outcome, Shell};
use filter::{Compiled, Filter};

/// List what happened: kills, chat, joins, scores
///
/// Times count from the recording's first frame. A kind marked with ~ was inferred from text or
/// from a change of state. The recording states all others. Names are shown without colors; --json
/// has both forms.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel events final.dm_68                              everything
  fragreel events --kinds kill,flag final.dm_68
      only some kinds, which is also faster
  fragreel events --player 'sar*' --from 5:00 demos/
      one player's events, from a time on
  fragreel events --kinds chat --csv demos/ > chat.csv     for spreadsheets
  fragreel events --kinds kill --scenes --json final.dm_68
      with both places, the distance, and the attacker's weapon
  fragreel events --kinds kill --json final.dm_68
      for machines: one JSON object per event")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    filter: Filter,

    /// Add the scene to each kill: both places, the distance, who was in the air, health,
    /// power-ups, and time since the spawn. Takes about twice as long
    #[arg(long)]
    scenes: bool,

    #[command(flatten)]
    rows: RowOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let format = self.rows.format();
        let filter = self.filter.compile()?;
        let paths = &self.paths.paths;
        let several = !self.paths.mean_one();
        let keys = &["time", "server_time", "message", "evidence", "kind"];
        let (resume, headed) = self.rows.open(&Shape { keys, instead: &[], edit: None, headings: csv::headings(), several: true }, paths)?;
        let ask = |asked: &Asked<'_>| {
            let times = filter.times_in(asked)?;
            let mut text = Vec::new();
            let mut write = writer(format, self.rows.formulas(), &filter, shell, asked.name);
            let mut events = match asked.recording {
                Held::Whole(recording) if self.scenes => recording.events_with_kill_context(filter.kinds()),
                _ => asked.events(filter.kinds()),
            };
            for event in events.by_ref() {
                if filter.passes(&times, &event) {
                    write(&event, &mut text);
                    asked.stream.take_piece(&mut text)?;
                }
            }
            asked.stream.take(&mut text)?;
            match events.failure() {
                Some(error) => Err(asked.broken_off(error)),
                None => Ok(Answer { damage: events.damage() }),
            }
        };
        let outcome = batch::run_in_chunks(shell, paths, resume, !self.scenes, ask, &mut Report { shell, format, several, headed, has_begun: false })?;
        filter.remark();
        Ok(outcome)
    }
}

/// What is said of a recording behind its events.
struct Answer {
    damage: Vec<Damage>,
}

type Writer<'a> = Box<dyn FnMut(&Event, &mut Vec<u8>) + 'a>;

/// What writes an event. Writing to memory cannot fail.
fn writer<'a>(format: Format, formulas: bool, filter: &'a Compiled, shell: &'a Shell, path: &'a str) -> Writer<'a> {
    match format {
        Format::Json => Box::new(move |event, text| drop(json::append_about(text, path, event))),
        Format::Csv => {
            let rows = csv::Rows { formulas };
            Box::new(move |event, text| rows.push(text, path, event))
        }
        Format::Table => Box::new(move |event, text| {
            let kind = event.kind.kind();
            let doubt = if event.evidence == Evidence::Inferred { "~" } else { "" };
            let cell = format!("{:<WIDEST_KIND$}", format!("{}{doubt}", kind.name()));
            let ink = if kind == Kind::Kill { Ink::Strong } else { Ink::Faint };
            let time = filter.time(event).map_or_else(|| String::from("-"), |time| time.to_string());
            drop(writeln!(text, "{time:>11}  {}  {}", shell.paint(ink, cell), printable(&event.kind.to_string())));
        }),
    }
}

/// Room for `center_print~`.
const WIDEST_KIND: usize = 13;

struct Report<'a> {
    shell: &'a Shell,
    format: Format,
    several: bool,
    headed: bool,
    /// Whether events of the present recording were shown.
    has_begun: bool,
}

impl Report<'_> {
    /// Writes what stands above the events.
    fn begin(&mut self, output: &mut Output, path: &str) -> Result<(), Stop> {
        match self.format {
            Format::Csv if !self.headed => csv::head(output)?,
            Format::Table if self.several => {
                let gap = if self.headed { "\n" } else { "" };
                writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
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
        // a table has no heading without lines
        if !std::mem::take(&mut self.has_begun) && self.format != Format::Table {
            self.begin(output, path)?;
        }
        super::damage_met(output, path, &answer.damage)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.has_begun = false;
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
