//! A site: which files it has, what each is made of, and how each is made.

use std::collections::{BTreeMap, BTreeSet};

use crate::archive::CHUNK;
use crate::archive::{Archive, Place};
use crate::config::{Config, Event};
use crate::facts::{Facts, Plan};
use crate::key;
use crate::lists;
use crate::markdown::markdown;
use crate::pages::{self, File, Link, PlanLink, Row, Shell, Sort, Surroundings};
use crate::slug::slug;
use crate::summary::{self, Summary};
use crate::{feed, plan, text};

/// The version of the pages: a change of their code is a change of this number.
const PAGES: u32 = 1;

const STYLE: &str = include_str!("../assets/site.css");
const ICON: &str = include_str!("../assets/icon.svg");
const FIND: &str = include_str!("../assets/find.js");
const WATCH: &str = include_str!("../assets/watch.js");

/// Files of the viewer: the paths and bytes that `cargo xtask web` made.
pub type Viewer<'a> = &'a [(&'a str, &'a [u8])];

/// The module of the viewer that pages load.
const MODULE: &str = "fragreel-viewer.js";

/// What a site needs to know besides its recordings.
pub struct Options<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The viewer; empty for a site without one.
    pub viewer: Viewer<'a>,
    /// The copy of a recording on the site; absent where it is not published.
    pub published: &'a (dyn Fn(&Summary) -> Option<Published> + Sync),
}

/// The copy of a recording on a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its path from the root. What is in the file decides it, so that it never changes.
    pub path: String,
    /// What the copy lacks, as words behind its name; empty for one that lacks nothing.
    pub lacks: String,
}

/// A file of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its path from the root, with `/` between folders.
    pub path: String,
    /// A digest of everything that it is made of. Where it is the same, the file is.
    pub key: String,
    /// What kind of file it is, in the order in which files should be uploaded.
    pub kind: OutputKind,
    task: Task,
}

/// Kinds of files, in the order in which they should be uploaded: no page may link to what is not there yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutputKind {
    /// Recordings.
    Recording,
    /// Style sheets, scripts, the viewer: files with their content's hash in their names.
    Asset,
    /// Plans of maps.
    Plan,
    /// Pages of recordings with their JSON and Markdown.
    Match,
    /// Pages and lists of many matches.
    List,
    /// Feeds and maps for search engines.
    Feed,
}

impl Output {
    /// The place of the recording in the archive whose copy it is.
    pub fn recording(&self) -> Option<usize> {
        if let Task::Published(at) = self.task { Some(at) } else { None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Task {
    Fixed(Vec<u8>),
    Viewer(usize),
    Published(usize),
    Page(usize),
    Json(usize),
    Markdown(usize),
    Plan(String),
    Month(String),
    Subject(Sort, String),
    Older(Sort, String, usize),
    Part(Sort, String, usize),
    Feed(Sort, String),
    Event(usize),
    EventFeed(usize),
    Runs(String),
}

/// What is asked of the one who has the recordings.
pub trait Library {
    /// What goes wrong.
    type Error: From<Failed>;

    /// The facts of a recording, with names as the site shows them.
    fn facts(&self, hash: &str) -> Result<Facts, Self::Error>;

    /// The bytes of a recording as they are published.
    fn published(&self, hash: &str) -> Result<Vec<u8>, Self::Error>;
}

/// A file could not be made of its facts.
#[derive(Debug)]
pub struct Failed(String);

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

fn failed(error: impl std::fmt::Display) -> Failed {
    Failed(error.to_string())
}

/// A site of an archive.
pub struct Site<'a> {
    options: Options<'a>,
    archive: Archive,
    shell: Shell<'a>,
    /// The runs of each map: places of recordings, and of runs in them.
    runs: BTreeMap<String, Vec<(usize, usize)>>,
    events: Vec<(String, Vec<Place>)>,
    /// The recordings that have a plan of each map.
    plans: BTreeMap<String, Vec<usize>>,
    fingerprint: String,
}

/// The name of a file that never changes: the hash of its content is in it.
fn asset(name: &str, extension: &str, content: &[u8]) -> String {
    format!("a/{name}.{}.{extension}", &key::of(&[content])[..8])
}

impl<'a> Site<'a> {
    /// The site of these recordings. Their order does not matter.
    pub fn of(recordings: Vec<Summary>, options: Options<'a>) -> Self {
        let config = options.config;
        let archive = Archive::of(recordings.into_iter().filter(|recording| !Config::names_recording(&config.removed.recordings, &recording.hash)).collect());
        let mut runs: BTreeMap<String, Vec<(usize, usize)>> = BTreeMap::new();
        let mut plans: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, recording) in archive.recordings.iter().enumerate() {
            for (at, run) in recording.runs.iter().enumerate() {
                runs.entry(slug(&run.map)).or_default().push((number, at));
            }
            for map in &recording.plans {
                plans.entry(slug(map)).or_default().push(number);
            }
        }
        let events = config.events.iter().map(|event| (slug(&event.name), of_event(&archive, event))).collect::<Vec<_>>();
        let has_viewer = options.viewer.iter().any(|(path, _)| *path == MODULE);
        let parts: Vec<&[u8]> = options.viewer.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes]).collect();
        let shell = Shell {
            config,
            style: asset("site", "css", STYLE.as_bytes()),
            icon: asset("icon", "svg", ICON.as_bytes()),
            find: asset("find", "js", FIND.as_bytes()),
            watch: asset("watch", "js", WATCH.as_bytes()),
            viewer: has_viewer.then(|| format!("a/viewer.{}/{MODULE}", &key::of(&parts)[..8])),
            has_runs: !runs.is_empty(),
            has_events: !events.is_empty(),
        };
        let fingerprint = key::of(&[format!("{PAGES} {config:?} {shell:?}")]);
        Site { options, archive, shell, runs, events, plans, fingerprint }
    }

    /// The archive.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// All files of the site, sorted by path. No two have one path.
    pub fn outputs(&self) -> Result<Vec<Output>, Failed> {
        let mut outputs = Vec::new();
        self.assets(&mut outputs);
        self.recordings(&mut outputs);
        self.subjects(&mut outputs);
        self.lists(&mut outputs)?;
        self.feeds(&mut outputs)?;
        outputs.sort_by(|one: &Output, other| one.path.cmp(&other.path));
        outputs.dedup_by(|one, other| one.path == other.path);
        Ok(outputs)
    }

    /// Makes a file.
    pub fn make<L: Library>(&self, output: &Output, library: &L) -> Result<Vec<u8>, L::Error> {
        let facts = |at: usize| library.facts(&self.archive.recordings[at].hash);
        let (shell, archive) = (&self.shell, &self.archive);
        let text = match &output.task {
            Task::Fixed(bytes) => return Ok(bytes.clone()),
            Task::Viewer(at) => return Ok(self.options.viewer[*at].1.to_vec()),
            Task::Published(at) => return library.published(&archive.recordings[*at].hash),
            Task::Page(at) => pages::recording(shell, archive, *at, &facts(*at)?, self.around(*at)).map_err(failed)?,
            Task::Json(at) => json(&facts(*at)?),
            Task::Markdown(at) => self.markdown(&facts(*at)?),
            Task::Plan(map) => {
                let mut plans: Vec<Plan> = Vec::new();
                for at in &self.plans[map] {
                    plans.extend(facts(*at)?.plans.into_iter().filter(|plan| slug(&plan.map) == *map));
                }
                plan::svg(plans.iter()).unwrap_or_default()
            }
            Task::Month(month) => {
                let months = pages::months(archive);
                let beside = |found: Option<(&String, &Vec<Place>)>| found.map(|(month, _)| month.clone()).filter(|month| !month.is_empty());
                let before = beside(months.range(..month.clone()).next_back());
                let after = beside(months.range(month.clone()..).nth(1));
                pages::month(shell, archive, month, months.get(month).map_or(&[], Vec::as_slice), [before.as_deref(), after.as_deref()]).map_err(failed)?
            }
            Task::Subject(sort, id) => {
                let plan = (*sort == Sort::Map).then(|| self.plan(id)).flatten();
                pages::subject(shell, archive, *sort, id, &self.named(*sort)[id], plan).map_err(failed)?
            }
            Task::Older(sort, id, number) => pages::older(shell, archive, *sort, id, &self.named(*sort)[id], *number).map_err(failed)?,
            Task::Part(sort, id, number) => lists::part(archive, self.named(*sort)[id].matches.chunks(CHUNK).nth(*number).unwrap_or_default()),
            Task::Feed(sort, id) => {
                let subject = &self.named(*sort)[id];
                let places: Vec<Place> = subject.matches.iter().map(|number| archive.matches[*number]).collect();
                return Ok(feed::atom(archive, &places, &text::name(&subject.name), &output.path, self.base()).map_err(failed)?);
            }
            Task::Event(at) => pages::event(shell, archive, &self.options.config.events[*at], &output.path, &self.events[*at].1).map_err(failed)?,
            Task::EventFeed(at) => {
                let event = &self.options.config.events[*at];
                return Ok(feed::atom(archive, &self.events[*at].1, &event.name, &output.path, self.base()).map_err(failed)?);
            }
            Task::Runs(map) => pages::runs(shell, archive, map, &self.runs[map]).map_err(failed)?,
        };
        Ok(text.into_bytes())
    }

    fn base(&self) -> Option<&str> {
        self.options.config.base.as_deref()
    }

    fn named(&self, sort: Sort) -> &BTreeMap<String, crate::archive::Subject> {
        match sort {
            Sort::Player => &self.archive.players,
            Sort::Map => &self.archive.maps,
        }
    }

    fn plan(&self, map: &str) -> Option<PlanLink> {
        self.plans.contains_key(map).then(|| PlanLink { href: format!("map/{map}/plan.svg"), width: plan::WIDTH, height: plan::HEIGHT })
    }

    /// What surrounds a recording.
    fn around(&self, at: usize) -> Surroundings {
        let recording = &self.archive.recordings[at];
        let events = self.events.iter().zip(&self.options.config.events);
        let events = events.filter(|((_, places), _)| places.iter().any(|place| place.recording == at));
        let file = (self.options.published)(recording).map(|Published { path: href, lacks }| {
            let extension = href.rsplit_once('/').and_then(|(_, name)| name.split_once('.')).map_or("", |(_, extension)| extension);
            let stem = recording.file.split('.').next().unwrap_or_default();
            File { name: format!("{}.{extension}", text::line(stem, 60)), size: text::size(recording.bytes), href, lacks }
        });
        let map = recording.matches.first().map(|row| &row.map).or(recording.maps.first());
        Surroundings {
            events: events.map(|((id, _), event)| Link::new(format!("e/{id}/index.html"), event.name.clone())).collect(),
            file,
            plan: map.and_then(|map| self.plan(&slug(map))),
        }
    }

    fn markdown(&self, facts: &Facts) -> String {
        let address = self.base().map(|base| format!("{base}m/{}/", facts.id()));
        let of = |board| markdown(board, facts.date.as_deref().and_then(summary::day), address.as_deref());
        pages::main_match(facts).map(of).unwrap_or_default()
    }

    /// A digest of what a list shows of a match.
    fn row_key(&self, place: Place) -> String {
        let recording = self.archive.recording(place);
        key::of(&[recording.hash.as_bytes(), &serde_json::to_vec(self.archive.row(place)).unwrap_or_default(), &[u8::from(recording.matches.len() > 1)]])
    }

    fn key(&self, kind: &str, parts: &[String]) -> String {
        let mut all = vec![self.fingerprint.clone(), kind.to_owned()];
        all.extend_from_slice(parts);
        key::of(&all)
    }

    fn assets(&self, outputs: &mut Vec<Output>) {
        let mut add = |path: &str, bytes: Vec<u8>| outputs.push(fixed(path.to_owned(), OutputKind::Asset, bytes));
        add(&self.shell.style, STYLE.into());
        add(&self.shell.icon, ICON.into());
        add(&self.shell.find, FIND.into());
        if let Some(viewer) = &self.shell.viewer {
            add(&self.shell.watch, WATCH.into());
            let folder = viewer.strip_suffix(MODULE).unwrap_or_default();
            for (at, (path, bytes)) in self.options.viewer.iter().enumerate() {
                outputs.push(Output { path: format!("{folder}{path}"), key: key::of(&[bytes]), kind: OutputKind::Asset, task: Task::Viewer(at) });
            }
        }
    }

    fn recordings(&self, outputs: &mut Vec<Output>) {
        for (at, recording) in self.archive.recordings.iter().enumerate() {
            let published = (self.options.published)(recording);
            let around = self.around(at);
            let mut parts = vec![recording.digest.clone(), published.as_ref().map(|copy| format!("{} {}", copy.path, copy.lacks)).unwrap_or_default()];
            parts.extend(around.events.iter().map(|link| format!("{} {}", link.href, link.name)));
            parts.push(around.plan.map(|plan| plan.href).unwrap_or_default());
            for number in 0..recording.matches.len() {
                parts.extend(self.archive.views(at, number).iter().map(|place| format!("{} {}", self.row_key(*place), self.archive.recording(*place).file)));
            }
            let folder = format!("m/{}/", recording.id());
            let key = self.key("recording", &parts);
            let mut add = |name: &str, task| outputs.push(Output { path: format!("{folder}{name}"), key: key.clone(), kind: OutputKind::Match, task });
            add("index.html", Task::Page(at));
            add("m.json", Task::Json(at));
            add("m.md", Task::Markdown(at));
            if let Some(Published { path, .. }) = published {
                // content decides its path
                outputs.push(Output { key: key::of(&[&path]), path, kind: OutputKind::Recording, task: Task::Published(at) });
            }
        }
        for (map, recordings) in &self.plans {
            let parts: Vec<String> = recordings.iter().map(|at| self.archive.recordings[*at].digest.clone()).collect();
            outputs.push(Output { path: format!("map/{map}/plan.svg"), key: self.key("plan", &parts), kind: OutputKind::Plan, task: Task::Plan(map.clone()) });
        }
    }

    fn subjects(&self, outputs: &mut Vec<Output>) {
        for sort in [Sort::Player, Sort::Map] {
            for (id, subject) in self.named(sort) {
                let folder = format!("{}/{id}/", sort.folder());
                let rows: Vec<String> = subject.matches.iter().map(|number| self.row_key(self.archive.matches[*number])).collect();
                let mut parts = vec![id.clone(), subject.name.clone(), subject.also().join("\n"), format!("{}", self.plans.contains_key(id))];
                parts.extend_from_slice(&rows);
                // moments and runs are of recordings
                let recordings: BTreeSet<usize> =
                    subject.matches.iter().map(|number| self.archive.matches[*number].recording).chain(subject.others.iter().copied()).collect();
                parts.extend(recordings.into_iter().map(|at| self.archive.recordings[at].digest.clone()));
                outputs.push(Output {
                    path: format!("{folder}index.html"),
                    key: self.key("subject", &parts),
                    kind: OutputKind::List,
                    task: Task::Subject(sort, id.clone()),
                });
                let mut feed_parts = vec![id.clone(), subject.name.clone()];
                feed_parts.extend_from_slice(&rows[rows.len().saturating_sub(30)..]);
                outputs.push(Output {
                    path: format!("{folder}feed.atom"),
                    key: self.key("feed", &feed_parts),
                    kind: OutputKind::Feed,
                    task: Task::Feed(sort, id.clone()),
                });
                for (number, chunk) in rows.chunks(CHUNK).enumerate() {
                    let mut parts = vec![id.clone(), subject.name.clone(), number.to_string()];
                    parts.extend_from_slice(chunk);
                    outputs.push(Output {
                        path: format!("{folder}list-{number}.json"),
                        key: self.key("part", &parts),
                        kind: OutputKind::List,
                        task: Task::Part(sort, id.clone(), number),
                    });
                    if number < pages::older_pages(subject) {
                        let task = Task::Older(sort, id.clone(), number + 1);
                        outputs.push(Output {
                            path: format!("{folder}older-{}.html", number + 1),
                            key: self.key("older", &parts),
                            kind: OutputKind::List,
                            task,
                        });
                    }
                }
            }
        }
        for (map, runs) in &self.runs {
            let parts: Vec<String> = runs.iter().map(|(at, _)| self.archive.recordings[*at].digest.clone()).collect();
            outputs.push(Output {
                path: format!("runs/{map}/index.html"),
                key: self.key("runs", &parts),
                kind: OutputKind::List,
                task: Task::Runs(map.clone()),
            });
        }
        for (at, (id, places)) in self.events.iter().enumerate() {
            let parts: Vec<String> = places.iter().map(|place| self.row_key(*place)).collect();
            let key = self.key("event", &parts);
            outputs.push(Output { path: format!("e/{id}/index.html"), key: key.clone(), kind: OutputKind::List, task: Task::Event(at) });
            outputs.push(Output { path: format!("e/{id}/feed.atom"), key, kind: OutputKind::Feed, task: Task::EventFeed(at) });
        }
    }

    fn lists(&self, outputs: &mut Vec<Output>) -> Result<(), Failed> {
        let (shell, archive) = (&self.shell, &self.archive);
        let months = pages::months(archive);
        for (month, places) in &months {
            let mut parts: Vec<String> = places.iter().map(|place| self.row_key(*place)).collect();
            let beside = [months.range(..month.clone()).next_back(), months.range(month.clone()..).nth(1)];
            parts.extend(beside.into_iter().flatten().map(|(month, _)| month.clone()));
            parts.push(month.clone());
            let path = format!("{}index.html", pages::month_folder(month));
            outputs.push(Output { path, key: self.key("month", &parts), kind: OutputKind::List, task: Task::Month(month.clone()) });
        }
        let row = |sort: Sort, (id, subject): (&String, &crate::archive::Subject)| Row {
            href: format!("{id}/index.html"),
            name: text::name(&subject.name),
            value: text::number((subject.matches.len() + if sort == Sort::Map { 0 } else { subject.others.len() }) as i64),
        };
        let mut players: Vec<Row> = archive.players.iter().map(|entry| row(Sort::Player, entry)).collect();
        players.sort_by(|one, other| one.name.to_lowercase().cmp(&other.name.to_lowercase()).then_with(|| one.href.cmp(&other.href)));
        let maps = archive.maps.iter().map(|entry| row(Sort::Map, entry)).collect();
        let runs: Vec<Row> = self
            .runs
            .iter()
            .map(|(id, runs)| Row {
                href: format!("{id}/index.html"),
                name: text::name(&archive.recordings[runs[0].0].runs[runs[0].1].map),
                value: text::number(runs.len() as i64),
            })
            .collect();
        let events: Vec<Row> = self
            .events
            .iter()
            .zip(&self.options.config.events)
            .map(|((id, places), event)| Row { href: format!("{id}/index.html"), name: event.name.clone(), value: text::number(places.len() as i64) })
            .collect();
        let mut add = |path: &str, page: askama::Result<String>| {
            page.map_err(failed).map(|page| outputs.push(fixed(path.to_owned(), OutputKind::List, page.into_bytes())))
        };
        add("index.html", pages::home(shell, archive))?;
        add("y/index.html", pages::calendar(shell, archive))?;
        add("best/index.html", pages::best(shell, archive))?;
        add("find/index.html", pages::find(shell))?;
        add("about/index.html", pages::about(shell))?;
        add("404.html", pages::missing(shell))?;
        add("p/index.html", pages::index_of(shell, "p/index.html", "Players", ["Player", "Recordings"], players))?;
        add("map/index.html", pages::index_of(shell, "map/index.html", "Maps", ["Map", "Matches"], maps))?;
        if !runs.is_empty() {
            add("runs/index.html", pages::index_of(shell, "runs/index.html", "Runs", ["Map", "Runs"], runs))?;
        }
        if !events.is_empty() {
            add("e/index.html", pages::index_of(shell, "e/index.html", "Events", ["Event", "Matches"], events))?;
        }
        add("s/names-0.json", Ok(lists::names(archive)))
    }

    fn feeds(&self, outputs: &mut Vec<Output>) -> Result<(), Failed> {
        let newest = feed::atom(&self.archive, &self.archive.matches, &self.options.config.title, "feed.atom", self.base()).map_err(failed)?;
        outputs.push(fixed(String::from("feed.atom"), OutputKind::Feed, newest));
        outputs.push(fixed(String::from("_headers"), OutputKind::Asset, HEADERS.into()));
        let mut robots = String::from("User-agent: *\nAllow: /\n");
        if let Some(base) = self.base() {
            let is_listed =
                |path: &str| path.ends_with("index.html") && (self.options.config.index_players || !path.starts_with("p/")) && !path.starts_with("find/");
            let mut addresses: Vec<String> = outputs
                .iter()
                .map(|output| output.path.as_str())
                .filter(|path| is_listed(path))
                .map(|path| format!("{base}{}", path.strip_suffix("index.html").unwrap_or(path)))
                .collect();
            addresses.sort_unstable();
            for (number, chunk) in addresses.chunks(MOST_ADDRESSES).enumerate() {
                outputs.push(fixed(format!("sitemap-{number}.xml"), OutputKind::Feed, feed::sitemap(chunk).map_err(failed)?));
                robots += &format!("Sitemap: {base}sitemap-{number}.xml\n");
            }
        }
        outputs.push(fixed(String::from("robots.txt"), OutputKind::Feed, robots.into_bytes()));
        Ok(())
    }
}

/// The addresses of one map for search engines.
const MOST_ADDRESSES: usize = 50_000;

/// What hosts that read such a file send with each answer.
const HEADERS: &str = "/a/*\n  Cache-Control: public, max-age=31536000, immutable\n/d/*\n  Cache-Control: public, max-age=31536000, immutable\n/*\n  Cache-Control: public, max-age=60, stale-while-revalidate=86400\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: no-referrer\n";

fn fixed(path: String, kind: OutputKind, bytes: Vec<u8>) -> Output {
    Output { key: key::of(&[&bytes]), path, kind, task: Task::Fixed(bytes) }
}

/// The figures of a recording, with the keys of `scores --json`.
fn json(facts: &Facts) -> String {
    let mut value = serde_json::to_value(facts).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        // places are in the plan of the map
        object.remove("plans");
    }
    value.to_string() + "\n"
}

/// The matches of an event: those that it names, and those of its days.
fn of_event(archive: &Archive, event: &Event) -> Vec<Place> {
    let is_within = |day: &str| {
        let after = event.from.as_deref().is_some_and(|from| day >= from);
        after && event.to.as_deref().is_none_or(|to| day <= to)
    };
    let mut places: Vec<Place> = archive
        .matches
        .iter()
        .filter(|place| Config::names_recording(&event.recordings, &archive.recording(**place).hash) || archive.row(**place).day().is_some_and(is_within))
        .copied()
        .collect();
    // in the owner's order, then by date
    places.sort_by_key(|place| {
        let hash = &archive.recording(*place).hash;
        event.recordings.iter().position(|start| hash.starts_with(&start.to_ascii_lowercase())).unwrap_or(usize::MAX)
    });
    places
}
