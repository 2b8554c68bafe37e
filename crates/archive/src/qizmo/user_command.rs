//! User commands.

use super::figures::row;
use super::range::{Coder, Fault, high, low};

/// The bits of the mask that the next command goes on with.
const KEPT: u16 = 0x203f;
/// Degrees of one step of an angle.
const STEP: f64 = 360.0 / 65536.0;

/// The command that was decoded last, and what its mask said.
pub(super) struct UserCommand {
    mask: u16,
    angles: [u16; 3],
    turn: [u16; 3],
    /// Forward, side, up.
    moves: [u16; 3],
    buttons: u8,
    impulse: u8,
    time: u8,
}

impl UserCommand {
    pub(super) fn new() -> Self {
        UserCommand { mask: 0, angles: [0; 3], turn: [0; 3], moves: [0; 3], buttons: 0, impulse: 8, time: 0 }
    }

    /// How long it lasts.
    pub(super) fn milliseconds(&self) -> u8 {
        self.time
    }

    /// Decodes the next: the command and the view, as the recording has them.
    pub(super) fn decode(&mut self, coder: &mut Coder<'_>) -> Result<[u8; 36], Fault> {
        let [first, second] = [coder.byte(row::COMMAND_MASK[0])?, coder.byte(row::COMMAND_MASK[1])?];
        let mask = self.mask & KEPT ^ u16::from_le_bytes([first, second]);
        let has = |bit: u16| mask >> bit & 1 != 0;
        for (at, rows) in row::COMMAND_ANGLES.into_iter().enumerate() {
            let bit = at as u16 * 2;
            self.turn[at] = if has(bit) { low(self.turn[at], coder.byte(rows[0])?) } else { self.turn[at] };
            self.turn[at] = if has(bit + 1) { high(self.turn[at], coder.byte(rows[1])?) } else { self.turn[at] };
            self.angles[at] = self.angles[at].wrapping_add(self.turn[at]);
        }
        for (at, rows) in row::COMMAND_MOVE.into_iter().enumerate() {
            let bit = 6 + at as u16 * 2;
            self.moves[at] = if has(bit) { low(self.moves[at], coder.byte(rows[0])?) } else { self.moves[at] };
            self.moves[at] = if has(bit + 1) { high(self.moves[at], coder.byte(rows[1])?) } else { self.moves[at] };
        }
        if has(12) {
            self.buttons ^= coder.byte(row::COMMAND_BUTTONS)?;
        }
        if has(13) {
            self.time = self.time.wrapping_add(coder.byte(row::COMMAND_TIME_OF)?);
        }
        if has(14) {
            self.impulse = coder.byte(row::COMMAND_IMPULSE)?;
        }
        self.mask = mask;
        Ok(self.bytes())
    }

    fn bytes(&self) -> [u8; 36] {
        let mut out = [0; 36];
        out[0] = self.time;
        for (at, angle) in self.angles.into_iter().enumerate() {
            let degrees = ((f64::from(angle.cast_signed()) * STEP) as f32).to_le_bytes();
            out[4 + 4 * at..8 + 4 * at].copy_from_slice(&degrees);
            out[24 + 4 * at..28 + 4 * at].copy_from_slice(&degrees);
        }
        for (at, speed) in self.moves.into_iter().enumerate() {
            out[16 + 2 * at..18 + 2 * at].copy_from_slice(&speed.to_le_bytes());
        }
        out[22] = self.buttons;
        out[23] = self.impulse;
        out
    }
}
