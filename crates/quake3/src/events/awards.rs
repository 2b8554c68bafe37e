//! Rewards over players' heads: bits of `eFlags` that stay for two seconds.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind};

use super::sink::EventSink;
use crate::game::names::AWARDS;
use crate::walk::Roster;

/// How long a reward shows, with some room.
const SHOWN: i64 = 2500;

/// The bits of all rewards.
const ALL: u32 = {
    let (mut all, mut at) = (0, 0);
    while at < AWARDS.len() {
        all |= AWARDS[at].0;
        at += 1;
    }
    all
};

/// The award signs over players' heads.
#[derive(Debug, Default)]
pub(super) struct AwardTracker {
    /// By slot: bits last seen, and when.
    seen: Vec<(u32, i64)>,
}

impl AwardTracker {
    /// The player in `slot` has these `flags` now.
    #[inline(always)]
    pub(super) fn update(&mut self, slot: u32, flags: u32, server_time: i32, players: &Roster, out: &mut EventSink) {
        let now = i64::from(server_time);
        let known = self.seen.get_mut(slot as usize).map(|seen| std::mem::replace(seen, (flags, now)));
        let before = known.filter(|(_, when)| now - when <= SHOWN).map_or(0, |(before, _)| before);
        // most players show nothing new
        if known.is_none() || flags & !before & ALL != 0 {
            self.report(slot, (flags, now), flags & !before, players, out);
        }
    }

    fn report(&mut self, slot: u32, seen: (u32, i64), new: u32, players: &Roster, out: &mut EventSink) {
        if !players.has_slot(slot) {
            return;
        }
        if self.seen.len() <= slot as usize {
            self.seen.resize(slot as usize + 1, (0, i64::MIN / 2));
            self.seen[slot as usize] = seen;
        }
        for &(bit, award) in AWARDS {
            if new & bit != 0 {
                out.push(Evidence::Inferred, Kind::Award, || EventKind::Award { player: players.player(slot), award: Cow::Borrowed(award) });
            }
        }
    }
}
