//! A recording's bytes, unpacked, and what is known of them before they are opened.

use bytes::Bytes;
use fragreel_base::wire::{Error, Limits};
use fragreel_detect::extension;
use fragreel_model::Damage;

/// The bytes of a recording, unpacked where they came compressed, and what its file's name hints at.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub bytes: Bytes,
    pub extension: Option<String>,
    pub is_compressed: bool,
    /// What was wrong with the packing.
    pub packing: Vec<Damage>,
    pub limits: Limits,
    #[cfg(feature = "quake1")]
    pub phrases: Option<std::sync::Arc<fragreel_quake1::PhraseFile>>,
}

impl Source {
    /// Unpacks what is packed. A compressed file that is cut off or corrupt gives what could be unpacked.
    pub(crate) fn unpack(bytes: Bytes, name: &str, limits: Limits) -> Result<Self, Error> {
        #[cfg(feature = "gzip")]
        if crate::gzip::is_gzip(&bytes) {
            let head = crate::gzip::head(&bytes);
            if !head.is_empty() && fragreel_detect::candidates(&head, extension(name).as_deref()).is_empty() {
                return Err(crate::foreign::unknown(&head, extension(name).as_deref()));
            }
            let (unpacked, packing) = crate::gzip::unpack(&bytes, &limits)?;
            return Ok(Source { is_compressed: true, packing, ..Self::plain(unpacked.into(), extension(name), limits) });
        }
        #[cfg(feature = "pack")]
        if crate::packing::is_packed(&bytes) {
            let (unpacked, damage) = crate::packing::unpack_within(&bytes, &limits)?;
            let hint = extension(name).or_else(|| extension(&String::from_utf8_lossy(&unpacked.head.name)));
            return Ok(Source { is_compressed: true, packing: damage.into_iter().collect(), ..Self::plain(unpacked.bytes.into(), hint, limits) });
        }
        Ok(Self::plain(bytes, extension(name), limits))
    }

    /// What is not packed.
    pub(crate) fn plain(bytes: Bytes, extension: Option<String>, limits: Limits) -> Self {
        Source {
            bytes,
            extension,
            is_compressed: false,
            packing: Vec::new(),
            limits,
            #[cfg(feature = "quake1")]
            phrases: None,
        }
    }
}
