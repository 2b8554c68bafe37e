//! The schema of a catalogue.

use rusqlite::Connection;

use crate::entry::KEPT;
use crate::error::Error;

/// The version of the schema; SQLite keeps it as `user_version`. It rises when a catalogue must be made again.
pub const VERSION: i64 = 2;

/// SQLite's `application_id` of a catalogue: `frag`.
const APPLICATION: i64 = 0x6672_6167;

/// What a catalogue has besides the tables of `docs/tables.md`.
const OWN: &str = "
CREATE TABLE files (
  path TEXT PRIMARY KEY,
  recording TEXT,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  error TEXT
) WITHOUT ROWID;
CREATE INDEX files_recording ON files (recording);
CREATE TABLE names (name TEXT PRIMARY KEY COLLATE NOCASE) WITHOUT ROWID;
CREATE TABLE summaries (
  id INTEGER PRIMARY KEY,
  recording TEXT NOT NULL UNIQUE,
  path TEXT NOT NULL,
  family TEXT NOT NULL,
  date TEXT,
  map TEXT,
  game_mod TEXT,
  game_type TEXT,
  duration INTEGER,
  result TEXT,
  players TEXT,
  grade TEXT,
  broken INTEGER NOT NULL
);
CREATE INDEX summaries_map ON summaries (map COLLATE NOCASE);
CREATE INDEX summaries_date ON summaries (date, path);
CREATE INDEX summaries_mod ON summaries (game_mod COLLATE NOCASE);
CREATE INDEX summaries_broken ON summaries (date, path) WHERE broken;
CREATE TABLE marks (
  kind INTEGER NOT NULL,
  mark INTEGER NOT NULL,
  time INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (kind, mark, time, id)
) WITHOUT ROWID;
CREATE INDEX marks_id ON marks (id, kind);
CREATE UNIQUE INDEX recordings_recording ON recordings (recording);
CREATE INDEX levels_recording ON levels (recording);
CREATE INDEX levels_map ON levels (map COLLATE NOCASE, recording);
CREATE INDEX matches_recording ON matches (recording);
CREATE INDEX players_recording ON players (recording);
CREATE INDEX players_name ON players (name COLLATE NOCASE, recording, team);
CREATE INDEX scores_recording ON scores (recording);
CREATE INDEX chat_recording ON chat (recording);
CREATE INDEX findings_recording ON findings (recording);
CREATE VIRTUAL TABLE chat_text USING fts5 (text, name);
";

/// Makes the schema in an empty database, or finds out that it is there.
pub fn prepare(connection: &Connection, may_write: bool) -> Result<(), Error> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables > 0 || !may_write {
        return match (application, version) {
            (APPLICATION, VERSION) => Ok(()),
            (APPLICATION, other) if other < VERSION => Err(Error::Earlier(other)),
            (APPLICATION, other) => Err(Error::Later(other)),
            _ => Err(Error::Foreign),
        };
    }
    // All of it or nothing.
    let mut text = String::from("BEGIN IMMEDIATE;\n");
    for query in KEPT.iter() {
        text.push_str(&query.table().create());
        text.push_str(";\n");
    }
    text.push_str(OWN);
    text.push_str(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"));
    Ok(connection.execute_batch(&text)?)
}
