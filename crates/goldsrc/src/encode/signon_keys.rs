//! What a client goes on showing until something replaces it (`docs/formats/goldsrc.md`, "Editing").

use crate::message::context::Context;
use crate::message::{Director, Message};

/// What a message sets: the same thing set again replaces it.
pub(crate) type Key = (u8, Vec<u8>);

const USER_INFO: u8 = 13;
const INTERMISSION: u8 = 30;

/// Director commands that say where to look from; each replaces the others.
const LOOKING: std::ops::RangeInclusive<u8> = 2..=4;
const CHASING: std::ops::RangeInclusive<u8> = 11..=13;
/// Director commands that last: time scale, status, banner.
const LASTING: [u8; 3] = [5, 8, 9];

/// What the message sets, if it sets anything that stays.
pub(crate) fn key(context: &Context, message: &Message) -> Option<Key> {
    let id = message.id();
    let of = match message {
        Message::LightStyle(light) => vec![light.style],
        Message::UpdateUserInfo(info) if info.info.0.is_empty() => vec![info.slot, 0],
        Message::UpdateUserInfo(info) => return Some(player(info.slot)),
        Message::DeltaDescription(tree) => tree.name.0.clone(),
        Message::NewUserMessage(new) => vec![new.number],
        Message::DecalName(decal) => vec![decal.index],
        Message::Customization(custom) => vec![custom.slot, custom.kind],
        Message::SpawnStaticSound(sound) => [sound.entity.to_le_bytes(), sound.sound.to_le_bytes()].concat(),
        Message::Hltv(hltv) => vec![hltv.mode],
        Message::Director(Director { command: Some(command), .. }) => match command {
            command if LOOKING.contains(command) || CHASING.contains(command) => Vec::new(),
            command if LASTING.contains(command) => vec![*command],
            _ => return None,
        },
        // one of them after another
        Message::Intermission(_) | Message::Finale(_) | Message::Cutscene(_) => return Some((INTERMISSION, Vec::new())),
        Message::SetView(_)
        | Message::SetPause(_)
        | Message::RoomType(_)
        | Message::CrosshairAngle(_)
        | Message::TimeScale(_)
        | Message::CdTrack(_)
        | Message::VoiceInit(_)
        | Message::SendExtraInfo(_)
        | Message::ResourceLocation(_)
        | Message::NewMoveVars(_)
        | Message::SpawnBaseline(_)
        | Message::Pings(_) => Vec::new(),
        Message::User(user) => {
            let name = &context.user_message(user.id)?.name;
            let (_, by) = USER.iter().find(|(known, _)| known.as_bytes() == name)?;
            return Some((id, by.key(&user.data)?));
        }
        _ => return None,
    };
    Some((id, of))
}

/// Who is in a slot.
pub(crate) fn player(slot: u8) -> Key {
    (USER_INFO, vec![slot])
}

/// How the messages of one name are distinguished.
#[derive(Debug, Clone, Copy)]
enum By {
    /// The last one counts.
    Name,
    /// The byte at this place says whose or which.
    Byte(usize),
    /// The string from this place on does.
    Text(usize),
}

impl By {
    fn key(self, data: &[u8]) -> Option<Vec<u8>> {
        match self {
            By::Name => Some(Vec::new()),
            By::Byte(at) => Some(vec![*data.get(at)?]),
            By::Text(at) => Some(crate::scalars::before_nul(data.get(at..)?).to_vec()),
        }
    }
}

/// User messages of Half-Life and its best known games that set what stays on the screen or in the scoreboard. A
/// message that is not listed shows something for a while, or nobody knows.
const USER: &[(&str, By)] = &[
    // the start of everything: whatever was set before is forgotten
    ("InitHUD", By::Name),
    ("ResetHUD", By::Name),
    // the player's own numbers
    ("Health", By::Name),
    ("Battery", By::Name),
    ("ArmorType", By::Name),
    ("Money", By::Name),
    ("FlashBat", By::Name),
    ("Flashlight", By::Name),
    ("NVGToggle", By::Name),
    ("Train", By::Name),
    ("Geiger", By::Name),
    ("HideWeapon", By::Name),
    ("SetFOV", By::Name),
    ("ScreenFade", By::Name),
    ("Crosshair", By::Name),
    ("CurWeapon", By::Byte(1)),
    ("WeaponList", By::Text(0)),
    ("AmmoX", By::Byte(0)),
    ("ItemStatus", By::Name),
    ("StatusIcon", By::Text(1)),
    ("StatusText", By::Byte(0)),
    ("StatusValue", By::Byte(0)),
    ("RoundTime", By::Name),
    ("Location", By::Byte(0)),
    // everybody's
    ("TeamInfo", By::Byte(0)),
    ("ScoreInfo", By::Byte(0)),
    ("ScoreInfoLong", By::Byte(0)),
    ("ScoreShort", By::Byte(0)),
    ("ScoreAttrib", By::Byte(0)),
    ("Frags", By::Byte(0)),
    ("ObjScore", By::Byte(0)),
    ("PTeam", By::Byte(0)),
    ("PClass", By::Byte(0)),
    ("PStatus", By::Byte(0)),
    ("Account", By::Byte(0)),
    ("HealthInfo", By::Byte(0)),
    ("Spectator", By::Byte(0)),
    ("Radar", By::Byte(0)),
    ("TeamScore", By::Text(0)),
    ("TeamNames", By::Name),
    ("VoiceMask", By::Name),
    ("SpecHealth", By::Name),
    ("SpecHealth2", By::Name),
    // the game's
    ("ServerName", By::Name),
    ("GameMode", By::Name),
    ("ViewMode", By::Name),
    ("AllowSpec", By::Name),
    ("ForceCam", By::Name),
    ("ShadowIdx", By::Name),
    ("Fog", By::Name),
    ("Scenario", By::Name),
    ("BombDrop", By::Name),
    ("BombPickup", By::Name),
    ("HostagePos", By::Byte(1)),
    ("HostageK", By::Byte(0)),
    ("HLTV", By::Byte(0)),
    ("InitObj", By::Name),
    ("SetObj", By::Byte(0)),
    ("RoundState", By::Name),
    ("ClientAreas", By::Name),
];
