//! What engines read and hold: the one table of limits (`docs/formats/quake3.md`, "What engines refuse").

use std::collections::BTreeSet;

use fragreel_base::wire::Error;

use crate::message::{Gamestate, GamestateItem, Operation};

/// Bytes of the strings of a gamestate that engines hold, each with its NUL, after one that is not used.
pub(crate) const GAMESTATE_BYTES: usize = 16_000;
/// Bytes of a command that the last release of id's engine reads to the end. It takes the next byte for a message.
pub(crate) const COMMAND_BYTES: usize = 1_022;
/// The same of a configstring.
pub(crate) const CONFIGSTRING_BYTES: usize = 8_190;

/// The strings of a gamestate.
pub(crate) fn strings(gamestate: &Gamestate) -> impl Iterator<Item = &[u8]> {
    gamestate.items.iter().filter_map(|item| match item {
        GamestateItem::ConfigString(string) => Some(string.text.as_slice()),
        GamestateItem::Baseline(_) => None,
    })
}

/// The bytes that engines need for the strings of a gamestate.
pub(crate) fn gamestate_bytes(gamestate: &Gamestate) -> usize {
    strings(gamestate).fold(1, |size, text| size + text.len() + 1)
}

/// Which items of a gamestate are strings that set nothing: empty ones, and those that a later one of the same number replaces.
fn unused(gamestate: &Gamestate) -> Vec<bool> {
    let mut later = BTreeSet::new();
    let sets_nothing = |item: &GamestateItem| match item {
        GamestateItem::ConfigString(string) => !later.insert(string.index) || string.text.is_empty(),
        GamestateItem::Baseline(_) => false,
    };
    let mut unused: Vec<bool> = gamestate.items.iter().rev().map(sets_nothing).collect();
    unused.reverse();
    unused
}

/// The bytes that engines need for the strings of a gamestate that set nothing.
pub(crate) fn unused_bytes(gamestate: &Gamestate) -> usize {
    let size = |item: &GamestateItem| if let GamestateItem::ConfigString(string) = item { string.text.len() + 1 } else { 0 };
    gamestate.items.iter().zip(unused(gamestate)).filter(|(_, unused)| *unused).map(|(item, _)| size(item)).sum()
}

/// Leaves out the strings of a gamestate that set nothing. Returns how many there were.
pub(crate) fn leave_out_unused(gamestate: &mut Gamestate) -> usize {
    let before = gamestate.items.len();
    let mut unused = unused(gamestate).into_iter();
    gamestate.items.retain(|_| !unused.next().unwrap_or_default());
    before - gamestate.items.len()
}

/// How far an operation exceeds what engines read: a command's bytes, a gamestate's longest string, and its strings in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    command: usize,
    string: usize,
    gamestate: usize,
}

impl Sizes {
    /// The sizes of an operation.
    pub(crate) fn of(operation: &Operation) -> Self {
        match operation {
            Operation::ServerCommand(command) => Sizes { command: command.text.len(), ..Sizes::default() },
            Operation::Gamestate(gamestate) => {
                Sizes { string: strings(gamestate).map(<[u8]>::len).max().unwrap_or_default(), gamestate: gamestate_bytes(gamestate), ..Sizes::default() }
            }
            _ => Sizes::default(),
        }
    }

    /// Whether an edit may write an operation of this size. What was too long before the edit may stay as long.
    ///
    /// # Errors
    /// What is too long, and what engines read.
    pub(crate) fn check(self, before: Sizes) -> Result<(), Error> {
        let rules = [
            (self.command, before.command, COMMAND_BYTES, "a server command"),
            (self.string, before.string, CONFIGSTRING_BYTES, "a configstring"),
            (self.gamestate, before.gamestate, GAMESTATE_BYTES, "the strings of a gamestate together"),
        ];
        match rules.into_iter().find(|(now, before, most, _)| now > most && now > before) {
            Some((now, _, most, what)) => Err(Error::unsupported(format!("{what} would have {now} bytes, and engines read {most}: use shorter text"))),
            None => Ok(()),
        }
    }
}
