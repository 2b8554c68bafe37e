//! `fragreel verify`

use std::fmt::Write as _;
use std::io::Write;

use fragreel::model::{RoundTrip, Verification};

use super::Paths;
use crate::batch::{self, Renderer};
use crate::damage::describe;
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::{Output, printable};
use crate::resume::Shape;
use crate::row_output::JsonOutput;
use crate::shell::{Ink, Outcome, Shell};

/// Check whether recordings are whole, to the last bit
///
/// Decodes everything, encodes it again, and compares the bytes. Reports each damaged place and
/// reads everything around it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel verify demos/
      one line for each recording below a folder
  fragreel verify --quiet demos/
      only those that are not whole
  fragreel verify --details broken.dm_68
      every finding, and what was skipped
  fragreel verify --json demos/ > report.jsonl
      for machines: one JSON object per line

Exit codes: 0 all are whole, 1 some are damaged, 2 some could not be read or are
not recordings.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Show only recordings that are not whole
    #[arg(long, short)]
    quiet: bool,

    /// List every finding below its recording, including remarks that are not damage
    #[arg(long, short)]
    details: bool,

    #[command(flatten)]
    lines: JsonOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let mut report = Report { shell, json: self.lines.json, quiet: self.quiet, details: self.details };
        let resume = self.lines.open(&SHAPE, &self.paths.paths)?;
        batch::run(shell, &self.paths.paths, resume, |source| Ok(source.recording.verify()), &mut report)
    }
}

/// What `--json` writes.
const SHAPE: Shape = Shape {
    keys: &["family", "dialect", "messages", "snapshots", "round_trip", "opaque", "damage"],
    instead: &[],
    edit: None,
    headings: String::new(),
    several: false,
};

struct Report<'a> {
    shell: &'a Shell,
    json: bool,
    quiet: bool,
    details: bool,
}

impl Renderer<Verification> for Report<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, found: Verification) -> Result<Outcome, Stop> {
        let whole = found.is_whole();
        if self.quiet && whole {
            return Ok(Outcome::Fine);
        }
        if self.json {
            json::line(output, &json::About { path, answer: &found })?;
            return Ok(Outcome::damaged(!whole));
        }
        let word = if whole { self.shell.paint(Ink::Good, "whole  ") } else { self.shell.paint(Ink::Bad, "damaged") };
        writeln!(output, "{word}  {}  {}", printable(path), printable(&summary(&found)))?;
        if self.details {
            let remarks = found.damage.iter().chain(&found.first_difference).chain(&found.notes);
            for damage in remarks {
                writeln!(output, "         {}", printable(&describe(damage)))?;
            }
            if found.damage_omitted > 0 {
                writeln!(output, "         and {} more findings", found.damage_omitted)?;
            }
        }
        Ok(Outcome::damaged(!whole))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}

/// Everything that fits into a line.
fn summary(found: &Verification) -> String {
    let mut text =
        format!("{} {}, {} messages, {} snapshots, round trip {}", found.family, found.dialect, found.messages, found.snapshots, found.round_trip.name());
    // Writing to a string cannot fail.
    if found.canonical_attempted > 0 {
        let _ = write!(text, ", canonical {} of {}", found.canonical_identical, found.canonical_attempted);
        if found.canonical_but_leftovers > 0 {
            let _ = write!(text, " (and {} but for leftovers)", found.canonical_but_leftovers);
        }
    }
    if found.opaque > 0 {
        let _ = write!(text, ", {} messages not understood", found.opaque);
    }
    match found.notes.len() {
        0 => {}
        1 => text.push_str(", 1 remark"),
        many => drop(write!(text, ", {many} remarks")),
    }
    let findings = found.damage.len() as u64 + found.damage_omitted;
    if let Some(first) = found.damage.first() {
        let which = if findings == 1 { String::from("1 finding") } else { format!("{findings} findings, the first") };
        let _ = write!(text, "; {which}: {}", describe(first));
    } else if found.round_trip == RoundTrip::Differs {
        let first = found.first_difference.as_ref().map(describe).unwrap_or_default();
        let _ = write!(text, " {first}");
    }
    text
}
