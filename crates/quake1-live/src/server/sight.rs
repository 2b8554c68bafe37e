//! Visible entities for a client without replacement deltas.

use std::borrow::Cow;
use std::collections::VecDeque;

use fragreel_quake1::unstable::dialect::Dialect;
use fragreel_quake1::unstable::fields::quakeworld::slot;
use fragreel_quake1::unstable::message::{DeltaCommand, DeltaPacketEntities, EntityCoord, EntityDelta, Message, PacketEntities, PlayerInfo, flag};
use fragreel_quake1::unstable::quakeworld::packet_changes;
use fragreel_quake1::unstable::reencode::entity_delta;
use fragreel_quake1::unstable::replacement::{Angles, EntityState, Flags};
use fragreel_quake1::unstable::state::QwRow;

/// Entities that are players: 1 to this.
pub(super) const PLAYERS: u32 = 32;
/// Entities that every client takes in one packet, besides players.
const MOST_ENTITIES: usize = 64;
/// The first number that a plain client has no place for.
const ENTITIES: u32 = 512;
/// Packets that a client goes back to.
const FRAMES: u32 = 64;

/// The contents of one seat's frame.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// Entities in rising order of numbers; 1 to 32 are players.
    pub visible: &'a [(u32, EntityState)],
    /// The position of a spectator.
    pub eye: [f32; 3],
    /// The slot of the player that a spectator follows.
    pub follows: Option<u8>,
}

/// All entities visible from any seat of a connection, in rising order of numbers.
pub(super) fn union<'a>(sights: &[Sight<'a>]) -> Cow<'a, [(u32, EntityState)]> {
    let Some((first, others)) = sights.split_first() else { return Cow::Borrowed(&[]) };
    let mut all = Cow::Borrowed(first.visible);
    for sight in others.iter().filter(|sight| !std::ptr::eq(sight.visible, first.visible)) {
        let known = std::mem::take(&mut all);
        let mut both: Vec<(u32, EntityState)> = known.iter().chain(sight.visible).cloned().collect();
        both.sort_by_key(|(number, _)| *number);
        both.dedup_by_key(|(number, _)| *number);
        all = Cow::Owned(both);
    }
    all
}

/// Rows of the entities of packets that a client may have.
#[derive(Debug, Clone, Default)]
pub(super) struct PacketSender {
    sent: VecDeque<(u32, Vec<(u32, QwRow)>)>,
}

impl PacketSender {
    /// The message for packet `sequence`: changes since packet `from`, where the client says that he has it and it is known, or all. Entities
    /// that do not fit into `room` bytes are left out, the last ones first.
    pub(super) fn send(
        &mut self,
        d: &Dialect,
        baseline: impl Fn(u32) -> QwRow,
        mut rows: Vec<(u32, QwRow)>,
        sequence: u32,
        from: Option<u8>,
        room: usize,
    ) -> Option<Message> {
        let base = from.and_then(|low| self.sent.iter().find(|(sent, _)| *sent as u8 == low && sequence - sent < FRAMES));
        let old: &[(u32, QwRow)] = base.map_or(&[], |(_, rows)| rows);
        loop {
            let entities: Vec<EntityDelta> = match base {
                Some(_) => packet_changes(d, &baseline, old, &rows),
                None => rows.iter().map(|(number, row)| entity_delta(d, *number, &baseline(*number), row)).collect(),
            };
            let mut message = match base {
                Some((sent, _)) => Message::DeltaPacketEntities(DeltaPacketEntities { from: *sent as u8, entities }),
                None => Message::PacketEntities(PacketEntities { entities }),
            };
            let long = fragreel_quake1::unstable::message::encoded_length(d, &mut message);
            if long <= room {
                self.keep(sequence, rows);
                return Some(message);
            }
            // without room for one there is no message: the next packet brings it
            rows.truncate(rows.len().checked_sub(1 + (long - room) / 32)?);
        }
    }

    fn keep(&mut self, sequence: u32, rows: Vec<(u32, QwRow)>) {
        self.sent.push_back((sequence, rows));
        while self.sent.front().is_some_and(|(sent, _)| sequence - sent >= FRAMES) {
            self.sent.pop_front();
        }
    }

    /// Forgets everything that was sent.
    pub(super) fn forget(&mut self) {
        self.sent.clear();
    }
}

/// A state as a row of plain updates.
pub(super) fn row(d: &Dialect, layout: &Flags, state: &EntityState) -> QwRow {
    let mut row = [0; slot::COUNT];
    row[slot::MODEL] = state.model & 255;
    row[slot::FRAME] = state.frame & 255;
    row[slot::COLORMAP] = state.colormap & 255;
    row[slot::SKIN] = state.skin as u32 & 255;
    row[slot::EFFECTS] = state.effects & 255;
    let (position, facing) = (layout.position(state), layout.facing(state));
    for axis in 0..3 {
        row[slot::ORIGIN + axis] = d.coord.word(position[axis]);
        let word = d.angle.word(facing[axis]);
        row[slot::ANGLES + axis] = if d.angle == Angles::Byte { word >> 8 } else { word };
    }
    row
}

/// Rows of what a plain client has numbers for and is no player. Of more than it takes at a time: parts of the level, which `is_brush` knows by their
/// model, and what is nearest to an eye.
pub(super) fn rows(d: &Dialect, layout: &Flags, visible: &[(u32, EntityState)], eyes: &[[f32; 3]], is_brush: impl Fn(u32) -> bool) -> Vec<(u32, QwRow)> {
    let things = visible.iter().filter(|(number, state)| (PLAYERS + 1..ENTITIES).contains(number) && state.model != 0 && state.model < 256);
    let mut things: Vec<&(u32, EntityState)> = things.collect();
    if things.len() > MOST_ENTITIES {
        let distance = |state: &EntityState| {
            let place = layout.position(state);
            let to = |eye: &[f32; 3]| (0..3).map(|axis| (place[axis] - eye[axis]).powi(2)).sum::<f32>();
            eyes.iter().map(to).fold(f32::MAX, f32::min)
        };
        things.sort_by_cached_key(|(_, state)| if is_brush(state.model) { 0 } else { distance(state).to_bits() });
        things.truncate(MOST_ENTITIES);
        things.sort_by_key(|(number, _)| *number);
    }
    things.into_iter().map(|(number, state)| (*number, row(d, layout, state))).collect()
}

/// A player as a plain client sees him. `own` is the client's own body.
pub(super) fn player(d: &Dialect, layout: &Flags, number: u32, state: &EntityState, player_model: u32, own: bool) -> Message {
    let mut info = PlayerInfo {
        slot: (number - 1) as u8,
        origin: layout.position(state).map(|units| EntityCoord(d.entity_coord.word(units))),
        frame: state.frame as u8,
        msec: state.msec,
        model: state.model as u8,
        skin: state.skin as u8,
        effects: state.effects as u8,
        weapon_frame: state.weapon_frame as u8,
        velocity: state.velocity.map(|eighths| eighths / 8),
        ..PlayerInfo::default()
    };
    let on = |bit: u32, on: bool| if on { bit } else { 0 };
    info.flags |= on(flag::MODEL, state.model != player_model && state.model < 256)
        | on(flag::SKIN, info.skin != 0)
        | on(flag::EFFECTS, info.effects != 0)
        | on(flag::WEAPON_FRAME, info.weapon_frame != 0)
        | on(flag::DEAD, state.solid == 0);
    for axis in 0..3 {
        info.flags |= on(flag::VELOCITY << axis, info.velocity[axis] != 0);
    }
    if !own {
        info.flags |= flag::MSEC | flag::COMMAND;
        info.command = DeltaCommand::new(state.view_angles.map(|turns| turns as u16), state.movement, state.msec);
    }
    Message::PlayerInfo(info)
}

/// The position of a spectator, as sent to that client.
pub(super) fn watcher(d: &Dialect, slot: u8, position: [f32; 3]) -> Message {
    let origin = position.map(|units| EntityCoord(d.entity_coord.word(units)));
    Message::PlayerInfo(PlayerInfo { slot, origin, ..PlayerInfo::default() })
}

/// Converts a state to another layout.
pub(crate) fn reworded(from: &Flags, to: &Flags, state: &EntityState) -> EntityState {
    let mut state = state.clone();
    if from.origin != to.origin {
        state.origin = from.position(&state).map(|units| to.origin.word(units));
    }
    if from.angles != to.angles {
        state.angles = from.facing(&state).map(|degrees| to.angles.word(degrees));
    }
    state
}
