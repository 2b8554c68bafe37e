//! The header at the start of the file (`docs/formats/goldsrc.md`, "Header").

use fragreel_base::wire::{Error, ReadBits, Wire, WriteBits};

use crate::dialect::Dialect;
use crate::scalars::before_nul;

/// What every recording starts with; the engine compares the first six bytes.
pub const MAGIC: &[u8; 6] = b"HLDEMO";

/// The header with all its bytes, including the garbage behind the strings' NULs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// `HLDEMO` and two bytes of padding.
    pub magic: Vec<u8>,
    /// The container's version.
    pub demo_protocol: i32,
    /// The version of the messages.
    pub network_protocol: i32,
    /// The map, a field of fixed length.
    pub map: Vec<u8>,
    /// The game directory, a field of fixed length.
    pub game: Vec<u8>,
    /// Checksum of the map; 0 in HLTV recordings.
    pub map_crc: u32,
    /// Where the directory is; 0 when the recording was not ended properly.
    pub directory_offset: i32,
}

impl Header {
    /// The magic bytes with their usual padding.
    pub(crate) const MAGIC_BYTES: [u8; 8] = *b"HLDEMO\0\0";

    /// Reads the header and the dialect that it names.
    pub fn read(bytes: &[u8]) -> Result<(Header, Dialect), Error> {
        if !bytes.starts_with(MAGIC) {
            return Err(Error::malformed("the file does not start with HLDEMO").at_offset(0));
        }
        let number = |at: usize| {
            let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
            field.map(|four| i32::from_le_bytes(*four)).ok_or_else(|| Error::malformed("the file ends inside its header").at_offset(bytes.len() as u64))
        };
        let (demo_protocol, network_protocol) = (number(8)?, number(12)?);
        let dialect = Dialect::new(demo_protocol, network_protocol)
            .ok_or_else(|| Error::unsupported(format!("demo protocol {demo_protocol} is neither 4 nor 5")).at_offset(8))?;
        let mut header = Header::default();
        header.code(&mut ReadBits::new(bytes), &dialect).map_err(|error| error.inside("header", None).in_message_at(0))?;
        Ok((header, dialect))
    }

    /// The map's name.
    pub fn map_name(&self) -> &[u8] {
        before_nul(&self.map)
    }

    /// The game directory's name.
    pub(crate) fn game_name(&self) -> &[u8] {
        before_nul(&self.game)
    }

    /// The header's bytes.
    pub fn bytes(&self, dialect: &Dialect) -> Vec<u8> {
        let mut writer = WriteBits::default();
        let Ok(()) = self.clone().code(&mut writer, dialect);
        writer.finish()
    }

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, dialect: &Dialect) -> Result<(), W::Error> {
        w.enter("magic");
        w.octets(&mut self.magic, 8)?;
        w.note(|| format!("{:?}", String::from_utf8_lossy(before_nul(&self.magic))));
        self.demo_protocol = w.signed("demo_protocol", self.demo_protocol, 32)?;
        self.network_protocol = w.signed("network_protocol", self.network_protocol, 32)?;
        w.enter("map");
        w.octets(&mut self.map, dialect.header_string)?;
        w.note(|| format!("{:?}", String::from_utf8_lossy(before_nul(&self.map))));
        w.enter("game");
        w.octets(&mut self.game, dialect.header_string)?;
        w.note(|| format!("{:?}", String::from_utf8_lossy(before_nul(&self.game))));
        self.map_crc = w.field("map_crc", self.map_crc, 32)?;
        self.directory_offset = w.signed("directory_offset", self.directory_offset, 32)?;
        Ok(())
    }
}
