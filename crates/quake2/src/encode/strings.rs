//! Configstrings in slots of 64 bytes. Longer strings continue in the next slots, as in the engines. Implements
//! *configstrings* of `docs/formats/quake2.md`.

use crate::dialect::Dialect;
use crate::message::{Body, Contents, Message};
use crate::state::Strings;

/// Bytes of a slot.
const SLOT: usize = 64;

/// The maximum length of a string: that of its slot, or of all slots up to the end of its area where strings may run over. One byte is
/// for the NUL.
pub fn room(dialect: &Dialect, index: u16) -> usize {
    let strings = dialect.strings;
    let slots = match index {
        _ if dialect.floats => return usize::MAX,
        _ if (strings.statusbar..strings.airaccel).contains(&index) => strings.airaccel - index,
        _ if index >= strings.general => strings.end.saturating_sub(index),
        _ => 1,
    };
    (usize::from(slots) * SLOT).saturating_sub(1)
}

/// The memory of all slots.
#[derive(Debug, Clone, Default)]
pub struct StringSlots {
    bytes: Vec<u8>,
    longest: usize,
}

impl StringSlots {
    /// Clears all slots: a level begins.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.longest = 0;
    }

    /// Sets a string. Bytes beyond the last slot are lost.
    pub fn set(&mut self, dialect: &Dialect, index: u16, text: &[u8]) {
        if index >= dialect.strings.end {
            return;
        }
        self.longest = self.longest.max(text.len());
        let from = usize::from(index) * SLOT;
        let to = (from + text.len() + 1).min(usize::from(dialect.strings.end) * SLOT);
        if self.bytes.len() < to {
            self.bytes.resize(to, 0);
        }
        let length = to - from - 1;
        self.bytes[from..to - 1].copy_from_slice(&text[..length]);
        self.bytes[to - 1] = 0;
    }

    /// Sets the strings of a message.
    pub fn take_in(&mut self, dialect: &Dialect, message: &Message) {
        let lists = match &message.body {
            Body::ConfigString(string) => return self.set(dialect, string.index, &string.text.0),
            Body::GameState(state) => &state.strings.0,
            Body::ConfigStringStream(strings) | Body::LevelRestart(strings) => &strings.0,
            Body::ConfigBlast(packed) => match &packed.contents {
                Contents::Strings(strings) => strings,
                _ => return,
            },
            _ => return,
        };
        lists.iter().for_each(|string| self.set(dialect, string.index, &string.text.0));
    }

    /// The string that begins in a slot.
    pub fn text(&self, index: u16) -> &[u8] {
        let text = self.bytes.get(usize::from(index) * SLOT..).unwrap_or_default();
        &text[..text.iter().position(|&byte| byte == 0).unwrap_or(text.len())]
    }

    /// The slots that differ from those of `before`, in order. A slot that is full to its last byte continues in the next, which is then
    /// included.
    pub fn changed(&self, before: &StringSlots) -> Vec<(u16, &[u8])> {
        let slot = |image: &'_ StringSlots, at: usize| -> Vec<u8> {
            let bytes = image.bytes.get(at * SLOT..).unwrap_or_default();
            let bytes = &bytes[..bytes.len().min(SLOT)];
            bytes[..bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len())].to_vec()
        };
        let (mut found, mut ran_over) = (Vec::new(), false);
        for at in 0..self.bytes.len().max(before.bytes.len()).div_ceil(SLOT) {
            let text = slot(self, at);
            if ran_over || text != slot(before, at) {
                ran_over = text.len() == SLOT;
                let from = (at * SLOT).min(self.bytes.len());
                found.push((at as u16, &self.bytes[from..from + text.len()]));
            } else {
                ran_over = false;
            }
        }
        found
    }

    /// The strings that are not empty, in order, as recorders write them. id's recorder writes each string to its end, so that the tails of
    /// long ones repeat. Q2PRO and R1Q2 write slices of one slot. The strings seen so far decide which.
    pub fn recorded(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let whole = self.longest > SLOT;
        self.bytes.chunks(SLOT).enumerate().filter(|(_, slot)| slot[0] != 0).map(move |(at, slot)| {
            let text = if whole { &self.bytes[at * SLOT..] } else { slot };
            (at as u16, &text[..text.iter().position(|&byte| byte == 0).unwrap_or(text.len())])
        })
    }
}

/// The strings of a signon. Those of the rerelease do not run over.
pub(crate) fn signon_strings(dialect: &Dialect, image: &StringSlots, strings: &Strings) -> Vec<(u16, Vec<u8>)> {
    let owned = |(index, text): (u16, &[u8])| (index, text.to_vec());
    if dialect.floats { strings.iter().map(owned).collect() } else { image.recorded().map(owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Announced, RecordingKind};

    #[test]
    fn some_strings_may_run_over() {
        let dialect = Dialect::of(34, RecordingKind::CLIENT, Announced::default()).unwrap();
        assert_eq!([0, 5, 28, 29, 1312, 1568, 2079].map(|index| room(&dialect, index)), [63, 24 * 64 - 1, 63, 63, 63, 512 * 64 - 1, 63]);
    }

    #[test]
    fn long_strings_run_over_and_are_overwritten() {
        let dialect = Dialect::of(34, RecordingKind::CLIENT, Announced::default()).unwrap();
        let mut image = StringSlots::default();
        image.set(&dialect, 5, &[b'a'; 130]);
        let lengths = |image: &StringSlots| image.recorded().map(|(index, text)| (index, text.len())).collect::<Vec<_>>();
        assert_eq!(lengths(&image), [(5, 130), (6, 66), (7, 2)]);
        image.set(&dialect, 5, b"b");
        assert_eq!(lengths(&image), [(5, 1), (6, 66), (7, 2)]);
        let mut slices = StringSlots::default();
        slices.set(&dialect, 5, &[b'a'; 64]);
        slices.set(&dialect, 6, &[b'b'; 10]);
        assert_eq!(lengths(&slices), [(5, 64), (6, 10)]);
        slices.set(&dialect, 2079, &[b'c'; 100]);
        assert_eq!(slices.bytes.len(), 2080 * 64);
    }
}
