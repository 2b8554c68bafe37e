//! Encodes messages that are too long for engines as several (`docs/formats/quake3.md`, "Editing").

use fragreel_base::wire::Error;

use crate::dialect::{Dialect, LONGEST_MESSAGE};
use crate::message::{Gamestate, GamestateItem, Message, Operation, ServerCommand};

/// Strings below this one describe the level and the match; games read them when the level loads, so they stay in the gamestate.
const FIRST_MOVABLE: u16 = 32;
/// The longest string for one `cs`, in bytes: the command must not exceed [`COMMAND_BYTES`](crate::limits::COMMAND_BYTES).
const LONGEST_STRING: usize = 1000;
/// The most strings that may move. Engines keep 64 commands, and those of the first frame need room too.
const MOST_STRINGS: usize = 32;

/// Encodes `message` as one or more messages that engines can read, all with the same sequence number. Each gamestate and snapshot is in one of its own. Commands move ahead of the snapshot that
/// they came with, which does not change when they are executed. Strings of a gamestate move into commands behind it, but only in the `first`
/// message of a recording: later, engines have executed those numbers already.
///
/// # Errors
/// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) when that is not enough.
pub(crate) fn encode_in_parts(message: &mut Message, dialect: &Dialect, first: bool) -> Result<Vec<Vec<u8>>, Error> {
    let mut data = message.write_anew(dialect);
    if data.len() <= LONGEST_MESSAGE && !is_mixed(message) {
        return Ok(vec![data]);
    }
    let length = data.len();
    let too_long = |why: &str| Error::unsupported(format!("a message of {length} bytes would be needed, and engines read {LONGEST_MESSAGE} at most; {why}"));
    let operations = message.operations.len();
    let mut told = Vec::new();
    let several = first_of_several(message);
    let ahead = match message.operations.first() {
        Some(_) if several.is_some() => several.unwrap_or_default(),
        Some(Operation::Gamestate(_)) if operations > 1 => 1,
        Some(Operation::Gamestate(_)) if !first => {
            return Err(too_long("only the first gamestate of a recording can be sent in parts: split the recording before this level"));
        }
        Some(Operation::Gamestate(_)) => {
            while data.len() > LONGEST_MESSAGE {
                let Some(Operation::Gamestate(gamestate)) = message.operations.first_mut() else { break };
                let string = Some(gamestate).filter(|_| told.len() < MOST_STRINGS).and_then(move_string);
                let string = string.ok_or_else(|| too_long("too few strings of the gamestate can be set by commands instead: use shorter ones"))?;
                told.insert(0, Operation::ServerCommand(string));
                data = message.write_anew(dialect);
            }
            1
        }
        Some(Operation::ServerCommand(_)) if operations > 1 => {
            let commands = message.operations.iter().take_while(|operation| matches!(operation, Operation::ServerCommand(_))).count();
            commands.div_ceil(2).min(operations - 1)
        }
        _ => return Err(too_long("there are no commands in it that could go ahead: use shorter text")),
    };
    let behind = message.operations.split_off(ahead);
    let ahead = std::mem::replace(&mut message.operations, told);
    message.operations.extend(behind);
    let mut before = Message { acknowledged: message.acknowledged, operations: ahead, end: message.end, ..Message::default() };
    let mut parts = encode_in_parts(&mut before, dialect, first)?;
    parts.extend(encode_in_parts(message, dialect, first)?);
    Ok(parts)
}

/// Whether a message holds several gamestates and snapshots, which no stock server sends: each is in a message of its own.
pub(crate) fn is_mixed(message: &Message) -> bool {
    first_of_several(message).is_some()
}

/// The operations up to the first gamestate or snapshot, if there is a second one.
fn first_of_several(message: &Message) -> Option<usize> {
    let is_main = |operation: &Operation| matches!(operation, Operation::Gamestate(_) | Operation::Snapshot(_));
    let mut places = message.operations.iter().enumerate().filter(|(_, operation)| is_main(operation));
    let (first, _) = places.next()?;
    places.next().map(|_| first + 1)
}

/// Moves the longest string that fits into a `cs` out of a gamestate, and lowers the number of its last command.
fn move_string(gamestate: &mut Gamestate) -> Option<ServerCommand> {
    let length = |item: &GamestateItem| match item {
        GamestateItem::ConfigString(string) if string.index >= FIRST_MOVABLE && !string.text.contains(&b'"') => {
            Some(string.text.len()).filter(|&length| length <= LONGEST_STRING)
        }
        _ => None,
    };
    let (at, _) = gamestate.items.iter().enumerate().filter_map(|(at, item)| Some((at, length(item)?))).max_by_key(|(_, length)| *length)?;
    // engines execute from number 1 on
    let sequence = Some(gamestate.command_sequence).filter(|&number| number > 0)?;
    let GamestateItem::ConfigString(string) = gamestate.items.remove(at) else { return None };
    gamestate.command_sequence -= 1;
    let text = [b"cs ", string.index.to_string().as_bytes(), b" \"", &string.text, b"\"\n"].concat();
    Some(ServerCommand { sequence, text })
}
