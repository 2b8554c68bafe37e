//! The common names of what games call their weapons, items and awards (`docs/statistics.md`, "Names").

use model::common as name;
pub use model::common::weapon_of_means as means;
use model::{Kill, Stat};

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
