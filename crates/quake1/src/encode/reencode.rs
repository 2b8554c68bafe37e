//! Re-encodes frames whose delta base is missing: full frames, and first frames of parts.

use fragreel_base::delta::masked::extended;
use fragreel_model::Milliseconds;

use crate::container::Target;
use crate::dialect::{Dialect, pext1};
use crate::fields::quakeworld::{bits, differing_extensions, slot, view_bits, view_slot};
use crate::fields::{differing, netquake};
use crate::message::{DeltaPacketEntities, EntityDelta, FastUpdate, Float, Message, NqTime, PacketEntities, UpdateEntities, ViewPlayer, plain_entity};
use crate::replacement::{self, Change, Delta, EntityState, EntityUpdate, Flags, SEND_VIEW, Update};
use crate::state::{Body, Game, NqRow, QwRow, World};

/// The delta from one row to another.
pub fn entity_delta(d: &Dialect, number: u32, before: &QwRow, after: &QwRow) -> EntityDelta {
    let mut mask = crate::encode::canonical::mask(d, number, before, after);
    let further = differing_extensions(before, after) & !mask;
    if further != 0 {
        mask |= further | bits::YETMORE | bits::EVENMORE | bits::MOREBITS;
    }
    if mask & bits::EVENMORE != 0 {
        mask |= bits::MOREBITS;
    }
    if mask == 0 && number & 511 == 0 {
        // a word of zeros ends the list: entity 0 repeats a known value to avoid it
        mask |= bits::ORIGIN1;
    }
    let mut row = *after;
    if mask & (bits::MODEL | bits::MODELDBL) == bits::MODEL | bits::MODELDBL && d.has1(pext1::MODELDBL) {
        row[slot::MODEL] = after[slot::MODEL].wrapping_sub(256);
    }
    EntityDelta { low_number: (number & 511) as u16, mask: mask as u32, row }
}

/// QuakeWorld's visible entities as a full packet.
pub fn packet_entities(d: &Dialect, world: &World) -> Message {
    let rows = &world.qw_newest().entities;
    let entities = rows.iter().map(|(number, row)| entity_delta(d, *number, &world.qw_baseline(*number), row)).collect();
    Message::PacketEntities(PacketEntities { entities })
}

/// The mask of the values that differ from a baseline, in protocol 15.
pub(crate) fn changed(base: &NqRow, row: &NqRow) -> u64 {
    use netquake::{bits, slot};
    let mut mask = differing(&netquake::PLAIN, base, row);
    for (bit, at) in [(bits::MODEL, slot::MODEL2), (bits::FRAME, slot::FRAME2)] {
        if base[at] != row[at] {
            mask |= bit;
        }
    }
    mask
}

/// NetQuake's visible entities, each as an update against its baseline.
fn fast_updates(d: &Dialect, world: &World) -> impl Iterator<Item = Message> {
    world.nq_frame().iter().map(|(number, row)| fast_update(d, *number, &world.nq_baseline(*number), row))
}

fn fast_update(d: &Dialect, number: u32, base: &NqRow, row: &NqRow) -> Message {
    use netquake::bits;
    let mut mask = bits::SIGNAL | changed(base, row);
    mask |= netquake::differing_further(d.netquake, mask, base, row);
    if number >= 256 {
        mask |= bits::LONGENTITY;
    }
    let mask = extended(mask, &[bits::MOREBITS, bits::EXTEND1, bits::EXTEND2]) as u32;
    Message::FastUpdate(FastUpdate { mask, entity: plain_entity(number), row: *row, ..FastUpdate::default() })
}

/// The entities that a first frame has to restate beside its own `messages`. Servers send all entities with every frame; if a frame
/// has none, the last ones stay visible. `shown` is visible without the result, `seen` should be. `server` is the server's clock.
pub(crate) fn entities_not_restated(d: &Dialect, shown: &World, seen: &World, messages: &[Message], server: Milliseconds) -> Vec<Message> {
    let says = |brings: fn(&Message) -> bool| messages.iter().any(brings);
    let time = Float::from(server.seconds() as f32);
    if d.replacement() {
        let states = |world: &World| world.replaced().iter().map(|(number, known)| (number, known.state.clone())).collect::<Vec<_>>();
        if says(|message| matches!(message, Message::UpdateEntities(_))) || states(shown) == states(seen) {
            return Vec::new();
        }
        vec![update_entities(&d.layout(), seen.replaced(), time.0, 0)]
    } else if d.is_netquake() {
        if says(|message| matches!(message, Message::NqTime(_))) || shown.nq_frame() == seen.nq_frame() {
            return Vec::new();
        }
        // a time ends the frame before; none is added if the recording never stated one
        let begins = server.0 != 0 || !shown.nq_frame().is_empty();
        let begins = begins.then_some(Message::NqTime(NqTime { time, input: 0 }));
        begins.into_iter().chain(fast_updates(d, seen)).collect()
    } else {
        let brings = says(|message| matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_)));
        if brings || shown.qw_newest().entities == seen.qw_newest().entities {
            return Vec::new();
        }
        vec![packet_entities(d, seen)]
    }
}

/// Visible entities as a first replacement delta: removes everything, then encodes each entity against its baseline.
pub fn update_entities(layout: &Flags, entities: &replacement::Entities, time: u32, input_sequence: u16) -> Message {
    let mut update = Update { input_sequence, time, entities: vec![EntityUpdate { number: 0, overlong: false, change: Change::Remove }], overlong_end: false };
    for (number, known) in entities.iter() {
        let mut delta = Delta::default();
        reset(layout, entities.baseline(number), &known.state, &mut delta);
        update.entities.push(EntityUpdate { number, overlong: false, change: Change::Delta(delta) });
    }
    Message::UpdateEntities(UpdateEntities { update })
}

/// The delta from a baseline to a state.
fn reset(layout: &Flags, baseline: &EntityState, state: &EntityState, delta: &mut Delta) {
    let fields = replacement::bits::RESET | layout.difference(baseline, state, false);
    layout.compose(fields, state, false, delta);
    let mut got = EntityState::default();
    delta.apply(layout, baseline, &mut got);
    if layout.predinfo && got.view_angles != state.view_angles {
        let views = replacement::bits::ANGLES_XZ | replacement::bits::ANGLES_Y | replacement::bits::PREDINFO | SEND_VIEW;
        layout.compose(fields | views, state, true, delta);
    }
}

/// Full playerinfo for MVD. `flags` carries bits with no value (dead, gib).
pub(crate) fn view_player(slot: u8, body: &Body, flags: u16) -> Message {
    const WHOLE: u64 = (view_bits::ORIGIN * 7) | (view_bits::ANGLE * 7) | view_bits::EFFECTS | view_bits::SKIN | view_bits::WEAPON_FRAME | view_bits::MODEL;
    let facts = u64::from(flags) & (view_bits::DEAD | view_bits::GIB);
    let mut row = [0; view_slot::COUNT];
    row.copy_from_slice(&body.row);
    Message::ViewPlayer(ViewPlayer { slot, flags: (WHOLE | facts) as u16, row })
}

/// A frame of a multi-view recording without changes. `players` are the visible players as last sent: slot, row, and whether the
/// player is dead. Every message restates the latter.
pub(crate) fn keepalive_frame(players: impl Iterator<Item = (u8, [u32; view_slot::COUNT], bool)>) -> Vec<Message> {
    let entities = Message::DeltaPacketEntities(DeltaPacketEntities::default());
    let players = players.map(|(slot, row, dead)| Message::ViewPlayer(ViewPlayer { slot, flags: if dead { view_bits::DEAD as u16 } else { 0 }, row }));
    std::iter::once(entities).chain(players).collect()
}

/// A full frame instead of a message with a delta. `None` for messages without deltas.
pub(crate) fn full_frame(d: &Dialect, game: &Game, message: &Message) -> Option<Message> {
    match message {
        Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => Some(packet_entities(d, &game.world)),
        Message::UpdateEntities(m) => Some(update_entities(&d.layout(), game.world.replaced(), m.update.time, m.update.input_sequence)),
        _ => None,
    }
}

/// Re-encodes a message in full if the output lacks its delta base. `None` if the message can stay as it is.
/// `emitted` is the output's state, and follows. `lost`: the source lacks the base, too. `begun`: a full replacement delta has been
/// written, and later ones can follow.
pub(crate) fn reencode_if_base_missing(
    d: &Dialect,
    message: &Message,
    number: u32,
    game: &Game,
    lost: bool,
    emitted: &mut World,
    begun: &mut bool,
) -> Option<Message> {
    let unusable = emitted.apply(d, message, number).is_err();
    let same = match message {
        Message::UpdateEntities(_) => std::mem::replace(begun, true),
        Message::PacketEntities(_) | Message::DeltaPacketEntities(_) => lost || (!unusable && emitted.qw_newest().entities == game.world.qw_newest().entities),
        _ => true,
    };
    let whole = if same { None } else { full_frame(d, game, message) };
    if let Some(whole) = &whole {
        let _ = emitted.apply(d, whole, number);
    }
    whole
}

/// The addressee of blocks that state none: all players.
pub const EVERYBODY: Target = Target { kind: crate::container::kind::ALL, slot: 0, players: 0 };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Stream;

    /// Broken lists may have an entity 0. Without a value it would encode to the end of the list.
    #[test]
    fn no_entity_is_the_end_of_the_list() {
        let d = Dialect::new(Stream::MultiView);
        let known = QwRow::default();
        let entities = vec![entity_delta(&d, 0, &known, &known), entity_delta(&d, 7, &known, &known)];
        let mut written = fragreel_base::wire::WriteBytes::default();
        let Ok(()) = crate::message::code(&mut written, &d, &mut Message::PacketEntities(PacketEntities { entities }));
        assert_eq!(written.finish(), [47, 0, 2, 0, 0, 7, 0, 0, 0]);
    }
}
