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

    /// True if two frames of one walk state the same about a player, except for place, velocity, and angles. Equal texts and terms count as different if the
    /// frames do not share them.
    #[inline]
    pub fn is_but_for_place(&self, other: &Self) -> bool {
        // a new field does not compile until it is compared
        let PlayerFrame {
            slot,
            entity,
            name,
            team,
            spectator,
            alive,
            origin: _,
            velocity: _,
            angles: _,
            health,
            armor,
            weapon,
            ammo,
            powerups,
            items,
            on_ground,
            crouching,
            ping,
            score,
            teleported,
        } = self;
        *slot == other.slot
            && *entity == other.entity
            && is_shared(name.as_ref(), other.name.as_ref())
            && is_shared(team.as_ref(), other.team.as_ref())
            && *spectator == other.spectator
            && *alive == other.alive
            && *on_ground == other.on_ground
            && *crouching == other.crouching
            && *health == other.health
            && *armor == other.armor
            && *ping == other.ping
            && *score == other.score
            && *teleported == other.teleported
            && Term::is_shared(weapon.as_ref(), other.weapon.as_ref())
            && are_shared(ammo, &other.ammo)
            && are_shared(powerups, &other.powerups)
            && are_shared(items, &other.items)
    }
}

/// True if both lists share the same terms with the same numbers.
#[inline]
fn are_shared(list: &[Held], other: &[Held]) -> bool {
    // `zip` is a call for each list
    let mut others = other.iter();
    list.len() == other.len() && list.iter().all(|one| others.next().is_some_and(|another| one.is_shared(another)))
}

/// True if both share one text, or if both are `None`.
#[inline]
fn is_shared<T: ?Sized>(one: Option<&Arc<T>>, another: Option<&Arc<T>>) -> bool {
    match (one, another) {
        (Some(one), Some(another)) => Arc::ptr_eq(one, another),
        (None, None) => true,
        _ => false,
    }
}

/// Sets `place` to `value`, unless both already share one text.
#[inline]
pub fn share<T: ?Sized>(place: &mut Option<Arc<T>>, value: Option<&Arc<T>>) {
    if !is_shared(place.as_ref(), value) {
        *place = value.cloned();
    }
}

impl Held {
    #[inline]
    fn is_shared(&self, other: &Held) -> bool {
        let Held { what, amount, until } = self;
        what.is(&other.what) && *amount == other.amount && *until == other.until
    }
}

impl Term {
    #[inline]
    fn is(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.own, &other.own)
    }

    /// True if both share one term, or if both are `None`.
    #[inline]
    fn is_shared(one: Option<&Term>, another: Option<&Term>) -> bool {
        match (one, another) {
            (Some(one), Some(another)) => one.is(another),
            (None, None) => true,
            _ => false,
        }
    }

    /// Sets `place` to `value`, unless both already share one term.
    #[inline]
    pub fn share(place: &mut Option<Term>, value: Option<&Term>) {
        if !Self::is_shared(place.as_ref(), value) {
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
    use crate::Text;

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

    #[test]
    fn a_player_who_moves_is_the_same_but_for_the_place() {
        let (shells, quad) = (Term::new("shells", None), Term::new("quad", None));
        let held = |what: &Term, amount| Held { what: what.clone(), amount, until: None };
        let before = PlayerFrame {
            name: Some(Arc::new(Text::plain("a"))),
            weapon: Some(shells.clone()),
            ammo: vec![held(&shells, Some(5))],
            powerups: vec![held(&quad, None)],
            ..PlayerFrame::default()
        };
        let after = |change: fn(&mut PlayerFrame)| {
            let mut player = before.clone();
            change(&mut player);
            before.is_but_for_place(&player)
        };
        assert!(after(|player| (player.origin, player.velocity, player.angles) = (Some([1.0; 3]), Some([2.0; 3]), Some([3.0; 3]))));
        let changes: [fn(&mut PlayerFrame); 14] = [
            |player| player.slot = 1,
            |player| player.entity = Some(1),
            |player| player.name = Some(Arc::new(Text::plain("b"))),
            |player| player.team = Some(Arc::from("red")),
            |player| (player.spectator, player.alive) = (Some(true), Some(false)),
            |player| player.health = Some(0),
            |player| player.armor = Some(0),
            |player| player.weapon = None,
            |player| player.ammo[0].amount = Some(4),
            |player| player.powerups[0].until = Some(Milliseconds(1)),
            |player| player.items.push(player.ammo[0].clone()),
            |player| (player.on_ground, player.crouching) = (Some(false), Some(false)),
            |player| (player.ping, player.score) = (Some(0), Some(0)),
            |player| player.teleported = true,
        ];
        assert!(changes.into_iter().all(|change| !after(change)));
    }
}
