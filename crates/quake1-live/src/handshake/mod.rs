//! How two ends agree on extensions. Document: *Handshakes*.
//!
//! Both sides state masks by key; a server answers with what both have, and only what it echoes in its server data counts.

pub mod netquake;
pub mod quakeworld;

use fragreel_quake1::unstable::message::Extension;

/// Extension masks by key. Unknown keys are ignored, as the specification demands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// `FTEX`.
    pub fte1: u32,
    /// `FTE2`.
    pub fte2: u32,
    /// `MVD1`.
    pub mvd1: u32,
}

impl Extensions {
    /// Nothing but the plain protocol.
    pub const NONE: Extensions = Extensions { fte1: 0, fte2: 0, mvd1: 0 };

    /// Everything in QuakeWorld that this crate reads wholly: the first word without what changes the transport, the
    /// second as far as FTE's own default goes.
    pub const QUAKEWORLD: Extensions = Extensions { fte1: 0x0148_f008, fte2: 0x0000_007c, mvd1: 0x0000_0001 };

    /// What a recorder in NetQuake asks for: replacement deltas, predinfo, and solids in their newer sizes.
    pub const NETQUAKE: Extensions = Extensions { fte1: 0, fte2: 0x68, mvd1: 0 };

    /// The pairs in the order in which engines state them, those of empty masks left out.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        [(Extension::FTE1, self.fte1), (Extension::FTE2, self.fte2), (Extension::MVD1, self.mvd1)].into_iter().filter(|pair| pair.1 != 0)
    }

    /// Takes a pair. Says whether the key is known.
    pub fn set(&mut self, key: u32, mask: u32) -> bool {
        match key {
            Extension::FTE1 => self.fte1 = mask,
            Extension::FTE2 => self.fte2 = mask,
            Extension::MVD1 => self.mvd1 = mask,
            _ => return false,
        }
        true
    }

    /// What both sides have.
    #[must_use]
    pub fn intersect(&self, other: &Extensions) -> Extensions {
        Extensions { fte1: self.fte1 & other.fte1, fte2: self.fte2 & other.fte2, mvd1: self.mvd1 & other.mvd1 }
    }

    /// Whether everything that `required` has is here, too.
    pub fn includes(&self, required: &Extensions) -> bool {
        self.intersect(required) == *required
    }

    /// The arguments of a `pext` command: keys and masks in hexadecimal.
    pub fn pext(&self) -> String {
        let mut text = String::from("pext");
        for (key, mask) in self.pairs() {
            text.push_str(&format!(" {key:#x} {mask:#x}"));
        }
        text
    }

    /// Reads the arguments of a `pext` command. Keys come in any order; a value that is no number belongs to a key that
    /// nobody here knows.
    pub fn parse(words: &[Vec<u8>]) -> Extensions {
        let mut extensions = Extensions::NONE;
        for pair in words.chunks_exact(2) {
            if let (Some(key), Some(mask)) = (number(&pair[0]), number(&pair[1])) {
                extensions.set(key, mask);
            }
        }
        extensions
    }
}

/// A number as C reads it: decimal, or hexadecimal after `0x`.
pub(crate) fn number(word: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(word).ok()?;
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse::<i64>().ok().and_then(|value| u32::try_from(value).or_else(|_| i32::try_from(value).map(|value| value as u32)).ok()),
    }
}

pub(crate) use fragreel_live::status::words;

/// The commands of a text: split at line ends and at semicolons outside of quotes. What follows `//` is a comment for
/// other engines.
pub(crate) fn commands(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut quoted = false;
    text.split(move |&byte| {
        quoted ^= byte == b'"';
        if byte == b'\n' {
            quoted = false;
        }
        byte == b'\n' || (byte == b';' && !quoted)
    })
    .map(<[u8]>::trim_ascii)
    .filter(|command| !command.is_empty() && !command.starts_with(b"//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pext_is_read_in_any_order_with_unknown_keys() {
        let line = br#"pext 0x32455446 0x8 0x12345678 "a b c" 0x58455446 32768"#;
        let extensions = Extensions::parse(&words(line)[1..]);
        assert_eq!(extensions, Extensions { fte1: 0x8000, fte2: 8, mvd1: 0 });
        assert_eq!(extensions.pext(), "pext 0x58455446 0x8000 0x32455446 0x8");
        assert!(extensions.includes(&Extensions { fte2: 8, ..Extensions::NONE }));
        assert_eq!(number(b"-1"), Some(u32::MAX));
    }

    #[test]
    fn text_is_split_as_a_console_does() {
        let text = b"//paks 1\ncmd spawn 1; skins\nfullserverinfo \"\\a;b\\c\"\n";
        let got: Vec<&[u8]> = commands(text).collect();
        assert_eq!(got, [&b"cmd spawn 1"[..], b"skins", b"fullserverinfo \"\\a;b\\c\""]);
        assert_eq!(words(b"say \"a b\" c \""), [&b"say"[..], b"a b", b"c", b""]);
    }
}
