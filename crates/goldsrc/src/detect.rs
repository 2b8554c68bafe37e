//! Recognizes GoldSrc recordings by their content.

use fragreel_model::Certainty;

use crate::container::{MAGIC, lost_header};

/// Whether `bytes` are a GoldSrc recording. The first eight bytes decide; where they are damaged, the directory at the end.
pub fn detect(bytes: &[u8], _extension: Option<&str>) -> Certainty {
    match bytes.starts_with(MAGIC) {
        true => Certainty::Certain,
        false if lost_header::is_recording(bytes) => Certainty::Likely,
        false => Certainty::No,
    }
}
