//! The fields of the game DLL's messages whose layouts are public (`docs/formats/goldsrc.md`, "User messages").

use std::sync::LazyLock;

use fragreel_base::textform::Names;
use fragreel_base::wire::Vocabulary as _;

use super::payload::Payload;

/// A field of a user message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part {
    Byte,
    Char,
    Short,
    /// Two bytes, unsigned.
    Unsigned,
    Long,
    Coord,
    /// Eight bits of a turn.
    Angle,
    /// A field that may be missing at the end.
    Last(&'static Part),
    /// A field that is there if the field `flags` before it has this bit.
    Flagged(i64, &'static Part),
    Text,
    /// Strings up to the end.
    Texts,
    /// A byte that may be missing: no text that follows it begins so low.
    LowByte,
    /// A byte with names.
    Word(&'static LazyLock<Names>),
}

static PLACES: LazyLock<Names> = LazyLock::new(|| Names::new(["", "notify", "console", "talk", "center", "radio"]));

/// Degrees of a 256th of a turn.
pub(crate) const ANGLE: f64 = 360.0 / 256.0;

/// The name of a message and its fields.
pub(crate) type Shape = (&'static str, &'static [(&'static str, Part)]);

/// By name; of several with one name, games have those of different sizes. What does not fit is shown as bytes (`docs/formats/goldsrc.md`, "User
/// messages").
pub(crate) const SHAPES: &[Shape] = &[
    ("SayText", &[("sender", Part::Byte), ("texts", Part::Texts)]),
    ("TextMsg", &[("place", Part::Word(&PLACES)), ("texts", Part::Texts)]),
    (
        "DeathMsg",
        &[
            ("killer", Part::Byte),
            ("victim", Part::Byte),
            ("headshot", Part::LowByte),
            ("weapon", Part::Text),
            ("flags", Part::Last(&Part::Long)),
            ("x", Part::Flagged(1, &Part::Coord)),
            ("y", Part::Flagged(1, &Part::Coord)),
            ("z", Part::Flagged(1, &Part::Coord)),
            ("assistant", Part::Flagged(2, &Part::Byte)),
            ("rarity", Part::Flagged(4, &Part::Long)),
        ],
    ),
    ("TeamInfo", &[("slot", Part::Byte), ("team", Part::Text)]),
    ("TeamScore", &[("team", Part::Text), ("score", Part::Short), ("deaths", Part::Last(&Part::Short))]),
    ("TeamScore", &[("team", Part::Byte), ("score", Part::Short)]),
    ("ScoreInfo", &[("slot", Part::Byte), ("frags", Part::Short), ("deaths", Part::Short), ("class", Part::Short), ("team", Part::Short)]),
    ("ScoreShort", &[("slot", Part::Byte), ("frags", Part::Short), ("deaths", Part::Short)]),
    ("Frags", &[("slot", Part::Byte), ("frags", Part::Short)]),
    ("ObjScore", &[("slot", Part::Byte), ("points", Part::Short)]),
    ("CTFScore", &[("slot", Part::Byte), ("points", Part::Byte)]),
    ("PTeam", &[("slot", Part::Byte), ("team", Part::Byte)]),
    ("PClass", &[("slot", Part::Byte), ("class", Part::Byte)]),
    ("Spectator", &[("slot", Part::Byte), ("spectates", Part::Byte)]),
    ("AllowSpec", &[("allowed", Part::Byte)]),
    ("TeamNames", &[("count", Part::Byte), ("texts", Part::Texts)]),
    ("GameMode", &[("mode", Part::Byte)]),
    ("GameTitle", &[("shown", Part::Byte)]),
    ("ResetHUD", &[]),
    ("ResetHUD", &[("reset", Part::Byte)]),
    ("InitHUD", &[]),
    ("ReqState", &[]),
    ("BuyClose", &[]),
    ("BombPickup", &[]),
    ("ADStop", &[]),
    ("SelAmmo", &[("ammo_1", Part::Byte), ("count_1", Part::Byte), ("ammo_2", Part::Byte), ("count_2", Part::Byte)]),
    ("Geiger", &[("range", Part::Byte)]),
    ("Flashlight", &[("on", Part::Byte), ("battery", Part::Byte)]),
    ("FlashBat", &[("battery", Part::Byte)]),
    ("Train", &[("state", Part::Byte)]),
    ("AmmoPickup", &[("ammo", Part::Byte), ("count", Part::Byte)]),
    ("HideWeapon", &[("flags", Part::Byte)]),
    ("Crosshair", &[("shown", Part::Byte)]),
    ("NVGToggle", &[("on", Part::Byte)]),
    ("ArmorType", &[("helmet", Part::Byte)]),
    ("BlinkAcct", &[("times", Part::Byte)]),
    ("ItemStatus", &[("items", Part::Byte)]),
    ("ReloadSound", &[("volume", Part::Byte), ("shotgun", Part::Byte)]),
    ("ShowTimer", &[]),
    ("SpecHealth", &[("health", Part::Byte)]),
    ("SpecHealth2", &[("health", Part::Byte), ("slot", Part::Byte)]),
    ("BarTime", &[("seconds", Part::Short)]),
    ("BarTime2", &[("seconds", Part::Short), ("percent", Part::Short)]),
    ("ShadowIdx", &[("sprite", Part::Long)]),
    ("ShowMenu", &[("keys", Part::Unsigned), ("seconds", Part::Char), ("more", Part::Byte), ("text", Part::Text)]),
    ("StatusText", &[("line", Part::Byte), ("text", Part::Text)]),
    ("StatusValue", &[("index", Part::Byte), ("value", Part::Short)]),
    ("ScreenShake", &[("amplitude", Part::Unsigned), ("duration", Part::Unsigned), ("frequency", Part::Unsigned)]),
    (
        "ScreenFade",
        &[
            ("duration", Part::Unsigned),
            ("hold", Part::Unsigned),
            ("flags", Part::Unsigned),
            ("red", Part::Byte),
            ("green", Part::Byte),
            ("blue", Part::Byte),
            ("alpha", Part::Byte),
        ],
    ),
    ("BombDrop", &[("x", Part::Coord), ("y", Part::Coord), ("z", Part::Coord), ("planted", Part::Byte)]),
    ("Radar", &[("slot", Part::Byte), ("x", Part::Coord), ("y", Part::Coord), ("z", Part::Coord)]),
    ("HostagePos", &[("flag", Part::Byte), ("hostage", Part::Byte), ("x", Part::Coord), ("y", Part::Coord), ("z", Part::Coord)]),
    ("HostageK", &[("hostage", Part::Byte)]),
    ("VoiceMask", &[("audible", Part::Long), ("banned", Part::Long)]),
    ("HudTextPro", &[("texts", Part::Texts)]),
    ("RoundState", &[("state", Part::Byte)]),
    ("SuddenDeath", &[("on", Part::Byte)]),
    ("CTFMsg", &[("kind", Part::Byte), ("who", Part::Text)]),
    ("FlagStatus", &[("shown", Part::Byte), ("red_flag", Part::Byte), ("blue_flag", Part::Byte), ("red_score", Part::Byte), ("blue_score", Part::Byte)]),
    ("PlayerIcon", &[("slot", Part::Byte), ("has", Part::Byte), ("is_flag", Part::Byte), ("what", Part::Byte)]),
    ("Money", &[("amount", Part::Long), ("flash", Part::Byte)]),
    ("Account", &[("slot", Part::Byte), ("amount", Part::Long)]),
    ("CurWeapon", &[("state", Part::Byte), ("weapon", Part::Byte), ("rounds", Part::Char)]),
    (
        "WeaponList",
        &[
            ("weapon_name", Part::Text),
            ("ammo_1", Part::Char),
            ("most_ammo_1", Part::Byte),
            ("ammo_2", Part::Char),
            ("most_ammo_2", Part::Byte),
            ("slot", Part::Byte),
            ("position", Part::Byte),
            ("weapon", Part::Byte),
            ("flags", Part::Byte),
        ],
    ),
    ("WeapPickup", &[("weapon", Part::Byte)]),
    ("ItemPickup", &[("item", Part::Text)]),
    ("Damage", &[("armor", Part::Byte), ("health", Part::Byte), ("kinds", Part::Long), ("x", Part::Coord), ("y", Part::Coord), ("z", Part::Coord)]),
    ("RoundTime", &[("seconds", Part::Short)]),
    ("SendAudio", &[("slot", Part::Byte), ("texts", Part::Texts)]),
    ("HudText", &[("texts", Part::Texts)]),
    ("ServerName", &[("server", Part::Text)]),
    ("MOTD", &[("last", Part::Byte), ("text", Part::Text)]),
    ("Health", &[("health", Part::Byte)]),
    ("Battery", &[("armor", Part::Short)]),
    ("Location", &[("slot", Part::Byte), ("place", Part::Text)]),
    ("ScoreAttrib", &[("slot", Part::Byte), ("flags", Part::Byte)]),
    ("AmmoX", &[("ammo", Part::Byte), ("count", Part::Byte)]),
    ("SetFOV", &[("fov", Part::Byte)]),
    ("HealthInfo", &[("slot", Part::Byte), ("health", Part::Long)]),
    (
        "StatusIcon",
        &[
            ("status", Part::Byte),
            ("sprite", Part::Text),
            ("red", Part::Last(&Part::Byte)),
            ("green", Part::Last(&Part::Byte)),
            ("blue", Part::Last(&Part::Byte)),
        ],
    ),
    (
        "ClCorpse",
        &[
            ("model", Part::Text),
            ("x", Part::Long),
            ("y", Part::Long),
            ("z", Part::Long),
            ("pitch", Part::Coord),
            ("yaw", Part::Coord),
            ("roll", Part::Coord),
            ("delay", Part::Long),
            ("sequence", Part::Byte),
            ("body", Part::Byte),
            ("team", Part::Byte),
            ("slot", Part::Byte),
        ],
    ),
    (
        "Brass",
        &[
            ("kind", Part::Byte),
            ("x", Part::Coord),
            ("y", Part::Coord),
            ("z", Part::Coord),
            ("left_x", Part::Coord),
            ("left_y", Part::Coord),
            ("left_z", Part::Coord),
            ("velocity_x", Part::Coord),
            ("velocity_y", Part::Coord),
            ("velocity_z", Part::Coord),
            ("yaw", Part::Angle),
            ("model", Part::Short),
            ("sound", Part::Byte),
            ("life", Part::Byte),
            ("slot", Part::Byte),
        ],
    ),
    ("ForceCam", &[("force_camera", Part::Byte), ("force_chase", Part::Byte), ("fade_to_black", Part::Byte)]),
    ("VGUIMenu", &[("menu", Part::Byte)]),
    ("VGUIMenu", &[("menu", Part::Byte), ("keys", Part::Unsigned), ("seconds", Part::Char), ("more", Part::Byte), ("text", Part::Text)]),
    ("HudTextArgs", &[("text", Part::Text), ("count", Part::Byte), ("texts", Part::Texts)]),
    ("BotVoice", &[("on", Part::Byte), ("slot", Part::Byte)]),
    ("HLTV", &[("slot", Part::Byte), ("flags", Part::Byte)]),
    ("ReceiveW", &[("weather", Part::Byte)]),
    ("CTF", &[("blue_flag", Part::Byte), ("red_flag", Part::Byte)]),
    ("CTFFlag", &[("blue_carrier", Part::Byte), ("red_carrier", Part::Byte)]),
    (
        "FlagIcon",
        &[
            ("shown", Part::Byte),
            ("icon", Part::Text),
            ("team", Part::Byte),
            ("red", Part::Byte),
            ("green", Part::Byte),
            ("blue", Part::Byte),
            ("score", Part::Byte),
        ],
    ),
    ("Concuss", &[("amount", Part::Byte)]),
    ("Feign", &[("feigns", Part::Byte)]),
    ("Detpack", &[("state", Part::Byte)]),
    ("BuildSt", &[("state", Part::Short)]),
    ("RandomPC", &[("random", Part::Byte)]),
    ("ValClass", &[("classes_1", Part::Short), ("classes_2", Part::Short), ("classes_3", Part::Short), ("classes_4", Part::Short), ("classes_5", Part::Short)]),
];

/// A number at the start of the payload.
pub(crate) fn integer(payload: &mut Payload, part: Part) -> Option<i64> {
    match part {
        Part::Byte | Part::Word(_) | Part::LowByte | Part::Angle => payload.byte().map(i64::from),
        Part::Char => payload.byte().map(|byte| i64::from(byte as i8)),
        Part::Short | Part::Coord => payload.short().map(i64::from),
        Part::Unsigned => payload.short().map(|word| i64::from(word as u16)),
        Part::Long => payload.long().map(i64::from),
        Part::Last(part) | Part::Flagged(_, part) => integer(payload, *part),
        Part::Text | Part::Texts => None,
    }
}

/// Whether a low byte stands here, and not the text's first.
fn low_byte_follows(payload: &Payload) -> bool {
    payload.rest().first().is_some_and(|byte| (1..32).contains(byte)) || payload.rest().len() > 1 && payload.rest()[0] == 0
}

/// Which fields of a message are there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Presence {
    flags: i64,
}

impl Presence {
    /// Whether the next field stands at the start of the payload, by what was read before it.
    pub(crate) fn has(self, payload: &Payload, part: Part) -> bool {
        match part {
            Part::LowByte => low_byte_follows(payload),
            Part::Last(_) => !payload.rest().is_empty(),
            Part::Flagged(bit, _) => self.flags & bit != 0,
            _ => true,
        }
    }

    /// Takes in the value of a field.
    pub(crate) fn read(&mut self, name: &str, value: i64) {
        if name == "flags" {
            self.flags = value;
        }
    }
}

/// Whether the payload is just what the shape says.
pub(crate) fn fits(parts: &[(&'static str, Part)], data: &[u8]) -> bool {
    let mut payload = Payload::new(data);
    let mut presence = Presence::default();
    for &(name, part) in parts {
        let read = match part {
            Part::Text => payload.string().is_some(),
            Part::Texts => {
                while !payload.rest().is_empty() {
                    if payload.string().is_none() {
                        return false;
                    }
                }
                true
            }
            part if !presence.has(&payload, part) => true,
            part => match integer(&mut payload, part) {
                Some(value) => {
                    presence.read(name, value);
                    true
                }
                None => false,
            },
        };
        if !read {
            return false;
        }
    }
    payload.rest().is_empty()
}

impl Part {
    /// Its bytes, if it always has the same number.
    fn size(self) -> Option<usize> {
        match self {
            Part::Byte | Part::Char | Part::Word(_) | Part::Angle => Some(1),
            Part::Short | Part::Unsigned | Part::Coord => Some(2),
            Part::Long => Some(4),
            Part::Text | Part::Texts | Part::LowByte | Part::Last(_) | Part::Flagged(..) => None,
        }
    }

    /// The field itself, where this says when it is there.
    pub(crate) fn bare(self) -> Part {
        match self {
            Part::Last(part) | Part::Flagged(_, part) => *part,
            part => part,
        }
    }
}

/// The fields of the message called `name`, which is announced with this size, if it has one.
pub(crate) fn shape(name: &[u8], size: Option<u8>) -> Option<&'static [(&'static str, Part)]> {
    let bytes = |parts: &[(&'static str, Part)]| parts.iter().try_fold(0, |sum, (_, part)| Some(sum + part.size()?));
    let of_name = || SHAPES.iter().filter(|(known, _)| known.as_bytes() == name).map(|(_, parts)| *parts);
    let exact = size.and_then(|size| of_name().find(|parts| bytes(parts) == Some(usize::from(size))));
    let open = || of_name().find(|parts| bytes(parts).is_none());
    exact.or_else(open).or_else(|| of_name().next().filter(|_| size.is_none()))
}

/// A payload in words, if the shape is just what it has.
pub(crate) fn describe(parts: &[(&'static str, Part)], data: &[u8]) -> Option<String> {
    if !fits(parts, data) {
        return None;
    }
    let mut payload = Payload::new(data);
    let mut shown = Vec::new();
    let mut presence = Presence::default();
    for &(name, part) in parts {
        if !presence.has(&payload, part) {
            continue;
        }
        let mut number = |payload: &mut Payload| {
            let value = integer(payload, part)?;
            presence.read(name, value);
            Some(value)
        };
        let value = match part.bare() {
            Part::Text => format!("{:?}", crate::game_text::clean(payload.string()?)),
            Part::Texts => {
                let mut texts = Vec::new();
                while !payload.rest().is_empty() {
                    texts.push(format!("{:?}", crate::game_text::clean(payload.string()?)));
                }
                texts.join(" ")
            }
            Part::Word(names) => names.show(number(&mut payload)? as u32),
            Part::Coord => (number(&mut payload)? as f64 / 8.0).to_string(),
            Part::Angle => (number(&mut payload)? as f64 * ANGLE).to_string(),
            _ => number(&mut payload)?.to_string(),
        };
        shown.push(format!("{name} {value}"));
    }
    Some(shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_names_of_their_own() {
        for (name, parts) in SHAPES {
            let mut names: Vec<_> = parts.iter().map(|(name, _)| *name).chain(["name", "number", "data"]).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{name}");
        }
    }

    #[test]
    fn low_bytes_are_told_from_texts() {
        let parts = SHAPES.iter().find(|(name, _)| *name == "DeathMsg").unwrap().1;
        for (data, fit) in [
            (&b"\x01\x02\x01ak47\0"[..], true),
            (b"\x01\x02\0ak47\0", true),
            (b"\x01\x02ak47\0", true),
            (b"\x01\x02\0", true),
            (b"\x01\x02\x07", false),
            (b"\x01\x02\x01ak47\0\x05\0\0\0\x80\xf0\x80\x4e\x20\x05\x01\0\0\0", true),
            (b"\x01\x02\x01ak47\0\x05\0\0\0\x80\xf0\x80\x4e\x20\x05", false),
        ] {
            assert_eq!(fits(parts, data), fit, "{data:?}");
        }
    }
}
