//! Every value is within the range of its column, on the samples and on real recordings.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;
use std::sync::Mutex;

use fragreel::Recording;
use fragreel::model::common;
use fragreel_tables::declared::{damage, items, kills, matches, places, positions, scores, shots, weapon_stats};
use fragreel_tables::{Batch, Query, Source, TABLES, Value, read};

use crate::{recordings, shown};

/// A recording that begins during the game.
const LATE: &str = "it begins during the game, and the server states the team of a player when it changes";
/// OpenTDM, Action Quake II and the like.
const BOARD: &str = "the game names the teams of its players on the board alone, which comes behind the kills";

/// What is out of its range, and whose fault it is. The list only shrinks: an entry that is no longer needed fails the test.
#[rustfmt::skip]
const OUTSIDE: &[fragreel_testkit::Known] = &[
    ("de_inferno.dem", "kills: a team where the board has teams", LATE),
    ("New_Patriots_1.dem", "kills: a team where the board has teams", LATE),
    ("cs-rulit-de_alexandra.dem", "kills: a team where the board has teams", LATE),
    ("asylum.mvd2", "kills: a team where the board has teams", BOARD),
    ("myr.dm2", "kills: a team where the board has teams", BOARD),
];

/// Columns that neither the samples nor the corpus fill, and why.
#[rustfmt::skip]
const EMPTY: &[(&str, &str)] = &[
    ("recordings.level", "a recording is of no moment"),
    ("recordings.time", "a recording is of no moment"),
    ("recordings.server_time", "a recording is of no moment"),
    ("recordings.match_time", "a recording is of no moment"),
    ("recordings.message", "a recording is of no moment"),
    ("recordings.uncertain", "a recording is of no moment"),
    ("matches.match_time", "a match is a span of time"),
    ("matches.message", "a match is a span of time"),
    ("scores.match_time", "a match is a span of time"),
    ("scores.message", "a match is a span of time"),
    ("scores.carrier_kills", "no capture the flag of KTX and no Freeze Tag with a board is among these"),
    ("scores.thaws", "no capture the flag of KTX and no Freeze Tag with a board is among these"),
    ("item_stats.match_time", "a match is a span of time"),
    ("item_stats.message", "a match is a span of time"),
    ("pairs.match_time", "a match is a span of time"),
    ("pairs.message", "a match is a span of time"),
    ("weapon_stats.match_time", "a match is a span of time"),
    ("weapon_stats.message", "a match is a span of time"),
    ("runs.skill", "no recording of the corpus states it"),
    ("runs.remarks", "no run of the corpus has cheats or other settings"),
    ("commands.match_time", "no recording with user commands has a match clock, or those of several players"),
    ("commands.slot", "no recording with user commands has a match clock, or those of several players"),
    ("strings.level", "strings are those of the end"),
    ("strings.match_time", "strings are those of the end"),
    ("strings.uncertain", "strings are those of the end"),
    ("findings.level", "findings are of places in the file"),
    ("findings.server_time", "findings are of places in the file"),
    ("findings.match_time", "findings are of places in the file"),
    ("findings.uncertain", "findings are of places in the file"),
];

/// Columns that only large recordings fill, which are nightly.
const RARE: &[(&str, &str)] = &[
    ("kills", "unknown"),
    ("matches", "findings"),
    ("rounds", "number"),
    ("scores", "assists"),
    ("runs", "kills"),
    ("runs", "kills_total"),
    ("runs", "secrets"),
    ("runs", "secrets_total"),
];

fn int(value: Value<'_>) -> Option<i64> {
    if let Value::Int(value) = value { Some(value) } else { None }
}

fn word(value: Value<'_>) -> Option<&str> {
    if let Value::Text(text) = value { Some(text) } else { None }
}

/// What must be remembered of a recording to judge its rows.
#[derive(Default)]
struct Rows {
    /// Frames and slots of `positions`.
    seen: HashSet<(i64, i64)>,
    /// From, to, and the teams of the players, by the match's number.
    matches: BTreeMap<i64, (i64, i64, BTreeSet<String>)>,
    /// When somebody of no team died.
    teamless: Vec<i64>,
    /// Names of players, with the match and the longest of their times.
    times: Vec<(i64, String, i64)>,
}

impl Rows {
    /// Rules that hold between the columns of a row, or between rows.
    fn row(&mut self, table: &str, batch: &Batch, row: usize, fault: &mut dyn FnMut(&'static str, String)) {
        let get = |column: usize| batch.get(row, column);
        match table {
            "positions" => {
                let (frame, slot) = (int(get(positions::number)).unwrap_or_default(), int(get(positions::slot)).unwrap_or_default());
                if !self.seen.insert((frame, slot)) {
                    fault("positions: a slot twice", format!("slot {slot} in frame {frame}"));
                }
                if get(positions::alive) == Value::Bool(true)
                    && let Some(health) = int(get(positions::health)).filter(|health| *health <= 0)
                {
                    fault("positions: health of the living", format!("slot {slot} in frame {frame}: {health}"));
                }
            }
            "matches" => {
                let number = int(get(matches::number)).unwrap_or_default();
                let entry = self.matches.entry(number).or_default();
                (entry.0, entry.1) = (int(get(places::time)).unwrap_or_default(), int(get(matches::time_to)).unwrap_or_default());
            }
            "scores" => {
                let number = int(get(scores::match_number)).unwrap_or_default();
                if let Some(team) = word(get(scores::team)).filter(|team| *team != "free" && *team != "spectator") {
                    self.matches.entry(number).or_default().2.insert(team.to_owned());
                }
                let figure = |name: &str| TABLES[4].column(name).and_then(|column| int(get(column)));
                let longest = [figure("time_alive"), figure("time_on_team")].into_iter().flatten().max();
                self.times.extend(longest.map(|time| (number, shown(get(scores::name)), time)));
            }
            "kills" if get(kills::unknown) == Value::Null && (get(kills::victim_team) == Value::Null) => {
                self.teamless.extend(int(get(places::time)));
            }
            _ => {}
        }
        let named: &[(usize, Option<usize>)] = match table {
            "kills" => &[(kills::weapon, None), (kills::held, Some(kills::held_own))],
            "damage" => &[(damage::weapon, None)],
            "shots" => &[(shots::weapon, Some(shots::weapon_own))],
            "positions" => &[(positions::weapon, Some(positions::weapon_own))],
            "weapon_stats" => &[(weapon_stats::weapon, None)],
            "items" => &[(items::item, Some(items::item_own))],
            _ => &[],
        };
        for &(column, own) in named {
            let of = |name: &str| if table == "items" { common::name_of_item(name) } else { common::name_of_weapon(name) };
            let Some(name) = word(get(column)) else { continue };
            if of(name).is_some_and(|common| common != name) {
                fault("one name for a thing", format!("{table}: {name} is {:?}", of(name)));
            }
            if let Some(own) = own.and_then(|own| word(get(own)))
                && of(own).is_some_and(|common| common != name)
            {
                fault("one name for a thing", format!("{table}: {own} is {name} here, {:?} elsewhere", of(own)));
            }
        }
    }

    /// Rules over the whole recording.
    fn end(&self, fault: &mut dyn FnMut(&'static str, String)) {
        for (number, (from, to, teams)) in &self.matches {
            let teamless = self.teamless.iter().filter(|time| (from..=to).contains(time)).count();
            if teams.len() > 1 && teamless > 0 {
                fault("kills: a team where the board has teams", format!("match {number}: {teamless} kills, teams {teams:?}"));
            }
            for (_, name, time) in self.times.iter().filter(|time| time.0 == *number) {
                if *time > to - from {
                    fault("scores: no time beyond the match", format!("match {number}: {name}: {time} of {}", to - from));
                }
            }
        }
    }
}

#[test]
fn values_are_within_their_ranges() {
    let exceptions = fragreel_testkit::Exceptions::new(OUTSIDE);
    // Places, looks and hands are looked at once a second.
    let queries: Vec<Query> = TABLES.iter().map(|table| Query::new(table).hz(1.0)).collect();
    let filled: Mutex<BTreeSet<(&str, &str)>> = Mutex::default();
    let all = fragreel_testkit::small(recordings());
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let Ok(recording) = Recording::open(bytes.to_vec(), &sample.name) else { return };
        let (mut rows, mut known) = (Rows::default(), BTreeSet::new());
        let fault = |question: &str, what: String| exceptions.fault(&sample.name, question, &what);
        read(&Source::new(&recording, &*sample.name), &queries, &mut |query, batch| {
            let table = queries[query].table();
            for (place, column) in table.columns.iter().enumerate() {
                let mut fills = false;
                for row in 0..batch.rows {
                    let value = batch.get(row, place);
                    fills |= value != Value::Null;
                    let holds = match value {
                        Value::Null => column.null.is_some(),
                        Value::Bool(_) => true,
                        Value::Int(value) => column.range.has(value as f64),
                        Value::Real(value) => column.range.has(value.into()),
                        Value::Double(value) => column.range.has(value),
                        Value::Text(text) => column.range.has_word(text),
                    };
                    if !holds {
                        fault(&format!("{}.{}", table.name, column.name), shown(value));
                    }
                }
                if fills {
                    known.insert((table.name, column.name));
                }
            }
            (0..batch.rows).for_each(|row| rows.row(table.name, &batch, row, &mut |question, what| fault(question, what)));
            ControlFlow::Continue(())
        });
        rows.end(&mut |question, what| fault(question, what));
        exceptions.seen(&sample.name);
        filled.lock().unwrap().append(&mut known);
    });
    let filled = filled.into_inner().unwrap();
    if all.iter().any(|sample| sample.origin != "sample") {
        let columns = TABLES.iter().flat_map(|table| table.columns.iter().map(|column| (table.name, column.name)));
        let empty: Vec<_> = columns.filter(|column| !filled.contains(column)).collect();
        let listed: Vec<_> = EMPTY.iter().map(|(column, _)| column.split_once('.').unwrap()).collect();
        println!("empty: {empty:?}");
        let is_part = all.len() < recordings().len();
        let is_known = |column: &(&str, &str)| listed.contains(column) || is_part && RARE.contains(column);
        assert!(empty.iter().all(is_known), "columns that nothing fills: {empty:?}, listed are {listed:?}");
        assert!(listed.iter().all(|column| empty.contains(column)), "columns that are filled by now: listed are {listed:?}, empty {empty:?}");
    }
    exceptions.end();
}

#[test]
#[ignore = "nightly"]
fn all_recordings() {
    fragreel_testkit::on_all_recordings(&[values_are_within_their_ranges]);
}

/// Every span and every clock is in milliseconds.
#[test]
fn times_are_milliseconds() {
    for table in TABLES.iter() {
        for column in &table.columns {
            let is_time = ["time", "duration", "delay", "ping", "since"].iter().any(|word| column.name.split('_').any(|part| part == *word));
            assert!(!is_time || column.unit == "ms", "{}.{}", table.name, column.name);
            assert!(!["s", "min", "minutes", "seconds"].contains(&column.unit), "{}.{}", table.name, column.name);
        }
    }
}
