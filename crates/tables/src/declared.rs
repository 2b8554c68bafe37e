//! The one declaration of tables and columns. The Arrow and SQL schemas, `docs/tables.md` and the Python stubs are made of it.

use std::sync::LazyLock;

use fragreel::model::{Stat, WeaponStat};

use crate::schema::Type::{Bool, Double, Int, Long, Real, Text};
use crate::schema::{Column, Games, Origin, Table};

const ALL: Games = Games::ALL;
/// User commands are read.
const HANDS: Games = Games::GOLDSRC.and(Games::QUAKE1);
const QUAKE1: Games = Games::QUAKE1;
const WITH_STATE: Games = Games::QUAKE2.and(Games::GOLDSRC).and(Games::QUAKE1);

/// How many columns every table begins with.
pub const COMMON: usize = 8;

fn common() -> [Column; COMMON] {
    let column = |name, kind, unit, about| Column { name, kind, unit, about, games: ALL };
    [
        column("recording", Text, "", "which recording: the first 32 hex digits of the SHA-256 of its bytes, unpacked"),
        column("family", Text, "", "`quake3`, `quake2`, `goldsrc`, `quake1`"),
        column("level", Int, "", "number of the level in the recording, from 0"),
        column("time", Long, "ms", "since the recording's first frame"),
        column("server_time", Long, "ms", "the server's clock, as it states it: may be negative"),
        column("match_time", Long, "ms", "the match clock, where one runs"),
        column("message", Int, "", "number of the container's message that says it, from 0"),
        column("evidence", Text, "", "`stated` by the recording, or `inferred` from text or a change of state"),
    ]
}

/// The places of the columns that every table has.
#[allow(non_upper_case_globals, missing_docs, reason = "named as the columns are")]
pub mod places {
    pub const recording: usize = 0;
    pub const family: usize = 1;
    pub const level: usize = 2;
    pub const time: usize = 3;
    pub const server_time: usize = 4;
    pub const match_time: usize = 5;
    pub const message: usize = 6;
    pub const evidence: usize = 7;
}

/// Declares a table: its own columns by name, with type, unit, meaning and games. Each is a constant in a module of the table's name:
/// the place of the column.
macro_rules! table {
    ($name:ident, $source:ident, $about:literal, { $($column:ident: $kind:ident $unit:literal $text:literal $games:ident;)* }) => {
        #[allow(non_upper_case_globals, missing_docs, non_camel_case_types, clippy::upper_case_acronyms, reason = "named as the columns are")]
        pub mod $name {
            use super::*;

            pub use super::places::*;

            enum Place { common = COMMON as isize - 1, $($column,)* count }
            $(pub const $column: usize = Place::$column as usize;)*
            /// How many columns are declared by name.
            pub const DECLARED: usize = Place::count as usize;
            const _: usize = Place::common as usize;

            pub fn table() -> Table {
                let mut columns = Vec::from(common());
                columns.extend([$(Column { name: stringify!($column), kind: $kind, unit: $unit, about: $text, games: $games }),*]);
                Table { name: stringify!($name), about: $about, source: Origin::$source, columns }
            }
        }
    };
}

/// Every table, in the order of the documents.
pub static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let mut scores = scores::table();
    scores.columns.extend(Stat::ALL.iter().map(|stat| figure(stat.name(), stat.about())));
    let mut weapon_stats = weapon_stats::table();
    weapon_stats.columns.extend(WeaponStat::ALL.iter().map(|stat| figure(stat.name(), stat.about())));
    vec![
        recordings::table(),
        levels::table(),
        matches::table(),
        players::table(),
        scores,
        weapon_stats,
        kills::table(),
        damage::table(),
        shots::table(),
        items::table(),
        flags::table(),
        chat::table(),
        rounds::table(),
        frames::table(),
        positions::table(),
        entities::table(),
        commands::table(),
        strings::table(),
        findings::table(),
    ]
});

/// A table by its name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

/// A column of a figure: `docs/statistics.md` defines it.
fn figure(name: &'static str, about: &'static str) -> Column {
    let unit = match name {
        _ if name.contains("time") || name == "ping" => "ms",
        "distance" => "units",
        "accuracy" => "%",
        "top_speed" | "average_speed" => "units/s",
        _ => "",
    };
    Column { name, kind: Long, unit, about, games: ALL }
}

table! { recordings, Info, "a recording", {
    path: Text "" "the file as it was named or found" ALL;
    dialect: Text "" "the protocol within the family, such as `68`" ALL;
    kind: Text "" "`client`, `server`, `multi-view` and so on" ALL;
    game: Text "" "the game's name" ALL;
    game_mod: Text "" "the mod or game directory" ALL;
    mod_version: Text "" "the mod's version as it states it" ALL;
    engine: Text "" "what served or recorded, as it states itself" ALL;
    date: Text "" "when it was played, `2015-07-25T20:39:25Z`; without `Z` or an offset in the server's own time" ALL;
    map: Text "" "the first map" ALL;
    maps: Text "" "all maps in the order played, with spaces between" ALL;
    game_type: Text "" "the game type, named" ALL;
    server: Text "" "the server's name" ALL;
    server_raw: Text "" "the same as sent" ALL;
    duration: Long "ms" "from the first frame to the last, levels added up" ALL;
    match_from: Long "ms" "the match clock's first reading" ALL;
    match_to: Long "ms" "the match clock's last reading" ALL;
    recorder: Text "" "who recorded, or whose view it is" ALL;
    recorder_slot: Int "" "the slot of that player" ALL;
    players: Int "" "how many took part" ALL;
    snapshot_rate: Double "1/s" "frames a second" ALL;
    snapshots: Long "" "frames" ALL;
    messages: Long "" "messages of the container" ALL;
    bytes: Long "bytes" "size, unpacked" ALL;
    damage: Int "" "findings of damage, as far as `info` looks" ALL;
    damage_text: Text "" "the first of them" ALL;
} }

table! { levels, Events, "a level that was entered", {
    map: Text "" "the map's file name, without folder and extension" ALL;
    game: Text "" "the mod or game directory" ALL;
    game_type: Text "" "the game type, named" ALL;
    title: Text "" "the title that the level shows" ALL;
} }

table! { matches, Scores, "a match; a level without a word about a match is one. Its times are those of its start", {
    number: Int "" "its number in the recording, from 1" ALL;
    map: Text "" "the map" ALL;
    mode: Text "" "the game type" ALL;
    date: Text "" "when it was, as far as the recording says" ALL;
    time_to: Long "ms" "when it ended, or the recording did, since the recording's first frame" ALL;
    has_start: Bool "" "whether the recording has its start" ALL;
    outcome: Text "" "`won`, `draw`, `over` (nobody to win against), `unfinished`: the recording does not show the end" ALL;
    winner: Text "" "the team or player who won" ALL;
    result: Text "" "the score of each team, or of the first two players: `red 5, blue 3`" ALL;
    players: Int "" "how many players have a line" ALL;
    sources: Text "" "what stated figures, such as `ktxstats`, with spaces between" ALL;
} }

table! { players, Events, "a name that a player had", {
    slot: Int "" "the slot, from 0" ALL;
    name: Text "" "the name without colours" ALL;
    name_raw: Text "" "the name as sent" ALL;
    team: Text "" "the last team, where the game has teams" ALL;
    recorder: Bool "" "whether it is the player who recorded, or whose view it is" ALL;
    last: Bool "" "whether it is the last name that the player had in the recording" ALL;
} }

table! { scores, Scores, "a player in a match. Figures are what the server states, otherwise what was counted; docs/statistics.md defines them", {
    match_number: Int "" "the match, from 1" ALL;
    rank: Int "" "place by score, from 1" ALL;
    slot: Int "" "the slot" ALL;
    name: Text "" "the name without colours" ALL;
    name_raw: Text "" "the name as sent" ALL;
    team: Text "" "the team" ALL;
    stated: Text "" "the figures that the server states, with spaces between" ALL;
} }

table! { weapon_stats, Scores, "a weapon in the hands of a player in a match", {
    match_number: Int "" "the match, from 1" ALL;
    slot: Int "" "the slot" ALL;
    name: Text "" "the name without colours" ALL;
    team: Text "" "the team" ALL;
    weapon: Text "" "the common name where there is one, otherwise the game's own" ALL;
    stated: Text "" "the figures that the server states, with spaces between" ALL;
} }

table! { kills, Events, "a death", {
    attacker_slot: Int "" "the slot of who did it; nothing where the world did" ALL;
    attacker: Text "" "the name without colours" ALL;
    attacker_raw: Text "" "the name as sent" ALL;
    attacker_team: Text "" "the team" ALL;
    victim_slot: Int "" "the slot of who died" ALL;
    victim: Text "" "the name without colours" ALL;
    victim_raw: Text "" "the name as sent" ALL;
    victim_team: Text "" "the team" ALL;
    means: Text "" "the means of death, in the game's own terms" ALL;
    weapon: Text "" "the weapon behind it by its common name, where there is one" ALL;
    suicide: Bool "" "whether the victim did it" ALL;
    team_kill: Bool "" "attacker and victim were on the same team" ALL;
    headshot: Bool "" "Counter-Strike and Action Quake II say so" ALL;
    place: Text "" "the part of the body that was hit" ALL;
    unknown: Text "" "`attacker` or `victim`: the side that the recording does not name" ALL;
    frame: Int "" "the last frame before the kill: its `number` in `frames` and `positions`" ALL;
    frame_message: Int "" "its `message` there" ALL;
    frame_time: Long "ms" "its `time` there" ALL;
    attacker_x: Real "units" "where the attacker was in that frame" ALL;
    attacker_y: Real "units" "likewise" ALL;
    attacker_z: Real "units" "likewise" ALL;
    victim_x: Real "units" "where the victim was" ALL;
    victim_y: Real "units" "likewise" ALL;
    victim_z: Real "units" "likewise" ALL;
    distance: Real "units" "how far they were from each other" ALL;
    held: Text "" "the weapon that the attacker held by its common name, where there is one; not always the one that killed" ALL;
    held_own: Text "" "the same in the game's own terms" ALL;
    attacker_pitch: Real "degrees" "of the attacker's view, positive downwards" ALL;
    attacker_yaw: Real "degrees" "of the attacker's view" ALL;
    attacker_roll: Real "degrees" "of the attacker's view" ALL;
    attacker_turn: Real "degrees" "the attacker's view turn, as docs/moments.md defines it" ALL;
    attacker_speed: Real "units/s" "the attacker's speed" ALL;
    victim_speed: Real "units/s" "the victim's speed" ALL;
    victim_in_air: Bool "" "whether the victim stood on nothing" ALL;
    victim_air_time: Long "ms" "the victim's air time, as docs/moments.md defines it" ALL;
    attacker_health: Int "points" "the attacker's health" ALL;
    victim_health: Int "points" "the victim's health" ALL;
    victim_armor: Int "points" "the victim's armour" ALL;
    attacker_powerups: Text "" "the attacker's power-ups, as in `positions`" ALL;
    victim_powerups: Text "" "the victim's power-ups" ALL;
    since_spawn: Long "ms" "the victim's time since the spawn, as docs/moments.md defines it" ALL;
} }

table! { damage, Events, "a hit", {
    attacker_slot: Int "" "the slot of who did it; nothing where the world did" ALL;
    attacker: Text "" "the name without colours" ALL;
    attacker_team: Text "" "the team" ALL;
    victim_slot: Int "" "the slot of who was hit" ALL;
    victim: Text "" "the name without colours" ALL;
    victim_team: Text "" "the team" ALL;
    amount: Int "points" "the strength of the hit where it is known, otherwise what it cost" ALL;
    lost: Int "points" "what it cost of armour, and of health down to nothing, where that is less" ALL;
    means: Text "" "the means, in the game's own terms" ALL;
    weapon: Text "" "the weapon behind it by its common name, where there is one" ALL;
} }

table! { shots, Events, "a shot", {
    slot: Int "" "the slot of who fired" ALL;
    name: Text "" "the name without colours" ALL;
    team: Text "" "the team" ALL;
    weapon: Text "" "the weapon by its common name, where there is one" ALL;
    weapon_own: Text "" "the same in the game's own terms" ALL;
} }

table! { items, Events, "an item that was picked up", {
    slot: Int "" "the slot of who took it" ALL;
    name: Text "" "the name without colours" ALL;
    team: Text "" "the team" ALL;
    item: Text "" "the item by its common name, where there is one" ALL;
    item_own: Text "" "the same in the game's own terms" ALL;
    delay: Long "ms" "how long it had lain there since it came back: KTX says when it does" QUAKE1;
} }

table! { flags, Events, "something that happened to a flag", {
    flag: Text "" "the flag's team" ALL;
    action: Text "" "`taken`, `dropped`, `returned`, `captured`" ALL;
    slot: Int "" "the slot of who did it" ALL;
    name: Text "" "the name without colours" ALL;
    team: Text "" "the team" ALL;
} }

table! { chat, Events, "a line that somebody said", {
    slot: Int "" "the slot of who spoke; nothing for the server and for names that match nobody" ALL;
    name: Text "" "the name without colours" ALL;
    name_raw: Text "" "the name as sent" ALL;
    team: Text "" "the team" ALL;
    channel: Text "" "`public`, `team`, `spectator`, `private`, `server`" ALL;
    text: Text "" "the line without colours" ALL;
    text_raw: Text "" "the line as sent" ALL;
} }

table! { rounds, Events, "the start or the end of a round", {
    number: Int "" "its number, where stated" ALL;
    started: Bool "" "true when it began, false when it ended" ALL;
    winner: Text "" "the side that won it" ALL;
} }

table! { frames, Frames, "a frame", {
    number: Int "" "its number in the recording, from 0" ALL;
    view_slot: Int "" "the slot of the player whose eyes they are; nothing for a free camera" ALL;
    view_x: Real "units" "where the eyes are" ALL;
    view_y: Real "units" "likewise" ALL;
    view_z: Real "units" "likewise" ALL;
    view_pitch: Real "degrees" "positive downwards" ALL;
    view_yaw: Real "degrees" "anticlockwise" ALL;
    view_roll: Real "degrees" "" ALL;
    fov: Real "degrees" "the horizontal field of view" ALL;
    teleported: Bool "" "whether the view jumped since the frame before" ALL;
    players: Int "" "how many players have a place in it or are known" ALL;
    in_view: Int "" "of how many players the place is known" ALL;
} }

table! { positions, Frames, "a player at a frame", {
    number: Int "" "the frame's number in the recording, from 0" ALL;
    slot: Int "" "the slot, from 0" ALL;
    entity: Int "" "the number of the player's entity, where it is in view" ALL;
    name: Text "" "the name without colours" ALL;
    team: Text "" "the team" ALL;
    spectator: Bool "" "whether the player only watches" ALL;
    alive: Bool "" "whether the player lives" ALL;
    x: Real "units" "where the player's origin is" ALL;
    y: Real "units" "likewise" ALL;
    z: Real "units" "likewise" ALL;
    vx: Real "units/s" "velocity" ALL;
    vy: Real "units/s" "likewise" ALL;
    vz: Real "units/s" "likewise" ALL;
    pitch: Real "degrees" "of the view, positive downwards" ALL;
    yaw: Real "degrees" "of the view" ALL;
    roll: Real "degrees" "of the view" ALL;
    health: Int "points" "health" ALL;
    armor: Int "points" "armour" ALL;
    weapon: Text "" "the weapon in hand by its common name, where there is one" ALL;
    weapon_own: Text "" "the same in the game's own terms" ALL;
    ammo: Text "" "ammunition: `rockets=12 cells=50`" ALL;
    powerups: Text "" "power-ups that last: `quad=61200`, with the server time until which they do where that is known" ALL;
    items: Text "" "weapons, flags, keys and other things carried, with spaces between" ALL;
    on_ground: Bool "" "whether the player stands on something" ALL;
    crouching: Bool "" "whether the player crouches" ALL;
    ping: Int "ms" "round-trip time" ALL;
    score: Int "" "the score board's number" ALL;
    teleported: Bool "" "whether the player jumped to this place since the frame before" ALL;
    is_view: Bool "" "whether it is the player whose view was recorded" ALL;
} }

table! { entities, Frames, "an entity at a frame", {
    number: Int "" "the frame's number in the recording, from 0" ALL;
    entity: Int "" "the entity's number" ALL;
    kind: Text "" "`corpse`, `missile`, `item`, `mover`, `beam`, `effect`, `sound`, `other`" ALL;
    model: Text "" "its model by name; `*1` is a part of the map" ALL;
    x: Real "units" "where it is" ALL;
    y: Real "units" "likewise" ALL;
    z: Real "units" "likewise" ALL;
    vx: Real "units/s" "velocity" ALL;
    vy: Real "units/s" "likewise" ALL;
    vz: Real "units/s" "likewise" ALL;
    pitch: Real "degrees" "positive downwards" ALL;
    yaw: Real "degrees" "" ALL;
    roll: Real "degrees" "" ALL;
    owner: Int "" "the slot of the player whose it is" ALL;
    item: Text "" "the item, weapon or missile by its common name, where there is one" ALL;
    item_own: Text "" "the same in the game's own terms" ALL;
    teleported: Bool "" "whether it jumped to this place since the frame before" ALL;
} }

table! { commands, Commands, "a console command of the recording player, or a user command", {
    kind: Text "" "`console`: a console command; `user`: a user command" ALL;
    text: Text "" "the console command" ALL;
    slot: Int "" "whose it is, in recordings that hold those of several players" HANDS;
    frame: Int "" "the recorder's frame" HANDS;
    msec: Int "ms" "how long the user command lasts" HANDS;
    buttons: Text "" "the buttons held, with spaces between" HANDS;
    pitch: Real "degrees" "of the view, positive downwards" HANDS;
    yaw: Real "degrees" "of the view" HANDS;
    roll: Real "degrees" "of the view" HANDS;
    forward: Real "units/s" "forward" HANDS;
    side: Real "units/s" "to the right" HANDS;
    up: Real "units/s" "up" HANDS;
    impulse: Int "" "0 or an impulse" HANDS;
} }

table! { strings, Strings, "a string of the server at the recording's end", {
    section: Text "" "`server_settings`: what the server says of itself; otherwise the table of `state` that has it, such as `configstrings`" ALL;
    name: Text "" "its key or number" ALL;
    value: Text "" "its text" ALL;
    value_raw: Text "" "the same as sent" WITH_STATE;
} }

table! { findings, Audit, "something that an unbroken recording does not have; docs/audit.md says what each kind rests on", {
    grade: Text "" "`normal`, `suspicious`, `damaged`, `edited`" ALL;
    kind: Text "" "what it is" ALL;
    offset: Long "bytes" "of the message in the file, after decompression" ALL;
    extent_from: Long "bytes" "the first byte that it spans, where it is more than a place" ALL;
    extent_to: Long "bytes" "the byte behind the last" ALL;
    text: Text "" "what the recording says there, in words" ALL;
    cause: Text "" "what usually causes it" ALL;
    times: Long "" "how often; repetitions of one cause are one row" ALL;
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_plain() {
        for table in TABLES.iter() {
            let mut names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", table.name);
            assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')), "{}", table.name);
        }
        assert_eq!(table("kills").unwrap().column("attacker_slot"), Some(kills::attacker_slot));
        assert_eq!(table("scores").unwrap().columns[scores::DECLARED].name, Stat::ALL[0].name());
        assert_eq!(common()[places::message].name, "message");
        assert!(table("frags").is_none() && TABLES.len() == 19);
    }
}
