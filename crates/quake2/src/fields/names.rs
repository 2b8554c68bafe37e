//! Names of numbers and bits, as engines name them. Text form, `explain` and `state` use these.

use std::borrow::Cow;
use std::sync::LazyLock;

use fragreel_base::textform::{Flags, Names};
use fragreel_base::wire::Vocabulary;

/// Importance of a line on the console.
pub(crate) static PRINT_LEVELS: LazyLock<Names> = LazyLock::new(|| Names::new(["low", "medium", "high", "chat"]));

/// Channels of an entity's sounds.
pub(crate) static CHANNELS: LazyLock<Names> = LazyLock::new(|| Names::new(["auto", "weapon", "voice", "item", "body"]));

/// What happens to an entity for one frame.
pub(crate) static EVENTS: LazyLock<Names> = LazyLock::new(|| {
    Names::new(["EV_NONE", "EV_ITEM_RESPAWN", "EV_FOOTSTEP", "EV_FALLSHORT", "EV_FALL", "EV_FALLFAR", "EV_PLAYER_TELEPORT", "EV_OTHER_TELEPORT"])
});

/// How a player moves.
pub(crate) static MOVEMENTS: LazyLock<Names> = LazyLock::new(|| Names::new(["PM_NORMAL", "PM_SPECTATOR", "PM_DEAD", "PM_GIB", "PM_FREEZE"]));

/// How a player moves in the rerelease.
pub(crate) static RERELEASE_MOVEMENTS: LazyLock<Names> =
    LazyLock::new(|| Names::new(["PM_NORMAL", "PM_GRAPPLE", "PM_NOCLIP", "PM_SPECTATOR", "PM_DEAD", "PM_GIB", "PM_FREEZE"]));

/// The muzzle flashes of players.
pub(crate) static MUZZLE_FLASHES: LazyLock<Names> = LazyLock::new(|| {
    let first = [
        "MZ_BLASTER",
        "MZ_MACHINEGUN",
        "MZ_SHOTGUN",
        "MZ_CHAINGUN1",
        "MZ_CHAINGUN2",
        "MZ_CHAINGUN3",
        "MZ_RAILGUN",
        "MZ_ROCKET",
        "MZ_GRENADE",
        "MZ_LOGIN",
        "MZ_LOGOUT",
        "MZ_RESPAWN",
        "MZ_BFG",
        "MZ_SSHOTGUN",
        "MZ_HYPERBLASTER",
        "MZ_ITEMRESPAWN",
        "MZ_IONRIPPER",
        "MZ_BLUEHYPERBLASTER",
        "MZ_PHALANX",
    ];
    let second = ["MZ_ETF_RIFLE", "MZ_UNUSED", "MZ_SHOTGUN2", "MZ_HEATBEAM", "MZ_BLASTER2", "MZ_TRACKER", "MZ_NUKE1", "MZ_NUKE2", "MZ_NUKE4", "MZ_NUKE8"];
    const SECOND: usize = 30;
    Names::new(first.into_iter().chain(std::iter::repeat_n("", SECOND - first.len())).chain(second))
});

/// The muzzle flash is a quiet one.
pub(crate) const MZ_SILENCED: u32 = 128;

/// The muzzle flashes of monsters: names up to a number, and how many there are.
const MONSTERS: &[(&str, u32)] = &[
    ("MZ2_TANK_BLASTER_", 3),
    ("MZ2_TANK_MACHINEGUN_", 19),
    ("MZ2_TANK_ROCKET_", 3),
    ("MZ2_INFANTRY_MACHINEGUN_", 13),
    ("MZ2_SOLDIER_BLASTER_", 2),
    ("MZ2_SOLDIER_SHOTGUN_", 2),
    ("MZ2_SOLDIER_MACHINEGUN_", 2),
    ("MZ2_GUNNER_MACHINEGUN_", 8),
    ("MZ2_GUNNER_GRENADE_", 4),
    ("MZ2_CHICK_ROCKET_", 1),
    ("MZ2_FLYER_BLASTER_", 2),
    ("MZ2_MEDIC_BLASTER_", 1),
    ("MZ2_GLADIATOR_RAILGUN_", 1),
    ("MZ2_HOVER_BLASTER_", 1),
    ("MZ2_ACTOR_MACHINEGUN_", 1),
    ("MZ2_SUPERTANK_MACHINEGUN_", 6),
    ("MZ2_SUPERTANK_ROCKET_", 3),
    ("MZ2_BOSS2_MACHINEGUN_L", 5),
    ("MZ2_BOSS2_ROCKET_", 4),
    ("MZ2_FLOAT_BLASTER_", 1),
];
/// The soldier's later ones, three for each number from 3 to 8.
const SOLDIER: [&str; 3] = ["MZ2_SOLDIER_BLASTER_", "MZ2_SOLDIER_SHOTGUN_", "MZ2_SOLDIER_MACHINEGUN_"];
/// The last ones, as [`MONSTERS`]; without a number where there is none.
const BOSSES: &[(&str, u32)] = &[
    ("MZ2_MAKRON_BFG", 0),
    ("MZ2_MAKRON_BLASTER_", 17),
    ("MZ2_MAKRON_RAILGUN_", 1),
    ("MZ2_JORG_MACHINEGUN_L", 6),
    ("MZ2_JORG_MACHINEGUN_R", 6),
    ("MZ2_JORG_BFG_", 1),
    ("MZ2_BOSS2_MACHINEGUN_R", 5),
    ("MZ2_CARRIER_MACHINEGUN_L1", 0),
    ("MZ2_CARRIER_MACHINEGUN_R1", 0),
    ("MZ2_CARRIER_GRENADE", 0),
    ("MZ2_TURRET_MACHINEGUN", 0),
    ("MZ2_TURRET_ROCKET", 0),
    ("MZ2_TURRET_BLASTER", 0),
    ("MZ2_STALKER_BLASTER", 0),
    ("MZ2_DAEDALUS_BLASTER", 0),
    ("MZ2_MEDIC_BLASTER_2", 0),
    ("MZ2_CARRIER_RAILGUN", 0),
    ("MZ2_WIDOW_DISRUPTOR", 0),
    ("MZ2_WIDOW_BLASTER", 0),
    ("MZ2_WIDOW_RAIL", 0),
    ("MZ2_WIDOW_PLASMABEAM", 0),
    ("MZ2_CARRIER_MACHINEGUN_L2", 0),
    ("MZ2_CARRIER_MACHINEGUN_R2", 0),
    ("MZ2_WIDOW_RAIL_LEFT", 0),
    ("MZ2_WIDOW_RAIL_RIGHT", 0),
    ("MZ2_WIDOW_BLASTER_SWEEP", 9),
    ("MZ2_WIDOW_BLASTER_100", 0),
    ("MZ2_WIDOW_BLASTER_90", 0),
    ("MZ2_WIDOW_BLASTER_80", 0),
    ("MZ2_WIDOW_BLASTER_70", 0),
    ("MZ2_WIDOW_BLASTER_60", 0),
    ("MZ2_WIDOW_BLASTER_50", 0),
    ("MZ2_WIDOW_BLASTER_40", 0),
    ("MZ2_WIDOW_BLASTER_30", 0),
    ("MZ2_WIDOW_BLASTER_20", 0),
    ("MZ2_WIDOW_BLASTER_10", 0),
    ("MZ2_WIDOW_BLASTER_0", 0),
    ("MZ2_WIDOW_BLASTER_10L", 0),
    ("MZ2_WIDOW_BLASTER_20L", 0),
    ("MZ2_WIDOW_BLASTER_30L", 0),
    ("MZ2_WIDOW_BLASTER_40L", 0),
    ("MZ2_WIDOW_BLASTER_50L", 0),
    ("MZ2_WIDOW_BLASTER_60L", 0),
    ("MZ2_WIDOW_BLASTER_70L", 0),
    ("MZ2_WIDOW_RUN_", 8),
    ("MZ2_CARRIER_ROCKET_", 4),
    ("MZ2_WIDOW2_BEAMER_", 5),
    ("MZ2_WIDOW2_BEAM_SWEEP_", 11),
];

/// The muzzle flashes of monsters.
pub(crate) static MONSTER_FLASHES: LazyLock<Names> = LazyLock::new(|| {
    let mut names = vec![String::new()];
    let several = |names: &mut Vec<String>, list: &[(&str, u32)]| {
        for &(name, count) in list {
            match count {
                0 => names.push(name.to_owned()),
                count => names.extend((1..=count).map(|number| format!("{name}{number}"))),
            }
        }
    };
    several(&mut names, MONSTERS);
    names.extend((3..=8).flat_map(|number| SOLDIER.map(|name| format!("{name}{number}"))));
    several(&mut names, BOSSES);
    Names::new(names)
});

/// What a splash is of.
pub(crate) static SPLASHES: LazyLock<Names> =
    LazyLock::new(|| Names::new(["SPLASH_UNKNOWN", "SPLASH_SPARKS", "SPLASH_BLUE_WATER", "SPLASH_BROWN_WATER", "SPLASH_SLIME", "SPLASH_LAVA", "SPLASH_BLOOD"]));

/// What the colors of these temporary entities are: the kind of a splash.
pub(crate) const SPLASH_KINDS: [&str; 1] = ["TE_SPLASH"];

/// What follows in a sound.
pub(crate) const SOUND_FLAGS: Flags =
    Flags(&[(1, "SND_VOLUME"), (2, "SND_ATTENUATION"), (4, "SND_POS"), (8, "SND_ENT"), (16, "SND_OFFSET"), (32, "SND_INDEX16"), (64, "SND_LARGE_ENT")]);

/// An attenuation in 64ths: the engine's constants are whole ones.
pub(crate) fn attenuation(sixty_fourths: u32) -> String {
    let name = match sixty_fourths {
        0 => "ATTN_NONE",
        64 => "ATTN_NORM",
        128 => "ATTN_IDLE",
        192 => "ATTN_STATIC",
        _ => return (f64::from(sixty_fourths) / 64.0).to_string(),
    };
    format!("{} {name}", f64::from(sixty_fourths) / 64.0)
}

/// What always happens at an entity.
pub(crate) const EFFECTS: Flags = Flags(&[
    (0x1, "EF_ROTATE"),
    (0x2, "EF_GIB"),
    (0x8, "EF_BLASTER"),
    (0x10, "EF_ROCKET"),
    (0x20, "EF_GRENADE"),
    (0x40, "EF_HYPERBLASTER"),
    (0x80, "EF_BFG"),
    (0x100, "EF_COLOR_SHELL"),
    (0x200, "EF_POWERSCREEN"),
    (0x400, "EF_ANIM01"),
    (0x800, "EF_ANIM23"),
    (0x1000, "EF_ANIM_ALL"),
    (0x2000, "EF_ANIM_ALLFAST"),
    (0x4000, "EF_FLIES"),
    (0x8000, "EF_QUAD"),
    (0x1_0000, "EF_PENT"),
    (0x2_0000, "EF_TELEPORTER"),
    (0x4_0000, "EF_FLAG1"),
    (0x8_0000, "EF_FLAG2"),
    (0x10_0000, "EF_IONRIPPER"),
    (0x20_0000, "EF_GREENGIB"),
    (0x40_0000, "EF_BLUEHYPERBLASTER"),
    (0x80_0000, "EF_SPINNINGLIGHTS"),
    (0x100_0000, "EF_PLASMA"),
    (0x200_0000, "EF_TRAP"),
    (0x400_0000, "EF_TRACKER"),
    (0x800_0000, "EF_DOUBLE"),
    (0x1000_0000, "EF_SPHERETRANS"),
    (0x2000_0000, "EF_TAGTRAIL"),
    (0x4000_0000, "EF_HALF_DAMAGE"),
    (0x8000_0000, "EF_TRACKERTRAIL"),
]);

/// How an entity is drawn. The rerelease gave bit 6 and those from 13 on other meanings.
pub(crate) const RENDER_FLAGS: Flags = Flags(&[
    (0x1, "RF_MINLIGHT"),
    (0x2, "RF_VIEWERMODEL"),
    (0x4, "RF_WEAPONMODEL"),
    (0x8, "RF_FULLBRIGHT"),
    (0x10, "RF_DEPTHHACK"),
    (0x20, "RF_TRANSLUCENT"),
    (0x40, "RF_FRAMELERP"),
    (0x80, "RF_BEAM"),
    (0x100, "RF_CUSTOMSKIN"),
    (0x200, "RF_GLOW"),
    (0x400, "RF_SHELL_RED"),
    (0x800, "RF_SHELL_GREEN"),
    (0x1000, "RF_SHELL_BLUE"),
    (0x8000, "RF_IR_VISIBLE"),
    (0x1_0000, "RF_SHELL_DOUBLE"),
    (0x2_0000, "RF_SHELL_HALF_DAM"),
    (0x4_0000, "RF_USE_DISGUISE"),
]);

/// How an entity is drawn in the rerelease, as far as its bits are those of the old game.
pub(crate) const RERELEASE_RENDER_FLAGS: Flags = Flags(&[
    (0x1, "RF_MINLIGHT"),
    (0x2, "RF_VIEWERMODEL"),
    (0x4, "RF_WEAPONMODEL"),
    (0x8, "RF_FULLBRIGHT"),
    (0x10, "RF_DEPTHHACK"),
    (0x20, "RF_TRANSLUCENT"),
    (0x80, "RF_BEAM"),
    (0x100, "RF_CUSTOMSKIN"),
    (0x200, "RF_GLOW"),
    (0x400, "RF_SHELL_RED"),
    (0x800, "RF_SHELL_GREEN"),
    (0x1000, "RF_SHELL_BLUE"),
    (0x8000, "RF_IR_VISIBLE"),
]);

/// How a player moves, beside `pm_type`.
pub(crate) const MOVE_FLAGS: Flags = Flags(&[
    (1, "PMF_DUCKED"),
    (2, "PMF_JUMP_HELD"),
    (4, "PMF_ON_GROUND"),
    (8, "PMF_TIME_WATERJUMP"),
    (16, "PMF_TIME_LAND"),
    (32, "PMF_TIME_TELEPORT"),
    (64, "PMF_NO_PREDICTION"),
]);

/// What a player sees.
pub(crate) const VIEW_FLAGS: Flags = Flags(&[(1, "RDF_UNDERWATER"), (2, "RDF_NOWORLDMODEL"), (4, "RDF_IRGOGGLES"), (8, "RDF_UVGOGGLES")]);

/// A stat as people read it.
pub(crate) fn stat(number: u32, value: i64) -> String {
    STATS.name(number).map_or_else(|| value.to_string(), |name| format!("{name} = {value}"))
}

/// Most stats of any dialect.
pub(crate) const STATS_LIMIT: usize = 256;

/// The stats that the stock games have; others go by their numbers.
pub(crate) static STATS: LazyLock<Names> = LazyLock::new(|| {
    let known = [
        "health_icon",
        "health",
        "ammo_icon",
        "ammo",
        "armor_icon",
        "armor",
        "selected_icon",
        "pickup_icon",
        "pickup_string",
        "timer_icon",
        "timer",
        "helpicon",
        "selected_item",
        "layouts",
        "frags",
        "flashes",
        "chase",
        "spectator",
    ];
    let named = (0..STATS_LIMIT).map(|stat| known.get(stat).map_or_else(|| Cow::Owned(stat.to_string()), |name| Cow::Borrowed(*name)));
    // numbers stand for stats with names as well
    Names::new(named.chain((0..known.len()).map(|stat| Cow::Owned(stat.to_string()))).collect::<Vec<_>>())
});
