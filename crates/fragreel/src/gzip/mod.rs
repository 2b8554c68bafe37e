//! Gzip around a recording. A file that is cut or corrupt gives everything up to there, and a finding.

mod members;

use std::io::{ErrorKind, Read, copy, sink};

use flate2::bufread::GzDecoder;
use fragreel_base::wire::{Error, Limits};
use fragreel_model::{Damage, DamageKind};

use members::TooMuch;
pub use members::Unpacked;
pub(crate) use members::is_gzip;

/// How much [`head`] unpacks at most.
const HEAD: u64 = 1 << 20;

/// The bytes of a recording, packed with gzip as engines read it. The same bytes are always packed the same way.
///
/// ```
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let packed = fragreel::edit::packed(bytes);
/// let recording = fragreel::Recording::open(packed, "dm_bots.dm_71.gz")?;
/// assert_eq!((&recording.bytes()[..], recording.is_compressed()), (bytes, true));
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "edit")]
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    use flate2::Compression;
    use flate2::bufread::GzEncoder;
    let mut packed = Vec::new();
    // Reading from memory does not fail.
    let _ = GzEncoder::new(bytes, Compression::best()).read_to_end(&mut packed);
    packed
}

/// The first bytes of what is packed: enough to know a recording by; fewer when the packed bytes end before.
pub(crate) fn head(packed: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    // Damage shows when the whole is unpacked.
    let _ = GzDecoder::new(packed).take(HEAD).read_to_end(&mut head);
    head
}

/// Unpacks all members of a gzip file, and says what was wrong with the packing.
pub(crate) fn unpack(packed: &[u8], limits: &Limits) -> Result<(Vec<u8>, Vec<Damage>), Error> {
    let mut bytes = Vec::new();
    let mut members = Unpacked::new(packed, limits);
    let read = members.read_to_end(&mut bytes);
    let at = |bytes: &Vec<u8>| bytes.len() as u64;
    let damage = match read {
        Ok(_) => members.trailing().map(|(from, length)| trailing(from, length, at(&bytes))),
        Err(error) => {
            if let Some(too_much) = error.get_ref().and_then(|inner| inner.downcast_ref::<TooMuch>()) {
                return Err(Error::limit(too_much.to_string()));
            }
            let (packed_from, unpacked_from) = members.member;
            byte_by_byte(&packed[packed_from as usize..], unpacked_from as usize, &mut bytes, limits);
            Some(broken(&error, at(&bytes)))
        }
    };
    Ok((bytes, damage.into_iter().collect()))
}

/// The decoder may drop what it unpacked in the call that failed: asked for one byte at a time, it gives them all.
#[cold]
fn byte_by_byte(packed: &[u8], before: usize, bytes: &mut Vec<u8>, limits: &Limits) {
    let mut decoder = GzDecoder::new(packed);
    let known = (bytes.len() - before) as u64;
    if copy(&mut decoder.by_ref().take(known), &mut sink()).is_err() {
        return;
    }
    let mut byte = [0];
    while (bytes.len() as u64) < limits.recording_bytes && matches!(decoder.read(&mut byte), Ok(1)) {
        bytes.push(byte[0]);
    }
}

fn broken(error: &std::io::Error, at: u64) -> Damage {
    let (kind, detail) = match error.kind() {
        ErrorKind::UnexpectedEof => (DamageKind::Truncated, String::from("the compressed file ends early")),
        _ => (DamageKind::Framing, format!("the compressed file is corrupt: {error}")),
    };
    Damage { offset: at, bit: None, path: String::from("gzip"), kind, detail, skipped: None }
}

fn trailing(packed_at: u64, length: u64, at: u64) -> Damage {
    let detail = format!("{length} bytes that are not gzip follow the compressed data, from byte {packed_at} of the compressed file");
    Damage { offset: at, bit: None, path: String::from("gzip"), kind: DamageKind::TrailingData, detail, skipped: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that hardly compress, so that cuts fall everywhere.
    fn noise(length: usize) -> Vec<u8> {
        let mut random = fragreel_testkit::Random::new(1);
        std::iter::repeat_with(|| random.below(17) as u8).take(length).collect()
    }

    #[test]
    fn members_follow_each_other_and_padding_is_no_damage() {
        let packed = [pack(b"first "), pack(b"second"), vec![0; 300]].concat();
        assert_eq!(unpack(&packed, &Limits::default()).unwrap(), (b"first second".to_vec(), vec![]));
        assert_eq!(head(&pack(b"first ")), b"first ");
    }

    #[test]
    fn cut_anywhere_it_gives_a_prefix_and_a_finding() {
        let whole = noise(5000);
        let packed = pack(&whole);
        let mut last = 0;
        for cut in 3..packed.len() {
            let (bytes, damage) = unpack(&packed[..cut], &Limits::default()).unwrap();
            assert!(whole.starts_with(&bytes) && bytes.len() >= last, "cut at {cut}");
            assert_eq!((damage.len(), damage[0].kind, damage[0].offset), (1, DamageKind::Truncated, bytes.len() as u64), "cut at {cut}");
            last = bytes.len();
        }
        assert!(last > 4900, "only {last} bytes came out of all but the last");
    }

    #[test]
    fn a_wrong_checksum_or_a_tail_is_told_and_loses_nothing() {
        let whole = noise(5000);
        let mut packed = pack(&whole);
        let crc = packed.len() - 8;
        packed[crc] ^= 1;
        let (bytes, damage) = unpack(&packed, &Limits::default()).unwrap();
        assert_eq!((bytes == whole, damage[0].kind), (true, DamageKind::Framing));
        packed[crc] ^= 1;
        packed.extend_from_slice(b"tail");
        let (bytes, damage) = unpack(&packed, &Limits::default()).unwrap();
        assert_eq!((bytes == whole, damage[0].kind), (true, DamageKind::TrailingData));
    }

    #[test]
    fn a_bomb_is_refused_not_unpacked() {
        // Twice what is free of the ratio, in a thousandth of that.
        let bomb = pack(&vec![0; 128 << 20]);
        assert_eq!(unpack(&bomb, &Limits::default()).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Limit);
        let mut limits = Limits::default();
        limits.recording_bytes = 10_000;
        assert!(unpack(&pack(&vec![0; 10_000]), &limits).is_ok());
        assert_eq!(unpack(&pack(&vec![0; 10_001]), &limits).unwrap_err().kind(), fragreel_base::wire::ErrorKind::Limit);
    }
}
