//! Names in printed lines: a name may contain a line end, and several players may have the same one.

use fragreel_model::Player;

use crate::state::{Game, player};

/// Whether the line end at this place of a piece belongs to a player's name: the piece is the name, or goes on after it.
pub(super) fn is_inside(game: &Game, piece: &[u8], at: usize) -> bool {
    let names = game.roster.iter().map(|(_, person)| &person.name[..]).filter(|name| name.len() > 1 && name.contains(&b'\n'));
    names.into_iter().any(|name| {
        let ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(end, _)| end);
        let mut starts = ends.filter_map(|end| at.checked_sub(end));
        piece == name || starts.any(|start| piece[start..].starts_with(name) && piece.len() > start + name.len())
    })
}

/// Whom a name means.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Named {
    /// One player, or somebody who is not on the scoreboard.
    One(Player),
    /// Players on the scoreboard who all have this name.
    Several(Vec<(u8, Player)>),
}

impl Named {
    /// Whom a name means now.
    pub(super) fn of(game: &Game, name: &[u8]) -> Self {
        let mut same = game.roster.iter().filter(|(_, person)| person.name == name);
        match (same.next(), same.next()) {
            (Some(_), Some(_)) => {
                let all = game.roster.iter().filter(|(_, person)| person.name == name);
                Named::Several(all.map(|(slot, person)| (slot, player(slot, person))).collect())
            }
            _ => Named::One(game.roster.named(name)),
        }
    }

    /// The player, if it is one.
    pub(super) fn one(&self) -> Option<&Player> {
        match self {
            Named::One(player) => Some(player),
            Named::Several(_) => None,
        }
    }

    /// Everybody whom it may mean.
    pub(super) fn all(self) -> Vec<Player> {
        match self {
            Named::One(player) => vec![player],
            Named::Several(players) => players.into_iter().map(|(_, player)| player).collect(),
        }
    }
}
