//! How addresses and identifiers look.

use std::net::Ipv6Addr;
use std::ops::Range;

use crate::Role;

/// The shortest thing that is found is `1.1.1.1`.
pub(super) const SHORTEST: usize = 7;

const MAIL: u8 = 1;
const ADDRESS: u8 = 2;
const ADDRESS6: u8 = 4;
const IDENTIFIER: u8 = 8;
const NUMBER: u8 = 16;

/// Names the places in a word at which the thing stands that is looked for.
type Pattern = fn(&[u8], &mut dyn FnMut(Range<usize>));

/// What is looked for: its characters, its meaning, and where it is in words of these.
pub(super) const KINDS: [(u8, Role, Pattern); 5] = [
    (MAIL, Role::Identifier, mail),
    (ADDRESS, Role::Address, address),
    (ADDRESS6, Role::Address, address6),
    (IDENTIFIER, Role::Identifier, identifier),
    (NUMBER, Role::Identifier, steam_number),
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
        if read.is_ascii_digit() {
            parts[c] |= NUMBER;
        }
        c += 1;
    }
    parts
};

/// Whether a character is part of nothing that is looked for, and begins no color code.
pub(super) fn is_divider(c: u8) -> bool {
    PARTS[usize::from(c)] == 0 && c != b'^'
}

/// The stretches of `within` that could be something: whose characters are all part of one of these, and that are long enough.
pub(super) fn runs(text: &[u8], within: Range<usize>, of: u8) -> impl Iterator<Item = Range<usize>> {
    let mut from = within.start;
    text[within].split(move |&c| PARTS[usize::from(c)] & of == 0).filter_map(move |run| {
        let range = from..from + run.len();
        from = range.end + 1;
        (run.len() >= SHORTEST).then_some(range)
    })
}

/// A character as it reads: the first Quake has its digits and letters in a second color.
pub(super) const fn letter(c: u8) -> u8 {
    match c {
        0x12..=0x1b => c - 0x12 + b'0',
        0x92..=0x9b => c - 0x92 + b'0',
        0xa1..=0xfe => c & 0x7f,
        _ => c,
    }
}

/// `somebody@example.org`, with all that stands against it.
fn mail(word: &[u8], place: &mut dyn FnMut(Range<usize>)) {
    let all = trimmed(word, b".:-_");
    let word = &word[all.clone()];
    let is_domain = |domain: &[u8]| domain.windows(3).skip(1).any(|part| part[0] == b'.' && part[1].is_ascii_alphabetic() && part[2].is_ascii_alphabetic());
    if (1..word.len()).any(|at| word[at] == b'@' && word[at - 1] != b'@' && is_domain(&word[at + 1..])) {
        place(all);
    }
}

/// Four numbers up to 255, the first not 0, and perhaps a port, among what colons separate. Versions are like that too, but begin
/// with a 0 or have fewer parts.
fn address(word: &[u8], place: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    let mut parts = word.split(|&c| c == b':').peekable();
    while let Some(part) = parts.next() {
        let host = trimmed(part, b".");
        if is_host(&part[host.clone()]) {
            let port = parts.peek().filter(|port| host.end == part.len() && number::<u16>(port).is_some());
            place(from + host.start..from + host.end + port.map_or(0, |port| port.len() + 1));
        }
        from += part.len() + 1;
    }
}

fn is_host(word: &[u8]) -> bool {
    let mut numbers = word.split(|&c| c == b'.').map(number::<u8>);
    numbers.next().flatten().is_some_and(|first| first > 0) && (0..3).all(|_| numbers.next().flatten().is_some()) && numbers.next().is_none()
}

/// An address of version 6, in brackets with a port or without; six pairs of digits, as network cards have them.
fn address6(word: &[u8], place: &mut dyn FnMut(Range<usize>)) {
    let mut from = 0;
    for part in word.split(|&c| matches!(c, b'[' | b']')) {
        let to = from + part.len();
        let inner = if part.starts_with(b"::") { 0..trimmed(part, b".:").end } else { trimmed(part, b".:") };
        if is_address6(&part[inner.clone()]) {
            let (open, closed) = (from > 0 && inner.start == 0, to < word.len() && inner.end == part.len());
            let port = word[(to + 1).min(word.len())..].iter().take_while(|&&c| c == b':' || c.is_ascii_digit()).count();
            let end = if closed && word[to] == b']' { to + 1 + port } else { from + inner.end };
            place(from + inner.start - usize::from(open && word[from - 1] == b'[')..end);
        }
        from = to + 1;
    }
}

fn is_address6(host: &[u8]) -> bool {
    let Some(host) = host.split(|&c| c == b'%').next().and_then(|host| std::str::from_utf8(host).ok()) else { return false };
    let groups = || host.split(':').filter(|group| !group.is_empty());
    // `face::dead` is no address that anybody has
    let is_card = || groups().count() == 6 && host.len() == 17 && groups().all(|group| group.len() == 2);
    groups().count() >= 3 && (host.parse::<Ipv6Addr>().is_ok() || is_card())
}

/// The word without these characters in front and behind: punctuation that ends a sentence is no part of it.
fn trimmed(word: &[u8], of: &[u8]) -> Range<usize> {
    let end = word.iter().rposition(|c| !of.contains(c)).map_or(0, |last| last + 1);
    word[..end].iter().position(|c| !of.contains(c)).unwrap_or(end)..end
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A Steam number: 17 digits, whatever else than digits is beside it.
fn steam_number(word: &[u8], place: &mut dyn FnMut(Range<usize>)) {
    if word.len() == 17 && word.starts_with(b"7656119") {
        place(0..17);
    }
}

/// `STEAM_0:1:234`; `U:1:234`; 32 hexadecimal digits or more; a UUID. Zeros alone, or another digit alone, are nobody's.
fn identifier(word: &[u8], place: &mut dyn FnMut(Range<usize>)) {
    let end = trimmed(word, b":-_").end;
    for (at, _) in word[..end].iter().enumerate().filter(|(_, c)| matches!(c, b'_' | b':')) {
        let begins = |prefix: &[u8]| (at + 1).checked_sub(prefix.len()).filter(|&from| word[from..=at].eq_ignore_ascii_case(prefix));
        if let Some(from) = [&b"STEAM_"[..], b"VALVE_", b"HLTV_"].into_iter().find_map(begins)
            && word[at..end].contains(&b':')
        {
            place(from..end);
        }
        let digits = word[at + 1..end].iter().take_while(|c| c.is_ascii_digit()).count();
        if let Some(from) = begins(b"U:1:")
            && digits > 0
        {
            place(from..at + 1 + digits);
        }
    }
    if end < SHORTEST_DIGITS {
        return;
    }
    let varies = |word: &[u8]| word.iter().any(|c| *c != b'-' && *c != word[0]);
    let mut from = 0;
    for digits in word[..end].split(|c| !c.is_ascii_hexdigit()) {
        if digits.len() >= SHORTEST_DIGITS && varies(digits) {
            place(from..from + digits.len());
        }
        from += digits.len() + 1;
    }
    let dashes = [8, 13, 18, 23];
    let is_uuid = |word: &[u8]| word.iter().enumerate().all(|(at, c)| if dashes.contains(&at) { *c == b'-' } else { c.is_ascii_hexdigit() });
    word[..end].windows(36).enumerate().filter(|(_, word)| is_uuid(word) && varies(word)).for_each(|(at, _)| place(at..at + 36));
}

/// The shortest hash that identifies somebody has this number of hexadecimal digits.
const SHORTEST_DIGITS: usize = 32;
