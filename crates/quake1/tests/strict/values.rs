//! Bytes of messages.

use super::Result;

/// The rules that a server stated.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rules {
    pub netquake: bool,
    pub multi_view: bool,
    pub protocol: u32,
    pub fte: u32,
    pub fte2: u32,
    pub mvd: u32,
    pub flags: u32,
    pub rerelease: bool,
}

impl Rules {
    pub(crate) fn replacement(&self) -> bool {
        self.fte2 & 8 != 0
    }
}

/// A cursor that refuses to go past the end.
#[derive(Debug, Clone)]
pub(crate) struct Bytes<'a> {
    pub rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        if count > self.rest.len() {
            return Err(format!("{count} bytes are wanted and {} left", self.rest.len()));
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }
    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }
    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.take(2)?.try_into().unwrap()))
    }
    pub(crate) fn i16(&mut self) -> Result<i16> {
        Ok(self.u16()? as i16)
    }
    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().unwrap()))
    }
    pub(crate) fn f32(&mut self) -> Result<f32> {
        let value = f32::from_bits(self.u32()?);
        if value.is_finite() { Ok(value) } else { Err(String::from("a number that is none")) }
    }
    pub(crate) fn string(&mut self) -> Result<String> {
        let end = self.rest.iter().position(|&byte| byte == 0).ok_or("a string without an end")?;
        if end > 8000 {
            return Err(format!("a string of {end} bytes"));
        }
        let text = self.take(end)?;
        self.u8()?;
        Ok(text.iter().map(|&byte| char::from(byte)).collect())
    }
    /// Names up to an empty one.
    pub(crate) fn strings(&mut self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        loop {
            let name = self.string()?;
            if name.is_empty() {
                return Ok(names);
            }
            names.push(name);
        }
    }
    pub(crate) fn coord(&mut self, r: &Rules) -> Result<f32> {
        if r.fte & 0x8000 != 0 || r.flags & 0x10 != 0 {
            return self.f32();
        }
        if r.flags & 8 != 0 {
            return Ok(f32::from(self.i16()?) + f32::from(self.u8()?) / 255.0);
        }
        if r.flags & 0x80 != 0 {
            return Ok(self.u32()? as i32 as f32 / 16.0);
        }
        Ok(f32::from(self.i16()?) / 8.0)
    }
    pub(crate) fn point(&mut self, r: &Rules) -> Result<[f32; 3]> {
        Ok([self.coord(r)?, self.coord(r)?, self.coord(r)?])
    }
    /// The place of an entity or a player.
    pub(crate) fn place(&mut self, r: &Rules) -> Result<f32> {
        if r.mvd & 1 != 0 { self.f32() } else { self.coord(r) }
    }
    pub(crate) fn angle(&mut self, r: &Rules) -> Result<()> {
        let length = match r {
            _ if r.flags & 4 != 0 => 4,
            _ if r.fte & 0x8000 != 0 || r.flags & 2 != 0 => 2,
            _ => 1,
        };
        self.take(length).map(drop)
    }
    pub(crate) fn entity(&mut self, r: &Rules) -> Result<u32> {
        let word = u32::from(self.u16()?);
        if word & 0x8000 == 0 || !r.replacement() {
            return Ok(word);
        }
        Ok((word & 0x7fff) << 8 | u32::from(self.u8()?))
    }
    /// The re-release's numbers.
    pub(crate) fn number(&mut self) -> Result<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let byte = self.u8()?;
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte & 128 == 0 {
                return Ok(value);
            }
            if shift > 56 {
                return Err(String::from("a number without an end"));
            }
        }
    }
}
