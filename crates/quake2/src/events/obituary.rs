//! Deaths, from the lines that the server prints about them.

use super::phrases::{MISHAPS, MURDERS, PRONOUNS};

/// The parts of an obituary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Obituary<'a> {
    pub victim: &'a [u8],
    /// `None` if the world killed the victim.
    pub attacker: Option<&'a [u8]>,
    pub means: &'static str,
    /// The body part that was hit, if the line names it.
    pub place: Option<&'static str>,
    /// Whether the phrase is about a player alone.
    pub is_own: bool,
}

/// Reads a line. `known` says whether a player has a name. An unknown victim is accepted only if the phrase is unambiguous.
///
/// A name may contain a phrase or end with a full stop. Of all readings, one with known players wins.
pub(super) fn read<'a>(line: &'a [u8], known: impl Fn(&[u8]) -> bool) -> Option<Obituary<'a>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let mut best: Option<((bool, bool), Obituary<'a>)> = None;
    for at in (1..line.len()).filter(|&at| line[at] == b' ' || line[at..].starts_with(b"'s ")) {
        let (victim, rest) = line.split_at(at);
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        for (rest, stop) in [(Some(rest), false), (rest.strip_suffix(b"."), true)] {
            let Some((attacker, found)) = rest.and_then(|rest| phrase(victim, rest)) else { continue };
            let certain = (known(victim), attacker.is_none_or(&known));
            if !certain.0 && (found.means == "MOD_UNKNOWN" || attacker.is_none() && !stop) {
                continue;
            }
            if best.as_ref().is_none_or(|(held, _)| *held < certain) {
                best = Some((certain, found));
            }
        }
    }
    best.map(|(_, found)| found)
}

/// Also returns the name that should be a player's, if there is one.
fn phrase<'a>(victim: &'a [u8], rest: &'a [u8]) -> Option<(Option<&'a [u8]>, Obituary<'a>)> {
    if let Some(mishap) = MISHAPS.iter().find(|mishap| after(rest, mishap.phrase).is_some_and(<[u8]>::is_empty)) {
        let attacker = mishap.own.then_some(victim);
        return Some((None, Obituary { victim, attacker, means: mishap.means, place: None, is_own: true }));
    }
    MURDERS.iter().find_map(|murder| {
        let name = before(after(rest, murder.phrase)?.strip_prefix(b" ")?, murder.suffix)?;
        let found = Obituary { victim, attacker: Some(name), means: murder.means, place: murder.place, is_own: false };
        (!name.is_empty()).then_some((Some(name), found))
    })
}

/// The text after the phrase that `text` begins with.
fn after<'a>(text: &'a [u8], phrase: &str) -> Option<&'a [u8]> {
    if text.first() != phrase.as_bytes().first() {
        return None;
    }
    let (front, words, back) = open(phrase);
    let rest = text.strip_prefix(front.as_bytes())?;
    words.iter().find_map(|word| rest.strip_prefix(word.as_bytes())?.strip_prefix(back.as_bytes()))
}

/// The text before the phrase that `text` ends with.
fn before<'a>(text: &'a [u8], phrase: &str) -> Option<&'a [u8]> {
    let (front, words, back) = open(phrase);
    let rest = text.strip_suffix(back.as_bytes())?;
    words.iter().find_map(|word| rest.strip_suffix(word.as_bytes())?.strip_suffix(front.as_bytes()))
}

/// A phrase around its word in braces, and what that word stands for.
fn open(phrase: &str) -> (&str, &'static [&'static str], &str) {
    let found = PRONOUNS.iter().find_map(|(word, all)| phrase.split_once(word).map(|(front, back)| (front, *all, back)));
    found.unwrap_or((phrase, &[""], ""))
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
    fn action_quake_names_means_and_place() {
        let place = |line: &str| read(line.as_bytes(), |name| [&b"Bob"[..], b"Eve.", b"Al"].contains(&name)).map(|found| (found.means, found.place));
        let names = ["Bob", "Eve.", "Al"];
        assert_eq!(by("Bob's brains are on the wall thanks to Al's 10mm MP5/10 round\n", &names), death("Bob", Some("Al"), "MOD_MP5"));
        assert_eq!(place("Bob's brains are on the wall thanks to Al's 10mm MP5/10 round\n"), Some(("MOD_MP5", Some("head"))));
        assert_eq!(place("Al caught Bob's flying knife with her forehead"), Some(("MOD_KNIFE_THROWN", Some("head"))));
        assert_eq!(place("Al was shot in the legs by Bob"), Some(("MOD_SNIPER", Some("legs"))));
        assert_eq!(place("Al was shot in the legs by Bob's akimbo Mark 23 pistols"), Some(("MOD_DUAL", Some("legs"))));
        assert_eq!(by("Al was picked off by Eve.\n", &names), death("Al", Some("Eve."), "MOD_SNIPER"));
        assert_eq!(by("Al was gunned down by Bob.\n", &names), death("Al", Some("Bob"), "MOD_SHOTGUN"));
        assert_eq!(by("Al plummets to its death\n", &names), death("Al", None, "MOD_FALLING"));
        assert_eq!(by("Somebody was flattened\n", &names), None);
        assert_eq!(by("Bob was killed by Al\n", &names), death("Bob", Some("Al"), "MOD_UNKNOWN"));
        assert_eq!(by("The idea was killed by the admin\n", &names), None);
        assert_eq!(by("Bob turned the other cheek\n", &names), None);
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
