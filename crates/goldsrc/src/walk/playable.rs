//! Messages that can be read, but stop engines (`docs/formats/goldsrc.md`, "Limits").

use crate::limits::{LIGHT_STYLES, RESOURCES, SLOTS};
use crate::message::{Message, Sound};

/// Why engines stop at a message; `None` if they accept it.
pub(crate) fn stop_at_message(message: &Message) -> Option<String> {
    let (what, number, numbers) = match message {
        Message::UpdateUserInfo(info) => ("slot", info.slot.into(), SLOTS.into()),
        Message::LightStyle(light) => ("light style", light.style.into(), LIGHT_STYLES.into()),
        Message::Sound(sound) if sound.flags & Sound::SENTENCE == 0 => ("sound", sound.sound, RESOURCES),
        Message::SpawnStaticSound(sound) if u16::from(sound.flags) & Sound::SENTENCE == 0 => ("sound", sound.sound, RESOURCES),
        // a negative number is no model
        Message::SpawnStatic(thing) => ("model", thing.fixed.model.max(0) as u16, RESOURCES),
        _ => return None,
    };
    (number >= numbers).then(|| format!("there is no {what} {number}: engines have {numbers}"))
}
