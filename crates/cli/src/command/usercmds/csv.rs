//! User commands and their summaries as rows.

use std::io::{self, Write};

use fragreel::InputStats;
use fragreel::model::UserCommand;

use crate::cells;

const COMMAND: [&str; 18] = [
    "path",
    "message",
    "slot",
    "frame",
    "time",
    "msec",
    "pitch",
    "yaw",
    "roll",
    "forward_move",
    "side_move",
    "up_move",
    "buttons",
    "button_bits",
    "impulse",
    "weapon_select",
    "lerp_msec",
    "light_level",
];

const SUMMARY: [&str; 26] = [
    "path",
    "slot",
    "commands",
    "repeated",
    "seconds",
    "msec",
    "shortest",
    "usual",
    "longest",
    "yaw",
    "pitch",
    "over_30",
    "over_90",
    "attacks",
    "attack_single",
    "attack_wheel_runs",
    "jumps",
    "jump_commands",
    "jump_single",
    "jump_wheel_runs",
    "ducks",
    "duck_single",
    "duck_wheel_runs",
    "strafes_at_once",
    "strafes_with_pause",
    "impulses",
];

/// The line of headings.
pub fn headings(summary: bool) -> String {
    let headings: &[&str] = if summary { &SUMMARY } else { &COMMAND };
    headings.join(",")
}

/// Writes it.
pub fn head(output: &mut impl Write, summary: bool) -> io::Result<()> {
    writeln!(output, "{}", headings(summary))
}

/// A line for a command.
pub fn row(text: &mut Vec<u8>, path: &str, command: &UserCommand, formulas: bool) {
    fn optional(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let UserCommand { message, slot, frame, time, msec, pitch, yaw, roll, forward_move, side_move, up_move, .. } = command;
    let UserCommand { buttons, button_bits, impulse, weapon_select, lerp_msec, light_level, .. } = command;
    let row: [String; COMMAND.len()] = [
        path.to_owned(),
        message.to_string(),
        optional(*slot),
        optional(*frame),
        time.to_string(),
        msec.to_string(),
        pitch.to_string(),
        yaw.to_string(),
        roll.to_string(),
        forward_move.to_string(),
        side_move.to_string(),
        up_move.to_string(),
        buttons.join("+"),
        button_bits.to_string(),
        impulse.to_string(),
        optional(*weapon_select),
        optional(*lerp_msec),
        optional(*light_level),
    ];
    cells::write(text, &row.each_ref().map(String::as_str), formulas);
}

/// A line for a summary.
pub fn summary(text: &mut Vec<u8>, path: &str, stats: &InputStats, formulas: bool) {
    let none = fragreel::ButtonStats::default();
    let presses = |name| stats.buttons.get(name).unwrap_or(&none);
    let (attack, jump, duck) = (presses("attack"), presses("jump"), presses("duck"));
    let length = |msec: Option<&u8>| msec.map(u8::to_string).unwrap_or_default();
    let impulses: Vec<String> = stats.impulses.iter().map(|(impulse, count)| format!("{impulse}:{count}")).collect();
    let row: [String; SUMMARY.len()] = [
        path.to_owned(),
        stats.slot.map(|slot| slot.to_string()).unwrap_or_default(),
        stats.commands.to_string(),
        stats.repeated.to_string(),
        stats.seconds.to_string(),
        stats.msec.to_string(),
        length(stats.lengths.keys().next()),
        length(stats.lengths.iter().max_by_key(|(_, count)| **count).map(|(msec, _)| msec)),
        length(stats.lengths.keys().next_back()),
        stats.turns.yaw.to_string(),
        stats.turns.pitch.to_string(),
        stats.turns.over_30.to_string(),
        stats.turns.over_90.to_string(),
        attack.presses.to_string(),
        attack.single.to_string(),
        attack.wheel_runs.to_string(),
        jump.presses.to_string(),
        jump.commands.to_string(),
        jump.single.to_string(),
        jump.wheel_runs.to_string(),
        duck.presses.to_string(),
        duck.single.to_string(),
        duck.wheel_runs.to_string(),
        stats.strafes.at_once.to_string(),
        stats.strafes.with_pause.to_string(),
        impulses.join(";"),
    ];
    cells::write(text, &row.each_ref().map(String::as_str), formulas);
}
