//! Packets that came as they were: what coded ones refer to is taken out of them.

use super::bytes::{Bytes, DELTA_ENTITIES, ENTITIES, PLAYER_INFO, VOICE, VOICE_LENGTH};
use super::entities;
use super::record::{Entity, entity, player};
use super::state::{Entities, State};

/// The extensions of the protocol that another word of flags belongs to.
const EXTENSIONS: [u32; 3] = [u32::from_le_bytes(*b"FTEX"), u32::from_le_bytes(*b"FTE2"), u32::from_le_bytes(*b"MVD1")];

/// Takes out of a packet's messages what later packets refer to. What cannot be read ends that.
pub(super) fn learn(state: &mut State, messages: &[u8], sequence: u32) {
    state.begin_packet(sequence);
    let (mut bytes, mut entities) = (Bytes(messages), None);
    while message(state, &mut bytes, &mut entities).is_some() {}
    let of = if state.players.is_empty() || state.outgoing == 0 { sequence } else { state.outgoing.wrapping_add(1) };
    if let Some(entities) = entities {
        state.keep_whole(sequence, of, entities);
    }
    state.keep_players(of);
}

/// Reads a message. `None` at the end.
fn message(state: &mut State, from: &mut Bytes<'_>, entities: &mut Option<Entities>) -> Option<()> {
    match from.byte()? {
        1 | 2 | 27 | 28 | 33..=35 => {}
        3 => drop(from.take(2)?),
        4 | 7 | 49 | 50 => drop(from.take(4)?),
        5 | 16 | 39 => drop(from.take(2)?),
        6 => {
            let channel = from.number()?;
            from.take(usize::from(channel >> 15) + usize::from(channel >> 14 & 1) + 7)?;
        }
        8 | 12 | 13 => {
            from.byte()?;
            from.string()?;
        }
        9 => {
            let text = from.string()?;
            if text.starts_with(b"cmd prespawn") || text.starts_with(b"cmd spawn") {
                state.name_if_new();
            }
        }
        10 | 14 | 36 => drop(from.take(3)?),
        11 => server_data(state, from)?,
        17 | 53 => drop(from.take(2)?),
        18 => drop(from.take(11)?),
        19 => drop(from.take(8)?),
        20 => drop(from.take(13)?),
        22 => baseline(state, from)?,
        23 => match from.byte()? {
            2 | 12 => drop(from.take(7)?),
            5 | 6 | 9 => drop(from.take(14)?),
            _ => drop(from.take(6)?),
        },
        24 | 25 | 32 | 44 => drop(from.byte()?),
        26 | 31 => drop(from.string()?),
        29 | 30 => drop(from.take(9)?),
        37 | 38 => drop(from.take(5)?),
        40 => {
            let slot = from.byte()?;
            from.take(4)?;
            state.add_user_info(slot, from.string()?);
        }
        41 => {
            let length = from.number()?.cast_signed();
            from.byte()?;
            from.take(usize::try_from(length).unwrap_or_default())?;
        }
        PLAYER_INFO => player_info(state, from)?,
        43 => {
            let count = from.byte()?;
            from.take(usize::from(count) * 6)?;
        }
        45 => {
            let first = from.byte()?;
            let names = from.names()?;
            if first == 0 {
                state.forget_entities();
            }
            state.add_models(first, &names);
        }
        46 => {
            let first = from.byte()?;
            state.add_sounds(first, &from.names()?);
        }
        ENTITIES => *entities = Some(entities::read(state, None, from)?),
        DELTA_ENTITIES => {
            let base = from.byte()?;
            *entities = Some(entities::read(state, state.whole(base), from)?);
        }
        51 => {
            let (slot, key, value) = (from.byte()?, from.string()?, from.string()?);
            if key == b"name" {
                state.set_name(slot, value);
            }
        }
        52 => {
            from.string()?;
            from.string()?;
        }
        54 => {
            let count = from.byte()?;
            from.take(usize::from(count) * 7)?;
        }
        VOICE => drop(from.take(VOICE_LENGTH)?),
        _ => return None,
    }
    Some(())
}

fn server_data(state: &mut State, from: &mut Bytes<'_>) -> Option<()> {
    loop {
        let protocol = u32::from_le_bytes(from.take(4)?.try_into().ok()?);
        if !EXTENSIONS.contains(&protocol) {
            break;
        }
        from.take(4)?;
    }
    from.take(4)?;
    from.string()?;
    state.own_slot = from.byte()? & 0x7f;
    from.string()?;
    from.take(40)?;
    Some(())
}

fn baseline(state: &mut State, from: &mut Bytes<'_>) -> Option<()> {
    let mut one = Entity::EMPTY;
    let number = from.number()?;
    one.set(entity::NUMBER, number);
    for at in [entity::MODEL, entity::FRAME, entity::COLORMAP, entity::SKIN] {
        one.0[at] = from.byte()?;
    }
    for (place, angle) in entity::ORIGIN.into_iter().zip(entity::ANGLES) {
        one.set(place, from.number()?);
        one.0[angle] = from.byte()?;
    }
    state.baselines.insert(number, one);
    Some(())
}

fn player_info(state: &mut State, from: &mut Bytes<'_>) -> Option<()> {
    let slot = from.byte()?;
    let flags = from.number()?;
    let mut one = state.new_player(slot);
    one.0[player::ORIGIN[0]..=player::FRAME].copy_from_slice(from.take(7)?);
    if flags & 1 != 0 {
        one.0[player::TIME] = from.byte()?;
    }
    if flags & 2 != 0 {
        let command = from.byte()?;
        // the third angle has no place
        for (flag, at) in [
            (1, Some(player::ANGLES[1])),
            (0x80, Some(player::ANGLES[0])),
            (2, None),
            (4, Some(player::FORWARD)),
            (8, Some(player::SIDE)),
            (0x10, Some(player::ROLL)),
        ] {
            if command & flag != 0 {
                let number = from.number()?;
                at.into_iter().for_each(|at| one.set(at, number));
            }
        }
        if command & 0x20 != 0 {
            from.byte()?;
        }
        if command & 0x40 != 0 {
            one.0[player::IMPULSE] = from.byte()?;
        }
        one.0[player::COMMAND_TIME] = from.byte()?;
    }
    for (at, flag) in player::VELOCITY.into_iter().zip([4, 8, 16]) {
        if flags & flag != 0 {
            one.set(at, from.number()?);
        }
    }
    for (flag, at) in [(0x20, player::MODEL), (0x40, player::SKIN), (0x80, player::EFFECTS), (0x100, player::WEAPON_FRAME)] {
        if flags & flag != 0 {
            one.0[at] = from.byte()?;
        }
    }
    state.players.push(one);
    Some(())
}
