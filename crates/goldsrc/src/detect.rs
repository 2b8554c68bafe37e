//! Recognizes GoldSrc recordings by their content.

use fragreel_model::Certainty;

use crate::container::{MAGIC, foreign_bytes, lost_header};

/// Whether `bytes` are a GoldSrc recording. The first eight bytes decide; where they are damaged, the directory at the end.
/// Where other bytes precede the header, the name decides too.
pub fn detect(bytes: &[u8], extension: Option<&str>) -> Certainty {
    match bytes.starts_with(MAGIC) {
        true => Certainty::Certain,
        false if lost_header::is_recording(bytes) => Certainty::Likely,
        false if extension == Some("dem") && foreign_bytes(bytes).is_some() => Certainty::Likely,
        false => Certainty::No,
    }
}
