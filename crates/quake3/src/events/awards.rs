//! Rewards over players' heads: bits of `eFlags` that stay for two seconds.

use std::borrow::Cow;

use fragreel_model::{EventKind, Evidence, Kind};

use super::sink::EventSink;
use crate::game::names::AWARDS;
use crate::walk::Roster;

/// How long a reward shows, with some room.
const SHOWN: i64 = 2500;

/// The award signs over players' heads.
#[derive(Debug, Default)]
pub(super) struct AwardTracker {
    /// By slot: bits last seen, and when.
    seen: Vec<(u32, i64)>,
}

impl AwardTracker {
    /// The player in `slot` has these `flags` now.
    pub(super) fn update(&mut self, slot: u32, flags: u32, server_time: i32, players: &Roster, out: &mut EventSink) {
        if !players.has_slot(slot) {
            return;
        }
        if self.seen.len() <= slot as usize {
            self.seen.resize(slot as usize + 1, (0, i64::MIN / 2));
        }
        let now = i64::from(server_time);
        let (mut before, when) = self.seen[slot as usize];
        if now - when > SHOWN {
            before = 0;
        }
        self.seen[slot as usize] = (flags, now);
        for &(bit, award) in AWARDS {
            if flags & bit != 0 && before & bit == 0 {
                out.push(Evidence::Inferred, Kind::Award, || EventKind::Award { player: players.player(slot), award: Cow::Borrowed(award) });
            }
        }
    }
}
