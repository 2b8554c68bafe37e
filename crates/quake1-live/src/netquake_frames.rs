//! Samples of NetQuake for tests, and what their frames show, whatever the dialect.

use fragreel_quake1::Recording;
use fragreel_quake1::unstable::decoded_blocks::{DecodedBlocks, NextDecoded};
use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::message::Message;
use fragreel_quake1::unstable::state::Game;
use fragreel_quake1::unstable::world::WorldView;

/// A sample of this project, as plain clients play it.
pub(crate) fn sample(name: &str, format: &str) -> Vec<u8> {
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples/quake1").join(name)).expect("a sample");
    let recording = Recording::open(&bytes, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
    recording.convert(&fragreel_model::Target { format: Some(format.to_owned()), pov: None }).unwrap().bytes
}

/// An entity: number, model, frame, skin, color map, effects; place and angles; opacity and size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shown([i64; 6], [f32; 6], [u8; 2]);

/// A frame: the bits of its time, and its entities.
pub(crate) type Shot = (u32, Vec<Shown>);

/// A datagram that is longer may have a part of a frame.
const PART: usize = 1200;

/// The frames of a recording. A frame's datagrams have one time.
pub(crate) fn frames(bytes: &[u8]) -> Vec<Shot> {
    let recording = Recording::open(bytes, Some("dem"), fragreel_base::wire::Limits::default()).expect("a recording");
    let (mut reading, mut game, mut frames) = (DecodedBlocks::new(recording.input()), Game::default(), Vec::<Shot>::new());
    let mut before = 0;
    while let Some(next) = reading.next(|d: &Dialect, message, delivery| game.apply(d, message, delivery.target, delivery.sequence)) {
        let NextDecoded::Block(unit) = next else { panic!("a broken block") };
        assert!(unit.error.is_none(), "{:?}", unit.error);
        let (mut time, mut continues) = (None, false);
        for message in &unit.messages {
            match message {
                Message::NqTime(m) => time = Some(m.time.0),
                Message::UpdateEntities(m) => (time, continues) = (Some(m.update.time), before > PART),
                _ => {}
            }
        }
        before = unit.block.data.len();
        let Some(time) = time else { continue };
        if continues && frames.last().is_some_and(|(last, _)| *last == time) {
            frames.pop();
        }
        let things = WorldView::of(reading.dialect(), &game).things;
        let shown = things.iter().map(|thing| {
            let seen = &thing.seen;
            let numbers = [seen.number, seen.model, seen.frame, seen.colormap, seen.effects].map(i64::from);
            let [number, model, frame, colormap, effects] = numbers;
            let [x, y, z] = seen.origin;
            let [pitch, yaw, roll] = seen.angles;
            Shown([number, model, frame, i64::from(seen.skin), colormap, effects], [x, y, z, pitch, yaw, roll], [thing.alpha, thing.scale])
        });
        frames.push((time, shown.collect()));
    }
    frames
}

/// Whether a frame is one of the source, or, as small datagrams leave out the farthest, a part of one.
pub(crate) fn is_known(all: &[Shot], (time, shown): &Shot, whole: bool) -> bool {
    all.iter().any(|(at, expected)| at == time && if whole { expected == shown } else { shown.iter().all(|one| expected.contains(one)) })
}
