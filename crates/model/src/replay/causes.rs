//! Causes of damage that show in the whole file.

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
    // one pass, because audits of damaged recordings ask this for each
    let (mut feeds, mut returns, mut pairs, mut first, mut before) = (0_usize, 0_usize, 0_usize, None, 0);
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'\n' {
            feeds += 1;
            pairs += usize::from(before == b'\r');
            first = first.or(Some(at));
        }
        returns += usize::from(byte == b'\r');
        before = byte;
    }
    let first = first?;
    let detail = if feeds >= LINE_FEEDS && returns >= feeds && pairs == feeds {
        format!("all {feeds} line feeds follow a carriage return: a transfer in text mode inserted them")
    } else if returns == 0 && feeds >= LINE_FEEDS && bytes.len() >= BYTES {
        format!("no carriage return among {} bytes: a transfer in text mode removed them", bytes.len())
    } else {
        let expected = feeds.saturating_mul(returns) / bytes.len();
        if expected < PAIRS || pairs * LEFT > expected {
            return None;
        }
        format!("a carriage return precedes {pairs} of {feeds} line feeds: a transfer in text mode removed the others")
    };
    Some(Damage { offset: first as u64, bit: None, path: String::from("recording"), kind: DamageKind::Framing, detail, skipped: None })
}

/// The number of zeros in a row that recordings do not have.
const ZEROS: usize = 256;

/// Names zeros as the cause of findings that they explain: those where bytes were passed over that hold a long run of zeros.
pub fn name_zeros(bytes: &[u8], damage: &mut [Damage]) {
    for one in damage {
        let Some(passed) = one.skipped else { continue };
        let (from, to) = (passed.from as usize, (passed.to as usize).min(bytes.len()));
        let Some(window) = bytes.get(from..to) else { continue };
        let Some((start, run)) = longest_run(window).filter(|(_, run)| *run >= ZEROS) else { continue };
        let place = from + start;
        if bytes[place + run..].iter().all(|byte| *byte == 0) {
            let rest = bytes.len() - place;
            one.detail.push_str(&format!("; zero from {place} to the end, {rest} bytes: an unfinished download or copy"));
        } else {
            one.detail.push_str(&format!("; {run} zeros from {place} on: a part of the file was never written, or was lost"));
        }
    }
}

/// Where the longest run of zeros begins, and how long it is.
fn longest_run(bytes: &[u8]) -> Option<(usize, usize)> {
    let (mut best, mut begun) = (None, None);
    for (at, &byte) in bytes.iter().chain([&1]).enumerate() {
        match (byte, begun) {
            (0, None) => begun = Some(at),
            (0, Some(_)) | (_, None) => {}
            (_, Some(start)) => {
                best = best.max(Some((at - start, start)));
                begun = None;
            }
        }
    }
    best.map(|(run, start)| (start, run))
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
            name_zeros(bytes, &mut damage);
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
