//! Which match it is, whatever recording of it is looked at.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use serde::Serialize;

use crate::{Kill, Milliseconds, Outcome};

/// How a match ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatchResult {
    /// Whether somebody won.
    pub outcome: Outcome,
    /// The team or player who did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Cow<'static, str>>,
    /// The final scores of teams, or without teams of players, best first.
    pub scores: Vec<(String, i64)>,
    /// Which match it is.
    pub identity: Identity,
}

/// Marks of a match that do not depend on who recorded it, from where, and into which file.
///
/// ```
/// use fragreel_model::{Identity, IdentityMaker, Kill, Milliseconds, Player, Text};
///
/// let player = |name: &str| Player { slot: None, name: Text::plain(name), team: None };
/// let seen = |from: usize, to: usize| {
///     let mut maker = IdentityMaker::default();
///     for (number, victim) in ["a", "b", "c", "a", "c", "b", "a"].into_iter().enumerate().take(to).skip(from) {
///         maker.kill(Milliseconds(number as i64 * 7000), &Kill::new(Some(player("d")), player(victim), "rl"));
///     }
///     maker.identity()
/// };
/// assert!(seen(0, 7).is_same(&seen(1, 6)), "one recording began later and ended earlier");
/// assert!(!seen(0, 7).is_same(&Identity::default()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Identity {
    /// Map, players and final scores in one word: equal in all recordings that have the match's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Marks of the kills: the 64 least of all hashes of three kills in a row with the time between them. Recordings of one match share
    /// those of the time that both have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kills: Vec<u32>,
}

/// How many marks are kept.
const KEPT: usize = 64;

impl Identity {
    /// Whether both are of one match: most marks of the kills that both could have are in both; where there are none, the key decides.
    pub fn is_same(&self, other: &Identity) -> bool {
        let bound = |one: &Identity| if one.kills.len() < KEPT { u32::MAX } else { one.kills.last().copied().unwrap_or(u32::MAX) };
        let most = bound(self).min(bound(other));
        let within = |one: &Identity| one.kills.iter().filter(|&&mark| mark <= most).count();
        let fewer = within(self).min(within(other));
        if fewer >= 2 {
            let shared = self.kills.iter().filter(|mark| **mark <= most && other.kills.binary_search(mark).is_ok()).count();
            return shared >= 2 && shared * 4 >= fewer;
        }
        self.key.is_some() && self.key == other.key
    }
}

/// Makes the marks of a match as it goes by.
#[derive(Debug, Clone, Default)]
pub struct IdentityMaker {
    last: Vec<(Milliseconds, u64)>,
    kills: std::collections::BTreeSet<u32>,
}

impl IdentityMaker {
    /// Somebody died. From the third on: the mark of the last three.
    pub fn kill(&mut self, time: Milliseconds, kill: &Kill) -> Option<u32> {
        let mut hash = Fnv::default();
        for player in [kill.attacker.as_ref(), Some(&kill.victim)] {
            player.map_or("", |player| &player.name.clean).hash(&mut hash);
        }
        kill.means.hash(&mut hash);
        self.last.push((time, hash.finish()));
        let [first, second, third] = self.last[..] else { return None };
        let mut hash = Fnv::default();
        let seconds = |from: Milliseconds, to: Milliseconds| ((to - from).0 + 500).div_euclid(1000);
        (first.1, seconds(first.0, second.0), second.1, seconds(second.0, third.0), third.1).hash(&mut hash);
        self.last.remove(0);
        let mark = (hash.finish() >> 32) as u32;
        self.kills.insert(mark);
        if self.kills.len() > KEPT {
            self.kills.pop_last();
        }
        Some(mark)
    }

    /// The marks so far, without a key.
    pub fn identity(&self) -> Identity {
        Identity { key: None, kills: self.kills.iter().copied().collect() }
    }

    /// The marks of a match that is over, with the key of its map and final scores.
    pub fn finished<'p>(&self, map: &str, scores: impl Iterator<Item = (&'p str, i64)>) -> Identity {
        let mut scores: Vec<(&str, i64)> = scores.collect();
        scores.sort_unstable();
        // without a score there is nothing to know it by
        let known = scores.iter().any(|(_, score)| *score != 0);
        let mut hash = Fnv::default();
        (map.to_ascii_lowercase(), scores).hash(&mut hash);
        Identity { key: known.then(|| format!("{:016x}", hash.finish())), ..self.identity() }
    }
}

/// A hash of texts that is the same on every machine and in every version: for marks that are kept.
pub fn stable_hash(parts: &[&str]) -> u64 {
    let mut hash = Fnv::default();
    parts.iter().for_each(|part| part.hash(&mut hash));
    hash.finish()
}

/// FNV-1a with a last stir: the same on every machine and in every version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        let mut value = self.0;
        value ^= value >> 32;
        value = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        value ^ value >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    // the sizes and the byte order of machines are not to show
    fn write_i64(&mut self, value: i64) {
        self.write(&value.to_le_bytes());
    }

    fn write_u64(&mut self, value: u64) {
        self.write(&value.to_le_bytes());
    }

    fn write_usize(&mut self, value: usize) {
        self.write(&(value as u64).to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Player, Text};

    #[test]
    fn views_of_one_match_are_known_and_others_told_apart() {
        let player = |name: String| Player { slot: None, name: Text::plain(name), team: None };
        // a hundred kills in an order that a small generator makes
        let seen = |seed: u64, from: usize, to: usize, late: i64| {
            let mut maker = IdentityMaker::default();
            let (mut state, mut time) = (seed, 0);
            for number in 0..to {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let (a, v) = (state >> 60 & 3, state >> 57 & 3);
                time += 2000 + (state >> 40 & 0x3fff) as i64;
                if number >= from {
                    maker.kill(Milliseconds(time + (number as i64 % 2) * late), &Kill::new(Some(player(format!("p{a}"))), player(format!("p{v}")), "rl"));
                }
            }
            maker.identity()
        };
        let whole = seen(1, 0, 300, 0);
        assert_eq!(whole.kills.len(), KEPT);
        assert!(whole.is_same(&seen(1, 0, 300, 40)), "another client's snapshots come a little later");
        assert!(whole.is_same(&seen(1, 200, 240, 40)) && seen(1, 200, 240, 40).is_same(&whole), "a cut of it");
        assert!(!whole.is_same(&seen(2, 0, 300, 0)), "the same players on another day");
        let key = |score| IdentityMaker::default().finished("DM6", [("a", score), ("b", 3)].into_iter());
        assert!(key(5).is_same(&key(5)) && !key(5).is_same(&key(6)));
        assert_eq!(IdentityMaker::default().finished("dm6", [("a", 0)].into_iter()).key, None);
    }

    #[test]
    fn hashes_are_kept_for_ever() {
        assert_eq!(stable_hash(&["view", "q3dm6"]), stable_hash(&["view", "q3dm6"]));
        assert_ne!(stable_hash(&["view", "q3dm6"]), stable_hash(&["vie", "wq3dm6"]), "parts are parted");
    }
}
