//! Bytes as engines read them; what is not there is an error.

pub(super) struct Bytes<'a>(pub &'a [u8]);

pub(super) type Read<T> = Result<T, String>;

impl Bytes<'_> {
    pub(super) fn take(&mut self, count: usize) -> Read<&[u8]> {
        if count > self.0.len() {
            return Err(String::from("the message ends too early"));
        }
        let (front, rest) = self.0.split_at(count);
        self.0 = rest;
        Ok(front)
    }

    pub(super) fn byte(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn char(&mut self) -> Read<i32> {
        Ok(i32::from(self.byte()? as i8))
    }

    pub(super) fn short(&mut self) -> Read<i32> {
        let bytes = self.take(2)?;
        Ok(i32::from(i16::from_le_bytes([bytes[0], bytes[1]])))
    }

    pub(super) fn long(&mut self) -> Read<i32> {
        let bytes = self.take(4)?;
        Ok(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(super) fn text(&mut self) -> Read<Vec<u8>> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or("a string has no end")?;
        let text = self.take(end)?.to_vec();
        self.byte()?;
        Ok(text)
    }

    pub(super) fn three(&mut self, mut one: impl FnMut(&mut Self) -> Read<i32>) -> Read<[i32; 3]> {
        Ok([one(self)?, one(self)?, one(self)?])
    }
}
