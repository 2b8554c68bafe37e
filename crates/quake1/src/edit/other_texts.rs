//! Other texts that may contain personal data: names of files, pictures and keys. Their length stays.

use fragreel_model::replay::personal::in_place;
use fragreel_model::{Fate, Role};

use crate::message::hidden::HiddenBody;
use crate::message::{Message, Text};

/// Shows the addresses and identifiers in a message.
pub(super) fn show(message: &mut Message, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) {
    let mut each = |texts: &mut [Text]| texts.iter_mut().for_each(|text| in_place(&mut text.0, hook));
    let mut one = |text: &mut Text| each(std::slice::from_mut(text));
    match message {
        Message::ServerData(m) => one(&mut m.gamedir),
        Message::ServerInfo(m) => {
            one(&mut m.gamedir);
            each(&mut m.models.0);
            each(&mut m.sounds.0);
        }
        Message::ModelList(m) | Message::SoundList(m) => each(&mut m.names.0),
        Message::ModelListShort(m) | Message::SoundListShort(m) => each(&mut m.names.0),
        Message::Precache(m) => one(&mut m.name),
        Message::LightStyle(m) => one(&mut m.pattern),
        Message::LightStyleColor(m) => one(&mut m.pattern),
        Message::SkyBox(m) => one(&mut m.name),
        Message::ShowPic(m) => {
            one(&mut m.slot);
            one(&mut m.picture);
        }
        Message::FteShowPic(m) => {
            one(&mut m.slot);
            one(&mut m.picture);
        }
        Message::FteUpdatePic(m) => {
            one(&mut m.slot);
            one(&mut m.picture);
        }
        Message::FteMovePic(m) => one(&mut m.slot),
        Message::HidePic(m) | Message::FteHidePic(m) => one(&mut m.slot),
        Message::SetInfo(m) => one(&mut m.key),
        Message::ServerInfoKey(m) => one(&mut m.key),
        Message::SetInfoBlob(m) => one(&mut m.key),
        Message::CustomEffect(m) => one(&mut m.name),
        Message::TempEntity(m) => one(&mut m.model),
        Message::QexAchievement(m) => one(&mut m.name),
        _ => {}
    }
}

/// The same for a hidden message.
pub(super) fn show_hidden(body: &mut HiddenBody, hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) {
    if let HiddenBody::WeaponChoice { wanted, .. } = body {
        in_place(&mut wanted.0, hook);
    }
}
