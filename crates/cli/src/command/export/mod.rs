//! `fragreel export`

mod check;
mod failure;
mod manifest;
mod part;
mod renewal;
mod unread;
mod workers;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use fragreel_tables::{Query, TABLES};

use super::{Clock, Times};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::output::{Output, size};
use crate::paths::ManyPaths;
use crate::shell::{Outcome, Shell};
use crate::{atomic_file, interrupt, json, table};
pub use part::{Codec, Format, Part, Style};
use renewal::Renewal;
use unread::Unread;
use workers::{Answer, ExportWorkers, Rows};

/// Export tables of many recordings: kills, positions, scores
///
/// Tables and columns are the same for all games; docs/tables.md lists them. Files are written
/// atomically to DIR/TABLE/family=FAMILY/. DIR/manifest.jsonl lists each file with its size, hash,
/// and rows, and each recording with its rows, so you can check for missing and duplicate rows.
/// Files that are not in the manifest are not part of the export. DIR/failures/ has a row for each
/// file that could not be read.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel export --tables kills,chat --spreadsheet -o out demos/
      kills and chat, for spreadsheets
  fragreel export --tables positions --hz 10 --format jsonl -o out demos/
      all positions, ten times a second
  fragreel export --tables shots --columns time,name --where weapon=7 -o o d/
      some columns and rows; nothing else is decoded
  fragreel export --tables recordings --format csv -o out --resume demos/
      continue an earlier run; it reads only new and changed recordings
  fragreel export --tables kills --codec zstd --single-file -o out demos/
      one small Parquet file: out/kills.parquet
  fragreel export --tables recordings --format csv -o out --check demos/
      check that the export is complete and unchanged
  fragreel export --tables kills --format csv -o out --files-from list
      read the paths from a file, if a command line is too short for them

Parquet and Arrow need a build with `--features parquet`.")]
pub struct Arguments {
    #[command(flatten)]
    paths: ManyPaths,

    /// The tables, separated by commas, or `all`
    #[arg(long, value_name = "TABLE", value_delimiter = ',', required = true)]
    tables: Vec<String>,

    /// Output folder; created if it does not exist
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// File format
    #[arg(long, value_enum, default_value_t = Format::default())]
    format: Format,

    /// Compression of Parquet files
    #[arg(long, value_enum, default_value_t = Codec::default())]
    codec: Codec,

    /// CSV that is safe to open in a spreadsheet: formulas are escaped
    #[arg(long, conflicts_with = "format")]
    spreadsheet: bool,

    /// One file per table for all games, DIR/TABLE.EXT, instead of one per game and thread
    #[arg(long, conflicts_with = "resume")]
    single_file: bool,

    /// Only these columns, separated by commas; each must exist in every named table
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    columns: Vec<String>,

    /// Only rows that meet this condition, such as 'weapon = railgun', 'time >= 60000', 'name like
    /// sar%', 'team in red,blue', 'x is not null'. If repeated, rows must meet all conditions
    #[arg(long = "where", value_name = "CONDITION")]
    conditions: Vec<String>,

    /// At most this number of frames per second in tables of frames
    #[arg(long, value_name = "RATE", value_parser = super::frames::rate)]
    hz: Option<f64>,

    #[command(flatten)]
    times: Times,

    /// The clock that --from and --to are on
    #[arg(long, value_enum, default_value_t = Clock::Demo)]
    clock: Clock,

    /// Continue an earlier run with the same options; recordings that changed since are exported
    /// again
    #[arg(long)]
    resume: bool,

    /// Compare the export in DIR with what a run with the same options would write: its files by
    /// hash, its recordings by content. Writes nothing
    #[arg(long, conflicts_with = "resume")]
    check: bool,

    /// One JSON object with the number of rows, and one for each file that cannot be read, as
    /// docs/json.md describes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        self.times.must_make_sense()?;
        if self.times.count_from_end(self.clock) {
            return Err(Failure::new("tables of many recordings have no common end to count from").help("Count from the start, or use --clock server.").into());
        }
        let format = if self.spreadsheet { Format::Csv } else { self.format };
        format.must_be_built_in()?;
        if self.codec != Codec::default() && format != Format::Parquet {
            return Err(Failure::new("--codec is for Parquet files").help("Leave it out, or use --format parquet.").into());
        }
        let style = Style { format, codec: self.codec, formulas: !self.spreadsheet };
        let queries = self.queries()?;
        let header = manifest::Header::new(style, self.single_file, &queries, &self.conditions, self.hz, self.times, self.clock);
        let paths = self.paths.all()?;
        if self.check {
            return check::run(shell, &paths, &self.output, &header, self.json);
        }
        let renew = self.resume.then(|| Renewal { shell, paths: &paths });
        let (workers, done) = ExportWorkers::new(&self.output, style, self.single_file, queries, header, renew)?;
        let ask = |source: &Source<'_>| Ok(workers.export(source));
        let mut report = Report { workers: &workers, shell, is_single: self.single_file, json: self.json, recordings: 0, failures: Vec::new() };
        let outcome = batch::run_but(shell, &paths, done, ask, &mut report);
        // Whatever went wrong, nothing half-written stays.
        if outcome.is_err() {
            atomic_file::abandon();
        }
        outcome
    }

    fn queries(&self) -> Result<Vec<Query>, Failure> {
        let wrong = |error: fragreel_tables::QueryError| Failure::new(error.to_string()).help("docs/tables.md has all tables and columns.");
        let all = self.tables.iter().any(|name| name == "all");
        let named = || self.tables.iter().map(|name| Query::of(name.trim())).collect::<Result<Vec<_>, _>>();
        let mut queries = if all { TABLES.iter().map(Query::new).collect() } else { named().map_err(wrong)? };
        let mut seen = std::collections::HashSet::new();
        queries.retain(|query| seen.insert(query.table().name));
        let clock = match self.clock {
            Clock::Demo => "time",
            Clock::Server => "server_time",
            Clock::Match => "match_time",
        };
        let bounds = [(">=", self.times.from), ("<=", self.times.to)];
        let bounds = bounds.into_iter().filter_map(|(sign, time)| time.map(|time| format!("{clock} {sign} {}", time.0)));
        let conditions: Vec<String> = self.conditions.iter().cloned().chain(bounds).collect();
        let shaped = queries.into_iter().map(|mut query| {
            if !self.columns.is_empty() {
                query = query.columns(self.columns.iter().map(|name| name.trim()))?;
            }
            if let Some(rate) = self.hz {
                query = query.hz(rate);
            }
            conditions.iter().try_fold(query, |query, condition| query.filter(condition))
        });
        shaped.collect::<Result<_, _>>().map_err(wrong)
    }
}

struct Report<'a> {
    workers: &'a ExportWorkers,
    shell: &'a Shell,
    is_single: bool,
    json: bool,
    recordings: usize,
    failures: Vec<Unread>,
}

/// What a run wrote, for `--json`.
#[derive(serde::Serialize)]
struct Exported {
    recordings: usize,
    tables: BTreeMap<&'static str, Rows>,
}

impl Renderer<Result<Answer, Failure>> for Report<'_> {
    fn kept(&self) -> &'static str {
        if self.is_single {
            return "; no table was written";
        }
        "; with --resume, the next run continues after the last recording whose tables were written"
    }

    fn answer(&mut self, _: &mut Output, _: &str, answer: Result<Answer, Failure>) -> Result<Outcome, Stop> {
        let Answer { damage } = answer?;
        self.recordings += 1;
        Ok(Outcome::damaged(!damage.is_empty()))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        self.failures.push(Unread::new(path, failure));
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        if interrupt::asked() && self.is_single {
            atomic_file::abandon();
            return Ok(());
        }
        self.workers.commit_all()?;
        if interrupt::asked() {
            // What others are at is done again when the run is gone on with.
            atomic_file::abandon();
            return Ok(());
        }
        self.workers.note_failures(std::mem::take(&mut self.failures))?;
        if self.json {
            let tables = self.workers.written().into_iter().collect();
            return Ok(json::line(output, &Exported { recordings: self.recordings, tables })?);
        }
        let mut rows = table::Rows::new(&["TABLE", "ROWS", "FILES", "SIZE"]);
        for (name, Rows { rows: count, files, bytes }) in self.workers.written() {
            rows.push(self.shell, output, vec![name.to_owned(), count.to_string(), files.to_string(), size(bytes)])?;
        }
        rows.flush(self.shell, output)?;
        let many = if self.recordings == 1 { "1 recording" } else { &format!("{} recordings", self.recordings) };
        writeln!(output, "from {many}")?;
        Ok(())
    }
}
