//! The keys that players held, out of the user commands that a recording has.

use std::collections::HashMap;

use fragreel::model::UserCommand;
use serde::Serialize;

/// What one player holds from a message on.
#[derive(Debug, PartialEq, Serialize)]
pub struct Held {
    /// The message that holds the command.
    message: u32,
    /// Whose keys they are; the recorder's where the recording has only those.
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<u16>,
    /// `forward`, `back`, `left`, `right`, `up`, `down`, then the buttons by their names. Moves say more of walking than
    /// the buttons that ask for them.
    keys: Vec<&'static str>,
}

/// One entry for each change.
pub fn changes(commands: impl Iterator<Item = UserCommand>) -> Vec<Held> {
    let mut last: HashMap<Option<u16>, Vec<&'static str>> = HashMap::new();
    let mut found = Vec::new();
    for command in commands {
        let keys = held(&command);
        if last.get(&command.slot) == Some(&keys) {
            continue;
        }
        last.insert(command.slot, keys.clone());
        found.push(Held { message: command.message, slot: command.slot, keys });
    }
    found
}

fn held(command: &UserCommand) -> Vec<&'static str> {
    let moves = [(command.forward_move, ["forward", "back"]), (command.side_move, ["right", "left"]), (command.up_move, ["up", "down"])];
    let mut keys: Vec<&'static str> =
        moves.into_iter().filter(|(speed, _)| *speed != 0.0).map(|(speed, [more, less])| if speed > 0.0 { more } else { less }).collect();
    keys.extend(command.buttons.iter().filter(|name| !matches!(**name, "forward" | "back" | "left" | "right" | "moveleft" | "moveright")));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_listed_when_they_change() {
        let command = |message, side, bits| UserCommand::new(message, 0.0, 10, [0.0; 3], [320.0, side, 0.0]).holding(bits, &["attack", "jump"]);
        let found = changes([command(1, 0.0, 0), command(2, 0.0, 0), command(3, -350.0, 2), command(4, -350.0, 3)].into_iter());
        let seen: Vec<_> = found.iter().map(|held| (held.message, held.keys.join(" "))).collect();
        let wanted = [(1, "forward"), (3, "forward left jump"), (4, "forward left attack jump")];
        assert_eq!(seen, wanted.map(|(message, keys)| (message, keys.to_owned())));
    }
}
