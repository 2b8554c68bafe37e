//! The common names of what games call their weapons, items and awards (`docs/statistics.md`, "Names").

use model::common as name;
use model::{Kill, Stat};

/// The weapon behind a means of death; `None` where no weapon did it.
pub fn means(means: &str) -> Option<&'static str> {
    let plain = means.strip_prefix("MOD_").unwrap_or(means);
    let plain = plain.strip_suffix("_SPLASH").unwrap_or(plain);
    Some(match plain {
        "GAUNTLET" | "axe" | "knife" | "crowbar" | "spanner" | "hammer" => name::MELEE,
        "MACHINEGUN" => name::MACHINE_GUN,
        "HMG" => name::HEAVY_MACHINE_GUN,
        "CHAINGUN" => name::CHAINGUN,
        "SHOTGUN" | "sg" | "shotgun" => name::SHOTGUN,
        "SSHOTGUN" | "ssg" => name::SUPER_SHOTGUN,
        "NAIL" | "ng" => name::NAILGUN,
        "sng" => name::SUPER_NAILGUN,
        "GRENADE" | "G" | "gl" => name::GRENADE_LAUNCHER,
        "HANDGRENADE" | "HG" | "HELD_GRENADE" | "grenade" => name::HAND_GRENADE,
        "ROCKET" | "R" | "rl" | "rpg_rocket" => name::ROCKET_LAUNCHER,
        "LIGHTNING" | "LIGHTNING_DISCHARGE" | "lg" | "discharge" => name::LIGHTNING_GUN,
        "RAILGUN" | "RAILGUN_HEADSHOT" | "rail" | "coil" => name::RAILGUN,
        "PLASMA" | "HYPERBLASTER" => name::PLASMA_GUN,
        "BFG" | "BFG10K" | "BFG_LASER" | "BFG_BLAST" | "BFG_EFFECT" => name::BFG,
        "BLASTER" => name::PISTOL,
        "PROXIMITY_MINE" | "PROX" => name::MINE,
        "GRAPPLE" | "hook" | "grapple" => name::GRAPPLE,
        // Counter-Strike and its kin name the weapon itself
        "ak47" | "m4a1" | "famas" | "galil" | "aug" | "sg552" => name::ASSAULT_RIFLE,
        "awp" | "scout" | "g3sg1" | "sg550" | "sniper rifle" => name::SNIPER_RIFLE,
        "mp5navy" | "tmp" | "mac10" | "ump45" | "p90" => name::SUBMACHINE_GUN,
        "usp" | "glock18" | "deagle" | "p228" | "elite" | "fiveseven" => name::PISTOL,
        "m3" | "xm1014" => name::SHOTGUN,
        "m249" => name::MACHINE_GUN,
        _ => return None,
    })
}

/// Whether nobody died though the game says so: who changes sides, and in Capture Strike everybody whom a new round finds alive.
pub fn is_no_death(kill: &Kill, mode: Option<&str>) -> bool {
    kill.means == "MOD_SWITCH_TEAMS" || (kill.means == "MOD_SUICIDE" && kill.is_suicide() && mode == Some("Capture Strike"))
}

/// Whether a means of death is a telefrag.
pub fn is_telefrag(means: &str) -> bool {
    matches!(means, "MOD_TELEFRAG" | "tele" | "MOD_TELEFRAG_SPAWN")
}

/// The weapon that an item is.
pub fn weapon(item: &str) -> Option<&'static str> {
    Some(match item {
        "weapon_machinegun" | "Machinegun" => name::MACHINE_GUN,
        "weapon_hmg" => name::HEAVY_MACHINE_GUN,
        "weapon_chaingun" | "Chaingun" => name::CHAINGUN,
        "weapon_shotgun" | "Shotgun" => name::SHOTGUN,
        "double-barrelled shotgun" | "weapon_supershotgun" | "Super Shotgun" => name::SUPER_SHOTGUN,
        "weapon_nailgun" | "nailgun" => name::NAILGUN,
        "super nailgun" => name::SUPER_NAILGUN,
        "weapon_grenadelauncher" | "grenade launcher" | "Grenade Launcher" => name::GRENADE_LAUNCHER,
        "weapon_rocketlauncher" | "rocket launcher" | "Rocket Launcher" => name::ROCKET_LAUNCHER,
        "weapon_lightning" | "thunderbolt" => name::LIGHTNING_GUN,
        "weapon_railgun" | "Railgun" => name::RAILGUN,
        "weapon_plasmagun" | "weapon_hyperblaster" | "HyperBlaster" => name::PLASMA_GUN,
        "weapon_bfg" | "BFG10K" => name::BFG,
        _ => return None,
    })
}

/// The great items and power-ups by their common names; what lies about in numbers is not counted.
pub fn item(item: &str) -> Option<&'static str> {
    Some(match item {
        "item_health_mega" | "megahealth" | "Mega Health" | "MegaHealth" => name::MEGA_HEALTH,
        "item_armor_body" | "red armor" | "Body Armor" => name::RED_ARMOR,
        "item_armor_combat" | "yellow armor" | "Combat Armor" => name::YELLOW_ARMOR,
        "item_armor_jacket" | "green armor" | "Jacket Armor" => name::GREEN_ARMOR,
        "item_quad" | "quad damage" | "Quad Damage" => name::QUAD,
        "item_enviro" | "biosuit" | "Environment Suit" => name::BATTLE_SUIT,
        "item_invis" | "ring of shadows" => name::INVISIBILITY,
        "pentagram of protection" | "Invulnerability" => name::INVULNERABILITY,
        "item_regen" => name::REGENERATION,
        "item_haste" => name::HASTE,
        "item_flight" => name::FLIGHT,
        "holdable_medkit" => name::MEDKIT,
        "holdable_teleporter" => name::TELEPORTER,
        "item_scout" => name::SCOUT,
        "item_guard" => name::RESISTANCE,
        "item_doubler" => name::STRENGTH,
        _ => return None,
    })
}

/// The figure that an award raises.
pub fn award(award: &str) -> Option<Stat> {
    Some(match award {
        "impressive" => Stat::Impressive,
        "excellent" => Stat::Excellent,
        "gauntlet" | "humiliation" => Stat::Humiliation,
        "defend" => Stat::Defends,
        "assist" => Stat::Assists,
        _ => return None,
    })
}
