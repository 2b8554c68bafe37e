//! Recognizes GoldSrc recordings by their content.

use fragreel_model::Certainty;

use crate::container::MAGIC;

/// Whether `bytes` are a GoldSrc recording. The first eight bytes decide; the extension does not matter.
pub fn detect(bytes: &[u8], _extension: Option<&str>) -> Certainty {
    if bytes.starts_with(MAGIC) { Certainty::Certain } else { Certainty::No }
}
