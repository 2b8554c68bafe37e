//! Names of numbers and bits, as engines name them. Text form, `explain` and `state` use these.

use std::sync::LazyLock;

use fragreel_base::textform::{Flags, Names};

static MOVE_TYPES: LazyLock<Names> = LazyLock::new(|| {
    Names::new(["none", "", "", "walk", "step", "fly", "toss", "push", "noclip", "fly missile", "bounce", "bounce missile", "follow", "push step"])
});
static SOLIDS: LazyLock<Names> = LazyLock::new(|| Names::new(["not", "trigger", "bbox", "slidebox", "bsp"]));
static RENDER_MODES: LazyLock<Names> = LazyLock::new(|| Names::new(["normal", "color", "texture", "glow", "solid", "additive"]));
static RENDER_EFFECTS: LazyLock<Names> = LazyLock::new(|| {
    Names::new([
        "none",
        "pulse slow",
        "pulse fast",
        "pulse slow wide",
        "pulse fast wide",
        "fade slow",
        "fade fast",
        "solid slow",
        "solid fast",
        "strobe slow",
        "strobe fast",
        "strobe faster",
        "flicker slow",
        "flicker fast",
        "no dissipation",
        "distort",
        "hologram",
        "dead player",
        "explode",
        "glow shell",
        "clamp minimum scale",
        "light multiplier",
    ])
});

/// How deep a player is in water.
static WATER_LEVELS: LazyLock<Names> = LazyLock::new(|| Names::new(["dry", "feet", "waist", "eyes"]));
static DEATHS: LazyLock<Names> = LazyLock::new(|| Names::new(["no", "dying", "dead", "respawnable", "discard body"]));
static HULLS: LazyLock<Names> = LazyLock::new(|| Names::new(["standing", "ducked", "point"]));

/// The contents that the skin of a part of the map stands for, by their negated number.
const CONTENTS: [&str; 16] = [
    "CONTENTS_EMPTY",
    "CONTENTS_SOLID",
    "CONTENTS_WATER",
    "CONTENTS_SLIME",
    "CONTENTS_LAVA",
    "CONTENTS_SKY",
    "CONTENTS_ORIGIN",
    "CONTENTS_CLIP",
    "CONTENTS_CURRENT_0",
    "CONTENTS_CURRENT_90",
    "CONTENTS_CURRENT_180",
    "CONTENTS_CURRENT_270",
    "CONTENTS_CURRENT_UP",
    "CONTENTS_CURRENT_DOWN",
    "CONTENTS_TRANSLUCENT",
    "CONTENTS_LADDER",
];

/// The contents that a skin below 0 stands for.
pub(crate) fn contents(skin: i64) -> Option<&'static str> {
    CONTENTS.get(usize::try_from(-1 - skin).ok()?).copied()
}

/// The names of a field's values.
pub(crate) fn words(field: &str) -> Option<&'static Names> {
    match field {
        "movetype" => Some(&MOVE_TYPES),
        "solid" => Some(&SOLIDS),
        "rendermode" => Some(&RENDER_MODES),
        "renderfx" => Some(&RENDER_EFFECTS),
        "waterlevel" => Some(&WATER_LEVELS),
        "deadflag" => Some(&DEATHS),
        "usehull" => Some(&HULLS),
        _ => None,
    }
}

/// What always happens at an entity.
const EFFECTS: Flags = Flags(&[
    (1, "EF_BRIGHTFIELD"),
    (2, "EF_MUZZLEFLASH"),
    (4, "EF_BRIGHTLIGHT"),
    (8, "EF_DIMLIGHT"),
    (16, "EF_INVLIGHT"),
    (32, "EF_NOINTERP"),
    (64, "EF_LIGHT"),
    (128, "EF_NODRAW"),
]);

/// What an entity of the game is and does.
const ENTITY_FLAGS: Flags = Flags(&[
    (1 << 0, "FL_FLY"),
    (1 << 1, "FL_SWIM"),
    (1 << 2, "FL_CONVEYOR"),
    (1 << 3, "FL_CLIENT"),
    (1 << 4, "FL_INWATER"),
    (1 << 5, "FL_MONSTER"),
    (1 << 6, "FL_GODMODE"),
    (1 << 7, "FL_NOTARGET"),
    (1 << 8, "FL_SKIPLOCALHOST"),
    (1 << 9, "FL_ONGROUND"),
    (1 << 10, "FL_PARTIALGROUND"),
    (1 << 11, "FL_WATERJUMP"),
    (1 << 12, "FL_FROZEN"),
    (1 << 13, "FL_FAKECLIENT"),
    (1 << 14, "FL_DUCKING"),
    (1 << 15, "FL_FLOAT"),
    (1 << 16, "FL_GRAPHED"),
    (1 << 17, "FL_IMMUNE_WATER"),
    (1 << 18, "FL_IMMUNE_SLIME"),
    (1 << 19, "FL_IMMUNE_LAVA"),
    (1 << 20, "FL_PROXY"),
    (1 << 21, "FL_ALWAYSTHINK"),
    (1 << 22, "FL_BASEVELOCITY"),
    (1 << 23, "FL_MONSTERCLIP"),
    (1 << 24, "FL_ONTRAIN"),
    (1 << 25, "FL_WORLDBRUSH"),
    (1 << 26, "FL_SPECTATOR"),
    (1 << 29, "FL_CUSTOMENTITY"),
    (1 << 30, "FL_KILLME"),
    (1 << 31, "FL_DORMANT"),
]);

/// What a player holds down.
const BUTTONS: Flags = Flags(&[
    (1 << 0, "IN_ATTACK"),
    (1 << 1, "IN_JUMP"),
    (1 << 2, "IN_DUCK"),
    (1 << 3, "IN_FORWARD"),
    (1 << 4, "IN_BACK"),
    (1 << 5, "IN_USE"),
    (1 << 6, "IN_CANCEL"),
    (1 << 7, "IN_LEFT"),
    (1 << 8, "IN_RIGHT"),
    (1 << 9, "IN_MOVELEFT"),
    (1 << 10, "IN_MOVERIGHT"),
    (1 << 11, "IN_ATTACK2"),
    (1 << 12, "IN_RUN"),
    (1 << 13, "IN_RELOAD"),
    (1 << 14, "IN_ALT1"),
    (1 << 15, "IN_SCORE"),
]);

/// The names of the bits of a row's field.
pub(crate) fn flags(field: &str) -> Option<Flags> {
    match field {
        "effects" => Some(EFFECTS),
        "flags" => Some(ENTITY_FLAGS),
        "buttons" | "oldbuttons" => Some(BUTTONS),
        _ => None,
    }
}

/// What follows in a sound, and how it is meant.
pub(crate) const SOUND_FLAGS: Flags = Flags(&[
    (1, "SND_VOLUME"),
    (2, "SND_ATTENUATION"),
    (4, "SND_LARGE_INDEX"),
    (8, "SND_PITCH"),
    (16, "SND_SENTENCE"),
    (32, "SND_STOP"),
    (64, "SND_CHANGE_VOL"),
    (128, "SND_CHANGE_PITCH"),
    (256, "SND_SPAWNING"),
]);

/// What is known of a resource.
pub(crate) const RESOURCE_FLAGS: Flags = Flags(&[
    (1, "RES_FATALIFMISSING"),
    (2, "RES_WASMISSING"),
    (8, "RES_REQUESTED"),
    (16, "RES_PRECACHED"),
    (32, "RES_ALWAYS"),
    (128, "RES_CHECKFILE"),
    (4, "RES_CUSTOM"),
]);

/// The same without the last one: a text has the hash that it announces.
pub(crate) const RESOURCE_FLAGS_OF_TEXT: Flags = match RESOURCE_FLAGS.0.split_last() {
    Some((_, others)) => Flags(others),
    None => RESOURCE_FLAGS,
};

/// Kinds of resources.
pub(crate) static RESOURCE_KINDS: LazyLock<Names> = LazyLock::new(|| Names::new(["sound", "skin", "model", "decal", "generic", "event script"]));
