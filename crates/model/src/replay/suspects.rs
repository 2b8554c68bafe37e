//! Who killed whom, where a line does not say it and scores and health do.

use super::wording::Wording;
use crate::{Player, Unknown};

/// A player who may be the killer.
#[derive(Debug, Clone)]
pub struct Suspect {
    /// The player.
    pub player: Player,
    /// The words around the name, if no list has them.
    pub wording: Option<Wording>,
}

/// A player of whom only the name is known: several players have it.
#[must_use]
pub fn namesake(like: &Player) -> Player {
    Player { slot: None, name: like.name.clone(), team: None }
}

/// The only player who can be the victim: by name, by a health that `fell` to nothing, or by `may` and a health that did not stay up where it
/// `is_watched`.
pub fn victim(victims: &[Player], fell: impl Fn(&Player) -> bool, is_watched: impl Fn(&Player) -> bool, may: impl Fn(&Player) -> bool) -> Option<Player> {
    let one = |mut fitting: Vec<&Player>| fitting.pop().filter(|_| fitting.is_empty()).cloned();
    one(victims.iter().collect())
        .or_else(|| one(victims.iter().filter(|player| fell(player)).collect()))
        .or_else(|| one(victims.iter().filter(|player| may(player) && (fell(player) || !is_watched(player))).collect()))
}

/// The killer and the victim. A side that is unknown has the name that several players have.
#[must_use]
pub fn sides(killer: Option<&Player>, suspects: &[Suspect], victim: Option<Player>, victims: &[Player]) -> (Player, Player, Option<Unknown>) {
    let unknown = match (killer, &victim) {
        (None, None) => Some(Unknown::Both),
        (None, _) => Some(Unknown::Attacker),
        (_, None) => Some(Unknown::Victim),
        _ => None,
    };
    let attacker = killer.cloned().unwrap_or_else(|| namesake(&suspects[0].player));
    (attacker, victim.unwrap_or_else(|| namesake(&victims[0])), unknown)
}
