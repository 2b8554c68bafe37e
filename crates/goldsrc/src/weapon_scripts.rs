//! The scripts with which clients show that a weapon is used (`docs/formats/goldsrc.md`, "Events").

/// A script of a weapon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WeaponScript {
    /// The script's name, without folder and extension.
    script: &'static str,
    /// The weapon, as obituaries name it.
    pub(crate) weapon: &'static str,
    /// What is heard. Counter-Strike's scripts are not published.
    pub(crate) sound: Option<&'static str>,
    /// The weapon's muzzle flashes.
    pub(crate) flashes: bool,
}

macro_rules! scripts {
    ($($script:literal $weapon:literal $sound:expr, $flashes:literal;)*) => {
        const SCRIPTS: &[WeaponScript] = &[$(WeaponScript { script: $script, weapon: $weapon, sound: $sound, flashes: $flashes }),*];
    };
}

scripts! {
    "glock1" "9mmhandgun" Some("weapons/pl_gun3.wav"), true;
    "glock2" "9mmhandgun" Some("weapons/pl_gun3.wav"), true;
    "shotgun1" "shotgun" Some("weapons/sbarrel1.wav"), true;
    "shotgun2" "shotgun" Some("weapons/dbarrel1.wav"), true;
    "mp5" "9mmAR" Some("weapons/hks1.wav"), true;
    "mp52" "9mmAR" Some("weapons/glauncher.wav"), true;
    "python" "357" Some("weapons/357_shot1.wav"), true;
    "gauss" "gauss" Some("weapons/gauss2.wav"), true;
    "rpg" "rpg" Some("weapons/rocketfire1.wav"), true;
    "crossbow1" "crossbow" Some("weapons/xbow_fire1.wav"), false;
    "crossbow2" "crossbow" Some("weapons/xbow_fire1.wav"), false;
    "crowbar" "crowbar" Some("weapons/cbar_miss1.wav"), false;
    "egon_fire" "egon" Some("weapons/egon_run3.wav"), true;
    "firehornet" "hornetgun" Some("agrunt/ag_fire1.wav"), false;
    "ak47" "ak47" None, true;
    "aug" "aug" None, true;
    "awp" "awp" None, true;
    "deagle" "deagle" None, true;
    "elite_left" "elite" None, true;
    "elite_right" "elite" None, true;
    "famas" "famas" None, true;
    "fiveseven" "fiveseven" None, true;
    "g3sg1" "g3sg1" None, true;
    "galil" "galil" None, true;
    "glock18" "glock18" None, true;
    "m249" "m249" None, true;
    "m3" "m3" None, true;
    "m4a1" "m4a1" None, true;
    "mac10" "mac10" None, true;
    "mp5n" "mp5navy" None, true;
    "p228" "p228" None, true;
    "p90" "p90" None, true;
    "scout" "scout" None, true;
    "sg550" "sg550" None, true;
    "sg552" "sg552" None, true;
    "tmp" "tmp" None, true;
    "ump45" "ump45" None, true;
    "usp" "usp" None, true;
    "xm1014" "xm1014" None, true;
    "knife" "knife" None, false;
}

/// The kind of resources that are scripts.
pub(crate) const EVENT_SCRIPT: u8 = 5;

/// The weapon of a script's path, such as `events/ak47.sc`.
pub(crate) fn weapon_script(path: &str) -> Option<&'static WeaponScript> {
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".sc");
    SCRIPTS.iter().find(|script| script.script == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_by_their_paths() {
        let weapon = |path| weapon_script(path).map(|script| script.weapon);
        assert_eq!([weapon("events/elite_left.sc"), weapon("mp5n"), weapon("events/createsmoke.sc")], [Some("elite"), Some("mp5navy"), None]);
    }
}
