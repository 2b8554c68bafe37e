//! What stands before the first frame of a part of a level: a gamestate as of then (`docs/formats/quake3.md`, "Editing").

use crate::canonical;
use crate::message::{Gamestate, Message, Operation, ServerCommand};

use super::source::Source;

/// What a part of a level starts with.
pub(super) struct Opening {
    /// The message before the first frame's.
    pub message: Message,
    /// Commands that go before those of the first frame: the parts of a big configstring that is not complete yet.
    pub commands: Vec<ServerCommand>,
    /// The number of the last command that is known to a player who has read all this.
    pub known: i32,
}

impl Opening {
    /// The opening of what follows the messages that `source` has applied. `None` when no whole gamestate came.
    pub fn of(source: &Source<'_>, acknowledged: u32) -> Option<Self> {
        let known = source.playback.state.command_sequence();
        let commands = source.pending.clone();
        let command_sequence = commands.first().map_or(known, |first| first.sequence.wrapping_sub(1));
        let numbers = Gamestate { command_sequence, ..source.gamestate.clone()? };
        let gamestate = Operation::Gamestate(canonical::gamestate(&source.playback.state, &numbers));
        let message = Message { acknowledged, operations: vec![gamestate], end: source.end, ..Message::default() };
        Some(Opening { message, commands, known })
    }

    /// Leaves of the first frame's commands those that a player does not know. Returns whether anything had to change.
    pub fn shorten(&mut self, message: &mut Message) -> bool {
        let (known, operations) = (self.known, message.operations.len());
        message.operations.retain(|operation| !matches!(operation, Operation::ServerCommand(command) if command.sequence <= known));
        let changed = message.operations.len() < operations || !self.commands.is_empty();
        message.operations.splice(0..0, self.commands.drain(..).map(Operation::ServerCommand));
        changed
    }
}
