//! All files of a site.

use std::collections::BTreeMap;

use super::{FIND, ICON, MODULE, STYLE, Site, WATCH};
use crate::library::{Failed, failed};
use crate::options::{Layout, Published};
use crate::output::{Output, OutputKind, Task, fixed};
use crate::pages::{self, Row, Sort};
use crate::{data, feed, key, lists, text};

/// The addresses of one map for search engines.
const MOST_ADDRESSES: usize = 50_000;

/// What hosts that read such a file send with each answer.
const HEADERS: &str = "/a/*\n  Cache-Control: public, max-age=31536000, immutable\n/d/*\n  Cache-Control: public, max-age=31536000, immutable\n/clip/*\n  Cache-Control: public, max-age=31536000, immutable\n/*\n  Cache-Control: public, max-age=60, stale-while-revalidate=86400\n  X-Content-Type-Options: nosniff\n  Referrer-Policy: no-referrer\n";

impl Site<'_> {
    /// All files of the site, sorted by path. No two have one path.
    pub fn outputs(&self) -> Result<Vec<Output>, Failed> {
        let mut outputs = Vec::new();
        self.assets(&mut outputs);
        self.recordings(&mut outputs);
        self.subjects(&mut outputs);
        self.lists(&mut outputs)?;
        self.feeds(&mut outputs)?;
        if self.options.data {
            let digests: Vec<String> = self.archive.recordings.iter().map(|recording| recording.digest.clone()).collect();
            for (at, table) in data::TABLES.iter().enumerate() {
                let path = format!("data/{}.parquet", table.name);
                outputs.push(Output { key: self.key(table.name, &digests), path, kind: OutputKind::Data, task: Task::Data(at) });
            }
        }
        outputs.sort_by(|one: &Output, other| one.path.cmp(&other.path));
        outputs.dedup_by(|one, other| one.path == other.path);
        Ok(outputs)
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
            parts.extend(around.card.clone());
            parts.extend(around.clips.iter().map(|clip| clip.clone().unwrap_or_default()));
            for number in 0..recording.matches.len() {
                parts.extend(self.archive.views(at, number).iter().map(|place| format!("{} {}", self.row_key(*place), self.archive.recording(*place).file)));
            }
            let folder = format!("m/{}/", recording.id());
            let key = self.key("recording", &parts);
            let mut add = |name: &str, task| outputs.push(Output { path: format!("{folder}{name}"), key: key.clone(), kind: OutputKind::Match, task });
            add("index.html", Task::Page(at));
            #[cfg(feature = "cards")]
            if self.cards.contains(&at) {
                add("card.png", Task::Card(at));
            }
            if self.options.layout == Layout::Full {
                add("m.json", Task::Json(at));
                add("m.md", Task::Markdown(at));
            }
            for (moment, path) in around.clips.into_iter().enumerate().filter_map(|(moment, path)| Some((moment, path?))) {
                // content decides its path
                outputs.push(Output { key: key::of(&[&path]), path, kind: OutputKind::Clip, task: Task::Clip(at, moment) });
            }
            if let Some(Published { path, .. }) = published {
                // content decides its path
                outputs.push(Output { key: key::of(&[&path]), path, kind: OutputKind::Recording, task: Task::Published(at) });
            }
        }
        if self.options.layout == Layout::Compact {
            let mut parts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for recording in &self.archive.recordings {
                parts.entry(&recording.hash[..2]).or_default().push(recording.digest.clone());
            }
            for (prefix, parts) in parts {
                let task = Task::JsonLines(prefix.to_owned());
                outputs.push(Output { path: format!("j/{prefix}.jsonl"), key: self.key("json", &parts), kind: OutputKind::Match, task });
            }
        }
        for (map, recordings) in &self.plans {
            let parts: Vec<String> = recordings.iter().map(|at| self.archive.recordings[*at].digest.clone()).collect();
            outputs.push(Output { path: format!("map/{map}/plan.svg"), key: self.key("plan", &parts), kind: OutputKind::Plan, task: Task::Plan(map.clone()) });
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
        if shell.has_data {
            add("data/index.html", pages::data(shell))?;
        }
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
