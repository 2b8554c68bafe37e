//! The common names of what games call their weapons, items and awards (`docs/statistics.md`, "Names").

use fragreel_model::common as name;
pub(crate) use fragreel_model::common::weapon_of_means as means;
use fragreel_model::{Kill, Stat};

/// Whether nobody died though the game says so: who changes sides, and in Capture Strike everybody whom a new round finds alive.
pub(crate) fn is_no_death(kill: &Kill, mode: Option<&str>) -> bool {
    kill.means == "MOD_SWITCH_TEAMS" || (kill.means == "MOD_SUICIDE" && kill.is_suicide() && mode == Some("Capture Strike"))
}

/// Whether a means of death is a telefrag.
pub(crate) fn is_telefrag(means: &str) -> bool {
    matches!(means, "MOD_TELEFRAG" | "tele" | "MOD_TELEFRAG_SPAWN")
}

/// The weapon that an item is.
pub(crate) fn weapon(item: &str) -> Option<&'static str> {
    name::name_of_item(item).filter(|found| name::WEAPONS.contains(found))
}

/// The great items and power-ups by their common names; what lies about in numbers is not counted.
pub(crate) fn item(item: &str) -> Option<&'static str> {
    const SMALL: [&str; 3] = [name::HEALTH, name::ARMOR_SHARD, name::BACKPACK];
    const FLAGS: [&str; 3] = [name::RED_FLAG, name::BLUE_FLAG, name::NEUTRAL_FLAG];
    name::name_of_item(item).filter(|found| name::ITEMS.contains(found) && !SMALL.contains(found) && !FLAGS.contains(found))
}

/// The figure that an award raises.
pub(crate) fn award(award: &str) -> Option<Stat> {
    Some(match award {
        "impressive" => Stat::Impressive,
        "excellent" => Stat::Excellent,
        "gauntlet" | "humiliation" => Stat::Humiliation,
        "defend" => Stat::Defends,
        "assist" => Stat::Assists,
        _ => return None,
    })
}
