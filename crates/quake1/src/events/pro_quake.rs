//! ProQuake's messages about teams and the match, in stuffed text that begins with the byte 1 (`docs/formats/quake1.md`, "ProQuake").

use std::borrow::Cow;

use crate::walk::match_clock::MATCH_RESET;

/// The byte that such a text begins with.
const MARK: u8 = 1;
/// What is added to numbers, so that no byte is 0.
const BIAS: u8 = 16;

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// The score of a team.
    Score(Cow<'static, str>, i32),
    /// A match begins: scores are those of nobody.
    Reset,
}

/// Reads a stuffed text.
pub(super) fn read(text: &[u8]) -> Option<Said> {
    match *text {
        [MARK, 4, team, a, b, c, d, ..] => {
            let score = (byte(a, b)? << 8 | byte(c, d)?) as u16;
            Some(Said::Score(name(team.checked_sub(BIAS)?)?, i32::from(score.cast_signed())))
        }
        _ => text.starts_with(MATCH_RESET).then_some(Said::Reset),
    }
}

/// A byte in two characters.
fn byte(high: u8, low: u8) -> Option<u32> {
    let value = u32::from(high) * 16 + u32::from(low);
    value.checked_sub(272).filter(|value| *value < 256)
}

/// The team of a color of trousers. Red and blue have the names that they have elsewhere.
fn name(color: u8) -> Option<Cow<'static, str>> {
    match color {
        4 => Some(Cow::Borrowed("red")),
        13 => Some(Cow::Borrowed("blue")),
        0..=13 => Some(Cow::Owned(format!("color {color}"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte as servers write it.
    fn written(value: u8) -> [u8; 2] {
        [(value >> 4) + 16, (value & 15) + 16]
    }

    #[test]
    fn scores_of_teams_and_resets_are_read() {
        let score = |team: u8, score: i16| {
            let [high, low] = score.to_be_bytes();
            [&[MARK, 4, team + 16][..], &written(high), &written(low)].concat()
        };
        assert_eq!(read(&score(4, 12)), Some(Said::Score("red".into(), 12)));
        assert_eq!(read(&score(13, -3)), Some(Said::Score("blue".into(), -3)));
        assert_eq!(read(&score(2, 300)), Some(Said::Score("color 2".into(), 300)));
        assert_eq!(read(b"\x01\x06"), Some(Said::Reset));
        for text in [&b"\x01\x04"[..], b"\x01\x04\x1f\x10\x10\x10\x10", b"\x01\x05\x11\x11\x11\x11", b"bf\n", b"", b"\x01\x04\x14\xff\xff\xff\xff"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
