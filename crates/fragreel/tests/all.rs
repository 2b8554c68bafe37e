//! Families are detected by content, on everything that we have.

mod aim;
mod audit;
mod checks;
mod chunks;
mod clips;
mod clocks;
mod damage;
mod door;
mod edit;
mod events;
mod every_name;
mod explain;
mod extract;
mod figures;
mod growth;
mod happenings;
mod heads;
mod history;
mod looks;
mod matches;
mod movement;
mod opaque;
mod played;
mod questions;
mod runs;
mod secrets;
mod skipped;
mod state;
mod statistics;
mod text_form;

use std::collections::BTreeMap;

use fragreel::Recording;
use fragreel_testkit::Sample;

const FAMILIES: [&str; 4] = ["quake3", "quake2", "goldsrc", "quake1"];

/// Everything that is a recording by its name: packet captures stand beside some.
fn recordings(family: &str) -> impl Iterator<Item = Sample> {
    let all = fragreel_testkit::corpus(family).into_iter().chain(fragreel_testkit::samples(family));
    all.filter(|sample| !matches!(sample.extension().as_str(), "pcap" | "tsv"))
}

/// The small ones of these.
fn small(family: &str) -> Vec<Sample> {
    fragreel_testkit::small(recordings(family).collect())
}

/// The smallest whole recording of each dialect.
fn one_of_each_dialect(family: &str) -> Vec<Sample> {
    let mut all: Vec<Sample> = small(family).into_iter().filter(|sample| !sample.damaged).collect();
    all.sort_by_key(size);
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|sample| Recording::open(sample.raw(), &sample.name).is_ok_and(|recording| seen.insert((sample.extension(), recording.info().dialect))));
    all
}

/// Real recordings that are whole and not larger than that.
fn real(most: u64) -> impl Iterator<Item = Sample> {
    let all = FAMILIES.iter().flat_map(|family| fragreel_testkit::corpus(family)).filter(|sample| !matches!(sample.extension().as_str(), "pcap" | "tsv"));
    all.filter(move |sample| !sample.damaged && size(sample) < most)
}

fn size(sample: &Sample) -> u64 {
    std::fs::metadata(&sample.path).map_or(u64::MAX, |metadata| metadata.len())
}

/// The smallest whole recording of each dialect in each container, none larger than that.
fn of_each_dialect(most: u64) -> Vec<Sample> {
    let mut smallest: BTreeMap<(String, String), Sample> = BTreeMap::new();
    for sample in real(most) {
        let dialect = Recording::open(sample.bytes(), &sample.name).map(|recording| recording.info().dialect).ok();
        let known = smallest.entry((dialect.unwrap_or_default(), sample.extension())).or_insert_with(|| sample.clone());
        if size(&sample) < size(known) {
            *known = sample;
        }
    }
    smallest.into_values().collect()
}

/// What a file is opened as under a name.
fn opened(bytes: &[u8], name: &str) -> String {
    Recording::open(bytes.to_vec(), name).map_or_else(|error| format!("nothing: {error}"), |recording| recording.family().to_string())
}

#[test]
fn recordings_have_names_that_a_search_finds() {
    for family in FAMILIES {
        for sample in recordings(family) {
            assert!(fragreel::is_recording_name(&sample.name), "{}", sample.name);
        }
    }
}

#[test]
fn content_tells_the_family_whatever_the_name() {
    for family in FAMILIES {
        for sample in recordings(family).filter(|sample| !sample.damaged) {
            let bytes = sample.raw();
            for name in [sample.name.as_str(), "", "x.dem", "x.dm_68", "x.dm2", "x.mvd", "x.txt"] {
                assert_eq!(opened(&bytes, name), family, "{} as `{name}`", sample.name);
            }
        }
    }
}

/// A download in a NetQuake recording may hold a Quake III recording. The file stays one of NetQuake, whatever its name.
#[test]
fn a_recording_inside_a_download_is_not_the_file() {
    let inside = fragreel_testkit::samples("quake3").into_iter().find(|sample| sample.name.ends_with("dm_bots.dm_71")).expect("a sample").bytes();
    let mut at = 0;
    // behind the gamestate, which states a protocol
    let mut next = || {
        let length = u32::from_le_bytes(inside[at + 4..at + 8].try_into().unwrap()) as usize;
        at += 8 + length;
        at
    };
    let (from, to) = (next(), (0..40).map(|_| next()).last().unwrap());
    let mut download = vec![50, 0, 0, 0, 0];
    download.extend(u16::try_from(to - from).expect("a short download").to_le_bytes());
    download.extend(&inside[from..to]);
    let mut bytes = b"-1\n".to_vec();
    for data in [&b"\x09hello\n\0"[..], b"\x01", b"\x01", b"\x01", &download] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend([0; 12]);
        bytes.extend(data);
    }
    // the file begins as NetQuake's do, and Quake III's messages lie inside of one message
    assert_eq!((opened(&bytes, "x.dem").as_str(), opened(&bytes, "x.dm_71").as_str()), ("quake1", "quake1"));
}

#[test]
fn a_folder_search_knows_a_recording_by_its_head() {
    for family in FAMILIES {
        for sample in recordings(family).filter(|sample| !sample.damaged) {
            let raw = sample.raw();
            let head = &raw[..raw.len().min(1 << 16)];
            let detect = |name| fragreel::detect(head, name).map(|(family, _)| family.to_string());
            assert_eq!(detect(&sample.name).as_deref(), Some(family), "{}", sample.name);
            // Without its name a head may say too little, but never something wrong.
            assert!(detect("").is_none_or(|found| found == family), "{}", sample.name);
        }
    }
}

#[test]
fn what_is_no_recording_is_taken_for_none() {
    let root = fragreel_testkit::checkout();
    for name in ["README.md", "Cargo.lock", "samples/quake3/dm_bots.log", "samples/quake3/record.sh", "crates/base/src/lib.rs"] {
        let bytes = std::fs::read(root.join(name)).expect("a file of ours");
        assert_eq!(fragreel::detect(&bytes, name), None, "{name}");
        assert!(!fragreel::is_recording_name(name));
    }
    for bytes in [&[0xff; 4096][..], &[1, 0, 0, 0]] {
        assert_eq!(fragreel::detect(bytes, ""), None, "{:?}...", &bytes[..4]);
    }
}

/// Runs every seed of a property, and each bent and cut in a few places, the same every time.
fn run_seeds(target: &str, property: fn(&[u8])) {
    let folder = fragreel_testkit::checkout().join("fuzz/seeds").join(target);
    let seeds: Vec<_> = std::fs::read_dir(&folder).expect("seeds").map(|entry| std::fs::read(entry.expect("a seed").path()).expect("a seed")).collect();
    assert!(!seeds.is_empty());
    for seed in seeds {
        property(&seed);
        for at in (0..seed.len()).step_by(seed.len() / 24 + 1) {
            let mut bent = seed.clone();
            bent[at] ^= 0x41;
            property(&bent);
            property(&seed[..at]);
        }
    }
}

#[test]
fn any_bytes_are_opened_or_refused() {
    run_seeds("fragreel_open", fragreel::properties::open);
}

#[test]
fn chunks_of_any_bytes_give_the_answers_in_memory() {
    run_seeds("fragreel_chunks", fragreel::properties::chunks_of_any);
}

#[test]
fn what_is_taken_out_stays_in_its_folder() {
    run_seeds("fragreel_extract", fragreel::properties::extract);
}

#[test]
fn packing_loses_nothing_before_a_cut() {
    run_seeds("fragreel_gzip", fragreel::properties::gzip);
}
