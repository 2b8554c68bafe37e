//! Downloads (`docs/formats/quake1.md`, "Messages").

use crate::dialect::{Dialect, pext1};
use crate::message::body::Body;
use crate::message::primitive::{Text, Value};
use fragreel_base::wire::Wire;

/// A part of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Download {
    /// The chunk's number with chunked downloads (-1 for an announcement), else the part's length; negative: none.
    pub number: i32,
    /// Per cent done.
    pub percent: u8,
    /// The file's length or why there is none.
    pub size: u32,
    /// A length of 64 bits, where the 32-bit one says so.
    pub long_size: [u32; 2],
    /// The file's name, or where it is.
    pub name: Text,
    /// The name asked for, when it is elsewhere.
    pub asked: Text,
    /// The contents.
    pub data: Vec<u8>,
}

impl Download {
    pub(crate) const CHUNK: usize = 1024;
    pub(crate) const LONG: u32 = 0x8000_0000;
    pub(crate) const NAMED: i32 = -2;
    pub(crate) const ELSEWHERE: i32 = -3;

    fn chunked<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.number.code(w, "chunk", d)?;
        if self.number != -1 {
            w.enter("data");
            return w.octets(&mut self.data, Self::CHUNK);
        }
        self.size.code(w, "size", d)?;
        if self.size == Self::LONG {
            self.long_size.code(w, "long_size", d)?;
        }
        self.name.code(w, "name", d)
    }
}

impl Body for Download {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        if W::READING {
            *self = Download::default();
        }
        if d.has1(pext1::CHUNKEDDOWNLOADS) {
            return self.chunked(w, d);
        }
        self.number = w.signed("size", self.number, 16)?;
        self.percent.code(w, "percent", d)?;
        match self.number {
            Self::NAMED => self.name.code(w, "name", d),
            Self::ELSEWHERE => {
                self.name.code(w, "name", d)?;
                self.asked.code(w, "asked", d)
            }
            length @ 1.. => {
                w.enter("data");
                w.octets(&mut self.data, length as usize)
            }
            _ => Ok(()),
        }
    }
}
