//! Nails in flight (`docs/formats/quake1.md`, "Messages").

use crate::dialect::Dialect;
use crate::message::body::Body;
use fragreel_base::wire::Wire;

/// Many nails at once, in six bytes each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nails {
    /// x, y, z in 12 bits each (doubled, less 4096), pitch in 4, yaw in 8.
    pub nails: Vec<[u8; 6]>,
}

impl Body for Nails {
    fn code<W: Wire>(&mut self, w: &mut W, _: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.nails.len() as u32, 8)?;
        code_chunks(w, &mut self.nails, count)
    }
}

/// Many nails at once, each with a number, in seven bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nails2 {
    /// A number, then as in [`Nails`].
    pub nails: Vec<[u8; 7]>,
}

impl Body for Nails2 {
    fn code<W: Wire>(&mut self, w: &mut W, _: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.nails.len() as u32, 8)?;
        code_chunks(w, &mut self.nails, count)
    }
}

fn code_chunks<W: Wire, const N: usize>(w: &mut W, chunks: &mut Vec<[u8; N]>, count: u32) -> Result<(), W::Error> {
    if W::READING {
        chunks.clear();
        chunks.resize(count as usize, [0; N]);
    }
    for chunk in chunks {
        w.enter("nail");
        for byte in chunk {
            *byte = w.bits(u32::from(*byte), 8)? as u8;
        }
    }
    Ok(())
}
