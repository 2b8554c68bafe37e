//! Player states: applying deltas.

use crate::dialect::Dialect;
use crate::fields::flagged_value;
use crate::fields::player::*;
use crate::message::PlayerDelta;

/// The state of a player.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlayerState {
    /// The words in the order of [`NAMES`]. Coordinates are eighths (float bits in the rerelease), angles 65536ths of a turn, offsets
    /// quarters.
    pub row: Row,
    /// The stats.
    pub stats: [i16; 64],
    /// KMQuake2's stats from 32 on, once one was sent.
    pub more_stats: Option<Box<[i16; MORE_STATS]>>,
}

/// The number of KMQuake2's stats after the first 32.
pub const MORE_STATS: usize = 224;

impl Default for PlayerState {
    fn default() -> Self {
        PlayerState { row: [0; SLOTS], stats: [0; 64], more_stats: None }
    }
}

/// Applies `delta` to `state`.
#[inline]
pub(crate) fn apply_player(dialect: &Dialect, state: &mut PlayerState, delta: &PlayerDelta) {
    let mut rest = dialect.player.touched(delta.mask);
    if let Some(end) = dialect.player_end {
        rest |= end.touched(delta.mask);
    }
    if dialect.flagged {
        let coordinates = rest & (0x3f << ORIGIN_X);
        for at in (ORIGIN_X..=VELOCITY_Z).filter(|at| coordinates >> at & 1 != 0) {
            state.row[at] = flagged_value(delta.row[at], state.row[at]);
        }
        rest &= !coordinates;
    }
    let special = rest & SPECIAL;
    rest &= !SPECIAL;
    while rest != 0 {
        let at = rest.trailing_zeros() as usize;
        state.row[at] = delta.row[at];
        rest &= rest - 1;
    }
    if special != 0 {
        announced(dialect, state, delta, special);
    }
    if delta.mask & EPS_CLIENTNUM != 0 && dialect.clientnum != 0 {
        state.row[CLIENTNUM] = delta.row[CLIENTNUM];
    }
    for at in fragreel_base::delta::masked::members(delta.stats_mask) {
        state.stats[at] = delta.stats[at];
    }
    if !delta.more_stats.is_empty() {
        let more = state.more_stats.get_or_insert_with(|| Box::new([0; MORE_STATS]));
        let places = (0..MORE_STATS).filter(|at| delta.stats_mask >> (at % 32) & 1 != 0);
        places.zip(&delta.more_stats).for_each(|(at, stat)| more[at] = *stat);
    }
}

/// Words that announce others, or contain such flags.
const SPECIAL: u128 = 1 << BLEND_MASK | 1 << FOG_MASK | 1 << GUNFRAME;

#[inline]
fn announced(dialect: &Dialect, state: &mut PlayerState, delta: &PlayerDelta, special: u128) {
    if special & 1 << GUNFRAME != 0 {
        let word = delta.row[GUNFRAME];
        if dialect.floats {
            state.row[GUNFRAME] = word & 0x1ff;
            for part in (0..7).filter(|part| word >> (9 + part) & 1 != 0) {
                state.row[GUNFRAME + 1 + part] = delta.row[GUNFRAME + 1 + part];
            }
        } else {
            state.row[GUNFRAME] = word;
        }
    }
    if special & 1 << BLEND_MASK != 0 {
        for part in (0..8).filter(|part| delta.row[BLEND_MASK] >> part & 1 != 0) {
            state.row[BLEND_RED + part] = delta.row[BLEND_RED + part];
        }
    }
    if special & 1 << FOG_MASK != 0 {
        let parts: [(u32, std::ops::RangeInclusive<usize>); 8] = [
            (1, FOG_RED..=FOG_BLUE),
            (2, FOG_DENSITY..=FOG_SKY_FACTOR),
            (4, HEIGHTFOG_DENSITY..=HEIGHTFOG_DENSITY),
            (8, HEIGHTFOG_FALLOFF..=HEIGHTFOG_FALLOFF),
            (16, HEIGHTFOG_START_RED..=HEIGHTFOG_START_BLUE),
            (32, HEIGHTFOG_END_RED..=HEIGHTFOG_END_BLUE),
            (64, HEIGHTFOG_START_DISTANCE..=HEIGHTFOG_START_DISTANCE),
            (128, HEIGHTFOG_END_DISTANCE..=HEIGHTFOG_END_DISTANCE),
        ];
        for (flag, range) in parts {
            if delta.row[FOG_MASK] & flag != 0 {
                state.row[range.clone()].copy_from_slice(&delta.row[range]);
            }
        }
    }
}
