//! Independent witnesses: the same game seen by a player and by a proxy.

use std::collections::BTreeMap;

use fragreel_goldsrc::container::Step;
use fragreel_goldsrc::message::Message;
use fragreel_goldsrc::{Context, Decoder, Recording, RowId, State, Structure};
use fragreel_model::{EventKind, Kind, Kinds};

/// Positions of players by the server's time in milliseconds.
type Track = BTreeMap<i64, BTreeMap<u16, [f32; 3]>>;

fn track(bytes: &[u8]) -> Track {
    let recording = Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap();
    let container = recording.container();
    let mut decoder = Decoder::new(Context::new(container.dialect.messages.unwrap()));
    let mut state = State::default();
    let mut track = Track::new();
    for window in container.macros().filter_map(Step::found) {
        let Some((offset, data)) = fragreel_goldsrc::messages(&window, &container.dialect) else { continue };
        state.begin(fragreel_goldsrc::frame_sequence(&window, &container.dialect).unwrap());
        let mut told = false;
        decoder
            .block(data, offset, |context, message, _| {
                state.apply(context, message).unwrap();
                told |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
            })
            .unwrap();
        if told {
            track.insert((f64::from(decoder.context.time) * 1000.0) as i64, positions(&state, &decoder.context));
        }
    }
    track
}

fn positions(state: &State, context: &Context) -> BTreeMap<u16, [f32; 3]> {
    let place = |structure: Structure, row: RowId| {
        let description = context.description(structure).unwrap();
        ["origin[0]", "origin[1]", "origin[2]"].map(|name| {
            let at = description.find(name).unwrap();
            description.value(at, state.row(row)[at])
        })
    };
    let players = state.frame().iter().filter(|entity| entity.structure == Structure::Player);
    let mut positions: BTreeMap<_, _> = players.map(|entity| (entity.number, place(Structure::Player, entity.row))).collect();
    // the server does not send a player his own entity's place, but his client data
    if let Some((own, _)) = state.client() {
        let number = u16::from(state.server.as_ref().unwrap().player_number) + 1;
        positions.insert(number, place(Structure::ClientData, own));
    }
    positions
}

fn pairs() -> Vec<(Vec<u8>, Vec<u8>)> {
    let corpus = fragreel_testkit::corpus("goldsrc");
    let find = |part: &str| corpus.iter().find(|sample| sample.name.contains(part)).map(fragreel_testkit::Sample::bytes);
    let names = [("New_Patriots_1", "hltv-made__firefield"), ("superimpose-goldsrc__hldm", "hltv-made__hldm")];
    names.into_iter().filter_map(|(player, proxy)| Some((find(player)?, find(proxy)?))).collect()
}

/// Where the proxy saw a player is where the player's own recording has him, give or take one frame's motion.
#[test]
fn a_proxy_sees_players_where_they_are() {
    for (player, proxy) in pairs() {
        let (own, seen) = (track(&player), track(&proxy));
        let (mut compared, mut moving) = (0, 0);
        for (time, players) in &seen {
            let before = own.range(..=time).rev().take(2);
            let around: Vec<_> = before.chain(own.range(time + 1..).take(2)).collect();
            if around.iter().any(|(other, _)| (**other - time).abs() > 150) || around.len() < 4 {
                continue;
            }
            for (number, origin) in players {
                let near: Vec<_> = around.iter().filter_map(|(_, players)| players.get(number)).collect();
                if near.len() < 4 {
                    continue;
                }
                for axis in 0..3 {
                    let (low, high) = near.iter().fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(at[axis]), high.max(at[axis])));
                    assert!((low - 1.0..=high + 1.0).contains(&origin[axis]), "player {number} at {time}: {origin:?}, own recording {near:?}");
                    moving += usize::from(high > low);
                }
                compared += 1;
            }
        }
        assert!(compared > 500 && moving > 100, "{compared} positions, {moving} moving axes");
    }
}

/// Both have the same deaths in the same order.
#[test]
fn a_proxy_tells_the_same_deaths() {
    let kills = |bytes: &[u8]| {
        let mut kills = Vec::new();
        let recording = Recording::open(bytes, None, fragreel_base::wire::Limits::default()).unwrap();
        recording.events(Kinds::from_iter([Kind::Kill])).for_each(|event| {
            if let EventKind::Kill(kill) = event.kind {
                kills.push((kill.attacker.map(|player| player.name.clean), kill.victim.name.clean, kill.means, kill.headshot));
            }
        });
        kills
    };
    for (player, proxy) in pairs() {
        let own = kills(&player);
        assert!(own.len() > 3);
        assert_eq!(own, kills(&proxy));
    }
}
