//! SQL over recordings: only the tables and columns that a query names are made.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Batch, Query, Source, TABLES, read};
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::types::ValueRef;

use crate::catalogue::error::Error;
use crate::catalogue::functions;
use crate::catalogue::store::{insert, insertion, open_read_only};

/// A database in which a query's tables are made and asked.
pub struct Sql {
    connection: Connection,
    text: String,
    queries: Vec<Query>,
}

/// A value of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A row of an answer.
pub type Answer = Vec<Cell>;

impl Sql {
    /// Finds out what a query names. Its tables are made in memory, or in a new database at `path`.
    ///
    /// # Errors
    /// [`Error::Sql`] when it is no query or names what is not there; [`Error::NotReading`] when it does more than to read.
    pub fn new(text: &str, path: Option<&Path>) -> Result<Self, Error> {
        let connection = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        functions::add(&connection)?;
        for table in TABLES.iter() {
            connection.execute_batch(&table.create())?;
        }
        // What is lost with the power is made again.
        connection.execute_batch("PRAGMA journal_mode = off; PRAGMA synchronous = off;")?;
        must_only_read(&connection, text)?;
        let named = opened(&connection, text)?;
        let mut queries = Vec::new();
        for (table, columns) in &named {
            let Some(table) = crate::table(table) else { continue };
            // Where only rows are counted, their family stands for them: it costs nothing.
            let places = table.columns.iter().map(|column| column.name).filter(|name| columns.contains(*name));
            let mut wanted: Vec<&str> = places.collect();
            if wanted.is_empty() {
                wanted.push("family");
            }
            queries.push(Query::new(table).columns(wanted).map_err(|error| Error::Sql(error.to_string()))?);
        }
        connection.execute_batch("BEGIN")?;
        Ok(Sql { connection, text: text.to_owned(), queries })
    }

    /// At most this number of frames a second in tables of frames.
    #[must_use]
    pub fn hz(mut self, rate: f64) -> Self {
        self.queries = self.queries.into_iter().map(|query| query.hz(rate)).collect();
        self
    }

    /// The tables and columns that must be made.
    pub fn queries(&self) -> &[Query] {
        &self.queries
    }

    /// Makes the rows of a recording and puts them in.
    ///
    /// # Errors
    /// When there is no room for them.
    pub fn add(&mut self, source: &Source<'_>) -> Result<(), Error> {
        let mut failed = Ok(());
        let queries = self.queries.clone();
        read(source, &queries, &mut |query, batch| match self.put(query, &batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Err(error);
                ControlFlow::Break(())
            }
        });
        failed
    }

    /// Puts rows in that were made elsewhere, of one of the [queries](Self::queries).
    ///
    /// # Errors
    /// When there is no room for them.
    pub fn put(&mut self, query: usize, batch: &Batch) -> Result<(), Error> {
        insert(self.connection.prepare_cached(&insertion(&self.queries[query]))?, batch)
    }

    /// The answer: the names of its columns, and its rows one after the other, until the caller breaks.
    ///
    /// # Errors
    /// When the query fails over what it finds.
    pub fn answer(self, names: impl FnOnce(&[String]), rows: impl FnMut(Answer) -> ControlFlow<()>) -> Result<(), Error> {
        self.connection.execute_batch("COMMIT")?;
        run(&self.connection, &self.text, names, rows)
    }

    /// The answer to a query on a database that is there, such as a catalogue.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the database cannot be read.
    pub fn ask(path: &Path, text: &str, names: impl FnOnce(&[String]), rows: impl FnMut(Answer) -> ControlFlow<()>) -> Result<(), Error> {
        let connection = open_read_only(path)?;
        functions::add(&connection)?;
        must_only_read(&connection, text)?;
        run(&connection, text, names, rows)
    }
}

/// The tables and columns that the program of a query reads. SQLite's authorizer would not do: it is not asked about columns that `USING`
/// and `NATURAL` compare, nor about a table whose other rows are not read.
fn opened(connection: &Connection, text: &str) -> Result<BTreeMap<String, BTreeSet<String>>, Error> {
    let mut reads: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut statement = connection.prepare("SELECT rootpage, name FROM sqlite_schema WHERE type = 'table'")?;
    let roots: BTreeMap<i64, String> = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
    let mut statement = connection.prepare(&format!("EXPLAIN {text}"))?;
    let steps = statement.query_map([], |row| Ok((row.get::<_, String>("opcode")?, row.get::<_, i64>("p1")?, row.get::<_, i64>("p2")?)))?;
    let steps = steps.collect::<Result<Vec<_>, _>>()?;
    let mut cursors = BTreeSet::new();
    for (_, cursor, root) in steps.iter().filter(|(code, ..)| code == "OpenRead") {
        let Some(table) = roots.get(root).and_then(|name| crate::table(name)) else { continue };
        let columns = reads.entry(table.name.to_owned()).or_default();
        if cursors.insert((*cursor, *root)) {
            let of_cursor = steps.iter().filter(|(code, of, _)| code == "Column" && of == cursor);
            let places = of_cursor.filter_map(|(_, _, place)| table.columns.get(usize::try_from(*place).ok()?));
            columns.extend(places.map(|column| column.name.to_owned()));
        }
    }
    Ok(reads)
}

/// Refuses whatever does more than to read.
fn must_only_read(connection: &Connection, text: &str) -> Result<(), Error> {
    let refused = Arc::new(AtomicBool::new(false));
    let writes = refused.clone();
    connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| match context.action {
        AuthAction::Read { .. } | AuthAction::Select | AuthAction::Function { .. } | AuthAction::Recursive => Authorization::Allow,
        _ => {
            writes.store(true, Ordering::Relaxed);
            Authorization::Deny
        }
    }));
    let prepared = connection.prepare(text).map(|statement| statement.readonly() && statement.column_count() > 0);
    connection.authorizer(None::<fn(rusqlite::hooks::AuthContext<'_>) -> Authorization>);
    if refused.load(Ordering::Relaxed) || matches!(prepared, Ok(false)) {
        return Err(Error::NotReading);
    }
    prepared?;
    Ok(())
}

fn run(connection: &Connection, text: &str, names: impl FnOnce(&[String]), mut take: impl FnMut(Answer) -> ControlFlow<()>) -> Result<(), Error> {
    let mut statement = connection.prepare(text)?;
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    names(&columns);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let cells = (0..columns.len()).map(|at| {
            Ok(match row.get_ref(at)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(value) => Cell::Int(value),
                ValueRef::Real(value) => Cell::Real(value),
                ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_owned()),
            })
        });
        if take(cells.collect::<Result<_, Error>>()?).is_break() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named_by(text: &str) -> Result<Vec<String>, Error> {
        let sql = Sql::new(text, None)?;
        Ok(sql.queries().iter().map(|query| format!("{}: {}", query.table().name, query.names().join(" "))).collect())
    }

    #[test]
    fn only_what_is_named_is_made() {
        assert_eq!(named_by("SELECT attacker, count(*) FROM kills WHERE time > 5 GROUP BY 1").unwrap(), ["kills: time attacker"]);
        assert_eq!(named_by("SELECT count(*) FROM chat").unwrap(), ["chat: family"]);
        let both = named_by("SELECT r.map FROM recordings r JOIN kills k USING (recording)").unwrap();
        assert_eq!(both, ["kills: recording", "recordings: recording map"]);
        let both = named_by("SELECT count(*) FROM recordings NATURAL JOIN kills").unwrap();
        assert!(both.iter().all(|one| one.contains("recording family")), "{both:?}");
    }

    #[test]
    fn mistakes_are_one_sentence() {
        assert_eq!(named_by("SELECT * FROM frags").unwrap_err().to_string(), "no such table: frags");
        assert_eq!(named_by("SELECT killer FROM kills").unwrap_err().to_string(), "no such column: killer");
        for text in ["DELETE FROM kills", "SELECT 1; SELECT 2", "", "PRAGMA journal_mode = wal", "ATTACH 'x' AS y", "CREATE TABLE x (y)"] {
            assert!(matches!(named_by(text), Err(Error::NotReading)), "{text}");
        }
    }
}
