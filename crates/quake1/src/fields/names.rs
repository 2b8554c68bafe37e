//! Names of numbers and bits. Text form, `explain` and `state` use these.

use fragreel_base::textform::Flags;
use fragreel_base::wire::Vocabulary;

/// Names by number; empty ones are numbers without a name.
#[derive(Debug)]
pub(crate) struct Words(pub &'static [&'static str]);

impl Vocabulary for Words {
    fn name(&self, number: u32) -> Option<&str> {
        self.0.get(number as usize).copied().filter(|name| !name.is_empty())
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.0.iter().position(|word| !word.is_empty() && *word == name).map(|at| at as u32)
    }
}

/// Importance of a line on the console, in QuakeWorld.
pub(crate) const PRINT_LEVELS: Words = Words(&["low", "medium", "high", "chat"]);

/// Stats that both branches have.
pub(crate) const STATS: Words = Words(&[
    "health",
    "frags",
    "weapon",
    "ammo",
    "armor",
    "weapon_frame",
    "shells",
    "nails",
    "rockets",
    "cells",
    "active_weapon",
    "total_secrets",
    "total_monsters",
    "secrets",
    "monsters",
    "items",
    "view_height",
    "time",
    "match_start_time",
    "",
    "view_2",
    "view_zoom",
    "",
    "",
    "",
    "ideal_pitch",
    "punch_pitch",
    "punch_yaw",
    "punch_roll",
]);

/// How an entity moves, in the lower six bits of a prediction's movetype.
const MOVE_TYPES: Words = Words(&["none", "", "", "walk", "step", "fly", "toss", "push", "noclip", "fly missile", "bounce", "bounce missile", "follow"]);

/// A prediction's movetype: how the entity moves, and two facts.
pub(crate) fn movement(word: u32) -> String {
    let facts = [(0x80, ", on the ground"), (0x40, ", jump held")];
    facts.iter().filter(|(bit, _)| word & bit != 0).fold(MOVE_TYPES.show(word & 0x3f), |text, (_, fact)| text + fact)
}

/// The contents of a part of a map, by their negated number.
const CONTENTS: Words = Words(&["", "CONTENTS_EMPTY", "CONTENTS_SOLID", "CONTENTS_WATER", "CONTENTS_SLIME", "CONTENTS_LAVA", "CONTENTS_SKY"]);
/// Skins that are a file of the game unless the model has as many.
const GLOBAL_SKINS: std::ops::RangeInclusive<i64> = 100..=109;

/// The skin of a replacement delta: a number of the model, a file, or, below 0, contents. `None` if it is only a number.
pub(crate) fn skin(number: i64) -> Option<String> {
    if GLOBAL_SKINS.contains(&number) {
        return Some(format!("{number}, or gfx/skin{number}.lmp if the model has no such skin"));
    }
    let contents = CONTENTS.name(u32::try_from(-number).ok()?)?;
    Some(format!("{number}, {contents}"))
}

/// What a player holds down.
pub(crate) const BUTTONS: Flags = Flags(&[(1, "BUTTON_ATTACK"), (2, "BUTTON_JUMP"), (4, "BUTTON_USE")]);

/// Channels of an entity's sounds.
pub(crate) const CHANNELS: Words = Words(&["auto", "weapon", "voice", "item", "body"]);

/// Kinds of games in NetQuake's server info.
pub(crate) const GAME_TYPES: Words = Words(&["cooperative", "deathmatch"]);

/// Why the view is set.
pub(crate) const VIEW_REASONS: Words = Words(&["", "teleport", "spawn"]);

/// To whom a block of a multi-view recording is sent, by its type.
pub(crate) const TARGETS: Words = Words(&["", "same", "", "several", "one", "stats", "all"]);

/// Kinds of hidden blocks, by number.
pub(crate) const HIDDEN: [&str; 12] = [
    "antilag_position",
    "user_command",
    "weapon_choice",
    "demo_info",
    "",
    "",
    "",
    "damage_done",
    "weapon_choice_by_server",
    "weapon_instruction",
    "paused_duration",
    "start_timestamp",
];

/// What always happens at an entity, in NetQuake. The upper four are DarkPlaces'.
const NETQUAKE_EFFECTS: Flags = Flags(&[
    (1, "EF_BRIGHTFIELD"),
    (2, "EF_MUZZLEFLASH"),
    (4, "EF_BRIGHTLIGHT"),
    (8, "EF_DIMLIGHT"),
    (16, "EF_NODRAW"),
    (32, "EF_ADDITIVE"),
    (64, "EF_BLUE"),
    (128, "EF_RED"),
]);
/// The same in QuakeWorld.
const QUAKEWORLD_EFFECTS: Flags = Flags(&[
    (1, "EF_BRIGHTFIELD"),
    (2, "EF_MUZZLEFLASH"),
    (4, "EF_BRIGHTLIGHT"),
    (8, "EF_DIMLIGHT"),
    (16, "EF_FLAG1"),
    (32, "EF_FLAG2"),
    (64, "EF_BLUE"),
    (128, "EF_RED"),
]);

/// What always happens at an entity.
pub(crate) fn effects(netquake: bool) -> Flags {
    if netquake { NETQUAKE_EFFECTS } else { QUAKEWORLD_EFFECTS }
}

/// What a player has.
pub(crate) const ITEMS: Flags = Flags(&[
    (1 << 0, "IT_SHOTGUN"),
    (1 << 1, "IT_SUPER_SHOTGUN"),
    (1 << 2, "IT_NAILGUN"),
    (1 << 3, "IT_SUPER_NAILGUN"),
    (1 << 4, "IT_GRENADE_LAUNCHER"),
    (1 << 5, "IT_ROCKET_LAUNCHER"),
    (1 << 6, "IT_LIGHTNING"),
    (1 << 7, "IT_SUPER_LIGHTNING"),
    (1 << 8, "IT_SHELLS"),
    (1 << 9, "IT_NAILS"),
    (1 << 10, "IT_ROCKETS"),
    (1 << 11, "IT_CELLS"),
    (1 << 12, "IT_AXE"),
    (1 << 13, "IT_ARMOR1"),
    (1 << 14, "IT_ARMOR2"),
    (1 << 15, "IT_ARMOR3"),
    (1 << 16, "IT_SUPERHEALTH"),
    (1 << 17, "IT_KEY1"),
    (1 << 18, "IT_KEY2"),
    (1 << 19, "IT_INVISIBILITY"),
    (1 << 20, "IT_INVULNERABILITY"),
    (1 << 21, "IT_SUIT"),
    (1 << 22, "IT_QUAD"),
    (1 << 28, "IT_SIGIL1"),
    (1 << 29, "IT_SIGIL2"),
    (1 << 30, "IT_SIGIL3"),
    (1 << 31, "IT_SIGIL4"),
]);

/// Render flags of an entity (`UF_FLAGS`).
pub(crate) const RENDER_FLAGS: Flags = Flags(&[
    (1, "RENDER_STEP"),
    (2, "RENDER_GLOWTRAIL"),
    (4, "RENDER_VIEWMODEL"),
    (8, "RENDER_EXTERIORMODEL"),
    (32, "RENDER_COLORMAPPED"),
    (128, "RENDER_ONGROUND"),
]);

/// What follows of a player in QuakeWorld, and facts about that player.
pub(crate) const PLAYER_FLAGS: Flags = Flags(&[
    (1 << 0, "PF_MSEC"),
    (1 << 1, "PF_COMMAND"),
    (1 << 2, "PF_VELOCITY1"),
    (1 << 3, "PF_VELOCITY2"),
    (1 << 4, "PF_VELOCITY3"),
    (1 << 5, "PF_MODEL"),
    (1 << 6, "PF_SKINNUM"),
    (1 << 7, "PF_EFFECTS"),
    (1 << 8, "PF_WEAPONFRAME"),
    (1 << 9, "PF_DEAD"),
    (1 << 10, "PF_GIB"),
    (1 << 14, "PF_ONGROUND"),
    (1 << 15, "PF_SOLID"),
]);

/// The same in a multi-view recording.
pub(crate) const VIEW_FLAGS: Flags = Flags(&[
    (1 << 0, "DF_ORIGIN1"),
    (1 << 1, "DF_ORIGIN2"),
    (1 << 2, "DF_ORIGIN3"),
    (1 << 3, "DF_ANGLE1"),
    (1 << 4, "DF_ANGLE2"),
    (1 << 5, "DF_ANGLE3"),
    (1 << 6, "DF_EFFECTS"),
    (1 << 7, "DF_SKINNUM"),
    (1 << 8, "DF_DEAD"),
    (1 << 9, "DF_GIB"),
    (1 << 10, "DF_WEAPONFRAME"),
    (1 << 11, "DF_MODEL"),
]);

/// What follows in a fast update beyond its first byte, by the byte.
pub(crate) const UPDATE_MORE: Flags =
    Flags(&[(1, "U_ANGLE1"), (2, "U_ANGLE3"), (4, "U_MODEL"), (8, "U_COLORMAP"), (16, "U_SKIN"), (32, "U_EFFECTS"), (64, "U_LONGENTITY"), (128, "U_EXTEND1")]);

/// What follows in client data, and facts.
pub(crate) const CLIENT_FLAGS: Flags = Flags(&[
    (1 << 0, "SU_VIEWHEIGHT"),
    (1 << 1, "SU_IDEALPITCH"),
    (1 << 2, "SU_PUNCH1"),
    (1 << 3, "SU_PUNCH2"),
    (1 << 4, "SU_PUNCH3"),
    (1 << 5, "SU_VELOCITY1"),
    (1 << 6, "SU_VELOCITY2"),
    (1 << 7, "SU_VELOCITY3"),
    (1 << 9, "SU_ITEMS"),
    (1 << 10, "SU_ONGROUND"),
    (1 << 11, "SU_INWATER"),
    (1 << 12, "SU_WEAPONFRAME"),
    (1 << 13, "SU_ARMOR"),
    (1 << 14, "SU_WEAPON"),
    (1 << 15, "SU_EXTEND1"),
]);

/// What follows in NetQuake's sound.
pub(crate) const SOUND_FLAGS: Flags = Flags(&[
    (1, "SND_VOLUME"),
    (2, "SND_ATTENUATION"),
    (4, "SND_MOREFLAGS"),
    (8, "SND_LARGEENTITY"),
    (16, "SND_LARGESOUND"),
    (32, "SND_SPEED"),
    (64, "SND_OFFSET"),
    (128, "SND_PITCH"),
]);
