//! Data that can be read, but stops engines (`docs/formats/quake1.md`, "What engines stop at").

use crate::container::Framing;
use crate::dialect::Dialect;
use crate::fields::netquake::{bits, slot};
use crate::limits::{LIGHT_STYLES, Limits};
use crate::message::{FastUpdate, Message};

/// No engine reads longer blocks, in bytes.
pub(crate) const LONGEST_BLOCK: usize = 65_536;

/// Why engines stop at a message; `None` if they accept it. `max_clients` is the server's limit (NetQuake), or 0.
#[inline]
pub fn stop_at_message(d: &Dialect, message: &Message, max_clients: u8) -> Option<String> {
    match message {
        // no dialect has fewer entities, and few messages more
        Message::FastUpdate(m) if m.entity.number < Limits::ID.entities && u64::from(m.mask) & bits::COLORMAP == 0 => None,
        Message::FastUpdate(m) => stop_at_update(d, m, max_clients),
        message => stop_at(d, message, max_clients),
    }
}

#[cold]
fn stop_at_update(d: &Dialect, m: &FastUpdate, max_clients: u8) -> Option<String> {
    let is_sent = u64::from(m.mask) & bits::COLORMAP != 0;
    stop_at_entity(d, m.entity.number).or_else(|| stop_at_colormap(m.row[slot::COLORMAP], max_clients).filter(|_| is_sent))
}

/// Colormaps are those of the players. QuakeWorld's engines ignore others.
pub(crate) fn stop_at_colormap(colormap: u32, max_clients: u8) -> Option<String> {
    let clients = u32::from(max_clients);
    (clients > 0 && colormap > clients).then(|| format!("there is no colormap {colormap}: the game has {clients} players"))
}

/// The entities of engines that raise the limits of protocol 15, as QuakeSpasm and DarkPlaces do: its sounds have 13 bits for them.
const RAISED_NETQUAKE: u32 = 8192;
/// The same of QuakeWorld, where servers state baselines of more entities than updates can name.
const RAISED_QUAKEWORLD: u32 = 2048;

fn stop_at_entity(d: &Dialect, number: u32) -> Option<String> {
    let entities = match Limits::of(d) {
        Limits::ID => RAISED_NETQUAKE,
        Limits::QUAKEWORLD => RAISED_QUAKEWORLD,
        limits => limits.entities,
    };
    (number >= entities).then(|| format!("there is no entity {number}: engines have {entities}"))
}

fn stop_at(d: &Dialect, message: &Message, max_clients: u8) -> Option<String> {
    let (slot, own) = match message {
        Message::PlayerInfo(m) => (m.slot, false),
        Message::ViewPlayer(m) => (m.slot, false),
        Message::UpdateUserInfo(m) => (m.slot, false),
        Message::SetInfo(m) => (m.slot, false),
        Message::UpdatePing(m) => (m.slot, false),
        Message::UpdateLoss(m) => (m.slot, false),
        Message::UpdateEnterTime(m) => (m.slot, false),
        Message::UpdateFrags(m) => (m.slot, true),
        Message::UpdateName(m) => (m.slot, true),
        Message::UpdateColors(m) => (m.slot, true),
        Message::Baseline(m) if d.is_netquake() => {
            return stop_at_entity(d, m.entity.number).or_else(|| stop_at_colormap(m.looks.colormap.into(), max_clients));
        }
        Message::Baseline(m) => return stop_at_entity(d, m.entity.number),
        Message::NqSound(m) => return stop_at_entity(d, m.entity.number),
        Message::LightStyle(m) => return stop_at_number(d, "light style", m.style.into(), LIGHT_STYLES.into()),
        Message::StatByte(m) => return stop_at_number(d, "stat", m.stat.into(), Limits::of(d).stats.into()),
        Message::StatLong(m) => return stop_at_number(d, "stat", m.stat.into(), Limits::of(d).stats.into()),
        _ => return None,
    };
    let slots = match (d.is_netquake(), own) {
        (true, true) if max_clients > 0 => max_clients,
        (false, _) if d.numbers.pext1 | d.numbers.pext2 == 0 => Limits::QUAKEWORLD.players,
        _ => return None,
    };
    (slot >= slots).then(|| format!("there is no slot {slot}: the game has {slots}"))
}

fn stop_at_number(d: &Dialect, what: &str, number: u32, numbers: u32) -> Option<String> {
    (Limits::of(d) != Limits::NONE && number >= numbers).then(|| format!("there is no {what} {number}: the protocol has {numbers}"))
}

/// Why no engine accepts a block's framing.
pub(crate) fn stop_at_framing(framing: &Framing) -> Option<&'static str> {
    let time = framing.time()?;
    (!crate::walk::clock::is_sane(time)).then_some("the block's time is not a number")
}
