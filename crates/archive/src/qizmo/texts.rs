//! Texts in a packet: bytes, and symbols that stand for whole phrases.

use super::figures::{Figures, Texts, row};
use super::packet::Packet;
use super::range::Fault;

/// The level of a print that is chat.
const CHAT: u8 = 3;
/// The first symbol that is no byte.
const PHRASES: usize = 256;
/// The number of symbols that stand for players' names.
const NAMES: usize = 32;

impl Packet<'_, '_> {
    pub(super) fn print(&mut self) -> Result<(), Fault> {
        let level = self.coder.byte(row::PRINT_LEVEL)?;
        self.out.push(level);
        let (row, texts) = if level == CHAT { (row::CHAT, Texts::Chat) } else { (row::PRINT, Texts::Print) };
        loop {
            let symbol = self.coder.wide(row)?;
            let name = symbol.checked_sub(PHRASES).map(|name| (name / NAMES, name % NAMES));
            match (name, level == CHAT) {
                (Some((0, slot)), true) => {
                    let name = self.name(slot)?;
                    self.out.push(b'(');
                    self.out.extend(name);
                    self.out.extend(b"): ");
                }
                (Some((0, slot)), false) | (Some((1, slot)), true) => {
                    let name = self.name(slot)?;
                    self.out.extend(name);
                }
                _ if self.phrase(symbol, texts) => return Ok(()),
                _ => {}
            }
        }
    }

    fn name(&self, slot: usize) -> Result<Vec<u8>, Fault> {
        let name = self.state.name(slot);
        if name.is_empty() { Err(Fault::Wrong("a text names a player who is not there")) } else { Ok(name.to_vec()) }
    }

    /// A text up to its end, by a row and the next.
    pub(super) fn text(&mut self, row: usize, texts: Texts) -> Result<(), Fault> {
        loop {
            let symbol = self.coder.wide(row)?;
            if self.phrase(symbol, texts) {
                return Ok(());
            }
        }
    }

    /// Writes what a symbol stands for. Returns whether it ends the text.
    fn phrase(&mut self, symbol: usize, texts: Texts) -> bool {
        match u8::try_from(symbol) {
            Ok(byte) => self.out.push(byte),
            Err(_) => self.out.extend(Figures::get().text(texts, symbol)),
        }
        symbol == 0
    }

    pub(super) fn user_info(&mut self) -> Result<(), Fault> {
        let slot = self.coder.byte(row::SLOT)?;
        self.out.push(slot);
        self.coder.bytes(row::USER_ID, 4, self.out)?;
        let from = self.out.len();
        self.coder.string(row::USER_INFO, self.out)?;
        self.state.add_user_info(slot, self.out[from..].strip_suffix(&[0]).unwrap_or_default());
        Ok(())
    }

    pub(super) fn set_info(&mut self) -> Result<(), Fault> {
        let slot = self.coder.byte(row::SLOT)?;
        self.out.push(slot);
        let from = self.out.len();
        self.text(row::INFO_KEY, Texts::InfoKey)?;
        let is_name = self.out[from..] == *b"name\0";
        let from = self.out.len();
        self.coder.string(row::INFO_VALUE, self.out)?;
        if is_name {
            self.state.set_name(slot, self.out[from..].strip_suffix(&[0]).unwrap_or_default());
        }
        Ok(())
    }
}
