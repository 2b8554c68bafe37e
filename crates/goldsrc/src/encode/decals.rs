//! What the game leaves behind: decals on walls, corpses that only the client knows (`docs/formats/goldsrc.md`, "Editing").

use crate::message::context::Context;
use crate::message::{Message, Resource, TempEntity};

use super::signon_keys::Key;

/// As many decals as games let a client keep by default.
pub(crate) const MAX_DECALS: usize = 300;

/// The event by which a game has all of it cleared away, when a round begins.
const RESET: &[u8] = b"events/decal_reset.sc";
/// The kind of resource that an event is.
const EVENT: u8 = 5;
/// The message by which games lay down a corpse.
pub(crate) const CORPSE: &[u8] = b"ClCorpse";

const TE_DECAL: u8 = 104;
const TE_GUNSHOT_DECAL: u8 = 109;
const TE_PLAYER_DECAL: u8 = 112;
const TE_WORLD_DECAL: u8 = 116;
const TE_WORLD_DECAL_HIGH: u8 = 117;
const TE_DECAL_HIGH: u8 = 118;
const TE_BSP_DECAL: u8 = 13;

/// Something that stays where it is.
pub(crate) struct Decal {
    pub key: Key,
    /// Its message, when that is another than the one that left it.
    pub replacement: Option<Vec<u8>>,
}

/// What the message leaves behind. Decals on anything but the world are not sent again: what moves has moved since.
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
        // a player's own: a new one takes the old one's place
        (TE_PLAYER_DECAL, [player, _, _, _, 0, ..]) => return Some(Decal { key: (id, vec![*kind, *player as u8]), replacement: None }),
        (TE_DECAL | TE_DECAL_HIGH, [x, y, z, decal, 0])
        | (TE_WORLD_DECAL | TE_WORLD_DECAL_HIGH, [x, y, z, decal])
        | (TE_BSP_DECAL, [x, y, z, decal, 0, ..]) => (*kind, [*x, *y, *z, *decal]),
        // the hole without the shot that made it
        (TE_GUNSHOT_DECAL, [x, y, z, 0, decal]) => (TE_DECAL, [*x, *y, *z, *decal]),
        _ => return None,
    };
    let place: Vec<u8> = [x, y, z, decal].into_iter().flat_map(|word| (word as u16).to_le_bytes()).collect();
    let replacement = (shown != *kind).then(|| [&[id, shown], &place[..7], &[0, 0]].concat());
    Some(Decal { key: (id, [&[shown], &place[..]].concat()), replacement })
}

/// The number of the event that clears everything away, where the game has it.
pub(crate) fn clear_event(resources: &[Resource]) -> Option<u16> {
    resources.iter().find(|resource| resource.kind == EVENT && resource.name.0 == RESET).map(|resource| resource.index)
}
