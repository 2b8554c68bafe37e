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
    /// A short that may be missing at the end.
    LastShort,
    Long,
    Coord,
    Text,
    /// Strings up to the end.
    Texts,
    /// A byte that may be missing: no text that follows it begins so low.
    LowByte,
    /// A byte with names.
    Word(&'static LazyLock<Names>),
}

static PLACES: LazyLock<Names> = LazyLock::new(|| Names::new(["", "notify", "console", "talk", "center", "radio"]));

/// The name of a message and its fields.
pub(crate) type Shape = (&'static str, &'static [(&'static str, Part)]);

/// By name; of several with one name, games have those of different sizes. What does not fit is shown as bytes (`docs/formats/goldsrc.md`, "User
/// messages").
pub(crate) const SHAPES: &[Shape] = &[
    ("SayText", &[("sender", Part::Byte), ("texts", Part::Texts)]),
    ("TextMsg", &[("place", Part::Word(&PLACES)), ("texts", Part::Texts)]),
    ("DeathMsg", &[("killer", Part::Byte), ("victim", Part::Byte), ("headshot", Part::LowByte), ("weapon", Part::Text)]),
    ("TeamInfo", &[("slot", Part::Byte), ("team", Part::Text)]),
    ("TeamScore", &[("team", Part::Text), ("score", Part::Short), ("deaths", Part::LastShort)]),
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
];

/// A number at the start of the payload.
pub(crate) fn integer(payload: &mut Payload, part: Part) -> Option<i64> {
    match part {
        Part::Byte | Part::Word(_) | Part::LowByte => payload.byte().map(i64::from),
        Part::Char => payload.byte().map(|byte| i64::from(byte as i8)),
        Part::Short | Part::Coord | Part::LastShort => payload.short().map(i64::from),
        Part::Unsigned => payload.short().map(|word| i64::from(word as u16)),
        Part::Long => payload.long().map(i64::from),
        Part::Text | Part::Texts => None,
    }
}

/// Whether a low byte stands here, and not the text's first.
pub(crate) fn low_byte_follows(payload: &Payload) -> bool {
    payload.rest().first().is_some_and(|byte| (1..32).contains(byte)) || payload.rest().len() > 1 && payload.rest()[0] == 0
}

/// Whether the payload is just what the shape says.
pub(crate) fn fits(parts: &[(&'static str, Part)], data: &[u8]) -> bool {
    let mut payload = Payload::new(data);
    for (_, part) in parts {
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
            Part::LowByte if !low_byte_follows(&payload) => true,
            Part::LastShort if payload.rest().is_empty() => true,
            part => integer(&mut payload, *part).is_some(),
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
            Part::Byte | Part::Char | Part::Word(_) => Some(1),
            Part::Short | Part::Unsigned | Part::Coord => Some(2),
            Part::Long => Some(4),
            Part::Text | Part::Texts | Part::LowByte | Part::LastShort => None,
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
    for &(name, part) in parts {
        let value = match part {
            Part::LowByte if !low_byte_follows(&payload) => continue,
            Part::LastShort if payload.rest().is_empty() => continue,
            Part::Text => format!("{:?}", crate::game_text::clean(payload.string()?)),
            Part::Texts => {
                let mut texts = Vec::new();
                while !payload.rest().is_empty() {
                    texts.push(format!("{:?}", crate::game_text::clean(payload.string()?)));
                }
                texts.join(" ")
            }
            Part::Word(names) => names.show(integer(&mut payload, part)? as u32),
            Part::Coord => (integer(&mut payload, part)? as f64 / 8.0).to_string(),
            part => integer(&mut payload, part)?.to_string(),
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
        for (data, fit) in
            [(&b"\x01\x02\x01ak47\0"[..], true), (b"\x01\x02\0ak47\0", true), (b"\x01\x02ak47\0", true), (b"\x01\x02\0", true), (b"\x01\x02\x07", false)]
        {
            assert_eq!(fits(parts, data), fit, "{data:?}");
        }
    }
}
