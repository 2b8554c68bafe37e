//! Limits of the engines: numbers and commands that stop playback. Implements *Limits* of `docs/formats/quake2.md`.

use crate::dialect::{Announced, Dialect};
use crate::message::{Body, EntityDelta, Message, MvdBody, MvdFrame, MvdMessage, PacketEntities, ServerData, Sound};

/// The maximum size of a frame's areas in bytes.
pub const AREAS: usize = 32;
/// The number of directions of temporary entities.
const DIRECTIONS: u8 = 162;

const ENTITY: &str = "an entity's number is out of range: fatal for engines";
const INDEX: &str = "the index is out of range: fatal for engines";

/// Whether engines have an entity of this number.
pub fn holds(dialect: &Dialect, number: u16) -> bool {
    u32::from(number) < dialect.entity_limit()
}

/// The reason why engines end playback at this message.
pub fn fatal(body: &Body, dialect: &Dialect) -> Option<&'static str> {
    // With extended limits the top three bits belong to a monster's weapon.
    let entity = |entity: u16| if dialect.extended || dialect.floats { entity & 0x1fff } else { entity };
    let (broken, rule) = match body {
        Body::ServerData(data) => (data.dialect().is_none(), "no engine knows the level's protocol: fatal for engines"),
        Body::ConfigString(string) => (string.index >= dialect.strings.end, INDEX),
        Body::Sound(sound) => (!dialect.floats && sound.flags & Sound::ENTITY != 0 && sound.entity_channel >> 3 > dialect.entity_limit(), ENTITY),
        Body::MuzzleFlash(flash) | Body::MuzzleFlash2(flash) => (entity(flash.entity) == 0 || !holds(dialect, entity(flash.entity)), ENTITY),
        Body::TempEntity(effect) => (effect.direction >= DIRECTIONS, "the direction is out of range: fatal for engines"),
        Body::SpawnBaseline(delta) => (!holds(dialect, delta.number), ENTITY),
        Body::PacketEntities(list) => (exceeds(list, dialect), ENTITY),
        Body::Frame(frame) if frame.areas.len() > AREAS => (true, "more areas than engines hold"),
        Body::Frame(frame) => (frame.packed.as_ref().is_some_and(|packed| exceeds(&packed.1, dialect)), ENTITY),
        _ => (false, ""),
    };
    broken.then_some(rule)
}

/// Like [`fatal`], for a message of an MVD2.
pub(crate) fn fatal_mvd(body: &MvdBody, dialect: &Dialect) -> Option<&'static str> {
    let (broken, rule) = match body {
        MvdBody::ServerData(data) if data.strings.0.iter().any(|string| string.index >= dialect.strings.end) => (true, INDEX),
        MvdBody::ServerData(data) => (exceeds(&data.frame.entities, dialect), ENTITY),
        MvdBody::Frame(frame) => (exceeds(&frame.entities, dialect), ENTITY),
        MvdBody::ConfigString(string) => (string.index >= dialect.strings.end, INDEX),
        MvdBody::Sound(sound) => (sound.entity_channel >> 3 >= dialect.entity_limit(), ENTITY),
        _ => (false, ""),
    };
    broken.then_some(rule)
}

fn exceeds(list: &PacketEntities, dialect: &Dialect) -> bool {
    list.deltas.iter().any(|delta| !holds(dialect, delta.number))
}

/// How much of a message is left after clearing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// All of it.
    All,
    /// A part.
    Part,
    /// Nothing.
    Nothing,
}

/// Removes from a message what ends playback in engines.
pub(crate) fn clear(message: &mut Message, dialect: &Dialect) -> Left {
    if fatal(&message.body, dialect).is_none() {
        return Left::All;
    }
    match &mut message.body {
        Body::ServerData(data) => state_protocol(data, dialect),
        Body::PacketEntities(list) => keep(&mut list.deltas, dialect),
        Body::Frame(frame) => {
            frame.areas.truncate(AREAS);
            if let Some(packed) = &mut frame.packed {
                keep(&mut packed.1.deltas, dialect);
            }
        }
        _ => return Left::Nothing,
    }
    Left::Part
}

/// Replaces an unknown protocol in `serverdata` by the one whose rules its messages follow.
pub(crate) fn state_protocol(data: &mut ServerData, dialect: &Dialect) {
    if data.dialect().is_none() {
        (data.protocol, data.kind) = (dialect.number(), dialect.kind.0);
        let Announced { minor, flags, rate } = dialect.announced();
        (data.minor, data.flags, data.tickrate) = (minor as u16, flags, rate as u8);
    }
}

/// Whether the message's entities are in order. Engines merge others as they arrive, so removing entries from an unordered list changes the
/// effect of the rest.
pub(crate) fn in_order(message: &Message) -> bool {
    let list = match &message.body {
        Body::PacketEntities(list) => list,
        Body::Frame(frame) => match &frame.packed {
            Some(packed) => &packed.1,
            None => return true,
        },
        _ => return true,
    };
    list.deltas.is_sorted_by(|a, b| a.number < b.number)
}

/// Drops removals of absent entities. Returns whether there were any.
pub(crate) fn clear_stray(message: &mut Message, stray: &[u16]) -> bool {
    let list = match &mut message.body {
        Body::PacketEntities(list) => list,
        Body::Frame(frame) => match &mut frame.packed {
            Some(packed) => &mut packed.1,
            None => return false,
        },
        _ => return false,
    };
    let before = list.deltas.len();
    list.deltas.retain(|delta| !(delta.removes() && stray.contains(&delta.number)));
    list.deltas.len() < before
}

/// Like [`clear`], for a message of an MVD2.
pub(crate) fn clear_mvd(message: &mut MvdMessage, dialect: &Dialect) -> Left {
    if fatal_mvd(&message.body, dialect).is_none() {
        return Left::All;
    }
    let frame = |frame: &mut MvdFrame| keep(&mut frame.entities.deltas, dialect);
    match &mut message.body {
        MvdBody::ServerData(data) => {
            data.strings.0.retain(|string| string.index < dialect.strings.end);
            frame(&mut data.frame);
        }
        MvdBody::Frame(all) => frame(all),
        _ => return Left::Nothing,
    }
    Left::Part
}

fn keep(deltas: &mut Vec<EntityDelta>, dialect: &Dialect) {
    deltas.retain(|delta| holds(dialect, delta.number));
}

/// A command of the connection handshake in a `stufftext`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandshakeCommand {
    /// `precache N`: loads the level and asks the server to continue.
    Precache,
    /// Any other command. Playback must not execute it.
    Command,
}

impl HandshakeCommand {
    /// Classifies a line. `changing` only shows the loading screen and a bare `precache` only loads, so neither is listed.
    pub(crate) fn of(line: &[u8]) -> Option<Self> {
        match line {
            b"changing" => None,
            _ if line.starts_with(b"precache ") => Some(HandshakeCommand::Precache),
            _ if is_handshake(line) && !line.starts_with(b"precache") => Some(HandshakeCommand::Command),
            _ => None,
        }
    }
}

/// Whether `text` starts with a command of the connection handshake, which playback must not execute.
pub(crate) fn is_handshake(text: &[u8]) -> bool {
    const COMMANDS: [&[u8]; 6] = [b"cmd configstrings", b"cmd baselines", b"reconnect", b"changing", b"record ", b"precache"];
    COMMANDS.iter().any(|command| text.starts_with(command))
}
