//! Figures of user commands for people.

use std::io::{self, Write};

use fragreel::InputStats;

use crate::shell::Shell;
use crate::table;

/// Writes them below each other.
pub fn write(shell: &Shell, output: &mut impl Write, stats: &InputStats) -> io::Result<()> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, value: String| pairs.push((name.to_owned(), value));
    if let Some(slot) = stats.slot {
        add("slot", slot.to_string());
    }
    let repeated = if stats.repeated > 0 { format!(", and {} repeated", stats.repeated) } else { String::new() };
    add("commands", format!("{}{repeated}", stats.commands));
    // commands of a sample cannot fill the clock
    let sample = stats.frames.filter(|frames| *frames > stats.commands);
    if let Some(frames) = sample {
        let share = stats.commands as f64 / frames as f64 * 100.0;
        add("sample", format!("{} of {frames} client frames have a command ({share:.0} %); input between them is not counted", stats.commands));
    }
    let passed = f64::from(stats.seconds) * 1000.0;
    let share = if passed > 0.0 && sample.is_none() { format!(", {:.2} % of the clock", stats.msec as f64 / passed * 100.0) } else { String::new() };
    add("time", format!("{:.3} s; commands last {:.3} s together{share}", stats.seconds, stats.msec as f64 / 1000.0));
    add("lengths", most(stats.lengths.iter().map(|(msec, count)| (format!("{msec} ms"), *count))));
    let turns = &stats.turns;
    add("turns", format!("yaw {:.1}, pitch {:.1} degrees; {} by 30 or more, {} by 90 or more", turns.yaw, turns.pitch, turns.over_30, turns.over_90));
    for turn in &stats.widest {
        add("", format!("{:.3} s, message {}: yaw {:+.2}, pitch {:+.2}", turn.time, turn.message, turn.yaw, turn.pitch));
    }
    for (name, presses) in &stats.buttons {
        let wheel = match presses.wheel_runs {
            0 => String::new(),
            1 => format!("; 1 wheel-like run of {} presses", presses.longest_run),
            runs => format!("; {runs} wheel-like runs of up to {} presses", presses.longest_run),
        };
        let times = if presses.presses == 1 { "once" } else { &format!("{} times", presses.presses) };
        add(name, format!("{times}, in {} commands, {} for one command, up to {}{wheel}", presses.commands, presses.single, presses.longest));
    }
    let strafes = &stats.strafes;
    add("strafes", format!("{} at once, {} with a pause, {} with a view turn", strafes.at_once, strafes.with_pause, strafes.with_turn));
    if !stats.impulses.is_empty() {
        add("impulses", most(stats.impulses.iter().map(|(impulse, count)| (impulse.to_string(), *count))));
    }
    table::pairs(shell, output, pairs.iter().map(|(name, value)| (name.as_str(), value.clone())))
}

/// The most frequent first, with how often each came.
fn most(counts: impl Iterator<Item = (String, u64)>) -> String {
    /// More are not read.
    const SHOWN: usize = 8;
    let mut counts: Vec<(String, u64)> = counts.collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let more = counts.len().saturating_sub(SHOWN);
    let shown: Vec<String> = counts.iter().take(SHOWN).map(|(what, count)| format!("{what}: {count}")).collect();
    let more = if more > 0 { format!(", and {more} others") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
