//! `fragreel commands`

use std::io::{self, Write};

use fragreel::UserCommand;
use fragreel::model::Milliseconds;

use super::{OnePath, Times};
use crate::failure::{Failure, Stop};
use crate::output::{self, must_write};
use crate::shell::{Ink, Outcome, Shell};
use crate::{input, json};

/// Show what the player's hands did, command by command
///
/// The recorded user commands: buttons by name, view angles in degrees, moves in units per second. This is what those
/// read who verify speedruns or look for cheats. Half-Life recordings have them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel commands run.dem | less                  every command as a line
  fragreel commands --from 0:20 --to 0:25 run.dem   five seconds of them
  fragreel commands --json run.dem
      for machines: one JSON object per command")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    #[command(flatten)]
    times: Times,

    /// One JSON object per command, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        let path = &self.file.path;
        let demo = input::load(shell, path, false)?;
        let recording = demo.open().map_err(|error| input::not_opened(path, error))?;
        let name = input::name(path);
        let mut output = output::stdout();
        let mut headed = self.json;
        let read = recording.commands(&mut |command| {
            let time = Milliseconds::from_seconds(f64::from(command.time));
            if !self.times.hold(time) {
                return;
            }
            if !headed {
                must_write(head(shell, &mut output));
                headed = true;
            }
            must_write(if self.json { json::line(&mut output, &json::About { path: &name, answer: &command }) } else { row(&mut output, &command) });
        });
        read.map_err(|error| Failure::new(format!("`{name}` gives no user commands")).because(error).help("Half-Life recordings made by a player have them."))?;
        output::finish(output)?;
        Ok(Outcome::Fine)
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
    let UserCommand { time, msec, pitch, yaw, roll, forward_move, side_move, up_move, impulse, buttons, .. } = command;
    let buttons = buttons.join("+");
    let line =
        format!("{time:>11.4} {msec:>4} {pitch:>9.3} {yaw:>9.3} {roll:>9.3} {forward_move:>8.1} {side_move:>8.1} {up_move:>8.1} {impulse:>4}  {buttons}");
    writeln!(output, "{}", line.trim_end())
}
