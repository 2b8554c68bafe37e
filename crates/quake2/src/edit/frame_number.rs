//! Numbers of frames in converted recordings.

use crate::state::State;

/// The number of the first frame of a converted MVD2, whose frames have none. Leaves room for preceding frames.
pub(super) const FIRST_FRAME: i64 = 20;

/// The frame number in the converted recording.
pub(super) fn number(state: &State) -> i32 {
    let first = if state.in_place.frames() > 0 { FIRST_FRAME } else { 0 };
    (state.clock.number() + first) as i32
}
