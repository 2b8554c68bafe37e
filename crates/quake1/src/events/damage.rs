//! Health and armor lost by each hit (`docs/formats/quake1.md`, "Damage").

use crate::state::stat;

/// Armor by its item bit, best first, and the share of a hit that it absorbs, in tenths.
const ARMORS: [(i32, i64); 3] = [(1 << 15, 8), (1 << 14, 6), (1 << 13, 3)];
/// The item bit of invulnerability.
const INVULNERABLE: i32 = 1 << 20;

#[derive(Debug, Clone, Copy)]
struct Body {
    health: i64,
    armor: i64,
    items: i32,
}

/// Health and armor of all players, updated by hits between two statements.
#[derive(Debug, Clone, Default)]
pub(super) struct HealthTracker {
    health: Vec<Option<Body>>,
}

impl HealthTracker {
    /// Follows a stat of a player.
    pub(super) fn stat(&mut self, slot: u8, number: usize, value: i32) {
        if !matches!(number, stat::HEALTH | stat::ARMOR | stat::ITEMS) {
            return;
        }
        let at = usize::from(slot);
        if self.health.len() <= at {
            self.health.resize(at + 1, None);
        }
        let body = self.health[at].get_or_insert(Body { health: 100, armor: 0, items: 0 });
        match number {
            stat::HEALTH => body.health = i64::from(value),
            stat::ARMOR => body.armor = i64::from(value),
            _ => body.items = value,
        }
    }

    /// True if the player is dead, as far as his stats say.
    pub(super) fn is_dead(&self, slot: u8) -> bool {
        self.health.get(usize::from(slot)).is_some_and(|body| body.is_some_and(|body| body.health <= 0))
    }

    /// Applies a hit. Returns the armor and health lost, health down to zero at most. `None` if the player's stats are unknown.
    pub(super) fn hit(&mut self, slot: u8, strength: i16) -> Option<i32> {
        let body = self.health.get_mut(usize::from(slot))?.as_mut()?;
        // a corpse has nothing left to lose, and keeps its armor
        if body.health <= 0 {
            return Some(0);
        }
        let strength = i64::from(strength);
        let share = ARMORS.iter().find(|(bit, _)| body.items & bit != 0).map_or(0, |(_, share)| *share);
        let saved = ((share * strength + 9) / 10).min(body.armor).max(0);
        let taken = if body.items & INVULNERABLE != 0 { 0 } else { strength - saved };
        let lost = saved + taken.min(body.health).max(0);
        body.armor -= saved;
        body.health -= taken;
        Some(lost as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_costs_no_more_than_there_is() {
        let mut health = HealthTracker::default();
        assert_eq!(health.hit(3, 50), None);
        health.stat(3, stat::HEALTH, 100);
        assert_eq!((health.hit(3, 60), health.hit(3, 60), health.hit(3, 60)), (Some(60), Some(40), Some(0)));
        health.stat(3, stat::HEALTH, 100);
        health.stat(3, stat::ARMOR, 50);
        health.stat(3, stat::ITEMS, 1 << 15);
        assert_eq!(health.hit(3, 120), Some(120), "50 of 96 saved, 70 taken");
        health.stat(3, stat::HEALTH, 100);
        health.stat(3, stat::ITEMS, 1 << 20 | 1 << 13);
        health.stat(3, stat::ARMOR, 100);
        assert_eq!(health.hit(3, 55), Some(17));
        health.stat(3, stat::HEALTH, -5);
        assert_eq!((health.hit(3, 55), health.is_dead(3)), (Some(0), true), "a corpse with 83 armor");
    }
}
