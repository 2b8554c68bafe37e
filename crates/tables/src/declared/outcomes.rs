//! Tables of what players achieved: runs, awards, items, pairs.

use super::*;

const COURSES: Range = Range::Words(&["level", "marathon", "defrag", "race", "climb", "speedrun"]);
const MOMENTS: Range = Range::Words(fragreel::edit::What::NAMES);
const NOT_KILLS: Option<&str> = Some("no kills");
const NOT_ONE: Option<&str> = Some("not one kill, not said");
const OTHER_MOMENT: Option<&str> = Some("another kind, not stated");
const NOT_SHOWN: Option<&str> = Some("its start is not in the recording");
const NO_SEAL: Option<&str> = Some("no seal");

table! { item_stats, Scores, "an item of a player in a match", {
    match_number: Int "" "the match, from 1" ALL, ORDINAL NEVER;
    slot: Int "" "the slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    item: Text "" "the common name, or else the game's own" ALL, ANY NEVER;
    stated: Text "" "the figures that the server states, separated by spaces" ALL, ANY UNSAID;
} }

table! { pairs, Scores, "a player's kills of another in a match", {
    match_number: Int "" "the match, from 1" ALL, ORDINAL NEVER;
    attacker_slot: Int "" "the attacker's slot" ALL, SLOT UNSAID;
    attacker: Text "" "the name without colors" ALL, ANY UNSAID;
    attacker_team: Text "" "the team" ALL, ANY NO_TEAMS;
    victim_slot: Int "" "the victim's slot" ALL, SLOT UNSAID;
    victim: Text "" "the name without colors" ALL, ANY UNSAID;
    victim_team: Text "" "the team" ALL, ANY NO_TEAMS;
    kills: Long "" "kills of the victim" ALL, COUNT NEVER;
    damage: Long "points" "the loss of armor, and of health down to 0" ALL, COUNT UNSAID;
} }

table! { awards, Events, "an award that the server gave", {
    slot: Int "" "the slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    award: Text "" "the award, in the game's own terms" ALL, ANY NEVER;
} }

table! { moments, Moments, "a moment that `highlights --best` finds; docs/moments.md defines kinds and points", {
    number: Int "" "its number in the recording, in order of time, from 1" ALL, ORDINAL NEVER;
    rank: Int "" "its place in the recording by points, from 1; among equals, the earlier comes first" ALL, ORDINAL NEVER;
    points: Int "" "its points" ALL, COUNT NEVER;
    kind: Text "" "`kills`, `multi_rail`, `capture`, `air_shot`, `flick`" ALL, MOMENTS NEVER;
    slot: Int "" "the slot of the player who did it" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    time_to: Long "ms" "its end, since the recording's first frame" ALL, TIME NEVER;
    clip_from: Long "ms" "the start of the part that `highlights -o` cuts out" ALL, TIME NEVER;
    clip_to: Long "ms" "the end of that part" ALL, TIME NEVER;
    kills: Int "" "enemies killed" ALL, COUNT NOT_KILLS;
    weapon: Text "" "the common name of the weapon, if there is one; of a series, that of its first kill" ALL, WEAPONS NO_COMMON;
    means: Text "" "the means of death, in the game's own terms; of a series, that of its first kill" ALL, ANY NOT_KILLS;
    victim_slot: Int "" "the victim's slot" ALL, SLOT NOT_ONE;
    victim: Text "" "the name without colors" ALL, ANY NOT_ONE;
    air_time: Long "ms" "the victim's air time" ALL, AIR_TIME OTHER_MOMENT;
    turn: Real "degrees" "the view turn" ALL, TURN OTHER_MOMENT;
    flag: Text "" "the team of the captured flag" ALL, ANY OTHER_MOMENT;
    carried: Long "ms" "how long this player carried the flag" ALL, TIME OTHER_MOMENT;
    away: Long "ms" "how long the flag was away from its base" ALL, TIME OTHER_MOMENT;
} }

table! { runs, Runs, "a finished run against the clock. Its time is that of its end", {
    number: Int "" "its number in the recording, from 1" ALL, ORDINAL NEVER;
    course: Text "" "`level`, `marathon` (several levels), `defrag`, `race`, `climb`, `speedrun` (timed by a tool)" ALL, COURSES NEVER;
    map: Text "" "the map; of a marathon, all maps separated by `+`" ALL, ANY UNSAID;
    slot: Int "" "the slot" ALL, SLOT UNSAID;
    name: Text "" "the name without colors" ALL, ANY UNSAID;
    team: Text "" "the team" ALL, ANY NO_TEAMS;
    run_time: Long "ms" "the time that the game states, otherwise the counted one" ALL, TIME UNSAID;
    stated: Long "ms" "the time that the game states" ALL, TIME UNSAID;
    counted: Long "ms" "the time on the recording's clock" ALL, TIME NOT_SHOWN;
    time_from: Long "ms" "the start, since the recording's first frame" ALL, TIME NOT_SHOWN;
    physics: Text "" "the physics, such as `vq3`, `cpm`" ALL, ANY UNSAID;
    mode: Text "" "the kind of course, in the game's terms" ALL, ANY UNSAID;
    checkpoints: Text "" "times at checkpoints in ms since the start, separated by spaces" ALL, ANY UNSAID;
    kills: Long "" "monsters killed" ALL, COUNT UNSAID;
    kills_total: Long "" "of this number" ALL, COUNT UNSAID;
    secrets: Long "" "secrets found" ALL, COUNT UNSAID;
    secrets_total: Long "" "of this number" ALL, COUNT UNSAID;
    skill: Int "" "the difficulty, from 0" ALL, COUNT UNSAID;
    seal_holds: Long "" "frames in which the game's seal on the time holds" ALL, COUNT NO_SEAL;
    seal_broken: Long "" "frames in which it does not" ALL, COUNT NO_SEAL;
    grade: Text "" "the worst grade that `audit` gives to the recording during the run" ALL, GRADES UNSAID;
    remarks: Text "" "reasons not to compare it with others, separated by semicolons" ALL, ANY UNSAID;
} }
