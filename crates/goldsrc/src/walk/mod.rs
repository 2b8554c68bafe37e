//! The walk over a recording, and every conclusion that more than one answer needs: times, levels, matches, players, damage.

pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod match_clock;
pub(crate) mod playable;
pub(crate) mod playback;
pub(crate) mod recorder;
pub(crate) mod roster;
pub(crate) mod run_timer;
pub(crate) mod slots;
pub(crate) mod time;
pub(crate) mod timeline;
