//! How scores change within a moment, and which of that the lines of the moment explain.

use fragreel_model::{Kill, Player};

/// What the scores of a moment did that no line has explained yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Scores(Vec<(u16, i32)>);

impl Scores {
    /// A score changes.
    pub(super) fn change(&mut self, slot: u16, by: i32) {
        match self.0.iter_mut().find(|(known, _)| *known == slot) {
            Some((_, sum)) => *sum = sum.saturating_add(by),
            None => self.0.push((slot, by)),
        }
    }

    /// A kill explains the change of one score.
    pub(super) fn explain(&mut self, kill: &Kill) {
        let (blamed, by) = match &kill.attacker {
            Some(attacker) if !kill.is_suicide() => (attacker, if kill.team_kill { -1 } else { 1 }),
            _ => (&kill.victim, -1),
        };
        if let Some(slot) = blamed.slot {
            self.change(slot, -by);
        }
    }

    /// What no line explains of a player's score.
    pub(super) fn of(&self, player: &Player) -> i32 {
        self.0.iter().find(|(slot, _)| Some(*slot) == player.slot).map_or(0, |(_, sum)| *sum)
    }

    /// Another moment begins.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
