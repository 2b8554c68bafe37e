//! One vocabulary of weapons and items for all games. Beside each stands the game's own name; see [`Term`](crate::Term).

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
    /// All items: health, armour, power-ups, flags.
    ITEMS:
    /// The big health that goes beyond 100.
    MEGA_HEALTH = "mega_health",
    /// Health of any other size.
    HEALTH = "health",
    /// The best armour: red, body.
    RED_ARMOR = "red_armor",
    /// The middle armour: yellow, combat.
    YELLOW_ARMOR = "yellow_armor",
    /// The least armour: green, jacket.
    GREEN_ARMOR = "green_armor",
    /// A shard of armour.
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
    /// The rune that gives ammunition or armour.
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
/// use model::common;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_things() {
        let mut all: Vec<&str> = [WEAPONS, ITEMS, AMMO].concat();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
