//! `fragreel extract`

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use fragreel::extract::Names;
use fragreel::model::{ExtractKind, Extracted};

use super::Paths;
use crate::atomic_file::{Draft, Inputs, Target};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable, size};
use crate::shell::{Outcome, Shell};
use crate::{input, json, search};

/// Extract files, voice, and other data that recordings hold
///
/// Writes downloads, voice, configstrings, statistics of mods, data of tools, and layouts. Names that
/// a recording states are made safe: every file is put into DIR itself.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel extract final.mvd -o final/
      everything that the recording holds
  fragreel extract final.mvd --dry-run
      list it, and write nothing
  fragreel extract demos/ --kinds voice -o voices/
      a folder for each recording

Exit codes: 0 done, also if there was nothing, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// Output folder. Of several recordings, each gets a folder in it, in the tree of the sources
    #[arg(long, short, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<PathBuf>,

    /// Only these kinds, separated by commas [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = PossibleValuesParser::new(ExtractKind::NAMES.map(|(name, _)| name)).try_map(|name| ExtractKind::named(&name).ok_or("no kind")))]
    kinds: Vec<ExtractKind>,

    /// List what would be written, and write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,

    /// One JSON object per file, as docs/json.md describes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let inputs = Inputs::of(self.paths.all());
        let ask = |source: &Source<'_>| self.extract(source, &inputs);
        batch::run(shell, self.paths.all(), None, ask, &mut Report { json: self.json })
    }

    fn extract(&self, source: &Source<'_>, inputs: &Inputs) -> Result<Vec<Row>, Failure> {
        let folder = self.output.as_ref().filter(|_| !self.dry_run).map(|output| self.folder(output, source));
        let mut names = Names::default();
        let mut rows = Vec::new();
        let wanted = source.recording.extract().into_iter().filter(|found| self.kinds.is_empty() || self.kinds.contains(&found.kind));
        for found in wanted {
            let mut output = None;
            if let Some(bytes) = &found.bytes {
                let name = names.next(&found);
                let path = folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
                if let Some(folder) = &folder {
                    fs::create_dir_all(folder).map_err(|error| {
                        Failure::new(format!("cannot create the folder `{}`", folder.display())).because(error).help("Name another folder with -o.")
                    })?;
                    Draft::put(Target::of(&path, inputs, self.force)?, bytes)?;
                }
                output = Some(input::name(&path));
            }
            rows.push(Row::of(found, output));
        }
        Ok(rows)
    }

    /// The folder of a recording.
    fn folder(&self, output: &std::path::Path, source: &Source<'_>) -> PathBuf {
        if self.paths.mean_one() {
            return output.to_owned();
        }
        let name = super::pack::last_name(source.path);
        output.join(search::below(source.path, self.paths.all())).join(fragreel::extract::safe_name(&name))
    }
}

/// A file as docs/json.md describes it.
#[derive(serde::Serialize)]
struct Row {
    kind: ExtractKind,
    output: Option<String>,
    stated_name: Option<String>,
    bytes: Option<u64>,
    stated_bytes: Option<u64>,
    complete: Option<bool>,
    detail: Option<String>,
    message: u32,
    last_message: u32,
}

impl Row {
    fn of(found: Extracted, output: Option<String>) -> Self {
        Row {
            kind: found.kind,
            output,
            stated_name: found.stated_name,
            bytes: found.bytes.as_ref().map(|bytes| bytes.len() as u64),
            stated_bytes: found.stated_bytes,
            complete: found.complete,
            detail: found.detail.map(std::borrow::Cow::into_owned),
            message: found.message,
            last_message: found.last_message,
        }
    }

    /// What a line says behind the name.
    fn remark(&self) -> String {
        let mut parts = Vec::new();
        if let Some(detail) = &self.detail {
            parts.push(printable(detail).into_owned());
        }
        match (self.bytes, self.stated_bytes) {
            (Some(bytes), Some(stated)) if self.complete == Some(false) => parts.push(format!("{bytes} of {stated} bytes")),
            (Some(_), _) if self.complete == Some(false) => parts.push(String::from("not complete")),
            (None, Some(stated)) => parts.push(format!("{stated} bytes, which are not in the recording")),
            (None, None) => parts.push(String::from("not in the recording")),
            _ => {}
        }
        let places =
            if self.message == self.last_message { format!("message {}", self.message) } else { format!("messages {} to {}", self.message, self.last_message) };
        parts.push(places);
        parts.join(", ")
    }
}

struct Report {
    json: bool,
}

impl Renderer<Vec<Row>> for Report {
    fn answer(&mut self, output: &mut Output, path: &str, rows: Vec<Row>) -> Result<Outcome, Stop> {
        for row in &rows {
            if self.json {
                json::line(output, &json::About { path, answer: row })?;
            } else {
                let name = row.output.as_deref().or(row.stated_name.as_deref()).unwrap_or_default();
                writeln!(output, "{:<14} {:>10}  {}  ({})", row.kind.name(), row.bytes.map(size).unwrap_or_default(), printable(name), row.remark())?;
            }
        }
        if rows.is_empty() && !self.json {
            writeln!(output, "{}: nothing to extract", printable(path))?;
        }
        Ok(Outcome::Fine)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
