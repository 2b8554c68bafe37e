//! Channels: numbered datagrams with a reliable part. Document: *Channels*.

pub(super) mod netquake;
pub(super) mod quakeworld;
