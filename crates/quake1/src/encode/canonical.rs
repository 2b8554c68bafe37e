//! Encodes messages from states, by the rules of stock servers, to see if a stock server wrote them
//! (`docs/formats/quake1.md`, "What stock servers write").

use fragreel_base::delta::masked::extended;
use fragreel_base::wire::WriteBytes;

use crate::dialect::{Dialect, NetQuakeRules};
use crate::fields::differing;
use crate::fields::netquake::{CLIENT_FITZ, PLAIN, bits, client_bits, client_slot, differing_further};
use crate::fields::quakeworld::{self, VIEW, view_bits, view_slot};
use crate::message::{ClientData, FastUpdate, Message, UpdateEntities, ViewPlayer};
use crate::replacement::{Change, Spelling};
use crate::state::{Game, QwRow, overlay};

/// A message that is about to be applied, and the encoding that is expected of it.
pub(crate) struct CanonicalCheck {
    expected: Expected,
}

enum Expected {
    /// The result is known before the message is applied.
    Known(bool),
    /// The frame that is the delta base.
    From(Vec<(u32, QwRow)>),
}

/// What a stock server would encode instead of a message. `None` for messages that do not come from states. Call before applying it.
pub(crate) fn expect(d: &Dialect, game: &Game, message: &Message) -> Option<CanonicalCheck> {
    let expected = match message {
        // the rules of other servers are not known well enough
        Message::FastUpdate(_) if !matches!(d.netquake, NetQuakeRules::Id | NetQuakeRules::FitzQuake) => return None,
        Message::FastUpdate(m) => Expected::Known(fast_update(d, game, m)),
        Message::ClientData(m) => Expected::Known(client_data(m)),
        Message::ViewPlayer(m) => Expected::Known(view_player(game, m)),
        Message::UpdateEntities(m) => Expected::Known(update_entities(d, m)),
        Message::DeltaPacketEntities(m) => Expected::From(game.world.qw_base(d, m.from).entities.clone()),
        Message::PacketEntities(_) => Expected::From(Vec::new()),
        _ => return None,
    };
    Some(CanonicalCheck { expected })
}

impl CanonicalCheck {
    /// True if the states give the same message. Call after applying it.
    pub(crate) fn agrees(self, d: &Dialect, game: &Game, message: &Message) -> bool {
        let from = match self.expected {
            Expected::Known(identical) => return identical,
            Expected::From(from) => from,
        };
        let (Message::DeltaPacketEntities(crate::message::DeltaPacketEntities { entities, .. })
        | Message::PacketEntities(crate::message::PacketEntities { entities })) = message
        else {
            return false;
        };
        let sent = entities.iter().map(|delta| (delta.number(d), delta.mask));
        sent.eq(packet(d, game, &from, &game.world.qw_newest().entities))
    }
}

/// The entity numbers and masks that lead from one frame to another.
fn packet<'f>(d: &'f Dialect, game: &'f Game, from: &'f [(u32, QwRow)], to: &'f [(u32, QwRow)]) -> impl Iterator<Item = (u32, u32)> + 'f {
    let (mut old, mut new) = (from.iter().peekable(), to.iter().peekable());
    let removed = |number: u32| {
        let mut mask = quakeworld::bits::REMOVE;
        if number >= 512 {
            mask |= quakeworld::bits::MOREBITS | quakeworld::bits::EVENMORE | large(number);
        }
        Some((number, mask as u32))
    };
    std::iter::from_fn(move || {
        loop {
            match (old.peek().copied(), new.peek().copied()) {
                (None, None) => return None,
                (Some((gone, _)), None) => {
                    old.next();
                    return removed(*gone);
                }
                (Some((gone, _)), Some((number, _))) if gone < number => {
                    old.next();
                    return removed(*gone);
                }
                (Some((known, before)), Some((number, after))) if known == number => {
                    old.next();
                    new.next();
                    // most entities stand still
                    if before == after {
                        continue;
                    }
                    let mask = mask(d, *number, before, after);
                    if mask & !(quakeworld::bits::MOREBITS | quakeworld::bits::EVENMORE | large(*number)) != 0 {
                        return Some((*number, mask as u32));
                    }
                }
                (_, Some((number, after))) => {
                    new.next();
                    return Some((*number, mask(d, *number, &game.world.qw_baseline(*number), after) as u32));
                }
            }
        }
    })
}

/// The bits that widen an entity's number.
fn large(number: u32) -> u64 {
    let mut bits = 0;
    if number & 512 != 0 {
        bits |= quakeworld::bits::ENTITYDBL;
    }
    if number & 1024 != 0 {
        bits |= quakeworld::bits::ENTITYDBL2;
    }
    bits
}

/// Bits of fields that stock servers do not send.
const NOT_OF_STOCK_SERVERS: u64 = {
    use quakeworld::bits::{ABSLIGHT, COLORMOD, DRAWFLAGS, LIGHT, TAGINFO};
    DRAWFLAGS | ABSLIGHT | COLORMOD | TAGINFO | LIGHT
};

/// The mask of the fields of an entity that a stock server sends.
pub(crate) fn mask(d: &Dialect, number: u32, before: &QwRow, after: &QwRow) -> u64 {
    use quakeworld::{bits, slot};
    let extensions = quakeworld::differing_extensions(before, after) & !NOT_OF_STOCK_SERVERS;
    let mut mask = large(number) | differing(&quakeworld::PLAIN, before, after) | extensions;
    if mask & bits::MODEL != 0 && after[slot::MODEL] > 255 && d.has1(crate::dialect::pext1::MODELDBL) {
        mask |= bits::MODELDBL;
        if after[slot::MODEL] > 511 {
            mask &= !bits::MODEL;
        }
    }
    if mask >> 24 != 0 {
        mask |= bits::YETMORE;
    }
    if mask >> 16 != 0 {
        mask |= bits::EVENMORE;
    }
    if mask & 255 != 0 {
        mask |= bits::MOREBITS;
    }
    mask
}

/// Bits that do not follow from states: they come from the entity's thinking.
const NOT_OF_STATE: u64 = bits::NOLERP | bits::LERPFINISH;

/// Bits of fields that servers compare before they round them. A value may be sent though it rounds to the known one.
const ROUNDED: u64 = bits::ORIGIN1 | bits::ORIGIN2 | bits::ORIGIN3 | bits::ANGLE1 | bits::ANGLE2 | bits::ANGLE3;

fn fast_update(d: &Dialect, game: &Game, update: &FastUpdate) -> bool {
    let base = game.world.nq_baseline(update.entity.number);
    let mut row = base;
    overlay(d, &mut row, update);
    let mut mask = bits::SIGNAL | u64::from(update.mask) & (NOT_OF_STATE | ROUNDED) & !if d.netquake == NetQuakeRules::Id { bits::LERPFINISH } else { 0 };
    mask |= differing(&PLAIN, &base, &row);
    if d.netquake == NetQuakeRules::FitzQuake {
        mask |= differing_further(d.netquake, mask, &base, &row) & !NOT_OF_STATE;
    }
    if update.entity.number >= 256 {
        mask |= bits::LONGENTITY;
    }
    extended(mask, &[bits::MOREBITS, bits::EXTEND1, bits::EXTEND2]) == u64::from(update.mask)
}

fn client_data(data: &ClientData) -> bool {
    use client_bits as b;
    use client_slot as s;
    const DEFAULT_VIEW_HEIGHT: u32 = 22;
    let row = &data.row;
    let kept = b::ONGROUND | b::INWATER | b::FLOATS | b::FLAGS;
    // servers compare these before they round them: a small speed is sent as 0
    let rounded = b::IDEALPITCH | (7 * b::PUNCH) | (7 * b::VELOCITY) | b::WEAPONFRAME | b::ARMOR;
    let mut mask = b::ITEMS | u64::from(data.mask) & (kept | rounded);
    if u64::from(data.mask) & b::VIEWHEIGHT != 0 && row[s::VIEWHEIGHT] != DEFAULT_VIEW_HEIGHT {
        mask |= b::VIEWHEIGHT;
    }
    mask |= b::WEAPON | differing(&CLIENT_FITZ, &[0; s::COUNT], row);
    extended(mask >> 8, &[b::EXTEND1 >> 8, b::EXTEND2 >> 8]) << 8 | mask & 255 == u64::from(data.mask)
}

fn view_player(game: &Game, player: &ViewPlayer) -> bool {
    let zero = [0; view_slot::COUNT];
    let before = game.bodies.get(usize::from(player.slot)).map_or(&zero, |body| &body.row);
    let flags = u64::from(player.flags);
    // the row lacks values that are not sent
    let again = flags & (differing(&VIEW, before, &player.row) | view_bits::DEAD | view_bits::GIB);
    again == flags
}

/// True if replacement deltas are spelled as FTE spells them.
fn update_entities(d: &Dialect, message: &UpdateEntities) -> bool {
    let layout = d.layout();
    let plain = |change: &Change| match change {
        Change::Remove => true,
        Change::Delta(delta) if delta.spelling.is_canonical() => true,
        Change::Delta(delta) => {
            let mut again = delta.clone();
            again.spelling = Spelling::default();
            let encode = |delta: &mut crate::replacement::Delta| {
                let mut w = WriteBytes::default();
                let Ok(()) = crate::replacement::code_delta(&mut w, &layout, delta);
                w.finish()
            };
            encode(&mut again) == encode(&mut delta.clone())
        }
    };
    !message.update.overlong_end && message.update.entities.iter().all(|entity| !entity.overlong && plain(&entity.change))
}
