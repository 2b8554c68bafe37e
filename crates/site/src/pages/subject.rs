//! The pages of a player and of a map.

use std::collections::BTreeMap;

use askama::Template;

use super::items::{self, Highlight, Item, RunItem};
use super::lists::span;
use super::recording::PlanLink;
use super::{Frame, Link, Shell};
use crate::archive::CHUNK;
use crate::archive::{Archive, Place, Subject};
use crate::slug::slug;
use crate::text;

/// Whether the page is of a player or of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A player.
    Player,
    /// A map.
    Map,
}

impl Sort {
    /// The folder of such pages.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Sort::Player => "p",
            Sort::Map => "map",
        }
    }
}

struct Figure {
    name: &'static str,
    value: String,
}

struct Bar {
    x: usize,
    y: usize,
    width: usize,
    title: String,
}

struct Table {
    id: &'static str,
    heading: &'static str,
    first: &'static str,
    rows: Vec<TableRow>,
}

struct TableRow {
    href: String,
    name: String,
    matches: u32,
    won: u32,
    lost: u32,
}

#[derive(Template)]
#[template(path = "subject.html")]
struct Page<'a> {
    frame: Frame<'a>,
    sort: &'static str,
    facts: Vec<String>,
    heading: String,
    also: Vec<String>,
    plan: Option<PlanLink>,
    figures: Vec<Figure>,
    years: Vec<Bar>,
    first_year: String,
    last_year: String,
    tables: Vec<Table>,
    moments: Vec<Highlight>,
    wide: bool,
    runs: Vec<RunItem>,
    items: Vec<Item>,
    older: Vec<Link>,
}

/// Rows of the tables of opponents and maps.
const ROWS: usize = 10;
const MOMENTS: usize = 6;

/// Matches, matches won and matches lost.
#[derive(Default)]
struct Count(u32, u32, u32);

impl Count {
    fn add(&mut self, won: Option<bool>) {
        self.0 += 1;
        self.1 += u32::from(won == Some(true));
        self.2 += u32::from(won == Some(false));
    }
}

/// The page of older matches of a player or a map: 500 a page, counted from the oldest, so that a new match changes the newest page alone.
pub(crate) fn older(shell: &Shell<'_>, archive: &Archive, sort: Sort, id: &str, subject: &Subject, number: usize) -> askama::Result<String> {
    let chunk = subject.matches.chunks(CHUNK).nth(number - 1).unwrap_or_default();
    let path = format!("{}/{id}/older-{number}.html", sort.folder());
    let heading = text::name(&subject.name);
    let frame = shell.frame(&path, format!("{heading}, older matches"), format!("Older matches of {heading}."));
    let first = (number - 1) * CHUNK;
    Page {
        facts: vec![format!("matches {} to {}", first + 1, first + chunk.len())],
        items: rows_of(archive, chunk),
        older: vec![Link::new("index.html", "newest")],
        ..empty(frame, sort, heading)
    }
    .render()
}

/// The pages of older matches that a player or a map has.
pub(crate) fn older_pages(subject: &Subject) -> usize {
    subject.matches.len().saturating_sub(1) / CHUNK
}

fn rows_of(archive: &Archive, chunk: &[usize]) -> Vec<Item> {
    chunk.iter().rev().map(|number| items::item(archive, archive.matches[*number])).collect()
}

fn empty<'a>(frame: Frame<'a>, sort: Sort, heading: String) -> Page<'a> {
    Page {
        frame,
        sort: if sort == Sort::Player { "Player" } else { "Map" },
        facts: Vec::new(),
        heading,
        also: Vec::new(),
        plan: None,
        figures: Vec::new(),
        years: Vec::new(),
        first_year: String::new(),
        last_year: String::new(),
        tables: Vec::new(),
        moments: Vec::new(),
        wide: true,
        runs: Vec::new(),
        items: Vec::new(),
        older: Vec::new(),
    }
}

/// The page of a player or a map, with the newest matches.
pub(crate) fn subject(shell: &Shell<'_>, archive: &Archive, sort: Sort, id: &str, subject: &Subject, plan: Option<PlanLink>) -> askama::Result<String> {
    let path = format!("{}/{id}/index.html", sort.folder());
    let heading = text::name(&subject.name);
    let places: Vec<Place> = subject.matches.iter().map(|number| archive.matches[*number]).collect();
    let mut frame = shell.frame(&path, heading.clone(), format!("{heading}: {} matches.", places.len()));
    frame.feed = Some("feed.atom");
    let (figures, tables) = match sort {
        Sort::Player => of_player(archive, id, &places),
        Sort::Map => of_map(archive, &places),
    };
    let is_own = |player: Option<&str>, map: &str| match sort {
        Sort::Player => player.is_some_and(|player| slug(player) == id),
        Sort::Map => slug(map) == id,
    };
    let mut recordings: Vec<usize> = places.iter().map(|place| place.recording).chain(subject.others.iter().copied()).collect();
    recordings.sort_unstable();
    recordings.dedup();
    let mut moments: Vec<_> = recordings
        .iter()
        .flat_map(|at| archive.recordings[*at].moments.iter().map(move |moment| (*at, moment)))
        .filter(|(_, moment)| is_own(moment.player.as_deref(), &moment.map))
        .collect();
    moments.sort_by(|one, other| other.1.points.cmp(&one.1.points).then(one.0.cmp(&other.0)).then(one.1.from.cmp(&other.1.from)));
    moments.truncate(MOMENTS);
    let mut runs: Vec<_> = recordings
        .iter()
        .flat_map(|at| archive.recordings[*at].runs.iter().map(move |run| (*at, run)))
        .filter(|(_, run)| is_own(run.player.as_deref(), &run.map))
        .collect();
    runs.sort_by(|one, other| (&one.1.map, one.1.time.is_none(), one.1.time, one.0).cmp(&(&other.1.map, other.1.time.is_none(), other.1.time, other.0)));
    runs.truncate(CHUNK);
    let (years, first_year, last_year) = years(archive, &places);
    let pages = older_pages(subject);
    Page {
        facts: span(archive, places.iter().copied()).into_iter().collect(),
        also: if sort == Sort::Player { subject.also().into_iter().take(12).map(str::to_owned).collect() } else { Vec::new() },
        plan,
        figures,
        years,
        first_year,
        last_year,
        tables,
        moments: moments.into_iter().map(|(at, moment)| items::highlight(&archive.recordings[at], moment)).collect(),
        runs: runs.into_iter().map(|(at, run)| items::run(&archive.recordings[at], run)).collect(),
        items: rows_of(archive, &subject.matches[pages * CHUNK..]),
        older: (1..=pages)
            .rev()
            .map(|number| Link::new(format!("older-{number}.html"), format!("{} to {}", (number - 1) * CHUNK + 1, number * CHUNK)))
            .collect(),
        ..empty(frame, sort, heading)
    }
    .render()
}

/// Names and counts, by the names in addresses.
type Counts = BTreeMap<String, (String, Count)>;

fn of_player(archive: &Archive, id: &str, places: &[Place]) -> (Vec<Figure>, Vec<Table>) {
    let mut all = Count::default();
    let mut kills: Option<i64> = None;
    let (mut opponents, mut maps) = (Counts::new(), Counts::new());
    for place in places {
        let row = archive.row(*place);
        let own = row.players.iter().filter(|player| slug(&player.name) == id);
        let won = own.clone().find_map(|player| player.won);
        all.add(won);
        kills = own.filter_map(|player| player.kills).fold(kills, |sum, more| Some(sum.unwrap_or(0) + more));
        maps.entry(slug(&row.map)).or_insert_with(|| (text::name(&row.map), Count::default())).1.add(won);
        if row.players.len() == 2
            && let Some(other) = row.players.iter().find(|player| slug(&player.name) != id)
        {
            opponents.entry(slug(&other.name)).or_insert_with(|| (text::name(&other.name), Count::default())).1.add(won);
        }
    }
    let rest = all.0 - all.1 - all.2;
    let mut figures = vec![figure("matches", i64::from(all.0)), figure("won", i64::from(all.1)), figure("lost", i64::from(all.2))];
    if rest > 0 {
        figures.push(figure("drawn or without a known winner", i64::from(rest)));
    }
    figures.extend(kills.map(|kills| figure("kills", kills)));
    let opponents = Table { id: "o", heading: "Opponents in duels", first: "Against", rows: rows(opponents, "p") };
    let maps = Table { id: "m", heading: "Maps", first: "On", rows: rows(maps, "map") };
    (figures, [opponents, maps].into_iter().filter(|table| !table.rows.is_empty()).collect())
}

fn of_map(archive: &Archive, places: &[Place]) -> (Vec<Figure>, Vec<Table>) {
    let mut players = Counts::new();
    for place in places {
        for player in archive.row(*place).players.iter().filter(|player| !player.name.trim().is_empty()) {
            players.entry(slug(&player.name)).or_insert_with(|| (text::name(&player.name), Count::default())).1.add(player.won);
        }
    }
    let figures = vec![figure("matches", places.len() as i64), figure("players", players.len() as i64)];
    let players = Table { id: "o", heading: "Players", first: "Most matches", rows: rows(players, "p") };
    (figures, [players].into_iter().filter(|table| !table.rows.is_empty()).collect())
}

fn figure(name: &'static str, value: i64) -> Figure {
    Figure { name, value: text::number(value) }
}

fn rows(counts: Counts, folder: &str) -> Vec<TableRow> {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|one, other| other.1.1.0.cmp(&one.1.1.0).then_with(|| one.0.cmp(&other.0)));
    let row = |(id, (name, Count(matches, won, lost)))| TableRow { href: format!("{folder}/{id}/index.html"), name, matches, won, lost };
    counts.into_iter().take(ROWS).map(row).collect()
}

/// Matches a year, as bars of a picture of 1040 by 96.
fn years(archive: &Archive, places: &[Place]) -> (Vec<Bar>, String, String) {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for year in places.iter().filter_map(|place| archive.row(*place).day()?[..4].parse().ok()) {
        *counts.entry(year).or_default() += 1;
    }
    let (Some((&first, _)), Some((&last, _))) = (counts.first_key_value(), counts.last_key_value()) else { return Default::default() };
    // a clock that was never set makes no century of bars
    let first = first.max(last.saturating_sub(51));
    let most = counts.values().max().copied().unwrap_or(1).max(1);
    let step = 1040 / (last - first + 1);
    let bars = (first..=last).filter_map(|year| {
        let count = *counts.get(&year)?;
        let height = (count * 92).div_ceil(most).max(2);
        Some(Bar { x: (year - first) * step, y: 96 - height, width: step.saturating_sub(4).max(2), title: format!("{year}: {count} matches") })
    });
    (bars.collect(), first.to_string(), last.to_string())
}
