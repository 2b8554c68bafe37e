//! Which recordings a search means, by their numbers.
//!
//! Each condition is one statement that an index answers with numbers alone; sets of numbers are put together here. SQLite would make tables of texts for it,
//! which took ten times as long where a name has wildcards.

use std::collections::HashMap;

use rusqlite::{Connection, ToSql};

use crate::catalogue::error::Error;
use crate::catalogue::functions::folded;
use crate::catalogue::search::Search;
use crate::catalogue::store::LINES;

/// A set of numbers of recordings.
#[derive(Debug, Default)]
pub(crate) struct Ids(HashMap<i64, u64>);

impl Ids {
    pub(super) fn has(&self, id: i64) -> bool {
        self.0.get(&(id >> 6)).is_some_and(|bits| bits >> (id & 63) & 1 != 0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        self.0.iter().flat_map(|(place, bits)| (0..64).filter(move |bit| bits >> bit & 1 != 0).map(move |bit| place << 6 | bit))
    }

    fn add(&mut self, id: i64) {
        *self.0.entry(id >> 6).or_default() |= 1 << (id & 63);
    }

    fn and(mut self, other: &Ids) -> Ids {
        self.0.retain(|place, bits| {
            *bits &= other.0.get(place).copied().unwrap_or_default();
            *bits != 0
        });
        self
    }
}

impl FromIterator<i64> for Ids {
    fn from_iter<I: IntoIterator<Item = i64>>(ids: I) -> Self {
        let mut set = Ids::default();
        ids.into_iter().for_each(|id| set.add(id));
        set
    }
}

/// The recordings that match everything; `None` where nothing is asked for.
pub(crate) fn ids(connection: &Connection, search: &Search) -> Result<Option<Ids>, Error> {
    let mut sets: Vec<Ids> = Vec::new();
    if let Some(map) = &search.map {
        sets.push(named(connection, "SELECT id FROM maps WHERE map", map)?);
    }
    if let Some(name) = &search.game_mod {
        sets.push(named(connection, "SELECT id FROM summaries WHERE game_mod", name)?);
    }
    if let Some(date) = &search.date {
        let (from, to) = date.split_once("..").unwrap_or((date, date));
        let bounds = [from.trim().to_owned(), format!("{}\u{7f}", to.trim())];
        let sql = "SELECT id FROM summaries WHERE date >= ?1 AND date < ?2
            UNION SELECT s.id FROM matches m JOIN summaries s USING (recording) WHERE m.date >= ?1 AND m.date < ?2";
        sets.push(asked(connection, sql, bounds)?);
    }
    if let Some(text) = &search.text {
        sets.push(asked(connection, &format!("SELECT rowid / {LINES} FROM chat_text WHERE chat_text MATCH ?"), [text])?);
    }
    if search.damaged {
        sets.push(asked(connection, "SELECT id FROM summaries WHERE broken", [] as [&str; 0])?);
    }
    let took_part = |names: &[String]| names.iter().map(|name| Parts::of(connection, name)).collect::<Result<Vec<_>, Error>>();
    let (players, with, against) = (took_part(&search.players)?, took_part(&search.with)?, took_part(&search.against)?);
    sets.extend(players.iter().map(Parts::ids));
    if with.is_empty() || against.is_empty() {
        sets.extend(with.iter().chain(&against).map(Parts::ids));
    } else {
        sets.extend(with.iter().flat_map(|one| against.iter().map(|other| one.meeting(other, Part::is_against))));
        sets.extend([&with, &against].iter().flat_map(|side| side.windows(2)).map(|pair| pair[0].meeting(&pair[1], Part::is_with)));
    }
    Ok(sets.into_iter().reduce(|all, one| all.and(&one)))
}

/// That somebody took part in a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    id: i64,
    name: i64,
    /// 0 where he played for himself.
    team: i64,
}

impl Part {
    fn is_against(&self, other: &Part) -> bool {
        self.name != other.name && (self.team != other.team || self.team == 0)
    }

    fn is_with(&self, other: &Part) -> bool {
        self.name != other.name && self.team == other.team && self.team != 0
    }
}

/// Where players of a name took part, by recording.
struct Parts(Vec<Part>);

impl Parts {
    fn of(connection: &Connection, name: &str) -> Result<Self, Error> {
        let (test, value) = like(&folded(name));
        let sql = format!("SELECT played.id, played.name, played.team FROM names CROSS JOIN played ON played.name = names.id WHERE names.folded {test}");
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map([value], |row| Ok(Part { id: row.get(0)?, name: row.get(1)?, team: row.get(2)? }))?;
        let mut parts = rows.collect::<Result<Vec<_>, _>>()?;
        parts.sort_unstable();
        Ok(Parts(parts))
    }

    fn ids(&self) -> Ids {
        self.0.iter().map(|part| part.id).collect()
    }

    /// Recordings where somebody of these and somebody of the others stand to each other like that.
    fn meeting(&self, others: &Parts, is_so: fn(&Part, &Part) -> bool) -> Ids {
        let of_recording = |one: &Part, other: &Part| one.id == other.id;
        let mut others = others.0.chunk_by(of_recording).peekable();
        let mut ids = Ids::default();
        for here in self.0.chunk_by(of_recording) {
            let id = here[0].id;
            while others.next_if(|there| there[0].id < id).is_some() {}
            let Some(there) = others.peek().filter(|there| there[0].id == id) else { continue };
            if here.iter().any(|one| there.iter().any(|other| is_so(one, other))) {
                ids.add(id);
            }
        }
        ids
    }
}

/// Names that contain a part, in any case; none if one is equal to it or if it has wildcards.
pub(super) fn names_with(connection: &Connection, part: &str, most: u32) -> Result<Vec<String>, Error> {
    if part.is_empty() || part.contains(['*', '?']) {
        return Ok(Vec::new());
    }
    let sql =
        "SELECT name FROM names WHERE instr(folded, ?1) > 0 AND NOT EXISTS (SELECT 1 FROM names WHERE folded = ?1) ORDER BY length(folded), name LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((folded(part), most), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn asked(connection: &Connection, sql: &str, values: impl IntoIterator<Item = impl ToSql>) -> Result<Ids, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(rusqlite::params_from_iter(values), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Whose column, with which `sql` ends, is of that name.
fn named(connection: &Connection, sql: &str, name: &str) -> Result<Ids, Error> {
    let (test, value) = like(name);
    asked(connection, &format!("{sql} {test}"), [value])
}

/// A test against a name with wildcards, in any case.
fn like(name: &str) -> (&'static str, String) {
    if !name.contains(['*', '?']) {
        return ("= ? COLLATE NOCASE", name.to_owned());
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
    ("LIKE ? ESCAPE '\\'", pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(parts: &[(i64, i64, i64)]) -> Parts {
        Parts(parts.iter().map(|&(id, name, team)| Part { id, name, team }).collect())
    }

    #[test]
    fn nobody_plays_against_himself_or_with_himself() {
        // In 1 they are in two teams, in 2 in one, in 3 each for himself, in 4 it is one player under a name that both patterns mean.
        let (one, other) =
            (parts(&[(1, 10, 1), (2, 10, 1), (3, 10, 0), (4, 12, 0), (4, 12, 1)]), parts(&[(1, 11, 2), (2, 11, 1), (3, 11, 0), (4, 12, 0), (4, 12, 1)]));
        let (against, with) = (one.meeting(&other, Part::is_against), one.meeting(&other, Part::is_with));
        assert_eq!([1, 2, 3, 4].map(|id| against.has(id)), [true, false, true, false]);
        assert_eq!([1, 2, 3, 4].map(|id| with.has(id)), [false, true, false, false]);
    }

    #[test]
    fn sets_hold_what_is_in_both() {
        let both = Ids::from_iter([1, 63, 64, 1 << 40]).and(&Ids::from_iter([63, 65, 1 << 40]));
        assert_eq!([1, 63, 64, 65, 1 << 40].map(|id| both.has(id)), [false, true, false, false, true]);
        let mut ids: Vec<i64> = both.iter().collect();
        ids.sort_unstable();
        assert_eq!(ids, [63, 1 << 40]);
    }
}
