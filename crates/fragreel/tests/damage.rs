//! A damaged recording is called damaged, nobody is accused of it, and one lost sector costs what was in it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use fragreel::Recording;
use fragreel::edit::Action;
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
fn tried(families: &[&str], every: usize) -> Vec<Sample> {
    let all = families.iter().flat_map(|family| recordings(family)).filter(|sample| !sample.damaged);
    let (ours, theirs): (Vec<Sample>, Vec<Sample>) = all.partition(|sample| sample.origin == "sample");
    ours.into_iter().chain(theirs.into_iter().filter(|sample| super::size(sample) < LARGE).step_by(every)).collect()
}

/// Larger recordings take long.
const LARGE: u64 = 1_600_000;

fn accuse_nobody(families: &[&str], places: usize, every: usize) {
    let all = tried(families, every);
    let found = Mutex::new((0, Vec::new()));
    fragreel_testkit::two_at_a_time(&all, |sample, bytes| {
        let (tried, wrong) = accusations(sample, bytes, places);
        let mut found = found.lock().expect("no panic");
        found.0 += tried;
        wrong.iter().for_each(|line| println!("{line}"));
        found.1.extend(wrong);
    });
    let (tried, wrong) = found.into_inner().expect("no panic");
    println!("{tried} damaged recordings of {}, {} accused", all.len(), wrong.len());
    assert!(tried > 100 && wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn nobody_is_accused_of_damage() {
    accuse_nobody(&FAMILIES, HARMS.len(), 24);
}

/// Each way of `HARMS` at 50 places of every recording. `FRAGREEL_DAMAGE_PLACES=3` takes three places, and `FRAGREEL_DAMAGE_EVERY=3` every third recording.
fn accuse_nobody_in_fifty_places(family: &str) {
    let number = |name: &str, usual: usize| std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(usual);
    accuse_nobody(&[family], number("FRAGREEL_DAMAGE_PLACES", 50) * HARMS.len(), number("FRAGREEL_DAMAGE_EVERY", 1));
}

#[test]
#[ignore = "nightly"]
fn nobody_is_accused_of_damage_in_fifty_places_of_goldsrc() {
    accuse_nobody_in_fifty_places("goldsrc");
}

#[test]
#[ignore = "nightly"]
fn nobody_is_accused_of_damage_in_fifty_places_of_quake1() {
    accuse_nobody_in_fifty_places("quake1");
}

#[test]
#[ignore = "nightly"]
fn nobody_is_accused_of_damage_in_fifty_places_of_quake2() {
    accuse_nobody_in_fifty_places("quake2");
}

#[test]
#[ignore = "nightly"]
fn nobody_is_accused_of_damage_in_fifty_places_of_quake3() {
    accuse_nobody_in_fifty_places("quake3");
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
    let all = tried(&FAMILIES, every);
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
    for name in
        ["quake3/dm_bots.dm_71", "quake2/yq2dm_Alice.dm2", "quake2/q2p_mvd_multi.mvd2", "quake1/quakeworld_plain_dm3.qwd", "quake1/netquake15_deltas_dm3.dem"]
    {
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

fn sample(name: &str) -> Vec<u8> {
    let family = name.split('/').next().unwrap_or_default();
    fragreel_testkit::samples(family).into_iter().find(|sample| sample.name == name).expect("a sample").bytes()
}

/// One recording of each container with messages of its own.
const CONTAINERS: [&str; 6] = [
    "goldsrc/hltv.dem",
    "quake1/netquake15_deltas_dm3.dem",
    "quake1/quakeworld_plain_dm3.qwd",
    "quake1/match_e1m1.mvd",
    "quake2/yq2dm_Alice.dm2",
    "quake3/dm_bots.dm_71",
];

/// Bytes that another program put before a recording are passed over and counted, and nothing of the recording is lost.
#[test]
fn what_precedes_a_recording_costs_nothing_of_it() {
    let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";
    let mut random = Random::new(7);
    let noise: Vec<u8> = (0..700).map(|_| random.below(256) as u8).collect();
    for name in CONTAINERS {
        let whole = sample(name);
        for foreign in [&answer[..], &noise] {
            let bytes = [foreign, &whole].concat();
            let recording = Recording::open(bytes.clone(), name).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(
                (frames(&bytes, name), &recording.info().maps),
                (frames(&whole, name), &Recording::open(whole.clone(), name).unwrap().info().maps),
                "{name}"
            );
            let damage = recording.verify().damage;
            let skipped = damage.first().and_then(|damage| damage.skipped).unwrap_or_else(|| panic!("{name}: {damage:?}"));
            // NetQuake's line is passed over, too
            assert!(skipped.from == 0 && (0..4).contains(&(skipped.to as usize - foreign.len())), "{name}: {damage:?}");
            assert_eq!((damage.len(), recording.audit().grade), (1, Grade::Damaged), "{name}: {damage:?}");
            let repaired = recording.repair().unwrap_or_else(|error| panic!("{name}: {error}"));
            let plain = Recording::open(whole.clone(), name).unwrap().repair().unwrap();
            assert!(repaired.bytes == plain.bytes, "{name}: {:?}", repaired.actions);
            assert!(repaired.actions[0].to_string().contains(" at offset 0: "), "{name}: {:?}", repaired.actions);
        }
    }
}

/// A block that a transfer wrote twice is no edit, and is named; in Quake II it goes.
#[test]
fn a_block_written_twice_is_no_edit() {
    // where a block's length is, and its head
    for (name, head) in [("quake2/yq2dm_Alice.dm2", 4), ("quake3/dm_bots.dm_71", 8)] {
        let whole = sample(name);
        let mut blocks = vec![0];
        while let Some(length) = whole[blocks[blocks.len() - 1]..].get(head - 4..head).map(|four| u32::from_le_bytes(four.try_into().unwrap())) {
            let at = blocks[blocks.len() - 1] + head + length as usize;
            if length == u32::MAX || at > whole.len() {
                break;
            }
            blocks.push(at);
        }
        for block in [0, blocks.len() / 3, blocks.len() / 2] {
            let (from, to) = (blocks[block], blocks[block + 1]);
            for times in [1, 2] {
                let bytes = [&whole[..to], &whole[from..to].repeat(times), &whole[to..]].concat();
                let recording = Recording::open(bytes, name).unwrap();
                let (report, audit) = (recording.verify(), recording.audit());
                assert!(report.is_whole() && report.notes.len() >= times, "{name}: {:?} {:?}", report.damage, report.notes);
                assert!(audit.findings.iter().all(|finding| finding.grade < Grade::Edited), "{name} {block}: {:?}", audit.findings);
                // in Quake III, clients drop what comes again
                if name.starts_with("quake3") {
                    continue;
                }
                let repaired = recording.repair().unwrap();
                assert!(repaired.bytes == whole, "{name} {block}: {:?}", repaired.actions);
                assert!(repaired.actions.iter().all(|action| action.to_string().contains("repeats the previous one")), "{:?}", repaired.actions);
            }
        }
    }
}

/// A transfer in text mode is named as the cause, and what it changed cannot become whole.
#[test]
fn what_a_transfer_in_text_mode_changed_is_never_whole() {
    for name in &CONTAINERS[1..] {
        let mut bytes = Vec::new();
        for byte in sample(name) {
            bytes.extend((byte == b'\n').then_some(b'\r'));
            bytes.push(byte);
        }
        let recording = Recording::open(bytes, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        let damage = recording.verify().damage;
        assert!(damage.iter().any(|damage| damage.detail.ends_with("a transfer in text mode inserted them")), "{name}: {damage:?}");
        assert!(recording.audit().findings.iter().all(|finding| finding.grade < Grade::Edited), "{name}");
        let Ok(repaired) = recording.repair() else { continue };
        let checked = recording.check_edited(&repaired, fragreel::edit::Same::Strings).unwrap();
        assert!(checked.of_text_mode && !checked.is_whole(), "{name}");
    }
}

/// Two sectors of a signon in the wrong order accuse nobody. Repair exchanges them, or keeps every frame that can be read.
#[test]
fn swapped_sectors_of_the_signon_cost_no_frame_that_can_be_read() {
    let mut exchanged = 0;
    for name in CONTAINERS {
        let whole = sample(name);
        for first in 0..4 {
            let mut bytes = whole.clone();
            let at = first * SECTOR;
            bytes[at..at + 2 * SECTOR].rotate_left(SECTOR);
            let Ok(recording) = Recording::open(bytes.clone(), name) else { continue };
            assert!(recording.audit().findings.iter().all(|finding| finding.grade < Grade::Edited), "{name} at {at}: {:?}", recording.audit().findings);
            let Ok(repaired) = recording.repair() else { continue };
            let lacking = recording.frames_lacking(&repaired).expect("a recording");
            let checked = recording.check_edited(&repaired, fragreel::edit::Same::Strings).unwrap();
            assert!(lacking == 0 || !checked.is_whole(), "{name} at {at}: {lacking} frames: {:?}", repaired.actions);
            assert!(checked.has_frames() || !checked.is_whole(), "{name} at {at}");
            if repaired.actions.iter().any(|action| matches!(action, Action::SectorsExchanged { .. })) {
                exchanged += 1;
                assert!(checked.is_sound(), "{name} at {at}: {:?}", checked.comparison);
                assert_eq!(frames(&repaired.bytes, name), frames(&whole, name), "{name} at {at}: {:?}", repaired.actions);
            } else {
                let kept = frames(&repaired.bytes, name) * 100 / frames(&whole, name);
                println!("{name} at {at}: {kept} of 100 frames, {} damaged places", recording.verify().damage.len());
            }
        }
    }
    println!("{exchanged} pairs of sectors exchanged");
    assert!(exchanged >= 12, "{exchanged}");
}

/// A recording with the first description of this structure broken, as a hole breaks it.
fn without_description(whole: &[u8], structure: &[u8]) -> Vec<u8> {
    let name = [&[14][..], structure, &[0]].concat();
    let at = whole.windows(name.len()).position(|window| window == name).expect("a description");
    let mut bytes = whole.to_vec();
    bytes[at..at + name.len() + 8].fill(0);
    bytes
}

/// Entities are found behind client data whose description is lost. Where theirs are lost, a recording of the same game has them.
#[test]
fn frames_survive_the_loss_of_descriptions() {
    let name = "goldsrc/net-48.dem";
    let whole = sample(name);
    let donor = Recording::open(whole.clone(), name).unwrap();
    for structure in [&b"clientdata_t"[..], b"weapon_data_t", b"entity_state_t", b"entity_state_player_t"] {
        let called = String::from_utf8_lossy(structure).into_owned();
        let damaged = without_description(&whole, structure);
        if !structure.starts_with(b"entity") {
            assert_eq!(frames(&damaged, name), frames(&whole, name), "{called}");
        }
        let recording = Recording::open(damaged, name).unwrap();
        let repaired = recording.repair_with(&donor).unwrap_or_else(|error| panic!("{called}: {error}"));
        let taken = Action::DescriptionsTaken { structures: called.clone() };
        assert_eq!(repaired.actions.first(), Some(&taken), "{called}: {:?}", repaired.actions);
        let again = Recording::open(repaired.bytes.clone(), name).unwrap();
        assert!(again.verify().is_whole(), "{called}: {:?}", again.verify().damage);
        assert_eq!(frames(&repaired.bytes, name), frames(&whole, name), "{called}");
    }
}

/// A review's file that lost 16 bytes of the description of weapons: all 52 snapshots have entities.
#[test]
fn sixteen_lost_bytes_of_a_description_cost_no_frame() {
    let name = "gs-16-bytes-lost-in-opening.dem";
    let Ok(bytes) = std::fs::read(fragreel_testkit::checkout().join("../shared/review/cases/2026-11").join(name)) else {
        return fragreel_testkit::skipped(&format!("the test on {name}: ../shared/review/cases/2026-11 is not there"));
    };
    let recording = Recording::open(bytes, name).unwrap();
    assert_eq!(recording.verify().snapshots, 52);
    let repaired = recording.repair().unwrap();
    assert_eq!(recording.frames_lacking(&repaired).unwrap(), 0);
    let again = Recording::open(repaired.bytes, name).unwrap().verify();
    assert!(again.is_whole() && again.snapshots == 52, "{} snapshots, {:?}", again.snapshots, again.damage);
}

/// One byte of a gamestate that changed costs no frame of Quake III: the snapshots behind it need none of its strings, and repair keeps them all.
#[test]
fn one_byte_of_a_gamestate_costs_no_frame() {
    let name = "quake3/dm_bots.dm_71";
    let whole = sample(name);
    let all = frames(&whole, name);
    let length = u32::from_le_bytes(whole[4..8].try_into().unwrap()) as usize;
    assert!(all > 100 && length > 2000, "{all} {length}");
    for place in (1..8).map(|part| 8 + length * part / 8) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        let recording = Recording::open(damaged, name).unwrap();
        let repaired = recording.repair().unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(frames(&repaired.bytes, name), all, "{place}: {:?}", repaired.actions);
        let again = Recording::open(repaired.bytes, name).unwrap();
        assert!(again.verify().is_whole(), "{place}: {:?}", again.verify().damage);
    }
}

/// Zeros in a multi-view recording look like a user command of 36 bytes. No server writes one, so the frames that it hides are damage.
#[test]
fn a_user_command_in_a_multi_view_recording_is_damage() {
    let name = "quake1/match_e1m1.mvd";
    let whole = sample(name);
    let hidden: Vec<usize> = (whole.len() / 2..whole.len() / 2 + 400).filter(|&at| whole[at] == 1 && whole[at + 2..at + 5] == [0; 3]).collect();
    assert!(!hidden.is_empty());
    let mut commands = 0;
    for at in hidden {
        let mut damaged = whole.clone();
        damaged[at] = 0;
        let audit = Recording::open(damaged, name).unwrap().audit();
        assert!(audit.findings.iter().all(|finding| finding.grade != Grade::Edited), "{at}: {:?}", audit.findings);
        commands += usize::from(audit.findings.iter().any(|finding| finding.grade == Grade::Damaged && finding.evidence.contains("a user command")));
    }
    assert!(commands > 0);
}
