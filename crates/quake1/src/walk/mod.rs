//! One pass over a recording, and what every question concludes from it: the clocks, damage, levels, the match clock, the players.

pub mod blocks;
pub(crate) mod clock;
pub mod decoded_blocks;
pub mod decoder;
pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod lines;
pub(crate) mod match_clock;
pub mod playable;
pub mod playback;
pub(crate) mod roster;
pub(crate) mod rounds;
pub(crate) mod timeline;
