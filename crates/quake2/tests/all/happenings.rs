//! Events of the corpus.

use std::collections::BTreeMap;

use model::{Event, EventKind, Kind, Kinds};
use quake2::Recording;
use testkit::Sample;
use wire::Limits;

fn all(sample: &Sample, kinds: Kinds) -> Vec<Event> {
    let bytes = sample.bytes();
    let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
    let mut events = Vec::new();
    recording.events(kinds, &mut |event| events.push(event));
    events
}

fn sample(name: &str) -> Option<Sample> {
    testkit::corpus("quake2").into_iter().find(|sample| sample.name.ends_with(name))
}

#[test]
fn every_recording_tells_something() {
    for sample in testkit::corpus("quake2") {
        let events = all(&sample, Kinds::ALL);
        let mut counts = BTreeMap::new();
        for event in &events {
            *counts.entry(event.kind.kind().name()).or_insert(0) += 1;
        }
        eprintln!("{}: {counts:?}", sample.name);
        if std::env::var("SHOW").is_ok() {
            let mut shown = BTreeMap::new();
            for event in &events {
                let n = shown.entry(event.kind.kind().name()).or_insert(0);
                *n += 1;
                if *n < 12 {
                    eprintln!("   {} {:?}", event.time, event.kind);
                }
            }
        }
        assert!(counts.get("level").is_some_and(|&count| count > 0), "{}", sample.name);
        let times: Vec<i64> = events.iter().map(|event| event.time.0).collect();
        assert!(times.is_sorted(), "{}", sample.name);
    }
}

/// Passing over states must not change what is told of everything else.
#[test]
fn skimming_tells_the_same() {
    let cheap: Kinds = Kind::ALL.iter().copied().filter(|kind| ![Kind::Score, Kind::Item, Kind::Weapon].contains(kind)).collect();
    for sample in testkit::corpus("quake2") {
        let mut full = all(&sample, Kinds::ALL);
        full.retain(|event| cheap.has(event.kind.kind()));
        assert_eq!(all(&sample, cheap), full, "{}", sample.name);
    }
}

/// Everything that three clients of a match were told of deaths and public chat is the same.
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
