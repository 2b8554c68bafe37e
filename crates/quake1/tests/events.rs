//! Events held against what else the same recording says.

use std::collections::BTreeMap;

use model::{Channel, Event, EventKind, Evidence, Kind, Kinds, MatchState};
use quake1::Recording;
use testkit::Sample;
use wire::Limits;

fn all(sample: &Sample, wanted: Kinds) -> Vec<Event> {
    let bytes = sample.bytes();
    let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).expect("a recording");
    let mut events = Vec::new();
    let damage = recording.events(wanted, &mut |event| events.push(event));
    assert!(damage.is_empty(), "{}: {damage:?}", sample.name);
    events
}

/// Multi-view recordings of matches between people.
fn matches() -> Vec<Sample> {
    super::corpus::recordings().into_iter().filter(|sample| sample.extension() == "mvd" && sample.notes.contains("single/stats/all")).collect()
}

/// Every kill that is read out of a line is followed by the score that the server states: the killer's rises by one,
/// or, by his own hand or team, falls.
#[test]
fn kills_agree_with_scores() {
    let mut seen = 0;
    for sample in matches() {
        let events = all(&sample, [Kind::Kill, Kind::Score].into_iter().collect());
        let mut expected: BTreeMap<u16, i32> = BTreeMap::new();
        let mut stated: BTreeMap<u16, i32> = BTreeMap::new();
        let mut last: BTreeMap<u16, i32> = BTreeMap::new();
        for event in &events {
            match &event.kind {
                EventKind::Kill(kill) => {
                    let blamed = kill.attacker.as_ref().unwrap_or(&kill.victim);
                    let Some(slot) = blamed.slot else { panic!("{}: {} is not on the score board", sample.name, blamed.name) };
                    let own_fault = kill.attacker.as_ref().is_none_or(|attacker| attacker == &kill.victim) || kill.team_kill;
                    *expected.entry(slot).or_default() += if own_fault { -1 } else { 1 };
                }
                EventKind::Score { player: Some(player), score, .. } => {
                    let slot = player.slot.expect("a slot");
                    // the first score told may hold frags from before the recording: one of them is new
                    match last.insert(slot, *score) {
                        // a slot that is given to somebody else starts anew
                        Some(before) if (score - before).abs() > 2 => {}
                        Some(before) => *stated.entry(slot).or_default() += score - before,
                        None => *stated.entry(slot).or_default() += expected.get(&slot).map_or(0, |_| if *score > 0 { 1 } else { -1 }),
                    }
                }
                _ => {}
            }
        }
        // a frag or two may fall before the start or after the end of what was recorded, and `/kill` costs two
        let off: i32 = expected.iter().map(|(slot, sum)| (sum - stated.get(slot).unwrap_or(&0)).abs()).sum();
        let total: i32 = expected.values().map(|sum| sum.abs()).sum();
        assert!(off <= 2 + total / 20, "{}: kills say {expected:?}, the server {stated:?}", sample.name);
        seen += total;
    }
    assert!(seen > 300 || matches().is_empty());
}

/// KTX states the final score; the lines give the same.
#[test]
fn demo_info_agrees_with_lines() {
    let mut seen = 0;
    for sample in matches() {
        let events = all(&sample, Kinds::ALL);
        let Some((players, at)) = events.iter().find_map(|event| match &event.kind {
            EventKind::Scores { players, .. } if players.iter().any(|line| line.deaths.is_some()) => Some((players, event.time)),
            _ => None,
        }) else {
            continue;
        };
        let start = events.iter().find(|event| matches!(event.kind, EventKind::Match { state: MatchState::Started })).map(|event| event.time);
        for line in players {
            let deaths = events
                .iter()
                .filter(|event| event.time <= at && Some(event.time) >= start)
                .filter(|event| matches!(&event.kind, EventKind::Kill(kill) if kill.victim.slot == line.player.slot))
                .count() as i32;
            assert!((deaths - line.deaths.unwrap()).abs() <= 1, "{}: {} died {deaths} times, KTX says {:?}", sample.name, line.player.name, line.deaths);
            seen += deaths;
        }
    }
    assert!(seen > 50 || matches().is_empty());
}

/// What several readers get is told once.
#[test]
fn nothing_is_told_twice() {
    for sample in matches() {
        let events = all(&sample, [Kind::Chat, Kind::Kill, Kind::Match].into_iter().collect());
        for pair in events.windows(2) {
            if let (EventKind::Chat { text: a, from: who, .. }, EventKind::Chat { text: b, from: other, .. }) = (&pair[0].kind, &pair[1].kind) {
                assert!(pair[0].time != pair[1].time || a != b || who != other, "{}: {:?}", sample.name, pair[1]);
            }
        }
        let starts = events.iter().filter(|event| matches!(event.kind, EventKind::Match { state: MatchState::Started })).count();
        assert!(starts <= 1, "{}", sample.name);
    }
}

/// Fewer wanted kinds give the same events, only fewer.
#[test]
fn kinds_only_select() {
    for sample in testkit::samples("quake1").iter().chain(matches().iter().take(3)) {
        let everything = all(sample, Kinds::ALL);
        for kind in [Kind::Kill, Kind::Chat, Kind::Item, Kind::Join, Kind::Score, Kind::Level] {
            let some = all(sample, [kind].into_iter().collect());
            let expected: Vec<_> = everything.iter().filter(|event| event.kind.kind() == kind).cloned().collect();
            assert_eq!(some, expected, "{} {}", sample.name, kind.name());
        }
    }
}

#[test]
fn evidence_is_honest() {
    for sample in matches() {
        for event in all(&sample, Kinds::ALL) {
            match &event.kind {
                EventKind::Kill(_) | EventKind::Chat { .. } | EventKind::Flag { .. } => assert_eq!(event.evidence, Evidence::Inferred),
                EventKind::Damage { .. } | EventKind::Score { .. } | EventKind::Join { .. } | EventKind::Level { .. } => {
                    assert_eq!(event.evidence, Evidence::Stated);
                }
                _ => {}
            }
        }
    }
}

/// A small NetQuake game: who is there, what they say, and a death in three pieces.
#[test]
fn netquake_lines_are_put_together() {
    let mut file = b"-1\n".to_vec();
    let mut block = |data: &[u8]| {
        file.extend((data.len() as u32).to_le_bytes());
        file.extend([0; 12]);
        file.extend(data);
    };
    block(b"\x0b\x0f\0\0\0\x04\x01Level\0maps/dm3.bsp\0\0\0\x0d\0alice\0\x0d\x01bob\0\x05\x01\0");
    block(b"\x07\0\0\x80\x3f");
    block(b"\x07\0\0\0\x40\x08alice\0\x08 rides \0\x08bob's rocket\n\0\x08\x01bob: ha\n\0\x08You got the \0\x08nailgun\n\0");
    block(b"\x0d\x01robert\0\x0d\0\0\x02");
    let recording = Recording::open(&file, Some("dem"), Limits::default()).unwrap();
    let mut events = Vec::new();
    assert!(recording.events(Kinds::ALL, &mut |event| events.push(event)).is_empty());
    let told: Vec<_> = events.iter().map(|event| event.kind.kind().name()).collect();
    assert_eq!(told, ["level", "kill", "chat", "item", "rename", "leave"]);
    let EventKind::Kill(kill) = &events[1].kind else { panic!() };
    assert_eq!((kill.attacker.as_ref().unwrap().name.clean.as_str(), kill.victim.name.clean.as_str(), kill.means.as_ref()), ("bob", "alice", "rl"));
    assert_eq!((events[1].time.0, events[1].server_time.0, events[1].message), (1000, 2000, 2));
    let EventKind::Chat { channel, text, .. } = &events[2].kind else { panic!() };
    assert_eq!((*channel, text.clean.as_str()), (Channel::Public, "ha"));
}
