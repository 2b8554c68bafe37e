//! What stays in sight without being stated again: frames whose messages say nothing of things leave those of the frame before where they are.

use std::collections::HashMap;

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, Edited, Fate, Loss, Milliseconds, Range, Target};
use fragreel_quake1::Recording;
use fragreel_quake1::unstable::container::{Block, Container, Framing, Stamp, write_block};
use fragreel_quake1::unstable::message::Message;

use super::{agrees, opened};

/// `updateentities` of a time, which changes nothing.
fn nothing_new(time: f32) -> Vec<u8> {
    [&[86][..], &time.to_le_bytes(), &[0, 0]].concat()
}

/// A recording of NetQuake in which no `svc_time` comes from the fifth second to the ninth.
fn without_time(protocol: u32, looks: &[u8]) -> Vec<u8> {
    let mut bytes = b"-1\n".to_vec();
    let mut block = |data: &[u8]| write_block(&mut bytes, Container::NetQuake, &Framing::NetQuake { angles: Default::default() }, data);
    block(&[&[11][..], &protocol.to_le_bytes(), &[1, 0], b"level\0maps/a.bsp\0progs/b.mdl\0\0a.wav\0\0", &[25, 1]].concat());
    let place = [2, 3, 0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 0];
    block(&[&[22, 5, 0][..], &place, &[25, 2, 25, 3]].concat());
    for second in 1..=12u8 {
        let time = f32::from(second);
        let begins = if (5..=9).contains(&second) { nothing_new(time) } else { [&[7][..], &time.to_le_bytes(), looks].concat() };
        // one thing moves, and another comes with each second: entity 300 and further
        let moves = [0x82, 5, second, 0];
        let comes = [0x83, 0x40, 44 + second, 1, second, 0];
        block(&[&begins[..], &moves, &comes].concat());
    }
    bytes
}

fn cut(source: &Recording<'_>, from: i64, to: i64) -> Edited {
    source.cut(Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) }).unwrap()
}

/// Parts from each second on say what their source says, and joined with what was before, near or far, what they said themselves.
fn parts_hold(source: &Recording<'_>, seconds: std::ops::Range<i64>) {
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    for from in seconds {
        let part = cut(source, from * 1000, i64::MAX);
        let part = opened(&part, "a part");
        assert!(agrees(source, &part, &format!("from second {from}")) > 1);
        for before in [(from - 3).max(0), from] {
            let first = cut(source, 0, before * 1000);
            let first = opened(&first, "the first part");
            let joined = Recording::join(&[&first, &part]).unwrap();
            let joined = opened(&joined, "joined");
            for part in [&first, &part] {
                agrees(&joined, part, &format!("to second {before} and from {from}"));
            }
        }
    }
}

/// Engines hide what was not updated since the time was stated, so that all that was since then is in sight.
#[test]
fn parts_of_frames_without_a_time_show_what_was_updated_before() {
    // high bytes and opacity in the bits of either protocol
    let looks: [(u32, &[u8]); 2] = [(15, &[0xc1, 0x80, 0x82, 0x04, 7, 16, 100, 1]), (666, &[0xc1, 0x80, 0x03, 7, 16, 100, 1])];
    for (protocol, looks) in looks {
        let bytes = without_time(protocol, looks);
        let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
        assert_eq!(source.info().snapshots, 12);
        parts_hold(&source, 3..11);
    }
}

/// The same recording without its beginning, where no time was stated ever.
#[test]
fn parts_without_a_level_show_what_was_updated_before() {
    let bytes = without_time(15, &[]);
    let start = |second: u8| bytes.windows(7).position(|window| window == nothing_new(second.into())).unwrap() - 16;
    let bytes = [&bytes[..3], &bytes[start(5)..]].concat();
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    parts_hold(&source, 0..6);
}

/// A sample with some of its blocks changed.
fn changed(name: &str, mut change: impl FnMut(usize, &Block<'_>, Option<f32>) -> Option<Vec<u8>>) -> Vec<u8> {
    let bytes = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with(name)).unwrap().bytes();
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

/// Replacement deltas keep everything that they do not mention, and so do frames that have none; and so does a client of QuakeWorld whose packet has
/// no entities.
#[test]
fn parts_of_frames_without_entities_show_those_of_before() {
    let middle = 150..190;
    let replaced = changed("netquake15_deltas_dm3.dem", |at, _, time| {
        let predinfo = [0, 0];
        middle.contains(&at).then(|| [&[7][..], &time.unwrap_or_default().to_le_bytes(), &predinfo].concat()).filter(|_| time.is_some())
    });
    let plain = changed("quakeworld_plain_dm3.qwd", |at, block, _| {
        let Framing::Packet { time: Stamp::At(time), .. } = block.framing else { return None };
        middle.contains(&at).then(|| [&block.data[..8], &nothing_new(time.value())].concat())
    });
    for (bytes, extension, first) in [(replaced, "dem", 14_500), (plain, "qwd", 7_000)] {
        let source = Recording::open(&bytes, Some(extension), Limits::default()).unwrap();
        assert!(source.verify().is_whole(), "{extension}: {:?}", source.verify().damage);
        for step in 0..20 {
            let part = cut(&source, first + step * 100, i64::MAX);
            agrees(&source, &opened(&part, extension), &format!("{extension}, {step}"));
        }
    }
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

/// NetQuake's server info states the protocol: what comes before it is in none but the original, and stays as it is.
#[test]
fn what_comes_before_a_protocol_is_stated_is_not_converted() {
    let sample = fragreel_testkit::samples("quake1").into_iter().find(|sample| sample.name.ends_with("netquake15_deltas_dm3.dem")).unwrap().bytes();
    let mut bytes = b"-1\n".to_vec();
    let angles = Framing::NetQuake { angles: Default::default() };
    write_block(&mut bytes, Container::NetQuake, &angles, &[&[7, 0, 0, 128, 63][..], &[0x83, 0x40, 44, 1, 9, 0]].concat());
    write_block(&mut bytes, Container::NetQuake, &angles, &nothing_new(2.0));
    let bare = bytes.clone();
    let target = Target { format: Some(String::from("dem 999")), pov: None };

    bytes.extend(&sample[3..]);
    let source = Recording::open(&bytes, Some("dem"), Limits::default()).unwrap();
    assert!(source.verify().is_whole());
    let plain = source.convert(&target).unwrap();
    assert!(plain.bytes.starts_with(&bare));
    assert_eq!(agrees(&source, &opened(&plain, "converted"), "converted"), source.info().snapshots);

    let source = Recording::open(&bare, Some("dem"), Limits::default()).unwrap();
    let error = source.convert(&target).unwrap_err();
    assert!(error.kind() == fragreel_base::wire::ErrorKind::Unsupported && error.detail().contains("can only be cut, joined and repaired"), "{error}");
    agrees(&source, &opened(&cut(&source, 0, i64::MAX), "a part"), "a part");
}

/// A client's recording says in its server data whose it is.
#[test]
fn a_view_of_no_level_is_refused() {
    let mut bytes = Vec::new();
    let to_all = fragreel_quake1::unstable::container::Target { kind: fragreel_quake1::unstable::container::kind::ALL, slot: 0, players: 0 };
    write_block(&mut bytes, Container::MultiView, &Framing::Packet { time: Stamp::After(0), target: to_all }, b"\x08\x02a print\0");
    write_block(&mut bytes, Container::MultiView, &Framing::Packet { time: Stamp::After(10), target: to_all }, &[47, 0, 0]);
    let source = Recording::open(&bytes, Some("mvd"), Limits::default()).unwrap();
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    let target = Target { format: Some(String::from("qwd")), pov: Some(String::from("0")) };
    let error = source.convert(&target).unwrap_err();
    assert!(error.detail().starts_with("no server data states the level"), "{error}");
}
