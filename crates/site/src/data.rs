//! Tables of everything that a site shows, for DuckDB, Polars and the like: one file a table, sorted by date.
//!
//! The columns have the names and units of `docs/tables.md`. Rows are made of the facts that pages are made of, so that a name that is removed
//! from the pages is in no table.

use fragreel::model::{MatchStats, Stat};

use crate::facts::{Board, Facts};
use crate::summary::{Row, Summary};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no.
    Bool,
    /// A whole number.
    Number,
    /// A text.
    Text,
}

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing: the recording does not say it.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What it says.
    pub about: &'static str,
}

/// What rows are made of.
#[derive(Clone, Copy)]
pub(crate) enum Origin {
    /// What lists know of a recording.
    Summary(fn(&Summary, &mut Rows)),
    /// All facts.
    Facts(fn(&Facts, &mut Rows)),
}

/// Rows under way.
pub(crate) type Rows = Vec<Vec<Value>>;

/// A table of a site.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub name: &'static str,
    pub about: &'static str,
    own: &'static [Column],
    /// Whether a column for each figure of a player follows.
    with_figures: bool,
    pub from: Origin,
}

impl Table {
    /// All columns, in their order.
    pub(crate) fn columns(&self) -> Vec<Column> {
        let figures = Stat::ALL.iter().filter(|_| self.with_figures).map(|stat| number(stat.name(), stat.about()));
        RECORDING.iter().chain(self.own).copied().chain(figures).collect()
    }
}

const fn number(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Number, about }
}

const fn text(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Text, about }
}

const fn flag(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Bool, about }
}

/// What every table begins with.
const RECORDING: [Column; 3] = [
    text("date", "when it was played: a day, with the time if it is known"),
    text("recording", "the recording: the first 32 hex digits of the SHA-256 of its unpacked bytes"),
    text("family", "quake3, quake2, goldsrc, quake1"),
];

/// The tables, in the order of the page that describes them.
pub(crate) const TABLES: [Table; 6] = [
    Table {
        name: "recordings",
        about: "the recordings, one row each",
        own: &[
            text("file", "the name of its file"),
            text("dialect", "protocol and extensions"),
            text("kind", "client, server, or multi-view"),
            text("game_mod", "the mod"),
            text("server", "the name of the server"),
            text("maps", "its maps, separated by spaces"),
            number("duration", "length in ms"),
            number("bytes", "size, unpacked"),
            text("grade", "the grade of the audit"),
            number("damage", "number of damaged places that pages name"),
            text("page", "the address of its page, from the root of the site"),
        ],
        with_figures: false,
        from: Origin::Facts(recordings),
    },
    Table {
        name: "matches",
        about: "matches with their results, one row each and recording",
        own: &[
            number("match", "number of the match in the recording"),
            text("map", "the map"),
            text("mode", "the game type, with the size of teams"),
            number("time", "start in ms since the recording's first frame"),
            number("time_to", "end in ms"),
            text("outcome", "won, draw, over, forfeited, stopped, aborted, unfinished"),
            text("winner", "who won"),
            text("first", "the best side"),
            number("first_score", "its score"),
            text("second", "the second side"),
            number("second_score", "its score"),
            number("players", "number of players"),
        ],
        with_figures: false,
        from: Origin::Summary(matches),
    },
    Table {
        name: "scores",
        about: "the scoreboards, one row for each player and match",
        own: &[
            number("match", "number of the match in the recording"),
            number("rank", "place on the board, from 1"),
            text("name", "the player"),
            text("team", "the team"),
            text("stated", "the figures that the game states, separated by spaces; others are counted"),
        ],
        with_figures: true,
        from: Origin::Facts(scores),
    },
    Table {
        name: "kills",
        about: "kills during matches",
        own: &[
            number("time", "in ms since the recording's first frame"),
            text("attacker", "who did it; empty for the world"),
            text("attacker_team", "the team"),
            text("victim", "who died"),
            text("weapon", "the common name of the weapon, or the game's own means of death"),
            flag("counts", "whether it is an enemy's death"),
        ],
        with_figures: false,
        from: Origin::Facts(kills),
    },
    Table {
        name: "moments",
        about: "moments worth watching",
        own: &[
            number("time", "start in ms since the recording's first frame"),
            number("time_to", "end in ms"),
            number("points", "rank"),
            text("name", "the player"),
            text("what", "what happens"),
            text("map", "the map"),
        ],
        with_figures: false,
        from: Origin::Facts(moments),
    },
    Table {
        name: "runs",
        about: "runs against the clock that were finished",
        own: &[
            text("course", "the kind of run"),
            text("map", "the map"),
            text("name", "the player"),
            number("run_time", "how long it took, in ms"),
            flag("stated", "whether the game states the time"),
            text("physics", "the physics"),
            text("grade", "the grade of the audit from start to end"),
            flag("sealed", "whether the game's seal on the time holds; empty without a seal"),
        ],
        with_figures: false,
        from: Origin::Summary(runs),
    },
];

fn some(value: Option<&str>) -> Value {
    value.map_or(Value::Null, |value| Value::Text(value.to_owned()))
}

fn whole(value: Option<i64>) -> Value {
    value.map_or(Value::Null, Value::Number)
}

/// The columns that every table begins with.
fn start(date: Option<&str>, hash: &str, family: &str) -> Vec<Value> {
    vec![some(date), some(hash.get(..32)), some(Some(family))]
}

fn of_facts(facts: &Facts, date: Option<&str>) -> Vec<Value> {
    start(date.or(facts.date.as_deref()), &facts.hash, &facts.family)
}

fn recordings(facts: &Facts, rows: &mut Rows) {
    let date = facts.matches.iter().find_map(|board| board.date.as_deref());
    let mut row = of_facts(facts, date);
    row.extend([
        some(Some(&facts.file)),
        some(Some(&facts.dialect)),
        some(Some(&facts.recording)),
        some(facts.game_mod.as_deref()),
        some(facts.server.as_deref()),
        some((!facts.maps.is_empty()).then(|| facts.maps.join(" ")).as_deref()),
        whole(facts.duration),
        whole(i64::try_from(facts.bytes).ok()),
        some(Some(&facts.grade)),
        whole(Some(facts.damage.len() as i64)),
        some(Some(&format!("m/{}/", facts.id()))),
    ]);
    rows.push(row);
}

fn matches(summary: &Summary, rows: &mut Rows) {
    for one in &summary.matches {
        let Row { number, map, mode, from, to, outcome, winner, sides, players, .. } = one;
        let side = |at: usize| sides.get(at);
        // of races, what is no time is no score
        let score = |at: usize| side(at).and_then(|(_, score)| *score).filter(|score| !one.is_race || MatchStats::is_run(*score));
        let mut row = start(one.date.as_deref(), &summary.hash, &summary.family);
        row.extend([
            whole(Some(i64::from(*number))),
            some(Some(map)),
            some(Some(mode)),
            whole(Some(*from)),
            whole(Some(*to)),
            some(Some(outcome)),
            some(winner.as_deref()),
            some(side(0).map(|(name, _)| name.as_str())),
            whole(score(0)),
            some(side(1).map(|(name, _)| name.as_str())),
            whole(score(1)),
            whole(Some(players.len() as i64)),
        ]);
        rows.push(row);
    }
}

fn scores(facts: &Facts, rows: &mut Rows) {
    for board in &facts.matches {
        for (place, line) in board.players.iter().enumerate() {
            let stated: Vec<&str> = Stat::ALL.iter().map(|stat| stat.name()).filter(|name| line.get(name).stated.is_some()).collect();
            let mut row = of_board(facts, board);
            row.extend([
                whole(Some(i64::from(board.number))),
                whole(Some(place as i64 + 1)),
                some(Some(&line.player.name.clean)),
                some(line.player.team.as_deref()),
                some((!stated.is_empty()).then(|| stated.join(" ")).as_deref()),
            ]);
            row.extend(Stat::ALL.iter().map(|stat| whole(line.get(stat.name()).value())));
            rows.push(row);
        }
    }
}

fn of_board(facts: &Facts, board: &Board) -> Vec<Value> {
    of_facts(facts, board.date.as_deref())
}

fn kills(facts: &Facts, rows: &mut Rows) {
    for tick in facts.ticks.iter().filter(|tick| tick.kind == "kill") {
        let board = facts.matches.iter().find(|board| (board.from..=board.to).contains(&tick.time));
        let mut row = of_facts(facts, board.and_then(|board| board.date.as_deref()));
        row.extend([
            whole(Some(tick.time)),
            some(tick.who.as_deref()),
            some(tick.team.as_deref()),
            some(tick.whom.as_deref()),
            some(Some(&tick.detail)),
            Value::Bool(tick.counts),
        ]);
        rows.push(row);
    }
}

fn moments(facts: &Facts, rows: &mut Rows) {
    for moment in &facts.moments {
        let board = facts.matches.iter().find(|board| Some(board.number) == moment.number);
        let mut row = of_facts(facts, board.and_then(|board| board.date.as_deref()));
        row.extend([
            whole(Some(moment.from)),
            whole(Some(moment.to)),
            whole(Some(i64::from(moment.points))),
            some(moment.player.as_deref()),
            some(Some(&moment.what)),
            some(Some(&moment.map)),
        ]);
        rows.push(row);
    }
}

fn runs(summary: &Summary, rows: &mut Rows) {
    for run in &summary.runs {
        let mut row = start(summary.date.as_deref(), &summary.hash, &summary.family);
        row.extend([
            some(Some(&run.course)),
            some(Some(&run.map)),
            some(run.player.as_deref()),
            whole(run.time),
            Value::Bool(run.stated),
            some(run.physics.as_deref()),
            some(run.grade.as_deref()),
            run.sealed.map_or(Value::Null, Value::Bool),
        ]);
        rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_that_are_declared() {
        let bytes = std::fs::read("../../samples/quake3/ctf_bots.dm_71").unwrap();
        let recording = fragreel::Recording::open(bytes.clone(), "ctf_bots.dm_71").unwrap();
        let facts = crate::facts::of(&recording, &bytes, "ctf_bots.dm_71");
        let summary = Summary::of(&facts);
        for table in TABLES {
            let mut rows = Rows::new();
            match table.from {
                Origin::Summary(make) => make(&summary, &mut rows),
                Origin::Facts(make) => make(&facts, &mut rows),
            }
            assert_eq!(rows.is_empty(), table.name == "runs", "{}", table.name);
            let columns = table.columns();
            for row in &rows {
                assert_eq!(row.len(), columns.len(), "{}", table.name);
                let is_of = |(value, column): (&Value, &Column)| match value {
                    Value::Null => true,
                    Value::Bool(_) => column.kind == Kind::Bool,
                    Value::Number(_) => column.kind == Kind::Number,
                    Value::Text(_) => column.kind == Kind::Text,
                };
                assert!(row.iter().zip(&columns).all(is_of), "{}: {row:?}", table.name);
            }
        }
    }
}
