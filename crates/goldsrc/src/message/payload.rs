//! Reads the fields of user messages. Mods append fields, so bytes left over are no error; a message with missing fields is ignored.

/// A cursor over a user message's bytes.
#[derive(Debug, Clone)]
pub(crate) struct Payload<'a> {
    rest: &'a [u8],
}

impl<'a> Payload<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    pub(crate) fn short(&mut self) -> Option<i16> {
        self.chunk().map(i16::from_le_bytes)
    }

    pub(crate) fn long(&mut self) -> Option<i32> {
        self.chunk().map(i32::from_le_bytes)
    }

    /// The bytes before the NUL. `None` if there is no NUL.
    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|&byte| byte == 0)?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = &rest[1..];
        Some(text)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*chunk)
    }
}
