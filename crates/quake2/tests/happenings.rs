//! Events of the corpus.

use std::collections::BTreeMap;

use fragreel_base::wire::Limits;
use fragreel_model::{Event, EventKind, Kind, Kinds};
use fragreel_quake2::Recording;
use fragreel_testkit::Sample;

fn all(sample: &Sample, kinds: Kinds) -> Vec<Event> {
    let bytes = sample.bytes();
    let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
    let mut events = Vec::new();
    events.extend(recording.events(kinds));
    events
}

fn sample(name: &str) -> Option<Sample> {
    fragreel_testkit::corpus("quake2").into_iter().find(|sample| sample.name.ends_with(name))
}

#[test]
fn every_recording_tells_something() {
    for sample in fragreel_testkit::corpus("quake2") {
        let events = all(&sample, Kinds::ALL);
        let mut counts = BTreeMap::new();
        for event in &events {
            *counts.entry(event.kind.kind().name()).or_insert(0) += 1;
        }
        assert!(counts.get("level").is_some_and(|&count| count > 0), "{}", sample.name);
        let times: Vec<i64> = events.iter().map(|event| event.time.0).collect();
        assert!(times.is_sorted(), "{}", sample.name);
    }
}

/// Passing over states must not change any other event.
#[test]
fn skimming_tells_the_same() {
    let cheap: Kinds = Kind::ALL.iter().copied().filter(|kind| ![Kind::Score, Kind::Item, Kind::Weapon].contains(kind)).collect();
    for sample in fragreel_testkit::corpus("quake2") {
        let mut full = all(&sample, Kinds::ALL);
        full.retain(|event| cheap.has(event.kind.kind()));
        assert_eq!(all(&sample, cheap), full, "{}", sample.name);
    }
}

/// The deaths and the public chat that three clients of a match received are the same.
#[test]
fn viewpoints_agree_on_what_was_printed() {
    let mut told = Vec::new();
    for name in ["yq2dm_Alice.dm2", "yq2dm_Bob.dm2", "yq2dm_Carol.dm2"] {
        let Some(sample) = sample(name) else { return };
        let events = all(&sample, [Kind::Kill].into_iter().collect());
        told.push(events.iter().map(|event| (event.server_time, format!("{:?}", event.kind))).collect::<Vec<_>>());
    }
    assert!(told[0].len() >= 3, "{}", told[0].len());
    for other in &told[1..] {
        let from = other.first().map(|(time, _)| *time);
        let to = other.last().map(|(time, _)| *time);
        let same: Vec<_> = told[0].iter().filter(|(time, _)| Some(*time) >= from && Some(*time) <= to).cloned().collect();
        assert_eq!(&same, other);
    }
}

/// Every filter gives what the filter of all gives.
#[test]
fn a_filter_changes_no_answer() {
    for sample in fragreel_testkit::samples("quake2").into_iter().chain(fragreel_testkit::corpus("quake2")).filter(|sample| sample.bytes().len() < 200_000) {
        let full = all(&sample, Kinds::ALL);
        for &kind in Kind::ALL {
            let wanted: Vec<&Event> = full.iter().filter(|event| event.kind.kind() == kind).collect();
            assert_eq!(all(&sample, [kind].into_iter().collect()).iter().collect::<Vec<_>>(), wanted, "{} {kind:?}", sample.name);
        }
    }
}

/// Nothing that reads like a death in Action Quake II stays a line, and every kill is somebody's.
#[test]
fn action_quake_deaths_are_kills() {
    let words = [
        "thanks to",
        "buckshot",
        "hole-y",
        " via ",
        "throat",
        "flying knife",
        "sniper bullet",
        "picked off",
        "sawed",
        "trepanned",
        "John Woo",
        "legless",
        "Bruce Lee",
    ];
    let (mut kills, mut placed) = (0, 0);
    for name in ["asylum.mvd2.gz", "srv_aq2_beer_bots.dm2", "AQtion-ramp-jumping-guide.dm2", "mvd_aq2_beer_z.mvd2.gz"] {
        let Some(sample) = sample(name) else { return };
        for event in all(&sample, [Kind::Kill, Kind::Print].into_iter().collect()) {
            match event.kind {
                EventKind::Kill(kill) => {
                    assert!(kill.victim.slot.is_some(), "{name}: {kill:?}");
                    kills += 1;
                    placed += usize::from(kill.place.is_some());
                }
                EventKind::Print { text } => assert!(!words.iter().any(|word| text.clean.contains(word)), "{name}: {text:?}"),
                _ => {}
            }
        }
    }
    assert!(kills > 130 && placed > 80, "{kills} kills, {placed} with a place");
}

/// The last scoreboard and the frags counted agree in a match without deaths that take points.
#[test]
fn a_duel_is_told() {
    let Some(sample) = sample("myr.dm2") else { return };
    let events = all(&sample, Kinds::ALL);
    let kills: Vec<_> = events.iter().filter_map(|event| if let EventKind::Kill(kill) = &event.kind { Some(kill) } else { None }).collect();
    assert!(kills.len() > 20, "{}", kills.len());
    assert!(kills.iter().all(|kill| kill.victim.slot.is_some()));
    assert!(events.iter().any(|event| matches!(event.kind, EventKind::Chat { .. })));
    assert!(events.iter().any(|event| matches!(event.kind, EventKind::Item { .. })));
}
