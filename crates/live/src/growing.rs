//! Recordings that still grow.

use std::sync::Arc;

/// The bytes of a recording, which may grow. Clones share them.
///
/// ```
/// let mut recording = fragreel_live::Growing::whole(b"MVD2".to_vec());
/// assert!(recording.is_last());
/// recording.feed(&[3, 0]);
/// assert_eq!((recording.bytes(), recording.is_last()), (&b"MVD2\x03\x00"[..], false));
/// ```
#[derive(Debug, Clone)]
pub struct Growing {
    bytes: Arc<Vec<u8>>,
    last: bool,
}

impl Growing {
    /// One to which nothing will be added, for all that is known.
    pub fn whole(bytes: Vec<u8>) -> Self {
        Growing { bytes: Arc::new(bytes), last: true }
    }

    /// What there is of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether nothing will be added: what is not complete at its end is cut off, and does not wait.
    pub fn is_last(&self) -> bool {
        self.last
    }

    /// Adds to it; from the first call on it counts as one that grows.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.last = false;
        Arc::make_mut(&mut self.bytes).extend_from_slice(bytes);
    }
}
