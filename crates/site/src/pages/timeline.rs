//! What happened in a match, drawn over its time.

use super::items::{class, pov};
use crate::facts::{Board, Tick};
use crate::text;

/// Where the time begins and ends on the picture, in its own units.
const LEFT: f64 = 88.0;
const RIGHT: f64 = 1114.0;
/// The first lane, and the distance between lanes.
const TOP: f64 = 28.0;
const LANE: f64 = 30.0;
/// The most lanes of players without teams.
const LANES: usize = 8;
/// From this number of marks on, marks have no words of their own: the list has them.
const TITLED: usize = 250;
/// The list has at most this number of lines.
const LISTED: usize = 3000;
/// A link opens the match this much before.
const BEFORE: i64 = 3000;

/// A label of the axis.
pub(crate) struct Label {
    pub x: String,
    pub anchor: &'static str,
    pub text: String,
}

/// A side or a player.
pub(crate) struct Lane {
    pub name: String,
    pub y: String,
    pub class: &'static str,
    pub marks: Vec<Mark>,
}

/// Something that happened.
pub(crate) struct Mark {
    pub at: String,
    pub pov: String,
    pub title: String,
    pub class: &'static str,
    pub path: String,
}

/// The same in the list.
pub(crate) struct Row {
    pub at: String,
    pub pov: String,
    pub time: String,
    pub said: String,
    pub class: &'static str,
}

/// A mark and its meaning.
pub(crate) struct Sign {
    pub name: &'static str,
    pub class: &'static str,
    pub path: &'static str,
}

/// A timeline.
pub(crate) struct Timeline {
    /// What the marks mean that are there.
    pub key: Vec<Sign>,
    pub height: u32,
    pub title: String,
    pub grid: String,
    pub labels: Vec<Label>,
    pub lanes: Vec<Lane>,
    pub count: String,
    pub rows: Vec<Row>,
}

/// The timeline of a match, if anything happened in it.
pub(crate) fn timeline(board: &Board, ticks: &[Tick]) -> Option<Timeline> {
    let shown = |tick: &&Tick| (board.from..=board.to).contains(&tick.time) && ["kills", "flags", "items"].contains(&tick.group.as_str());
    let ticks: Vec<&Tick> = ticks.iter().filter(shown).collect();
    let length = board.length();
    if ticks.is_empty() || length <= 0 {
        return None;
    }
    let x = |time: i64| LEFT + (time - board.from) as f64 / length as f64 * (RIGHT - LEFT);
    let in_teams = board.is_in_teams();
    let names: Vec<String> = board.sides().into_iter().map(|(name, _)| name.to_owned()).take(LANES).collect();
    let titled = ticks.len() <= TITLED;
    let mut lanes = Vec::new();
    for (number, side) in names.iter().enumerate() {
        let top = TOP + number as f64 * LANE;
        let is_own = |tick: &&&Tick| if in_teams { tick.team.as_deref() == Some(side) } else { tick.who.as_deref() == Some(side) };
        let marks = ticks.iter().filter(is_own).map(|tick| {
            let at = x(tick.time);
            let (class, path) = match tick.group.as_str() {
                "kills" if tick.counts => ("st", format!("M{at:.1} {top:.0}v22")),
                "kills" => ("st", format!("M{at:.1} {:.0}v7", top + 8.0)),
                "flags" => ("fi", format!("M{at:.1} {top:.0}h9l-3 4 3 4h-9z")),
                _ => ("fi", format!("M{:.1} {:.0}h4v4h-4z", at - 2.0, top + 18.0)),
            };
            let title = if titled { format!("{} {}", text::minutes(tick.time - board.from), text::line(&tick.said(), 120)) } else { String::new() };
            Mark { at: text::seconds(tick.time - BEFORE), pov: pov(tick.who.as_deref()), title, class, path }
        });
        lanes.push(Lane {
            name: text::line(side, 12),
            y: format!("{:.0}", top + 16.0),
            class: if in_teams { class(side) } else { "" },
            marks: marks.collect(),
        });
    }
    let height = TOP + lanes.len() as f64 * LANE + 6.0;
    let step = step(length);
    let mut labels = Vec::new();
    let mut grid = String::new();
    for number in 0..=length / step {
        let at = LEFT + (number * step) as f64 / length as f64 * (RIGHT - LEFT);
        grid += &format!("M{at:.1} 20V{height:.0}");
        let anchor = if number == 0 {
            "start"
        } else if at > RIGHT - 20.0 {
            "end"
        } else {
            "middle"
        };
        labels.push(Label { x: format!("{at:.1}"), anchor, text: text::minutes(number * step) });
    }
    let kills = ticks.iter().filter(|tick| tick.group == "kills").count();
    let row = |tick: &&Tick| Row {
        at: text::seconds(tick.time - BEFORE),
        pov: pov(tick.who.as_deref()),
        time: text::minutes(tick.time - board.from),
        said: text::line(&tick.said(), 200),
        class: if in_teams { class(tick.team.as_deref().unwrap_or_default()) } else { "" },
    };
    let mut key = Vec::new();
    let mut sign = |is_there: bool, name, class, path| {
        if is_there {
            key.push(Sign { name, class, path });
        }
    };
    let is_any = |group: &str, counts: bool| ticks.iter().any(|tick| tick.group == group && (group != "kills" || tick.counts == counts));
    sign(is_any("kills", true), "a kill", "st", "M7 1v22");
    sign(is_any("kills", false), "a death not caused by an enemy", "st", "M7 9v7");
    sign(is_any("flags", true), "a flag", "fi", "M2 8h9l-3 4 3 4h-9z");
    sign(is_any("items", true), "a major item", "fi", "M5 10h4v4h-4z");
    Some(Timeline {
        key,
        height: height as u32,
        title: format!("{kills} deaths, with flags and major items, over {}", text::minutes(length)),
        grid,
        labels,
        lanes,
        count: format!("All {} events", ticks.len()),
        rows: ticks.iter().take(LISTED).map(row).collect(),
    })
}

/// How far the lines of the axis are from each other: at most twelve of them.
fn step(length: i64) -> i64 {
    let steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map(|seconds| seconds * 1000);
    steps.into_iter().find(|step| length / step <= 12).unwrap_or(length / 12 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_at_most_thirteen_lines() {
        for length in [1, 999, 50_050, 600_000, 1_200_000, 7_000_000, i64::from(i32::MAX), 1 << 40] {
            assert!((0..=12).contains(&(length / step(length))), "{length}");
        }
    }
}
