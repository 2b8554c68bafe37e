//! Properties of the crate over arbitrary bytes: what fuzz targets and the seeds' tests run. Not part of the API.

pub mod assemble;
mod text_form;

pub use text_form::{in_windows, text_form};

use fragreel_base::wire::{Limits, ReadBits, Wire, WriteBits};
use fragreel_model::{Clock, Fate, Kinds, Milliseconds, Place, Range, Rewrite, Role, RoundTrip, Selection, Split, Target, When};

use crate::container::{Container, MacroKind, Step};
use crate::dialect::Dialect;
use crate::fields::Structure;
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::message::{self, Message, Pool};
use crate::recording::Recording;
use crate::state::State;
use crate::walk::input::Input;
use crate::walk::playback::{Playback, Visitor};

/// A whole recording of 2 frames.
pub fn tiny_recording() -> Vec<u8> {
    assemble::recording(assemble::Plan::default())
}

/// The container: every macro lies inside of the file, they follow one another, and nothing is looked at twice.
pub fn container(data: &[u8]) {
    let Ok(container) = Container::open(data, &Limits::default()) else { return };
    let mut covered = 0;
    for window in container.macros().filter_map(Step::found) {
        assert!(window.end() <= data.len());
        assert_eq!(&data[window.body_offset()..window.end()], window.body);
        covered += window.end() - window.offset;
    }
    assert!(covered <= data.len(), "segments overlap");
}

/// Everything that can be read is written back as it was.
pub fn round_trip(data: &[u8]) {
    let Ok(recording) = Recording::open(data, None, Limits::default()) else { return };
    let report = recording.verify();
    assert_eq!(report.round_trip, RoundTrip::Identical, "{:?}", report.first_difference);
    assert!(report.canonical_identical <= report.canonical_attempted);
}

/// The first byte chooses the network protocol; the rest are messages behind a signon. Messages that can be read are
/// written back as they were, and a trace that has read nothing before reads what reading into used buffers reads.
pub fn message(data: &[u8]) {
    let Some((&choice, data)) = data.split_first() else { return };
    let network = [48, 43, 45, 46, 47][usize::from(choice) % 5];
    let mut context = prepared(network, choice & 0x80 != 0);
    let mut reader = ReadBits::new(data);
    let mut trace = fragreel_base::wire::Trace::new(ReadBits::new(data));
    let mut pool = Pool::default();
    let mut found = Message::default();
    while reader.more(true) {
        let from = (reader.position() / 8) as usize;
        let result = message::code(&mut reader, &context, &mut found, &mut pool);
        let mut fresh = Message::default();
        let traced = message::code(&mut trace, &context, &mut fresh, &mut Pool::default());
        assert_eq!(result, traced, "tracing changes what is read");
        if result.is_err() {
            return;
        }
        // as text: a NaN is not equal to itself
        assert_eq!(format!("{found:?}"), format!("{fresh:?}"), "what was read before shows");
        let to = (reader.position() / 8) as usize;
        let mut writer = WriteBits::default();
        let Ok(()) = message::code(&mut writer, &context, &mut found, &mut pool);
        assert_eq!(writer.finish(), &data[from..to], "{found:?}");
        if context.observe(&found).is_err() {
            return;
        }
    }
}

/// The answers that need no state agree between ways of asking, and asking never fails on damage.
pub fn events(data: &[u8]) {
    let Ok(recording) = Recording::open(data, None, Limits::default()) else { return };
    let mut all = Vec::new();
    let mut walk = recording.events(Kinds::ALL);
    walk.by_ref().for_each(|event| all.push(event));
    let damage = walk.damage();
    for &kind in fragreel_model::Kind::ALL {
        let mut some = Vec::new();
        recording.events(Kinds::from_iter([kind])).for_each(|event| some.push(event));
        let expected: Vec<_> = all.iter().filter(|event| event.kind.kind() == kind).cloned().collect();
        assert_eq!(some, expected, "asking for {kind:?} alone gives something else");
        let mut others = Vec::new();
        recording.events(fragreel_model::Kind::ALL.iter().copied().filter(|other| *other != kind).collect()).for_each(|event| others.push(event));
        let expected: Vec<_> = all.iter().filter(|event| event.kind.kind() != kind).cloned().collect();
        assert_eq!(others, expected, "asking for all but {kind:?} gives something else");
    }
    let info = recording.info();
    assert!(info.damage.len() <= damage.len() + 1);
    recording.usercmds().for_each(drop);
}

/// State and explanation of anything, at any time.
pub fn state(data: &[u8]) {
    let Ok(recording) = Recording::open(data, None, Limits::default()) else { return };
    for time in [-1, 0, 100, i64::MAX] {
        let _ = recording.state_at(When::Demo(Milliseconds(time)));
        let _ = recording.state_at(When::Server(Milliseconds(time)));
    }
    without_trees(recording.input());
    let options = fragreel_model::FrameOptions::default().entities(fragreel_model::EntityKinds::ALL);
    let frames: Vec<fragreel_model::Frame> = recording.frames(options).collect();
    assert!(frames.iter().all(|frame| frame.time.0 >= 0));
    assert!(frames.windows(2).all(|pair| pair[0].message < pair[1].message && pair[0].level <= pair[1].level));
    let mut walk = recording.frames(options);
    assert_eq!(walk.seek(When::Demo(Milliseconds(0))), !frames.is_empty());
    assert!(walk.clone().next().is_some() || frames.is_empty());
    let mut macros = 0;
    for explained in recording.explain(Selection::All) {
        let mut at = 0;
        for part in &explained.parts {
            assert!(part.from_bit >= at && part.to_bit <= explained.length * 8);
            at = part.to_bit;
        }
        macros += 1;
    }
    assert_eq!(macros, recording.container().macros().filter_map(Step::found).count());
}

/// A visitor that gets all messages as trees.
struct Trees;

impl Visitor for Trees {}

/// Deltas that are read without trees leave the state that trees leave, and passing over macros changes nothing.
fn without_trees(input: &Input) {
    let is_shown = |step: &Step| !matches!(step, Step::Macro { window, .. } if !matches!(window.kind, MacroKind::Data | MacroKind::Packet));
    let (mut trees, mut direct) = (Playback::new(input), Playback::new(input));
    loop {
        let expected = std::iter::from_fn(|| trees.next()).find(&is_shown);
        let mut found = std::iter::from_fn(|| {
            direct.pass(|window| !matches!(window.kind, MacroKind::Data | MacroKind::Packet));
            direct.next()
        });
        let found = found.find(&is_shown);
        assert_eq!((trees.now(), trees.offset()), (direct.now(), direct.offset()));
        let (expected, found) = match (expected, found) {
            (None, None) => return,
            (Some(Step::Macro { number, window, .. }), Some(Step::Macro { number: same, window: found, .. })) if number == same => (window, found),
            (Some(Step::Damage(expected)), Some(Step::Damage(found))) if expected == found => continue,
            different => panic!("{different:?}"),
        };
        assert_eq!(trees.visit(&expected, &mut Trees), direct.play(&found));
        assert_eq!((trees.server_time().to_bits(), trees.last_good()), (direct.server_time().to_bits(), direct.last_good()));
        assert_eq!((trees.good_bytes(), trees.skipped()), (direct.good_bytes(), direct.skipped()));
        assert_eq!(shown(&trees.state), shown(&direct.state));
    }
}

/// The entities of the last frame, and without a structure the recording player's own row and weapons, each with the words of its row.
fn shown(state: &State) -> Vec<(u16, Option<Structure>, &[u32])> {
    let entities = state.frame().iter().map(|entity| (entity.number, Some(entity.structure), state.row(entity.row)));
    let (client, weapons) = state.client().unzip();
    let own = client.map(|row| (u16::MAX, None, state.row(row)));
    let weapons = weapons.into_iter().flatten().map(|&(index, row)| (u16::from(index), None, state.row(row)));
    entities.chain(own).chain(weapons).collect()
}

/// What repair makes needs no more repair, and loses nothing that was whole.
pub fn repair(data: &[u8]) {
    let Ok(recording) = Recording::open(data, None, Limits::default()) else { return };
    let Ok(repaired) = recording.repair() else { return };
    assert!(!repaired.actions.is_empty() || repaired.bytes == data);
    let again = Recording::open(&repaired.bytes, None, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again.container().damage, [], "{:?}", repaired.actions);
    let second = again.repair().unwrap_or_else(|error| panic!("{error}"));
    let left: Vec<_> = second.actions.iter().filter(|action| **action != fragreel_model::Action::LoadingNotFound).collect();
    assert!(left.is_empty(), "{left:?} after {:?}", repaired.actions);
    let count = |recording: &Recording| {
        let macros: Vec<_> = recording.container().macros().filter_map(Step::found).collect();
        let repeated = macros.windows(2).filter(|pair| crate::walk::findings::is_repeated(&pair[0], &pair[1], recording.dialect()));
        macros.len() - repeated.count()
    };
    assert!(count(&again) >= count(&recording));
}

/// Random edits of whole recordings, and any edit of anything: what comes out is whole when its source was, and shows the
/// same wherever nothing was to change. The first bytes choose the edit, the rest is a recording.
pub fn edit(data: &[u8]) {
    let Some((choice, data)) = data.split_first_chunk::<4>() else { return };
    let Ok(recording) = Recording::open(data, None, Limits::default()) else { return };
    let [kind, from, to, seed] = *choice;
    let whole = recording.verify().is_whole();
    let edited = match kind % 6 {
        0 | 1 => {
            let clock = [Clock::Demo, Clock::Server, Clock::Match][usize::from(seed) % 3];
            let last = recording.info().duration.map_or(0, |duration| duration.0.clamp(0, 1 << 32));
            let start = if clock == Clock::Server { recording.state_at(When::Demo(Milliseconds(0))).map_or(0, |moment| moment.server_time.0) } else { 0 };
            let at = |share: u8| Milliseconds(start.saturating_add(last * i64::from(share) / 255));
            recording.cut(Range { clock, from: at(from.min(to)), to: at(from.max(to)) }).into_iter().collect()
        }
        2 => recording.rewrite(&mut Dropped { kinds: from, texts: to, seed }).into_iter().collect(),
        3 => recording.split([Split::Level, Split::Gamestate, Split::Match, Split::Size(u64::from(from) << 8)][usize::from(to) % 4]).unwrap_or_default(),
        4 => Recording::join(&[&recording, &recording]).into_iter().collect(),
        _ => recording.convert(&Target::default()).into_iter().collect::<Vec<_>>(),
    };
    for edited in &edited {
        let again = Recording::open(&edited.bytes, None, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
        let comparison = recording.compare(&again);
        if whole {
            assert_eq!(again.verify().damage, [], "{:?}", edited.actions);
            assert_eq!(comparison.differing, 0, "{:?}", comparison.differences);
        }
    }
}

/// Drops and changes what a hash says.
struct Dropped {
    kinds: u8,
    texts: u8,
    seed: u8,
}

impl Dropped {
    fn hit(&self, bytes: &[u8], of: u8) -> bool {
        let hash = bytes.iter().fold(u32::from(self.seed), |hash, &byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
        of != 0 && (hash >> 3) % 256 < u32::from(of)
    }
}

impl Rewrite for Dropped {
    fn message(&mut self, _: Place, kind: &str) -> Fate {
        if self.hit(kind.as_bytes(), self.kinds) { Fate::Drop } else { Fate::Keep }
    }

    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if self.hit(text, self.texts) {
            if self.seed & 1 == 0 {
                return Fate::Drop;
            }
            let name = format!("{role:?}\\\0{}", "x".repeat(usize::from(self.seed)));
            text.extend_from_slice(name.as_bytes());
        }
        Fate::Keep
    }

    fn voice(&mut self, _: Place) -> Fate {
        if self.seed & 2 == 0 { Fate::Drop } else { Fate::Keep }
    }
}

/// A context that has seen the signon of a small recording.
fn prepared(network: i32, instanced: bool) -> Context {
    let plan = assemble::Plan { network, instanced, ..assemble::Plan::default() };
    let bytes = assemble::recording(plan);
    let Some(rules) = Dialect::new(5, network).and_then(|dialect| dialect.messages) else { panic!("no rules for {network}") };
    let mut decoder = Decoder::new(Context::new(rules));
    let recording = Recording::open(&bytes, None, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    for window in recording.container().macros().filter_map(Step::found) {
        if let Some((offset, data)) = crate::container::body::messages(&window, recording.dialect()) {
            decoder.block(data, offset, |_, _, _| {}).unwrap_or_else(|error| panic!("{error}"));
            break;
        }
    }
    decoder.context
}
