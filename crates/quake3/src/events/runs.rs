//! DeFRaG's runs: its timer in the player's `stats`, and the lines that it prints (`docs/formats/quake3-events.md`, "Runs").

use std::borrow::Cow;

use fragreel_model::{Course, EventKind, Evidence, Kind, Milliseconds, Player, Run};

use super::sink::EventSink;
use crate::fields::{array, find, q3};
use crate::game::strings::{SERVERINFO, SYSTEMINFO};
use crate::state::State;
use crate::strings::{clean, info, info_pairs, number};
use crate::walk::Roster;
use crate::walk::RunTime;
use crate::walk::entity_events::field;

/// The slot of `stats` with the timer's state. Each of its three bits toggles when its event happens.
const TIMER: usize = 12;
const STARTED: u32 = 4;
const FINISHED: u32 = 8;
const CHECKPOINT: u32 = 16;

const PM_TYPE: usize = find(&q3::PLAYER, "pm_type");
const PM_FLAGS: usize = find(&q3::PLAYER, "pm_flags");
/// Set while the physics are those of CPM.
const CPM: u32 = 0x8000;

/// How long after a finish its line may come, and the other way round.
const SAME: Milliseconds = Milliseconds(3000);

/// Settings that bear on runs: the key, and the value that runs are compared at.
const SETTINGS: &[(&str, Option<&str>)] = &[
    ("sv_cheats", Some("0")),
    ("timescale", Some("1")),
    ("g_speed", Some("320")),
    ("g_gravity", Some("800")),
    ("g_knockback", Some("1000")),
    ("handicap", Some("100")),
    ("g_killWallbug", Some("1")),
    ("defrag_svfps", Some("125")),
    ("defrag_clfps", Some("125")),
    ("sv_fps", None),
    ("pmove_fixed", None),
    ("pmove_msec", None),
    ("g_synchronousClients", None),
    ("df_promode", None),
    ("df_mp_InterferenceOff", None),
    ("defrag_vers", None),
    ("defrag_version", None),
    ("defrag_gametype", None),
    ("defrag_mode", None),
    ("defrag_obs", None),
    ("defrag_bspcrc", None),
];

/// The last state of the timer.
#[derive(Debug)]
struct Timer {
    bits: u32,
    slot: u32,
    /// The run that is under way: when it began.
    began: Option<Milliseconds>,
    checkpoints: Vec<Milliseconds>,
}

/// Follows DeFRaG's timer.
#[derive(Debug, Default)]
pub(super) struct RunTracker {
    time: Option<RunTime>,
    timer: Option<Timer>,
    /// A line that no finish of the timer was seen for yet: the time, the name, when.
    line: Option<(i64, Vec<u8>, Milliseconds)>,
    /// The last finish that was reported: its time, the names of the runner, and when.
    reported: Option<(Option<i64>, [String; 2], Milliseconds)>,
}

impl RunTracker {
    /// A level begins.
    pub(super) fn start_level(&mut self, state: &State) {
        *self = RunTracker { time: RunTime::of(state), ..RunTracker::default() };
    }

    /// A line that the server, or the game of the recording player, prints.
    pub(super) fn printed(&mut self, line: &[u8], out: &EventSink) {
        let Some((time, name)) = finish_line(&clean(line), line) else { return };
        let now = out.demo_time();
        // the timer and the line may differ by a frame
        let is_known = |(known, names, when): &(Option<i64>, [String; 2], Milliseconds)| {
            now - *when < SAME && (*known == Some(time) || name.is_empty() || names.contains(&clean(&name)))
        };
        if !self.reported.as_ref().is_some_and(is_known) {
            self.line = Some((time, name, now));
        }
    }

    /// A snapshot shows the timer.
    pub(super) fn snapshot(&mut self, state: &State, players: &Roster, view: u32, out: &mut EventSink) {
        let now = out.demo_time();
        if let (Some(time), Some(snapshot)) = (&mut self.time, state.snapshot()) {
            time.check(state);
            let bits = snapshot.player.arrays[array::STATS][TIMER];
            let timer = self.timer.get_or_insert(Timer { bits, slot: view, began: None, checkpoints: Vec::new() });
            let toggled = if timer.slot == view && field(&snapshot.player.row, PM_TYPE) == 0 { bits ^ timer.bits } else { 0 };
            if timer.slot != view {
                (timer.began, timer.slot) = (None, view);
            }
            timer.bits = bits;
            // one run may end and the next begin in one frame
            if toggled & FINISHED != 0 {
                let began = timer.began.take();
                let stated = time.last().map(i64::from);
                let mut run = run_on(state, players.runner(view), began, now);
                run.checkpoints = std::mem::take(&mut timer.checkpoints);
                run.seal = time.seal();
                (run.time.stated, run.time.counted) = (stated, began.map(|began| (now - began).0));
                if began.is_none() {
                    run.remarks.push(String::from("its start is not in the recording"));
                }
                if run.seal.as_ref().is_some_and(|seal| seal.broken > 0) {
                    run.remarks.push(String::from("the seal on its time is broken"));
                }
                if let Some(line) = self.line.take_if(|line| now - line.2 < SAME)
                    && stated.is_none_or(|stated| stated == line.0)
                {
                    run.time.stated = Some(line.0);
                }
                self.reported = Some((run.time.stated, [players.runner(view).name.clean, players.player(view).name.clean], now));
                out.push(Evidence::Stated, Kind::Finish, || EventKind::Finish(Box::new(run)));
                time.begins();
            }
            if toggled & STARTED != 0 {
                timer.began = Some(now);
                timer.checkpoints.clear();
                time.begins();
            } else if toggled & CHECKPOINT != 0
                && let Some(began) = timer.began
            {
                timer.checkpoints.push(now - began);
            }
        }
        // a line alone: a spectator's recording, or one of a version without the timer's state
        if let Some((time, name, when)) = self.line.take_if(|line| now - line.2 > Milliseconds(1000)) {
            let player = if name.is_empty() { players.player(view) } else { players.named(&name) };
            let mut run = run_on(state, player, None, when);
            run.time.stated = Some(time);
            self.reported = Some((Some(time), [String::new(), clean(&name)], when));
            out.push(Evidence::Inferred, Kind::Finish, || EventKind::Finish(Box::new(run)));
        }
    }
}

/// A run on the present level under its present settings.
fn run_on(state: &State, player: Player, from: Option<Milliseconds>, to: Milliseconds) -> Run {
    let (server, system) = (state.string(SERVERINFO), state.string(SYSTEMINFO));
    let mut run = Run::new(Course::Defrag, clean(info(server, "mapname")), to);
    (run.player, run.from) = (Some(player), from);
    let stated = info_pairs(server).chain(info_pairs(system));
    for (key, value) in stated {
        let key = clean(key);
        let Some((_, usual)) = SETTINGS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&key)) else { continue };
        let value = clean(value);
        if let Some(usual) = usual.filter(|usual| *usual != value && number(value.as_bytes()) != number(usual.as_bytes())) {
            run.remarks.push(format!("{key} is {value}, not {usual}"));
        }
        run.settings.insert(key, value);
    }
    let own = state.snapshot().map(|snapshot| field(&snapshot.player.row, PM_FLAGS) & CPM != 0);
    let said = Some(info(server, "df_promode")).filter(|mode| !mode.is_empty()).map(|mode| number(mode) != 0);
    run.physics = said.or(own).map(|cpm| Cow::Borrowed(if cpm { "cpm" } else { "vq3" }));
    if said.is_some() && own.is_some() && said != own {
        run.remarks.push(String::from("the physics of the player are not those of the server"));
    }
    run.mode = match number(info(server, "defrag_gametype")) {
        1 => Some("run"),
        2 => Some("freestyle"),
        3 => Some("fast caps"),
        5 => Some("online run"),
        6 => Some("online freestyle"),
        7 => Some("online fast caps"),
        _ => None,
    }
    .map(Cow::Borrowed);
    run
}

/// The time and the name in a line about a finish: `Time performed by NAME : 00:25:488 (v1.91.23)`, `Time Performed: 25:912 (defrag 1.5)`,
/// `NAME reached the finish line in 0:49:216`.
fn finish_line(line: &str, raw: &[u8]) -> Option<(i64, Vec<u8>)> {
    let raw_between = |from: &[u8], to: &[u8]| {
        // no window has no width
        let find = |text: &[u8], what: &[u8]| if what.is_empty() { Some(0) } else { text.windows(what.len()).position(|window| window == what) };
        let start = find(raw, from)? + from.len();
        let end = start + find(&raw[start..], to)?;
        let name = raw[start..end].trim_ascii();
        Some(uncolored_ends(name).to_vec())
    };
    if let Some(rest) = line.strip_prefix("Time performed by ") {
        let (_, time) = rest.rsplit_once(" : ").or_else(|| rest.rsplit_once(" s: "))?;
        return Some((clock_time(time)?, raw_between(b"performed by ", b" : ").unwrap_or_default()));
    }
    if let Some(time) = line.strip_prefix("Time Performed: ") {
        return Some((clock_time(time)?, Vec::new()));
    }
    let (_, time) = line.split_once(" reached the finish line in ")?;
    Some((clock_time(time)?, raw_between(b"", b" reached the finish").unwrap_or_default()))
}

/// A name without the colors that the line around it begins and ends with.
fn uncolored_ends(mut name: &[u8]) -> &[u8] {
    while let [b'^', _, rest @ ..] = name {
        name = rest;
    }
    while let [rest @ .., b'^', _] = name {
        name = rest;
    }
    name.trim_ascii()
}

/// Minutes, seconds, and three digits of milliseconds, separated by `:`, `.`, or `-`. The rest of the text is ignored.
fn clock_time(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && !":.-".contains(c)).unwrap_or(text.len());
    let groups: Vec<&str> = text[..end].split([':', '.', '-']).collect();
    let (milliseconds, rest) = groups.split_last()?;
    if milliseconds.len() != 3 || rest.is_empty() || rest.len() > 3 {
        return None;
    }
    let mut total = 0_i64;
    for group in rest {
        total = total.checked_mul(60)?.checked_add(group.parse::<u32>().ok()?.into())?;
    }
    total.checked_mul(1000)?.checked_add(milliseconds.parse::<u32>().ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_reported_run_is_no_other_run() {
        let out = EventSink::new(fragreel_model::Kinds::ALL);
        for (line, other) in [("tyaz", false), ("net name", false), ("ann", true)] {
            let reported = Some((Some(49_208), [String::from("tyaz"), String::from("net name")], Milliseconds(0)));
            let mut tracker = RunTracker { reported, ..RunTracker::default() };
            tracker.printed(format!("{line}^7 reached the finish line in ^20:49:216^7").as_bytes(), &out);
            assert_eq!(tracker.line.is_some(), other, "{line}");
        }
    }

    #[test]
    fn lines_of_all_versions_are_read() {
        let read = |line: &str| finish_line(&clean(line.as_bytes()), line.as_bytes()).map(|(time, name)| (time, String::from_utf8(name).unwrap()));
        assert_eq!(read("Time performed by ^2lokki^7 : ^300:25:488^7 (v1.91.23 beta)"), Some((25_488, "lokki".into())));
        assert_eq!(read("^3Time Performed: 25:912 (defrag 1.5)"), Some((25_912, String::new())));
        assert_eq!(read("tyaz^7 reached the finish line in ^20:49:216^7"), Some((49_216, "tyaz".into())));
        assert_eq!(read("somebody reached the finish line in time"), None);
        assert_eq!(clock_time("1:00:00:001"), Some(3_600_001));
        assert_eq!(clock_time("99999999999:00:001"), None);
    }
}
