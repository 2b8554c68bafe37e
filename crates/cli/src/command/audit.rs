//! `fragreel audit`

use std::fmt::Write as _;
use std::io::Write;

use fragreel::model::{Audit, Finding, FindingKind, Grade};

use super::Paths;
use crate::asked::Asked;
use crate::batch::{self, Renderer};
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::{Output, printable};
use crate::resume::Shape;
use crate::row_output::JsonOutput;
use crate::shell::{Ink, Outcome, Shell};

/// Find cuts and edits in recordings
///
/// Looks for traces that an untouched recording does not have: sequence numbers that fall or skip,
/// clocks that jump or drift, missing delta bases, missing commands, and broken seals. Each finding
/// states its evidence, its usual cause, and a grade: normal (happens in play), suspicious (rare in
/// play, and an edit looks the same), damaged, or edited (only an edit explains it). A careful
/// forgery with renumbered messages can pass: docs/audit.md lists what each format can show.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel audit runs/
      one line for each recording below a folder
  fragreel audit --details suspect.dm_68
      every finding with its evidence and usual cause
  fragreel audit --json runs/ > report.jsonl
      for machines: one JSON object per line

Exit codes: 0 none is damaged or edited, 1 some are, 2 some could not be read or
are not recordings.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Show only recordings with a suspicious finding
    #[arg(long, short)]
    quiet: bool,

    /// List every finding below its recording, including normal ones
    #[arg(long, short)]
    details: bool,

    #[command(flatten)]
    lines: JsonOutput,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let mut report = Report { shell, json: self.lines.json, quiet: self.quiet, details: self.details };
        let resume = self.lines.open(&SHAPE, &self.paths.paths)?;
        batch::run_in_chunks(shell, &self.paths.paths, resume, true, |asked: &Asked<'_>| asked.audit(), &mut report)
    }
}

/// What `--json` writes.
const SHAPE: Shape =
    Shape { keys: &["family", "dialect", "messages", "frames", "grade", "findings"], instead: &[], edit: None, headings: String::new(), several: false };

struct Report<'a> {
    shell: &'a Shell,
    json: bool,
    quiet: bool,
    details: bool,
}

impl Renderer<Audit> for Report<'_> {
    fn answer(&mut self, output: &mut Output, path: &str, found: Audit) -> Result<Outcome, Stop> {
        let outcome = Outcome::damaged(!found.is_unbroken());
        if self.quiet && found.grade == Grade::Normal {
            return Ok(outcome);
        }
        if self.json {
            json::line(output, &json::About { path, answer: &found })?;
            return Ok(outcome);
        }
        let (ink, word) = match found.grade {
            Grade::Normal => (Ink::Good, "unbroken  "),
            Grade::Suspicious => (Ink::Strong, "suspicious"),
            Grade::Damaged => (Ink::Bad, "damaged   "),
            Grade::Edited => (Ink::Bad, "edited    "),
        };
        writeln!(output, "{}  {}  {}", self.shell.paint(ink, word), printable(path), printable(&summary(&found)))?;
        if self.details {
            for finding in &found.findings {
                writeln!(output, "            {}", printable(&describe(finding)))?;
            }
            if found.omitted > 0 {
                writeln!(output, "            and {} more findings", found.omitted)?;
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
fn summary(found: &Audit) -> String {
    let mut text = format!("{} {}, {} messages, {} frames", found.family, found.dialect, found.messages, found.frames);
    // Writing to a string cannot fail.
    for seal in &found.seals {
        let _ = write!(text, ", {}: {} of {} hold", seal.name, seal.holds, seal.holds + seal.broken);
    }
    let serious: Vec<&Finding> = found.findings.iter().filter(|finding| finding.grade > Grade::Normal).collect();
    let worst = serious.iter().find(|finding| finding.grade == found.grade);
    if let Some(worst) = worst {
        let which = if serious.len() == 1 { String::from("1 finding") } else { format!("{} findings, one of the worst", serious.len()) };
        let _ = write!(text, "; {which}: {}", describe(worst));
    }
    text
}

/// A finding in a line: grade, kind, place, evidence, cause.
fn describe(finding: &Finding) -> String {
    let mut text = String::from(finding.grade.name());
    // Damage is always of the grade `damaged`: once is enough.
    if finding.kind != FindingKind::Damage {
        let _ = write!(text, " {}", finding.kind.name());
    }
    let _ = write!(text, " at message {}, offset {}", finding.message, finding.offset);
    if let Some(time) = finding.time {
        let _ = write!(text, ", {time}");
    }
    let _ = write!(text, ": {} (usually {})", finding.evidence, finding.cause);
    text
}
