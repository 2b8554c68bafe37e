//! One vocabulary of weapons and items for all games. Beside each stands the game's own name; see [`Term`](crate::Term).

use std::borrow::Cow;

macro_rules! names {
    ($(#[$about:meta])* $list:ident: $($(#[$doc:meta])* $constant:ident = $name:literal,)*) => {
        $($(#[$doc])* pub const $constant: &str = $name;)*
        $(#[$about])*
        pub const $list: &[&str] = &[$($constant),*];
    };
}

names! {
    /// All weapons.
    WEAPONS:
    /// Gauntlet, axe, crowbar, knife.
    MELEE = "melee",
    /// Blaster, handguns.
    PISTOL = "pistol",
    /// Machine gun.
    MACHINE_GUN = "machine_gun",
    /// The heavy machine gun, beside a lighter one.
    HEAVY_MACHINE_GUN = "heavy_machine_gun",
    /// Chaingun.
    CHAINGUN = "chaingun",
    /// Shotgun.
    SHOTGUN = "shotgun",
    /// Super or double-barrelled shotgun.
    SUPER_SHOTGUN = "super_shotgun",
    /// Nailgun.
    NAILGUN = "nailgun",
    /// Super nailgun.
    SUPER_NAILGUN = "super_nailgun",
    /// Grenade launcher.
    GRENADE_LAUNCHER = "grenade_launcher",
    /// Grenades thrown by hand.
    HAND_GRENADE = "hand_grenade",
    /// Rocket launcher.
    ROCKET_LAUNCHER = "rocket_launcher",
    /// Lightning gun.
    LIGHTNING_GUN = "lightning_gun",
    /// Rail gun, gauss.
    RAILGUN = "railgun",
    /// Plasma gun, hyperblaster.
    PLASMA_GUN = "plasma_gun",
    /// BFG.
    BFG = "bfg",
    /// Proximity mines, trip mines, satchels.
    MINE = "mine",
    /// Sniper rifles.
    SNIPER_RIFLE = "sniper_rifle",
    /// Assault rifles.
    ASSAULT_RIFLE = "assault_rifle",
    /// Submachine guns.
    SUBMACHINE_GUN = "submachine_gun",
    /// Grapple, hook.
    GRAPPLE = "grapple",
}

names! {
    /// All items: health, armor, power-ups, flags.
    ITEMS:
    /// The big health that goes beyond 100.
    MEGA_HEALTH = "mega_health",
    /// Health of any other size.
    HEALTH = "health",
    /// The best armor: red, body.
    RED_ARMOR = "red_armor",
    /// The middle armor: yellow, combat.
    YELLOW_ARMOR = "yellow_armor",
    /// The least armor: green, jacket.
    GREEN_ARMOR = "green_armor",
    /// A shard of armor.
    ARMOR_SHARD = "armor_shard",
    /// Quad damage.
    QUAD = "quad",
    /// Invulnerability, the pentagram.
    INVULNERABILITY = "invulnerability",
    /// Battle suit, biosuit, environment suit.
    BATTLE_SUIT = "battle_suit",
    /// Invisibility, the ring of shadows.
    INVISIBILITY = "invisibility",
    /// Regeneration.
    REGENERATION = "regeneration",
    /// Haste.
    HASTE = "haste",
    /// Flight.
    FLIGHT = "flight",
    /// The strength, doubler or damage rune.
    STRENGTH = "strength",
    /// The resistance or guard rune.
    RESISTANCE = "resistance",
    /// The rune of scouts.
    SCOUT = "scout",
    /// The rune that gives ammunition or armor.
    SUPPLY = "supply",
    /// A medical kit to carry.
    MEDKIT = "medkit",
    /// A teleporter to carry.
    TELEPORTER = "teleporter",
    /// The red flag.
    RED_FLAG = "red_flag",
    /// The blue flag.
    BLUE_FLAG = "blue_flag",
    /// The flag of no team.
    NEUTRAL_FLAG = "neutral_flag",
    /// A backpack.
    BACKPACK = "backpack",
    /// A key.
    KEY = "key",
}

names! {
    /// All ammunition.
    AMMO:
    /// Shells.
    SHELLS = "shells",
    /// Bullets.
    BULLETS = "bullets",
    /// Nails.
    NAILS = "nails",
    /// Grenades.
    GRENADES = "grenades",
    /// Rockets.
    ROCKETS = "rockets",
    /// Cells.
    CELLS = "cells",
    /// Slugs.
    SLUGS = "slugs",
    /// What the lightning gun uses where that is no cells.
    LIGHTNING = "lightning",
    /// What the BFG uses where that is no cells.
    BFG_AMMO = "bfg_ammo",
    /// Mines.
    MINES = "mines",
    /// Belts of the chaingun.
    BELTS = "belts",
}

/// The weapon behind a means of death in a game's own words; `None` where no weapon did it, or one that only one game has.
///
/// ```
/// use fragreel_model::common;
///
/// assert_eq!(common::weapon_of_means("MOD_ROCKET_SPLASH"), Some(common::ROCKET_LAUNCHER));
/// assert_eq!(common::weapon_of_means("rl"), Some(common::ROCKET_LAUNCHER));
/// assert_eq!(common::weapon_of_means("MOD_LAVA"), None);
/// ```
pub fn weapon_of_means(means: &str) -> Option<&'static str> {
    let plain = means.strip_prefix("MOD_").unwrap_or(means);
    let plain = plain.strip_suffix("_SPLASH").unwrap_or(plain);
    Some(match plain {
        "GAUNTLET" | "axe" | "knife" | "crowbar" | "spanner" | "hammer" | "pipewrench" | "CHAINFIST" | "KNIFE" | "KNIFE_THROWN" | "KICK" | "PUNCH" => MELEE,
        "MACHINEGUN" | "9mmAR" | "mp5" | "m249" => MACHINE_GUN,
        "HMG" => HEAVY_MACHINE_GUN,
        "CHAINGUN" | "ac" | "assault cannon" => CHAINGUN,
        "SHOTGUN" | "sg" | "shotgun" | "m3" | "xm1014" | "M3" => SHOTGUN,
        "SSHOTGUN" | "ssg" | "supershotgun" | "HC" => SUPER_SHOTGUN,
        "NAIL" | "ng" | "nails" | "ETF_RIFLE" => NAILGUN,
        "sng" | "superng" | "supernails" => SUPER_NAILGUN,
        "GRENADE" | "G" | "gl" | "gl_grenade" | "pipebomb" => GRENADE_LAUNCHER,
        "HANDGRENADE" | "HG" | "HELD_GRENADE" | "grenade" | "handgrenade" | "hegrenade" | "normalgrenade" => HAND_GRENADE,
        "ROCKET" | "R" | "rl" | "rpg" | "rpg_rocket" | "rocket" => ROCKET_LAUNCHER,
        "LIGHTNING" | "LIGHTNING_DISCHARGE" | "lg" | "discharge" | "egon" => LIGHTNING_GUN,
        "RAILGUN" | "RAILGUN_HEADSHOT" | "rail" | "coil" | "railgun" | "gauss" | "tau_cannon" => RAILGUN,
        "PLASMA" | "HYPERBLASTER" => PLASMA_GUN,
        "BFG" | "BFG10K" | "BFG_LASER" | "BFG_BLAST" | "BFG_EFFECT" | "displacer" => BFG,
        "BLASTER" | "MK23" | "DUAL" | "9mmhandgun" | "glock" | "357" | "python" | "eagle" => PISTOL,
        "usp" | "glock18" | "deagle" | "p228" | "elite" | "fiveseven" => PISTOL,
        "PROXIMITY_MINE" | "PROX" | "satchel" | "tripmine" => MINE,
        "GRAPPLE" | "hook" | "grapple" => GRAPPLE,
        "ak47" | "m4a1" | "famas" | "galil" | "aug" | "sg552" | "M4" | "autorifle" | "auto rifle" => ASSAULT_RIFLE,
        "awp" | "scout" | "g3sg1" | "sg550" | "sniper rifle" | "sniperrifle" | "SNIPER" => SNIPER_RIFLE,
        "mp5navy" | "tmp" | "mac10" | "ump45" | "p90" | "MP5" => SUBMACHINE_GUN,
        _ => return None,
    })
}

/// Items that decide matches.
pub const DECISIVE_ITEMS: &[&str] = &[MEGA_HEALTH, RED_ARMOR, QUAD, INVULNERABILITY, BATTLE_SUIT, INVISIBILITY, REGENERATION, HASTE];

/// A means of death in words, for a sentence.
///
/// ```
/// use fragreel_model::common;
///
/// assert_eq!(common::words_of_means("MOD_ROCKET_SPLASH"), "rocket splash");
/// assert_eq!(common::words_of_means("MOD_HG_SPLASH"), "hand grenade splash");
/// assert_eq!(common::words_of_means("9mmAR"), "9mmAR");
/// ```
pub fn words_of_means(means: &str) -> Cow<'_, str> {
    let Some(plain) = means.strip_prefix("MOD_") else {
        let plain = means.strip_prefix("weapon_").unwrap_or(means);
        return if plain.contains('_') { Cow::Owned(plain.replace('_', " ")) } else { Cow::Borrowed(plain) };
    };
    Cow::Borrowed(match plain {
        "SSHOTGUN" => "super shotgun",
        "R_SPLASH" => "rocket splash",
        "G_SPLASH" => "grenade splash",
        "HANDGRENADE" => "hand grenade",
        "HG_SPLASH" => "hand grenade splash",
        other => return Cow::Owned(other.to_ascii_lowercase().replace('_', " ")),
    })
}

/// The common name of what can be picked up or fired, from a game's own word for it; `None` where only one game has it. A weapon
/// has the name that [`weapon_of_means`] gives for kills with it.
///
/// ```
/// use fragreel_model::common;
///
/// assert_eq!(common::name_of_item("weapon_hmg"), Some(common::HEAVY_MACHINE_GUN));
/// assert_eq!(common::name_of_item("Body Armor"), common::name_of_item("red armor"));
/// assert_eq!(common::name_of_item("Data CD"), None);
/// ```
pub fn name_of_item(item: &str) -> Option<&'static str> {
    let lower = item.to_ascii_lowercase();
    Some(match lower.as_str() {
        // weapons
        "weapon_gauntlet" | "axe" => MELEE,
        "blaster" => PISTOL,
        "weapon_machinegun" | "machinegun" => MACHINE_GUN,
        "weapon_hmg" => HEAVY_MACHINE_GUN,
        "weapon_chaingun" | "chaingun" => CHAINGUN,
        "weapon_shotgun" | "shotgun" => SHOTGUN,
        "double-barrelled shotgun" | "weapon_supershotgun" | "super shotgun" => SUPER_SHOTGUN,
        "weapon_nailgun" | "nailgun" => NAILGUN,
        "weapon_supernailgun" | "super nailgun" => SUPER_NAILGUN,
        "weapon_grenadelauncher" | "grenade launcher" => GRENADE_LAUNCHER,
        "weapon_rocketlauncher" | "rocket launcher" => ROCKET_LAUNCHER,
        "weapon_lightning" | "thunderbolt" => LIGHTNING_GUN,
        "weapon_railgun" | "railgun" => RAILGUN,
        "weapon_plasmagun" | "weapon_hyperblaster" | "hyperblaster" => PLASMA_GUN,
        "weapon_bfg" | "bfg10k" => BFG,
        "weapon_prox_launcher" => MINE,
        "weapon_grapplinghook" | "grapple" => GRAPPLE,
        "weapon_hegrenade" | "weapon_handgrenade" => HAND_GRENADE,
        // health and armor
        "item_health_mega" | "megahealth" | "mega health" => MEGA_HEALTH,
        "item_health_small" | "item_health" | "item_health_large" | "health" => HEALTH,
        "item_armor_body" | "red armor" | "body armor" => RED_ARMOR,
        "item_armor_combat" | "yellow armor" | "combat armor" => YELLOW_ARMOR,
        "item_armor_jacket" | "green armor" | "jacket armor" => GREEN_ARMOR,
        "item_armor_shard" | "armor shard" => ARMOR_SHARD,
        // power-ups
        "item_quad" | "quad damage" => QUAD,
        "item_enviro" | "biosuit" | "environment suit" => BATTLE_SUIT,
        "item_invis" | "ring of shadows" => INVISIBILITY,
        "pentagram of protection" | "invulnerability" | "holdable_invulnerability" => INVULNERABILITY,
        "item_regen" => REGENERATION,
        "item_haste" => HASTE,
        "item_flight" => FLIGHT,
        "holdable_medkit" => MEDKIT,
        "holdable_teleporter" => TELEPORTER,
        "item_scout" => SCOUT,
        "item_guard" => RESISTANCE,
        "item_doubler" => STRENGTH,
        "item_ammoregen" | "item_armorregen" => SUPPLY,
        "team_ctf_redflag" => RED_FLAG,
        "team_ctf_blueflag" => BLUE_FLAG,
        "team_ctf_neutralflag" => NEUTRAL_FLAG,
        "backpack" => BACKPACK,
        // ammunition
        "ammo_shells" | "shells" => SHELLS,
        "ammo_bullets" | "bullets" => BULLETS,
        "ammo_nails" | "nails" => NAILS,
        "ammo_grenades" | "grenades" => GRENADES,
        "ammo_rockets" | "rockets" => ROCKETS,
        "ammo_cells" | "cells" => CELLS,
        "ammo_slugs" | "slugs" => SLUGS,
        "ammo_lightning" => LIGHTNING,
        "ammo_bfg" => BFG_AMMO,
        "ammo_mines" => MINES,
        "ammo_belt" => BELTS,
        // what is left of Half-Life's names are those of its means of death
        _ => return weapon_of_means(lower.strip_prefix("weapon_")?),
    })
}

/// The common name of a weapon that was fired or hit with.
pub fn name_of_weapon(weapon: &str) -> Option<&'static str> {
    // Quake II throws what it carries.
    if weapon.eq_ignore_ascii_case("grenades") {
        return Some(HAND_GRENADE);
    }
    name_of_item(weapon).filter(|name| WEAPONS.contains(name)).or_else(|| weapon_of_means(weapon))
}

/// One name for a game type that games call differently.
///
/// ```
/// assert_eq!(fragreel_model::common::name_of_mode("Tournament"), "Duel");
/// ```
pub fn name_of_mode(mode: &str) -> &str {
    match mode.to_ascii_lowercase().as_str() {
        "tournament" | "1v1" | "1on1" | "duel" => "Duel",
        "ffa" => "Free For All",
        "team" | "tdm" => "Team Deathmatch",
        "ctf" => "Capture the Flag",
        "clan-arena" | "ca" => "Clan Arena",
        "wipeout" => "Wipeout",
        "hoonymode" | "hoony" => "Hoony Mode",
        "2v2" => "2on2",
        "3v3" => "3on3",
        "4v4" => "4on4",
        _ => mode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_one_name() {
        assert_eq!(
            ["FFA", "ffa", "1v1", "Tournament", "2v2", "Capture Strike"].map(name_of_mode),
            ["Free For All", "Free For All", "Duel", "Duel", "2on2", "Capture Strike"]
        );
    }

    #[test]
    fn no_name_means_two_things() {
        let mut all: Vec<&str> = [WEAPONS, ITEMS, AMMO].concat();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
