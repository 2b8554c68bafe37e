//! Questions to a recording (ARCHITECTURE.md, "What each family offers").

pub(crate) mod canonical;
mod events;
mod explain;
mod findings;
mod info;
mod moment;
mod people;
pub(crate) mod playable;
mod replay;
mod verify;

pub use findings::Findings;
pub(crate) use info::game_directory;
pub(crate) use moment::{record_of_entity, record_of_player};
pub use replay::Replayed;
pub(crate) use verify::{broken, is_frame, no_time, unknown, unplayable};

use std::sync::{Arc, OnceLock};

use ::replay::LazyIndex;
use wire::{Error, Limits};

use crate::container::{Blocks, Container, Framing};
use crate::detect;
use crate::dialect::Dialect;
use crate::edit::Timeline;
use crate::frames::Index;
use crate::walk::{Decoder, Walk};

/// A recording of QuakeWorld or NetQuake.
///
/// ```
/// use quake1::Recording;
///
/// let mut file = b"-1\n".to_vec();
/// file.extend([1, 0, 0, 0]); // one byte of messages
/// file.extend([0; 12]); // view angles
/// file.push(2); // svc_disconnect
/// let recording = Recording::open(&file, Some("dem"), wire::Limits::default()).unwrap();
/// assert!(recording.verify().is_whole());
/// ```
#[derive(Debug, Clone)]
pub struct Recording<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) container: Container,
    pub(crate) dialect: Dialect,
    pub(crate) limits: Limits,
    pub(crate) index: Arc<LazyIndex<Index>>,
    /// The edits' look-ups, made by the first that needs them, and shared with copies.
    pub(crate) timeline: Arc<OnceLock<Timeline>>,
}

/// Blocks in which a server has to state its protocol for [`Recording::open`] to know it.
const BLOCKS_BEFORE_SERVER: usize = 64;
/// Blocks in which the re-release has to give itself away.
const BLOCKS_BEFORE_RERELEASE: usize = 16;

impl<'a> Recording<'a> {
    /// Opens a recording. Reads only up to the server's statement of its protocol.
    ///
    /// Fails when the bytes are no recording of this family at all.
    pub fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is longer than the limit"));
        }
        let Some((container, _)) = detect::find(bytes, extension) else {
            return Err(Error::malformed("this is no recording of QuakeWorld or NetQuake").at_offset(0));
        };
        let mut decoder = Decoder::skimming(container);
        let mut after = 0;
        for block in Blocks::new(bytes, container, &limits)?.take(BLOCKS_BEFORE_SERVER).map_while(Result::ok) {
            if matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. }) {
                let _ = decoder.decode(&block, |_, _, _| {});
            }
            if decoder.dialect.known {
                after += 1;
                if !decoder.dialect.may_be_rerelease() || decoder.dialect.is_rerelease() || after == BLOCKS_BEFORE_RERELEASE {
                    break;
                }
            }
        }
        Ok(Recording { bytes, container, dialect: Arc::unwrap_or_clone(decoder.dialect), limits, index: Arc::default(), timeline: Arc::default() })
    }

    /// Which container it is in.
    pub fn container(&self) -> Container {
        self.container
    }

    /// What the first server stated.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// The bytes before the first block: the line of a NetQuake recording.
    pub fn header(&self) -> &'a [u8] {
        match self.container {
            Container::NetQuake => crate::container::header(self.bytes).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Its blocks in file order.
    pub fn blocks(&self) -> Blocks<'a> {
        Blocks::new(self.bytes, self.container, &self.limits).unwrap_or_else(|_| unreachable!("opening has checked the start"))
    }

    /// Whether it is one unbroken recording, and what speaks against it.
    pub fn audit(&self) -> model::Audit {
        crate::audit::audit(self, &self.limits)
    }

    /// The same recording as it is now, with more bytes or none.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Recording<'b> {
        Recording { bytes, container: self.container, dialect: self.dialect.clone(), limits: self.limits, index: Arc::default(), timeline: Arc::default() }
    }

    /// Its blocks, with broken framing passed over.
    pub(crate) fn walk(&self) -> Walk<'a> {
        Walk::new(self.blocks(), self.bytes.len())
    }
}
