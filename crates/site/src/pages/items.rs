//! Rows of lists: matches, moments, runs.

use super::Link;
use crate::archive::{Archive, Place};
use crate::facts::{Moment, Run};
use crate::slug::slug;
use crate::summary::{Row, Summary};
use crate::text;

/// A match in a list.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub day: Option<String>,
    pub a: String,
    pub a_class: &'static str,
    pub b: String,
    pub b_class: &'static str,
    /// The score of the first side.
    pub first: String,
    /// That of the second, where there are two sides.
    pub second: Option<String>,
    pub href: String,
    pub watch: String,
    pub map: String,
    pub map_href: String,
    pub mode: String,
}

/// A moment in a list.
#[derive(Debug, Clone)]
pub(crate) struct Highlight {
    pub player: Option<String>,
    pub what: String,
    pub where_: String,
    pub day: Option<String>,
    pub of: Option<Link>,
    pub href: String,
    /// The clip that shows it, from the root.
    pub clip: Option<String>,
}

/// A run in a list.
#[derive(Debug, Clone)]
pub(crate) struct RunItem {
    pub time: String,
    pub player: Option<Link>,
    pub map: Link,
    pub kind: String,
    pub day: String,
    pub proof: String,
    pub href: String,
}

/// The class of a side: its color, where its name is one.
pub(crate) fn class(name: &str) -> &'static str {
    match name.to_lowercase().as_str() {
        "red" => "red",
        "blue" => "blue",
        "yellow" => "yellow",
        "green" => "green",
        _ => "",
    }
}

/// A score as lists show it.
pub(crate) fn score(row: &Row, score: Option<i64>) -> String {
    match score {
        None => String::from("–"),
        Some(score) if row.is_race && !fragreel::model::MatchStats::is_run(score) => String::from("–"),
        Some(score) if row.is_race => text::run_time(score),
        Some(score) => score.to_string(),
    }
}

/// Both sides of a result: names, and scores; without a second side, who stands first of how many.
pub(crate) fn sides(row: &Row) -> (String, String, String, Option<String>) {
    let side = |at: usize| row.sides.get(at).map(|(name, value)| (text::name(name), score(row, *value)));
    let (a, first) = side(0).unwrap_or_else(|| (String::from("nobody"), String::from("–")));
    let is_two = row.sides.len() == 2;
    match side(1).filter(|_| is_two) {
        Some((b, second)) => (a, first, b, Some(second)),
        None if row.players.len() < 2 => (a, first, String::from("alone"), None),
        None => (a, first, format!("first of {}", if row.in_teams { row.sides.len() } else { row.players.len() }), None),
    }
}

/// The address of a match, from the root.
pub(crate) fn address(archive: &Archive, place: Place) -> String {
    let (recording, row) = (archive.recording(place), archive.row(place));
    let fragment = if recording.matches.len() > 1 { format!("#match-{}", row.number) } else { String::new() };
    format!("m/{}/index.html{fragment}", recording.id())
}

/// A match in a list.
pub(crate) fn item(archive: &Archive, place: Place) -> Item {
    let (recording, row) = (archive.recording(place), archive.row(place));
    let (a, first, b, second) = sides(row);
    Item {
        day: row.day().map(str::to_owned),
        a_class: if row.in_teams { class(&a) } else { "" },
        b_class: if row.in_teams { class(&b) } else { "" },
        a,
        b,
        first,
        second,
        href: address(archive, place),
        watch: format!("m/{}/index.html?t={}#watch", recording.id(), text::seconds(row.from)),
        map: text::name(&row.map),
        map_href: format!("map/{}/index.html", slug(&row.map)),
        mode: text::line(&row.mode, 40),
    }
}

/// A moment in a list of moments of many recordings.
pub(crate) fn highlight(recording: &Summary, moment: &Moment) -> Highlight {
    let row = recording.matches.iter().find(|row| Some(row.number) == moment.number);
    let of = row.map(|row| {
        let (a, first, b, second) = sides(row);
        let result = second.map_or_else(|| format!("{a} {first}, {b}"), |second| format!("{a} {first} : {second} {b}"));
        Link::new(format!("m/{}/index.html", recording.id()), result)
    });
    Highlight {
        player: moment.player.as_deref().map(text::name),
        what: moment.what.clone(),
        where_: text::name(&moment.map),
        day: recording.day().map(str::to_owned),
        of,
        href: format!("m/{}/index.html{}", recording.id(), moment_query(moment)),
        clip: None,
    }
}

/// The part of an address that opens the viewer at a moment.
pub(crate) fn moment_query(moment: &Moment) -> String {
    format!("?t={}{}#watch", text::seconds(moment.from), pov(moment.player.as_deref()))
}

/// The part of an address that names a player.
pub(crate) fn pov(player: Option<&str>) -> String {
    let Some(player) = player else { return String::new() };
    let mut query = String::from("&pov=");
    for byte in player.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            query.push(char::from(byte));
        } else {
            query += &format!("%{byte:02X}");
        }
    }
    query
}

/// A run in a list.
pub(crate) fn run(recording: &Summary, run: &Run) -> RunItem {
    let kind = [run.physics.as_deref(), run.mode.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let mut proof: Vec<String> = Vec::new();
    match run.sealed {
        Some(true) => proof.push(String::from("sealed")),
        Some(false) => proof.push(String::from("broken seal")),
        None => {}
    }
    if !run.stated {
        proof.push(String::from("time counted"));
    }
    proof.extend(run.grade.as_ref().filter(|grade| *grade != "normal").map(|grade| format!("audit: {grade}")));
    proof.extend(run.remarks.iter().cloned());
    RunItem {
        time: run.time.map_or_else(|| String::from("–"), |time| format!("{}{}", if run.stated { "" } else { "~" }, text::run_time(time))),
        player: run.player.as_deref().map(|name| Link::new(format!("p/{}/index.html", slug(name)), text::name(name))),
        map: Link::new(format!("map/{}/index.html", slug(&run.map)), text::name(&run.map)),
        kind: if kind.is_empty() { run.course.clone() } else { kind },
        day: recording.day().unwrap_or("unknown").to_owned(),
        proof: proof.join(", "),
        href: format!("m/{}/index.html?t={}{}#watch", recording.id(), text::seconds(run.from.unwrap_or(0)), pov(run.player.as_deref())),
    }
}
