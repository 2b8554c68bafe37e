//! Weapons by the numbers of user messages (`docs/formats/goldsrc.md`, "Frames").

/// Weapons by number, for recordings that started after the game's `WeaponList`.
const HALF_LIFE: &[(u8, &str)] = &[
    (1, "crowbar"),
    (2, "9mmhandgun"),
    (3, "357"),
    (4, "9mmAR"),
    (6, "crossbow"),
    (7, "shotgun"),
    (8, "rpg"),
    (9, "gauss"),
    (10, "egon"),
    (11, "hornetgun"),
    (12, "handgrenade"),
    (13, "tripmine"),
    (14, "satchel"),
    (15, "snark"),
];

const COUNTER_STRIKE: &[(u8, &str)] = &[
    (1, "p228"),
    (3, "scout"),
    (4, "hegrenade"),
    (5, "xm1014"),
    (6, "c4"),
    (7, "mac10"),
    (8, "aug"),
    (9, "smokegrenade"),
    (10, "elite"),
    (11, "fiveseven"),
    (12, "ump45"),
    (13, "sg550"),
    (14, "galil"),
    (15, "famas"),
    (16, "usp"),
    (17, "glock18"),
    (18, "awp"),
    (19, "mp5navy"),
    (20, "m249"),
    (21, "m3"),
    (22, "m4a1"),
    (23, "tmp"),
    (24, "g3sg1"),
    (25, "flashbang"),
    (26, "deagle"),
    (27, "sg552"),
    (28, "ak47"),
    (29, "knife"),
    (30, "p90"),
];

/// The weapon of a number in the game of a directory, without `weapon_`.
pub(crate) fn weapon_name(game: &str, id: u8) -> Option<&'static str> {
    let table = match game {
        "cstrike" | "czero" => COUNTER_STRIKE,
        "valve" | "bshift" | "ag" | "gearbox" => HALF_LIFE,
        _ => &[],
    };
    table.iter().find(|(number, _)| *number == id).map(|(_, name)| *name)
}
