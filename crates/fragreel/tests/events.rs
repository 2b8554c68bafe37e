//! Events are read as they are taken.

use fragreel::Recording;
use fragreel::model::{Kind, Kinds};

use super::{FAMILIES, recordings};

#[test]
fn the_recording_is_read_as_events_are_taken() {
    for (family, name) in [("quake3", "dm_bots.dm_71"), ("quake2", "q2pkill_Alice.dm2"), ("quake1", "match_e1m1.mvd"), ("goldsrc", "net-48.dem")] {
        let sample = fragreel_testkit::samples(family).into_iter().find(|sample| sample.name.ends_with(name)).expect(name);
        let bytes = sample.bytes();
        let recording = Recording::open(bytes[..bytes.len() * 9 / 10].to_vec(), name).unwrap();
        let mut events = recording.events(all_but_matches());
        let first = events.next().unwrap_or_else(|| panic!("{name} has events"));
        // Half-Life's directory, which is missing, is at the end: that shows at once
        assert!(family == "goldsrc" || events.damage().is_empty(), "{name}: the missing end is not read yet");
        let rest: Vec<_> = events.by_ref().collect();
        assert_eq!(events.next(), None);
        assert!(!events.damage().is_empty(), "{name} is truncated");
        let again: Vec<_> = recording.events(all_but_matches()).collect();
        assert!(again.iter().eq(std::iter::once(&first).chain(&rest)), "{name}");
    }
}

/// Results of matches wait for what is counted, and do not depend on what else is asked for.
#[test]
fn matches_are_the_same_alone_and_among_others() {
    for sample in FAMILIES.iter().flat_map(|family| recordings(family)).filter(|sample| super::size(sample) < 500_000) {
        let Ok(recording) = Recording::open(sample.bytes(), &sample.name) else { continue };
        let among: Vec<_> = recording.events([Kind::Match, Kind::Kill, Kind::Chat]).filter(|event| event.kind.kind() == Kind::Match).collect();
        assert_eq!(recording.events(Kind::Match).collect::<Vec<_>>(), among, "{}", sample.name);
    }
}

/// Ends of matches are held back for their results.
fn all_but_matches() -> Kinds {
    Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Match).collect()
}
