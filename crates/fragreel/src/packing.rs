//! Recordings that `fragreel pack` packed: byte for byte, at a fraction of their size.
//!
//! [`Recording::open`](crate::Recording::open) reads them as it reads gzip. [`pack`](fn@pack) and [`unpack`] make and undo them.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
//! let packed = fragreel::packing::pack(bytes, "dm_bots.dm_71");
//! assert!(packed.len() < bytes.len() / 2);
//! let recording = fragreel::Recording::open(packed, "whatever.frp")?;
//! assert_eq!((&recording.bytes()[..], recording.is_compressed()), (bytes, true));
//! # Ok(())
//! # }
//! ```

use fragreel_base::wire::{Error, Limits};
use fragreel_model::{Damage, DamageKind};
pub use fragreel_pack::{
    Error as PackError, Head, Limits as PackLimits, Method, Preset, Unpacked, archive, head, is_intact, is_packed, pack, pack_with, renamed, unpack, unpack_to,
};

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

/// Unpacks a recording that is read in place. Where the packed file is damaged, what comes before the damage is given, and a finding.
pub(crate) fn unpack_within(packed: &[u8], limits: &Limits) -> Result<(Unpacked, Option<Damage>), Error> {
    let limits = fragreel_pack::Limits { bytes: limits.recording_bytes, ..fragreel_pack::Limits::default() };
    let mut bytes = Vec::new();
    let unpacked = unpack_to(packed, &limits, &mut |block| {
        bytes.extend_from_slice(block);
        true
    });
    let error = match unpacked {
        Ok(head) => return Ok((Unpacked { head, bytes }, None)),
        Err(error) => error,
    };
    let kind = match error {
        fragreel_pack::Error::TooLarge(_) => return Err(Error::limit(error.to_string())),
        fragreel_pack::Error::Version(_) | fragreel_pack::Error::Method | fragreel_pack::Error::Family(_) => return Err(Error::unsupported(error.to_string())),
        fragreel_pack::Error::Truncated => DamageKind::Truncated,
        _ => DamageKind::Framing,
    };
    match head(packed) {
        Ok(head) if !bytes.is_empty() => {
            // where all came out and is not the original, any byte may be another
            let offset = if error == PackError::Hash { 0 } else { bytes.len() as u64 };
            let damage = Damage { offset, bit: None, path: String::from("pack"), kind, detail: error.to_string(), skipped: None };
            Ok((Unpacked { head, bytes }, Some(damage)))
        }
        _ => Err(Error::malformed(error.to_string())),
    }
}

/// The limits that trust a file: any amount may come out.
pub fn any_amount() -> fragreel_pack::Limits {
    fragreel_pack::Limits { bytes: u64::MAX, free: u64::MAX, ratio: u64::MAX }
}
