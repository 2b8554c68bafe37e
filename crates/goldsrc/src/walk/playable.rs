//! Messages that can be read, but stop engines (`docs/formats/goldsrc.md`, "Limits").

use crate::limits::{LIGHT_STYLES, SLOTS};
use crate::message::Message;

/// Why engines stop at a message; `None` if they accept it.
pub(crate) fn stop_at_message(message: &Message) -> Option<String> {
    let (what, number, numbers) = match message {
        Message::UpdateUserInfo(info) => ("slot", info.slot, SLOTS),
        Message::LightStyle(light) => ("light style", light.style, LIGHT_STYLES),
        _ => return None,
    };
    (number >= numbers).then(|| format!("there is no {what} {number}: engines have {numbers}"))
}
