//! What is put into a catalogue, and what is taken out.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use crate::{Batch, Query, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags, ToSql, Transaction, params, params_from_iter};

use crate::catalogue::entry::{Entry, KEPT};
use crate::catalogue::error::Error;
use crate::catalogue::marks::{Mark, Marks, exact};
use crate::catalogue::schema;

/// How long somebody else's writing is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// By what a file is known to be the same as when it was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// When it was changed, in nanoseconds since 1970.
    pub modified: i64,
}

/// What became of a file that was looked at.
#[derive(Debug, Clone)]
pub enum Looked {
    /// A recording.
    Recording(Box<Entry>),
    /// A copy of a recording that is in, or comes before it: its name by content.
    Copy(String),
    /// Why it gave none.
    Unreadable(String),
}

/// A file that is in a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// When it was read.
    pub stamp: Stamp,
    /// Its recording's name by content, unless it could not be read.
    pub recording: Option<String>,
}

/// A recording that several files have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicates {
    /// Its name by content.
    pub recording: String,
    /// The files.
    pub paths: Vec<String>,
    /// The size of the largest of them, in bytes; of a member of an archive, that of the archive.
    pub size: u64,
}

/// An index of recordings in an SQLite database.
pub struct Catalogue {
    pub(crate) connection: Connection,
    /// Whether it was opened to be written to, in a file.
    writes: bool,
}

/// Opens a database to read from. One that another run left with a log beside it, in a folder that cannot be written to, is read
/// as it stands without the log: SQLite would have to make files there.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn open_read_only(path: &Path) -> Result<Connection, Error> {
    let opened = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
        Ok(connection)
    });
    let error = match opened {
        Ok(connection) => return Ok(connection),
        Err(error) => error,
    };
    let is_read_only = matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly));
    let log = path.with_file_name(format!("{}-wal", path.file_name().unwrap_or_default().to_string_lossy()));
    let has_log = log.metadata().is_ok_and(|log| log.len() > 0);
    let Some(name) = path.to_str().filter(|_| is_read_only && !has_log) else { return Err(error.into()) };
    let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{name}?immutable=1"), flags)?)
}

impl Catalogue {
    /// Opens a database to write to, and makes one where there is none.
    ///
    /// # Errors
    /// When it is no catalogue, another program uses it, or it cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        schema::prepare(&connection, true)?;
        // A transaction is there or not, whenever the power fails; readers do not wait for writers.
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        Ok(Catalogue { connection, writes: true })
    }

    /// Opens a database to read from.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let connection = open_read_only(path)?;
        schema::prepare(&connection, false)?;
        Ok(Catalogue { connection, writes: false })
    }

    /// Moves everything into the one file, so that nothing stands beside it (`-wal`, `-shm`) and it can be read where nothing can
    /// be written. Does nothing while another program uses the database. Later writing begins a log again.
    pub fn settle(&self) {
        if self.writes {
            let _ = self.connection.pragma_update(None, "journal_mode", "delete");
        }
    }

    /// A catalogue that ends with the program.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn in_memory() -> Result<Self, Error> {
        let connection = Connection::open_in_memory()?;
        schema::prepare(&connection, true)?;
        Ok(Catalogue { connection, writes: false })
    }

    /// All files that were looked at, by their paths.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn files(&self) -> Result<HashMap<String, File>, Error> {
        let mut statement = self.connection.prepare("SELECT path, size, modified, recording FROM files")?;
        let rows = statement.query_map([], |row| {
            let stamp = Stamp { size: u64::try_from(row.get::<_, i64>(1)?).unwrap_or_default(), modified: row.get(2)? };
            Ok((row.get::<_, String>(0)?, File { stamp, recording: row.get(3)? }))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All recordings by their names by content, and whether something in them is broken.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn recordings(&self) -> Result<HashMap<String, bool>, Error> {
        let mut statement = self.connection.prepare("SELECT recording, broken FROM summaries")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The recordings that several files have, with the paths of those. The largest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn duplicates(&self) -> Result<Vec<Duplicates>, Error> {
        let sql = "SELECT recording, path, size FROM files WHERE recording IN (SELECT recording FROM files GROUP BY recording HAVING count(*) > 1)
            ORDER BY recording, path";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut found: Vec<Duplicates> = Vec::new();
        while let Some(row) = rows.next()? {
            let (recording, path, size) = (row.get::<_, String>(0)?, row.get(1)?, u64::try_from(row.get::<_, i64>(2)?).unwrap_or_default());
            match found.last_mut().filter(|last| last.recording == recording) {
                Some(last) => {
                    last.paths.push(path);
                    last.size = last.size.max(size);
                }
                None => found.push(Duplicates { recording, paths: vec![path], size }),
            }
        }
        found.sort_by(|one, other| (other.size, &one.paths).cmp(&(one.size, &other.paths)));
        Ok(found)
    }

    /// Puts files in, all of them or none. One that was there under the same path is replaced. What no file has any more stays until
    /// [`sweep`](Self::sweep): another file may turn out to have it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn put_all(&mut self, files: &[(String, Stamp, Looked)]) -> Result<(), Error> {
        let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for (path, stamp, looked) in files {
            let (recording, error) = match looked {
                Looked::Recording(entry) => (Some(&entry.recording), None),
                Looked::Copy(recording) => (Some(recording), None),
                Looked::Unreadable(why) => (None, Some(why)),
            };
            transaction.prepare_cached("INSERT OR REPLACE INTO files (path, recording, size, modified, error) VALUES (?, ?, ?, ?, ?)")?.execute(params![
                path,
                recording,
                stamp.size as i64,
                stamp.modified,
                error
            ])?;
            if let Looked::Recording(entry) = looked {
                put(&transaction, entry)?;
            }
        }
        Ok(transaction.commit()?)
    }

    /// Takes files out that are there no more, then [sweeps](Self::sweep).
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn forget_all(&mut self, paths: &[String]) -> Result<(), Error> {
        let transaction = self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for path in paths {
            transaction.prepare_cached("DELETE FROM files WHERE path = ?")?.execute([path])?;
        }
        sweep(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// Takes out the recordings that no file has any more. The others are called by the first of their files.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn sweep(&mut self) -> Result<(), Error> {
        self.forget_all(&[])
    }

    /// How many files and recordings there are.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn counts(&self) -> Result<(u64, u64), Error> {
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        Ok((count("SELECT count(*) FROM files")? as u64, count("SELECT count(*) FROM recordings")? as u64))
    }

    /// The marks of a recording that is in.
    pub(crate) fn marks(&self, recording: &str) -> Result<Option<Marks>, Error> {
        let of_recording = "SELECT id, date FROM summaries WHERE recording = ?";
        let known: Option<(i64, Option<String>)> = optional(self.connection.query_row(of_recording, [recording], |row| Ok((row.get(0)?, row.get(1)?))))?;
        let Some((id, date)) = known else { return Ok(None) };
        let mut marks = Marks { date: exact(date), ..Marks::default() };
        let mut statement = self.connection.prepare("SELECT kind, mark, time FROM marks WHERE id = ?")?;
        let mut rows = statement.query([id])?;
        while let Some(row) = rows.next()? {
            let mark = Mark { mark: row.get(1)?, time: fragreel::model::Milliseconds(row.get(2)?) };
            match row.get::<_, i64>(0)? {
                VIEW => marks.view.push(mark),
                GAME => marks.game.push(mark),
                _ => marks.chat.push(mark),
            }
        }
        Ok(Some(marks))
    }
}

/// Kinds of marks in the database.
pub(crate) const VIEW: i64 = 0;
pub(crate) const GAME: i64 = 1;
pub(crate) const CHAT: i64 = 2;

/// `None` where there is no row.
pub(crate) fn optional<T>(found: rusqlite::Result<T>) -> Result<Option<T>, Error> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn put(transaction: &Transaction<'_>, entry: &Entry) -> Result<(), Error> {
    let known = optional(transaction.prepare_cached("SELECT 1 FROM recordings WHERE recording = ?")?.query_row([&entry.recording], |_| Ok(())))?;
    if known.is_some() {
        return Ok(());
    }
    for (query, batch) in &entry.batches {
        insert(transaction.prepare_cached(&insertion(&KEPT[*query]))?, batch)?;
    }
    transaction.prepare_cached(SUMMARY)?.execute([&entry.recording])?;
    let id = transaction.last_insert_rowid();
    for sql in schema::CHOICE_OF_ONE.iter() {
        transaction.prepare_cached(sql)?.execute([id])?;
    }
    transaction
        .prepare_cached("INSERT INTO chat_text (rowid, text, name) SELECT ?1 * ?2 + row_number() OVER (), text, name FROM chat WHERE recording = ?3")?
        .execute(params![id, LINES, entry.recording])?;
    let mut statement = transaction.prepare_cached("INSERT OR IGNORE INTO marks (kind, mark, time, id) VALUES (?, ?, ?, ?)")?;
    for (kind, marks) in [(VIEW, &entry.marks.view), (GAME, &entry.marks.game), (CHAT, &entry.marks.chat)] {
        for mark in marks {
            statement.execute(params![kind, mark.mark, mark.time.0, id])?;
        }
    }
    Ok(())
}

/// What `find` shows of a recording, in one row.
const SUMMARY: &str = "
INSERT INTO summaries (recording, path, family, date, map, game_mod, game_type, duration, result, players, grade, broken)
SELECT recording, path, family,
  ifnull(date, (SELECT min(m.date) FROM matches m WHERE m.recording = r.recording)), map, game_mod, game_type, duration,
  (SELECT result FROM matches m WHERE m.recording = r.recording ORDER BY number DESC LIMIT 1),
  (SELECT group_concat(name, char(10)) FROM players p WHERE p.recording = r.recording AND p.last),
  (SELECT grade FROM findings f WHERE f.recording = r.recording
   ORDER BY CASE grade WHEN 'edited' THEN 0 WHEN 'damaged' THEN 1 WHEN 'suspicious' THEN 2 ELSE 3 END LIMIT 1),
  ifnull(damage > 0, 0) OR EXISTS (SELECT 1 FROM findings f WHERE f.recording = r.recording AND f.grade IN ('damaged', 'edited'))
FROM recordings r WHERE recording = ?";

/// Lines of chat are numbered from a recording's number times this, so that a line leads to its recording.
pub(crate) const LINES: i64 = 1 << 24;

/// Takes out the recordings that no file has, and calls the others by the first of their files.
fn sweep(transaction: &Transaction<'_>) -> Result<(), Error> {
    let orphans = "SELECT recording FROM recordings WHERE recording NOT IN (SELECT recording FROM files WHERE recording IS NOT NULL)";
    let orphans: Vec<String> = transaction.prepare_cached(orphans)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for recording in &orphans {
        forget(transaction, recording)?;
    }
    for table in ["recordings", "summaries"] {
        let first = format!("(SELECT min(f.path) FROM files f WHERE f.recording = {table}.recording)");
        transaction.execute(&format!("UPDATE {table} SET path = {first} WHERE path <> {first}"), [])?;
    }
    Ok(())
}

/// Takes a recording out.
fn forget(transaction: &Transaction<'_>, recording: &str) -> Result<(), Error> {
    let id: Option<i64> = optional(transaction.prepare_cached("SELECT id FROM summaries WHERE recording = ?")?.query_row([recording], |row| row.get(0)))?;
    if let Some(id) = id {
        transaction.prepare_cached("DELETE FROM chat_text WHERE rowid > ?1 AND rowid < ?2")?.execute([id * LINES, (id + 1) * LINES])?;
        for table in ["marks", "played", "maps", "summaries"] {
            transaction.prepare_cached(&format!("DELETE FROM {table} WHERE id = ?"))?.execute([id])?;
        }
    }
    for query in KEPT.iter() {
        transaction.prepare_cached(&format!("DELETE FROM \"{}\" WHERE recording = ?", query.table().name))?.execute([recording])?;
    }
    Ok(())
}

/// `INSERT` of a query's columns.
pub(crate) fn insertion(query: &Query) -> String {
    let names = query.names();
    let columns: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("INSERT INTO \"{}\" ({}) VALUES ({})", query.table().name, columns.join(", "), vec!["?"; names.len()].join(", "))
}

/// Puts rows in.
pub(crate) fn insert(mut statement: CachedStatement<'_>, batch: &Batch) -> Result<(), Error> {
    for row in 0..batch.rows {
        statement.execute(params_from_iter(batch.columns.iter().map(|values| Bound(values.get(row)))))?;
    }
    Ok(())
}

impl Drop for Catalogue {
    fn drop(&mut self) {
        self.settle();
    }
}

/// A value as SQLite takes it.
struct Bound<'a>(Value<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Bool(value) => ValueRef::Integer(i64::from(value)),
            Value::Int(value) => ValueRef::Integer(value),
            Value::Real(value) => ValueRef::Real(f64::from(value)),
            Value::Double(value) => ValueRef::Real(value),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
