//! The schema of a catalogue.

use std::sync::LazyLock;

use rusqlite::Connection;

use crate::catalogue::entry::KEPT;
use crate::catalogue::error::Error;
use crate::catalogue::functions;
use crate::catalogue::version::VERSION;

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
CREATE INDEX matches_recording ON matches (recording);
CREATE INDEX matches_date ON matches (date);
CREATE INDEX players_recording ON players (recording);
CREATE INDEX players_name ON players (name COLLATE NOCASE);
CREATE INDEX scores_recording ON scores (recording);
CREATE INDEX chat_recording ON chat (recording);
CREATE INDEX findings_recording ON findings (recording);
CREATE VIRTUAL TABLE chat_text USING fts5 (text, name);
";

/// What `find` chooses by: numbers, so that a search reads no texts of what it passes over.
const CHOICE: &str = "
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE);
CREATE TABLE teams (id INTEGER PRIMARY KEY, team TEXT NOT NULL UNIQUE);
CREATE TABLE played (
  name INTEGER NOT NULL,
  id INTEGER NOT NULL,
  team INTEGER NOT NULL,
  PRIMARY KEY (name, id, team)
) WITHOUT ROWID;
CREATE INDEX played_id ON played (id);
CREATE TABLE maps (
  map TEXT NOT NULL COLLATE NOCASE,
  id INTEGER NOT NULL,
  PRIMARY KEY (map, id)
) WITHOUT ROWID;
CREATE INDEX maps_id ON maps (id);
";

/// Makes the schema in an empty database, or finds out that it is there.
pub(super) fn prepare(connection: &Connection, may_write: bool) -> Result<(), Error> {
    functions::add_folded(connection)?;
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
        text.push_str(&query.create());
        text.push_str(";\n");
    }
    text.push_str(OWN);
    text.push_str(CHOICE);
    text.push_str(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"));
    Ok(connection.execute_batch(&text)?)
}

/// The statements that fill what `find` chooses by, of the recording with the number that is the parameter.
pub(crate) static CHOICE_OF_ONE: LazyLock<[String; 4]> = LazyLock::new(|| {
    let test = " AND s.id = ?1";
    let players = format!("FROM summaries s JOIN players p USING (recording) WHERE p.name IS NOT NULL{test}");
    [
        format!("INSERT OR IGNORE INTO names (name, folded) SELECT p.name, folded(p.name) {players}"),
        format!("INSERT OR IGNORE INTO teams (team) SELECT p.team {players} AND p.team <> 'free'"),
        format!(
            "INSERT OR IGNORE INTO played (name, id, team) SELECT (SELECT n.id FROM names n WHERE n.folded = folded(p.name)), s.id, \
             ifnull((SELECT t.id FROM teams t WHERE t.team = p.team), 0) {players}"
        ),
        format!(
            "INSERT OR IGNORE INTO maps (map, id) SELECT s.map, s.id FROM summaries s WHERE s.map IS NOT NULL{test} \
             UNION SELECT l.map, s.id FROM summaries s JOIN levels l USING (recording) WHERE l.map IS NOT NULL{test}"
        ),
    ]
});
