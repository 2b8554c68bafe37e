//! Families are told apart by content, on everything that we have.

use fragreel::Demo;
use testkit::Sample;

const FAMILIES: [&str; 4] = ["quake3", "quake2", "goldsrc", "quake1"];

/// Everything that is a recording by its name: packet captures stand beside some.
fn recordings(family: &str) -> impl Iterator<Item = Sample> {
    let all = testkit::corpus(family).into_iter().chain(testkit::samples(family));
    all.filter(|sample| !matches!(sample.extension().as_str(), "pcap" | "tsv"))
}

/// What a file is opened as under a name.
fn opened(bytes: &[u8], name: &str) -> String {
    let demo = Demo::new(bytes, name).expect("within the limits");
    demo.open().map_or_else(|error| format!("nothing: {error}"), |recording| recording.family().to_string())
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
    let root = testkit::checkout();
    for name in ["README.md", "Cargo.lock", "samples/quake3/dm_bots.log", "samples/quake3/record.sh", "crates/wire/src/lib.rs"] {
        let bytes = std::fs::read(root.join(name)).expect("a file of ours");
        assert_eq!(fragreel::detect(&bytes, name), None, "{name}");
        assert!(!fragreel::is_recording_name(name));
    }
    for bytes in [&[0xff; 4096][..], &[1, 0, 0, 0]] {
        assert_eq!(fragreel::detect(bytes, ""), None, "{:?}...", &bytes[..4]);
    }
}
