//! Client packets, as far as demo servers and recorders need them (`docs/formats/quake2.md`, *Live*).
//!
//! ```
//! use fragreel_quake2_live::client_message::{ClientMessage, command, movement};
//!
//! let bytes = [command("new"), movement(5, Some(17), 100)].concat();
//! let said = ClientMessage::read(&bytes);
//! assert_eq!(said.commands, [b"new"]);
//! assert_eq!(said.frame, Some(17));
//! ```

use super::checksum::checksum;

const NOP: u8 = 1;
const MOVE: u8 = 2;
const USER_INFO: u8 = 3;
const COMMAND: u8 = 4;
/// The maximum number of commands read from a packet.
const MOST: usize = 64;
/// The maximum length of a command in bytes.
const LONGEST: usize = 1024;

/// The contents of a client packet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientMessage {
    /// The commands in it.
    pub commands: Vec<Vec<u8>>,
    /// The newest frame that the client has, as a base for deltas, or −1. `None` if the packet has no move.
    pub frame: Option<i32>,
    /// The buttons of the newest input. `None` if the packet has no move.
    pub buttons: Option<Buttons>,
    /// The client's new rate in bytes per second, if it sets one.
    pub rate: Option<i32>,
}

/// The buttons that spectators choose a player with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buttons {
    /// Attack.
    pub attack: bool,
    /// Jump: upward movement.
    pub jump: bool,
    /// Crouch: downward movement.
    pub crouch: bool,
}

impl ClientMessage {
    /// Reads a packet as far as possible. Of moves, only the buttons are read.
    pub fn read(payload: &[u8]) -> Self {
        let mut said = ClientMessage::default();
        let _ = said.fill(payload);
        said
    }

    fn fill(&mut self, mut rest: &[u8]) -> Option<()> {
        while let Some((&kind, behind)) = rest.split_first() {
            rest = match kind {
                NOP => behind,
                MOVE => {
                    let (&frame, mut behind) = behind.get(1..)?.split_first_chunk::<4>()?;
                    self.frame = Some(i32::from_le_bytes(frame));
                    let mut input = Input::default();
                    for _ in 0..3 {
                        behind = input.read(behind)?;
                    }
                    self.buttons = Some(input.buttons());
                    behind
                }
                USER_INFO | COMMAND => {
                    let end = behind.iter().position(|&byte| byte == 0)?;
                    if kind == USER_INFO {
                        self.rate = fragreel_live::status::info_number(&behind[..end.min(LONGEST)], "rate").or(self.rate);
                    }
                    if kind == COMMAND && self.commands.len() < MOST && end <= LONGEST {
                        self.commands.push(behind[..end].trim_ascii_end().to_vec());
                    }
                    &behind[end + 1..]
                }
                _ => return None,
            };
        }
        Some(())
    }
}

/// The parts of an input that are read. Each is the change from the one before it.
#[derive(Default)]
struct Input {
    up: i16,
    buttons: u8,
}

impl Input {
    const UP: u8 = 1 << 5;
    const BUTTONS: u8 = 1 << 6;
    /// The least upward movement that engines take for a jump.
    const JUMP: i16 = 10;
    const ATTACK: u8 = 1;

    /// Reads the next input. Returns what is after it.
    fn read<'b>(&mut self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (&mask, fields) = bytes.split_first()?;
        let length = input_bytes(mask);
        let (fields, rest) = (fields.get(..length)?, &fields[length..]);
        let up = 2 * (mask & (Self::UP - 1)).count_ones() as usize;
        if mask & Self::UP != 0 {
            self.up = i16::from_le_bytes(*fields.get(up..)?.first_chunk()?);
        }
        if mask & Self::BUTTONS != 0 {
            self.buttons = *fields.get(up + if mask & Self::UP != 0 { 2 } else { 0 })?;
        }
        Some(rest)
    }

    fn buttons(&self) -> Buttons {
        Buttons { attack: self.buttons & Self::ATTACK != 0, jump: self.up >= Self::JUMP, crouch: self.up <= -Self::JUMP }
    }
}

/// The bytes of one input after its mask.
fn input_bytes(mask: u8) -> usize {
    const WIDTHS: [usize; 8] = [2, 2, 2, 2, 2, 2, 1, 1];
    // And two for time and light level.
    2 + WIDTHS.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 != 0).map(|(_, width)| width).sum::<usize>()
}

/// Encodes a command for the server. Send it reliably.
pub fn command(text: &str) -> Vec<u8> {
    [&[COMMAND][..], text.as_bytes(), b"\0"].concat()
}

/// Encodes a move that stands still for a number of milliseconds, in the packet with this sequence number. `frame` is the newest frame
/// received.
pub fn movement(sequence: u32, frame: Option<i32>, milliseconds: u8) -> Vec<u8> {
    let mut data = frame.unwrap_or(-1).to_le_bytes().to_vec();
    for _ in 0..3 {
        data.extend([0, milliseconds, 0]);
    }
    [&[MOVE, checksum(&data, sequence)][..], &data].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_before_and_behind_moves_are_heard() {
        let mut bytes = [command("say hello"), movement(1, None, 10)].concat();
        // A move with every field.
        bytes.extend([MOVE, 0, 9, 0, 0, 0]);
        for mask in [0xff, 0x01, 0x40] {
            bytes.push(mask);
            bytes.extend(vec![7; input_bytes(mask)]);
        }
        bytes.extend(command("seek 2:00"));
        bytes.extend([USER_INFO, b'\\', 0, NOP, 99, 1, 2]);
        let said = ClientMessage::read(&bytes);
        assert_eq!((said.frame, &said.commands[..]), (Some(9), &[b"say hello".to_vec(), b"seek 2:00".to_vec()][..]));
    }

    #[test]
    fn buttons_of_the_newest_input_count() {
        let read = |inputs: &[u8]| ClientMessage::read(&[&[MOVE, 0, 9, 0, 0, 0], inputs].concat()).buttons;
        let idle = [0, 10, 0];
        // pitch, upward movement 200, attack; the next two keep them
        let all = [0x61, 1, 1, 200, 0, 1, 10, 0];
        assert_eq!(read(&[&all[..], &idle, &idle].concat()), Some(Buttons { attack: true, jump: true, crouch: false }));
        let release = [0x60, 0x38, 0xff, 0, 10, 0];
        assert_eq!(read(&[&all[..], &idle, &release].concat()), Some(Buttons { crouch: true, ..Buttons::default() }));
        assert_eq!(read(&idle), None);
        assert_eq!(ClientMessage::read(&command("x")).buttons, None);
    }

    #[test]
    fn what_is_cut_off_is_no_harm() {
        let bytes = [command("one"), movement(1, Some(2), 10), command("two")].concat();
        for end in 0..bytes.len() {
            assert!(ClientMessage::read(&bytes[..end]).commands.len() < 2);
        }
    }
}
