//! The page of a recording, with its matches.

use askama::Template;
use fragreel::model::Contradiction;

use super::board::{self, BoardLine, Body, Column, Group};
use super::items::{self, Highlight, RunItem, class};
use super::timeline::{Timeline, timeline};
use super::{Frame, Link, Shell};
use crate::archive::{Archive, Place};
use crate::facts::{Board, Facts, Tick};
use crate::markdown::markdown;
use crate::slug::slug;
use crate::summary::{self, Summary};
use crate::text;

/// A date for people and for machines.
struct Date {
    machine: String,
    shown: String,
}

/// The result at the head.
pub(super) struct Result {
    pub(super) a: String,
    pub(super) a_class: &'static str,
    pub(super) a_href: Option<String>,
    pub(super) b: String,
    pub(super) b_class: &'static str,
    pub(super) b_href: Option<String>,
    pub(super) first: String,
    pub(super) second: Option<String>,
}

/// A recording to load or to take away.
#[derive(Clone)]
pub(crate) struct File {
    pub href: String,
    pub name: String,
    pub size: String,
    /// What the copy lacks.
    pub lacks: String,
}

/// A picture of the map.
pub(crate) struct PlanLink {
    pub href: String,
    pub width: u32,
    pub height: u32,
}

struct Pair {
    name: &'static str,
    value: String,
    href: Option<String>,
}

pub(super) struct Line {
    pub(super) at: String,
    pub(super) time: String,
    pub(super) said: String,
}

/// A match of the recording.
pub(super) struct Part {
    /// The sections of the page that come after the board.
    pub(super) sections: Vec<Link>,
    pub(super) number: u32,
    /// What ids end with, so that each is there once.
    pub(super) suffix: String,
    pub(super) title: String,
    pub(super) when: String,
    pub(super) groups: Vec<Group>,
    pub(super) columns: Vec<Column>,
    pub(super) bodies: Vec<Body>,
    pub(super) notes: Vec<String>,
    pub(super) findings: Vec<String>,
    pub(super) timeline: Option<Timeline>,
    pub(super) weapons: Vec<String>,
    pub(super) weapon_lines: Vec<BoardLine>,
    pub(super) pair_names: Vec<String>,
    pub(super) pairs: Vec<BoardLine>,
    pub(super) often: Vec<String>,
    pub(super) segments: Vec<Line>,
}

#[derive(Template)]
#[template(path = "match.html")]
struct Page<'a> {
    frame: Frame<'a>,
    events: Vec<Link>,
    facts: Vec<String>,
    maps: Vec<Link>,
    date: Option<Date>,
    result: Option<Result>,
    heading: String,
    watch: Option<File>,
    start: String,
    plan: Option<PlanLink>,
    summary: Vec<Pair>,
    parts: Vec<Part>,
    moments: Vec<Highlight>,
    runs: Vec<RunItem>,
    chat: Vec<Line>,
    markdown: String,
    json: String,
    has_markdown: bool,
    views: Vec<Link>,
    file: Option<File>,
    file_name: String,
    bytes: String,
    format: String,
    condition: String,
    hash: String,
    damage: Vec<String>,
}

/// What surrounds a recording on a site.
pub(crate) struct Surroundings {
    /// The events that it belongs to.
    pub events: Vec<Link>,
    /// Its file on the site, where it has one.
    pub file: Option<File>,
    /// The picture of its map.
    pub plan: Option<PlanLink>,
    /// The clips of its moments, in the order of the summary, from the root.
    pub clips: Vec<Option<String>>,
    /// Its figures as JSON, from the root.
    pub json: String,
    /// The address of its card, where it has one.
    pub card: Option<String>,
    /// Whether the board is there as text.
    pub has_markdown: bool,
}

/// The page of the recording at `at` in the archive.
pub(crate) fn recording(shell: &Shell<'_>, archive: &Archive, at: usize, facts: &Facts, around: Surroundings) -> askama::Result<String> {
    let summary = &archive.recordings[at];
    let path = format!("m/{}/index.html", facts.id());
    let main = main_match(facts);
    let row = main.and_then(|board| summary.matches.iter().find(|row| row.number == board.number));
    let result = row.map(result);
    let map = main.map(|board| board.map.as_str()).or(facts.maps.first().map(String::as_str)).unwrap_or("unknown map");
    let heading = facts.runs.first().map_or_else(
        || text::name(&facts.file),
        |run| format!("{} on {}", run.player.as_deref().map_or_else(|| String::from("A run"), text::name), text::name(&run.map)),
    );
    let title = result.as_ref().map_or_else(|| heading.clone(), |result| format!("{}, {}", spoken(result), text::name(map)));
    let date = main.and_then(|board| board.date.as_deref()).or(facts.date.as_deref());
    let about = [Some(title.clone()), main.map(summary::mode), date.and_then(summary::day).map(str::to_owned)];
    let about = format!("{}. Board, timeline, moments, recording.", about.into_iter().flatten().collect::<Vec<_>>().join(", "));
    let mut frame = shell.frame(&path, title, about);
    frame.card = around.card;
    let address = frame.address.clone();
    let suffix = |board: &Board| if facts.matches.len() < 2 { String::new() } else { format!("-{}", board.number) };
    let parts = facts.matches.iter().filter(|board| !board.players.is_empty()).map(|board| part(board, &facts.ticks, suffix(board)));
    let shown_maps = if facts.maps.is_empty() { vec![map.to_owned()] } else { facts.maps.clone() };
    let mut fact_words: Vec<String> = main.map(|board| text::line(&summary::mode(board), 60)).into_iter().collect();
    fact_words.extend(main.map(Board::length).or(facts.duration).map(|length| format!("{} min", text::minutes(length))));
    let chat = facts.ticks.iter().filter(|tick| tick.group == "chat").take(2000);
    let moments = summary.moments.iter().zip(around.clips.into_iter().chain(std::iter::repeat(None)));
    let moments = moments.map(|(moment, clip)| Highlight { href: items::moment_query(moment), clip, ..items::highlight(summary, moment) });
    let page = Page {
        events: around.events,
        facts: fact_words,
        maps: shown_maps.iter().take(12).map(|map| Link::new(format!("map/{}/index.html", slug(map)), text::name(map))).collect(),
        date: date.and_then(|date| summary::day(date).map(|day| (date, day))).map(|(date, day)| Date {
            machine: day.to_owned(),
            shown: match date.get(11..16) {
                Some(time) if date.ends_with('Z') => format!("{day}, {time} UTC"),
                Some(time) => format!("{day}, {time}"),
                None => day.to_owned(),
            },
        }),
        result,
        heading,
        watch: around.file.as_ref().filter(|_| shell.viewer.is_some()).map(|file| File { href: format!("{}{}", frame.root, file.href), ..file.clone() }),
        start: text::seconds(main.map_or(0, |board| board.from)),
        plan: around.plan,
        summary: how_it_went(facts, main),
        parts: with_sections(parts.collect(), facts, !summary.moments.is_empty()),
        moments: moments.collect(),
        json: around.json,
        has_markdown: around.has_markdown,
        runs: facts.runs.iter().map(|run| items::run(summary, run)).collect(),
        chat: chat.map(|tick| Line { at: text::seconds(tick.time), time: text::minutes(tick.time), said: text::line(&tick.said(), 300) }).collect(),
        markdown: main.map(|board| markdown(board, date.and_then(summary::day), address.as_deref())).unwrap_or_default(),
        views: views(archive, at),
        file_name: text::name(&facts.file),
        bytes: text::size(facts.bytes),
        format: format!("{} {}, {}", facts.family, facts.dialect, facts.recording),
        condition: condition(facts),
        hash: facts.hash.clone(),
        damage: facts.damage.iter().map(|damage| text::line(damage, 200)).collect(),
        file: around.file,
        frame,
    };
    page.render()
}

/// The match that the head of the page is about: the first that came to an end, otherwise the longest.
pub(crate) fn main_match(facts: &Facts) -> Option<&Board> {
    let played = || facts.matches.iter().filter(|board| !board.players.is_empty());
    let is_final = |board: &&Board| !matches!(board.outcome.as_str(), "unfinished" | "aborted");
    played().find(is_final).or_else(|| played().max_by_key(|board| board.length()))
}

pub(super) fn result(row: &summary::Row) -> Result {
    let (a, first, b, second) = items::sides(row);
    let href =
        |name: &str| (!row.in_teams && row.players.iter().any(|player| text::name(&player.name) == name)).then(|| format!("p/{}/index.html", slug(name)));
    Result {
        a_class: if row.in_teams { class(&a) } else { "" },
        b_class: if row.in_teams { class(&b) } else { "" },
        a_href: href(&a),
        b_href: second.as_ref().and_then(|_| href(&b)),
        a,
        b,
        first,
        second,
    }
}

fn spoken(result: &Result) -> String {
    match &result.second {
        Some(second) => format!("{} {} : {second} {}", result.a, result.first, result.b),
        None => format!("{} {}, {}", result.a, result.first, result.b),
    }
}

/// A line for each fact of the match that people ask for first.
fn how_it_went(facts: &Facts, main: Option<&Board>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut add = |name, value: String| pairs.push(Pair { name, value, href: None });
    if let Some(board) = main {
        add("Result", outcome(board));
        for (name, key) in [("Most points", "score"), ("Most kills", "kills"), ("Most damage", "damage_given")] {
            let best = board.players.iter().filter_map(|line| line.get(key).value().map(|value| (value, line))).max_by_key(|(value, _)| *value);
            if let Some((value, line)) = best.filter(|(value, _)| *value > 0 && !(key == "score" && board.is_race)) {
                let tilde = if line.get(key).stated.is_none() { "~" } else { "" };
                add(name, format!("{tilde}{} by {}", text::number(value), text::name(&line.player.name.clean)));
            }
        }
        let captures = facts
            .ticks
            .iter()
            .filter(|tick| tick.group == "flags" && tick.detail.starts_with("captured") && (board.from..=board.to).contains(&tick.time))
            .count();
        if captures > 0 {
            add("Flags", format!("~{captures} captured"));
        }
        add("Recorded", if board.has_start { String::from("from its start") } else { String::from("without its start") });
    }
    add(
        "View",
        facts.recorder.as_deref().filter(|_| facts.recording == "client").map_or_else(|| facts.recording.clone(), |name| format!("of {}", text::name(name))),
    );
    if let Some(server) = &facts.server {
        add("Played on", text::name(server));
    }
    pairs.push(Pair { name: "File", value: format!("{}, {}", text::name(&facts.file), text::size(facts.bytes)), href: Some(String::from("#files")) });
    pairs
}

fn outcome(board: &Board) -> String {
    let winner = board.winner.as_deref().map(text::name);
    let cause = board.cause.as_deref().map(|cause| format!(" ({})", text::words(cause))).unwrap_or_default();
    match (board.outcome.as_str(), winner) {
        ("won", Some(winner)) => format!("won by {winner}{cause}"),
        ("forfeited", winner) => {
            let by = board.forfeited_by.as_deref().map(|by| format!(" by {}", text::name(by))).unwrap_or_default();
            winner.map_or_else(|| format!("forfeited{by}"), |winner| format!("forfeited{by}, won by {winner}"))
        }
        ("draw", _) => format!("a draw{cause}"),
        ("unfinished", _) => String::from("its end is not in the recording"),
        (other, _) => format!("{other}{cause}"),
    }
}

fn condition(facts: &Facts) -> String {
    let damage = match facts.damage.len() {
        0 => String::from("no damage found"),
        1 => String::from("damaged in one place"),
        many => format!("damaged in {many} places"),
    };
    format!("{damage}, audit: {}", facts.grade)
}

/// The first match with links to the sections that come after it.
fn with_sections(mut parts: Vec<Part>, facts: &Facts, has_moments: bool) -> Vec<Part> {
    let has_chat = facts.ticks.iter().any(|tick| tick.group == "chat");
    if let Some(part) = parts.first_mut() {
        let sections = [
            (part.timeline.is_some(), format!("time{}", part.suffix), "Timeline"),
            (!part.weapons.is_empty(), format!("weapons{}", part.suffix), "Weapons"),
            (!part.pairs.is_empty() || !part.often.is_empty(), format!("more{}", part.suffix), "Pairs"),
            (has_moments, String::from("moments"), "Moments"),
            (has_chat, String::from("chat"), "Chat"),
            (true, String::from("files"), "Files"),
        ];
        part.sections = sections.into_iter().filter(|(is_there, ..)| *is_there).map(|(_, id, name)| Link::new(format!("#{id}"), name)).collect();
    }
    parts
}

/// The match without its timeline and its rounds, which lead to the viewer. Nobody has a page of their own.
pub(super) fn part_alone(board: &Board, place: usize) -> Part {
    let suffix = if place == 0 { String::new() } else { format!("-{place}") };
    let mut part = Part { segments: Vec::new(), ..part(board, &[], suffix) };
    part.bodies.iter_mut().flat_map(|body| &mut body.lines).for_each(|line| line.href = None);
    part
}

fn part(board: &Board, ticks: &[Tick], suffix: String) -> Part {
    let table = board::table(board);
    let (weapons, weapon_lines) = board::weapons(board);
    let (pair_names, pairs, often) = board::pairs(board);
    let finding = |finding: &crate::facts::Finding| {
        let about = finding.about.as_deref().map(text::name);
        Contradiction::sentence_of(about.as_deref(), &finding.figures, finding.reason.as_deref())
    };
    let segments = board.segments.iter().filter_map(|segment| {
        let at = segment.from.or(segment.to)?;
        let winner = segment.winner.as_deref().map_or_else(|| String::from("without a winner"), |winner| format!("won by {}", text::name(winner)));
        Some(Line {
            at: text::seconds(at),
            time: text::minutes(at - board.from),
            said: segment.number.map_or_else(|| winner.clone(), |number| format!("round {number} {winner}")),
        })
    });
    Part {
        sections: Vec::new(),
        number: board.number,
        suffix,
        title: format!("{}, {}", text::name(&board.map), outcome(board)),
        when: format!("{} to {}", text::minutes(board.from), text::minutes(board.to)),
        groups: table.groups,
        columns: table.columns,
        bodies: table.bodies,
        notes: table.notes,
        findings: board.findings.iter().map(finding).collect(),
        timeline: timeline(board, ticks),
        weapons,
        weapon_lines,
        pair_names,
        pairs,
        often,
        segments: segments.collect(),
    }
}

/// Other recordings of the matches of this one.
fn views(archive: &Archive, at: usize) -> Vec<Link> {
    let mut others: Vec<Place> =
        (0..archive.recordings[at].matches.len()).flat_map(|number| archive.views(at, number)).filter(|place| place.recording != at).copied().collect();
    others.sort_by_key(|place| (place.recording, place.at));
    others.dedup_by_key(|place| place.recording);
    let link = |place: &Place| {
        let Summary { file, family, shows_all, .. } = archive.recording(*place);
        let sort = if *shows_all { "all players" } else { "one player’s view" };
        Link::new(items::address(archive, *place), format!("{}, {family}, {sort}", text::name(file)))
    };
    others.iter().map(link).collect()
}
