//! A site: which files it has, what each is made of, and how each is made.

mod make;
mod outputs;
mod subjects;

use std::collections::{BTreeMap, BTreeSet};

use crate::archive::{Archive, Place};
use crate::config::{Config, Event};
use crate::key;
use crate::options::{Cards, Layout, Options, Published};
use crate::pages::{File, Link, PlanLink, Shell, Sort, Surroundings};
use crate::slug::slug;
use crate::summary::Summary;
use crate::{plan, text};

/// The version of the pages: a change of their code is a change of this number.
const PAGES: u32 = 1;

const STYLE: &str = include_str!("../../assets/site.css");
const ICON: &str = include_str!("../../assets/icon.svg");
const FIND: &str = include_str!("../../assets/find.js");
const WATCH: &str = include_str!("../../assets/watch.js");

/// The module of the viewer that pages load.
const MODULE: &str = "fragreel-viewer.js";

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
    /// The recordings that have a card.
    cards: BTreeSet<usize>,
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
            has_data: options.data,
        };
        let fingerprint = key::of(&[format!("{PAGES} {config:?} {shell:?} {:?}", options.layout)]);
        let cards = match options.cards {
            _ if !cfg!(feature = "cards") || config.base.is_none() => BTreeSet::new(),
            Cards::All => (0..archive.recordings.len()).collect(),
            Cards::Best => archive.best(config.moments).into_iter().map(|(at, _)| at).collect(),
            Cards::None => BTreeSet::new(),
        };
        Site { options, archive, shell, runs, events, plans, cards, fingerprint }
    }

    /// The archive.
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// The paths of the clips of a recording's moments. Only a viewer plays them.
    fn clips(&self, recording: &Summary) -> Vec<Option<String>> {
        let clip = |moment| self.shell.viewer.as_ref().and_then(|_| (self.options.clip)(recording, moment));
        recording.moments.iter().map(clip).collect()
    }

    /// Where the figures of a recording are, from the root.
    fn json_path(&self, recording: &Summary) -> String {
        match self.options.layout {
            Layout::Full => format!("m/{}/m.json", recording.id()),
            Layout::Compact => format!("j/{}.jsonl", &recording.hash[..2]),
        }
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
            clips: self.clips(recording),
            card: self.base().filter(|_| self.cards.contains(&at)).map(|base| format!("{base}m/{}/card.png", recording.id())),
            json: self.json_path(recording),
            has_markdown: self.options.layout == Layout::Full,
        }
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
