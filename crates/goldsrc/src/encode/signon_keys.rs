//! The keys of persistent messages: a message replaces the one before with the same key (`docs/formats/goldsrc.md`, "Editing").

use crate::message::context::Context;
use crate::message::{Director, Message};

/// What a message sets: its number, and which of several things of that kind.
pub(crate) type Key = (u8, Vec<u8>);

const USER_INFO: u8 = 13;
const INTERMISSION: u8 = 30;

/// Director commands that place the camera. Each replaces the others.
const LOOKING: std::ops::RangeInclusive<u8> = 2..=4;
const CHASING: std::ops::RangeInclusive<u8> = 11..=13;
/// Director commands that persist: time scale, status, banner.
const LASTING: [u8; 3] = [5, 8, 9];

/// The key of a persistent message. `None` for all others.
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
        // each replaces the others
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

/// The key of a slot's user info.
pub(crate) fn player(slot: u8) -> Key {
    (USER_INFO, vec![slot])
}

/// What the key of a user message consists of, besides its number.
#[derive(Debug, Clone, Copy)]
enum By {
    /// Nothing else.
    Name,
    /// The byte at this offset.
    Byte(usize),
    /// The string at this offset.
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

/// User messages of Half-Life and its best known mods that change the HUD or the scoreboard for good. Others show something for a while, or
/// their effect is unknown.
const USER: &[(&str, By)] = &[
    // these reset all others
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
    // all players'
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
