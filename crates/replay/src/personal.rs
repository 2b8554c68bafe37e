//! What identifies a person: the keys of info strings that hold it, and how it looks inside any text.
//!
//! This is the one list. A key that is missing here is missing for every game.

use std::net::Ipv6Addr;
use std::ops::Range;

use model::{Fate, Role};

/// Keys whose values are network addresses, in lower case and without the `*` of keys that only the engine sets.
const ADDRESSES: &[&str] = &[
    "addr",
    "address",
    "clientip",
    "host_ip",
    "hostip",
    "ip",
    "ip6",
    "ipaddress",
    "ipv4",
    "ipv6",
    "net_address",
    "net_ip",
    "net_ip6",
    "proxy",
    "prx",
    "qtvaddress",
    "real_ip",
    "realip",
    "remote_ip",
    "remoteip",
    "sv_address",
    "sv_ip",
];

/// Keys whose values identify one person or are secret, in lower case and without a leading `*`.
const IDENTIFIERS: &[&str] = &[
    "account",
    "accountid",
    "auth",
    "authc",
    "authid",
    "authkey",
    "authl",
    "cd_key",
    "cdkey",
    "cl_cdkey",
    "cl_guid",
    "cl_uid",
    "clienthash",
    "e-mail",
    "email",
    "etproguid",
    "fid",
    "gid",
    "guid",
    "hardwareid",
    "hwid",
    "hwp",
    "keyhash",
    "login",
    "mail",
    "passwd",
    "password",
    "pbguid",
    "pb_guid",
    "pid",
    "rcon_password",
    "sid",
    "sil_guid",
    "st",
    "steam",
    "steam_id",
    "steamid",
    "steamid64",
    "sv_guid",
    "token",
    "uid",
    "uuid",
    "xuid",
];

/// Keys that are identifiers only when the engine set them: without the `*` they are other things.
const ENGINE_IDENTIFIERS: &[&str] = &["id"];

/// What the value of an info string's key is, in any case of letters; `None` for keys that are not personal. A person's name is
/// not found here, because which key has it depends on whose string it is.
///
/// ```
/// use model::Role;
/// use replay::personal::role_of_key;
///
/// assert_eq!(role_of_key(b"IP"), Some(Role::Address));
/// assert_eq!(role_of_key(b"*SteamID"), Some(Role::Identifier));
/// assert_eq!(role_of_key(b"model"), None);
/// ```
pub fn role_of_key(key: &[u8]) -> Option<Role> {
    let bare = key.strip_prefix(b"*").unwrap_or(key);
    let among = |list: &[&str]| list.iter().any(|known| bare.eq_ignore_ascii_case(known.as_bytes()));
    if among(ADDRESSES) {
        return Some(Role::Address);
    }
    (among(IDENTIFIERS) || (bare.len() < key.len() && among(ENGINE_IDENTIFIERS))).then_some(Role::Identifier)
}

/// A piece of text that identifies somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where it stands.
    pub range: Range<usize>,
    /// [`Role::Address`] or [`Role::Identifier`].
    pub role: Role,
}

/// Finds network addresses (with their port), GUIDs, Steam ids, e-mail addresses and other numbers of persons inside a text, in
/// order and without overlap.
///
/// ```
/// use replay::personal::find;
///
/// let line = b"Paul (10.0.0.7:27500) connected, STEAM_0:1:2345, paul@example.org";
/// let found: Vec<&[u8]> = find(line).into_iter().map(|found| &line[found.range]).collect();
/// assert_eq!(found, [&b"10.0.0.7:27500"[..], b"STEAM_0:1:2345", b"paul@example.org"]);
/// assert!(find(b"version 0.1.0.288, 1.32b, at 12:34:56").is_empty());
/// ```
pub fn find(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut word = Vec::new();
    for run in runs(text, 0..text.len(), u8::MAX) {
        for (of, role, is) in KINDS {
            for run in runs(text, run.clone(), of) {
                found.extend(whole_word(text, run, &mut word, is).map(|range| Found { range, role }));
            }
        }
    }
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut end = 0;
    found.retain(|found| {
        let is_new = found.range.start >= end;
        end = end.max(found.range.end);
        is_new
    });
    found
}

/// Shows addresses and identifiers in bytes whose length must stay: file names that other messages refer to by number, fields of a
/// fixed size. What becomes of one has its length: a shorter one is filled up with `*`.
///
/// ```
/// use model::{Fate, Role};
/// use replay::personal::in_place;
///
/// let mut name = b"models/10.0.0.7.mdl me@example.org".to_vec();
/// in_place(&mut name, &mut |role, _| if role == Role::Identifier { Fate::Drop } else { Fate::Keep });
/// assert_eq!(name, b"models/10.0.0.7.mdl **************");
/// ```
pub fn in_place(bytes: &mut [u8], hook: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) {
    for found in find(bytes) {
        let old = &mut bytes[found.range];
        let mut new = old.to_vec();
        if hook(found.role, &mut new) == Fate::Drop {
            new.clear();
        }
        if new != old {
            new.resize(old.len(), b'*');
            old.copy_from_slice(&new);
        }
    }
}

/// The shortest thing that is found is `1.1.1.1`.
const SHORTEST: usize = 7;

const MAIL: u8 = 1;
const ADDRESS: u8 = 2;
const ADDRESS6: u8 = 4;
const IDENTIFIER: u8 = 8;

/// Whether a word is what is looked for.
type Is = fn(&[u8]) -> bool;

/// What is looked for: of which characters, what it says, and how it is told from other words of these.
const KINDS: [(u8, Role, Is); 4] = [
    (MAIL, Role::Identifier, is_mail),
    (ADDRESS, Role::Address, is_address),
    (ADDRESS6, Role::Address, is_address6),
    (IDENTIFIER, Role::Identifier, is_identifier),
];

/// What each character can be part of. Asking a table, and only of stretches that are long enough, takes a twelfth of the time
/// that four searches of every word took.
const PARTS: [u8; 256] = {
    let mut parts = [0; 256];
    let mut c = 0;
    while c < 256 {
        let read = letter(c as u8);
        if read.is_ascii_alphanumeric() || matches!(read, b'.' | b'_' | b'%' | b'+' | b'-' | b'@') {
            parts[c] |= MAIL;
        }
        if read.is_ascii_digit() || matches!(read, b'.' | b':') {
            parts[c] |= ADDRESS;
        }
        if read.is_ascii_hexdigit() || matches!(read, b':' | b'[' | b']' | b'.' | b'%') {
            parts[c] |= ADDRESS6;
        }
        if read.is_ascii_alphanumeric() || matches!(read, b'_' | b':' | b'-') {
            parts[c] |= IDENTIFIER;
        }
        c += 1;
    }
    parts
};

/// The stretches of `within` that could be something: whose characters are all part of one of these, and that are long enough.
fn runs(text: &[u8], within: Range<usize>, of: u8) -> impl Iterator<Item = Range<usize>> {
    let mut from = within.start;
    text[within].split(move |&c| PARTS[usize::from(c)] & of == 0).filter_map(move |run| {
        let range = from..from + run.len();
        from = range.end + 1;
        (run.len() >= SHORTEST).then_some(range)
    })
}

/// Where the word of a stretch is, if `is` holds of it. Punctuation that ends a sentence is no part of a word.
fn whole_word(text: &[u8], run: Range<usize>, word: &mut Vec<u8>, is: Is) -> Option<Range<usize>> {
    word.clear();
    word.extend(text[run.clone()].iter().copied().map(letter));
    let end = word.iter().rposition(|c| !b".:-_".contains(c)).map_or(0, |last| last + 1);
    word.truncate(end);
    let begin = word.iter().position(|c| !b".:-_".contains(c) || word.starts_with(b"::")).unwrap_or(0);
    (word.len() - begin >= SHORTEST && is(&word[begin..])).then(|| run.start + begin..run.start + end)
}

/// A character as it reads: the first Quake has its digits and letters in a second colour.
const fn letter(c: u8) -> u8 {
    match c {
        0x12..=0x1b => c - 0x12 + b'0',
        0x92..=0x9b => c - 0x92 + b'0',
        0xa1..=0xfe => c & 0x7f,
        _ => c,
    }
}

/// Four numbers up to 255, the first not 0, and perhaps a port. Versions are like that too, but begin with a 0 or have fewer
/// parts.
fn is_address(word: &[u8]) -> bool {
    let (host, port) = match word.iter().position(|&c| c == b':') {
        Some(colon) => (&word[..colon], Some(&word[colon + 1..])),
        None => (word, None),
    };
    let mut numbers = host.split(|&c| c == b'.').map(number::<u8>);
    let host_is = numbers.next().flatten().is_some_and(|first| first > 0) && (0..3).all(|_| numbers.next().flatten().is_some()) && numbers.next().is_none();
    host_is && port.is_none_or(|port| number::<u16>(port).is_some())
}

/// An address of version 6, in brackets with a port or without.
fn is_address6(word: &[u8]) -> bool {
    let Ok(word) = std::str::from_utf8(word) else { return false };
    let host = match word.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => word,
    };
    let host = host.split('%').next().unwrap_or_default();
    // `face::dead` is no address that anybody has
    host.split(':').filter(|group| !group.is_empty()).count() >= 3 && host.parse::<Ipv6Addr>().is_ok()
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// `somebody@example.org`.
fn is_mail(word: &[u8]) -> bool {
    let Some(at) = word.iter().position(|&c| c == b'@') else { return false };
    let (user, domain) = (&word[..at], &word[at + 1..]);
    let Some(dot) = domain.iter().rposition(|&c| c == b'.') else { return false };
    let top = &domain[dot + 1..];
    !user.is_empty() && dot > 0 && !domain.contains(&b'@') && top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic)
}

/// 32 hexadecimal digits or more, with or without the dashes of a UUID; `STEAM_0:1:234`; `U:1:234`; a Steam number of 17 digits.
fn is_identifier(word: &[u8]) -> bool {
    let prefixed = |prefix: &[u8]| word.len() > prefix.len() && word[..prefix.len()].eq_ignore_ascii_case(prefix);
    if ["STEAM_", "VALVE_", "HLTV_"].iter().any(|kind| prefixed(kind.as_bytes())) && word.contains(&b':') {
        return true;
    }
    if prefixed(b"U:1:") {
        return word[4..].iter().all(u8::is_ascii_digit);
    }
    if word.len() == 17 && word.starts_with(b"7656119") {
        return word.iter().all(u8::is_ascii_digit);
    }
    let is_uuid = word.len() == 36 && [8, 13, 18, 23].iter().all(|&at| word[at] == b'-');
    let digits = word.iter().filter(|c| c.is_ascii_hexdigit()).count();
    digits >= 32 && digits + if is_uuid { 4 } else { 0 } == word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn persons_are_found_and_versions_are_not() {
        for (line, expected) in [
            ("Paul (10.0.0.7:27500) connected", &["10.0.0.7:27500"][..]),
            ("from 192.168.1.2: hi", &["192.168.1.2"]),
            ("version 0.1.0.288, 1.32b, 8.20, 1.2.3, 300.1.1.1", &[]),
            ("guid 0123456789abcdef0123456789ABCDEF.", &["0123456789abcdef0123456789ABCDEF"]),
            ("<STEAM_0:1:2345><> steam_1:0:7", &["STEAM_0:1:2345", "steam_1:0:7"]),
            ("STEAM_ID_PENDING at 12:34", &[]),
            ("[U:1:22202] 76561197960287930 76561197960287930123", &["U:1:22202", "76561197960287930"]),
            ("[2001:db8::7]:27960 face::dead 12:34:56", &["[2001:db8::7]:27960"]),
            ("123e4567-e89b-12d3-a456-426614174000", &["123e4567-e89b-12d3-a456-426614174000"]),
            ("me@example.org, a@b, @x.yz", &["me@example.org"]),
            ("", &[]),
        ] {
            let found: Vec<&str> = find(line.as_bytes()).into_iter().map(|found| &line[found.range]).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn coloured_digits_are_digits() {
        let line: Vec<u8> = b"10.0.0.7".iter().map(|c| c | 0x80).collect();
        assert_eq!(find(&line), [Found { range: 0..8, role: Role::Address }]);
    }

    #[test]
    fn keys_are_personal_in_any_case_and_for_every_game() {
        for key in ["ip", "IP", "*ip", "Address", "sv_address", "*realip"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Address), "{key}");
        }
        for key in ["cl_guid", "CL_GUID", "*auth", "*sid", "clientHash", "STEAMID", "hwid", "*id", "authl", "*fid"] {
            assert_eq!(role_of_key(key.as_bytes()), Some(Role::Identifier), "{key}");
        }
        for key in ["id", "name", "model", "rate", "", "*"] {
            assert_eq!(role_of_key(key.as_bytes()), None, "{key}");
        }
        assert!([ADDRESSES, IDENTIFIERS].iter().all(|list| list.iter().all(|key| key.to_ascii_lowercase() == **key)));
    }
}
