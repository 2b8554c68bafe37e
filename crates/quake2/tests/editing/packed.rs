//! A recording of R1Q2's network stream.

use fragreel_model::{Clock, Fate, Milliseconds, Range, Split, Target};
use fragreel_quake2::Recording;
use fragreel_quake2::fields::player;
use fragreel_quake2::message::Body;

use super::{Identity, check, file_of, open};

/// A recording of R1Q2's network stream, every third frame inside a compressed packet.
fn packed_recording() -> Vec<u8> {
    use fragreel_quake2::dialect::{Announced, Dialect, RecordingKind};
    use fragreel_quake2::fields::entity;
    use fragreel_quake2::message::{ConfigString, Contents, Context, EntityDelta, Frame, Message, Packed, PacketEntities, PlayerDelta, ServerData, Text};
    let dialect = Dialect::of(35, RecordingKind::CLIENT, Announced { minor: 1905, ..Announced::default() }).unwrap();
    let mut cx = Context::new(dialect);
    let mut blocks = Vec::new();
    let mut block = |messages: Vec<Body>| {
        let mut w = fragreel_base::wire::WriteBytes::default();
        for body in messages {
            let Ok(()) = Message::new(body).write(&mut w, &mut cx);
        }
        blocks.push(w.finish());
    };
    let string = |index, text: &str| Body::ConfigString(ConfigString { index, text: Text(text.into()) });
    let data = ServerData { protocol: 35, servercount: 7, kind: 1, levelname: Text(b"Level".to_vec()), minor: 1905, ..ServerData::default() };
    let precache = Body::StuffText(Text(b"precache\n".to_vec()));
    block(vec![Body::ServerData(Box::new(data)), string(0, "Level"), string(33, "maps/q2dm1.bsp"), string(1312, "Alice\\male/grunt"), precache]);
    let mut had = std::collections::HashMap::new();
    for number in 1..=40i32 {
        // Now a delta against the frame before, now against one further back.
        let delta = if number < 4 { -1 } else { number - 1 - number % 3 };
        let second = had.get(&delta).copied().unwrap_or(false);
        let mut player = PlayerDelta { mask: player::PS_M_ORIGIN | player::EPS_M_ORIGIN2 | player::EPS_STATS, ..PlayerDelta::default() };
        player.row[player::ORIGIN_X..=player::ORIGIN_Z].copy_from_slice(&[number as u32 * 3, 5, (-number) as u32]);
        (player.stats_mask, player.stats[1]) = (2, number as i16);
        let mut entities = PacketEntities::default();
        for entity in 1..=3u16 {
            let gone = number % 5 == 0 && entity == 2 && second;
            if number % 5 == 1 || entity != 2 || gone {
                let mask = if gone { entity::U_REMOVE } else { entity::U_ORIGIN1 | entity::U_EVENT };
                let mut delta = EntityDelta { mask, number: entity, ..EntityDelta::default() };
                if !gone {
                    (delta.row[entity::ORIGIN_X], delta.row[entity::EVENT]) = (number as u32 * u32::from(entity), 1 + number as u32 % 3);
                }
                entities.deltas.push(delta);
            }
        }
        had.insert(number, number % 5 == 1 || second && number % 5 != 0);
        let extra = (player.mask >> player::EXTRA) as u8;
        let frame = Frame { number, delta, extra, packed: Some(Box::new((player, entities))), ..Frame::default() };
        let frame = Body::Frame(Box::new(frame));
        block(if number % 3 == 0 {
            vec![Body::ZPacket(Box::new(Packed { contents: Contents::Messages(vec![Message::new(frame)]), ..Packed::default() }))]
        } else {
            vec![frame]
        });
    }
    file_of(&blocks, true)
}

#[test]
fn packed_frames_and_compressed_packets_are_edited() {
    let bytes = packed_recording();
    let source = open(&bytes, "dm2");
    assert!(source.verify().is_whole(), "{:?}", source.verify().damage);
    assert_eq!(source.info().snapshots, 40);
    assert_eq!(source.rewrite(&mut Identity).unwrap().bytes, bytes);
    assert_eq!(source.repair().unwrap().bytes, bytes);
    for from in (0..3900).step_by(300) {
        let range = Range { clock: Clock::Server, from: Milliseconds(from), to: Milliseconds(from + 1200) };
        let cut = source.cut(range).unwrap();
        assert!(check("cut", &source, &cut).frames >= 4, "{from}");
    }
    let mut at = 0;
    let dropped = source
        .map_messages(&mut |_, message| {
            at += u32::from(matches!(message.body, Body::Frame(_)));
            if at % 4 == 2 && matches!(message.body, Body::Frame(_)) { Fate::Drop } else { Fate::Keep }
        })
        .unwrap();
    assert_eq!(check("dropped", &source, &dropped).frames, 30);
    let converted = source.convert(&Target::default()).unwrap();
    assert_eq!(check("converted", &source, &converted).frames, 40);
    let parts = source.split(Split::Size(700)).unwrap();
    assert!(parts.len() > 2);
    let opened: Vec<Recording> = parts.iter().map(|part| open(&part.bytes, "dm2")).collect();
    let joined = Recording::join(&opened.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(check("joined", &source, &joined).frames, 40);
}
