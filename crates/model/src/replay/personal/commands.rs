//! What is personal in console commands.

use std::ops::Range;

use crate::{Fate, Role};

use super::{OwnKeys, role_of_key};
use crate::replay::info_string;

/// Shows what is personal in console commands, changes what `show` changes, and returns whether that was anything. Every other byte
/// stays as it is.
///
/// That is the word behind a personal key ([`role_of_key`]) or one of the keys `own` of the same command: `setinfo password x`,
/// `set cl_guid "x"`, `rcon_password x`; the pairs of info strings, as [`info_string::rewrite`] shows them: `cmd userinfo "\\ip\\x"`;
/// and what commands take ([`taken`]): what somebody says (`say hello`, shown as `: hello`), a name, an address (`connect HOST`),
/// a file's name (`record x`). A personal word that is dropped becomes `***`, any other becomes empty, and with what was said its command goes.
/// Commands end with their line, and with a semicolon outside of quotation marks; a word in quotation marks is searched as commands,
/// too (`alias a "set password x"`).
///
/// Addresses and identifiers anywhere else are [`find`](super::find())'s.
///
/// ```
/// use fragreel_model::{Fate, Role};
/// use fragreel_model::replay::personal::rewrite_commands;
///
/// let mut text = b"echo hi; setinfo password \"my own\"\ncmd userinfo \"\\name\\ann\\ip\\x\"\nwait; say hello; screenshot ann-dm6".to_vec();
/// let mut show = |role, _: &mut Vec<u8>| if role == Role::Name { Fate::Keep } else { Fate::Drop };
/// assert!(rewrite_commands(&mut text, &[(b"name", Role::Name)], &mut show));
/// assert_eq!(text, b"echo hi; setinfo password \"***\"\ncmd userinfo \"\\name\\ann\"\nwait; ; screenshot ");
/// assert!(!rewrite_commands(&mut b"bind x \"+attack; wait\"".to_vec(), &[], &mut show));
/// ```
pub fn rewrite_commands(text: &mut Vec<u8>, own: OwnKeys<'_>, show: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(range) = info_string::inside(&text[from..]).map(|range| from + range.start..from + range.end) {
        let mut info = text[range.clone()].to_vec();
        from = range.end;
        if info_string::rewrite(&mut info, own, show) {
            pieces.push((range, info));
        }
    }
    let infos_changed = put(text, pieces);
    let mut values = Vec::new();
    values_of_commands(text, own, 0..text.len(), &mut values);
    let mut pieces = Vec::new();
    for Told { role, range, command } in values {
        let is_personal = matches!(role, Role::Address | Role::Identifier);
        // what was dropped before says nothing
        if is_personal && &text[range.clone()] == info_string::BLANK {
            continue;
        }
        let mut value = if role == Role::Chat { [SPEAKER, &text[range.clone()]].concat() } else { text[range.clone()].to_vec() };
        if show(role, &mut value) == Fate::Drop {
            value = if is_personal { info_string::BLANK.to_vec() } else { Vec::new() };
            if role == Role::Chat {
                // with the quotation mark that closes it
                let is_quoted = text[range.start - 1] == b'"' && text.get(range.end) == Some(&b'"');
                pieces.push((command..range.end + usize::from(is_quoted), value));
                continue;
            }
        }
        if role == Role::Chat {
            value = value.strip_prefix(SPEAKER).map(<[u8]>::to_vec).unwrap_or(value);
        }
        if value != text[range.clone()] {
            // these would end the value
            let is_quoted = range.start > 0 && text[range.start - 1] == b'"';
            let is_rest = !is_quoted && text[range.clone()].contains(&b' ');
            let ends = |byte: u8| matches!(byte, 0 | b'"' | b'\n' | b'\r' | b';') || (!is_quoted && !is_rest && role != Role::Chat && byte <= b' ');
            value.iter_mut().filter(|byte| ends(**byte)).for_each(|byte| *byte = b'*');
            pieces.push((range, value));
        }
    }
    put(text, pieces) || infos_changed
}

/// What stands in front of what a command says: a line of chat without a speaker.
const SPEAKER: &[u8] = b": ";

/// What a command takes, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// The next word.
    Word,
    /// The rest of the command, or the next word if that is in quotation marks.
    Rest,
}

/// What the commands of the engines and mods take that somebody typed. `is_first`: whether the word is the first of its command.
fn taken(word: &[u8], is_first: bool) -> Option<(Role, Extent)> {
    const SAID: &[&str] = &["say", "say_team", "say_spec", "say_rand", "sayteam", "tell_attacker", "tell_target", "vsay", "vsay_team", "vtell"];
    const HOSTS: &[&str] = &["connect", "connectbr", "connectqtv", "mvdconnect", "playqtv", "qtvplay"];
    const FILES: &[&str] = &["autorecord", "easyrecord", "mvdrecord", "record", "screenshot", "screenshotjpeg", "screenshotpng", "screenshottga"];
    // too short to mean this everywhere
    const FIRST_FILES: &[&str] = &["rec", "ss"];
    let among = |list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    // spoken by voice or written
    if among(SAID) || word.eq_ignore_ascii_case(&b"vtell"[1..]) {
        return Some((Role::Chat, Extent::Rest));
    }
    if among(HOSTS) {
        return Some((Role::Address, Extent::Word));
    }
    if among(FILES) || (is_first && among(FIRST_FILES)) {
        return Some((Role::FileName, Extent::Rest));
    }
    (is_first && among(&["name"])).then_some((Role::Name, Extent::Rest))
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

/// Something that a command takes.
struct Told {
    role: Role,
    /// Where it stands, without quotation marks.
    range: Range<usize>,
    /// Where the word begins that it belongs to.
    command: usize,
}

/// What commands take that is personal, in order.
fn values_of_commands(text: &[u8], own: OwnKeys<'_>, within: Range<usize>, values: &mut Vec<Told>) {
    let is_end = |byte: u8| matches!(byte, b'\n' | b'\r' | 0);
    let (mut at, mut next, mut is_first) = (within.start, None, true);
    while at < within.end {
        let rest = &text[at..within.end];
        if is_end(rest[0]) || rest[0] == b';' {
            (next, is_first) = (None, true);
            at += 1;
            continue;
        }
        if rest[0] <= b' ' {
            at += 1;
            continue;
        }
        let quoted = rest[0] == b'"';
        let from = at + usize::from(quoted);
        let until = |ends: &dyn Fn(u8) -> bool| text[from..within.end].iter().position(|&byte| ends(byte)).map_or(within.end, |length| from + length);
        if let Some((role, Extent::Rest, command)) = next.filter(|_| !quoted) {
            // a word in quotation marks may follow
            let end = until(&|byte| is_end(byte) || byte == b';');
            let end = from + text[from..end].trim_ascii_end().len();
            values.push(Told { role, range: from..end, command });
            (at, next) = (end, None);
            continue;
        }
        let end = until(&|byte| is_end(byte) || byte == b'"' || (!quoted && (byte <= b' ' || byte == b';')));
        at = end + usize::from(quoted && text.get(end) == Some(&b'"'));
        let word = &text[from..end];
        if let Some((role, _, command)) = next.take() {
            if !word.is_empty() {
                values.push(Told { role, range: from..end, command });
            }
            continue;
        }
        // shorter words mean other things, too
        let is_own = own.iter().find(|(key, _)| key.len() > 2 && word.eq_ignore_ascii_case(key)).map(|(_, role)| *role);
        next = match is_own {
            Some(Role::Chat) => Some((Role::Chat, Extent::Rest)),
            _ => taken(word, is_first).or_else(|| Some((is_own.or_else(|| role_of_key(word))?, Extent::Word))),
        }
        .map(|(role, extent)| (role, extent, from - usize::from(quoted)));
        is_first = false;
        if quoted {
            // an info string is none
            let commands = word.iter().position(|&byte| byte == b'\\').map_or(end, |length| from + length);
            values_of_commands(text, own, from..commands, values);
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
            ("connect home.example.org:27015", "connect ***"),
            ("precache 3\n", "precache 3\n"),
            ("", ""),
        ] {
            let mut text = line.as_bytes().to_vec();
            let changed =
                rewrite_commands(&mut text, &[], &mut |role, _| if role == Role::Identifier || role == Role::Address { Fate::Drop } else { Fate::Keep });
            assert_eq!((String::from_utf8_lossy(&text).as_ref(), changed), (expected, line != expected), "{line}");
            let mut again = text.clone();
            rewrite_commands(&mut again, &[], &mut |role, _| {
                assert!(!matches!(role, Role::Address | Role::Identifier), "{line}: what was dropped is shown again");
                Fate::Keep
            });
            let mut same = line.as_bytes().to_vec();
            assert!(!rewrite_commands(&mut same, &[], &mut |_, _| Fate::Keep) && same == line.as_bytes(), "{line}");
        }
        for (line, expected) in [
            ("say my own: word", ""),
            ("messagemode2 ;say_team \"my own\"; wait", "messagemode2 ;; wait"),
            ("bind x \"say hi; wait\"", "bind x \"; wait\""),
            ("name \"Ann B\"", "name \"\""),
            ("name Ann B\n", "name \n"),
            ("setinfo name Ann", "setinfo name "),
            ("rcmd screenshotJPEG \"a-vs-b\"\n", "rcmd screenshotJPEG \"\"\n"),
            ("rec a-vs-b (c)\n", "rec \n"),
            ("give rec 3", "give rec 3"),
            ("record", "record"),
            ("say", "say"),
            ("echo a", ""),
        ] {
            let mut text = line.as_bytes().to_vec();
            let own: OwnKeys<'_> = &[(b"name", Role::Name), (b"echo", Role::Chat)];
            rewrite_commands(&mut text, own, &mut |_, _| Fate::Drop);
            assert_eq!(String::from_utf8_lossy(&text), expected, "{line}");
            let mut same = line.as_bytes().to_vec();
            assert!(!rewrite_commands(&mut same, own, &mut |_, _| Fate::Keep) && same == line.as_bytes(), "{line}");
        }
        let mut said = b"say hi; wait".to_vec();
        rewrite_commands(&mut said, &[], &mut |_, line| {
            assert_eq!(line, b": hi");
            *line = b": (gone)".to_vec();
            Fate::Keep
        });
        assert_eq!(said, b"say (gone); wait");
        let mut text = b"password X".to_vec();
        rewrite_commands(&mut text, &[], &mut |_, value| {
            *value = b"a\";b\nc".to_vec();
            Fate::Keep
        });
        assert_eq!(text, b"password a**b*c");
    }
}
