//! What tells who somebody is inside a line for people: network addresses, GUIDs, Steam numbers.

/// Finds network addresses, with their port.
pub(super) fn addresses(line: &mut Vec<u8>) {
    blank(line, |c| c.is_ascii_digit() || matches!(c, b'.' | b':'), is_address);
}

/// Finds GUIDs and Steam numbers.
pub(super) fn identifiers(line: &mut Vec<u8>) {
    blank(line, |c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b':'), is_identifier);
}

/// What stands in place of what goes.
const BLANK: &[u8] = b"***";

/// Blanks every word of characters in `of` that `goes`.
fn blank(line: &mut Vec<u8>, of: impl Fn(u8) -> bool, goes: impl Fn(&[u8]) -> bool) {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = &line[..];
    while !rest.is_empty() {
        let (word, after) = rest.split_at(rest.iter().take_while(|&&c| of(c)).count());
        // `1.2.3.4:` is an address before a colon.
        let core = &word[..word.iter().rposition(|c| !b".:".contains(c)).map_or(0, |last| last + 1)];
        out.extend_from_slice(if goes(core) { BLANK } else { core });
        out.extend_from_slice(&word[core.len()..]);
        let (other, after) = after.split_at(after.iter().take_while(|&&c| !of(c)).count());
        out.extend_from_slice(other);
        rest = after;
    }
    *line = out;
}

/// Four numbers up to 255, the first not 0, and perhaps a port. (Versions are like that too, but begin with a 0 or have
/// fewer parts.)
fn is_address(word: &[u8]) -> bool {
    let mut halves = word.splitn(2, |&c| c == b':');
    let (host, port) = (halves.next().unwrap_or_default(), halves.next());
    let numbers: Vec<Option<u8>> = host.split(|&c| c == b'.').map(number).collect();
    let host_is = matches!(numbers[..], [Some(first), Some(_), Some(_), Some(_)] if first > 0);
    host_is && port.is_none_or(|port| number::<u16>(port).is_some())
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// 32 hexadecimal digits or more, or `STEAM_0:1:234`.
fn is_identifier(word: &[u8]) -> bool {
    let steam = ["STEAM_", "VALVE_", "HLTV_"].iter().any(|kind| word.starts_with(kind.as_bytes())) && word.contains(&b':');
    steam || (word.len() >= 32 && word.iter().all(u8::is_ascii_hexdigit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_identifiers_go_and_nothing_else() {
        for (line, expected) in [
            ("Paul (10.0.0.7:27500) connected", "Paul (***) connected"),
            ("from 192.168.1.2: hi", "from ***: hi"),
            ("version 0.1.0.288, 1.32b, 8.20, 1.2.3, 300.1.1.1", "version 0.1.0.288, 1.32b, 8.20, 1.2.3, 300.1.1.1"),
            ("guid 0123456789abcdef0123456789ABCDEF.", "guid ***."),
            ("<STEAM_0:1:2345><>", "<***><>"),
            ("STEAM_ID_PENDING at 12:34", "STEAM_ID_PENDING at 12:34"),
            ("", ""),
        ] {
            let mut line = line.as_bytes().to_vec();
            addresses(&mut line);
            identifiers(&mut line);
            assert_eq!(String::from_utf8(line).unwrap(), expected);
        }
    }
}
