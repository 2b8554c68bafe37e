//! Pages of many matches: home, months, events, moments, runs.

use std::collections::BTreeMap;

use askama::Template;

use super::items::{self, Highlight, Item, RunItem};
use super::{Frame, Link, Shell};
use crate::archive::{Archive, Place};
use crate::config::Event;
use crate::text;

/// The newest matches and the best moments on the first page.
const NEWEST: usize = 12;
const BEST: usize = 5;

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame<'a>,
    lede: String,
    items: Vec<Item>,
    moments: Vec<Highlight>,
    wide: bool,
}

/// The first page.
pub(crate) fn home(shell: &Shell<'_>, archive: &Archive) -> askama::Result<String> {
    let span = span(archive, archive.matches.iter().copied());
    let [matches, players] = [archive.matches.len(), archive.players.len()].map(|count| text::number(count as i64));
    let lede = format!("{matches} matches, {players} players{}", span.map(|span| format!(", {span}")).unwrap_or_default());
    let mut frame = shell.frame("index.html", shell.config.title.clone(), lede.clone());
    frame.feed = Some("feed.atom");
    Home {
        frame,
        lede,
        items: archive.matches.iter().rev().take(NEWEST).map(|place| items::item(archive, *place)).collect(),
        moments: archive.best(BEST).into_iter().map(|(at, moment)| items::highlight(&archive.recordings[at], moment)).collect(),
        wide: true,
    }
    .render()
}

/// The first and the last year of matches.
pub(crate) fn span(archive: &Archive, places: impl Iterator<Item = Place>) -> Option<String> {
    let mut years: Vec<&str> = places.filter_map(|place| archive.row(place).day().map(|day| &day[..4])).collect();
    years.sort_unstable();
    let (first, last) = (years.first()?, years.last()?);
    Some(if first == last { (*first).to_owned() } else { format!("{first}–{last}") })
}

/// Matches by month, `2026-11`; those without a date under an empty name.
pub(crate) fn months(archive: &Archive) -> BTreeMap<String, Vec<Place>> {
    let mut months: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for place in &archive.matches {
        let month = archive.row(*place).day().map(|day| day[..7].to_owned()).unwrap_or_default();
        months.entry(month).or_default().push(*place);
    }
    months
}

/// The folder of a month.
pub(crate) fn month_folder(month: &str) -> String {
    if month.is_empty() { String::from("y/unknown/") } else { format!("y/{}/", month.replace('-', "/")) }
}

struct Year {
    name: String,
    months: Vec<Month>,
}

struct Month {
    name: &'static str,
    href: Option<String>,
    count: usize,
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

#[derive(Template)]
#[template(path = "calendar.html")]
struct Calendar<'a> {
    frame: Frame<'a>,
    span: String,
    years: Vec<Year>,
    undated: usize,
}

/// All months.
pub(crate) fn calendar(shell: &Shell<'_>, archive: &Archive) -> askama::Result<String> {
    let months = months(archive);
    let undated = months.get("").map_or(0, Vec::len);
    let mut years: Vec<String> = months.keys().filter(|month| !month.is_empty()).map(|month| month[..4].to_owned()).collect();
    years.dedup();
    let years = years.into_iter().rev().map(|year| {
        let months = MONTHS.iter().enumerate().map(|(number, name)| {
            let count = months.get(&format!("{year}-{:02}", number + 1)).map_or(0, Vec::len);
            Month { name, href: (count > 0).then(|| format!("{year}/{:02}/index.html", number + 1)), count }
        });
        Year { months: months.collect(), name: year }
    });
    let years = years.collect();
    let frame = shell.frame("y/index.html", "Matches by month", "All matches by month.");
    Calendar { frame, span: span(archive, archive.matches.iter().copied()).unwrap_or_default(), years, undated }.render()
}

#[derive(Template)]
#[template(path = "month.html")]
struct MonthPage<'a> {
    frame: Frame<'a>,
    heading: String,
    count: String,
    before: Option<Link>,
    after: Option<Link>,
    items: Vec<Item>,
}

/// One month.
pub(crate) fn month(shell: &Shell<'_>, archive: &Archive, month: &str, places: &[Place], beside: [Option<&str>; 2]) -> askama::Result<String> {
    let path = format!("{}index.html", month_folder(month));
    let heading = if month.is_empty() { String::from("Unknown date") } else { month.to_owned() };
    let count = if places.len() == 1 { String::from("1 match") } else { format!("{} matches", text::number(places.len() as i64)) };
    let [before, after] = beside.map(|month| month.map(|month| Link::new(format!("{}index.html", month_folder(month)), month)));
    let frame = shell.frame(&path, format!("Matches of {heading}"), format!("{count} of {heading}."));
    MonthPage { frame, heading, count, before, after, items: places.iter().rev().map(|place| items::item(archive, *place)).collect() }.render()
}

struct Standing {
    name: String,
    matches: u32,
    won: u32,
    lost: u32,
}

#[derive(Template)]
#[template(path = "event.html")]
struct EventPage<'a> {
    frame: Frame<'a>,
    heading: String,
    facts: Vec<String>,
    lede: String,
    sides: Vec<Standing>,
    items: Vec<Item>,
}

/// An event of the owner, with a table of its sides.
pub(crate) fn event(shell: &Shell<'_>, archive: &Archive, event: &Event, path: &str, places: &[Place]) -> askama::Result<String> {
    let mut frame = shell.frame(path, event.name.clone(), if event.about.is_empty() { format!("{} matches", places.len()) } else { event.about.clone() });
    frame.feed = Some("feed.atom");
    let mut sides: BTreeMap<&str, Standing> = BTreeMap::new();
    for place in places {
        let row = archive.row(*place);
        for (name, _) in row.sides.iter().filter(|_| row.sides.len() == 2) {
            let standing = sides.entry(name).or_insert_with(|| Standing { name: text::name(name), matches: 0, won: 0, lost: 0 });
            standing.matches += 1;
            if let Some(winner) = row.winner.as_ref().filter(|_| matches!(row.outcome.as_str(), "won" | "forfeited")) {
                *(if winner == name { &mut standing.won } else { &mut standing.lost }) += 1;
            }
        }
    }
    let mut sides: Vec<Standing> = sides.into_values().collect();
    sides.sort_by(|one, other| other.won.cmp(&one.won).then(one.lost.cmp(&other.lost)).then_with(|| one.name.cmp(&other.name)));
    let days: Vec<&str> = places.iter().filter_map(|place| archive.row(*place).day()).collect();
    let facts = match (days.iter().min(), days.iter().max()) {
        (Some(first), Some(last)) if first != last => vec![format!("{first} to {last}")],
        (Some(day), _) => vec![(*day).to_owned()],
        _ => Vec::new(),
    };
    let items = places.iter().map(|place| items::item(archive, *place)).collect();
    EventPage { frame, heading: event.name.clone(), facts, lede: event.about.clone(), sides, items }.render()
}

#[derive(Template)]
#[template(path = "best.html")]
struct Best<'a> {
    frame: Frame<'a>,
    lede: String,
    moments: Vec<Highlight>,
    wide: bool,
}

/// The best moments.
pub(crate) fn best(shell: &Shell<'_>, archive: &Archive) -> askama::Result<String> {
    let moments: Vec<Highlight> =
        archive.best(shell.config.moments).into_iter().map(|(at, moment)| items::highlight(&archive.recordings[at], moment)).collect();
    let lede = match moments.len() {
        1 => String::from("One moment, by its points."),
        many => format!("{} moments, by their points: kills in a row, air shots, quick turns, flags.", text::number(many as i64)),
    };
    Best { frame: shell.frame("best/index.html", "Best moments", lede.clone()), lede, moments, wide: true }.render()
}

struct Course {
    name: String,
    runs: Vec<RunItem>,
}

#[derive(Template)]
#[template(path = "runs.html")]
struct Runs<'a> {
    frame: Frame<'a>,
    map: Link,
    courses: Vec<Course>,
}

/// The runs on one map, by course, each list by time. `runs` are places of recordings and of runs in them.
pub(crate) fn runs(shell: &Shell<'_>, archive: &Archive, slug: &str, runs: &[(usize, usize)]) -> askama::Result<String> {
    let run = |(recording, at): &(usize, usize)| &archive.recordings[*recording].runs[*at];
    let mut courses: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
    for place in runs {
        let kind = [Some(run(place).course.as_str()), run(place).physics.as_deref(), run(place).mode.as_deref()];
        courses.entry(kind.into_iter().flatten().collect::<Vec<_>>().join(" ")).or_default().push(*place);
    }
    let name = runs.first().map(|place| text::name(&run(place).map)).unwrap_or_default();
    let courses = courses.into_iter().map(|(name, mut places)| {
        // what has no time comes last
        places.sort_by_key(|place| (run(place).time.is_none(), run(place).time, archive.recordings[place.0].hash.clone(), place.1));
        Course { name, runs: places.iter().map(|place| items::run(&archive.recordings[place.0], run(place))).collect() }
    });
    let courses = courses.collect();
    let frame = shell.frame(&format!("runs/{slug}/index.html"), format!("Runs on {name}"), format!("{} runs on {name}.", runs.len()));
    Runs { frame, map: Link::new(format!("map/{slug}/index.html"), name), courses }.render()
}
