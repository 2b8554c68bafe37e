//! What is personal in console commands.

use std::ops::Range;

use crate::{Fate, Role};

use super::role_of_key;
use crate::replay::info_string;

/// Shows what is personal in console commands, changes what `show` changes, and returns whether that was anything. Every other byte
/// stays as it is.
///
/// That is the word behind a personal key ([`role_of_key`]) of the same command: `setinfo password x`, `set cl_guid "x"`,
/// `rcon_password x`; and the pairs of info strings, as [`info_string::rewrite`] shows them, those of
/// the keys `names` as names: `cmd userinfo "\\ip\\x"`. A word that is dropped becomes `***`. Commands end with their line, and with a
/// semicolon outside of quotation marks; a word in quotation marks is searched as commands, too (`alias a "set password x"`).
///
/// Addresses and identifiers anywhere else are [`find`](super::find())'s.
///
/// ```
/// use fragreel_model::{Fate, Role};
/// use fragreel_model::replay::personal::rewrite_commands;
///
/// let mut text = b"echo hi; setinfo password \"my own\"\ncmd userinfo \"\\name\\ann\\ip\\x\"\n".to_vec();
/// let mut show = |role, _: &mut Vec<u8>| if role == Role::Name { Fate::Keep } else { Fate::Drop };
/// assert!(rewrite_commands(&mut text, &[b"name"], &mut show));
/// assert_eq!(text, b"echo hi; setinfo password \"***\"\ncmd userinfo \"\\name\\ann\"\n");
/// assert!(!rewrite_commands(&mut b"bind x \"+attack; wait\"".to_vec(), &[], &mut show));
/// ```
pub fn rewrite_commands(text: &mut Vec<u8>, names: &[&[u8]], show: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(range) = info_string::inside(&text[from..]).map(|range| from + range.start..from + range.end) {
        let mut info = text[range.clone()].to_vec();
        from = range.end;
        if info_string::rewrite(&mut info, names, show) {
            pieces.push((range, info));
        }
    }
    let infos_changed = put(text, pieces);
    let mut values = Vec::new();
    values_of_commands(text, 0..text.len(), &mut values);
    let mut pieces = Vec::new();
    for (role, range) in values {
        let mut value = text[range.clone()].to_vec();
        if show(role, &mut value) == Fate::Drop {
            value = info_string::BLANK.to_vec();
        }
        if value != text[range.clone()] {
            // these would end the value
            let is_quoted = range.start > 0 && text[range.start - 1] == b'"';
            let ends = |byte: u8| matches!(byte, 0 | b'"' | b'\n' | b'\r' | b';') || (!is_quoted && byte <= b' ');
            value.iter_mut().filter(|byte| ends(**byte)).for_each(|byte| *byte = b'*');
            pieces.push((range, value));
        }
    }
    put(text, pieces) || infos_changed
}

/// Puts pieces in the place of others, which come in order. Returns whether there are any.
fn put(text: &mut Vec<u8>, pieces: Vec<(Range<usize>, Vec<u8>)>) -> bool {
    let old = if pieces.is_empty() { return false } else { std::mem::take(text) };
    let mut from = 0;
    for (range, piece) in pieces {
        text.extend_from_slice(&old[from..range.start]);
        text.extend_from_slice(&piece);
        from = range.end;
    }
    text.extend_from_slice(&old[from..]);
    true
}

/// The words behind personal keys in commands, in order. Quotation marks are no part of a word.
fn values_of_commands(text: &[u8], within: Range<usize>, values: &mut Vec<(Role, Range<usize>)>) {
    let is_end = |byte: u8| matches!(byte, b'\n' | b'\r' | 0);
    let (mut at, mut role) = (within.start, None);
    while at < within.end {
        let rest = &text[at..within.end];
        if is_end(rest[0]) || rest[0] == b';' {
            role = None;
            at += 1;
            continue;
        }
        if rest[0] <= b' ' {
            at += 1;
            continue;
        }
        let quoted = rest[0] == b'"';
        let from = at + usize::from(quoted);
        let ends = |&byte: &u8| is_end(byte) || byte == b'"' || (!quoted && (byte <= b' ' || byte == b';'));
        let end = text[from..within.end].iter().position(ends).map_or(within.end, |length| from + length);
        at = end + usize::from(quoted && text.get(end) == Some(&b'"'));
        let word = &text[from..end];
        if let Some(role) = role.take() {
            if !word.is_empty() {
                values.push((role, from..end));
            }
            continue;
        }
        role = role_of_key(word);
        if quoted {
            // an info string is none
            let commands = word.iter().position(|&byte| byte == b'\\').map_or(end, |length| from + length);
            values_of_commands(text, from..commands, values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_personal_keys_go_out_of_commands_and_nothing_else_does() {
        for (line, expected) in [
            ("setinfo password X", "setinfo password ***"),
            ("set CL_GUID X u; wait", "set CL_GUID *** u; wait"),
            ("rcon_password X", "rcon_password ***"),
            ("cmd userinfo \"\\password\\X\\rate\\1\"", "cmd userinfo \"\\rate\\1\""),
            ("echo hi; setinfo password X;bf\n", "echo hi; setinfo password ***;bf\n"),
            ("set password \"X Y;Z\" s", "set password \"***\" s"),
            ("\"setinfo\" \"password\" \"X\"", "\"setinfo\" \"password\" \"***\""),
            ("set password \"\"; X", "set password \"\"; X"),
            ("password\nX", "password\nX"),
            ("bind x \"wait; rcon_password X\"\n", "bind x \"wait; rcon_password ***\"\n"),
            ("cs 1 \"\\a\\1\"\ncs 2 \"\\ip\\X\\b\\2\"; password X", "cs 1 \"\\a\\1\"\ncs 2 \"\\b\\2\"; password ***"),
            ("cmd userinfo \\a\\1; set token X", "cmd userinfo \\a\\1; set token ***"),
            ("password \"X", "password \"***"),
            ("precache 3\n", "precache 3\n"),
            ("", ""),
        ] {
            let mut text = line.as_bytes().to_vec();
            let changed =
                rewrite_commands(&mut text, &[], &mut |role, _| if role == Role::Identifier || role == Role::Address { Fate::Drop } else { Fate::Keep });
            assert_eq!((String::from_utf8_lossy(&text).as_ref(), changed), (expected, line != expected), "{line}");
            let mut same = line.as_bytes().to_vec();
            assert!(!rewrite_commands(&mut same, &[], &mut |_, _| Fate::Keep) && same == line.as_bytes(), "{line}");
        }
        let mut text = b"password X".to_vec();
        rewrite_commands(&mut text, &[], &mut |_, value| {
            *value = b"a\";b\nc".to_vec();
            Fate::Keep
        });
        assert_eq!(text, b"password a**b*c");
    }
}
