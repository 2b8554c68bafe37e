//! Qizmo: recordings of QuakeWorld (`.qwz`), each of one `.qwd`.
//!
//! A range coder codes symbols by tables of frequencies that are the same for all files. Most symbols are differences to what a packet before said, so
//! the decoder keeps the players and entities of the last packets as Qizmo did. `docs/formats/qwz.md` describes it.

mod bytes;
#[cfg(test)]
mod encode;
mod entities;
mod figures;
mod messages;
mod packet;
mod places;
mod players;
mod range;
mod record;
mod state;
mod texts;
mod user_command;

use std::io::{self, Read};

use crate::Error;
use crate::bound::Exceeded;
use figures::row;
use range::{Coder, Fault};
use state::State;
use user_command::UserCommand;

/// The most bytes that are decoded of a file.
const LONGEST: u64 = 256 << 20;

/// What the coder says first in a block, as cumulated frequencies.
const BLOCKS: [u32; 4] = [0x8000_0000, 0xffff_fc00, 0xffff_fe00, 0xffff_ffff];
const USER_COMMAND: usize = 0;
const PACKET: usize = 1;
const SEQUENCES: usize = 2;

/// The bytes of the recording, up to this limit.
///
/// # Errors
/// When they would be more, the file cannot be read, or it cannot be what Qizmo wrote.
pub(crate) fn decode(mut source: impl Read, most: u64) -> Result<Vec<u8>, Error> {
    let mut packed = Vec::new();
    source.by_ref().take(LONGEST + 1).read_to_end(&mut packed)?;
    if packed.len() as u64 > LONGEST {
        return Err(Error::Bomb(LONGEST));
    }
    let mut decoder = Decoder::new(&packed);
    let ended = decoder.run(most);
    match ended {
        Ok(()) => Ok(decoder.out),
        Err(Fault::TooLong) => Err(io::Error::other(Exceeded(most)).into()),
        Err(fault) => Err(Error::Damaged(format!("Qizmo's data is damaged before offset {}: {fault}", decoder.coder.place()))),
    }
}

struct Decoder<'a> {
    coder: Coder<'a>,
    state: State,
    command: UserCommand,
    /// The recording's clock in milliseconds, and what it grew by last.
    time: u32,
    step: u8,
    sequence: u32,
    out: Vec<u8>,
}

impl<'a> Decoder<'a> {
    fn new(packed: &'a [u8]) -> Self {
        Decoder { coder: Coder::new(packed), state: State::new(), command: UserCommand::new(), time: 0, step: 0, sequence: 0, out: Vec::new() }
    }

    /// Decodes to the end. A file that Qizmo did not close ends where its bytes do.
    fn run(&mut self, most: u64) -> Result<(), Fault> {
        loop {
            self.coder.begin_block();
            let block = match self.coder.symbol_of(&BLOCKS) {
                Err(Fault::End) => return Ok(()),
                block => block?,
            };
            if block > SEQUENCES {
                return Ok(());
            }
            self.out.extend_from_slice(&((0.001 * f64::from(self.time)) as f32).to_le_bytes());
            self.out.push(block as u8);
            let goes_on = match block {
                USER_COMMAND => self.user_command().map(|()| true),
                PACKET => self.packet(),
                _ => self.sequences().map(|()| true),
            };
            match goes_on {
                Ok(true) => {}
                Ok(false) | Err(Fault::End) => return Ok(()),
                Err(fault) => return Err(fault),
            }
            if self.out.len() as u64 > most {
                return Err(Fault::TooLong);
            }
        }
    }

    fn user_command(&mut self) -> Result<(), Fault> {
        let bytes = self.command.decode(&mut self.coder)?;
        self.out.extend_from_slice(&bytes);
        self.state.sent(self.command.milliseconds());
        self.step = self.step.wrapping_add(self.coder.byte(row::TIME)?);
        self.time = self.time.wrapping_add(u32::from(self.step));
        Ok(())
    }

    /// Decodes a packet. Returns whether there may be more.
    fn packet(&mut self) -> Result<bool, Fault> {
        let mode = self.coder.byte(row::MODE)?;
        if mode == 0 {
            return self.whole_packet().map(|()| true);
        }
        self.sequence = self.sequence.wrapping_add(u32::from(mode)) & 0x7fff_ffff;
        let decoded = packet::decode(&mut self.coder, &mut self.state, self.sequence)?;
        // A step of several packets with nothing behind the player is where the recording broke off.
        let is_last = decoded.as_ref().is_some_and(|decoded| mode > 1 && !decoded.has_messages);
        match decoded.filter(|_| !is_last) {
            Some(decoded) => self.write(&decoded.bytes),
            // what cannot be known without a packet that is missing
            None => self.out.extend_from_slice(&[0; 4]),
        }
        Ok(!is_last)
    }

    /// A packet as it was.
    fn whole_packet(&mut self) -> Result<(), Fault> {
        let length = u16::from_le_bytes([self.coder.byte(row::BYTE)?, self.coder.byte(row::BYTE)?]);
        let mut bytes = vec![0; usize::from(length)];
        for byte in &mut bytes {
            *byte = self.coder.byte(row::BYTE)?;
        }
        self.write(&bytes);
        if let Some((sequence, _)) = bytes.split_first_chunk().filter(|_| bytes.len() >= 8) {
            let sequence = u32::from_le_bytes(*sequence);
            if sequence != u32::MAX {
                self.sequence = sequence;
                messages::learn(&mut self.state, &bytes[8..], sequence);
            }
        }
        Ok(())
    }

    fn sequences(&mut self) -> Result<(), Fault> {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = self.coder.byte(row::BYTE)?;
        }
        self.out.extend_from_slice(&bytes);
        self.state.outgoing = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        self.state.name_again();
        Ok(())
    }

    fn write(&mut self, packet: &[u8]) {
        self.out.extend_from_slice(&(packet.len() as u32).to_le_bytes());
        self.out.extend_from_slice(packet);
    }
}
