//! Info strings: `\key\value\key\value`, with or without the first backslash.

use std::ops::Range;

use crate::{Fate, Role};

use crate::replay::personal;

/// A key and its value in an info string, and where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The value; empty when the string ends with the key.
    pub value: &'a [u8],
    /// Where the key begins.
    pub key_at: usize,
    /// Where the value begins.
    pub value_at: usize,
}

/// The pairs of an info string in order. A string that ends with a key gives it with an empty value, which stands at the end.
///
/// ```
/// let info = b"\\name\\ann\\team\\red";
/// let keys: Vec<&[u8]> = fragreel_model::replay::info_string::pairs(info).map(|pair| pair.key).collect();
/// assert_eq!(keys, [b"name", b"team"]);
/// ```
pub fn pairs(info: &[u8]) -> impl Iterator<Item = Pair<'_>> {
    let mut at = usize::from(info.first() == Some(&b'\\'));
    let part = move |from: usize| info[from..].iter().position(|&byte| byte == b'\\').map_or(info.len(), |length| from + length);
    std::iter::from_fn(move || {
        let rest = info.get(at..)?;
        if rest.is_empty() {
            return None;
        }
        let key_at = at;
        let key_end = part(key_at);
        let value_at = (key_end + 1).min(info.len());
        let value_end = part(value_at);
        at = value_end + 1;
        Some(Pair { key: &info[key_at..key_end], value: &info[value_at..value_end], key_at, value_at })
    })
}

/// The value of a key, spelt exactly so, as Quake, Quake II and Half-Life look it up.
///
/// ```
/// assert_eq!(fragreel_model::replay::info_string::get(b"\\name\\ann\\team\\red", b"team"), Some(&b"red"[..]));
/// ```
pub fn get<'a>(info: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    pairs(info).find(|pair| pair.key == key).map(|pair| pair.value)
}

/// More bytes than any engine takes as one info string.
const LONGEST: usize = 8192;

/// The string with one key changed, or taken out by an empty value; `None` where key or value cannot stand in one, or where it would be
/// longer than any engine takes. A new key goes to the end.
///
/// ```
/// use fragreel_model::replay::info_string::set;
///
/// assert_eq!(set(b"\\a\\1\\b\\2", b"a", b"3").unwrap(), b"\\a\\3\\b\\2");
/// assert_eq!(set(b"\\a\\1\\b\\2", b"a", b"").unwrap(), b"\\b\\2");
/// assert_eq!(set(b"", b"a", b"back\\slash"), None);
/// ```
pub fn set(info: &[u8], key: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let speakable = |text: &[u8]| !text.iter().any(|byte| matches!(byte, b'\\' | b'"' | 0));
    if key.is_empty() || !speakable(key) || !speakable(value) || info.len() + key.len() + value.len() > LONGEST {
        return None;
    }
    let mut out = Vec::with_capacity(info.len() + key.len() + value.len() + 2);
    let mut found = false;
    for pair in pairs(info) {
        let value = if pair.key == key { value } else { pair.value };
        found |= pair.key == key;
        if pair.key != key || !value.is_empty() {
            out.extend([b"\\", pair.key, b"\\", value].concat());
        }
    }
    if !found && !value.is_empty() {
        out.extend([b"\\", key, b"\\", value].concat());
    }
    Some(out)
}

/// Where an info string stands inside a command: `fullserverinfo "\a\1"`, `cs 5 "\b\2"`. It ends where its quotation marks or its
/// line do.
///
/// ```
/// assert_eq!(fragreel_model::replay::info_string::inside(b"fui 3 \"\\name\\ann\"\n"), Some(7..16));
/// assert_eq!(fragreel_model::replay::info_string::inside(b"bf"), None);
/// ```
pub fn inside(command: &[u8]) -> Option<Range<usize>> {
    let from = command.iter().position(|&byte| byte == b'\\')?;
    let length = command[from..].iter().position(|byte| matches!(byte, b'"' | b'\n' | b'\r' | 0)).unwrap_or(command.len() - from);
    Some(from..from + length)
}

/// What stands in place of a personal piece of a longer value.
pub const BLANK: &[u8] = b"***";

/// Shows the values of an info string in their roles, changes what `show` changes, and returns whether that was anything. Every
/// other byte stays as it is.
///
/// Values of the keys `own` are shown in the roles given there, those of other personal keys in theirs ([`personal::role_of_key`]),
/// others as strings; but a value that looks like an address or an identifier is shown as that, whatever its key. Settings
/// (`*version`, `mapname`) and plain numbers are not shown as strings: they say nothing of anybody. A pair whose address or
/// identifier is dropped goes, key and all; any other dropped value becomes empty. Addresses and identifiers in keys, and in text that is no info
/// string at all, are shown, too, and keep their length.
///
/// ```
/// use fragreel_model::{Fate, Role};
///
/// let mut info = b"\\name\\ann\\IP\\10.0.0.7\\note\\call me at 10.0.0.8".to_vec();
/// let changed = fragreel_model::replay::info_string::rewrite(&mut info, &[(b"name", Role::Name)], &mut |role, text| {
///     text.make_ascii_uppercase();
///     if role == Role::Address { Fate::Drop } else { Fate::Keep }
/// });
/// assert!(changed);
/// assert_eq!(info, b"\\name\\ANN\\note\\CALL ME AT ***");
/// ```
pub fn rewrite(info: &mut Vec<u8>, own: personal::OwnKeys<'_>, show: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> bool {
    let mut out: Vec<u8> = Vec::with_capacity(info.len());
    let mut copied = 0;
    let mut changed = false;
    for pair in pairs(info) {
        let end = pair.value_at + pair.value.len();
        let role = own.iter().find(|(key, _)| pair.key.eq_ignore_ascii_case(key)).map(|(_, role)| *role).or_else(|| personal::role_of_key(pair.key));
        let (mut value, mut fate) = (pair.value.to_vec(), Fate::Keep);
        match role {
            Some(role) if !value.is_empty() => fate = show(role, &mut value),
            Some(_) => {}
            None => {
                fate = show_found(&mut value, show);
                let says_nothing =
                    pair.key.starts_with(b"*") || personal::is_setting(pair.key) || value.iter().all(|byte| byte.is_ascii_digit() || b".-".contains(byte));
                if fate == Fate::Keep && !says_nothing && show(Role::String, &mut value) == Fate::Drop {
                    value.clear();
                }
            }
        }
        if fate == Fate::Drop && matches!(role, None | Some(Role::Address | Role::Identifier)) {
            // with the backslash in front of the key, or, of the first key, the one behind the value, unless it would be an empty key's
            let lead = pair.key_at.saturating_sub(1).max(copied);
            out.extend_from_slice(&info[copied..lead]);
            let leads = pair.key_at == 0 && info.get(end + 1) != Some(&b'\\');
            copied = if leads { (end + 1).min(info.len()) } else { end };
            changed = true;
            continue;
        }
        if fate == Fate::Drop {
            value.clear();
        }
        let mut key = pair.key.to_vec();
        personal::in_place(&mut key, show);
        if key != pair.key {
            out.extend_from_slice(&info[copied..pair.key_at]);
            out.extend_from_slice(&key);
            copied = pair.key_at + key.len();
            changed = true;
        }
        if value != pair.value {
            // these would end the value; without them it could say something else
            value.iter_mut().for_each(|byte| match byte {
                0 => *byte = b'*',
                b'"' => *byte = b'\'',
                b'\\' => *byte = b'/',
                _ => {}
            });
            out.extend_from_slice(&info[copied..pair.value_at]);
            out.extend_from_slice(&value);
            copied = end;
            changed = true;
        }
    }
    if changed {
        out.extend_from_slice(&info[copied..]);
        *info = out;
    }
    changed
}

/// Shows what is personal inside a value of no personal key. [`Fate::Drop`] when that is the whole value and goes.
fn show_found(value: &mut Vec<u8>, show: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> Fate {
    for found in personal::find(value).into_iter().rev() {
        let whole = found.range.len() == value.len();
        let mut piece = value[found.range.clone()].to_vec();
        match show(found.role, &mut piece) {
            Fate::Drop if whole => return Fate::Drop,
            Fate::Drop => drop(value.splice(found.range, BLANK.iter().copied())),
            Fate::Keep => drop(value.splice(found.range, piece)),
        }
    }
    Fate::Keep
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drops what is personal, leaves the rest.
    fn scrubbed(info: &[u8], names: personal::OwnKeys<'_>) -> Vec<u8> {
        let mut info = info.to_vec();
        rewrite(&mut info, names, &mut |role, _| if matches!(role, Role::Address | Role::Identifier | Role::Name) { Fate::Drop } else { Fate::Keep });
        info
    }

    #[test]
    fn keys_are_searched_too() {
        for (info, expected) in [("me@example.org", "**************"), ("\\a\\1\\10.0.0.7\\x", "\\a\\1\\********\\x")] {
            assert_eq!(scrubbed(info.as_bytes(), &[]), expected.as_bytes());
        }
    }

    #[test]
    fn nothing_personal_stays_and_nothing_else_goes() {
        for (info, expected) in [
            (&b"\\ip\\1.2.3.4\\a\\1"[..], &b"\\a\\1"[..]),
            (b"\\a\\1\\STEAMID\\76561197960287930", b"\\a\\1"),
            (b"ip\\1.2.3.4\\a\\1", b"a\\1"),
            (b"n\\ann\\t\\1\\ip\\1.2.3.4", b"n\\ann\\t\\1"),
            (b"ip\\1.2.3.4\\\\x\\a\\1", b"\\\\x\\a\\1"),
            (b"\\cl_guid\\0123\\ip\\x\\b\\2", b"\\b\\2"),
            (b"\\whatever\\STEAM_0:1:234\\b\\2", b"\\b\\2"),
            (b"\\note\\mail me@example.org now", b"\\note\\mail *** now"),
            (b"\\name\\ann", b"\\name\\"),
            (b"\\a\\1\\", b"\\a\\1\\"),
            (b"\\a\\1\\b", b"\\a\\1\\b"),
            (b"\\\\x\\b\\2", b"\\\\x\\b\\2"),
            (b"no info at all", b"no info at all"),
            (b"", b""),
        ] {
            assert_eq!(scrubbed(info, &[(b"name", Role::Name)]), expected, "{}", String::from_utf8_lossy(info));
        }
    }

    #[test]
    fn a_hook_that_changes_nothing_leaves_every_byte() {
        let info = b"\\a\"\\1\"\\\\odd\\ip\\\\name\\x\\last";
        let mut same = info.to_vec();
        assert!(!rewrite(&mut same, &[(b"name", Role::Name)], &mut |_, _| Fate::Keep));
        assert_eq!(same, info);
    }

    #[test]
    fn a_change_puts_nothing_together() {
        assert_eq!(scrubbed(b"\\a\\10.0\".0.7 of me@example.org", &[]), b"\\a\\10.0'.0.7 of ***");
    }

    #[test]
    fn what_would_end_a_value_cannot_get_into_it() {
        let mut info = b"\\name\\ann\\b\\2".to_vec();
        rewrite(&mut info, &[(b"name", Role::Name)], &mut |role, text| {
            if role == Role::Name {
                *text = b"a\\b\"\0c".to_vec();
            }
            Fate::Keep
        });
        assert_eq!(info, b"\\name\\a/b'*c\\b\\2");
    }

    #[test]
    fn values_are_found_where_they_stand() {
        let info = b"\\a\\1\\b";
        let found: Vec<_> = pairs(info).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].key_at, found[0].value_at, found[1].value_at), (1, 3, info.len()));
        assert_eq!((get(info, b"A"), get(info, b"a")), (None, Some(&b"1"[..])));
        assert_eq!((pairs(b"").count(), pairs(b"\\").count()), (0, 0));
    }
}
