//! `fragreel events`

mod csv;
mod filter;
mod sentence;

use std::io::Write;

use fragreel::Recording;
use fragreel::model::{Damage, Event, Evidence, Kind};

use super::Paths;
use crate::batch::{self, Show};
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::{Output, printable};
use crate::shell::{Ink, Outcome, Shell};
use filter::Filter;

/// Tell what happened: kills, chat, joins, scores
///
/// Times count from the recording's first frame. A kind with ~ behind it was inferred, from text or from a change of
/// state; the others the recording states itself. Names are shown without colours; --json has them both ways.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel events final.dm_68                              everything
  fragreel events --kinds kill,flag final.dm_68            only some kinds, which is faster too
  fragreel events --player 'sar*' --from 5:00 demos/       whom it concerns, and from when
  fragreel events --kinds chat --csv demos/ > chat.csv     for spreadsheets
  fragreel events --kinds kill --json final.dm_68          for machines: one JSON object per event")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    filter: Filter,

    /// One JSON object per event, as docs/json.md describes
    #[arg(long)]
    json: bool,

    /// Comma-separated values with a line of headings, as docs/json.md describes
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

/// How events are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Table,
    Json,
    Csv,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let format = if self.json {
            Format::Json
        } else if self.csv {
            Format::Csv
        } else {
            Format::Table
        };
        let filter = self.filter.compile()?;
        let paths = &self.paths.paths;
        let several = !self.paths.mean_one();
        let ask = |path: &str, recording: &Recording<'_>| {
            let mut text = Vec::new();
            let mut write = writer(format, shell, path, &mut text);
            let damage = recording.events(filter.kinds(), &mut |event| {
                if filter.passes(&event) {
                    write(&event);
                }
            });
            drop(write);
            Answer { text, damage }
        };
        batch::run(shell, paths, ask, &mut Report { shell, format, several, headed: false })
    }
}

/// The events of one recording, as text.
struct Answer {
    text: Vec<u8>,
    damage: Vec<Damage>,
}

/// What puts an event into `text`. Writing to memory cannot fail.
fn writer<'a>(format: Format, shell: &'a Shell, path: &'a str, text: &'a mut Vec<u8>) -> Box<dyn FnMut(&Event) + 'a> {
    match format {
        Format::Json => Box::new(move |event| drop(json::line(text, &json::About { path, answer: event }))),
        Format::Csv => {
            let mut rows = csv::Rows::new(text);
            Box::new(move |event| rows.push(path, event))
        }
        Format::Table => Box::new(move |event| {
            let kind = event.kind.kind();
            let doubt = if event.evidence == Evidence::Inferred { "~" } else { "" };
            let cell = format!("{:<WIDEST_KIND$}", format!("{}{doubt}", kind.name()));
            let ink = if kind == Kind::Kill { Ink::Strong } else { Ink::Faint };
            drop(writeln!(text, "{:>11}  {}  {}", event.time, shell.paint(ink, cell), printable(&sentence::of(&event.kind))));
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
}

impl Show<Answer> for Report<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        match self.format {
            Format::Csv if !self.headed => csv::head(output)?,
            Format::Table if self.several => {
                let gap = if self.headed { "\n" } else { "" };
                writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
            }
            _ => {}
        }
        self.headed = true;
        output.write_all(&answer.text)?;
        if let Some(first) = answer.damage.first() {
            output.flush()?;
            let more = if answer.damage.len() > 1 { format!(" and {} findings more", answer.damage.len() - 1) } else { String::new() };
            eprintln!("{}: {}{more}", printable(path), printable(&super::verify::describe(first)));
        }
        Ok(Outcome::damaged(!answer.damage.is_empty()))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
