//! What is asked of a catalogue.

use std::collections::HashMap;

use rusqlite::params_from_iter;

use crate::error::Error;
use crate::marks::{Mark, Marks};
use crate::store::{Catalogue, GAME, LINES, VIEW};

/// What is looked for. Everything given must hold; names may have `*` and `?` as wildcards, in any case.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Players who took part, under any of their names.
    pub players: Vec<String>,
    /// Players who played on one side, against those of `against`.
    pub with: Vec<String>,
    /// See `with`.
    pub against: Vec<String>,
    /// A map that was played.
    pub map: Option<String>,
    /// A day, a month or a year, or two of them with `..` between: `2004`, `2004-03..2005-01`.
    pub date: Option<String>,
    /// The mod or game directory.
    pub game_mod: Option<String>,
    /// Words that were said: the query language of FTS5.
    pub text: Option<String>,
    /// Only what is damaged, or cut or tampered with.
    pub damaged: bool,
    /// At most so many; all by default.
    pub limit: Option<u64>,
}

/// A recording that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// One of its files.
    pub path: String,
    /// Its name by content.
    pub recording: String,
    /// The family.
    pub family: String,
    /// When it was played.
    pub date: Option<String>,
    /// The first map.
    pub map: Option<String>,
    /// The mod or game directory.
    pub game_mod: Option<String>,
    /// The game type.
    pub game_type: Option<String>,
    /// In milliseconds.
    pub duration: Option<i64>,
    /// How its last match ended.
    pub result: Option<String>,
    /// Who played, at the end.
    pub players: Vec<String>,
    /// The worst grade of its findings.
    pub grade: Option<String>,
    /// How it is related to what was looked for.
    pub same: Option<Same>,
}

/// How two recordings are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Same {
    /// How.
    pub relation: Relation,
    /// Of how many moments they say the same.
    pub marks: u64,
}

/// Ways to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The same bytes, unpacked.
    Copy,
    /// The same view in another container, cut, repaired or edited.
    View,
    /// The same match from another view.
    Match,
}

impl Relation {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Copy => "copy",
            Relation::View => "view",
            Relation::Match => "match",
        }
    }
}

/// The clocks of two views of one match differ by no more than this, in milliseconds.
const APART: i64 = 1000;

impl Catalogue {
    /// Recordings of which everything holds that is asked for, by date and path.
    ///
    /// # Errors
    /// When the words looked for are no query of FTS5, or the database cannot be read.
    pub fn find(&self, search: &Search) -> Result<Vec<Found>, Error> {
        let mut wanted = Wanted::default();
        for name in &search.players {
            wanted.player(name);
        }
        match (&search.with[..], &search.against[..]) {
            ([], others) | (others, []) => others.iter().for_each(|name| wanted.player(name)),
            (with, against) => {
                with.iter().chain(against).for_each(|name| wanted.player(name));
                for (one, other) in with.iter().flat_map(|one| against.iter().map(move |other| (one, other))) {
                    wanted.opponents(one, other);
                }
                for pair in [with, against].iter().flat_map(|side| side.windows(2)) {
                    wanted.mates(&pair[0], &pair[1]);
                }
            }
        }
        if let Some(map) = &search.map {
            let (test, value) = like("map", map);
            let either =
                format!("s.id IN (SELECT id FROM summaries WHERE {test} UNION SELECT id FROM levels JOIN summaries USING (recording) WHERE levels.{test})");
            wanted.and(either, [value.clone(), value]);
        }
        if let Some(name) = &search.game_mod {
            let (test, value) = like("game_mod", name);
            wanted.and(format!("s.{test}"), [value]);
        }
        if let Some(date) = &search.date {
            let (from, to) = date.split_once("..").unwrap_or((date, date));
            wanted.and("s.date >= ? AND s.date < ?".into(), [from.trim().to_owned(), format!("{}\u{7f}", to.trim())]);
        }
        if let Some(text) = &search.text {
            wanted.and(format!("s.id IN (SELECT rowid / {LINES} FROM chat_text WHERE chat_text MATCH ?)"), [text.clone()]);
        }
        if search.damaged {
            wanted.and("s.broken".into(), []);
        }
        let tests = if wanted.tests.is_empty() { String::from("1") } else { wanted.tests.join(" AND ") };
        let limit = search.limit.map_or(-1, |limit| limit as i64);
        self.rows(&format!("{tests} ORDER BY s.date, s.path LIMIT {limit}"), &wanted.values)
    }

    fn rows(&self, tests: &str, values: &[String]) -> Result<Vec<Found>, Error> {
        let sql = format!("SELECT path, recording, family, date, map, game_mod, game_type, duration, result, players, grade FROM summaries s WHERE {tests}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(values), |row| {
            let players: Option<String> = row.get(9)?;
            Ok(Found {
                path: row.get(0)?,
                recording: row.get(1)?,
                family: row.get(2)?,
                date: row.get(3)?,
                map: row.get(4)?,
                game_mod: row.get(5)?,
                game_type: row.get(6)?,
                duration: row.get(7)?,
                result: row.get(8)?,
                players: players.map(|names| names.lines().map(str::to_owned).collect()).unwrap_or_default(),
                grade: row.get(10)?,
                same: None,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Recordings that are the same as one: copies first, then the same view, then the same match. `marks`: of the recording looked for,
    /// asked for where the catalogue does not have it.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn same_as(&self, recording: &str, marks: impl FnOnce() -> Marks) -> Result<Vec<Found>, Error> {
        let marks = match self.marks(recording)? {
            Some(marks) => marks,
            None => marks(),
        };
        let mut related: HashMap<i64, Same> = HashMap::new();
        for (kind, relation, marks) in [(VIEW, Relation::View, &marks.view), (GAME, Relation::Match, &marks.game)] {
            for (id, same) in self.sharing(kind, marks)? {
                if same >= enough(marks.len()) || same >= enough(self.count(kind, id)?) {
                    related.entry(id).or_insert(Same { relation, marks: same });
                }
            }
        }
        let mut found = Vec::new();
        let copies = "SELECT path FROM files WHERE recording = ? ORDER BY path";
        let mut statement = self.connection.prepare(copies)?;
        let paths: Vec<String> = statement.query_map([recording], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if let Some(one) = self.rows("s.recording = ?", &[recording.to_owned()])?.pop() {
            let same = Some(Same { relation: Relation::Copy, marks: (marks.view.len() + marks.game.len()) as u64 });
            found.extend(paths.into_iter().map(|path| Found { path, same, ..one.clone() }));
        }
        let mut others: Vec<(Same, Found)> = Vec::new();
        for (id, same) in related {
            let one = self.rows("s.id = CAST(? AS INTEGER)", &[id.to_string()])?;
            others.extend(one.into_iter().filter(|one| one.recording != recording).map(|one| (same, Found { same: Some(same), ..one })));
        }
        others.sort_by(|(a, one), (b, other)| (a.relation, std::cmp::Reverse(a.marks), &one.path).cmp(&(b.relation, std::cmp::Reverse(b.marks), &other.path)));
        found.extend(others.into_iter().map(|(_, one)| one));
        Ok(found)
    }

    fn count(&self, kind: i64, id: i64) -> Result<usize, Error> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM marks WHERE id = ? AND kind = ? LIMIT 3)";
        Ok(self.connection.prepare_cached(sql)?.query_row([id, kind], |row| row.get::<_, i64>(0))? as usize)
    }

    /// Recordings that share marks at the same times, with how many.
    fn sharing(&self, kind: i64, marks: &[Mark]) -> Result<Vec<(i64, u64)>, Error> {
        let mut statement = self.connection.prepare_cached("SELECT DISTINCT id FROM marks WHERE kind = ? AND mark = ? AND time BETWEEN ? AND ?")?;
        let mut shared: HashMap<i64, u64> = HashMap::new();
        for Mark { mark, time } in marks {
            let mut rows = statement.query([kind, *mark, time.0 - APART, time.0 + APART])?;
            while let Some(row) = rows.next()? {
                *shared.entry(row.get(0)?).or_default() += 1;
            }
        }
        Ok(shared.into_iter().collect())
    }
}

/// How many of so many marks must be shared: two moments are no accident, and where either recording has hardly more, one must do.
fn enough(marks: usize) -> u64 {
    if marks < 3 { 1 } else { 2 }
}

/// Tests of a query and their values.
#[derive(Default)]
struct Wanted {
    tests: Vec<String>,
    values: Vec<String>,
}

impl Wanted {
    fn and(&mut self, test: String, values: impl IntoIterator<Item = String>) {
        self.tests.push(test);
        self.values.extend(values);
    }

    fn player(&mut self, name: &str) {
        let (test, value) = named("players", name);
        self.and(format!("s.recording IN (SELECT recording FROM players WHERE {test})"), [value]);
    }

    fn opponents(&mut self, one: &str, other: &str) {
        self.pair(one, other, "a.team IS NULL OR b.team IS NULL OR a.team = 'free' OR a.team <> b.team");
    }

    fn mates(&mut self, one: &str, other: &str) {
        self.pair(one, other, "a.team = b.team");
    }

    fn pair(&mut self, one: &str, other: &str, test: &str) {
        let ((a, first), (b, second)) = (named("a", one), named("b", other));
        // From each of the first to the few in the same recording: SQLite would go from every name to every other.
        let joined = "players a CROSS JOIN players b INDEXED BY players_recording ON a.recording = b.recording";
        let pair = format!("s.recording IN (SELECT a.recording FROM {joined} WHERE {a} AND {b} AND ({test}))");
        self.and(pair, [first, second]);
    }
}

/// A test of a player's name: where it has wildcards, over the list of all names, which is short.
fn named(table: &str, name: &str) -> (String, String) {
    let (test, value) = like("name", name);
    let column = format!("{table}.name COLLATE NOCASE");
    if name.contains(['*', '?']) { (format!("{column} IN (SELECT name FROM names WHERE {test})"), value) } else { (format!("{column} = ?"), value) }
}

/// A test of a column against a name with wildcards.
fn like(column: &str, name: &str) -> (String, String) {
    if !name.contains(['*', '?']) {
        return (format!("{column} = ? COLLATE NOCASE"), name.to_owned());
    }
    let mut pattern = String::new();
    for c in name.chars() {
        match c {
            '*' => pattern.push('%'),
            '?' => pattern.push('_'),
            '%' | '_' | '\\' => pattern.extend(['\\', c]),
            c => pattern.push(c),
        }
    }
    (format!("{column} LIKE ? ESCAPE '\\'"), pattern)
}
