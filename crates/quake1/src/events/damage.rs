//! Health and armor lost by each hit (`docs/formats/quake1.md`, "Damage").

use fragreel_model::Milliseconds;

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

/// What is known of a player.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// As the stats have it.
    stated: Body,
    /// The same after the hits of this moment.
    now: Body,
    /// The moment of the last hit.
    hit_at: Milliseconds,
}

/// Health and armor of all players, updated by hits within a moment.
///
/// The server sends the stats that changed since it sent them last with the hits of the same moment. A player whose stats do not change with a
/// hit has what he had: he died and came back, or found as much as he lost.
#[derive(Debug, Clone, Default)]
pub(super) struct HealthTracker {
    health: Vec<Option<Known>>,
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
        let fresh = Body { health: 100, armor: 0, items: 0 };
        let known = self.health[at].get_or_insert(Known { stated: fresh, now: fresh, hit_at: Milliseconds(0) });
        for body in [&mut known.stated, &mut known.now] {
            match number {
                stat::HEALTH => body.health = i64::from(value),
                stat::ARMOR => body.armor = i64::from(value),
                _ => body.items = value,
            }
        }
    }

    /// The player at this moment. `None` if the player's stats are unknown.
    fn body(&mut self, slot: u8, now: Milliseconds) -> Option<&mut Body> {
        let known = self.health.get_mut(usize::from(slot))?.as_mut()?;
        if known.hit_at != now {
            (known.now, known.hit_at) = (known.stated, now);
        }
        Some(&mut known.now)
    }

    /// True if the player is dead, as far as his stats say.
    pub(super) fn is_dead(&mut self, slot: u8, now: Milliseconds) -> bool {
        self.body(slot, now).is_some_and(|body| body.health <= 0)
    }

    /// Applies a hit. Returns the armor and health lost, health down to zero at most. `None` if the player's stats are unknown.
    pub(super) fn hit(&mut self, slot: u8, strength: i16, now: Milliseconds) -> Option<i32> {
        let body = self.body(slot, now)?;
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

    const NOW: Milliseconds = Milliseconds(5);

    #[test]
    fn a_hit_costs_no_more_than_there_is() {
        let mut health = HealthTracker::default();
        assert_eq!(health.hit(3, 50, NOW), None);
        health.stat(3, stat::HEALTH, 100);
        assert_eq!((health.hit(3, 60, NOW), health.hit(3, 60, NOW), health.hit(3, 60, NOW)), (Some(60), Some(40), Some(0)));
        health.stat(3, stat::HEALTH, 100);
        health.stat(3, stat::ARMOR, 50);
        health.stat(3, stat::ITEMS, 1 << 15);
        assert_eq!(health.hit(3, 120, NOW), Some(120), "50 of 96 saved, 70 taken");
        health.stat(3, stat::HEALTH, 100);
        health.stat(3, stat::ITEMS, 1 << 20 | 1 << 13);
        health.stat(3, stat::ARMOR, 100);
        assert_eq!(health.hit(3, 55, NOW), Some(17));
        health.stat(3, stat::HEALTH, -5);
        assert_eq!((health.hit(3, 55, NOW), health.is_dead(3, NOW)), (Some(0), true), "a corpse with 83 armor");
    }
    /// A death and the return within a moment change no stat.
    #[test]
    fn a_moment_later_a_player_has_what_the_stats_say() {
        let mut health = HealthTracker::default();
        health.stat(3, stat::HEALTH, 100);
        assert_eq!((health.hit(3, 9999, NOW), health.is_dead(3, NOW)), (Some(100), true));
        assert_eq!(health.hit(3, 9999, NOW + Milliseconds(66)), Some(100));
        health.stat(3, stat::HEALTH, 0);
        assert_eq!(health.hit(3, 9999, NOW + Milliseconds(132)), Some(0));
    }
}
