//! Causes of damage that show in the whole file.

use std::ops::Range;

use super::{Chunks, Whole, show_range};
use crate::{Damage, DamageKind};

/// The number of line feeds, or of bytes, from which on chance explains nothing.
const LINE_FEEDS: usize = 24;
const BYTES: usize = 16_384;
/// Where chance alone makes this many pairs of a carriage return and a line feed, too few pairs have a cause.
const PAIRS: usize = 100;
/// A transfer in text mode leaves at most one pair of this many: a pair stays where two carriage returns preceded the line feed.
const LEFT: usize = 16;

/// The finding that a transfer in text mode changed a damaged file: it puts a carriage return in front of every line feed, or takes
/// carriage returns out.
pub fn text_mode(bytes: &[u8]) -> Option<Damage> {
    let Ok(found) = text_mode_in(&mut Whole(bytes));
    found
}

/// The same for a file that comes in chunks.
pub fn text_mode_in<C: Chunks>(chunks: &mut C) -> Result<Option<Damage>, C::Error> {
    // one pass, because audits of damaged recordings ask this for each
    let (mut length, mut feeds, mut returns, mut pairs, mut first, mut before) = (0_usize, 0_usize, 0_usize, 0_usize, None, 0);
    show_range(chunks, 0..usize::MAX, |from, bytes| {
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'\n' {
                feeds += 1;
                pairs += usize::from(before == b'\r');
                first = first.or(Some(from + at));
            }
            returns += usize::from(byte == b'\r');
            before = byte;
        }
        length = from + bytes.len();
        true
    })?;
    let Some(first) = first else { return Ok(None) };
    let detail = if feeds >= LINE_FEEDS && returns >= feeds && pairs == feeds {
        format!("all {feeds} line feeds follow a carriage return: a transfer in text mode inserted them")
    } else if returns == 0 && feeds >= LINE_FEEDS && length >= BYTES {
        format!("no carriage return among {length} bytes: a transfer in text mode removed them")
    } else {
        let expected = feeds.saturating_mul(returns) / length;
        if expected < PAIRS || pairs * LEFT > expected {
            return Ok(None);
        }
        format!("a carriage return precedes {pairs} of {feeds} line feeds: a transfer in text mode removed the others")
    };
    Ok(Some(Damage { offset: first as u64, bit: None, path: String::from("recording"), kind: DamageKind::Framing, detail, skipped: None }))
}

/// The number of zeros in a row that recordings do not have.
const ZEROS: usize = 256;

/// Names zeros as the cause of findings that they explain: those where bytes were passed over that hold a long run of zeros. `length` is that of the file.
pub fn name_zeros<C: Chunks>(chunks: &mut C, length: usize, damage: &mut [Damage]) -> Result<(), C::Error> {
    for one in damage {
        let Some(passed) = one.skipped else { continue };
        let (from, to) = (passed.from as usize, (passed.to as usize).min(length));
        let Some((place, run)) = longest_run(chunks, from..to)?.filter(|(_, run)| *run >= ZEROS) else { continue };
        let mut is_zero = true;
        show_range(chunks, place + run..length, |_, bytes| {
            is_zero = bytes.iter().all(|byte| *byte == 0);
            is_zero
        })?;
        if is_zero {
            let rest = length - place;
            one.detail.push_str(&format!("; zero from {place} to the end, {rest} bytes: an unfinished download or copy"));
        } else {
            one.detail.push_str(&format!("; {run} zeros from {place} on: a part of the file was never written, or was lost"));
        }
    }
    Ok(())
}

/// Where the longest run of zeros in a range begins, and how long it is.
fn longest_run<C: Chunks>(chunks: &mut C, range: Range<usize>) -> Result<Option<(usize, usize)>, C::Error> {
    let (mut best, mut begun, end) = (None, None, range.end);
    show_range(chunks, range, |from, bytes| {
        for (at, &byte) in bytes.iter().enumerate() {
            match (byte, begun) {
                (0, None) => begun = Some(from + at),
                (0, Some(_)) | (_, None) => {}
                (_, Some(start)) => {
                    best = best.max(Some((from + at - start, start)));
                    begun = None;
                }
            }
        }
        true
    })?;
    best = best.max(begun.map(|start| (end - start, start)));
    Ok(best.map(|(run, start)| (start, run)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;

    #[test]
    fn zeros_are_named() {
        let name = |bytes: &[u8], from: u64, to: u64| {
            let mut damage = [Damage { offset: from, bit: None, path: String::new(), kind: DamageKind::Framing, detail: String::from("x"), skipped: None }];
            damage[0].skipped = Some(Extent { from, to });
            let Ok(()) = name_zeros(&mut Whole(bytes), bytes.len(), &mut damage);
            damage[0].detail.clone()
        };
        let mut bytes = vec![7; 4096];
        assert_eq!(name(&bytes, 1000, 4096), "x");
        bytes[2048..2560].fill(0);
        assert_eq!(name(&bytes, 1000, 3000), "x; 512 zeros from 2048 on: a part of the file was never written, or was lost");
        bytes[2048..].fill(0);
        assert_eq!(name(&bytes, 1000, 4096), "x; zero from 2048 to the end, 2048 bytes: an unfinished download or copy");
        assert_eq!(name(&bytes, 5000, 9000), "x", "beyond the end");
    }

    #[test]
    fn transfers_in_text_mode_are_named() {
        let bytes: Vec<u8> = (0..40_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(text_mode(&bytes), None);
        let put_in: Vec<u8> = bytes.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
        assert!(text_mode(&put_in).unwrap().detail.contains("inserted them"));
        let taken: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\r').collect();
        assert!(text_mode(&taken).unwrap().detail.contains("removed them"));
        // of pairs alone, in enough bytes
        let mut random = 1u32;
        let noise = std::iter::repeat_with(|| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8 & 0x1f
        });
        let noise: Vec<u8> = noise.take(200_000).collect();
        assert_eq!(text_mode(&noise), None);
        let mut paired = noise.clone();
        paired.retain({
            let mut at = 0;
            move |&byte| {
                at += 1;
                byte != b'\r' || noise.get(at) != Some(&b'\n')
            }
        });
        assert!(text_mode(&paired).unwrap().detail.contains("removed the others"));
    }
}
