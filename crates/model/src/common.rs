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
