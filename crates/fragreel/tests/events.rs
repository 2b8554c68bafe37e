//! Events as an iterator: read as they are taken, and the same as those that a sink gets.

use std::ops::ControlFlow;

use fragreel::Demo;
use fragreel::model::{Kind, Kinds};

use super::{FAMILIES, recordings};

#[test]
fn the_recording_is_read_as_events_are_taken() {
    for (family, name) in [("quake3", "dm_bots.dm_71"), ("quake2", "q2pkill_Alice.dm2"), ("quake1", "match_e1m1.mvd"), ("goldsrc", "net-48.dem")] {
        let sample = fragreel_testkit::samples(family).into_iter().find(|sample| sample.name.ends_with(name)).expect(name);
        let bytes = sample.bytes();
        let demo = Demo::new(&bytes[..bytes.len() * 9 / 10], name).unwrap();
        let recording = demo.open().unwrap();
        let mut events = recording.iter_events(all_but_matches());
        let first = events.next().unwrap_or_else(|| panic!("{name} has events"));
        // Half-Life's directory, which is missing, is at the end: that shows at once
        assert!(family == "goldsrc" || events.damage().is_empty(), "{name}: the missing end is not read yet");
        let rest: Vec<_> = events.by_ref().collect();
        assert_eq!(events.next(), None);
        let mut pushed = Vec::new();
        let damage = recording.events(all_but_matches(), &mut |event| pushed.push(event));
        assert_eq!(events.damage(), damage, "{name}");
        assert!(!damage.is_empty(), "{name} is truncated");
        assert!(pushed.iter().eq(std::iter::once(&first).chain(&rest)), "{name}");
    }
}

/// Results of matches wait for what is counted; breaking off gives the first ones.
#[test]
fn a_sink_that_breaks_off_gets_the_first_events_of_the_iterator() {
    for sample in FAMILIES.iter().flat_map(|family| recordings(family)).filter(|sample| super::size(sample) < 500_000) {
        let Ok(demo) = Demo::new(sample.bytes(), &sample.name) else { continue };
        let Ok(recording) = demo.open() else { continue };
        for wanted in [Kinds::from([Kind::Match, Kind::Kill]), Kinds::from(Kind::Chat)] {
            let all: Vec<_> = recording.iter_events(wanted).collect();
            for most in [1, all.len() / 2 + 1] {
                let mut taken = Vec::new();
                recording.events(wanted, &mut |event| {
                    taken.push(event);
                    if taken.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                assert_eq!(taken, all[..most.min(all.len())], "{}", sample.name);
            }
        }
    }
}

/// Ends of matches are held back for their results.
fn all_but_matches() -> Kinds {
    Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Match).collect()
}
