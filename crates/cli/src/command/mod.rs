//! The subcommands, one file each. A new one is a file and a line in `commands!`.

mod aim;
mod audit;
mod compile;
mod completions;
mod convert;
mod cut;
mod decompile;
mod diff;
mod events;
mod explain;
mod export;
mod extract;
#[cfg(feature = "catalogue")]
mod find;
mod frames;
mod gathered;
mod highlights;
#[cfg(feature = "catalogue")]
mod index;
mod info;
mod join;
mod jumps;
mod listing;
mod man;
mod merge;
mod named;
mod pack;
#[cfg(feature = "live")]
pub mod record;
#[cfg(feature = "live")]
mod relay;
mod rename;
mod repair;
mod runs;
mod schema;
mod scores;
mod scrub;
#[cfg(feature = "live")]
mod serve;
#[cfg(feature = "live")]
mod servers;
mod site;
mod sort;
mod split;
#[cfg(feature = "catalogue")]
mod sql;
mod state;
mod strip;
mod unpack;
mod usercmds;
mod verify;
mod view;

use std::path::PathBuf;

use named::Named;

use fragreel::Recording;
use fragreel::model::{Info, Milliseconds};

use crate::asked::Asked;
use crate::damage::describe;
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::paths::Paths;
use crate::shell::{Outcome, Shell};

/// Declares the subcommands once. A module has its `Arguments`, whose documentation is the help text, with `run`.
macro_rules! commands {
    ($($(#[$gate:meta])? $name:ident = $module:ident),* $(,)?) => {
        /// What to do.
        #[derive(clap::Subcommand)]
        pub enum Command {
            $($(#[$gate])? #[allow(missing_docs, reason = "the help text stands on the arguments")] $name($module::Arguments)),*
        }

        impl Command {
            /// Does it.
            pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
                match self {
                    $($(#[$gate])? Command::$name(arguments) => arguments.run(shell)),*
                }
            }
        }
    };
}

commands! {
    Info = info,
    Verify = verify,
    Audit = audit,
    Events = events,
    Scores = scores,
    Runs = runs,
    Jumps = jumps,
    Aim = aim,
    Diff = diff,
    Explain = explain,
    State = state,
    Frames = frames,
    Usercmds = usercmds,
    Extract = extract,
    Export = export,
    #[cfg(feature = "catalogue")] Index = index,
    #[cfg(feature = "catalogue")] Find = find,
    #[cfg(feature = "catalogue")] Sql = sql,
    Decompile = decompile,
    Compile = compile,
    Schema = schema,
    #[cfg(feature = "live")] Record = record,
    #[cfg(feature = "live")] Serve = serve,
    #[cfg(feature = "live")] Relay = relay,
    View = view,
    #[cfg(feature = "live")] Servers = servers,
    Highlights = highlights,
    Cut = cut,
    Split = split,
    Join = join,
    Merge = merge,
    Repair = repair,
    Convert = convert,
    Scrub = scrub,
    Strip = strip,
    Site = site,
    Pack = pack,
    Unpack = unpack,
    Rename = rename,
    Sort = sort,
    Completions = completions,
    Man = man,
}

/// Says on standard error what damage a question met, and what exit code that means.
fn damage_met(output: &mut Output, path: &str, damage: &[fragreel::model::Damage]) -> Result<Outcome, Stop> {
    use std::io::Write;

    if let Some(first) = damage.first() {
        output.flush()?;
        let more = if damage.len() > 1 { format!(" and {} more findings", damage.len() - 1) } else { String::new() };
        eprintln!("{}: {}{more}", printable(path), printable(&describe(first)));
    }
    Ok(Outcome::damaged(!damage.is_empty()))
}

/// The one recording to work on.
#[derive(clap::Args)]
struct OnePath {
    /// A recording, or `-` for standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
}

/// Recordings that belong together.
#[derive(clap::Args)]
struct SeveralPaths {
    /// Two or more recordings, in order
    #[arg(value_name = "FILE", required = true, num_args = 2..)]
    paths: Vec<PathBuf>,
}

/// The clocks that times may be on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// Since the recording's first frame
    Demo,
    /// Server clock, which may have started long before the recording
    Server,
    /// Match clock; times outside a match are not selected
    Match,
}

/// Whether a time on the demo clock counts from the end.
fn is_from_end(time: Milliseconds) -> bool {
    time < Milliseconds(0)
}

/// A stretch of time.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Times {
    /// Start at this time: 90.5, 20s, 5m, or m:ss such as 1:30; -5s counts from the
    /// end
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<Milliseconds>,

    /// Up to this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub to: Option<Milliseconds>,
}

impl Times {
    /// Refuses what nothing lies in.
    pub fn must_make_sense(&self) -> Result<(), Failure> {
        match (self.from, self.to) {
            (Some(from), Some(to)) if from > to && is_from_end(from) == is_from_end(to) => {
                Err(Failure::new(format!("there is nothing between {from} and {to}")).help("--from must be earlier than --to."))
            }
            _ => Ok(()),
        }
    }

    /// The same times with negative ones counted from `end`, which is called only for those.
    pub fn before_end(self, end: impl FnOnce() -> Milliseconds) -> Result<Times, Failure> {
        if ![self.from, self.to].into_iter().flatten().any(is_from_end) {
            return Ok(self);
        }
        let end = end();
        let place = |time| if is_from_end(time) { (end + time).max(Milliseconds(0)) } else { time };
        let times = Times { from: self.from.map(place), to: self.to.map(place) };
        times.must_make_sense()?;
        Ok(times)
    }

    /// The same times of a recording. On the server's clock, negative times are times.
    pub fn of(self, recording: &Recording, clock: Clock) -> Result<Times, Failure> {
        if clock == Clock::Demo { self.before_end(|| recording.info().duration.unwrap_or_default()) } else { Ok(self) }
    }

    /// The same times of a recording that may be read in chunks.
    pub fn of_asked(self, asked: &Asked<'_>, clock: Clock) -> Result<Times, Failure> {
        self.of_info(clock, || asked.info())
    }

    /// The same times of the recording that `info` describes. It is called only for times that count from the end.
    pub fn of_info(self, clock: Clock, info: impl FnOnce() -> Result<Info, Failure>) -> Result<Times, Failure> {
        let end = if self.count_from_end(clock) { info()?.duration } else { None };
        if clock == Clock::Demo { self.before_end(|| end.unwrap_or_default()) } else { Ok(self) }
    }

    /// Whether a time counts from the end.
    pub fn count_from_end(&self, clock: Clock) -> bool {
        clock == Clock::Demo && [self.from, self.to].into_iter().flatten().any(is_from_end)
    }

    /// Whether nothing is left out.
    pub fn are_all(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Whether a time lies in it.
    pub fn hold(&self, time: Milliseconds) -> bool {
        self.from.is_none_or(|from| time >= from) && self.to.is_none_or(|to| time <= to)
    }
}
