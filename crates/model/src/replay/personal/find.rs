//! What is personal in any text, by how it looks.

use std::ops::Range;

use crate::{Fate, Role};

use super::patterns::{KINDS, SHORTEST, is_divider, letter, runs};

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
/// use fragreel_model::replay::personal::find;
///
/// let line = b"Paul (10.0.0.7:27500) connected, STEAM_0:1:2345, paul@example.org";
/// let found: Vec<&[u8]> = find(line).into_iter().map(|found| &line[found.range]).collect();
/// assert_eq!(found, [&b"10.0.0.7:27500"[..], b"STEAM_0:1:2345", b"paul@example.org"]);
/// assert!(find(b"version 0.1.0.288, 1.32b, at 12:34:56").is_empty());
/// ```
pub fn find(text: &[u8]) -> Vec<Found> {
    let mut found = search(text);
    if found.is_empty() {
        return found;
    }
    // what is found may have hidden something that stands against it
    let mut rest = text.to_vec();
    let mut next = 0;
    while next < found.len() {
        let new: Vec<Range<usize>> = found[next..].iter().map(|found| found.range.clone()).collect();
        next = found.len();
        new.iter().for_each(|range| rest[range.clone()].fill(b'*'));
        for range in new {
            let near = neighborhood(&rest, range);
            let shift = |Found { range, role }| Found { range: near.start + range.start..near.start + range.end, role };
            found.extend(search(&rest[near.clone()]).into_iter().map(shift));
        }
    }
    join(found)
}

/// As much on both sides as can stand against a stretch: up to a character that is part of nothing and of no color code.
fn neighborhood(text: &[u8], of: Range<usize>) -> Range<usize> {
    let divides = |at: &usize| is_divider(text[*at]) && (*at == 0 || text[*at - 1] != b'^');
    let start = (0..of.start).rev().find(divides).unwrap_or(0);
    start..(of.end..text.len()).find(divides).unwrap_or(text.len())
}

/// Findings in order, those that overlap as one.
fn join(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    found.dedup_by(|next, before| {
        let overlaps = next.range.start < before.range.end;
        if overlaps {
            before.range.end = before.range.end.max(next.range.end);
        }
        overlaps
    });
    found
}

/// What one look finds, in any order.
fn search(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut word = Vec::new();
    for run in runs(text, 0..text.len(), u8::MAX) {
        find_in(text, run.clone(), &mut word, &mut found);
        // what stands behind a color code may look like a part of it, and the code like a part of that
        for code in color_codes(text, run.start).filter(|code| run.len() >= code + SHORTEST) {
            find_in(text, run.start + code..run.end, &mut word, &mut found);
        }
        // not every game has colored digits: there these bytes are other characters
        if text[run.clone()].iter().any(|c| !c.is_ascii_graphic()) {
            let mut from = run.start;
            for part in text[run].split(|c| !c.is_ascii_graphic()) {
                if part.len() >= SHORTEST {
                    find_in(text, from..from + part.len(), &mut word, &mut found);
                }
                from += part.len() + 1;
            }
        }
    }
    if text.contains(&b'^') && could_hold(text) {
        find_between_codes(text, &mut word, &mut found);
    }
    found
}

/// What is looked for in a stretch.
fn find_in(text: &[u8], run: Range<usize>, word: &mut Vec<u8>, found: &mut Vec<Found>) {
    for (of, role, look) in KINDS {
        for run in runs(text, run.clone(), of) {
            word.clear();
            word.extend(text[run.clone()].iter().copied().map(letter));
            look(word, &mut |range| found.push(Found { range: run.start + range.start..run.start + range.end, role }));
        }
    }
}

/// How many bytes of the stretch that begins here belong to a color code, if the sign before it begins one: `^3`, `^xf00`, `^xff0000`,
/// `&cf00`. Games differ in which they have, so all that it could be are tried.
fn color_codes(text: &[u8], start: usize) -> impl Iterator<Item = usize> {
    let sign = start.checked_sub(1).map(|before| text[before]);
    let letter = text[start];
    let hex = move |digits: usize| text.get(start + 1..start + 1 + digits).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    let long = matches!((sign, letter), (Some(b'^'), b'x' | b'X') | (Some(b'&'), b'c'));
    let short = sign == Some(b'^') || (sign == Some(b'&') && letter == b'r');
    [(short, 0), (long, 3), (long, 6)].into_iter().filter(move |&(is, digits)| is && hex(digits)).map(|(_, digits)| digits + 1)
}

/// Whether a text has the characters for anything that is looked for.
fn could_hold(text: &[u8]) -> bool {
    let count = |is: fn(u8) -> bool| text.iter().filter(|&&c| is(c)).count();
    count(|c| c == b'@') > 0
        || count(|c| c == b'.') >= 3
        || count(|c| c == b':') >= 2
        || count(|c| c.is_ascii_digit()) >= 17
        || count(|c| c.is_ascii_hexdigit()) >= 32
}

/// What a text says where color codes are not seen: `10.^30.0.7`.
fn find_between_codes(text: &[u8], word: &mut Vec<u8>, found: &mut Vec<Found>) {
    let (mut seen, mut places, mut at) = (Vec::with_capacity(text.len()), Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        if text[at] == b'^' && text.get(at + 1).is_some_and(|&code| code != b'^') {
            at += 2;
            continue;
        }
        seen.push(text[at]);
        places.push(at);
        at += 1;
    }
    let mut more = Vec::new();
    for run in runs(&seen, 0..seen.len(), u8::MAX) {
        find_in(&seen, run, word, &mut more);
    }
    found.extend(more.into_iter().map(|Found { range, role }| Found { range: places[range.start]..places[range.end - 1] + 1, role }));
}

/// Shows addresses and identifiers in bytes whose length must stay: file names that other messages refer to by number, fields of a
/// fixed size. What becomes of one has its length: a shorter one is filled up with `*`.
///
/// ```
/// use fragreel_model::{Fate, Role};
/// use fragreel_model::replay::personal::in_place;
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

#[cfg(test)]
mod tests {
    use fragreel_testkit::Random;

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
            ("00000000000000000000000000000000 ffffffffffffffffffffffffffffffffffffffff 00000000-0000-0000-0000-000000000000", &[]),
            ("123e4567-e89b-12d3-a456-426614174000", &["123e4567-e89b-12d3-a456-426614174000"]),
            ("me@example.org, a@b, @x.yz", &["me@example.org"]),
            ("steam76561197960287930 76561197960287930x _76561197960287930_", &["76561197960287930"; 3]),
            ("176561197960287930 7656119796028793", &[]),
            // against something else
            ("10.0.0.7-0123456789abcdef0123456789ABCDEF", &["10.0.0.7", "0123456789abcdef0123456789ABCDEF"]),
            ("0:10.0.0.7:27500 10.0.0.7:27500: 10.0.0.7:99999", &["10.0.0.7:27500", "10.0.0.7:27500", "10.0.0.7"]),
            ("ban_STEAM_0:1:2345 id-U:1:22202-x", &["STEAM_0:1:2345", "U:1:22202"]),
            ("player_0123456789abcdef0123456789ABCDEF_7", &["0123456789abcdef0123456789ABCDEF"]),
            ("a-123e4567-e89b-12d3-a456-426614174000-b", &["123e4567-e89b-12d3-a456-426614174000"]),
            ("x@me@example.org-2 me@example.org1 a@b.c", &["x@me@example.org-2", "me@example.org1"]),
            ("ad[2001:db8::7]:27960 ::ffff:10.0.0.7 00:1b:2c:3d:4e:5f", &["[2001:db8::7]:27960", "10.0.0.7", "00:1b:2c:3d:4e:5f"]),
            // color codes, and what is none
            ("^310.98.76.54 ^7STEAM_0:1:4242424 ^776561197960287930", &["10.98.76.54", "STEAM_0:1:4242424", "76561197960287930"]),
            ("^310.98.76.54:27960^7 ^^10.98.76.54 ^10.98.76.54", &["10.98.76.54:27960", "10.98.76.54", "10.98.76.54"]),
            ("^xf0310.98.76.54 ^xff003110.98.76.54 &cf0310.98.76.54 &r10.98.76.54", &["10.98.76.54"; 4]),
            ("^aSTEAM_0:1:42 ^xme@example.org ^1[2001:db8::7]", &["STEAM_0:1:42", "xme@example.org", "[2001:db8::7]"]),
            ("10^7.98.^376^1.54 at 7656119^17960287930", &["10^7.98.^376^1.54", "7656119^17960287930"]),
            ("^1Bob^7 1.32b ^31.2.3 ^7 12:34:56", &[]),
            ("", &[]),
        ] {
            let found: Vec<&str> = find(line.as_bytes()).into_iter().map(|found| &line[found.range]).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    /// Looking again near what was found gives what looking at everything gives.
    #[test]
    fn nothing_far_from_a_find_is_missed() {
        let pieces = ["10.0.0.7", ".5", "0123456789abcdef", "7656119", "7960287930", "^1", "^", "&", " ", ":7", "@a.org"];
        let mut random = Random::new(20_261_125);
        let mut again = 0;
        for _ in 0..20_000 {
            let text: Vec<u8> = (0..2 + random.below(12)).flat_map(|_| pieces[random.below(pieces.len())].bytes()).collect();
            let (mut rest, mut found) = (text.clone(), Vec::new());
            for round in 0.. {
                let new = search(&rest);
                if new.is_empty() {
                    again += u32::from(round > 1);
                    break;
                }
                new.iter().for_each(|found| rest[found.range.clone()].fill(b'*'));
                found.extend(new);
            }
            assert_eq!(find(&text), join(found), "{}", String::from_utf8_lossy(&text));
        }
        assert!(again > 10, "{again}");
    }

    #[test]
    fn other_characters_are_no_digits() {
        // in UTF-8 a degree sign ends like a colored zero
        let line = "°76561197960287930";
        assert_eq!(find(line.as_bytes()), [Found { range: 2..line.len(), role: Role::Identifier }]);
    }

    #[test]
    fn colored_digits_are_digits() {
        let line: Vec<u8> = b"10.0.0.7".iter().map(|c| c | 0x80).collect();
        assert_eq!(find(&line), [Found { range: 0..8, role: Role::Address }]);
    }
}
