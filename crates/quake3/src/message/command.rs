//! Reliable commands.

use fragreel_base::wire::{Bounded, Wire};

use crate::dialect::Dialect;

/// A command that is repeated until the client acknowledges it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerCommand {
    /// Its number; a client executes each number once.
    pub sequence: i32,
    /// The command line, as sent.
    pub text: Vec<u8>,
}

const LIMIT: Bounded = Bounded { bytes: Dialect::MAX_COMMAND, rule: "the server command is longer than any engine sends" };

impl ServerCommand {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        self.sequence = w.signed("sequence", self.sequence, 32)?;
        w.enter("command");
        w.text(&mut self.text, LIMIT)
    }
}
