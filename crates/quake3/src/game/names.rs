//! Names of weapons, game types, teams, power-ups and the slots of a player's arrays
//! (`docs/formats/quake3-events.md`, "Games and mods").

use crate::game::lists::appended;

/// Quake III Arena's weapons by number, as the items that give them are called.
pub const WEAPONS: &[&str] = &[
    "",
    "weapon_gauntlet",
    "weapon_machinegun",
    "weapon_shotgun",
    "weapon_grenadelauncher",
    "weapon_rocketlauncher",
    "weapon_lightning",
    "weapon_railgun",
    "weapon_plasmagun",
    "weapon_bfg",
    "weapon_grapplinghook",
];

/// With Team Arena's and Quake Live's behind them.
pub const MORE_WEAPONS: &[&str] = &appended::<15>(WEAPONS, &["weapon_nailgun", "weapon_prox_launcher", "weapon_chaingun", "weapon_hmg"]);

/// Teams by number.
pub const TEAMS: &[&str] = &["free", "red", "blue", "spectator"];

/// A game type: its name, and whether it is played in teams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameType {
    /// The name.
    pub name: &'static str,
    /// Whether it is played in teams.
    pub teams: bool,
}

const fn solo(name: &'static str) -> GameType {
    GameType { name, teams: false }
}

const fn team(name: &'static str) -> GameType {
    GameType { name, teams: true }
}

const FREE_FOR_ALL: GameType = solo("Free For All");
const DUEL: GameType = solo("Duel");
const SINGLE_PLAYER: GameType = solo("Single Player");
const TEAM_DEATHMATCH: GameType = team("Team Deathmatch");
const CAPTURE_THE_FLAG: GameType = team("Capture the Flag");
const ONE_FLAG: GameType = team("One Flag CTF");
const OVERLOAD: GameType = team("Overload");
const HARVESTER: GameType = team("Harvester");
const CLAN_ARENA: GameType = team("Clan Arena");
const FREEZE_TAG: GameType = team("Freeze Tag");
const DOMINATION: GameType = team("Domination");

/// Quake III Arena and Team Arena.
pub const QUAKE3_TYPES: &[GameType] = &[FREE_FOR_ALL, DUEL, SINGLE_PLAYER, TEAM_DEATHMATCH, CAPTURE_THE_FLAG, ONE_FLAG, OVERLOAD, HARVESTER];
/// OSP.
pub const OSP_TYPES: &[GameType] = &[FREE_FOR_ALL, DUEL, SINGLE_PLAYER, TEAM_DEATHMATCH, CAPTURE_THE_FLAG, CLAN_ARENA];
/// CPMA.
pub const CPMA_TYPES: &[GameType] = &[
    FREE_FOR_ALL,
    DUEL,
    SINGLE_PLAYER,
    TEAM_DEATHMATCH,
    CAPTURE_THE_FLAG,
    CLAN_ARENA,
    FREEZE_TAG,
    team("Capture Strike"),
    team("Not Team Fortress"),
    team("2on2"),
];
/// DeFRaG's own, beside the game's.
pub(crate) fn defrag_type(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "DeFRaG run",
        2 => "DeFRaG freestyle",
        3 => "DeFRaG fast caps",
        5 => "DeFRaG online run",
        6 => "DeFRaG online freestyle",
        7 => "DeFRaG online fast caps",
        _ => return None,
    })
}
/// OpenArena.
pub const OPENARENA_TYPES: &[GameType] = &[
    FREE_FOR_ALL,
    DUEL,
    SINGLE_PLAYER,
    TEAM_DEATHMATCH,
    CAPTURE_THE_FLAG,
    ONE_FLAG,
    OVERLOAD,
    HARVESTER,
    team("Elimination"),
    team("CTF Elimination"),
    solo("Last Man Standing"),
    team("Double Domination"),
    DOMINATION,
    solo("Possession"),
];
/// Quake Live.
pub const LIVE_TYPES: &[GameType] = &[
    FREE_FOR_ALL,
    DUEL,
    solo("Race"),
    TEAM_DEATHMATCH,
    CLAN_ARENA,
    CAPTURE_THE_FLAG,
    ONE_FLAG,
    OVERLOAD,
    HARVESTER,
    FREEZE_TAG,
    DOMINATION,
    team("Attack & Defend"),
    team("Red Rover"),
];

/// Power-ups by slot.
pub const POWERUPS: &[&str] = &[
    "",
    "item_quad",
    "item_enviro",
    "item_haste",
    "item_invis",
    "item_regen",
    "item_flight",
    "team_CTF_redflag",
    "team_CTF_blueflag",
    "team_CTF_neutralflag",
    "item_scout",
    "item_guard",
    "item_doubler",
    "item_ammoregen",
    "invulnerability",
];
/// Quake Live's, up to protocol 90.
pub const LIVE_POWERUPS: &[&str] = &[
    "",
    "item_quad",
    "item_enviro",
    "item_haste",
    "item_invis",
    "item_regen",
    "item_flight",
    "team_CTF_redflag",
    "team_CTF_blueflag",
    "team_CTF_neutralflag",
    "invulnerability",
    "item_scout",
    "item_guard",
    "item_doubler",
    "item_armorregen",
    "frozen",
];
/// Quake Live's at last: flags come first.
pub const LIVE_91_POWERUPS: &[&str] = &[
    "",
    "team_CTF_redflag",
    "team_CTF_blueflag",
    "team_CTF_neutralflag",
    "item_quad",
    "item_enviro",
    "item_haste",
    "item_invis",
    "item_regen",
    "item_flight",
    "invulnerability",
    "item_scout",
    "item_guard",
    "item_doubler",
    "item_armorregen",
    "frozen",
];

/// Slots of `stats`.
pub const STATS: &[&str] = &["health", "holdable item", "weapons", "armor", "dead yaw", "clients ready", "max health"];
/// Slots of `stats` where there are persistant power-ups: Team Arena and Quake Live.
pub const MORE_STATS: &[&str] = &["health", "holdable item", "persistant powerup", "weapons", "armor", "dead yaw", "clients ready", "max health"];

/// Slots of `persistant`.
pub const PERSISTANT: &[&str] = &[
    "score",
    "hits",
    "rank",
    "team",
    "spawn count",
    "player events",
    "last attacker",
    "attackee armor",
    "deaths",
    "impressive",
    "excellent",
    "defend",
    "assist",
    "gauntlet frags",
    "captures",
];
/// Slots of `persistant` up to protocol 45.
pub const EARLY_PERSISTANT: &[&str] =
    &["score", "hits", "rank", "team", "spawn count", "", "", "last attacker", "deaths", "impressive", "excellent", "gauntlet frags"];
/// Slots of `persistant` in Quake Live.
pub const LIVE_PERSISTANT: &[&str] = &[
    "score",
    "hits",
    "rank",
    "team",
    "spawn count",
    "player events",
    "last attacker",
    "deaths",
    "impressive",
    "excellent",
    "defend",
    "assist",
    "gauntlet frags",
    "captures",
    "attackee armor",
];

/// Rewards that show over a player's head, with their bits in `eFlags`.
pub(crate) const AWARDS: &[(u32, &str)] = &[
    (1 << 3, "excellent"),
    (1 << 6, "gauntlet"),
    (1 << 11, "capture"),
    (1 << 15, "impressive"),
    (1 << 16, "defend"),
    (1 << 17, "assist"),
    (1 << 18, "denied"),
];

/// Bits of `pm_flags`: how the player moves, beside `pm_type`.
pub(crate) const MOVE_FLAGS: &[(u32, &str)] = &[
    (0x1, "PMF_DUCKED"),
    (0x2, "PMF_JUMP_HELD"),
    (0x8, "PMF_BACKWARDS_JUMP"),
    (0x10, "PMF_BACKWARDS_RUN"),
    (0x20, "PMF_TIME_LAND"),
    (0x40, "PMF_TIME_KNOCKBACK"),
    (0x100, "PMF_TIME_WATERJUMP"),
    (0x200, "PMF_RESPAWNED"),
    (0x400, "PMF_USE_ITEM_HELD"),
    (0x800, "PMF_GRAPPLE_PULL"),
    (0x1000, "PMF_FOLLOW"),
    (0x2000, "PMF_SCOREBOARD"),
    (0x4000, "PMF_INVULEXPAND"),
];
/// The same in Quake Live.
pub(crate) const LIVE_MOVE_FLAGS: &[(u32, &str)] = &[
    (0x1, "PMF_DUCKED"),
    (0x2, "PMF_JUMP_HELD"),
    (0x8, "PMF_BACKWARDS_JUMP"),
    (0x10, "PMF_BACKWARDS_RUN"),
    (0x20, "PMF_TIME_LAND"),
    (0x40, "PMF_TIME_KNOCKBACK"),
    (0x80, "PMF_TIME_WATERJUMP"),
    (0x200, "PMF_RESPAWNED"),
    (0x400, "PMF_USE_ITEM_HELD"),
    (0x800, "PMF_GRAPPLE_PULL"),
    (0x1000, "PMF_FOLLOW"),
    (0x4000, "PMF_INVULEXPAND"),
];
