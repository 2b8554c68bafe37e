//! One pass over a recording, and what every question concludes from it: the clocks, damage, levels, the match clock, the players.

pub(crate) mod blocks;
pub(crate) mod clock;
pub(crate) mod decoded_blocks;
pub(crate) mod decoder;
pub(crate) mod findings;
pub(crate) mod input;
pub(crate) mod lines;
pub(crate) mod match_clock;
pub(crate) mod playable;
pub(crate) mod playback;
pub(crate) mod roster;
pub(crate) mod rounds;
pub(crate) mod timeline;
