//! The signon of a recording that starts inside a level: a gamestate with the state at that time (`docs/formats/quake3.md`, "Editing").

use crate::encode::canonical;
use crate::message::{Gamestate, Message, Operation, ServerCommand};
use crate::state::{Command, Effect, State};

/// What a signon needs besides strings and baselines, which [`State`] has.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignonState {
    /// The numbers of the last gamestate, if it was whole: later messages of a broken one cannot be relied on.
    pub gamestate: Option<Gamestate>,
    /// The operation that ended the message with the last gamestate.
    pub end: Option<u8>,
    /// The number of gamestates so far.
    pub levels: u32,
    /// Commands since the first part of a big configstring whose last part has not come.
    pub pending: Vec<ServerCommand>,
}

/// Commands that engines keep; parts of a big string further apart are lost.
const KEPT_COMMANDS: usize = 64;

impl SignonState {
    /// Updates from an operation that was applied. `end` is the end of its message, and `broken` says that the message has no end.
    pub(crate) fn update(&mut self, operation: &Operation, effect: Effect, end: Option<u8>, broken: bool) {
        match (operation, effect) {
            (Operation::Gamestate(gamestate), _) => {
                self.levels += 1;
                self.end = end;
                self.gamestate = (!broken).then(|| Gamestate { items: Vec::new(), ..*gamestate });
                self.pending.clear();
            }
            (Operation::ServerCommand(command), Effect::Command(Command::Part)) => {
                if command.text.starts_with(b"bcs0") {
                    self.pending.clear();
                }
                self.pending.push(command.clone());
            }
            (Operation::ServerCommand(command), Effect::Command(Command::New)) => {
                if command.text.starts_with(b"bcs2") {
                    self.pending.clear();
                } else if !self.pending.is_empty() {
                    // commands between the parts were executed; only their numbers matter
                    self.pending.push(ServerCommand { sequence: command.sequence, text: Vec::new() });
                }
            }
            _ => {}
        }
    }

    /// Ends a message: drops parts that engines no longer keep.
    pub(crate) fn end_message(&mut self) {
        if self.pending.len() > KEPT_COMMANDS {
            self.pending.clear();
        }
    }

    /// The number of the last command, or of the last before an incomplete big configstring.
    pub(crate) fn last_complete_command(&self, state: &State) -> i32 {
        self.pending.first().map_or(state.command_sequence(), |first| first.sequence.wrapping_sub(1))
    }
}

/// The messages that a part of a level starts with.
pub(crate) struct Signon {
    /// The message before that of the first frame.
    pub message: Message,
    /// Commands to send before those of the first frame: the parts of an incomplete big configstring.
    pub commands: Vec<ServerCommand>,
    /// The number of the last command that a client knows after all this.
    pub known: i32,
}

impl Signon {
    /// The signon for what follows `state`. `None` when no whole gamestate came.
    pub(crate) fn of(state: &State, signon: &SignonState, acknowledged: u32) -> Option<Self> {
        let (known, commands) = (state.command_sequence(), signon.pending.clone());
        let numbers = Gamestate { command_sequence: signon.last_complete_command(state), ..signon.gamestate.clone()? };
        let gamestate = Operation::Gamestate(canonical::gamestate(state, &numbers));
        let message = Message { acknowledged, operations: vec![gamestate], end: signon.end, ..Message::default() };
        Some(Signon { message, commands, known })
    }

    /// Removes commands from the first frame's message that the client knows already, and adds those of the signon. Returns whether
    /// the message changed.
    pub(crate) fn adjust_first_message(&mut self, message: &mut Message) -> bool {
        let (known, operations) = (self.known, message.operations.len());
        message.operations.retain(|operation| !matches!(operation, Operation::ServerCommand(command) if command.sequence <= known));
        let changed = message.operations.len() < operations || !self.commands.is_empty();
        message.operations.splice(0..0, self.commands.drain(..).map(Operation::ServerCommand));
        changed
    }
}
