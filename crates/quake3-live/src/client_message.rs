//! Client messages, as far as a demo server needs them (`docs/formats/quake3.md`, "What clients send").

use fragreel_base::wire::{Bounded, Error, ReadHuffman, Wire, WriteHuffman};

use super::netchan::{FROM_CLIENT, scramble};

/// One message of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientMessage {
    /// The gamestate that it is about.
    pub server_id: i32,
    /// The newest message that it has.
    pub message: i32,
    /// The newest server command that it has.
    pub command: i32,
    /// Its commands, by number.
    pub commands: Vec<(i32, Vec<u8>)>,
    /// Whether it moves, and whether it takes deltas from the message that it has.
    pub moves: Option<bool>,
    /// The time of its input, on the server's clock. Only written.
    pub time: i32,
}

const MOVE: u8 = 2;
const MOVE_NO_DELTA: u8 = 3;
const COMMAND: u8 = 4;
const END: u8 = 5;
const LIMIT: Bounded = Bounded { bytes: 1023, rule: "a client's command is longer than any engine sends" };
/// Most commands in a message.
const MOST: usize = 64;

impl ClientMessage {
    /// Reads a message. `texts` gives the text of a server command by its number. The content of moves is skipped.
    pub(crate) fn read(payload: &[u8], challenge: i32, texts: impl Fn(i32) -> Vec<u8>) -> Result<Self, Error> {
        // only scrambled messages have the three numbers across the first scrambled byte
        let mut r = ReadHuffman::new(payload);
        let (server_id, message, command) = (r.signed("serverId", 0, 32)?, r.signed("messageAcknowledge", 0, 32)?, r.signed("reliableAcknowledge", 0, 32)?);
        let mut plain = payload.to_vec();
        scramble(&mut plain, FROM_CLIENT, (challenge ^ server_id ^ message) as u32, &texts(command));
        let mut r = ReadHuffman::new(&plain);
        for name in ["serverId", "messageAcknowledge", "reliableAcknowledge"] {
            r.signed(name, 0, 32)?;
        }
        let mut said = ClientMessage { server_id, message, command, ..ClientMessage::default() };
        loop {
            match r.field("operation", 0, 8)? as u8 {
                COMMAND => {
                    let number = r.signed("number", 0, 32)?;
                    let mut text = Vec::new();
                    r.text(&mut text, LIMIT)?;
                    r.expect(said.commands.len() < MOST, "more commands than any engine sends")?;
                    said.commands.push((number, text));
                }
                number @ (MOVE | MOVE_NO_DELTA) => {
                    said.moves = Some(number == MOVE);
                    break;
                }
                _ => break,
            }
            r.checkpoint()?;
        }
        r.checkpoint()?;
        Ok(said)
    }

    /// Writes a message, with one input in its move.
    pub(crate) fn write(&self, challenge: i32, text: &[u8]) -> Vec<u8> {
        let mut w = WriteHuffman::default();
        for number in [self.server_id, self.message, self.command] {
            let Ok(_) = w.signed("number", number, 32);
        }
        for (number, text) in &self.commands {
            let Ok(_) = w.field("operation", u32::from(COMMAND), 8);
            let Ok(_) = w.signed("number", *number, 32);
            let Ok(()) = w.text(&mut text.clone(), LIMIT);
        }
        if let Some(delta) = self.moves {
            let Ok(_) = w.field("operation", u32::from(if delta { MOVE } else { MOVE_NO_DELTA }), 8);
            let Ok(_) = w.field("count", 1, 8);
            // times below 256 take eight bits, because the input is a delta against zeros
            let near = (0..256).contains(&self.time);
            let Ok(_) = w.field("near", near.into(), 1);
            let Ok(_) = w.field("serverTime", self.time as u32, if near { 8 } else { 32 });
            let Ok(_) = w.field("changed", 0, 1);
        }
        let Ok(_) = w.field("operation", u32::from(END), 8);
        let mut payload = w.finish();
        scramble(&mut payload, FROM_CLIENT, (challenge ^ self.server_id ^ self.message) as u32, text);
        payload
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (server_id, text) in [(0, &b""[..]), (77, b"cs 5 \"100%\""), (-1, b"print \"x\"")] {
            let said = ClientMessage {
                server_id,
                message: 1_000_003,
                command: 12,
                commands: vec![(1, b"say hello".to_vec()), (2, b"pause".to_vec())],
                moves: Some(true),
                time: 0,
            };
            let payload = said.write(-99, text);
            let read = ClientMessage::read(&payload, -99, |number| if number == 12 { text.to_vec() } else { Vec::new() });
            assert_eq!(read.unwrap(), said);
        }
        assert!(ClientMessage::read(&[1, 2, 3], 5, |_| Vec::new()).is_err());
    }
}
