//! Decals on walls, and corpses that exist only on the client (`docs/formats/goldsrc.md`, "Editing").

use crate::message::context::Context;
use crate::message::{Message, Resource, TempEntity};

use super::signon_keys::Key;

/// The default limit of decals on a client.
pub(crate) const MAX_DECALS: usize = 300;

/// The event that removes all decals and corpses when a round begins.
pub(crate) const RESET: &[u8] = b"events/decal_reset.sc";
/// The resource kind of events.
const EVENT: u8 = 5;
/// The user message that places a corpse.
pub(crate) const CORPSE: &[u8] = b"ClCorpse";

const TE_DECAL: u8 = 104;
const TE_GUNSHOT_DECAL: u8 = 109;
const TE_PLAYER_DECAL: u8 = 112;
const TE_WORLD_DECAL: u8 = 116;
const TE_WORLD_DECAL_HIGH: u8 = 117;
const TE_DECAL_HIGH: u8 = 118;
const TE_BSP_DECAL: u8 = 13;

/// A decal or a corpse.
pub(crate) struct Decal {
    pub key: Key,
    /// The message to send for it, if that is not the message that made it.
    pub replacement: Option<Vec<u8>>,
}

/// The decal or corpse that a message makes. Decals on entities are left out, because the entity may have moved since.
pub(crate) fn of_message(context: &Context, message: &Message) -> Option<Decal> {
    let of = match message {
        Message::TempEntity(effect) => return decal(message.id(), effect),
        Message::User(user) if context.user_message(user.id)?.name == CORPSE => vec![*user.data.last()?],
        _ => return None,
    };
    Some(Decal { key: (message.id(), of), replacement: None })
}

fn decal(id: u8, effect: &TempEntity) -> Option<Decal> {
    let TempEntity { kind, values, .. } = effect;
    let (shown, [x, y, z, decal]) = match (*kind, &values[..]) {
        // a player's spray: a new one replaces the old one
        (TE_PLAYER_DECAL, [player, _, _, _, 0, ..]) => return Some(Decal { key: (id, vec![*kind, *player as u8]), replacement: None }),
        (TE_DECAL | TE_DECAL_HIGH, [x, y, z, decal, 0])
        | (TE_WORLD_DECAL | TE_WORLD_DECAL_HIGH, [x, y, z, decal])
        | (TE_BSP_DECAL, [x, y, z, decal, 0, ..]) => (*kind, [*x, *y, *z, *decal]),
        // the bullet hole without the shot
        (TE_GUNSHOT_DECAL, [x, y, z, 0, decal]) => (TE_DECAL, [*x, *y, *z, *decal]),
        _ => return None,
    };
    let place: Vec<u8> = [x, y, z, decal].into_iter().flat_map(|word| (word as u16).to_le_bytes()).collect();
    let replacement = (shown != *kind).then(|| [&[id, shown], &place[..7], &[0, 0]].concat());
    Some(Decal { key: (id, [&[shown], &place[..]].concat()), replacement })
}

/// The number of the event that removes all decals and corpses, if the game has it.
pub(crate) fn clear_event(resources: &[Resource]) -> Option<u16> {
    resources.iter().find(|resource| resource.kind == EVENT && resource.name.0 == RESET).map(|resource| resource.index)
}
