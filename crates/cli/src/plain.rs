//! Whether a text needs no escaping, looked at in words of eight bytes: most texts are names of ten letters.

/// Each byte of a word.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Bytes that a format escapes: those below a limit, and some others.
pub struct Escaped<const N: usize> {
    below: u64,
    bytes: [u64; N],
}

impl<const N: usize> Escaped<N> {
    /// Those below `limit`, which is at most 128, and `bytes`, which are ASCII.
    pub const fn new(limit: u8, bytes: [u8; N]) -> Self {
        let mut words = [0; N];
        let mut at = 0;
        while at < N {
            words[at] = each(bytes[at]);
            at += 1;
        }
        Escaped { below: each(limit), bytes: words }
    }

    /// Whether a text has none of them. It may have none where this is false, too.
    #[inline]
    pub fn are_absent(&self, text: &[u8]) -> bool {
        if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            let ends = self.may_be_in(u64::from_le_bytes(*first)) | self.may_be_in(u64::from_le_bytes(*last));
            let between = text.as_chunks::<8>().0.get(1..).unwrap_or_default();
            return between.iter().fold(ends, |found, word| found | self.may_be_in(u64::from_le_bytes(*word))) == 0;
        }
        if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            return self.may_be_in(u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))) == 0;
        }
        match *text {
            [] => true,
            [a] => self.may_be_in(each(a)) == 0,
            [a, b] => self.may_be_in(u64::from_le_bytes([a, b, a, b, a, b, a, b])) == 0,
            [a, b, c, ..] => self.may_be_in(u64::from_le_bytes([a, b, c, a, b, c, a, b])) == 0,
        }
    }

    /// The highest bit of a byte is set that is below the limit or one of the others, and perhaps of bytes above such a one.
    #[inline(always)]
    fn may_be_in(&self, word: u64) -> u64 {
        let below = word.wrapping_sub(self.below) & !word;
        let found = self.bytes.iter().fold(below, |found, byte| {
            let zero = word ^ byte;
            found | zero.wrapping_sub(each(1)) & !zero
        });
        found & each(0x80)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_escaped_is_found_anywhere() {
        let escaped = Escaped::new(0x20, *b"\"\\");
        for length in 0..30 {
            for at in 0..length {
                for byte in 0..=255u8 {
                    let mut text = vec![b'x'; length];
                    text[at] = byte;
                    let expected = byte >= 0x20 && byte != b'"' && byte != b'\\';
                    assert_eq!(escaped.are_absent(&text), expected, "{byte} at {at} of {length}");
                }
            }
            assert!(escaped.are_absent("é日".repeat(length).as_bytes()));
        }
    }

    #[test]
    fn a_limit_of_none_finds_the_others_alone() {
        let escaped = Escaped::new(0, *b",\"\n\r");
        assert!(escaped.are_absent(b"\t a long name \x01") && escaped.are_absent(b""));
        for text in ["a,", "\"", "a long name\n", "\ra long name"] {
            assert!(!escaped.are_absent(text.as_bytes()), "{text:?}");
        }
    }
}
