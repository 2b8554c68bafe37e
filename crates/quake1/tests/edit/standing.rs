//! What stays in sight without being stated again: frames whose messages say nothing of things leave those of the frame before where they are.

use std::collections::HashMap;

use model::{Fate, Loss, Target};
use quake1::Recording;
use quake1::container::{Block, write_block};
use quake1::message::Message;
use wire::Limits;

use super::{agrees, opened};

/// A sample with some of its blocks changed.
fn changed(name: &str, mut change: impl FnMut(usize, &Block<'_>, Option<f32>) -> Option<Vec<u8>>) -> Vec<u8> {
    let bytes = testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
    let source = Recording::open(&bytes, None, Limits::default()).unwrap();
    let mut times = HashMap::new();
    source.map_messages(&mut |place, message| {
        if let Message::UpdateEntities(m) = message {
            times.insert(place.message, f32::from_bits(m.update.time));
        }
        Fate::Keep
    });
    let mut made = source.header().to_vec();
    for (at, block) in source.blocks().map(Result::unwrap).enumerate() {
        let data = change(at, &block, times.get(&block.number).copied());
        write_block(&mut made, source.container(), &block.framing, data.as_deref().unwrap_or(block.data));
    }
    made
}

/// Where there are replacement deltas, a plain update shows nothing, and becomes nothing.
#[test]
fn updates_beside_replacement_deltas_are_not_converted() {
    let bytes = changed("netquake15_deltas_dm3.dem", |at, block, _| (150..160).contains(&at).then(|| [block.data, &[0x83, 0x40, 44, 1, 9, 0]].concat()));
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    let target = Target { format: Some(String::from("dem 999")), pov: None };
    let plain = source.convert(&target).unwrap();
    agrees(&source, &opened(&plain, "converted"), "converted");
    assert!(plain.losses.contains(&Loss::Messages { name: String::from("update") }), "{:?}", plain.losses);
}
