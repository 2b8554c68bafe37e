//! Servers that play a recording to game clients (`docs/live.md`).
//!
//! Sans-IO: the caller has the socket and the clock, and passes any comparable address with each datagram.

pub mod netquake;
pub mod quakeworld;

/// Console commands that a recording may stuff: screen flashes and colors, and the sky.
const ALLOWED: [&str; 6] = ["bf", "v_cshift", "fog", "sky", "loadsky", "r_skyname"];
