//! Names of weapons and items: those of each game, and the common ones (`docs/formats/goldsrc.md`, "Frames").

use fragreel_model::{Term, common};

use crate::weapon_numbers::weapon_name;

/// Games' own names, without `weapon_`, `p_` and the like, in lower case.
const WEAPONS: &[(&str, &[&str])] = &[
    (
        common::MELEE,
        &["crowbar", "knife", "pipewrench", "axe", "medikit", "spanner", "spade", "amerknife", "gerknife", "britknife", "combatknife", "garandbutt", "k43butt"],
    ),
    (
        common::PISTOL,
        &[
            "9mmhandgun",
            "glock",
            "357",
            "python",
            "usp",
            "glock18",
            "p228",
            "deagle",
            "elite",
            "elite_single",
            "fiveseven",
            "eagle",
            "desert_eagle",
            "colt",
            "luger",
            "webley",
        ],
    ),
    (common::MACHINE_GUN, &["9mmar", "mp5", "m249", "saw", "ac", "mg42", "mg34", "30cal", "bren", "bar", "fg42"]),
    (common::SHOTGUN, &["shotgun", "m3", "xm1014"]),
    (common::SUPER_SHOTGUN, &["supershotgun"]),
    (common::NAILGUN, &["ng"]),
    (common::SUPER_NAILGUN, &["superng"]),
    (common::GRENADE_LAUNCHER, &["gl", "pl", "grenade"]),
    (common::HAND_GRENADE, &["handgrenade", "hegrenade", "stickgrenade", "mills", "millsbomb", "normalgrenade", "grenade_hand"]),
    (common::ROCKET_LAUNCHER, &["rpg", "rpgrocket", "rpg_rocket", "bazooka", "panzerschreck", "pschreck", "piat", "ic"]),
    (common::LIGHTNING_GUN, &["egon"]),
    (common::RAILGUN, &["gauss", "railgun"]),
    (common::BFG, &["displacer"]),
    (common::MINE, &["satchel", "tripmine"]),
    (common::SNIPER_RIFLE, &["awp", "scout", "sg550", "g3sg1", "sniperrifle", "m40a1", "springfield", "spring", "scopedkar"]),
    (common::ASSAULT_RIFLE, &["ak47", "m4a1", "galil", "famas", "aug", "sg552", "autorifle", "stg44", "mp44"]),
    (common::SUBMACHINE_GUN, &["mp5navy", "tmp", "mac10", "ump45", "p90", "thompson", "mp40", "greasegun", "sten"]),
    (common::GRAPPLE, &["grapple"]),
];

const ITEMS: &[(&str, &[&str])] = &[(common::HEALTH, &["medkit"]), (common::BACKPACK, &["weaponbox"])];

/// A weapon by the name that the game's messages have.
pub(super) fn weapon(name: &str) -> Term {
    let own = ["tf_weapon_", "weapon_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    Term::new(own, common_name(own))
}

/// A weapon by its number, in the game of a directory.
pub(super) fn weapon_numbered(game: &str, id: u8) -> Term {
    match weapon_name(game, id) {
        Some(name) => Term::new(name, common_name(name)),
        None => Term::new(format!("weapon {id}"), None),
    }
}

/// What a model shows: `models/p_ak47.mdl` is an `ak47`.
pub(super) fn of_model(path: &str) -> Option<Term> {
    let file = path.rsplit('/').next()?.strip_suffix(".mdl")?;
    let own = ["p_", "w_"].iter().find_map(|prefix| file.strip_prefix(prefix)).unwrap_or(file);
    // `grenade.mdl` is what the launcher under the machine gun fires, `p_grenade.mdl` and `w_grenade.mdl` are thrown
    let common = if own == "grenade" && own != file { Some(common::HAND_GRENADE) } else { common_name(own) };
    Some(Term::new(own, common))
}

fn common_name(own: &str) -> Option<&'static str> {
    WEAPONS.iter().chain(ITEMS).find(|(_, names)| names.iter().any(|name| own.eq_ignore_ascii_case(name))).map(|(common, _)| *common)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weapons_have_one_name_whoever_tells() {
        for (term, own, common) in [
            (weapon("weapon_ak47"), "ak47", Some("assault_rifle")),
            (of_model("models/p_ak47.mdl").unwrap(), "ak47", Some("assault_rifle")),
            (weapon_numbered("cstrike", 28), "ak47", Some("assault_rifle")),
            (weapon_numbered("valve", 4), "9mmAR", Some("machine_gun")),
            (weapon_numbered("svencoop", 4), "weapon 4", None),
            (of_model("models/p_grenade.mdl").unwrap(), "grenade", Some("hand_grenade")),
            (of_model("models/grenade.mdl").unwrap(), "grenade", Some("grenade_launcher")),
            (of_model("models/w_weaponbox.mdl").unwrap(), "weaponbox", Some("backpack")),
        ] {
            assert_eq!((&*term.own, term.common), (own, common));
        }
        assert_eq!(of_model("sprites/flare1.spr"), None);
    }

    #[test]
    fn no_name_stands_twice() {
        let mut all: Vec<&str> = WEAPONS.iter().chain(ITEMS).flat_map(|(_, names)| names.iter().copied()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
