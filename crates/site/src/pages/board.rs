//! The board of a match: columns that somebody has a figure for, and notes where figures differ.

use std::collections::BTreeSet;

use super::items::class;
use crate::facts::{Board, Figure, Line};
use crate::slug::slug;
use crate::text;

/// Where a column has its figures from.
enum From {
    Stat(&'static str),
    /// Pick-ups of an item.
    Item(&'static str),
}

/// A column that boards may have: its group, its head, what it says, and where from.
const COLUMNS: [(&str, &str, &str, From, bool); 21] = [
    ("Frags", "Score", "score", From::Stat("score"), true),
    ("Frags", "Kills", "enemies killed", From::Stat("kills"), true),
    ("Frags", "Deaths", "deaths of all causes", From::Stat("deaths"), true),
    ("Frags", "Self", "deaths by the own hand or by the world", From::Stat("own_deaths"), false),
    ("Frags", "Team", "mates killed", From::Stat("team_kills"), false),
    ("Flag", "Captures", "flags brought home", From::Stat("captures"), false),
    ("Flag", "Returns", "flags brought back", From::Stat("flags_returned"), false),
    ("Flag", "Defends", "defenses of flag, base or carrier", From::Stat("defends"), false),
    ("Flag", "Assists", "assists", From::Stat("assists"), false),
    ("Damage", "Given", "damage done to enemies", From::Stat("damage_given"), false),
    ("Damage", "Taken", "damage that enemies did", From::Stat("damage_taken"), false),
    ("Damage", "Hits", "shots that hit, in per cent", From::Stat("accuracy"), false),
    ("Awards", "Impr.", "impressive", From::Stat("impressive"), false),
    ("Awards", "Exc.", "excellent", From::Stat("excellent"), false),
    ("Awards", "Hum.", "humiliation", From::Stat("humiliation"), false),
    ("Items", "RA", "red armor", From::Item("red_armor"), false),
    ("Items", "YA", "yellow armor", From::Item("yellow_armor"), false),
    ("Items", "GA", "green armor", From::Item("green_armor"), false),
    ("Items", "MH", "mega health", From::Item("mega_health"), false),
    ("Items", "Quad", "quad damage", From::Item("quad_damage"), false),
    ("Net", "Ping", "round-trip time in milliseconds", From::Stat("ping"), false),
];

/// A cell.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub text: String,
    pub class: &'static str,
    /// Whether it is nothing, or a zero.
    pub none: bool,
    /// The note that it refers to.
    pub note: Option<usize>,
}

/// A heading over several columns.
pub(crate) struct Group {
    pub name: &'static str,
    pub span: usize,
}

/// The head of a column.
pub(crate) struct Column {
    pub head: String,
    pub title: &'static str,
    pub class: &'static str,
}

/// A row.
pub(crate) struct BoardLine {
    pub name: String,
    pub href: Option<String>,
    pub class: &'static str,
    pub cells: Vec<Cell>,
}

/// A team with its players, or all players.
pub(crate) struct Body {
    pub total: Option<BoardLine>,
    pub lines: Vec<BoardLine>,
}

/// A board, ready to be shown.
pub(crate) struct Table {
    pub groups: Vec<Group>,
    pub columns: Vec<Column>,
    pub bodies: Vec<Body>,
    pub notes: Vec<String>,
}

fn figure(line: &Line, from: &From) -> Figure {
    match from {
        From::Stat(name) => line.get(name),
        From::Item(name) => line.items.get(*name).and_then(|figures| figures.get("pickups")).copied().unwrap_or_default(),
    }
}

/// A figure that a board shows in the column `name`, as text; also for the board as text.
pub(crate) fn shown(board: &Board, name: &str, figure: Figure) -> String {
    match figure.value() {
        None => String::from("–"),
        Some(value) if name == "score" && board.is_race && !fragreel::model::MatchStats::is_run(value) => String::from("–"),
        Some(value) if name == "score" && board.is_race => text::run_time(value),
        Some(value) => text::number(value),
    }
}

/// The board of a match.
pub(crate) fn table(board: &Board) -> Table {
    // a figure that nobody has, and an optional one that is zero everywhere, has no column
    let used: Vec<&(&str, &str, &str, From, bool)> = COLUMNS
        .iter()
        .filter(|(_, _, _, from, always)| {
            let mut values = board.players.iter().filter_map(|line| figure(line, from).value());
            if *always { values.next().is_some() } else { values.any(|value| value != 0) }
        })
        .collect();
    let mut groups: Vec<Group> = Vec::new();
    let mut columns = Vec::new();
    let mut counted = Vec::new();
    for (group, head, title, from, _) in &used {
        let is_first = groups.last().is_none_or(|last| last.name != *group);
        if is_first {
            groups.push(Group { name: group, span: 0 });
        }
        if let Some(last) = groups.last_mut() {
            last.span += 1;
        }
        let all_counted = board.players.iter().map(|line| figure(line, from)).all(|figure| figure.stated.is_none());
        counted.push(all_counted);
        columns.push(Column { head: format!("{}{head}", if all_counted { "~ " } else { "" }), title, class: if is_first { "n g" } else { "n" } });
    }
    let mut notes = Vec::new();
    let mut line = |line: &Line| {
        let name = text::name(&line.player.name.clean);
        let cells = used.iter().zip(&columns).zip(&counted).map(|(((_, _, title, from, _), column), all_counted)| {
            let figure = figure(line, from);
            let key = if let From::Stat(key) = from { key } else { "" };
            let tilde = if figure.stated.is_none() && figure.counted.is_some() && !all_counted { "~" } else { "" };
            let note = figure.differs().then(|| {
                let (stated, counted) = (figure.stated.unwrap_or_default(), figure.counted.unwrap_or_default());
                notes.push(format!("{name}, {title}: the game states {}, the recording shows {}.", text::number(stated), text::number(counted)));
                notes.len()
            });
            Cell { text: format!("{tilde}{}", shown(board, key, figure)), class: column.class, none: figure.value().is_none_or(|value| value == 0), note }
        });
        BoardLine { cells: cells.collect(), href: Some(format!("p/{}/index.html", slug(&line.player.name.clean))), class: "", name }
    };
    let mut bodies = Vec::new();
    if board.is_in_teams() {
        for side in &board.teams {
            let mates: Vec<&Line> = board.players.iter().filter(|line| line.player.team.as_deref() == Some(&side.name)).collect();
            let lines = mates.iter().map(|mate| line(mate)).collect();
            let cells = used.iter().zip(&columns).map(|((_, _, _, from, _), column)| {
                let stated = if let From::Stat(key) = from { side.stats.get(*key).and_then(|figure| figure.value()) } else { None };
                let sums = !matches!(from, From::Stat("accuracy" | "ping"));
                let sum = || mates.iter().map(|mate| figure(mate, from).value()).sum::<Option<i64>>().filter(|_| sums && !mates.is_empty());
                let value = stated.or_else(sum);
                Cell {
                    text: value.map_or_else(|| String::from("–"), text::number),
                    class: column.class,
                    none: value.is_none_or(|value| value == 0),
                    note: None,
                }
            });
            let name = text::name(&side.name);
            bodies.push(Body { total: Some(BoardLine { cells: cells.collect(), href: None, class: class(&name), name }), lines });
        }
    }
    let sides: BTreeSet<&str> = if board.is_in_teams() { board.teams.iter().map(|side| side.name.as_str()).collect() } else { BTreeSet::new() };
    let rest: Vec<&Line> = board.players.iter().filter(|line| line.player.team.as_deref().is_none_or(|team| !sides.contains(team))).collect();
    if !rest.is_empty() {
        bodies.push(Body { total: None, lines: rest.into_iter().map(line).collect() });
    }
    Table { groups, columns, bodies, notes }
}

/// Kills by weapon, with accuracy: the weapons that anybody used, and a line a player.
pub(crate) fn weapons(board: &Board) -> (Vec<String>, Vec<BoardLine>) {
    let value = |line: &Line, weapon: &str, key: &str| line.weapons.get(weapon).and_then(|figures| figures.get(key)).and_then(|figure| figure.value());
    let names: BTreeSet<&str> = board
        .players
        .iter()
        .flat_map(|line| {
            line.weapons.keys().filter(|weapon| ["kills", "shots", "hits"].iter().any(|key| value(line, weapon, key).is_some_and(|value| value > 0)))
        })
        .map(String::as_str)
        .collect();
    let lines = board.players.iter().map(|line| {
        let cells = names.iter().map(|weapon| {
            let kills = value(line, weapon, "kills");
            let stated = value(line, weapon, "accuracy");
            let percent = stated.or_else(|| {
                let shots = value(line, weapon, "shots").filter(|shots| *shots > 0)?;
                value(line, weapon, "hits").map(|hits| hits * 100 / shots)
            });
            let accuracy = percent.map(|percent| format!(" ({percent} %)")).unwrap_or_default();
            Cell {
                text: format!("{}{accuracy}", kills.map_or_else(|| String::from("–"), text::number)),
                class: "n",
                none: kills.is_none_or(|kills| kills == 0) && percent.is_none(),
                note: None,
            }
        });
        BoardLine { name: text::name(&line.player.name.clean), href: None, class: "", cells: cells.collect() }
    });
    let lines = if names.is_empty() { Vec::new() } else { lines.collect() };
    (names.into_iter().map(text::words).collect(), lines)
}

/// The most players whose pairs are drawn as a square.
const SQUARE: usize = 16;

/// Who killed whom: names with a line each, or the ten commonest pairs.
pub(crate) fn pairs(board: &Board) -> (Vec<String>, Vec<BoardLine>, Vec<String>) {
    let is_known = board.players.iter().any(|line| !line.against.is_empty());
    if !is_known || board.players.len() < 2 {
        return Default::default();
    }
    let name = |line: &Line| text::name(&line.player.name.clean);
    let kills = |one: &Line, other: &Line| {
        one.against
            .iter()
            .filter(|against| against.player.name == other.player.name && against.player.slot == other.player.slot)
            .map(|against| against.kills)
            .sum::<i64>()
    };
    if board.players.len() <= SQUARE {
        let lines = board.players.iter().enumerate().map(|(row, one)| {
            let cells = board.players.iter().enumerate().map(|(column, other)| {
                let kills = kills(one, other);
                let class = if row == column { "n self" } else { "n" };
                Cell { text: if kills == 0 { String::from("·") } else { text::number(kills) }, class, none: kills == 0, note: None }
            });
            BoardLine { name: name(one), href: None, class: "", cells: cells.collect() }
        });
        return (board.players.iter().map(name).collect(), lines.collect(), Vec::new());
    }
    let mut often: Vec<(i64, String)> = board
        .players
        .iter()
        .flat_map(|line| {
            line.against
                .iter()
                .map(move |against| (against.kills, format!("{} killed {} {} times", name(line), text::name(&against.player.name.clean), against.kills)))
        })
        .collect();
    often.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    (Vec::new(), Vec::new(), often.into_iter().take(10).map(|(_, pair)| pair).collect())
}
