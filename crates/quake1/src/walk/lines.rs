//! Assembles lines from the pieces in which servers print them.

use std::collections::BTreeMap;

/// The readers of a line: kind, slot and player mask of a multi-view block. Constant in other recordings.
pub(crate) type Reader = (u8, u8, u32);

/// The print level that the server states. NetQuake only marks chat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Level {
    /// Pick-ups.
    Low,
    /// Deaths.
    Medium,
    /// Critical.
    High,
    /// Chat.
    Chat,
    /// Not stated (NetQuake).
    #[default]
    Unknown,
}

impl Level {
    /// The level of QuakeWorld's number.
    pub(crate) fn of(number: u8) -> Self {
        match number {
            0 => Level::Low,
            1 => Level::Medium,
            2 => Level::High,
            3 => Level::Chat,
            _ => Level::Unknown,
        }
    }
}

/// Longest line that is collected.
const LONGEST: usize = 4096;
/// Most lines that are collected at once.
const MOST_READERS: usize = 64;

/// Assembles lines, separately for each reader and level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    open: BTreeMap<(Reader, u8), Vec<u8>>,
}

impl Lines {
    /// Adds a piece. Calls `show` with each line that it completes, without the line end.
    pub(crate) fn push(&mut self, reader: Reader, level: Level, text: &[u8], mut show: impl FnMut(&[u8])) {
        if text.is_empty() {
            return;
        }
        let key = (reader, level as u8);
        if self.open.len() >= MOST_READERS && !self.open.contains_key(&key) {
            self.open.clear();
        }
        let line = self.open.entry(key).or_default();
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\n') {
            line.extend_from_slice(&rest[..at]);
            show(line);
            line.clear();
            rest = &rest[at + 1..];
        }
        if line.len() + rest.len() <= LONGEST {
            line.extend_from_slice(rest);
        }
        if line.is_empty() {
            self.open.remove(&key);
        }
    }
}
