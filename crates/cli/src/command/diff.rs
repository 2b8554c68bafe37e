//! `fragreel diff`

use std::io::Write;
use std::path::PathBuf;

use fragreel::Recording;
use fragreel::differences::{Difference, Differences, between_messages, between_moments, between_recordings};
use fragreel::model::{Explained, Milliseconds, Moment, Selection, When};
use serde::Serialize;
use serde_json::Value;

use super::Clock;
use crate::failure::{Failure, Stop};
use crate::output::{self, Output, must_write, printable};
use crate::progress::Progress;
use crate::shell::{Outcome, Shell};
use crate::{input, json, table};

/// Show what differs between two recordings, two moments, or two messages
///
/// Compares two recordings at equal server times, level by level: positions, entities, and events.
/// With --at, it compares every field at two moments. With --message, it compares the fields of two
/// messages. To compare a recording with itself, give one FILE and two times or two messages.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel diff final.dm_68 repaired.dm_68
      the changes of an edit
  fragreel diff alice.dm_68 bob.dm_68 --at 12:30.5
      the views of two players at one server time
  fragreel diff final.dm_68 --at 1:30 --at 1:31
      the changes within a second
  fragreel diff final.dm_68 --message 811 --message 812
  fragreel diff a.dm2 b.dm2 --message 40

Exit codes: 0 no difference, 1 differences found, 2 failed.")]
pub struct Arguments {
    /// One or two recordings
    #[arg(value_name = "FILE", required = true, num_args = 1..=2)]
    paths: Vec<PathBuf>,

    /// A moment in both recordings; or given twice, one moment for each
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Vec<Milliseconds>,

    /// The clock that --at is on [default: server for two recordings, demo for
    /// one]
    #[arg(long, value_enum, requires = "at")]
    clock: Option<Clock>,

    /// A message number in both recordings; or given twice, one for each
    #[arg(long, short, value_name = "N", conflicts_with = "at")]
    message: Vec<u32>,

    /// Show at most this number of differences. All are counted
    #[arg(long, alias = "most", value_name = "N", default_value_t = 50)]
    limit: u64,

    /// One JSON object per difference and a summary, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

/// What is compared.
enum What {
    Recordings,
    Moments(When, When),
    Messages(u32, u32),
}

/// What all differences come to.
#[derive(Serialize)]
struct Sum<'a> {
    path: &'a str,
    with: &'a str,
    equal: bool,
    differences: u64,
    #[serde(flatten)]
    recordings: Option<Differences>,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let what = self.what()?;
        let recordings = self.paths.iter().map(|path| input::load(shell, path, false)).collect::<Result<Vec<_>, _>>()?;
        let last = self.paths.len() - 1;
        let (a, b) = (&*recordings[0], &*recordings[last]);
        let (path, with) = (input::name(&self.paths[0]), input::name(&self.paths[last]));
        let mut show = Differing {
            shell,
            output: output::stdout(),
            json: self.json,
            path: &path,
            limit: self.limit,
            count: 0,
            rows: table::Rows::new(&["TIME", "MESSAGE", "WHAT", "FIELD", "A", "B"]).sparing(&["MESSAGE"]),
        };
        let recordings = match what {
            What::Recordings => {
                remark_on_maps(&a.info().maps, &b.info().maps);
                let _progress = Progress::new(shell, "comparing");
                let mut found = between_recordings(a, b)
                    .map_err(|error| Failure::new("they cannot be compared").because(error).help("Compare moments with --at, or messages with --message."))?;
                found.by_ref().for_each(|difference| show.add(&difference));
                Some(found.summary())
            }
            What::Moments(first, second) => {
                between_moments(&moment(a, first, &path)?, &moment(b, second, &with)?).iter().for_each(|difference| show.add(difference));
                None
            }
            What::Messages(first, second) => {
                between_messages(&message(a, first, &path)?, &message(b, second, &with)?).iter().for_each(|difference| show.add(difference));
                None
            }
        };
        show.finish(recordings, &with)
    }

    fn what(&self) -> Result<What, Failure> {
        let two = self.paths.len() == 2;
        let needed = |option: &str| {
            let failure = Failure::new(format!("{option} must be given once or twice for two recordings, and twice for one"));
            Err(failure.help("Name two recordings to compare."))
        };
        if let [times @ .., last] = &self.at[..] {
            let clock = self.clock.unwrap_or(if two { Clock::Server } else { Clock::Demo });
            if times.len() > 1 || (times.is_empty() && !two) {
                return needed("--at");
            }
            let when = |time| match clock {
                Clock::Demo => Ok(When::Demo(time)),
                Clock::Server => Ok(When::Server(time)),
                Clock::Match => Err(Failure::new("--at needs the demo clock or the server clock").help("Use --clock demo or --clock server.")),
            };
            return Ok(What::Moments(when(*times.first().unwrap_or(last))?, when(*last)?));
        }
        if let [messages @ .., last] = &self.message[..] {
            if messages.len() > 1 || (messages.is_empty() && !two) {
                return needed("--message");
            }
            return Ok(What::Messages(*messages.first().unwrap_or(last), *last));
        }
        if !two {
            return Err(Failure::new("only one recording to compare").help("Name another, or two moments of it with --at, or two messages with --message."));
        }
        Ok(What::Recordings)
    }
}

/// Players and entities are compared by number, which on another map are of something else.
fn remark_on_maps(a: &[String], b: &[String]) {
    if let (false, [first, ..], [other, ..]) = (a.iter().any(|map| b.contains(map)), a, b) {
        eprintln!("their maps differ, {} and {}, so equal numbers are different entities", printable(first), printable(other));
    }
}

fn moment(recording: &Recording, when: When, name: &str) -> Result<Moment, Failure> {
    recording.state_at(when).map_err(|error| {
        let failure = Failure::new(format!("`{name}` has no state to compare")).because(error).about(name);
        failure.help("`fragreel verify --details` shows what it contains and what is damaged.")
    })
}

fn message(recording: &Recording, number: u32, name: &str) -> Result<Explained, Failure> {
    recording.explain(Selection::Message(number)).next().ok_or_else(|| {
        let failure = Failure::new(format!("there is no message {number} in `{name}`")).about(name);
        failure.help("Messages are numbered from 0. `fragreel info` shows their number.")
    })
}

/// Shows differences as they come.
struct Differing<'a> {
    shell: &'a Shell,
    output: Output,
    json: bool,
    path: &'a str,
    limit: u64,
    count: u64,
    rows: table::Rows,
}

impl Differing<'_> {
    fn add(&mut self, difference: &Difference) {
        self.count += 1;
        if self.count > self.limit {
            return;
        }
        if self.json {
            must_write(json::line(&mut self.output, &json::About { path: self.path, answer: difference }));
            return;
        }
        let Difference { server_time, message_a, message_b, place, field, a, b, event, .. } = difference;
        let message = match (message_a, message_b) {
            (Some(a), Some(b)) if a != b => format!("{a}, {b}"),
            (a, b) => a.or(*b).map(|message| message.to_string()).unwrap_or_default(),
        };
        let time = server_time.map(|time| time.to_string()).unwrap_or_default();
        let is_whole = field.is_empty();
        let value = |value: &Option<Value>| match (value, event) {
            (None, _) => String::from("-"),
            (Some(_), Some(event)) => event.kind.to_string(),
            (Some(_), None) if is_whole => String::from("there"),
            (Some(Value::String(text)), None) => text.clone(),
            (Some(value), None) => value.to_string(),
        };
        must_write(self.rows.push(self.shell, &mut self.output, vec![time, message, place.clone(), field.clone(), value(a), value(b)]));
    }

    fn finish(mut self, recordings: Option<Differences>, with: &str) -> Result<Outcome, Stop> {
        let equal = self.count == 0 && recordings.as_ref().is_none_or(Differences::is_equal);
        if self.json {
            json::line(&mut self.output, &Sum { path: self.path, with, equal, differences: self.count, recordings })?;
        } else {
            self.rows.flush(self.shell, &mut self.output)?;
            if self.count > self.limit {
                writeln!(self.output, "and {} more", self.count - self.limit)?;
            }
            let text = match recordings {
                Some(found) => sum(&found),
                None if equal => String::from("nothing differs"),
                None => format!("{} differ", many(self.count, "field", "fields")),
            };
            writeln!(self.output, "{}", printable(&text))?;
        }
        output::finish(self.output)?;
        Ok(Outcome::damaged(!equal))
    }
}

fn sum(found: &Differences) -> String {
    let mut text = match (found.frames, found.differing) {
        (0, _) => String::from("the recordings have no frames at the same server time"),
        (frames, 0) => format!("{} at the same times, none differs", many(frames, "frame", "frames")),
        (frames, differing) => format!("{} at the same times, {differing} of them differ", many(frames, "frame", "frames")),
    };
    for (count, one, several) in [
        (found.only_a, "frame is only in A", "frames are only in A"),
        (found.only_b, "frame is only in B", "frames are only in B"),
        (found.events_a, "event is only in A", "events are only in A"),
        (found.events_b, "event is only in B", "events are only in B"),
    ] {
        if count > 0 {
            text.push_str(&format!("; {}", many(count, one, several)));
        }
    }
    text
}

fn many(count: u64, one: &str, several: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {several}") }
}
