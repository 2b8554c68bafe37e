//! Servers that show a recording to whoever joins with the game itself (`docs/live.md`).
//!
//! Sans-IO: the caller has the socket and the clock, and says where datagrams come from by any address that can be compared.

pub mod netquake;
pub mod quakeworld;

/// What a recording may stuff into consoles: flashes and colours of the screen, the sky.
const ALLOWED: [&str; 6] = ["bf", "v_cshift", "fog", "sky", "loadsky", "r_skyname"];
