//! What is personal in bytes that nobody reads: what is damaged, what stands behind an end, files on their way to a client.
//!
//! The one rule of all families: such bytes are searched as they stand and as far as they can be decoded, what is personal in them is replaced at
//! its place and in its length, and bytes that cannot be searched, as they are packed and do not unpack, are left out.

use crate::{Fate, Role};

use crate::replay::personal;

/// A key and a value, or an address, have at least this number of characters.
pub const SHORTEST: usize = 7;

/// Shows what is personal in bytes whose length must stay: addresses and identifiers anywhere, and in text the words behind personal
/// keys of commands and the values of such keys in info strings. What becomes of one has its length: a shorter one is filled up
/// with `*`. Returns whether anything changed.
///
/// ```
/// use fragreel_model::{Fate, Role};
/// use fragreel_model::replay::undecoded::in_place;
///
/// let mut bytes = b"\x7f\x80set rcon_password abc\n\0\xff\\ip\\x\\rate\\1\0 10.0.0.7".to_vec();
/// assert!(in_place(&mut bytes, &mut |_, _| Fate::Drop));
/// assert_eq!(bytes, b"\x7f\x80set rcon_password ***\n\0\xff\\ip\\*\\rate\\1\0 ********");
/// ```
pub fn in_place(bytes: &mut [u8], hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    let mut changed = false;
    let mut show = |role: Role, value: &mut Vec<u8>| {
        if !matches!(role, Role::Address | Role::Identifier) {
            return Fate::Keep;
        }
        let old = value.clone();
        if hook(role, value) == Fate::Drop {
            value.clear();
        }
        if *value != old {
            // what would end a value would change its length
            value.iter_mut().filter(|byte| matches!(byte, 0..b' ' | b'"' | b';' | b'\\')).for_each(|byte| *byte = b'*');
            value.resize(old.len(), b'*');
            changed |= *value != old;
        }
        Fate::Keep
    };
    for text in bytes.split_mut(|byte| !is_text(*byte)).filter(|text| text.len() >= SHORTEST) {
        let mut new = text.to_vec();
        if personal::rewrite_commands(&mut new, &[], &mut show) {
            new.resize(text.len(), b'*');
            text.copy_from_slice(&new);
        }
    }
    personal::in_place(bytes, &mut show);
    changed
}

/// Whether bytes that cannot be searched are removed: when addresses or identifiers are. They are shown as what
/// they may hold, and go when that is not left as it is.
pub fn goes(bytes: &[u8], hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    [Role::Address, Role::Identifier].into_iter().any(|role| {
        let mut text = bytes.to_vec();
        hook(role, &mut text) == Fate::Drop || text != bytes
    })
}

/// Whether a byte is part of a line of text.
pub const fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let changed = in_place(&mut bytes, &mut |_, _| Fate::Drop);
        assert_eq!((bytes.len(), changed), (text.len(), bytes != text.as_bytes()));
        String::from_utf8(bytes).expect("it was text")
    }

    #[test]
    fn what_is_personal_goes_and_the_length_stays() {
        for (text, expected) in [
            ("\x0bset password \"two words\"; wait\n", "\x0bset password \"*********\"; wait\n"),
            ("a\x01\x02rcon_password x\x03", "a\x01\x02rcon_password *\x03"),
            ("cmd userinfo \"\\name\\ann\\cl_guid\\abc\"", "cmd userinfo \"\\name\\ann\\cl_guid\\***\""),
            ("\\note\\at 10.0.0.7 now", "\\note\\at ******** now"),
            ("me@example.org\x0776561197960287930", "**************\x07*****************"),
            ("password\nabc", "password\nabc"),
            ("bind x \"+attack; wait\"", "bind x \"+attack; wait\""),
            ("", ""),
        ] {
            assert_eq!(dropped(text), expected, "{text}");
        }
    }

    #[test]
    fn what_takes_the_place_keeps_the_length_too() {
        let mut bytes = b"set password abcdef; wait 10.0.0.7".to_vec();
        in_place(&mut bytes, &mut |_, text| {
            *text = b"a;\n".to_vec();
            Fate::Keep
        });
        assert_eq!(bytes, b"set password a*****; wait a*******");
    }

    #[test]
    fn who_keeps_everything_keeps_every_byte() {
        let text = b"set password abc \\ip\\x\\a\\1 10.0.0.7 me@example.org";
        let mut bytes = text.to_vec();
        assert!(!in_place(&mut bytes, &mut |_, _| Fate::Keep) && bytes == text);
        assert!(!goes(text, &mut |_, _| Fate::Keep));
        assert!(goes(text, &mut |role, _| if role == Role::Identifier { Fate::Drop } else { Fate::Keep }));
    }
}
