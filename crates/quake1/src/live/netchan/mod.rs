//! Channels: numbered datagrams with a reliable part. Document: *Channels*.

pub mod netquake;
pub mod quakeworld;
