//! Statistics of user commands (`docs/moments.md`, "User commands"). They accuse nobody.

use std::collections::BTreeMap;

use serde::Serialize;

use super::UserCommand;

/// Figures of the commands of one player. Where a format repeats a command, it counts once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InputStats {
    /// Whose they are, by slot; absent for the recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u16>,
    /// How many commands there are.
    pub commands: u64,
    /// Commands that the recording repeats, which are not counted.
    pub repeated: u64,
    /// Frames of the recorder's client from the first command to the last, where commands state their frames. If there are more frames than
    /// commands, the recording has a sample of the commands (Half-Life records them with the server's packets), and presses and turns between
    /// them are not in these figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u64>,
    /// Seconds from the first to the last.
    pub seconds: f32,
    /// The milliseconds that they last together. Over the whole recording the clock should say the same.
    pub msec: u64,
    /// How many last this number of milliseconds.
    pub lengths: BTreeMap<u8, u64>,
    /// Changes of the view from one command to the next.
    pub turns: ViewTurns,
    /// The widest changes of the view, widest first.
    pub widest: Vec<ViewTurn>,
    /// ButtonStats of each button: `attack`, `jump`, `duck`, ...
    pub buttons: BTreeMap<&'static str, ButtonStats>,
    /// Changes from moving left to moving right and back, without a command between that does neither; and with some.
    pub strafes: StrafeStats,
    /// How often each impulse was given.
    pub impulses: BTreeMap<u8, u64>,
    #[serde(skip)]
    before: Option<UserCommand>,
    #[serde(skip)]
    first: f32,
    #[serde(skip)]
    held: BTreeMap<&'static str, Hold>,
    /// The last side moved to, and whether commands without a side came since.
    #[serde(skip)]
    side: Option<(bool, bool)>,
}

/// How far the view turned from one command to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ViewTurns {
    /// Degrees of yaw together.
    pub yaw: f32,
    /// Degrees of pitch together.
    pub pitch: f32,
    /// Commands that did not turn the view.
    pub none: u64,
    /// Commands that turned it by 30 degrees or more.
    pub over_30: u64,
    /// By 90 degrees or more.
    pub over_90: u64,
}

/// One change of the view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ViewTurn {
    /// The container's message of the later command.
    pub message: u32,
    /// Its time in seconds.
    pub time: f32,
    /// By how many degrees of yaw, positive to the left.
    pub yaw: f32,
    /// By how many degrees of pitch, positive downwards.
    pub pitch: f32,
}

/// ButtonStats of a button.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ButtonStats {
    /// How many.
    pub presses: u64,
    /// How many commands it was held in.
    pub commands: u64,
    /// ButtonStats that lasted one command, as those of a mouse wheel do.
    pub single: u64,
    /// Runs of three or more such presses with no more than two commands between them, as a turned wheel makes.
    pub wheel_runs: u64,
    /// The most presses in such a run.
    pub longest_run: u64,
    /// The most commands that it was held without a break.
    pub longest: u64,
}

/// Changes of the side moved to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StrafeStats {
    /// From one command to the next.
    pub at_once: u64,
    /// With commands between that moved to neither side.
    pub with_pause: u64,
    /// Of the changes, those at which the view turned to the new side in the same command.
    pub with_turn: u64,
}

/// A button that is watched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Hold {
    /// Commands that it has been held in.
    held: u64,
    /// Commands since it was let go.
    released: u64,
    /// Single presses that follow each other.
    run: u64,
}

/// How many of the widest turns are kept.
const WIDEST: usize = 5;

/// A turned wheel presses at least so often.
const RUN: u64 = 3;

/// And lets go for no more commands than that.
const GAP: u64 = 2;

impl InputStats {
    /// Takes in the next command.
    pub fn add(&mut self, command: &UserCommand) {
        let Some(before) = self.before.take() else {
            (self.slot, self.first) = (command.slot, command.time);
            self.frames = command.frame.map(|_| 1);
            self.count(command);
            self.before = Some(command.clone());
            return;
        };
        // The same command may stand in each of several packets of a frame.
        let is_again = || {
            let mut again = command.clone();
            (again.message, again.predicted) = (before.message, before.predicted.clone());
            before == again
        };
        if command.frame.is_some() && command.frame == before.frame && is_again() {
            self.repeated += 1;
            self.before = Some(before);
            return;
        }
        if let (Some(frames), Some(last), Some(frame)) = (&mut self.frames, before.frame, command.frame) {
            // a new segment numbers its frames from 0
            *frames += u64::try_from(i64::from(frame) - i64::from(last)).unwrap_or(1);
        }
        self.count(command);
        let yaw = turn(before.yaw, command.yaw);
        let pitch = turn(before.pitch, command.pitch);
        self.turned(command, yaw, pitch);
        self.strafed(command, yaw);
        self.before = Some(command.clone());
    }

    fn count(&mut self, command: &UserCommand) {
        self.commands += 1;
        self.seconds = (command.time - self.first).max(self.seconds);
        self.msec += u64::from(command.msec);
        *self.lengths.entry(command.msec).or_default() += 1;
        if command.impulse != 0 {
            *self.impulses.entry(command.impulse).or_default() += 1;
        }
        for name in &command.buttons {
            let presses = self.buttons.entry(name).or_default();
            let hold = self.held.entry(name).or_default();
            presses.commands += 1;
            if hold.held == 0 {
                presses.presses += 1;
                if hold.released > GAP {
                    hold.run = 0;
                }
            }
            hold.held += 1;
            hold.released = 0;
            presses.longest = presses.longest.max(hold.held);
        }
        for (name, hold) in &mut self.held {
            if hold.held == 0 || command.buttons.contains(name) {
                hold.released += u64::from(hold.held == 0);
                continue;
            }
            let presses = self.buttons.entry(name).or_default();
            if hold.held == 1 {
                presses.single += 1;
                hold.run += 1;
                presses.wheel_runs += u64::from(hold.run == RUN);
                if hold.run >= RUN {
                    presses.longest_run = presses.longest_run.max(hold.run);
                }
            } else {
                hold.run = 0;
            }
            (hold.held, hold.released) = (0, 1);
        }
    }

    fn turned(&mut self, command: &UserCommand, yaw: f32, pitch: f32) {
        let wide = yaw.abs().max(pitch.abs());
        // what is no number turns nothing
        if wide == 0.0 || !wide.is_finite() {
            self.turns.none += 1;
            return;
        }
        self.turns.yaw += yaw.abs();
        self.turns.pitch += pitch.abs();
        self.turns.over_30 += u64::from(wide >= 30.0);
        self.turns.over_90 += u64::from(wide >= 90.0);
        let width = |turn: &ViewTurn| turn.yaw.abs().max(turn.pitch.abs());
        let at = self.widest.partition_point(|turn| width(turn) >= wide);
        if at < WIDEST {
            self.widest.insert(at, ViewTurn { message: command.message, time: command.time, yaw, pitch });
            self.widest.truncate(WIDEST);
        }
    }

    fn strafed(&mut self, command: &UserCommand, yaw: f32) {
        if command.side_move == 0.0 || command.side_move.is_nan() {
            self.side = self.side.map(|(right, _)| (right, true));
            return;
        }
        let right = command.side_move > 0.0;
        if let Some((_, paused)) = self.side.filter(|(before, _)| *before != right) {
            if paused {
                self.strafes.with_pause += 1;
            } else {
                self.strafes.at_once += 1;
            }
            self.strafes.with_turn += u64::from(yaw != 0.0 && (yaw < 0.0) == right);
        }
        self.side = Some((right, false));
    }
}

/// The shorter way from one angle to another.
fn turn(from: f32, to: f32) -> f32 {
    let turn = (to - from).rem_euclid(360.0);
    if turn > 180.0 { turn - 360.0 } else { turn }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(commands: impl IntoIterator<Item = UserCommand>) -> InputStats {
        let mut stats = InputStats::default();
        for (at, mut command) in commands.into_iter().enumerate() {
            (command.message, command.time, command.msec) = (at as u32, at as f32 * 0.01, 10);
            stats.add(&command);
        }
        stats
    }

    fn jumping(held: bool) -> UserCommand {
        UserCommand::default().holding(held.into(), &["jump"])
    }

    #[test]
    fn a_turned_wheel_is_seen_and_a_held_key_is_none() {
        let pattern = "#.#.#..#.....###...#....#.#";
        let found = stats(pattern.chars().map(|c| jumping(c == '#')));
        let jump = &found.buttons["jump"];
        assert_eq!((jump.presses, jump.commands, jump.single, jump.wheel_runs, jump.longest_run, jump.longest), (8, 10, 6, 1, 4, 3), "{jump:?}");
        assert_eq!((found.commands, found.msec, found.lengths[&10]), (27, 270, 27));
    }

    #[test]
    fn turns_go_the_shorter_way_and_strafes_change_sides() {
        let command = |yaw, side_move| UserCommand::new(0, 0.0, 10, [0.0, yaw, 0.0], [0.0, side_move, 0.0]);
        let found = stats([command(350.0, 0.0), command(10.0, -400.0), command(5.0, 400.0), command(5.0, 0.0), command(105.0, -400.0), command(105.0, -400.0)]);
        assert_eq!((found.turns.none, found.turns.over_30, found.turns.over_90, found.turns.yaw), (2, 1, 1, 125.0));
        assert_eq!((found.widest[0].yaw, found.widest[0].message, found.widest.len()), (100.0, 4, 3));
        assert_eq!((found.strafes.at_once, found.strafes.with_pause, found.strafes.with_turn), (1, 1, 2));
    }

    #[test]
    fn frames_without_a_command_are_counted() {
        let at = |frame| {
            let mut command = UserCommand::default();
            command.frame = Some(frame);
            command
        };
        assert_eq!(stats([at(7), at(10), at(11), at(0), at(2)]).frames, Some(8));
        assert_eq!(stats([UserCommand::default()]).frames, None);
    }

    #[test]
    fn a_repeated_command_counts_once() {
        let mut command = UserCommand::default();
        (command.frame, command.impulse, command.time) = (Some(7), 3, 1.0);
        let mut stats = InputStats::default();
        stats.add(&command);
        command.message = 9;
        stats.add(&command);
        command.frame = Some(8);
        stats.add(&command);
        assert_eq!((stats.commands, stats.repeated, stats.impulses[&3]), (2, 1, 2));
    }
}
