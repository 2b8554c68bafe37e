//! A large archive, without recordings: the number of files, what a new match changes, and what a search loads.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use fragreel_site::data::{Column, Value};
use fragreel_site::facts::{Board, Facts, Figure, Identity, Line, Moment, Name, Person, Side};
use fragreel_site::{Cards, Config, Failed, Layout, Library, Options, Output, Published, Site, Summary};

const NAMES: usize = 2355;
const MAPS: usize = 70;

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Few are common, and most are rare: the `n`th occurs about as often as `1 / n`.
    fn zipf(&mut self, most: usize) -> usize {
        let chance = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((most as f64 + 1.0).powf(chance) - 1.0) as usize
    }
}

fn facts(number: usize) -> Facts {
    let mut dice = Dice(number as u64 * 77 + 1);
    let hash = (0..4).map(|_| format!("{:016x}", dice.next())).collect::<String>();
    let map = format!("dm{}", dice.zipf(MAPS));
    let day = number * 9000 / 50_000;
    let date = format!("{:04}-{:02}-{:02}T20:{:02}:{:02}Z", 2001 + day / 360, day / 30 % 12 + 1, day % 28 + 1, number % 60, number / 60 % 60);
    let mut names = BTreeSet::new();
    while names.len() < 4 {
        names.insert(dice.zipf(NAMES));
    }
    let figure = |value: u64| Figure { stated: Some(value as i64), counted: Some(value as i64) };
    let mut line = |at: usize, name: usize| Line {
        player: Person {
            slot: Some(at as u16),
            name: Name { raw: String::new(), clean: format!("player {name}") },
            team: Some(String::from(if at < 2 { "red" } else { "blue" })),
        },
        stats: ["score", "kills", "deaths"].map(|key| (key.to_owned(), figure(dice.next() % 60))).into(),
        ..Line::default()
    };
    let players: Vec<Line> = names.iter().enumerate().map(|(at, name)| line(at, *name)).collect();
    let mut side = |name: &str| Side { name: name.to_owned(), stats: BTreeMap::from([(String::from("score"), figure(dice.next() % 200))]) };
    let teams = vec![side("red"), side("blue")];
    let moment = Moment {
        from: 30_000,
        to: 42_000,
        points: (dice.next() % 900) as u32,
        player: Some(players[0].player.name.clean.clone()),
        what: String::from("3 kills in 4.2 s"),
        map: map.clone(),
        number: Some(1),
    };
    let board = Board {
        number: 1,
        map: map.clone(),
        mode: Some(String::from("2on2")),
        date: Some(date.clone()),
        to: 600_000,
        has_start: true,
        outcome: String::from("won"),
        winner: Some(String::from("red")),
        teams,
        players,
        identity: Identity { key: Some(hash.clone()), ..Identity::default() },
        ..Board::default()
    };
    Facts {
        file: format!("match_{number}.mvd"),
        extension: String::from("mvd"),
        bytes: 2_000_000,
        family: String::from("quake1"),
        dialect: String::from("28"),
        recording: String::from("multi-view"),
        game_mod: None,
        server: None,
        date: Some(date),
        maps: vec![map],
        duration: Some(600_000),
        recorder: None,
        damage: Vec::new(),
        grade: String::from("unbroken"),
        matches: vec![board],
        ticks: Vec::new(),
        moments: vec![moment],
        runs: Vec::new(),
        plans: Vec::new(),
        hash,
    }
}

/// Makes facts when they are asked for.
struct Synthetic(BTreeMap<String, usize>);

impl Library for Synthetic {
    type Error = Failed;

    fn facts(&self, hash: &str) -> Result<Facts, Failed> {
        Ok(facts(self.0[hash]))
    }

    fn published(&self, _: &str) -> Result<Vec<u8>, Failed> {
        Ok(Vec::new())
    }

    fn clip(&self, _: &str, _: &Moment) -> Result<Vec<u8>, Failed> {
        Ok(Vec::new())
    }

    fn table(&self, columns: &[Column], rows: &mut dyn Iterator<Item = Result<Vec<Value>, Failed>>) -> Result<Vec<u8>, Failed> {
        let mut count = 0;
        for row in rows {
            count += usize::from(row?.len() == columns.len());
        }
        Ok(count.to_string().into_bytes())
    }
}

/// The site of the first `count` matches, given to `look` with its outputs.
fn with_site<T>(count: usize, layout: Layout, look: impl FnOnce(&Site<'_>, Vec<Output>, &Synthetic) -> T) -> T {
    let config = Config::default();
    let published = |summary: &Summary| Some(Published { path: format!("d/{}/{}.mvd.gz", &summary.hash[..2], summary.hash), lacks: String::new() });
    let (mut summaries, mut places) = (Vec::new(), BTreeMap::new());
    for number in 0..count {
        let facts = facts(number);
        summaries.push(Summary::of(&facts));
        places.insert(facts.hash, number);
    }
    let clip = |_: &Summary, _: &Moment| None;
    let site = Site::of(summaries, Options { config: &config, viewer: &[], published: &published, clip: &clip, data: true, layout, cards: Cards::All });
    let outputs = site.outputs().unwrap();
    look(&site, outputs, &Synthetic(places))
}

fn gzipped(bytes: &[u8]) -> usize {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap().len()
}

/// The requests and bytes that `assets/find.js` takes for a player, on a map or on all.
fn search(site: &Site<'_>, outputs: &[Output], library: &Synthetic, player: &str, map: Option<&str>) -> (usize, usize) {
    let load = |path: &str| -> (serde_json::Value, usize) {
        let output = outputs.iter().find(|output| output.path == path).unwrap_or_else(|| panic!("{path}"));
        let bytes = site.make(output, library).unwrap();
        (serde_json::from_slice(&bytes).unwrap(), gzipped(&bytes))
    };
    let (names, mut bytes) = load("s/names-0.json");
    let find = |list: &str, name: &str| {
        let row = names[list].as_array().unwrap().iter().find(|row| row[1] == name).unwrap_or_else(|| panic!("{name}")).clone();
        (row[0].as_str().unwrap().to_owned(), row[2].as_u64().unwrap())
    };
    let (player, played) = find("players", player);
    let map = map.map(|map| find("maps", map));
    let chunk = names["chunk"].as_u64().unwrap();
    let (folder, total) = match &map {
        Some((map, count)) if *count < played => (format!("map/{map}"), *count),
        _ => (format!("p/{player}"), played),
    };
    let (mut requests, mut found) = (1, 0);
    for part in (0..total.div_ceil(chunk)).rev() {
        let (rows, size) = load(&format!("{folder}/list-{part}.json"));
        (bytes, requests) = (bytes + size, requests + 1);
        let is_meant = |row: &&serde_json::Value| {
            let plays = row[11].as_str().unwrap().split(' ').any(|id| id == player);
            plays && map.as_ref().is_none_or(|(map, _)| row[10] == format!("map/{map}/index.html"))
        };
        found += rows.as_array().unwrap().iter().filter(is_meant).count();
        // the page asks before it looks further back
        if found >= 50 || requests == 4 {
            break;
        }
    }
    (requests, bytes)
}

fn check(count: usize, layout: Layout, most_files: usize) {
    let before: BTreeMap<String, String> = with_site(count, layout, |site, outputs, library| {
        assert!(outputs.len() <= most_files, "{} files", outputs.len());
        // the most active, one in the middle, and those on the commonest map
        for (player, map) in [("player 0", None), ("player 100", None), ("player 0", Some("dm0")), ("player 1", Some("dm1")), ("player 0", Some("dm30"))] {
            let (requests, bytes) = search(site, &outputs, library, player, map);
            println!("{player} {map:?}: {requests} requests, {bytes} bytes");
            assert!(requests <= 4 && bytes <= 80_000, "{player} {map:?}: {requests} requests, {bytes} bytes");
        }
        outputs.into_iter().map(|output| (output.path, output.key)).collect()
    });
    let changed = with_site(count + 1, layout, |site, outputs, library| {
        let changed: Vec<Output> = outputs.into_iter().filter(|output| before.get(&output.path) != Some(&output.key)).collect();
        for output in changed.iter().filter(|output| output.source().is_none()) {
            assert!(!site.make(output, library).unwrap().is_empty(), "{}", output.path);
        }
        changed.len()
    });
    println!("{count} matches: {} files, a new one changes {changed}", before.len());
    assert!(changed <= 64, "{changed}");
}

#[test]
fn an_archive_of_2000_matches_keeps_its_budgets() {
    check(2000, Layout::Full, 20_000);
}

/// What hosts count, what a search takes, and what a new match changes.
#[test]
#[ignore = "nightly"]
fn an_archive_of_50000_matches_keeps_its_budgets() {
    check(50_000, Layout::Compact, 200_000);
}
