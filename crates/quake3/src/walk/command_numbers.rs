//! The numbers of commands, which clients expect without gaps (`docs/formats/quake3.md`, "Editing").

use std::collections::BTreeSet;

use crate::message::{Message, Operation};

/// How many commands engines keep.
const KEPT_COMMANDS: i64 = 64;

/// A gamestate or a command of a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberedOperation {
    /// The index among the message's operations.
    pub at: usize,
    /// The number of the command; for a gamestate, that of the last command before it.
    pub number: i32,
    gamestate: bool,
}

/// The numbered operations of a message.
pub(crate) fn numbered_operations(message: &Message) -> Vec<NumberedOperation> {
    let number = |(at, operation): (usize, &Operation)| match operation {
        Operation::Gamestate(gamestate) => Some(NumberedOperation { at, number: gamestate.command_sequence, gamestate: true }),
        Operation::ServerCommand(command) => Some(NumberedOperation { at, number: command.sequence, gamestate: false }),
        _ => None,
    };
    message.operations.iter().enumerate().filter_map(number).collect()
}

/// Tracks the numbers that a client of a recording knows.
#[derive(Debug, Clone)]
pub(crate) struct CommandNumbers {
    /// The last command from which gaps count; none right behind the first gamestate.
    commands: Option<i32>,
    /// The last command that a client has, of any level.
    known: Option<i32>,
    /// The last command of the source so far, of any level, by its number there.
    sent: Option<i32>,
    /// Added to the numbers of this level's commands.
    shift: i32,
    /// Whether an edit removed or added anything since the last gamestate.
    pub touched: bool,
    /// Whether to fill gaps that the source has too, or only those of the edit.
    pub fills_source_gaps: bool,
    /// The commands of this level that the edit removed.
    pub removed: BTreeSet<i32>,
}

impl Default for CommandNumbers {
    fn default() -> Self {
        CommandNumbers { commands: None, known: None, sent: None, shift: 0, touched: false, fills_source_gaps: true, removed: BTreeSet::new() }
    }
}

impl CommandNumbers {
    /// Takes the operations of a message, and renumbers them where a level continues the count. Returns the missing commands, each with the
    /// operation that it must precede: engines would execute the command 64 numbers before in place of each. Commands that a recorder missed right
    /// behind the first gamestate, while it waited for a full snapshot, do not count. Later gamestates continue the count, so none may be missing
    /// there, and an edit must not make numbers fall. Numbers that fall in the source stay, if the edit changed nothing there.
    pub(crate) fn pass(&mut self, message: &mut [NumberedOperation]) -> Vec<(usize, i32)> {
        let mut missing = Vec::new();
        // engines execute commands after the whole message, and then know the last 64
        let last_of_message = i64::from(message.iter().map(|one| one.number).max().unwrap_or_default());
        for NumberedOperation { at, number, gamestate } in message {
            if *gamestate {
                let touched = std::mem::take(&mut self.touched) || self.known != self.sent;
                self.sent = self.sent.max(Some(*number));
                self.removed.clear();
                self.shift = 0;
                self.commands = self.known.filter(|_| self.fills_source_gaps);
                if self.commands.is_some_and(|known| !touched && *number < known) {
                    continue;
                }
                if let Some(known) = self.commands {
                    self.shift = known.saturating_sub(*number).max(0);
                    let last = number.wrapping_add(self.shift);
                    let oldest = last_of_message + i64::from(self.shift) - KEPT_COMMANDS;
                    let first = i64::from(known).max(oldest).min(i64::from(last)) as i32;
                    *number = first;
                    missing.extend((first..last).map(|number| (*at + 1, number + 1)));
                    self.commands = Some(last);
                }
                self.known = Some(self.commands.unwrap_or(*number));
                continue;
            }
            self.sent = self.sent.max(Some(*number));
            *number = number.wrapping_add(self.shift);
            // engines skip commands that they have
            if self.commands.or(self.known).is_none_or(|last| *number > last) {
                let here = i64::from(*number);
                let oldest = (last_of_message + i64::from(self.shift)).max(here) - (KEPT_COMMANDS - 1);
                let from = self.commands.map_or(i64::MIN, |last| i64::from(last) + 1).max(oldest);
                let (known, removed) = (self.fills_source_gaps && self.commands.is_some(), &self.removed);
                missing.extend((from..here).map(|number| (*at, number as i32)).filter(|(_, number)| known || removed.contains(number)));
                self.commands = Some(*number);
            }
            self.known = self.known.max(Some(*number));
        }
        missing
    }
}
