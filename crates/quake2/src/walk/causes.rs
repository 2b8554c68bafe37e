//! Causes of damage that show in the whole file.

use fragreel_model::{Damage, DamageKind};

/// The number of line feeds, or of bytes, from which on chance explains nothing.
const LINE_FEEDS: usize = 24;
const BYTES: usize = 16_384;

/// The finding that a transfer in text mode changed a damaged file: it puts a carriage return in front of every line feed, or takes
/// carriage returns out.
pub(crate) fn text_mode(bytes: &[u8]) -> Option<Damage> {
    let feeds = bytes.iter().filter(|&&byte| byte == b'\n').count();
    let returns = bytes.iter().filter(|&&byte| byte == b'\r').count();
    let first = bytes.iter().position(|&byte| byte == b'\n')?;
    let after_returns = || bytes.windows(2).filter(|pair| *pair == b"\r\n").count() == feeds;
    let detail = if feeds >= LINE_FEEDS && returns >= feeds && after_returns() {
        format!("all {feeds} line feeds follow a carriage return: a transfer in text mode put them in")
    } else if returns == 0 && feeds >= LINE_FEEDS && bytes.len() >= BYTES {
        format!("no carriage return among {} bytes: a transfer in text mode took them out", bytes.len())
    } else {
        return None;
    };
    Some(Damage { offset: first as u64, bit: None, path: String::from("recording"), kind: DamageKind::Framing, detail, skipped: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_in_text_mode_are_named() {
        let bytes: Vec<u8> = (0..40_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(text_mode(&bytes), None);
        let put_in: Vec<u8> = bytes.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
        assert!(text_mode(&put_in).unwrap().detail.contains("put them in"));
        let taken: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != b'\r').collect();
        assert!(text_mode(&taken).unwrap().detail.contains("took them out"));
    }
}
