//! Data that can be read, but stops engines (`docs/formats/quake1.md`, "What engines stop at").

use crate::container::Framing;
use crate::dialect::Dialect;
use crate::message::Message;

/// Player slots of plain QuakeWorld.
const QUAKEWORLD_SLOTS: u8 = 32;
/// No engine reads longer blocks, in bytes.
pub const LONGEST_BLOCK: usize = 65_536;

/// Why engines stop at a message; `None` if they accept it. `max_clients` is the server's limit (NetQuake), or 0.
pub fn stop_at_message(d: &Dialect, message: &Message, max_clients: u8) -> Option<String> {
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
        _ => return None,
    };
    let slots = match (d.is_netquake(), own) {
        (true, true) if max_clients > 0 => max_clients,
        (false, _) if d.numbers.pext1 | d.numbers.pext2 == 0 => QUAKEWORLD_SLOTS,
        _ => return None,
    };
    (slot >= slots).then(|| format!("there is no slot {slot}: the game has {slots}"))
}

/// Why no engine accepts a block's framing.
pub(crate) fn stop_at_framing(framing: &Framing) -> Option<&'static str> {
    let time = framing.time()?;
    (!crate::walk::clock::is_sane(time)).then_some("the block's time is no time")
}
