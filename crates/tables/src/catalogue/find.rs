//! What is asked of a catalogue.

use std::collections::HashMap;

use crate::catalogue::choose;
use crate::catalogue::error::Error;
use crate::catalogue::marks::{Mark, Marks, exact};
use crate::catalogue::search::Search;
use crate::catalogue::store::{CHAT, Catalogue, GAME, VIEW, optional};

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

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hits {
    /// The recordings, by date and path, as many as were asked for.
    pub recordings: Vec<Found>,
    /// How many there are in all.
    pub total: u64,
}

/// The clocks of two views of one match differ by no more than this, in milliseconds.
const APART: i64 = 1000;

/// Up to this number are sorted without the index.
const FEW: usize = 500;

/// What of a summary is shown.
const SHOWN: &str = "SELECT path, recording, family, date, map, game_mod, game_type, duration, result, players, grade FROM summaries s WHERE";

impl Catalogue {
    /// Recordings that match everything that is asked for, by date and path.
    ///
    /// # Errors
    /// When the words looked for are no query of FTS5, or the database cannot be read.
    pub fn find(&self, search: &Search) -> Result<Hits, Error> {
        let wanted = choose::ids(&self.connection, search)?;
        let most = search.limit.unwrap_or(u64::MAX);
        let mut hits = Hits::default();
        // A few are read and put in order here: the index of 40,000 dates takes 6 ms.
        if let Some(wanted) = wanted.as_ref().filter(|wanted| wanted.iter().nth(FEW).is_none()) {
            let found = wanted.iter().map(|id| self.one("s.id = ?", id)).collect::<Result<Vec<_>, _>>()?;
            hits.recordings = found.into_iter().flatten().collect();
            hits.recordings.sort_by(|one, other| (&one.date, &one.path).cmp(&(&other.date, &other.path)));
            hits.total = hits.recordings.len() as u64;
            hits.recordings.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            return Ok(hits);
        }
        // The index of dates has all that this asks for: rows are read only of what is shown.
        let mut all = self.connection.prepare_cached("SELECT id FROM summaries ORDER BY date, path")?;
        let mut all = all.query([])?;
        let mut shown = self.connection.prepare_cached(&format!("{SHOWN} s.id = ?"))?;
        while let Some(row) = all.next()? {
            let id: i64 = row.get(0)?;
            if wanted.as_ref().is_some_and(|wanted| !wanted.has(id)) {
                continue;
            }
            hits.total += 1;
            if hits.total <= most {
                hits.recordings.push(shown.query_row([id], found)?);
            }
        }
        Ok(hits)
    }

    /// Names of players that contain `part`, in any case; none if a player has exactly that name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn names_with(&self, part: &str, most: u32) -> Result<Vec<String>, Error> {
        choose::names_with(&self.connection, part, most)
    }

    fn one(&self, test: &str, value: impl rusqlite::ToSql) -> Result<Option<Found>, Error> {
        optional(self.connection.prepare_cached(&format!("{SHOWN} {test}"))?.query_row([value], found))
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
        for (id, same) in self.shifted(&marks.game)? {
            related.entry(id).or_insert(Same { relation: Relation::Match, marks: same });
        }
        if let Some(date) = &marks.date {
            for (id, same) in self.sharing(CHAT, &marks.chat)? {
                let other: Option<String> = self.connection.prepare_cached("SELECT date FROM summaries WHERE id = ?")?.query_row([id], |row| row.get(0))?;
                if exact(other).as_ref() == Some(date) && (same >= enough(marks.chat.len()) || same >= enough(self.count(CHAT, id)?)) {
                    related.entry(id).or_insert(Same { relation: Relation::Match, marks: same });
                }
            }
        }
        let mut found = Vec::new();
        let copies = "SELECT path FROM files WHERE recording = ? ORDER BY path";
        let mut statement = self.connection.prepare(copies)?;
        let paths: Vec<String> = statement.query_map([recording], |row| row.get(0))?.collect::<Result<_, _>>()?;
        if let Some(one) = self.one("s.recording = ?", recording)? {
            let same = Some(Same { relation: Relation::Copy, marks: (marks.view.len() + marks.game.len() + marks.chat.len()) as u64 });
            found.extend(paths.into_iter().map(|path| Found { path, same, ..one.clone() }));
        }
        let mut others: Vec<(Same, Found)> = Vec::new();
        for (id, same) in related {
            let one = self.one("s.id = ?", id)?;
            others.extend(one.into_iter().filter(|one| one.recording != recording).map(|one| (same, Found { same: Some(same), ..one })));
        }
        others.sort_by(|(a, one), (b, other)| (a.relation, std::cmp::Reverse(a.marks), &one.path).cmp(&(b.relation, std::cmp::Reverse(b.marks), &other.path)));
        found.extend(others.into_iter().map(|(_, one)| one));
        Ok(found)
    }

    /// Recordings that share marks of the match on another clock, as conversions to plain QuakeWorld have, which states none: the same things happened with
    /// the same times between them.
    fn shifted(&self, marks: &[Mark]) -> Result<Vec<(i64, u64)>, Error> {
        let mut statement = self.connection.prepare_cached("SELECT id, time FROM marks WHERE kind = ? AND mark = ?")?;
        let mut shifts: HashMap<i64, Vec<i64>> = HashMap::new();
        for Mark { mark, time } in marks {
            let mut rows = statement.query([GAME, *mark])?;
            while let Some(row) = rows.next()? {
                shifts.entry(row.get(0)?).or_default().push(row.get::<_, i64>(1)? - time.0);
            }
        }
        let shared = shifts.into_iter().map(|(id, shifts)| (id, most_at_once(shifts)));
        Ok(shared.filter(|(_, same)| *same >= SHIFTED).collect())
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

/// Marks that recordings with clocks of their own must share, all with the same difference of the clocks,
const SHIFTED: u64 = 3;

/// which may vary by so much, in milliseconds.
const VARIES: i64 = 200;

/// The marks that most share one difference of clocks.
fn most_at_once(mut shifts: Vec<i64>) -> u64 {
    shifts.sort_unstable();
    let within = |from: &i64| shifts.partition_point(|shift| *shift <= from + VARIES) - shifts.partition_point(|shift| shift < from);
    shifts.iter().map(within).max().unwrap_or_default() as u64
}

/// How many of this number of marks must be shared: two moments are no accident, and where either recording has hardly more, one must do.
fn enough(marks: usize) -> u64 {
    if marks < 3 { 1 } else { 2 }
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_agree_when_their_clocks_differ_by_the_same() {
        assert_eq!(most_at_once(vec![-6642, 90_000, -6641, 12, -6642]), 3);
        assert_eq!(most_at_once(vec![0, 150, 300]), 2);
        assert_eq!(most_at_once(Vec::new()), 0);
    }

    fn of(rows: &str) -> Catalogue {
        let catalogue = Catalogue::in_memory().unwrap();
        catalogue.connection.execute_batch(rows).unwrap();
        catalogue
    }

    #[test]
    fn the_same_words_are_not_the_same_match() {
        let catalogue = of("INSERT INTO summaries (id, recording, path, family, date, broken) VALUES
            (1, 'a', 'a.qwd', 'quake1', NULL, 0), (2, 'b', 'b.qwd', 'quake1', NULL, 0),
            (3, 'c', 'c.qwd', 'quake1', '2004-05-01', 0), (4, 'd', 'd.qwd', 'quake1', '2004-05-01', 0),
            (5, 'e', 'e.dm_91', 'quake3', '2015-07-25T20:39:25Z', 0), (6, 'f', 'f.dm_91', 'quake3', '2015-07-25T20:39:25Z', 0),
            (7, 'g', 'g.dm_91', 'quake3', '2015-07-25T21:39:25Z', 0);
            INSERT INTO marks (kind, mark, time, id) SELECT 2, 77, 1000, id FROM summaries UNION SELECT 2, 78, 2000, id FROM summaries;
            INSERT INTO marks (kind, mark, time, id) VALUES (1, 5, 3000, 2), (1, 5, 3000, 4);");
        let same = |recording: &str| -> Vec<String> {
            let found = catalogue.same_as(recording, Marks::default).unwrap();
            found.into_iter().filter(|found| found.recording != recording).map(|found| found.recording).collect()
        };
        assert_eq!(same("a"), [""; 0], "no date, no kills");
        assert_eq!(same("b"), ["d"], "the same kills");
        assert_eq!(same("c"), [""; 0], "a day has many matches");
        assert_eq!(same("e"), ["f"], "the same words in a match of one date");
        assert_eq!(same("g"), [""; 0], "an hour later");
    }

    #[test]
    fn names_are_found_in_any_case_and_matches_by_their_date() {
        let catalogue = of("INSERT INTO summaries (id, recording, path, family, date, broken) VALUES (1, 'a', 'a.dem', 'goldsrc', '2026-01-01', 0);
            INSERT INTO players (recording, name) VALUES ('a', 'ЖОРА'), ('a', 'Åsa');
            INSERT INTO matches (recording, date) VALUES ('a', '2024-05-01T10:00:00Z')");
        for sql in crate::catalogue::schema::CHOICE_OF_ONE.iter() {
            catalogue.connection.execute(sql, [1]).unwrap();
        }
        let count = |search: &Search| catalogue.find(search).unwrap().total;
        for name in ["жора", "Жора", "å*", "ЖОР?"] {
            assert_eq!(count(&Search { players: vec![name.to_owned()], ..Search::default() }), 1, "{name}");
        }
        for (date, wanted) in [("2024", 1), ("2024-05", 1), ("2026", 1), ("2025", 0)] {
            assert_eq!(count(&Search { date: Some(date.to_owned()), ..Search::default() }), wanted, "{date}");
        }
    }
}
