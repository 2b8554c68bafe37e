//! `fragreel verify`

mod fixity;

use std::fmt::Write as _;
use std::io::Write;
#[cfg(feature = "catalogue")]
use std::path::PathBuf;

use fragreel::model::{RoundTrip, Verification};
use serde::Serialize;

use super::Paths;
use crate::asked::Asked;
use crate::batch::{self, Renderer, Source};
use crate::damage::describe;
use crate::failure::{Failure, FailureKind, Stop};
use crate::json;
use crate::output::{self, Output, printable};
use crate::resume::Shape;
use crate::row_output::JsonOutput;
use crate::shell::{Ink, Outcome, Shell};
use fixity::{Fixity, Held};

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
      every finding, and the skipped bytes
  fragreel verify --json demos/ > report.jsonl
      for machines: one JSON object per line
  fragreel verify demos/ --db demos.sqlite
      also whether each file holds the bytes that `index` read

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

    /// Compare each recording's bytes with those that `index` read into this catalogue, and list
    /// the files of the catalogue that are missing
    #[cfg(feature = "catalogue")]
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    db: Option<PathBuf>,

    #[command(flatten)]
    lines: JsonOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let fixity = self.fixity()?;
        let mut report = Report { shell, json: self.lines.json, quiet: self.quiet, details: self.details };
        let resume = self.lines.open(&SHAPE, &self.paths.paths)?;
        let paths = &self.paths.paths;
        let outcome = match &fixity {
            Some(fixity) => {
                let ask = |source: &Source<'_>| Ok(Answer { found: source.recording.verify(), fixity: Some(fixity.of(source)) });
                batch::run(shell, paths, resume, ask, &mut report)?
            }
            None => {
                let ask = |asked: &Asked<'_>| Ok(Answer { found: asked.verify()?, fixity: None });
                batch::run_in_chunks(shell, paths, resume, true, ask, &mut report)?
            }
        };
        Ok(outcome.max(fixity.map_or(Ok(Outcome::Fine), |fixity| report.missing(&fixity.missing()))?))
    }
}

#[cfg(feature = "catalogue")]
impl Arguments {
    fn fixity(&self) -> Result<Option<Fixity>, Stop> {
        self.db.as_ref().map(|db| Fixity::open(db, self.paths.all())).transpose()
    }
}

#[cfg(not(feature = "catalogue"))]
impl Arguments {
    fn fixity(&self) -> Result<Option<Fixity>, Stop> {
        Ok(None)
    }
}

/// What is known of a recording.
#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    found: Verification,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixity: Option<Held>,
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

impl Report<'_> {
    /// Lists the files of the catalogue that are not there.
    fn missing(&self, paths: &[String]) -> Result<Outcome, Stop> {
        let mut output = output::stdout();
        for path in paths {
            if self.json {
                json::failure(&mut output, path, &Failure::new("the catalogue has this file, and it is not there").kind(FailureKind::NotFound))?;
            } else {
                writeln!(output, "{}  {}  the catalogue has it, and it is not there", self.shell.paint(Ink::Bad, "missing"), printable(path))?;
            }
        }
        output::finish(output)?;
        Ok(Outcome::damaged(!paths.is_empty()))
    }
}

impl Renderer<Answer> for Report<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, answer: Answer) -> Result<Outcome, Stop> {
        let Answer { found, fixity } = &answer;
        let has_changed = matches!(fixity, Some(Held::Replaced | Held::Changed));
        let whole = found.is_whole();
        let outcome = Outcome::damaged(!whole || has_changed);
        if self.quiet && outcome == Outcome::Fine {
            return Ok(outcome);
        }
        if self.json {
            json::line(output, &json::About { path, answer: &answer })?;
            return Ok(outcome);
        }
        let word = match (whole, has_changed) {
            (true, false) => self.shell.paint(Ink::Good, "whole  "),
            (true, true) => self.shell.paint(Ink::Bad, "changed"),
            (false, _) => self.shell.paint(Ink::Bad, "damaged"),
        };
        let fixity = fixity.map(|held| format!("; {}", held.sentence())).unwrap_or_default();
        writeln!(output, "{word}  {}  {}{fixity}", printable(path), printable(&summary(found)))?;
        if self.details {
            let remarks = found.damage.iter().chain(&found.first_difference).chain(&found.notes);
            for damage in remarks {
                writeln!(output, "         {}", printable(&describe(damage)))?;
            }
            if found.damage_omitted > 0 {
                writeln!(output, "         and {} more findings", found.damage_omitted)?;
            }
        }
        Ok(outcome)
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
            let _ = write!(text, " (and {} except for leftovers)", found.canonical_but_leftovers);
        }
    }
    if found.opaque > 0 {
        let mut kinds: Vec<_> = found.opaque_kinds.iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let kinds: Vec<String> = match kinds[..] {
            [(what, _)] => vec![what.clone()],
            _ => kinds.iter().map(|(what, count)| format!("{what} {count}")).collect(),
        };
        let _ = write!(text, ", {} messages not understood ({})", found.opaque, kinds.join(", "));
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
