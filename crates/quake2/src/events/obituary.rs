//! Deaths from what the server prints about them.

use super::phrases::{MISHAPS, MURDERS};

/// Names in an obituary, as parts of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Obituary<'a> {
    pub victim: &'a [u8],
    /// Absent when the world did it.
    pub attacker: Option<&'a [u8]>,
    pub means: &'static str,
}

/// Reads a line, given how far a known name reaches at the start of a text (the longest that fits). Unknown victims are
/// accepted only where the phrase leaves no doubt.
pub(super) fn read<'a>(line: &'a [u8], known: impl Fn(&[u8]) -> bool) -> Option<Obituary<'a>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    // A name may hold a phrase: try what names a player first.
    let mut unknown = None;
    for at in spaces(line) {
        let (victim, rest) = (&line[..at], &line[at + 1..]);
        let Some((attacker, means)) = phrase(rest) else { continue };
        let attacker = match attacker {
            Killer::Named(name) => Some(name),
            Killer::Self_ => Some(victim),
            Killer::World => None,
        };
        let found = Obituary { victim, attacker, means };
        if known(victim) {
            return Some(found);
        }
        unknown.get_or_insert(found);
    }
    unknown.filter(|found| !found.victim.is_empty() && found.means != "MOD_UNKNOWN")
}

fn spaces(line: &[u8]) -> impl Iterator<Item = usize> {
    line.iter().enumerate().filter(|(_, byte)| **byte == b' ').map(|(at, _)| at)
}

enum Killer<'a> {
    Named(&'a [u8]),
    Self_,
    World,
}

fn phrase(rest: &[u8]) -> Option<(Killer<'_>, &'static str)> {
    if let Some(body) = rest.strip_suffix(b".")
        && let Some(mishap) = MISHAPS.iter().find(|mishap| mishap.phrase.as_bytes() == body)
    {
        return Some((if mishap.own { Killer::Self_ } else { Killer::World }, mishap.means));
    }
    MURDERS.iter().find_map(|murder| {
        let name = rest.strip_prefix(murder.phrase.as_bytes())?.strip_prefix(b" ")?.strip_suffix(murder.suffix.as_bytes())?;
        (!name.is_empty()).then_some((Killer::Named(name), murder.means))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(line: &str, names: &[&str]) -> Option<(String, Option<String>, &'static str)> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        read(line.as_bytes(), |name| names.iter().any(|known| known.as_bytes() == name))
            .map(|found| (text(found.victim), found.attacker.map(text), found.means))
    }

    fn death(victim: &str, attacker: Option<&str>, means: &'static str) -> Option<(String, Option<String>, &'static str)> {
        Some((victim.to_owned(), attacker.map(str::to_owned), means))
    }

    #[test]
    fn names_may_hold_anything() {
        let names = ["a", "a was railed by b", "b"];
        assert_eq!(by("a was railed by b\n", &names), death("a", Some("b"), "MOD_RAILGUN"));
        assert_eq!(by("a was railed by b ate b's rocket\n", &names[1..]), death("a was railed by b", Some("b"), "MOD_ROCKET"));
        assert_eq!(by("a ate b's rocket's rocket\n", &names), death("a", Some("b's rocket"), "MOD_ROCKET"));
    }

    #[test]
    fn every_kind_is_told_apart() {
        assert_eq!(by("Bob blew herself up.\n", &["Bob"]), death("Bob", Some("Bob"), "MOD_R_SPLASH"));
        assert_eq!(by("Bob cratered.\n", &["Bob"]), death("Bob", None, "MOD_FALLING"));
        assert_eq!(by("Bob was shredded by Eve's ripsaw\n", &["Bob"]), death("Bob", Some("Eve"), "MOD_CHAINFIST"));
        assert_eq!(by("Bob was shredded by Eve's shrapnel\n", &["Bob"]), death("Bob", Some("Eve"), "MOD_G_SPLASH"));
        assert_eq!(by("Bob entered the game\n", &["Bob"]), None);
        assert_eq!(by("The server died.\n", &["Bob"]), None);
        assert_eq!(by("Stranger was railed by Eve\n", &[]), death("Stranger", Some("Eve"), "MOD_RAILGUN"));
    }
}
