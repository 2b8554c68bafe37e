//! Filling a frame over the one before it: what frames share is compared by where it is and left in place.

use std::sync::Arc;

use super::{Frame, Held, PlayerFrame, Term};
use crate::Milliseconds;

/// For those who fill frames. Most of a frame is as it was in the one before, so players stay where they are, and names are only
/// exchanged where they are others: filling a frame so takes a quarter of the instructions (docs/performance.md).
impl Frame {
    /// Begins the next frame over this one. Players stay, to be overwritten by [`player_at`](Self::player_at).
    pub fn restart(&mut self) {
        self.entities.clear();
        self.view = None;
        (self.match_time, self.uncertain) = (None, false);
    }

    /// The player at a place of the list, which is now the one of `slot`. Everything else is as it was for another frame, but the
    /// entity, which is unknown: who fills the frame says all of it again, or [`PlayerFrame::unseen`].
    #[inline]
    pub fn player_at(&mut self, at: usize, slot: u16) -> &mut PlayerFrame {
        if at >= self.players.len() {
            return self.add_player(slot);
        }
        let player = &mut self.players[at];
        (player.slot, player.entity) = (slot, None);
        player
    }

    /// Leaves the first players of the list.
    #[inline]
    pub fn end_players(&mut self, count: usize) {
        if self.players.len() > count {
            for player in &mut self.players[count..] {
                player.clear();
            }
            self.spare.extend(self.players.drain(count..));
        }
    }
}

impl PlayerFrame {
    /// Nothing is known but the slot, the name, the team, and whether the player only watches.
    #[inline]
    pub fn unseen(&mut self) {
        self.unplaced();
        self.empty_handed();
    }

    /// Nothing is held.
    #[inline]
    pub fn empty_handed(&mut self) {
        self.weapon = None;
        [&mut self.ammo, &mut self.powerups, &mut self.items].into_iter().for_each(Vec::clear);
    }

    /// As [`unseen`](Self::unseen), but what is held is as it was: for [`Term::share`] and [`Holding`], or [`empty_handed`](Self::empty_handed).
    #[inline]
    pub fn unplaced(&mut self) {
        (self.entity, self.alive) = (None, None);
        (self.origin, self.velocity, self.angles) = (None, None, None);
        (self.health, self.armor, self.on_ground, self.crouching) = (None, None, None, None);
        (self.ping, self.score, self.teleported) = (None, None, false);
    }
}

/// Puts `value` where it is not yet. Equal is what is one and the same.
#[inline]
pub fn share<T: ?Sized>(place: &mut Option<Arc<T>>, value: Option<&Arc<T>>) {
    let same = match (&*place, value) {
        (Some(old), Some(new)) => Arc::ptr_eq(old, new),
        (None, None) => true,
        _ => false,
    };
    if !same {
        *place = value.cloned();
    }
}

impl Term {
    #[inline]
    fn is(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.own, &other.own)
    }

    /// Puts `value` where it is not yet. Equal is what is one and the same.
    #[inline]
    pub fn share(place: &mut Option<Term>, value: Option<&Term>) {
        let same = match (&*place, value) {
            (Some(old), Some(new)) => old.is(new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            *place = value.cloned();
        }
    }
}

/// Writes a list of what is held over the one of the frame before.
#[derive(Debug)]
pub struct Holding<'l> {
    list: &'l mut Vec<Held>,
    at: usize,
}

impl<'l> Holding<'l> {
    /// From the start of the list.
    #[inline]
    pub fn over(list: &'l mut Vec<Held>) -> Self {
        Holding { list, at: 0 }
    }

    /// The next thing of the list.
    #[inline(always)]
    pub fn push(&mut self, what: &Term, amount: Option<i32>, until: Option<Milliseconds>) {
        match self.list.get_mut(self.at) {
            Some(held) => {
                if !held.what.is(what) {
                    held.what = what.clone();
                }
                (held.amount, held.until) = (amount, until);
            }
            None => self.list.push(Held { what: what.clone(), amount, until }),
        }
        self.at += 1;
    }
}

/// What is behind the last thing goes.
impl Drop for Holding<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.list.len() > self.at {
            self.list.truncate(self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_over_another_has_nothing_of_it() {
        let (rocket, nails) = (Term::new("rl", None), Term::new("nails", None));
        let fill = |frame: &mut Frame, slots: &[u16], held: &[&Term]| {
            frame.restart();
            for (at, &slot) in slots.iter().enumerate() {
                let player = frame.player_at(at, slot);
                player.unseen();
                Term::share(&mut player.weapon, held.first().copied());
                share(&mut player.team, None);
                let mut ammo = Holding::over(&mut player.ammo);
                held.iter().for_each(|what| ammo.push(what, Some(i32::from(slot)), None));
            }
            frame.end_players(slots.len());
        };
        let mut frame = Frame::default();
        fill(&mut frame, &[1, 2, 5], &[&rocket, &nails]);
        frame.players[1].health = Some(100);
        frame.players[1].team = Some(Arc::from("red"));
        for (slots, held) in [(&[1, 5][..], &[&nails][..]), (&[3], &[]), (&[0, 1, 2, 3], &[&nails, &rocket])] {
            let mut new = Frame::default();
            fill(&mut new, slots, held);
            fill(&mut frame, slots, held);
            assert_eq!(frame.players, new.players);
        }
    }
}
