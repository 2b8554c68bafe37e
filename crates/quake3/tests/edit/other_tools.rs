//! Recordings that another tool cut, beside what we cut from the same.

use std::collections::BTreeMap;

use fragreel_model::{Clock, Milliseconds, Range};
use fragreel_quake3::Recording;
use fragreel_quake3::state::{STRINGS, State};
use fragreel_quake3::walk::{Visitor, visit};

use super::{open, whole};

/// All that a frame shows, by server time, and strings at the end.
#[derive(Default)]
struct Shown {
    frames: BTreeMap<i32, Frame>,
}

#[derive(PartialEq)]
struct Frame {
    player: Vec<u32>,
    entities: Vec<(u16, Vec<u32>)>,
    strings: Vec<(usize, Vec<u8>)>,
}

impl Visitor for Shown {
    fn snapshot(&mut self, state: &State, _: &fragreel_quake3::message::Snapshot) {
        let snapshot = state.snapshot().unwrap();
        let player = snapshot.player.row.iter().chain(snapshot.player.arrays.as_flattened()).copied().collect();
        let entities = state.entities().map(|(number, row)| (number, row.to_vec())).collect();
        // other tools show bytes above 127 and per cents as engines do
        let shown = |text: &[u8]| text.iter().map(|&byte| if byte > 127 || byte == b'%' { b'.' } else { byte }).collect();
        let strings = (0..STRINGS).filter(|&index| !state.string(index).is_empty()).map(|index| (index, shown(state.string(index)))).collect();
        self.frames.insert(snapshot.server_time, Frame { player, entities, strings });
    }
}

fn shown(recording: &Recording<'_>) -> Shown {
    let mut shown = Shown::default();
    visit(recording.bytes(), recording.dialect(), &mut shown);
    shown
}

#[test]
fn what_another_tool_cut_shows_what_ours_shows() {
    let corpus = fragreel_testkit::corpus("quake3");
    let mut compared = 0;
    for cut in corpus.iter().filter(|sample| sample.name.contains("_CUT_")) {
        let Some(source) = corpus.iter().find(|source| cut.name.split("_CUT_").next() == source.name.strip_suffix(".dm_68")) else { continue };
        let (theirs, source_bytes) = (cut.bytes(), source.bytes());
        let (theirs, recording) = (open(&cut.name, &theirs, "dm_68"), open(&source.name, &source_bytes, "dm_68"));
        let theirs = shown(&theirs);
        let (Some(first), Some(last)) = (theirs.frames.keys().next(), theirs.frames.keys().last()) else { panic!("{}: no frames", cut.name) };
        let range = Range { clock: Clock::Server, from: Milliseconds(i64::from(*first)), to: Milliseconds(i64::from(*last)) };
        let edited = recording.cut(range).unwrap_or_else(|error| panic!("{}: {error}", cut.name));
        let ours = shown(&whole(&cut.name, &edited));
        // the other tool leaves out a frame here and there
        let times: Vec<_> = theirs.frames.keys().filter(|time| ours.frames.contains_key(time)).collect();
        assert!(times.len() == theirs.frames.len() && ours.frames.len() <= times.len() + 2, "{}: {} and {}", cut.name, theirs.frames.len(), ours.frames.len());
        for time in times {
            let (a, b) = (&theirs.frames[time], &ours.frames[time]);
            assert!(a.player == b.player && a.entities == b.entities, "{} at {time}", cut.name);
            let differing: Vec<_> =
                a.strings.iter().filter(|string| !b.strings.contains(string)).chain(b.strings.iter().filter(|string| !a.strings.contains(string))).collect();
            assert!(differing.is_empty(), "{} at {time}: {differing:?}", cut.name);
        }
        compared += 1;
    }
    eprintln!("{compared} compared");
    assert!(corpus.is_empty() || compared >= 2, "{compared}");
}
