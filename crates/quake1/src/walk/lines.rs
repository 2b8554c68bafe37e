//! Assembles lines from the pieces in which servers print them.

use std::collections::BTreeMap;

/// The readers of a line: kind, slot and player mask of a multi-view block. Constant in other recordings.
pub(crate) type Reader = (u8, u8, u32);

/// The print level that the server states. NetQuake only marks chat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
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

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'l> {
    pub text: &'l [u8],
    /// Where its pieces begin, after the first.
    pub pieces: &'l [usize],
}

/// A line that has not ended yet.
#[derive(Debug, Clone, Default)]
struct Open {
    text: Vec<u8>,
    pieces: Vec<usize>,
}

impl Open {
    fn line(&self) -> Line<'_> {
        Line { text: &self.text, pieces: &self.pieces }
    }
}

/// Assembles lines, separately for each reader and level.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lines {
    open: BTreeMap<(Reader, Level), Open>,
}

impl Lines {
    /// Adds a piece. Calls `show` with each line that it completes. `is_inside` says whether a line end at a place of the piece belongs to a name.
    pub(crate) fn push(&mut self, reader: Reader, level: Level, piece: &[u8], is_inside: impl Fn(&[u8], usize) -> bool, mut show: impl FnMut(Line<'_>)) {
        if piece.is_empty() {
            return;
        }
        let key = (reader, level);
        if self.open.len() >= MOST_READERS && !self.open.contains_key(&key) {
            self.open.clear();
        }
        let open = self.open.entry(key).or_default();
        if !open.text.is_empty() && open.text.len() < LONGEST {
            open.pieces.push(open.text.len());
        }
        let (mut from, mut at) = (0, 0);
        while let Some(end) = piece[at..].iter().position(|&byte| byte == b'\n').map(|found| at + found) {
            at = end + 1;
            if is_inside(piece, end) {
                continue;
            }
            open.text.extend_from_slice(&piece[from..end]);
            show(open.line());
            open.text.clear();
            open.pieces.clear();
            from = at;
        }
        let rest = &piece[from..];
        if open.text.len() + rest.len() <= LONGEST {
            open.text.extend_from_slice(rest);
        }
        if open.text.is_empty() {
            self.open.remove(&key);
        }
    }

    /// Ends every line: nothing that comes now belongs to it. Calls `show` with each.
    pub(crate) fn end(&mut self, mut show: impl FnMut(Reader, Level, Line<'_>)) {
        for ((reader, level), open) in std::mem::take(&mut self.open) {
            show(reader, level, open.line());
        }
    }
}
