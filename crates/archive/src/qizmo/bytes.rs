//! Bytes of plain messages, and the numbers of those that coded packets have as well.

pub(super) const PLAYER_INFO: u8 = 42;
pub(super) const ENTITIES: u8 = 47;
pub(super) const DELTA_ENTITIES: u8 = 48;
pub(super) const VOICE: u8 = 83;
pub(super) const VOICE_LENGTH: usize = 34;

/// Bytes that are read from the front.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    /// Up to a zero, without it.
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(length)?;
        self.take(1)?;
        Some(text)
    }

    /// Names up to an empty one, and a byte.
    pub(super) fn names(&mut self) -> Option<Vec<&'a [u8]>> {
        let mut names = Vec::new();
        loop {
            match self.string()? {
                b"" => {
                    self.byte()?;
                    return Some(names);
                }
                name => names.push(name),
            }
        }
    }
}
