//! `fragreel usercmds`

mod csv;
mod summary;

use std::io::{self, Write};

use fragreel::model::Milliseconds;
use fragreel::model::UserCommand;
use fragreel::{ErrorKind, InputStats};

use super::{Paths, Times};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::{Output, printable};
use crate::resume::{Format, Shape};
use crate::row_output::RowOutput;
use crate::shell::{Ink, Outcome, Shell};

/// Show recorded user commands: buttons, moves, view angles
///
/// Shows buttons by name, view angles in degrees, and moves in units per second, for those who
/// verify speedruns or look for cheats. --summary shows figures and gives no verdict. User commands
/// are in Half-Life demos recorded by a player, in QuakeWorld's .qwd, and in .mvd if the server was
/// configured to record them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel usercmds run.dem | less                  every command as a line
  fragreel usercmds --from 0:20 --to 0:25 run.qwd   five seconds of them
  fragreel usercmds --summary run.dem
      frame times, turns, presses, mouse wheel, strafes, impulses
  fragreel usercmds --summary --csv runs/ > runs.csv
      a line for each recording
  fragreel usercmds --json run.dem
      for machines: one JSON object per command")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    #[command(flatten)]
    times: Times,

    /// Show figures instead of commands
    #[arg(long)]
    summary: bool,

    /// Only the commands of the player in this slot
    #[arg(long, value_name = "N")]
    slot: Option<u16>,

    #[command(flatten)]
    rows: RowOutput,
}

/// Whether a recording has commands.
struct Answer {
    has_commands: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        let format = self.rows.format();
        let keys: &[&str] = if self.summary {
            &["slot?", "commands", "repeated", "seconds", "lengths", "turns", "strafes"]
        } else {
            &["message", "time", "msec", "buttons", "pitch", "yaw", "impulse"]
        };
        let shape = Shape { keys, instead: &[], edit: None, headings: csv::headings(self.summary), several: true };
        let (resume, headed) = self.rows.open(&shape, self.paths.all())?;
        let alone = self.paths.one().is_some();
        let ask = |source: &Source<'_>| self.answer(shell, source, format, alone);
        let mut report = Report { shell, format, summary: self.summary, several: !alone, headed, has_begun: false, without: 0 };
        let outcome = batch::run(shell, self.paths.all(), resume, ask, &mut report)?;
        if report.without > 0 {
            let recordings = if report.without == 1 { "1 recording holds" } else { &format!("{} recordings hold", report.without) };
            eprintln!("{recordings} no user commands");
        }
        Ok(outcome)
    }

    fn answer(&self, shell: &Shell, source: &Source<'_>, format: Format, alone: bool) -> Result<Answer, Failure> {
        let name = source.name;
        let times = self.times.before_end(|| {
            // what fails here fails below
            let last = source.recording.usercmds().ok().and_then(Iterator::last);
            last.map_or(Milliseconds(0), |command| Milliseconds::from_seconds(f64::from(command.time)))
        })?;
        let (mut text, mut stats, mut read) = (Vec::new(), Vec::<InputStats>::new(), 0_u64);
        let commands = match source.recording.usercmds() {
            Ok(commands) => commands,
            Err(error) if error.kind() == ErrorKind::Unsupported && !alone => return Ok(Answer { has_commands: false }),
            Err(error) => {
                let failure = Failure::new(format!("`{name}` has no user commands")).because(error);
                return Err(failure.help("Half-Life recordings made by a player have them, and QuakeWorld's .qwd."));
            }
        };
        for command in commands {
            read += 1;
            let is_meant = times.hold(Milliseconds::from_seconds(f64::from(command.time))) && self.slot.is_none_or(|slot| command.slot == Some(slot));
            if !is_meant {
                continue;
            }
            if self.summary {
                match stats.iter_mut().find(|stats| stats.slot == command.slot) {
                    Some(stats) => stats.add(&command),
                    None => {
                        let mut one = InputStats::default();
                        one.add(&command);
                        stats.push(one);
                    }
                }
                continue;
            }
            // Writing to memory cannot fail.
            drop(match format {
                Format::Json => json::append_about(&mut text, name, &command),
                Format::Csv => {
                    csv::row(&mut text, name, &command, self.rows.formulas());
                    Ok(())
                }
                Format::Table => row(&mut text, &command),
            });
            source.stream.take_piece(&mut text)?;
        }
        if read == 0 {
            return Ok(Answer { has_commands: false });
        }
        stats.sort_by_key(|stats| stats.slot);
        for stats in &stats {
            drop(match format {
                Format::Json => json::line(&mut text, &json::About { path: name, answer: stats }),
                Format::Csv => {
                    csv::summary(&mut text, name, stats, self.rows.formulas());
                    Ok(())
                }
                Format::Table => summary::write(shell, &mut text, stats),
            });
        }
        source.stream.take(&mut text)?;
        Ok(Answer { has_commands: true })
    }
}

struct Report<'a> {
    shell: &'a Shell,
    format: Format,
    summary: bool,
    several: bool,
    headed: bool,
    /// Whether commands of the present recording were shown.
    has_begun: bool,
    /// Recordings without commands.
    without: usize,
}

impl Report<'_> {
    /// Writes what stands above the commands.
    fn begin(&mut self, output: &mut Output, path: &str) -> io::Result<()> {
        match self.format {
            Format::Csv if !self.headed => csv::head(output, self.summary)?,
            Format::Table => {
                let gap = if self.headed { "\n" } else { "" };
                if self.several {
                    writeln!(output, "{gap}{}", self.shell.paint(Ink::Strong, printable(path)))?;
                }
                if !self.summary {
                    head(self.shell, output)?;
                }
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
        let has_begun = std::mem::take(&mut self.has_begun);
        if !answer.has_commands {
            self.without += 1;
        } else if !has_begun && self.format != Format::Table {
            self.begin(output, path)?;
        }
        Ok(Outcome::Fine)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.has_begun = false;
        if self.format == Format::Json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}

fn head(shell: &Shell, output: &mut impl Write) -> io::Result<()> {
    let head = format!(
        "{:>11} {:>4} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>4}  {}",
        "time", "msec", "pitch", "yaw", "roll", "forward", "side", "up", "imp", "buttons"
    );
    writeln!(output, "{}", shell.paint(Ink::Strong, head))
}

fn row(output: &mut impl Write, command: &UserCommand) -> io::Result<()> {
    let UserCommand { time, msec, pitch, yaw, roll, forward_move, side_move, up_move, impulse, buttons, slot, .. } = command;
    let whose = slot.map(|slot| format!("  (slot {slot})")).unwrap_or_default();
    let buttons = buttons.join("+");
    let line = format!(
        "{time:>11.4} {msec:>4} {pitch:>9.3} {yaw:>9.3} {roll:>9.3} {forward_move:>8.1} {side_move:>8.1} {up_move:>8.1} {impulse:>4}  {buttons}{whose}"
    );
    writeln!(output, "{}", line.trim_end())
}
