//! Names of weapons, items and ammunition.

use std::sync::LazyLock;

use fragreel_model::{Term, common};

/// Bits of the stat of items.
pub(super) mod item {
    #![allow(missing_docs, reason = "named as the game code names them")]
    pub(crate) const AXE: i32 = 4096;
    pub(crate) const SUPER_HEALTH: i32 = 65_536;
}

type Entry = (i32, &'static str, Option<&'static str>);

const WEAPONS: [Entry; 8] = [
    (item::AXE, "axe", Some(common::MELEE)),
    (1, "shotgun", Some(common::SHOTGUN)),
    (2, "super_shotgun", Some(common::SUPER_SHOTGUN)),
    (4, "nailgun", Some(common::NAILGUN)),
    (8, "super_nailgun", Some(common::SUPER_NAILGUN)),
    (16, "grenade_launcher", Some(common::GRENADE_LAUNCHER)),
    (32, "rocket_launcher", Some(common::ROCKET_LAUNCHER)),
    (64, "lightning", Some(common::LIGHTNING_GUN)),
];

const POWERUPS: [Entry; 4] = [
    (524_288, "invisibility", Some(common::INVISIBILITY)),
    (1_048_576, "invulnerability", Some(common::INVULNERABILITY)),
    (2_097_152, "suit", Some(common::BATTLE_SUIT)),
    (4_194_304, "quad", Some(common::QUAD)),
];

const THINGS: [Entry; 10] = [
    (8192, "armor1", Some(common::GREEN_ARMOR)),
    (16_384, "armor2", Some(common::YELLOW_ARMOR)),
    (32_768, "armorInv", Some(common::RED_ARMOR)),
    (item::SUPER_HEALTH, "superhealth", Some(common::MEGA_HEALTH)),
    (131_072, "key1", Some(common::KEY)),
    (262_144, "key2", Some(common::KEY)),
    (1 << 28, "sigil1", None),
    (1 << 29, "sigil2", None),
    (1 << 30, "sigil3", None),
    (1 << 31, "sigil4", None),
];

const AMMO: [(&str, &str); 4] = [("shells", common::SHELLS), ("nails", common::NAILS), ("rockets", common::ROCKETS), ("cells", common::CELLS)];

/// Terms by their item bit.
pub(super) type Table = Vec<(i32, Term)>;

fn table(entries: &[Entry]) -> Table {
    entries.iter().map(|(bit, own, common)| (*bit, Term::new(*own, *common))).collect()
}

/// Weapons.
pub(super) static WEAPON_TERMS: LazyLock<Table> = LazyLock::new(|| table(&WEAPONS));
/// Timed power-ups.
pub(super) static POWERUP_TERMS: LazyLock<Table> = LazyLock::new(|| table(&POWERUPS));
/// Everything else that is carried.
pub(super) static THING_TERMS: LazyLock<Table> = LazyLock::new(|| table(&THINGS));
/// Ammunition, in the order of its stats.
pub(super) static AMMO_TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| AMMO.iter().map(|(own, common)| Term::new(*own, Some(*common))).collect());

/// The active weapon. NetQuake sends its low byte, in which the axe is 0.
pub(super) fn weapon(active: i32, items: i32) -> Option<&'static Term> {
    let active = if active == 0 && items & item::AXE != 0 { item::AXE } else { active };
    WEAPON_TERMS.iter().find(|(bit, _)| *bit == active).map(|(_, term)| term)
}

/// Items by their models: file names without folder and extension.
const MODELS: [(&str, &str, Option<&str>); 33] = [
    ("b_bh10", "item_health", Some(common::HEALTH)),
    ("b_bh25", "item_health", Some(common::HEALTH)),
    ("b_bh100", "item_superhealth", Some(common::MEGA_HEALTH)),
    ("b_shell0", "item_shells", Some(common::SHELLS)),
    ("b_shell1", "item_shells", Some(common::SHELLS)),
    ("b_nail0", "item_spikes", Some(common::NAILS)),
    ("b_nail1", "item_spikes", Some(common::NAILS)),
    ("b_rock0", "item_rockets", Some(common::ROCKETS)),
    ("b_rock1", "item_rockets", Some(common::ROCKETS)),
    ("b_batt0", "item_cells", Some(common::CELLS)),
    ("b_batt1", "item_cells", Some(common::CELLS)),
    ("g_shot", "weapon_supershotgun", Some(common::SUPER_SHOTGUN)),
    ("g_nail", "weapon_nailgun", Some(common::NAILGUN)),
    ("g_nail2", "weapon_supernailgun", Some(common::SUPER_NAILGUN)),
    ("g_rock", "weapon_grenadelauncher", Some(common::GRENADE_LAUNCHER)),
    ("g_rock2", "weapon_rocketlauncher", Some(common::ROCKET_LAUNCHER)),
    ("g_light", "weapon_lightning", Some(common::LIGHTNING_GUN)),
    ("quaddama", "item_artifact_super_damage", Some(common::QUAD)),
    ("invulner", "item_artifact_invulnerability", Some(common::INVULNERABILITY)),
    ("suit", "item_artifact_envirosuit", Some(common::BATTLE_SUIT)),
    ("invisibl", "item_artifact_invisibility", Some(common::INVISIBILITY)),
    ("backpack", "backpack", Some(common::BACKPACK)),
    ("w_s_key", "item_key1", Some(common::KEY)),
    ("w_g_key", "item_key2", Some(common::KEY)),
    ("m_s_key", "item_key1", Some(common::KEY)),
    ("m_g_key", "item_key2", Some(common::KEY)),
    ("b_s_key", "item_key1", Some(common::KEY)),
    ("b_g_key", "item_key2", Some(common::KEY)),
    ("end1", "item_sigil", None),
    ("end2", "item_sigil", None),
    ("end3", "item_sigil", None),
    ("end4", "item_sigil", None),
    ("flag", "item_flag", None),
];

/// Names of armor, by skin.
const ARMOR: [(&str, &str); 3] = [("item_armor1", common::GREEN_ARMOR), ("item_armor2", common::YELLOW_ARMOR), ("item_armorInv", common::RED_ARMOR)];

/// The item that a model shows.
pub(super) fn item_of(stem: &str) -> Option<Term> {
    MODELS.iter().find(|(known, ..)| *known == stem).map(|(_, own, common)| Term::new(*own, *common))
}

/// The armor of a skin.
pub(super) fn armor_of(skin: i32) -> Option<Term> {
    static TERMS: LazyLock<Vec<Term>> = LazyLock::new(|| ARMOR.iter().map(|(own, common)| Term::new(*own, Some(*common))).collect());
    TERMS.get(skin as usize).cloned()
}

/// Missiles by their models.
const MISSILES: [(&str, &str, Option<&str>); 10] = [
    ("missile", "rocket", Some(common::ROCKET_LAUNCHER)),
    ("grenade", "grenade", Some(common::GRENADE_LAUNCHER)),
    ("spike", "spike", Some(common::NAILGUN)),
    ("s_spike", "super_spike", Some(common::SUPER_NAILGUN)),
    ("k_spike", "knight_spike", None),
    ("w_spike", "wizard_spike", None),
    ("v_spike", "vore_ball", None),
    ("laser", "laser", None),
    ("lavaball", "lavaball", None),
    ("zom_gib", "zombie_gib", None),
];

/// The missile that a model shows.
pub(super) fn missile_of(stem: &str) -> Option<Term> {
    MISSILES.iter().find(|(known, ..)| *known == stem).map(|(_, own, common)| Term::new(*own, *common))
}
