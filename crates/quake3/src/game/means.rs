//! Means of death by number (`docs/formats/quake3-events.md`, "Means of death").

use crate::game::lists::{appended, inserted};

/// Quake III Arena, CPMA, OSP, DeFRaG.
pub const QUAKE3: &[&str] = &[
    "MOD_UNKNOWN",
    "MOD_SHOTGUN",
    "MOD_GAUNTLET",
    "MOD_MACHINEGUN",
    "MOD_GRENADE",
    "MOD_GRENADE_SPLASH",
    "MOD_ROCKET",
    "MOD_ROCKET_SPLASH",
    "MOD_PLASMA",
    "MOD_PLASMA_SPLASH",
    "MOD_RAILGUN",
    "MOD_LIGHTNING",
    "MOD_BFG",
    "MOD_BFG_SPLASH",
    "MOD_WATER",
    "MOD_SLIME",
    "MOD_LAVA",
    "MOD_CRUSH",
    "MOD_TELEFRAG",
    "MOD_FALLING",
    "MOD_SUICIDE",
    "MOD_TARGET_LASER",
    "MOD_TRIGGER_HURT",
    "MOD_GRAPPLE",
];

/// Team Arena and OpenArena: Team Arena's weapons stand before the grapple.
pub const TEAM_ARENA: &[&str] = &inserted::<29>(
    &inserted::<28>(
        &inserted::<27>(
            &inserted::<26>(&inserted::<25>(QUAKE3, "MOD_NAIL", "MOD_GRAPPLE"), "MOD_CHAINGUN", "MOD_GRAPPLE"),
            "MOD_PROXIMITY_MINE",
            "MOD_GRAPPLE",
        ),
        "MOD_KAMIKAZE",
        "MOD_GRAPPLE",
    ),
    "MOD_JUICED",
    "MOD_GRAPPLE",
);

/// Quake Live.
pub const LIVE: &[&str] = &appended::<34>(TEAM_ARENA, &["MOD_SWITCH_TEAMS", "MOD_THAW", "MOD_LIGHTNING_DISCHARGE", "MOD_HMG", "MOD_RAILGUN_HEADSHOT"]);
