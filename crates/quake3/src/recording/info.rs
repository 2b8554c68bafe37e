//! What a recording is.

use model::{Family, Info};

use super::Recording;

pub(super) fn info(recording: &Recording<'_>) -> Info {
    Info::new(Family::Quake3, recording.dialect.protocol.to_string(), recording.bytes.len() as u64)
}
