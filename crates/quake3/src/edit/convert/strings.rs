//! Configstrings and commands of one protocol as another has them (`docs/formats/quake3.md`, "Converting").

use fragreel_model::{Loss, LossList};

use crate::dialect::Dialect;
use crate::game::Game;
use crate::game::strings::SERVERINFO;
use crate::message::ConfigString;
use crate::strings::{Words, info, info_pairs, number};

use super::super::text_rewriter::word_range;

/// The way from one game's strings to another's.
#[derive(Debug, Clone)]
pub(super) struct StringConverter {
    from: &'static Dialect,
    to: &'static Dialect,
    pub lost: LossList,
}

impl StringConverter {
    pub(super) fn new(from: &'static Dialect, to: &'static Dialect) -> Self {
        StringConverter { from, to, lost: LossList::default() }
    }

    /// Whether nothing but the protocol's number changes.
    fn same_places(&self) -> bool {
        self.from.line == self.to.line && self.from.flags_first == self.to.flags_first
    }

    /// Where a string belongs in the target.
    pub(super) fn place(&self, index: usize) -> Option<usize> {
        if self.same_places() { Some(index) } else { Game::plain(self.from.line).strings.converted(index) }
    }

    /// Changes a configstring of a gamestate. Returns `None` when it has no place, and whether it changed.
    pub(super) fn string(&mut self, string: &mut ConfigString) -> Option<bool> {
        let Some(place) = self.place(usize::from(string.index)) else {
            if !string.text.is_empty() {
                self.lose_place(usize::from(string.index));
            }
            return None;
        };
        let moved = place != usize::from(string.index);
        string.index = place as u16;
        Some(moved | (place == SERVERINFO && self.serverinfo(&mut string.text)))
    }

    fn lose_place(&mut self, index: usize) {
        self.lost.lose(Loss::ConfigString { index: index as u64 });
    }

    /// States the target's protocol where a protocol is stated.
    fn serverinfo(&self, text: &mut Vec<u8>) -> bool {
        let before = text.clone();
        let key = ["protocol", "com_protocol"].into_iter().find(|key| number(info(text, key)) > 0);
        let Some(key) = key else { return false };
        let mut new = Vec::with_capacity(text.len());
        for (at, (name, value)) in info_pairs(&before).enumerate() {
            if at > 0 || before.starts_with(b"\\") {
                new.push(b'\\');
            }
            new.extend_from_slice(name);
            new.push(b'\\');
            if name.eq_ignore_ascii_case(key.as_bytes()) {
                new.extend_from_slice(self.to.protocol.to_string().as_bytes());
            } else {
                new.extend_from_slice(value);
            }
        }
        *text = new;
        *text != before
    }

    /// Changes a command; one that means nothing in the target is left empty. Returns whether it changed.
    pub(super) fn command(&mut self, text: &mut Vec<u8>) -> bool {
        let before = text.clone();
        let mut words = Words::new(&before);
        let first = words.next().unwrap_or_default();
        match first {
            b"cs" | b"bcs0" | b"bcs1" | b"bcs2" => {
                let index = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<usize>().ok());
                match index.map(|index| (index, self.place(index))) {
                    Some((index, None)) => {
                        self.lose_place(index);
                        text.clear();
                    }
                    Some((index, Some(place))) if place != index => {
                        if let Some(range) = word_range(text, 1) {
                            text.splice(range, place.to_string().into_bytes());
                        }
                    }
                    _ => {}
                }
                if first == b"cs"
                    && index == Some(SERVERINFO)
                    && let Some(range) = word_range(text, 2)
                {
                    let mut string = text[range.clone()].to_vec();
                    if self.serverinfo(&mut string) {
                        text.splice(range, string);
                    }
                }
            }
            b"scores" if self.score_numbers().0 < self.score_numbers().1 => *text = self.longer_scores(text),
            other if !self.same_places() && is_board(other) => {
                self.lost.lose(Loss::CommandAsItIs { text: String::from_utf8_lossy(other).into_owned() });
            }
            _ => {}
        }
        *text != before
    }

    /// Numbers per player in the command `scores` of both games.
    fn score_numbers(&self) -> (usize, usize) {
        (Game::plain(self.from.line).score_numbers, Game::plain(self.to.line).score_numbers)
    }

    /// The target's numbers that the source does not count are 0.
    fn longer_scores(&self, text: &[u8]) -> Vec<u8> {
        const HEAD: usize = 4;
        let (old, new) = self.score_numbers();
        let words: Vec<Vec<u8>> = Words::new(text).map(<[u8]>::to_vec).collect();
        let players = words.get(1).map_or(0, |count| number(count)).clamp(0, 64) as usize;
        if words.len() < HEAD + players * old {
            return text.to_vec();
        }
        let mut longer = words[..HEAD].join(&b' ');
        for player in words[HEAD..HEAD + players * old].chunks(old) {
            longer.push(b' ');
            longer.extend(player.join(&b' '));
            longer.extend(b" 0".repeat(new - old));
        }
        longer
    }
}

fn is_board(command: &[u8]) -> bool {
    [&b"scores"[..], b"rrscores", b"tdmscores", b"ctfscores", b"cascores", b"dscores", b"adscores"].iter().any(|name| command.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(from: u16, to: u16) -> StringConverter {
        StringConverter::new(Dialect::of(from).unwrap(), Dialect::of(to).unwrap())
    }

    #[test]
    fn strings_move_to_their_places() {
        let mut early = strings(45, 68);
        let mut command = b"cs 13 \"4000\"".to_vec();
        assert!(early.command(&mut command));
        assert_eq!(command, b"cs 21 \"4000\"");
        let mut gone = b"cs 800 \"x\"".to_vec();
        assert!(early.command(&mut gone) && gone.is_empty() && early.lost.len() == 1);
        let mut scores = b"scores 1 0 0 3 10 50 1 0 0 ".to_vec();
        early.command(&mut scores);
        assert_eq!(scores, b"scores 1 0 0 3 10 50 1 0 0 0 0 0 0 0 0 0 0");
        let mut info = b"cs 0 \"\\protocol\\68\\mapname\\q3dm6\"".to_vec();
        assert!(strings(68, 66).command(&mut info));
        assert_eq!(info, b"cs 0 \"\\protocol\\66\\mapname\\q3dm6\"");
    }

    #[test]
    fn no_two_strings_share_a_place() {
        for strings in [strings(45, 68), strings(90, 91), strings(73, 91)] {
            let places: Vec<usize> = (0..1024).filter_map(|index| strings.place(index)).collect();
            assert!(places.iter().collect::<std::collections::BTreeSet<_>>().len() == places.len());
        }
    }
}
