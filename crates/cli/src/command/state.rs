//! `fragreel state`

use std::collections::BTreeSet;
use std::io::{self, Write};

use fragreel::model::{Milliseconds, Moment, Section, Value, When};

use super::{Clock, OnePath, Times};
use crate::failure::{Failure, Stop};
use crate::output::{self, printable};
use crate::shell::{Ink, Outcome, Shell};
use crate::{input, json, table};

/// Show the players and entities at one moment
///
/// Shows the last frame at or before the time. Times before the first frame show the first frame.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel state --at 1:30 final.dm_68
      a minute and a half into the recording
  fragreel state --at 90.5 --section player final.dm_68
      one table of several
  fragreel state --at 1:02:03 --clock server final.dm_68
      by the server's clock, as scoreboards show it
  fragreel state --at 0 --json final.dm_68
      for machines: one JSON object")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// When: 90.5, 20s, 5m, or m:ss such as 1:30; -5s counts from the end
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    at: Milliseconds,

    /// The clock that TIME is on
    #[arg(long, value_enum, default_value_t = Clock::Demo)]
    clock: Clock,

    /// Only this table. May be repeated
    #[arg(long, value_name = "NAME")]
    section: Vec<String>,

    /// Also show columns that are zero or empty in every row
    #[arg(long)]
    full: bool,

    /// One JSON object, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let recording = input::load(shell, path, false)?;
        let name = input::name(path);
        let when = match self.clock {
            Clock::Demo => {
                let at = Times { from: Some(self.at), to: None }.of(&recording, Clock::Demo)?;
                When::Demo(at.from.unwrap_or_default())
            }
            Clock::Server => When::Server(self.at),
            Clock::Match => {
                return Err(Failure::new("--at needs the demo clock or the server clock")
                    .help("Use --clock demo or --clock server. `fragreel events --clock match` lists match times.")
                    .into());
            }
        };
        let mut moment = recording.state_at(when).map_err(|error| {
            Failure::new(format!("`{name}` has no state to show"))
                .because(error)
                .help("`fragreel verify --details` shows what it contains and what is damaged.")
        })?;
        self.choose(&mut moment)?;
        let mut output = output::stdout();
        if self.json {
            json::line(&mut output, &json::About { path: &name, answer: &moment })?;
        } else {
            writeln!(output, "{} of the recording, {} on the server's clock, message {}", moment.time, moment.server_time, moment.message)?;
            for section in &moment.sections {
                writeln!(output, "\n{}", shell.paint(Ink::Strong, &section.name))?;
                self.show(shell, &mut output, section)?;
            }
        }
        output::finish(output)?;
        Ok(Outcome::Fine)
    }

    /// Leaves only the sections asked for.
    fn choose(&self, moment: &mut Moment) -> Result<(), Failure> {
        let known: Vec<String> = moment.sections.iter().map(|section| section.name.to_string()).collect();
        if let Some(missing) = self.section.iter().find(|wanted| !known.contains(wanted)) {
            return Err(Failure::new(format!("there is no table `{missing}` at that moment")).help(format!("There are: {}.", known.join(", "))));
        }
        if !self.section.is_empty() {
            moment.sections.retain(|section| self.section.iter().any(|wanted| *wanted == section.name));
        }
        Ok(())
    }

    fn show(&self, shell: &Shell, output: &mut impl Write, section: &Section) -> io::Result<()> {
        if let [record] = &section.records[..] {
            let pairs = record.0.iter().filter(|(_, value)| self.full || !is_empty(value));
            return table::pairs(shell, output, pairs.map(|(name, value)| (name.as_ref(), value.to_string())));
        }
        let headings = columns(section, self.full);
        let mut rows = table::Rows::new(&headings);
        for record in &section.records {
            let row = headings.iter().map(|name| record.find(name).map(ToString::to_string).unwrap_or_default());
            rows.hold(row.collect());
        }
        if rows.fits(shell) { rows.flush(shell, output) } else { self.list(shell, output, section) }
    }

    /// A paragraph for each record, where a table would be too wide to read.
    fn list(&self, shell: &Shell, output: &mut impl Write, section: &Section) -> io::Result<()> {
        // The same fields in every paragraph, as the table has columns: a zero is as much of an answer as another number.
        let columns = columns(section, self.full);
        for record in &section.records {
            let said = columns.iter().filter_map(|name| Some((name, record.find(name)?)));
            let said: Vec<String> = said.map(|(name, value)| format!("{} {}", shell.paint(Ink::Faint, name), printable(&value.to_string()))).collect();
            writeln!(output, "  {}", said.join(", "))?;
        }
        Ok(())
    }
}

/// The columns of a section in the order of the format document: all of them, or those that say something.
fn columns(section: &Section, full: bool) -> Vec<&str> {
    let mut said = BTreeSet::new();
    for (name, value) in section.records.iter().flat_map(|record| &record.0) {
        if full || !is_empty(value) {
            said.insert(name.as_ref());
        }
    }
    let mut columns: Vec<&str> = Vec::new();
    for (name, _) in section.records.iter().flat_map(|record| &record.0) {
        if said.remove(name.as_ref()) {
            columns.push(name);
        }
    }
    columns
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Int(value) => *value == 0,
        Value::Float(value) => *value == 0.0,
        Value::Bool(value) => !value,
        Value::Text(value) => value.is_empty(),
        Value::Game(value) => value.raw.is_empty(),
        Value::Floats(values) => values.iter().all(|value| *value == 0.0),
        Value::Ints(values) => values.iter().all(|value| *value == 0),
    }
}
