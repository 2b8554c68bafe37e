//! Packets that come late or twice. id's client records them before it drops them (`docs/formats/quake1.md`, "Late packets").

use fragreel_base::wire::Limits;
use fragreel_model::{Event, FindingKind, FrameOptions, Grade, Kinds, Range, RoundTrip, Selection};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Container, Framing, write_block};

use super::made::{blocks, sample, server_info, time};

const SAMPLE: &str = "quakeworld_plain_dm3.qwd";

fn open(bytes: &[u8]) -> Recording<'_> {
    Recording::open(bytes, Some("qwd"), Limits::default()).expect("a recording")
}

/// The blocks of the sample, and the positions of the received packets behind the signon.
fn parts() -> (Vec<(Framing, Vec<u8>)>, Vec<usize>) {
    let bytes = sample(SAMPLE);
    let parts: Vec<(Framing, Vec<u8>)> = open(&bytes).blocks().map(Result::unwrap).map(|block| (block.framing, block.data.to_vec())).collect();
    let signon = parts.iter().position(|(framing, _)| matches!(framing, Framing::Sequences { .. })).expect("a signon");
    let packets = (signon..parts.len()).filter(|&at| matches!(parts[at].0, Framing::Packet { .. }) && parts[at].1[..4] != [0xff; 4]).collect();
    (parts, packets)
}

fn written(parts: &[(Framing, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    parts.iter().for_each(|(framing, data)| write_block(&mut bytes, Container::QuakeWorld, framing, data));
    bytes
}

/// Everything that a recording shows, without the numbers of blocks.
fn shown(bytes: &[u8]) -> (u64, Vec<String>, Vec<String>) {
    let recording = open(bytes);
    let mut events = Vec::new();
    recording.events(Kinds::ALL).for_each(|event: Event| events.push(format!("{:?} {:?} {:?}", event.time, event.match_time, event.kind)));
    let frames = recording.frames(FrameOptions::default()).map(|frame| format!("{:?} {:?} {:?}", frame.time, frame.server_time, frame.players)).collect();
    (recording.info().snapshots, events, frames)
}

#[test]
fn packets_that_come_twice_show_nothing() {
    let (parts, packets) = parts();
    let (before, mut doubled) = (written(&parts), parts.clone());
    // from behind, so that positions before stay
    for &at in packets[40..packets.len() - 40].iter().step_by(7).rev() {
        doubled.insert(at + 1, parts[at].clone());
    }
    let bytes = written(&doubled);
    assert_eq!(shown(&bytes), shown(&before));
    let recording = open(&bytes);
    let report = recording.verify();
    assert!(report.damage.is_empty() && report.round_trip == RoundTrip::Identical);
    assert_eq!(report.snapshots, open(&before).verify().snapshots);
    let audit = recording.audit();
    assert_eq!(audit.grade, open(&before).audit().grade, "{:?}", audit.findings);
    assert!(audit.findings.iter().any(|found| found.kind == FindingKind::SequenceFall && found.grade == Grade::Normal));
    // they stay in the bytes, and `explain` shows them
    let explained = recording.explain(Selection::All).count();
    assert!(explained >= doubled.len(), "{explained}");
    assert_eq!(recording.repair().unwrap().bytes, bytes);
}

/// A packet that another one overtakes is a lost packet to the client.
#[test]
fn packets_that_come_late_show_nothing() {
    let (parts, packets) = parts();
    let (mut late, mut lost) = (parts.clone(), parts.clone());
    let victim = packets[packets.len() / 2];
    let next = *packets.iter().find(|&&at| at > victim).unwrap();
    let data = std::mem::take(&mut late[victim].1);
    late[victim].1 = std::mem::replace(&mut late[next].1, data);
    // where the late packet came: nothing but the packet that overtook it
    lost[victim].1 = lost[next].1.clone();
    lost.remove(next);
    assert_eq!(shown(&written(&late)).1, shown(&written(&lost)).1);
    let bytes = written(&late);
    let audit = open(&bytes).audit();
    assert!(audit.findings.iter().all(|found| found.kind != FindingKind::SequenceFall || found.grade == Grade::Normal), "{:?}", audit.findings);
}

#[test]
fn many_doubled_packets_are_an_edit() {
    let (mut parts, packets) = parts();
    let (from, to) = (packets[packets.len() / 2], packets[packets.len() / 2 + 20]);
    let again = parts[from..to].to_vec();
    parts.splice(to..to, again);
    let bytes = written(&parts);
    let audit = open(&bytes).audit();
    assert!(audit.findings.iter().any(|found| found.kind == FindingKind::SequenceFall && found.grade == Grade::Edited), "{:?}", audit.findings);
}

/// A server compares a turn before it rounds it to a byte.
#[test]
fn a_turn_that_rounds_to_nothing_is_sent() {
    let baseline = [&[22u8, 3, 0][..], &[1, 0, 0, 0], &[0; 9]].concat();
    let mut made = vec![[server_info(15, 1), baseline].concat()];
    for at in 0..300u16 {
        let turned = if at < 200 { Vec::new() } else { vec![0x90, 3, 0] };
        made.push([time(f32::from(at) / 20.0), turned].concat());
    }
    let bytes = blocks(&made);
    let recording = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    let report = recording.verify();
    assert!(report.damage.is_empty(), "{:?}", report.damage);
    assert_eq!((report.canonical_attempted, report.canonical_identical), (100, 100));
    assert!(recording.audit().findings.iter().all(|found| found.kind != FindingKind::NotCanonical));
}

/// Events, frames and the parts of an edit follow one match clock.
#[test]
fn every_route_has_one_match_clock() {
    let mut compared = 0;
    for sample in fragreel_testkit::samples("quake1") {
        let bytes = sample.bytes();
        let recording = Recording::open(&bytes, Some(&sample.extension()), Limits::default()).unwrap();
        let mut events = Vec::new();
        recording
            .events(Kinds::ALL)
            .for_each(|event: Event| events.push((event.time, event.match_time, matches!(event.kind, fragreel_model::EventKind::Match { .. }))));
        let changes: Vec<_> = events.iter().filter(|event| event.2).map(|event| event.0).collect();
        let frames: Vec<_> = recording.frames(FrameOptions::default()).map(|frame| (frame.time, frame.match_time)).collect();
        for (time, in_match, _) in events.iter().filter(|event| !changes.contains(&event.0)) {
            for (_, shown) in frames.iter().filter(|frame| frame.0 == *time) {
                assert_eq!(shown, in_match, "{} at {time:?}", sample.name);
                compared += 1;
            }
        }
        let clock = |at: &dyn Fn(&[fragreel_model::Milliseconds]) -> fragreel_model::Milliseconds| {
            let times: Vec<_> = frames.iter().filter_map(|frame| frame.1).collect();
            (!times.is_empty()).then(|| at(&times))
        };
        if let Some(last) = clock(&|times| *times.iter().max().unwrap()) {
            let range =
                |from, to| Range { clock: fragreel_model::Clock::Match, from: fragreel_model::Milliseconds(from), to: fragreel_model::Milliseconds(to) };
            assert!(recording.cut(range(last.0, last.0 + 1)).is_ok(), "{}", sample.name);
            assert!(recording.cut(range(last.0 + 60_000, last.0 + 61_000)).is_err(), "{}", sample.name);
        }
    }
    assert!(compared > 50, "{compared}");
}
