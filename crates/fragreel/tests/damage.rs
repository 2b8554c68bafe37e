//! A damaged recording is called damaged, nobody is accused of it, and one lost sector costs what was in it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use fragreel::Recording;
use fragreel::model::{Fields, FrameOptions, Grade};
use fragreel_testkit::{Random, Sample};

use super::{FAMILIES, recordings};

/// What a disk or a transfer does to bytes.
#[derive(Debug, Clone, Copy)]
struct Harm {
    size: usize,
    random: bool,
}

const HARMS: [Harm; 6] = [
    Harm { size: 1, random: true },
    Harm { size: 16, random: false },
    Harm { size: 512, random: true },
    Harm { size: 1, random: false },
    Harm { size: 16, random: true },
    Harm { size: 512, random: false },
];

impl Harm {
    /// The place of a harm, and the bytes with it. A sector begins where sectors do.
    fn of(self, bytes: &[u8], random: &mut Random) -> (usize, Vec<u8>) {
        let at = random.below(bytes.len()) / self.size.max(1) * if self.size == 512 { 512 } else { self.size };
        let at = if self.size == 512 { at } else { at.min(bytes.len() - 1) };
        let mut harmed = bytes.to_vec();
        let end = (at + self.size).min(bytes.len());
        harmed[at..end].iter_mut().for_each(|byte| *byte = if self.random { random.below(256) as u8 } else { 0 });
        (at, harmed)
    }
}

/// The finding of grade `edited`, in words.
fn accusation(bytes: &[u8], name: &str) -> Option<String> {
    let found = Recording::open(bytes.to_vec(), name).ok()?.audit();
    let finding = found.findings.iter().find(|finding| finding.grade == Grade::Edited)?;
    Some(format!("{} at message {}: {}", finding.kind.name(), finding.message, finding.evidence))
}

/// Harms a recording at this number of places in each way of `harms`.
fn accusations(sample: &Sample, bytes: &[u8], places: usize) -> (usize, Vec<String>) {
    let name = sample.name.strip_suffix(".gz").unwrap_or(&sample.name);
    let mut random = Random::named(name);
    let (mut tried, mut wrong) = (0, Vec::new());
    if accusation(bytes, name).is_some() || bytes.len() < 600 {
        return (0, wrong);
    }
    for number in 0..places {
        let harm = HARMS[number % HARMS.len()];
        let (at, harmed) = harm.of(bytes, &mut random);
        tried += 1;
        wrong.extend(accusation(&harmed, name).map(|what| format!("{name}: {harm:?} at {at}: {what}")));
    }
    (tried, wrong)
}

/// The recordings that a share of the places is tried in: our own, and every `every`th of the corpus.
fn tried(every: usize) -> Vec<Sample> {
    let all = FAMILIES.iter().flat_map(|family| recordings(family)).filter(|sample| !sample.damaged);
    let (ours, theirs): (Vec<Sample>, Vec<Sample>) = all.partition(|sample| sample.origin == "sample");
    ours.into_iter().chain(theirs.into_iter().filter(|sample| super::size(sample) < LARGE).step_by(every)).collect()
}

/// Larger recordings take long.
const LARGE: u64 = 1_600_000;

fn accuse_nobody(places: usize, every: usize) {
    let all = tried(every);
    let found = Mutex::new((0, Vec::new()));
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let (tried, wrong) = accusations(sample, bytes, places);
        let mut found = found.lock().expect("no panic");
        found.0 += tried;
        found.1.extend(wrong);
    });
    let (tried, wrong) = found.into_inner().expect("no panic");
    println!("{tried} damaged recordings of {}, {} accused", all.len(), wrong.len());
    assert!(tried > 100 && wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nobody_is_accused_of_damage() {
    accuse_nobody(HARMS.len(), 24);
}

#[test]
#[ignore = "nightly"]
fn nobody_is_accused_of_damage_in_fifty_places() {
    accuse_nobody(50 * HARMS.len(), 1);
}

/// How many frames a recording shows.
fn frames(bytes: &[u8], name: &str) -> usize {
    let Ok(recording) = Recording::open(bytes.to_vec(), name) else { return 0 };
    recording.frames(FrameOptions::default().fields(Fields::NONE)).map_or(0, Iterator::count)
}

/// Frames that a recording of this number keeps when it loses the sector `from` bytes into it.
fn kept(bytes: &[u8], name: &str, from: usize) -> usize {
    let mut harmed = bytes.to_vec();
    let end = (from + SECTOR).min(bytes.len());
    harmed[from..end].fill(0);
    frames(&harmed, name)
}

const SECTOR: usize = 512;

/// In smaller recordings a sector is a large part.
const SMALLEST: usize = 50_000;

/// Takes the first sector, and others that a seed chooses.
fn lose_sectors(places: usize, every: usize) {
    let all = tried(every);
    // per container: the shares of frames kept in hundredths, and the least of them
    let shares = Mutex::new(BTreeMap::<String, Vec<(u64, String)>>::new());
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let name = sample.name.strip_suffix(".gz").unwrap_or(&sample.name);
        let before = if bytes.len() < SMALLEST { 0 } else { frames(bytes, name) };
        if before < 50 {
            return;
        }
        let mut random = Random::named(name);
        let others = (0..places).map(|_| random.below(bytes.len() / SECTOR) * SECTOR);
        for from in std::iter::once(0).chain(others.collect::<Vec<_>>()) {
            let share = (kept(bytes, name, from) * 100 / before) as u64;
            shares.lock().expect("no panic").entry(container(name)).or_default().push((share, format!("{name} at {from}")));
        }
    });
    let mut low = Vec::new();
    for (container, shares) in shares.into_inner().expect("no panic") {
        let mean = shares.iter().map(|(share, _)| share).sum::<u64>() as f64 / shares.len() as f64;
        let least = shares.iter().min().expect("some");
        println!("{container}: {mean:.1} of 100 frames kept in {} tries, least {least:?}", shares.len());
        if mean < 95.0 {
            low.push(format!("{container}: {mean:.1}, least {least:?}"));
        }
    }
    assert!(low.is_empty(), "{}", low.join("\n"));
}

#[test]
fn one_lost_sector_costs_its_own_frames() {
    lose_sectors(3, 24);
}

#[test]
#[ignore = "nightly"]
fn one_lost_sector_costs_its_own_frames_in_thirty_places() {
    lose_sectors(30, 1);
}

/// What frames are contained in: the extension, without Quake III's protocol.
fn container(name: &str) -> String {
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let family = name.split('/').next().unwrap_or_default();
    if extension.starts_with("dm_") { String::from("quake3 dm_*") } else { format!("{family} {extension}") }
}

/// A recording without its opening gets that of another one of the same level, or says that it cannot be played.
#[test]
fn a_donor_gives_the_opening() {
    for name in ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "quake1/quakeworld_plain_dm3.qwd", "quake1/netquake15_deltas_dm3.dem"] {
        let sample = fragreel_testkit::samples(name.split('/').next().unwrap_or_default()).into_iter().find(|sample| sample.name == name).expect("a sample");
        let whole = sample.bytes();
        let mut headless = whole.clone();
        headless[..SECTOR].fill(0);
        let recording = Recording::open(headless, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let donor = Recording::open(whole, name).expect("a recording");
        let repaired = recording.repair_with(&donor).unwrap_or_else(|error| panic!("{name}: {error}"));
        let again = Recording::open(repaired.bytes.clone(), name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(again.verify().is_whole(), "{name}: {:?}", again.verify().damage);
        assert_eq!(again.info().maps, donor.info().maps, "{name}");
        assert_eq!(recording.frames_lacking(&repaired).expect("a recording"), 0, "{name}");
        // a whole recording needs none
        assert!(donor.repair_with(&donor).is_err(), "{name}");
    }
}
