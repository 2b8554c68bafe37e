//! Converting: there and back, and the events that a match has in any protocol.

use fragreel_model::{EventKind, Kinds, Target};
use fragreel_quake3::Recording;

use super::engine::play;
use super::{agree, each_kind, open, whole};

fn to(format: &str) -> Target {
    Target { format: Some(format.to_owned()), pov: None }
}

/// Kills and chat, without what a protocol adds.
fn told(recording: &Recording<'_>) -> Vec<String> {
    let mut told = Vec::new();
    recording.events(Kinds::ALL).for_each(|event| {
        let time = event.server_time.0;
        match event.kind {
            EventKind::Kill(kill) => told.push(format!("{time} {:?} {:?} {}", kill.attacker.map(|attacker| attacker.slot), kill.victim.slot, kill.means)),
            EventKind::Chat { text, .. } => told.push(format!("{time} {}", text.clean)),
            EventKind::Item { player, item, .. } => told.push(format!("{time} {:?} {item}", player.slot)),
            EventKind::Score { .. } | EventKind::Match { .. } => told.push(format!("{time} {:?}", event.kind)),
            _ => {}
        }
    });
    told
}

#[test]
fn recordings_of_one_kind_go_there_and_come_back() {
    each_kind(|sample, recording| {
        let protocol = recording.dialect().protocol;
        if sample.damaged || !(66..=71).contains(&protocol) {
            return;
        }
        for target in [66, 67, 68, 71].into_iter() {
            let name = format!("{} to {target}", sample.name);
            let there = recording.convert(&to(&format!("dm_{target}"))).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(there.extension, format!("dm_{target}"), "{name}");
            let converted = whole(&name, &there);
            agree(&name, &recording.compare(&converted));
            play(&converted).unwrap_or_else(|error| panic!("{name}: {error}"));
            let back = converted.convert(&to(&protocol.to_string())).unwrap_or_else(|error| panic!("{name}: {error}"));
            let again = whole(&name, &back);
            let frames = agree(&name, &recording.compare(&again));
            assert_eq!(frames, play(&recording).map_or(frames, |played| played.frames.len() as u64), "{name}");
            // what players of fewer entities need again is not sent back
            if there.losses.is_empty() && !there.actions.iter().any(|action| action.to_string().contains("delta base")) {
                let end = back.bytes.len() - 8;
                assert!(recording.bytes().starts_with(&back.bytes[..end]) || back.bytes != there.bytes, "{name}");
            }
        }
    });
}

#[test]
fn older_protocols_become_later_ones() {
    become_later(3);
}

#[test]
#[ignore = "nightly"]
fn all_recordings_of_older_protocols_become_later_ones() {
    become_later(usize::MAX);
}

/// Converts the shortest recordings of each protocol, this number of them.
fn become_later(count: usize) {
    let mut seen = std::collections::BTreeMap::new();
    let mut samples: Vec<_> = fragreel_testkit::corpus("quake3").into_iter().map(|sample| (sample.bytes(), sample)).collect();
    samples.sort_by_key(|(bytes, _)| bytes.len());
    for (bytes, sample) in samples {
        let recording = open(&sample.name, &bytes, &sample.extension());
        let protocol = recording.dialect().protocol;
        if sample.damaged || (66..=71).contains(&protocol) || protocol == 91 {
            continue;
        }
        let number: &mut usize = seen.entry(protocol).or_default();
        *number += 1;
        if *number > count {
            continue;
        }
        let edited = recording.convert(&Target::default()).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let converted = whole(&sample.name, &edited);
        assert_eq!(converted.dialect().protocol, if protocol < 66 { 68 } else { 91 }, "{}", sample.name);
        let frames = agree(&sample.name, &recording.compare(&converted));
        assert!(frames > 100, "{}", sample.name);
        let played = play(&converted).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert_eq!(played.frames.len() as u64, frames, "{}", sample.name);
        let (before, after) = (told(&recording), told(&converted));
        let missing: Vec<_> = before.iter().filter(|line| !after.contains(line)).take(5).collect();
        assert!(before == after, "{}: {} and {}; missing {missing:?}", sample.name, before.len(), after.len());
    }
    assert!(fragreel_testkit::corpus("quake3").is_empty() || [43, 45, 48, 73, 90].iter().all(|protocol| seen.contains_key(protocol)), "{seen:?}");
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let sample = &fragreel_testkit::samples("quake3")[0];
    let bytes = sample.bytes();
    let recording = open(&sample.name, &bytes, &sample.extension());
    for format in ["dm_91", "dm_48", "dm3", "dem", "1000"] {
        let error = recording.convert(&to(format)).unwrap_err();
        assert!(error.detail().contains("dm_68") && error.detail().contains("dm_71"), "{error}");
    }
    assert!(recording.convert(&Target { format: None, pov: Some(String::from("1")) }).is_err());
}
