//! Recordings that `fragreel pack` packed: byte for byte, at a fraction of their size.
//!
//! [`Demo`](crate::Demo) reads them as it reads gzip. [`pack`](fn@pack) and [`unpack`] make and undo them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = include_bytes!("../../../samples/quake3/dm_bots.dm_71");
//! let packed = fragreel::packing::pack(bytes, "dm_bots.dm_71");
//! assert!(packed.len() < bytes.len() / 2);
//! let demo = fragreel::Demo::new(packed, "whatever.frp")?;
//! assert_eq!((demo.bytes(), demo.is_compressed()), (&bytes[..], true));
//! # Ok(())
//! # }
//! ```

use fragreel_base::wire::{Error, Limits};

pub use fragreel_pack::{Head, Unpacked, archive, head, is_packed, pack, unpack};

/// What names of packed recordings end in.
pub const EXTENSION: &str = "frp";

/// What names of archives of them end in.
pub const ARCHIVE_EXTENSION: &str = "frpa";

/// How much is unpacked to know a recording by.
const BEGINNING: usize = 1 << 14;

/// The first bytes of the recording that begins to be packed here.
pub(crate) fn beginning(packed: &[u8]) -> Vec<u8> {
    fragreel_pack::beginning(packed, BEGINNING)
}

/// Unpacks a recording that is read in place.
pub(crate) fn unpack_within(packed: &[u8], limits: &Limits) -> Result<Unpacked, Error> {
    let limits = fragreel_pack::Limits { bytes: limits.recording_bytes, ..fragreel_pack::Limits::default() };
    unpack(packed, &limits).map_err(|error| match error {
        fragreel_pack::Error::TooLarge(_) => Error::limit(error.to_string()),
        fragreel_pack::Error::Version(_) | fragreel_pack::Error::Method => Error::unsupported(error.to_string()),
        _ => Error::malformed(error.to_string()),
    })
}

/// The limits that trust a file: any amount may come out.
pub fn any_amount() -> fragreel_pack::Limits {
    fragreel_pack::Limits { bytes: u64::MAX, free: u64::MAX, ratio: u64::MAX }
}
