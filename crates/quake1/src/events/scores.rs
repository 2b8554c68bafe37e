//! How scores change within a moment, and which of that the lines of the moment explain.

use fragreel_model::{Kill, Player};

/// What the scores of a moment did.
#[derive(Debug, Clone, Default)]
pub(super) struct Scores {
    /// By how much the server changed each.
    stated: Vec<(u16, i32)>,
    /// What of that no line has explained yet.
    unexplained: Vec<(u16, i32)>,
}

impl Scores {
    /// A score changes.
    pub(super) fn change(&mut self, slot: u16, by: i32) {
        add(&mut self.stated, slot, by);
        add(&mut self.unexplained, slot, by);
    }

    /// The only player whose score rose.
    pub(super) fn risen(&self) -> Option<u16> {
        let mut risen = self.stated.iter().filter(|(_, by)| *by > 0);
        risen.next().filter(|_| risen.next().is_none()).map(|(slot, _)| *slot)
    }

    /// A kill explains the change of one score.
    pub(super) fn explain(&mut self, kill: &Kill) {
        let (blamed, by) = match &kill.attacker {
            Some(attacker) if !kill.is_suicide() => (attacker, if kill.team_kill { -1 } else { 1 }),
            _ => (&kill.victim, -1),
        };
        if let Some(slot) = blamed.slot {
            add(&mut self.unexplained, slot, -by);
        }
    }

    /// What no line explains of a player's score.
    pub(super) fn of(&self, player: &Player) -> i32 {
        self.unexplained.iter().find(|(slot, _)| Some(*slot) == player.slot).map_or(0, |(_, sum)| *sum)
    }

    /// Another moment begins.
    pub(super) fn clear(&mut self) {
        self.stated.clear();
        self.unexplained.clear();
    }
}

fn add(sums: &mut Vec<(u16, i32)>, slot: u16, by: i32) {
    match sums.iter_mut().find(|(known, _)| *known == slot) {
        Some((_, sum)) => *sum = sum.saturating_add(by),
        None => sums.push((slot, by)),
    }
}
