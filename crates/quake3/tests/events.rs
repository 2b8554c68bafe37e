//! Events against what others say of the same matches: the server's own log, scoreboards, other recordings.

mod boards;
mod lists;
mod logs;
mod made;
pub(super) mod twins;

use fragreel_model::{Event, Kind, Kinds};
use fragreel_testkit::Sample;

/// The events of a recording, of these kinds.
fn events(sample: &Sample, wanted: Kinds) -> Vec<Event> {
    let bytes = sample.bytes();
    let dialect = fragreel_quake3::detect::dialect(&bytes, Some(&sample.extension())).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
    let mut events = Vec::new();
    events.extend(fragreel_quake3::events::read(&bytes, dialect, wanted));
    events
}

/// Events do not depend on what else is asked for, whether snapshots are decoded or not.
#[test]
fn what_is_asked_for_changes_nothing_else() {
    let of_commands: Kinds =
        [Kind::Chat, Kind::Join, Kind::Leave, Kind::Rename, Kind::Team, Kind::Scores, Kind::Match, Kind::Round, Kind::Level, Kind::Print].into_iter().collect();
    let kills: Kinds = [Kind::Kill].into_iter().collect();
    let mut told = 0;
    for sample in fragreel_testkit::corpus("quake3").into_iter().chain(fragreel_testkit::samples("quake3")) {
        let all = events(&sample, Kinds::ALL);
        for wanted in [of_commands, kills] {
            let some = events(&sample, wanted);
            let expected: Vec<&Event> = all.iter().filter(|event| wanted.has(event.kind.kind())).collect();
            assert!(some.iter().eq(expected.iter().copied()), "{}", sample.name);
            told += some.len();
        }
    }
    println!("{told} events told alike");
}

/// Time runs on over levels, and everything comes in the order of the stream.
#[test]
fn events_come_in_order() {
    for sample in fragreel_testkit::samples("quake3") {
        let all = events(&sample, Kinds::ALL);
        assert_eq!(all[0].kind.kind(), Kind::Level, "{}", sample.name);
        assert_eq!((all[0].time.0, all[0].message), (0, 0), "{}", sample.name);
        assert!(all.is_sorted_by_key(|event| event.time), "{}", sample.name);
        assert!(all[1..].is_sorted_by_key(|event| event.message), "{}", sample.name);
    }
}
