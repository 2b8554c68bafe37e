//! Merging viewpoints of one match.

use std::collections::BTreeMap;

use fragreel_model::FindingKind;
use fragreel_quake3::Recording;
use fragreel_quake3::state::State;
use fragreel_quake3::walk::{Visitor, visit};

use super::engine::play;
use super::{everything, open, whole};

/// Entities by server time.
#[derive(Default)]
struct Entities {
    frames: BTreeMap<i32, BTreeMap<u16, Vec<u32>>>,
    own: BTreeMap<i32, u16>,
    levels: u32,
}

impl Visitor for Entities {
    fn gamestate(&mut self, _: &State, _: &fragreel_quake3::message::Gamestate) {
        self.levels += 1;
    }
    fn snapshot(&mut self, state: &State, _: &fragreel_quake3::message::Snapshot) {
        let time = state.snapshot().unwrap().server_time;
        self.frames.insert(time, state.entities().map(|(number, row)| (number, row.to_vec())).collect());
        let at = fragreel_quake3::fields::find(state.dialect().player, "clientNum");
        self.own.insert(time, state.snapshot().unwrap().player.row[at] as u16);
    }
}

fn entities(recording: &Recording<'_>) -> Entities {
    let mut entities = Entities::default();
    visit(recording.bytes(), recording.dialect(), &mut entities);
    entities
}

#[test]
fn viewpoints_of_one_match_show_what_each_saw() {
    let samples: Vec<_> =
        everything().into_iter().filter(|sample| !sample.damaged && sample.bytes().len() < 2_000_000).map(|sample| (sample.bytes(), sample)).collect();
    let recordings: Vec<_> = samples.iter().map(|(bytes, sample)| open(&sample.name, bytes, &sample.extension())).collect();
    let levels: Vec<_> = recordings.iter().map(|recording| (recording.info().maps, recording.info().server)).collect();
    let mut merged = 0;
    for (a, base) in recordings.iter().enumerate() {
        for (b, other) in recordings.iter().enumerate().filter(|(b, _)| *b != a && levels[a] == levels[*b]) {
            let name = format!("{} + {}", samples[a].1.name, samples[b].1.name);
            let Ok(edited) = Recording::merge(&[base, other]) else { continue };
            let together = whole(&name, &edited);
            let merges = |recording: &Recording<'_>| recording.audit().findings.iter().filter(|finding| finding.kind == FindingKind::Merge).count();
            assert_eq!((merges(base), merges(&together), together.audit().grade), (0, 1, base.audit().grade), "{name}: a merge is recognized");
            assert!(base.repair().unwrap().bytes != base.bytes() || together.repair().unwrap().bytes == together.bytes(), "{name}: whole stays whole");
            let played = play(&together).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(played.frames, play(base).unwrap().frames, "{name}: commands and times are the base's");
            let (first, second, both) = (entities(base), entities(other), entities(&together));
            if first.levels > 1 || second.levels > 1 {
                continue;
            }
            for (time, shown) in &both.frames {
                let own = first.own[time];
                for (number, row) in &first.frames[time] {
                    assert_eq!(shown.get(number), Some(row), "{name}: {number} at {time}");
                }
                let Some(seen) = second.frames.get(time) else { continue };
                for (number, row) in seen.iter().filter(|(number, _)| **number != own && !first.frames[time].contains_key(number)) {
                    assert_eq!(shown.get(number), Some(row), "{name}: {number} at {time}");
                }
            }
            merged += 1;
        }
    }
    eprintln!("{merged} pairs merged");
    assert!(merged >= 2 || fragreel_testkit::corpus("quake3").is_empty(), "{merged}");
}
