//! The one declaration of tables and columns. The Arrow and SQL schemas, `docs/tables.md` and the Python stubs are made of it.

use std::sync::LazyLock;

use fragreel::model::{ItemStat, Stat, WeaponStat, common};

use crate::schema::Type::{Bool, Double, Int, Long, Real, Text};
use crate::schema::{Column, Games, Origin, Range, Table};

const ALL: Games = Games::ALL;
/// User commands are read.
const HANDS: Games = Games::GOLDSRC.and(Games::QUAKE1);
const QUAKE1: Games = Games::QUAKE1;
const WITH_STATE: Games = Games::QUAKE2.and(Games::GOLDSRC).and(Games::QUAKE1);

const ANY: Range = Range::Any;
const COUNT: Range = Range::Within(0.0, 9e15);
const ORDINAL: Range = Range::Within(1.0, 1e6);
const SLOT: Range = Range::Within(0.0, 255.0);
const BYTE: Range = Range::Within(0.0, 255.0);
/// Since the recording's first frame, or a span.
const TIME: Range = Range::Within(0.0, 1e9);
/// A clock that a server states.
const CLOCK: Range = Range::Within(-2_147_483_648.0, 2_147_483_647_000.0);
const AIR_TIME: Range = Range::Within(0.0, fragreel::AIR_TIME_LIMIT.0 as f64);
const RATE: Range = Range::Within(0.0, 1000.0);
const PERCENT: Range = Range::Within(0.0, 100.0);
/// 999 is what servers say of somebody who connects. On bad networks there were more, in 16 bits.
const PING: Range = Range::Within(0.0, 65_535.0);
const PLACE: Range = Range::Within(-131_072.0, 131_072.0);
const DISTANCE: Range = Range::Within(0.0, 400_000.0);
const VELOCITY: Range = Range::Within(-32_768.0, 32_768.0);
const SPEED: Range = Range::Within(0.0, 60_000.0);
const PITCH: Range = Range::Within(-90.0, 90.0);
const ANGLE: Range = Range::Within(-360.0, 360.0);
/// Things spin in every direction, and what a law of motion gives grows for as long as the law lasts.
const FREE: Range = Range::Any;
const TURN: Range = Range::Within(0.0, 180.0);
const FOV: Range = Range::Within(1.0, 180.0);
/// Bodies have less than nothing.
const HEALTH: Range = Range::Within(-999.0, 9999.0);
const ARMOR: Range = Range::Within(0.0, 9999.0);
const FAMILIES: Range = Range::Words(&["quake3", "quake2", "goldsrc", "quake1"]);
const EVIDENCE: Range = Range::Words(&["stated", "inferred"]);
const OUTCOMES: Range = Range::Words(&["won", "draw", "over", "forfeited", "stopped", "aborted", "unfinished"]);
const CAUSES: Range = Range::Words(&[
    "time",
    "frags",
    "captures",
    "points",
    "rounds",
    "mercy",
    "sudden_death",
    "forfeit",
    "vote",
    "admin",
    "nobody_left",
    "restart",
    "level_change",
    "warmup",
]);
const SIDES: Range = Range::Words(&["attacker", "victim", "both"]);
const ACTIONS: Range = Range::Words(&["taken", "dropped", "returned", "captured"]);
const CHANNELS: Range = Range::Words(&["public", "team", "spectator", "private", "server"]);
const ENTITIES: Range = Range::Words(&["corpse", "missile", "item", "mover", "beam", "effect", "sound", "other"]);
const COMMANDS: Range = Range::Words(&["console", "user"]);
const GRADES: Range = Range::Words(&["normal", "suspicious", "damaged", "edited"]);
const WEAPONS: Range = Range::Words(common::WEAPONS);

const NEVER: Option<&str> = None;
const UNSAID: Option<&str> = Some("not said");
const UNSEEN: Option<&str> = Some("not stated, out of sight");
const UNCOUNTED: Option<&str> = Some("neither stated nor counted");
const NO_MATCH: Option<&str> = Some("no match runs");
const NO_MOMENT: Option<&str> = Some("of no moment");
const NO_TEAMS: Option<&str> = Some("no teams, not stated");
const NO_ATTACKER: Option<&str> = Some("the world, not stated");
const BOTH_NAMED: Option<&str> = Some("both are named");
const NO_COMMON: Option<&str> = Some("no common name, not stated");
const NO_VIEW: Option<&str> = Some("all players are shown, not stated");
const OTHER_KIND: Option<&str> = Some("the other kind, not stated");

/// How many columns every table begins with.
pub const COMMON: usize = 9;

fn common_columns() -> [Column; COMMON] {
    let column = |name, kind, unit, about, range, null| Column { name, kind, unit, about, games: ALL, range, null };
    [
        column("recording", Text, "", "the recording: the first 32 hex digits of the SHA-256 of its unpacked bytes", ANY, NEVER),
        column("family", Text, "", "`quake3`, `quake2`, `goldsrc`, `quake1`", FAMILIES, NEVER),
        column("level", Int, "", "number of the level in the recording, from 0", COUNT, NO_MOMENT),
        column("time", Long, "ms", "since the recording's first frame", TIME, NO_MOMENT),
        column("server_time", Long, "ms", "the server's clock, as it states it: may be negative", CLOCK, NO_MOMENT),
        column("match_time", Long, "ms", "the match clock, if one runs", CLOCK, NO_MATCH),
        column("message", Int, "", "number of the container's message that states it, from 0", COUNT, NO_MOMENT),
        column("evidence", Text, "", "`stated` by the recording, or `inferred` from text or a change of state", EVIDENCE, NO_MOMENT),
        column(
            "uncertain",
            Bool,
            "",
            "whether damage made it uncertain: a delta base was lost before it, and no full state has followed since",
            ANY,
            NO_MOMENT,
        ),
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
    pub const uncertain: usize = 8;
}

/// Declares a table: its own columns by name, with type, unit, meaning and games. Each is a constant in a module of the table's name:
/// the place of the column.
macro_rules! table {
    ($name:ident, $source:ident, $about:literal, { $($column:ident: $kind:ident $unit:literal $text:literal $games:ident, $range:ident $null:ident;)* }) => {
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
                let mut columns = Vec::from(common_columns());
                columns.extend([$(Column { name: stringify!($column), kind: $kind, unit: $unit, about: $text, games: $games, range: $range, null: $null }),*]);
                Table { name: stringify!($name), about: $about, source: Origin::$source, columns }
            }
        }
    };
}

mod movement;
mod outcomes;
mod shooting;

pub use movement::{jumps, steps, strafes};
pub use outcomes::{awards, item_stats, moments, pairs, runs};
pub use shooting::aim;

/// Every table, in the order of the documents.
pub static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let mut scores = scores::table();
    scores.columns.extend(Stat::ALL.iter().map(|stat| figure(stat.name(), stat.about())));
    let mut weapon_stats = weapon_stats::table();
    weapon_stats.columns.extend(WeaponStat::ALL.iter().map(|stat| figure(stat.name(), stat.about())));
    let mut item_stats = item_stats::table();
    item_stats.columns.extend(ItemStat::ALL.iter().map(|stat| figure(stat.name(), stat.about())));
    vec![
        recordings::table(),
        levels::table(),
        matches::table(),
        players::table(),
        scores,
        weapon_stats,
        item_stats,
        pairs::table(),
        awards::table(),
        moments::table(),
        runs::table(),
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
        jumps::table(),
        strafes::table(),
        steps::table(),
        aim::table(),
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
        _ if name.contains("time") || matches!(name, "ping" | "average_delay") => "ms",
        "distance" => "units",
        "accuracy" => "%",
        "top_speed" | "average_speed" => "units/s",
        _ => "",
    };
    let range = match unit {
        "%" => PERCENT,
        "ms" if name == "ping" => PING,
        _ if matches!(name, "score" | "kills" | "damage_given" | "damage_taken") => ANY,
        _ => COUNT,
    };
    Column { name, kind: Long, unit, about, games: ALL, range, null: UNCOUNTED }
}

table! { recordings, Info, "a recording", {
    path: Text "" "the file as it was named or found" ALL, ANY NEVER;
    dialect: Text "" "the protocol within the family, such as `68`" ALL, ANY NEVER;
    kind: Text "" "`client`, `server`, `multi-view` and so on" ALL, ANY NEVER;
    game: Text "" "the game's name" ALL, ANY NEVER;
    game_mod: Text "" "the mod or game directory" ALL, ANY UNSAID;
    mod_version: Text "" "the mod's version as it states it" ALL, ANY UNSAID;
    engine: Text "" "the name that the server or recorder gives itself" ALL, ANY UNSAID;
    date: Text "" "date of play, `2015-07-25T20:39:25Z`; without `Z` or an offset, it is the server's local time" ALL, ANY UNSAID;
    map: Text "" "the first map" ALL, ANY UNSAID;
    maps: Text "" "all maps in the order played, separated by spaces" ALL, ANY UNSAID;
    game_type: Text "" "the game type, named" ALL, ANY UNSAID;
    server: Text "" "the server's name" ALL, ANY UNSAID;
    server_raw: Text "" "the same as sent" ALL, ANY UNSAID;
    duration: Long "ms" "from the first frame to the last, summed over levels" ALL, TIME UNSAID;
    match_from: Long "ms" "the match clock's first reading" ALL, CLOCK UNSAID;
    match_to: Long "ms" "the match clock's last reading" ALL, CLOCK UNSAID;
    recorder: Text "" "the recording player, or the player whose view it is" ALL, ANY UNSAID;
    recorder_slot: Int "" "the slot of that player" ALL, SLOT UNSAID;
    players: Int "" "the number of players" ALL, COUNT NEVER;
    snapshot_rate: Double "1/s" "frames a second" ALL, RATE UNSAID;
    snapshots: Long "" "frames" ALL, COUNT NEVER;
    messages: Long "" "messages of the container" ALL, COUNT NEVER;
    bytes: Long "bytes" "size, unpacked" ALL, COUNT NEVER;
    damage: Int "" "findings of damage that `info` sees" ALL, COUNT NEVER;
    damage_text: Text "" "the first of them" ALL, ANY UNSAID;
} }

table! { levels, Events, "a level that was entered", {
    map: Text "" "the map's file name, without folder and extension" ALL, ANY NEVER;
    game: Text "" "the mod or game directory" ALL, ANY NEVER;
    game_type: Text "" "the game type, named" ALL, ANY UNSAID;
    title: Text "" "the title that the level shows" ALL, ANY UNSAID;
} }

table! { matches, Scores, "a match, or a level that does not mention one. Its times are those of its start", {
    number: Int "" "its number in the recording, from 1" ALL, ORDINAL NEVER;
    map: Text "" "the map" ALL, ANY UNSAID;
    mode: Text "" "the game type" ALL, ANY UNSAID;
    date: Text "" "the match's date, if the recording states it" ALL, ANY UNSAID;
    time_to: Long "ms" "the end of the match or of the recording, since the recording's first frame" ALL, TIME NEVER;
    has_start: Bool "" "whether the recording has its start" ALL, ANY NEVER;
    outcome: Text "" "`won`, `draw`, `over` (nobody to win against), `forfeited`, `stopped`, `aborted` (called off), `unfinished`: the recording does not show the end" ALL, OUTCOMES NEVER;
    cause: Text "" "the cause of its end, such as `time`, `frags`, `forfeit`, `vote`" ALL, CAUSES UNSAID;
    forfeited_by: Text "" "the team or player who gave up" ALL, ANY UNSAID;
    winner: Text "" "the team or player who won" ALL, ANY UNSAID;
    result: Text "" "the score of each team, or of the first two players: `red 5, blue 3`" ALL, ANY UNSAID;
    players: Int "" "the number of players on the scoreboard" ALL, COUNT NEVER;
    sources: Text "" "the sources of stated figures, such as `ktxstats`, separated by spaces" ALL, ANY UNSAID;
    rounds: Int "" "the number of rounds or points that ended" ALL, COUNT NEVER;
    pauses: Int "" "the number of pauses" ALL, COUNT NEVER;
    paused: Long "ms" "the length of all pauses, on the recording's clock" ALL, COUNT NEVER;
    overtimes: Int "" "the number of overtimes" ALL, COUNT NEVER;
    findings: Text "" "figures that contradict each other, as sentences separated by semicolons" ALL, ANY UNSAID;
} }

table! { players, Events, "a name that a player had", {
    slot: Int "" "the slot, from 0" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY NEVER;
    name_raw: Text "" "the name as sent" ALL, ANY NEVER;
    team: Text "" "the last team, if the game has teams" ALL, ANY NO_TEAMS;
    recorder: Bool "" "whether it is the recording player, or the player whose view it is" ALL, ANY NEVER;
    last: Bool "" "whether it is the last name that the player had in the recording" ALL, ANY NEVER;
} }

table! { scores, Scores, "a player in a match. Figures are stated by the server, or else counted; docs/statistics.md defines them", {
    match_number: Int "" "the match, from 1" ALL, ORDINAL NEVER;
    rank: Int "" "place by score, from 1" ALL, ORDINAL NEVER;
    slot: Int "" "the slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY NEVER;
    name_raw: Text "" "the name as sent" ALL, ANY NEVER;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    stated: Text "" "the figures that the server states, separated by spaces" ALL, ANY UNSAID;
} }

table! { weapon_stats, Scores, "a weapon of a player in a match", {
    match_number: Int "" "the match, from 1" ALL, ORDINAL NEVER;
    slot: Int "" "the slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY NEVER;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    weapon: Text "" "the common name, or else the game's own" ALL, ANY NEVER;
    stated: Text "" "the figures that the server states, separated by spaces" ALL, ANY UNSAID;
} }

table! { kills, Events, "a death", {
    attacker_slot: Int "" "the attacker's slot; null for the world" ALL, SLOT NO_ATTACKER;
    attacker: Text "" "the name without colors" ALL, ANY NO_ATTACKER;
    attacker_raw: Text "" "the name as sent" ALL, ANY NO_ATTACKER;
    attacker_team: Text "" "the team" ALL, ANY NO_TEAMS;
    victim_slot: Int "" "the victim's slot" ALL, SLOT UNSAID;
    victim: Text "" "the name without colors" ALL, ANY UNSAID;
    victim_raw: Text "" "the name as sent" ALL, ANY UNSAID;
    victim_team: Text "" "the team" ALL, ANY NO_TEAMS;
    means: Text "" "the means of death, in the game's own terms" ALL, ANY NEVER;
    weapon: Text "" "the common name of the weapon, if there is one" ALL, WEAPONS NO_COMMON;
    suicide: Bool "" "whether it is a suicide" ALL, ANY NEVER;
    team_kill: Bool "" "attacker and victim were on the same team" ALL, ANY NEVER;
    headshot: Bool "" "stated by Counter-Strike and Action Quake II" ALL, ANY NEVER;
    place: Text "" "the part of the body that was hit" ALL, ANY UNSAID;
    unknown: Text "" "`attacker`, `victim` or `both`: the side that the recording does not identify" ALL, SIDES BOTH_NAMED;
    frame: Int "" "the last frame before the kill: its `number` in `frames` and `positions`" ALL, COUNT UNSEEN;
    frame_message: Int "" "its `message` there" ALL, COUNT UNSEEN;
    frame_time: Long "ms" "its `time` there" ALL, TIME UNSEEN;
    attacker_x: Real "units" "the attacker's place in that frame" ALL, PLACE UNSEEN;
    attacker_y: Real "units" "likewise" ALL, PLACE UNSEEN;
    attacker_z: Real "units" "likewise" ALL, PLACE UNSEEN;
    victim_x: Real "units" "the victim's place" ALL, PLACE UNSEEN;
    victim_y: Real "units" "likewise" ALL, PLACE UNSEEN;
    victim_z: Real "units" "likewise" ALL, PLACE UNSEEN;
    distance: Real "units" "the distance between both" ALL, DISTANCE UNSEEN;
    held: Text "" "the common name of the weapon in the attacker's hand, if there is one; not always the one that killed" ALL, WEAPONS UNSEEN;
    held_own: Text "" "the same in the game's own terms" ALL, ANY UNSEEN;
    attacker_pitch: Real "degrees" "of the attacker's view, positive downwards" ALL, PITCH UNSEEN;
    attacker_yaw: Real "degrees" "of the attacker's view" ALL, ANGLE UNSEEN;
    attacker_roll: Real "degrees" "of the attacker's view" ALL, ANGLE UNSEEN;
    attacker_turn: Real "degrees" "the attacker's view turn, as docs/moments.md defines it" ALL, TURN UNSEEN;
    attacker_speed: Real "units/s" "the attacker's speed" ALL, SPEED UNSEEN;
    victim_speed: Real "units/s" "the victim's speed" ALL, SPEED UNSEEN;
    victim_in_air: Bool "" "whether the victim had no ground contact" ALL, ANY UNSEEN;
    victim_air_time: Long "ms" "the victim's air time, as docs/moments.md defines it" ALL, AIR_TIME UNSEEN;
    attacker_health: Int "points" "the attacker's health" ALL, HEALTH UNSEEN;
    victim_health: Int "points" "the victim's health" ALL, HEALTH UNSEEN;
    victim_armor: Int "points" "the victim's armor" ALL, ARMOR UNSEEN;
    attacker_powerups: Text "" "the attacker's power-ups, as in `positions`" ALL, ANY UNSEEN;
    victim_powerups: Text "" "the victim's power-ups" ALL, ANY UNSEEN;
    since_spawn: Long "ms" "the victim's time since the spawn, as docs/moments.md defines it" ALL, TIME UNSEEN;
} }

table! { damage, Events, "a hit", {
    attacker_slot: Int "" "the attacker's slot; null for the world" ALL, SLOT NO_ATTACKER;
    attacker: Text "" "the name without colors" ALL, ANY NO_ATTACKER;
    attacker_team: Text "" "the team" ALL, ANY NO_TEAMS;
    victim_slot: Int "" "the slot of the player who was hit" ALL, SLOT UNSAID;
    victim: Text "" "the name without colors" ALL, ANY UNSAID;
    victim_team: Text "" "the team" ALL, ANY NO_TEAMS;
    amount: Int "points" "the strength of the hit, or if that is unknown, the loss" ALL, COUNT NEVER;
    lost: Int "points" "the loss of armor, and of health down to 0, if it is less" ALL, COUNT UNSAID;
    means: Text "" "the means, in the game's own terms" ALL, ANY UNSAID;
    weapon: Text "" "the common name of the weapon, if there is one" ALL, WEAPONS NO_COMMON;
} }

table! { shots, Events, "a shot", {
    slot: Int "" "the shooter's slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    weapon: Text "" "the common name of the weapon, if there is one" ALL, WEAPONS NO_COMMON;
    weapon_own: Text "" "the same in the game's own terms" ALL, ANY NEVER;
} }

table! { items, Events, "an item that was picked up", {
    slot: Int "" "the slot of the player who took it" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    item: Text "" "the common name of the item, if there is one" ALL, ANY NO_COMMON;
    item_own: Text "" "the same in the game's own terms" ALL, ANY NEVER;
    delay: Long "ms" "the time since the item's respawn, if KTX states it" QUAKE1, TIME UNSAID;
} }

table! { flags, Events, "a flag event", {
    flag: Text "" "the flag's team" ALL, ANY NEVER;
    action: Text "" "`taken`, `dropped`, `returned`, `captured`" ALL, ACTIONS NEVER;
    slot: Int "" "the slot of who did it" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
} }

table! { chat, Events, "a line of chat", {
    slot: Int "" "the speaker's slot; null for the server and for names that match no player" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    name_raw: Text "" "the name as sent" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    channel: Text "" "`public`, `team`, `spectator`, `private`, `server`" ALL, CHANNELS NEVER;
    text: Text "" "the line without colors" ALL, ANY NEVER;
    text_raw: Text "" "the line as sent" ALL, ANY NEVER;
} }

table! { rounds, Events, "the start or the end of a round", {
    number: Int "" "its number, if stated" ALL, COUNT UNSAID;
    started: Bool "" "true when it began, false when it ended" ALL, ANY NEVER;
    winner: Text "" "the side that won it" ALL, ANY UNSAID;
} }

table! { frames, Frames, "a frame", {
    number: Int "" "its number in the recording, from 0" ALL, COUNT NEVER;
    view_slot: Int "" "the slot of the viewed player; null for a free camera" ALL, SLOT NO_VIEW;
    view_x: Real "units" "place of the eyes" ALL, PLACE NO_VIEW;
    view_y: Real "units" "likewise" ALL, PLACE NO_VIEW;
    view_z: Real "units" "likewise" ALL, PLACE NO_VIEW;
    view_pitch: Real "degrees" "positive downwards" ALL, PITCH NO_VIEW;
    view_yaw: Real "degrees" "anticlockwise" ALL, ANGLE NO_VIEW;
    view_roll: Real "degrees" "" ALL, ANGLE NO_VIEW;
    fov: Real "degrees" "the horizontal field of view" ALL, FOV NO_VIEW;
    teleported: Bool "" "whether the view was teleported since the previous frame" ALL, ANY NO_VIEW;
    players: Int "" "the number of players that are known" ALL, COUNT NEVER;
    in_view: Int "" "the number of players whose place is known" ALL, COUNT NEVER;
} }

table! { positions, Frames, "a player at a frame", {
    number: Int "" "the frame's number in the recording, from 0" ALL, COUNT NEVER;
    slot: Int "" "the slot, from 0" ALL, SLOT NEVER;
    entity: Int "" "the number of the player's entity, if it is in view" ALL, COUNT UNSEEN;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    spectator: Bool "" "whether the player is a spectator" ALL, ANY UNSEEN;
    alive: Bool "" "whether the player is alive" ALL, ANY UNSEEN;
    x: Real "units" "the player's origin" ALL, PLACE UNSEEN;
    y: Real "units" "likewise" ALL, PLACE UNSEEN;
    z: Real "units" "likewise" ALL, PLACE UNSEEN;
    vx: Real "units/s" "velocity" ALL, VELOCITY UNSEEN;
    vy: Real "units/s" "likewise" ALL, VELOCITY UNSEEN;
    vz: Real "units/s" "likewise" ALL, VELOCITY UNSEEN;
    pitch: Real "degrees" "of the view, positive downwards" ALL, PITCH UNSEEN;
    yaw: Real "degrees" "of the view" ALL, ANGLE UNSEEN;
    roll: Real "degrees" "of the view" ALL, ANGLE UNSEEN;
    health: Int "points" "health" ALL, HEALTH UNSEEN;
    armor: Int "points" "armor" ALL, ARMOR UNSEEN;
    weapon: Text "" "the common name of the weapon in hand, if there is one" ALL, WEAPONS NO_COMMON;
    weapon_own: Text "" "the same in the game's own terms" ALL, ANY UNSEEN;
    ammo: Text "" "ammunition: `rockets=12 cells=50`" ALL, ANY UNSEEN;
    powerups: Text "" "active power-ups: `quad=61200`, with the server time until which they last, if known" ALL, ANY UNSEEN;
    items: Text "" "weapons, flags, keys and other carried items, separated by spaces" ALL, ANY UNSEEN;
    on_ground: Bool "" "whether the player has ground contact" ALL, ANY UNSEEN;
    crouching: Bool "" "whether the player crouches" ALL, ANY UNSEEN;
    ping: Int "ms" "round-trip time" ALL, PING UNSAID;
    score: Int "" "the score on the scoreboard" ALL, ANY UNSAID;
    teleported: Bool "" "whether the player was teleported since the previous frame" ALL, ANY NEVER;
    is_view: Bool "" "whether it is the player whose view was recorded" ALL, ANY NEVER;
} }

table! { entities, Frames, "an entity at a frame", {
    number: Int "" "the frame's number in the recording, from 0" ALL, COUNT NEVER;
    entity: Int "" "the entity's number" ALL, COUNT NEVER;
    kind: Text "" "`corpse`, `missile`, `item`, `mover`, `beam`, `effect`, `sound`, `other`" ALL, ENTITIES NEVER;
    model: Text "" "its model by name; `*1` is a part of the map" ALL, ANY UNSEEN;
    x: Real "units" "its place; entities that fall out of the map keep falling" ALL, FREE UNSEEN;
    y: Real "units" "likewise" ALL, FREE UNSEEN;
    z: Real "units" "likewise" ALL, FREE UNSEEN;
    vx: Real "units/s" "velocity" ALL, FREE UNSEEN;
    vy: Real "units/s" "likewise" ALL, FREE UNSEEN;
    vz: Real "units/s" "likewise" ALL, FREE UNSEEN;
    pitch: Real "degrees" "positive downwards; any size for spinning entities" ALL, FREE UNSEEN;
    yaw: Real "degrees" "likewise" ALL, FREE UNSEEN;
    roll: Real "degrees" "likewise" ALL, FREE UNSEEN;
    owner: Int "" "the owner's slot" ALL, COUNT UNSEEN;
    item: Text "" "the common name of the item, weapon or missile, if there is one" ALL, ANY NO_COMMON;
    item_own: Text "" "the same in the game's own terms" ALL, ANY UNSEEN;
    teleported: Bool "" "whether it was teleported since the previous frame" ALL, ANY NEVER;
} }

table! { commands, Commands, "a console command of the recording player, or a user command", {
    kind: Text "" "`console`: a console command; `user`: a user command" ALL, COMMANDS NEVER;
    text: Text "" "the console command" ALL, ANY OTHER_KIND;
    slot: Int "" "the player's slot, in recordings with commands of several players" HANDS, SLOT OTHER_KIND;
    frame: Int "" "the recorder's frame" HANDS, COUNT OTHER_KIND;
    msec: Int "ms" "the duration of the user command" HANDS, COUNT OTHER_KIND;
    buttons: Text "" "the held buttons, separated by spaces" HANDS, ANY OTHER_KIND;
    pitch: Real "degrees" "of the view, positive downwards" HANDS, PITCH OTHER_KIND;
    yaw: Real "degrees" "of the view, as sent: some clients count beyond a full turn" HANDS, ANY OTHER_KIND;
    roll: Real "degrees" "of the view" HANDS, ANGLE OTHER_KIND;
    forward: Real "units/s" "forward" HANDS, VELOCITY OTHER_KIND;
    side: Real "units/s" "to the right" HANDS, VELOCITY OTHER_KIND;
    up: Real "units/s" "up" HANDS, VELOCITY OTHER_KIND;
    impulse: Int "" "0 or an impulse" HANDS, BYTE OTHER_KIND;
} }

table! { strings, Strings, "a string of the server at the recording's end", {
    section: Text "" "`server_settings`: the server's info; otherwise the table of `state` that has it, such as `configstrings`" ALL, ANY NEVER;
    name: Text "" "its key or number" ALL, ANY NEVER;
    value: Text "" "its text" ALL, ANY NEVER;
    value_raw: Text "" "the same as sent" WITH_STATE, ANY UNSAID;
} }

table! { findings, Audit, "a trace that an untouched recording does not have; docs/audit.md explains each kind", {
    grade: Text "" "`normal`, `suspicious`, `damaged`, `edited`" ALL, GRADES NEVER;
    kind: Text "" "what it is" ALL, ANY NEVER;
    offset: Long "bytes" "of the message in the file, after decompression" ALL, COUNT NEVER;
    extent_from: Long "bytes" "the first byte that it spans, if it spans several" ALL, COUNT UNSAID;
    extent_to: Long "bytes" "the byte after the last" ALL, COUNT UNSAID;
    text: Text "" "the evidence in the recording, in words" ALL, ANY NEVER;
    cause: Text "" "its usual cause" ALL, ANY NEVER;
    times: Long "" "the number of occurrences; repetitions with one cause are one row" ALL, COUNT NEVER;
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
        assert_eq!(common_columns()[places::message].name, "message");
        assert!(table("frags").is_none() && TABLES.len() == 28);
    }
}
