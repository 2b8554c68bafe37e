//! Which part of a recording is meant.

use std::path::Path;

use fragreel::edit::{Clock, Range};
use fragreel::model::Milliseconds;

use super::around::Around;
use crate::asked::{Held, broken_off};
use crate::command::{self, Times};
use crate::failure::Failure;
use crate::input;

/// Options that name a part.
#[derive(clap::Args)]
pub struct Part {
    #[command(flatten)]
    times: Times,

    /// The clock that --from and --to are on
    #[arg(long, value_enum, default_value_t = command::Clock::Demo)]
    clock: command::Clock,

    /// Cut around an event: its kind and number, such as kill:3 for the third line of `fragreel
    /// events --kinds kill`, or event:3 for the third of all events
    #[arg(long, value_name = "KIND:N", conflicts_with_all = ["from", "to", "clock"])]
    around: Option<Around>,

    /// Time before and after the event [default: 5 seconds]
    #[arg(long, value_name = "TIME")]
    pad: Option<Milliseconds>,

    /// Time before the event, if it differs from --pad
    #[arg(long, value_name = "TIME")]
    before: Option<Milliseconds>,

    /// Time after the event, if it differs from --pad
    #[arg(long, value_name = "TIME")]
    after: Option<Milliseconds>,
}

/// Around an event, where nothing else is said.
const PAD: Milliseconds = Milliseconds(5000);

impl Part {
    /// Refuses what means nothing in any recording.
    pub fn must_make_sense(&self) -> Result<(), Failure> {
        if self.around.is_none() && self.times.are_all() {
            return Err(Failure::new("nothing to cut").help("Give --from, --to, or --around."));
        }
        let padded = self.pad.is_some() || self.before.is_some() || self.after.is_some();
        if padded && self.around.is_none() {
            return Err(Failure::new("nothing to pad").help("--pad, --before and --after need --around."));
        }
        self.times.must_make_sense()?;
        if self.clock != command::Clock::Demo && (self.times.from.is_none() || self.times.to.is_none()) {
            return Err(Failure::new("the match clock needs both --from and --to").help("Give both --from and --to."));
        }
        Ok(())
    }

    /// What it means in a recording.
    pub fn range(&self, recording: Held<'_>, path: &Path) -> Result<Range, Failure> {
        let broken_off = |error| broken_off(&input::name(path), &error);
        if let Some(around) = &self.around {
            let pad = self.pad.unwrap_or(PAD);
            let when = around.find(recording, &broken_off)?;
            let from = (when - self.before.unwrap_or(pad)).max(Milliseconds(0));
            return Ok(Range { clock: Clock::Demo, from, to: when + self.after.unwrap_or(pad) });
        }
        let clock = match self.clock {
            command::Clock::Demo => Clock::Demo,
            command::Clock::Server => Clock::Server,
            command::Clock::Match => Clock::Match,
        };
        let times = self.times.of_info(self.clock, || recording.info().map_err(broken_off))?;
        Ok(Range { clock, from: times.from.unwrap_or_default(), to: times.to.unwrap_or(Milliseconds::END) })
    }
}
