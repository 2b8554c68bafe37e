//! `fragreel sql`

mod answer;
mod tables;

use std::cell::RefCell;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fragreel::model::Damage;
use fragreel_tables::catalogue::{Error, Sql};

use super::index::{failed, must_be_there};
use crate::atomic_file::{Draft, Inputs, Target};
use crate::batch::{self, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::json;
use crate::output::Output;
use crate::shell::{Outcome, Shell};
use answer::{Format, Writer};

/// Query recordings or a catalogue with SQL
///
/// Fills only the tables and columns that the query names, and decodes only what they need.
/// docs/tables.md lists all of them. The SQL dialect is SQLite's. Without recordings, the query
/// runs on the database of --db, such as a catalogue.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel sql 'SELECT attacker, count(*) FROM kills GROUP BY 1' demos/
      kills of each player
  fragreel sql 'SELECT name, avg(health) FROM positions GROUP BY 1' --hz 1 d/
      from the frames, once a second
  fragreel sql 'SELECT map, count(*) FROM recordings GROUP BY 1' --db d.sqlite
      a catalogue that `fragreel index` made
  fragreel sql 'SELECT * FROM chat' --spreadsheet demos/ > chat.csv
      for spreadsheets
  fragreel sql '.columns kills'
      the columns of a table, with units; `.tables` lists all tables")]
pub struct Arguments {
    /// One SELECT statement; `.tables` lists the tables, `.columns TABLE` the columns of one
    #[arg(value_name = "QUERY")]
    query: String,

    /// Files, folders (all recordings below them), patterns in quotes, or `-` for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Without recordings: the database to query. With recordings: a new database for the tables,
    /// instead of memory
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,

    /// At most this number of frames per second in tables of frames
    #[arg(long, value_name = "RATE", value_parser = super::frames::rate)]
    hz: Option<f64>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,

    /// CSV that is safe to open in a spreadsheet: formulas are escaped
    #[arg(long, conflicts_with = "format")]
    spreadsheet: bool,

    /// Output file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

impl Arguments {
    pub fn run(mut self, shell: &Shell) -> Result<Outcome, Stop> {
        if let Some(rest) = self.query.strip_prefix('.') {
            return tables::show(shell, rest);
        }
        self.put_query_first();
        let writer = RefCell::new(self.writer()?);
        let names = |columns: &[String]| writer.borrow_mut().begin(columns);
        let row = |row| writer.borrow_mut().row(row);
        let mut outcome = Outcome::Fine;
        let answered = if self.paths.is_empty() {
            let Some(db) = self.db.as_deref() else {
                return Err(Failure::new("nothing to query").help("Name recordings after the query, or a database with --db FILE.").into());
            };
            must_be_there(db)?;
            Sql::ask(db, &self.query, names, row)
        } else {
            if let Some(db) = self.db.as_deref().filter(|db| db.exists()) {
                return Err(Failure::new(format!("`{}` already exists", db.display()))
                    .help("Name a new database, or query this one without naming recordings.")
                    .into());
            }
            let mut draft = self.db.as_deref().map(|db| Draft::new(Target::of(db, &Inputs::none(), false)?)).transpose()?;
            let mut sql = Sql::new(&self.query, draft.as_ref().map(Draft::path)).map_err(|error| wrong(error, self.db.as_deref()))?;
            if let Some(rate) = self.hz {
                sql = sql.hz(rate);
            }
            let sql = Mutex::new(Some(sql));
            outcome = self.fill(shell, &sql)?;
            let sql = sql.into_inner().unwrap_or_else(PoisonError::into_inner);
            let Some(sql) = sql else { return Ok(outcome) };
            let asked = sql.answer(names, row);
            // The database is there as a whole, or not.
            if let (Ok(()), Some(draft)) = (&asked, &mut draft) {
                draft.place()?;
            }
            asked
        };
        answered.map_err(|error| wrong(error, self.db.as_deref()))?;
        writer.into_inner().finish(shell)?;
        Ok(outcome)
    }

    /// Takes the query from behind the paths, if it stands there.
    fn put_query_first(&mut self) {
        let is_query = |word: &OsStr| {
            let first = word.to_string_lossy().split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
            first == "SELECT" || first == "WITH"
        };
        if is_query(self.query.as_ref()) || !Path::new(&self.query).exists() {
            return;
        }
        if let Some(query) = self.paths.pop_if(|path| is_query(path.as_os_str())) {
            let path = std::mem::replace(&mut self.query, query.to_string_lossy().into_owned());
            self.paths.insert(0, path.into());
            eprintln!("note: the query comes first: fragreel sql 'SELECT ...' PATH");
        }
    }

    /// Looks at the place of the answer before anything is decoded.
    fn writer(&self) -> Result<Writer, Failure> {
        let inputs = Inputs::of(self.paths.iter().chain(&self.db));
        let format = if self.spreadsheet { Format::Csv } else { self.format };
        Writer::new(format, !self.spreadsheet, self.output.as_deref(), &inputs, self.force)
    }

    /// Makes the tables.
    fn fill(&self, shell: &Shell, sql: &Mutex<Option<Sql>>) -> Result<Outcome, Stop> {
        let queries = sql.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|sql| sql.queries().to_vec()).unwrap_or_default();
        let ask = |source: &Source<'_>| {
            let tables = fragreel_tables::Source::new(source.recording, source.name);
            let mut failed = None;
            let damage = fragreel_tables::read(&tables, &queries, &mut |query, batch| {
                let mut sql = sql.lock().unwrap_or_else(PoisonError::into_inner);
                match sql.as_mut().map(|sql| sql.put(query, &batch)) {
                    Some(Err(error)) => {
                        failed = Some(error);
                        ControlFlow::Break(())
                    }
                    _ => ControlFlow::Continue(()),
                }
            });
            Ok(match failed {
                Some(error) => Err(error),
                None => Ok(damage),
            })
        };
        batch::run_but(shell, &self.paths, Default::default(), ask, &mut Report { db: self.db.clone(), json: self.format == Format::Json })
    }
}

/// The failure of a query, or of its database.
fn wrong(error: Error, db: Option<&Path>) -> Failure {
    match (error, db) {
        (Error::Sql(message), _) => Failure::new(format!("the query cannot be answered: {message}"))
            .help("`fragreel sql .tables` lists the tables, and `fragreel sql '.columns kills'` the columns of one. The SQL dialect is SQLite's."),
        (Error::NotReading, _) => Failure::new("only a single SELECT is allowed").help("Remove everything after the first `;`."),
        (error, Some(db)) => failed(db, error),
        (error, None) => {
            Failure::new("the query cannot be answered").because(error).help("Check free space. --db FILE makes its tables on disk instead of in memory.")
        }
    }
}

struct Report {
    db: Option<PathBuf>,
    json: bool,
}

impl Renderer<Result<Vec<Damage>, Error>> for Report {
    fn answer(&mut self, _: &mut Output, _: &str, answer: Result<Vec<Damage>, Error>) -> Result<Outcome, Stop> {
        let damage = answer.map_err(|error| wrong(error, self.db.as_deref()))?;
        Ok(Outcome::damaged(!damage.is_empty()))
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if self.json {
            json::failure(output, path, failure)?;
        }
        Ok(())
    }
}
