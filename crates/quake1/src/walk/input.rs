//! The bytes of a recording, and how to read them.

use std::sync::Arc;

use fragreel_base::wire::{Error, Limits};

use crate::container::{Blocks, Container, Framing};
use crate::detect;
use crate::dialect::Dialect;
use crate::phrase_file::PhraseFile;
use crate::walk::blocks::{BlockReader, NextBlock};
use crate::walk::decoder::Decoder;

/// A recording's bytes, container, dialect and limits. Everything that reads a recording starts from it.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    /// The whole file, or the part of it that has arrived.
    pub bytes: &'a [u8],
    /// How the file is divided into blocks.
    pub container: Container,
    /// The protocol that the first server stated.
    pub dialect: Dialect,
    /// Whether the start is damaged: the dialect is then that in which the rest decodes, and in force from the first block on.
    pub start_lost: bool,
    /// Limits on what reading may cost.
    pub limits: Limits,
    /// Phrases about deaths that come before those that Fragreel knows.
    pub phrases: Option<Arc<PhraseFile>>,
}

/// Blocks in which a server has to state its protocol for [`Input::open`] to know it.
const BLOCKS_BEFORE_SERVER: usize = 64;
/// Blocks in which the re-release has to give itself away.
const BLOCKS_BEFORE_RERELEASE: usize = 16;

impl<'a> Input<'a> {
    /// Detects the container and reads up to the server's statement of its protocol.
    ///
    /// Fails if the bytes are not a recording of this family.
    pub(crate) fn open(bytes: &'a [u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        if bytes.len() as u64 > limits.recording_bytes {
            return Err(Error::limit("the recording is longer than the limit"));
        }
        let Some((container, _)) = detect::find(bytes, extension) else {
            let behind = detect::behind_damage(bytes, extension);
            let (container, dialect) = behind.ok_or_else(|| Error::malformed("this is not a recording of QuakeWorld or NetQuake").at_offset(0))?;
            return Ok(Input { bytes, container, dialect, start_lost: true, limits, phrases: None });
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
        Ok(Input { bytes, container, dialect: Arc::unwrap_or_clone(decoder.dialect), start_lost: false, limits, phrases: None })
    }

    /// The bytes before the first block: the text line of a NetQuake recording, nothing in other containers.
    pub(crate) fn header(&self) -> &'a [u8] {
        match self.container {
            Container::NetQuake => crate::container::header(self.bytes).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The same; where the start is damaged, the line that stands before the first block, or one that names no track.
    pub(crate) fn header_or_made(&self) -> &'a [u8] {
        if !self.start_lost {
            return self.header();
        }
        let first = self.block_reader().find_map(|next| match next {
            NextBlock::Block(block) => Some(block.offset as usize),
            NextBlock::Broken(..) => None,
        });
        first.and_then(|first| crate::container::header_before(&self.bytes[..first])).unwrap_or(b"-1\n")
    }

    /// The blocks in file order. Ends at the first broken one.
    pub(crate) fn blocks(&self) -> Blocks<'a> {
        let blocks = Blocks::new(self.bytes, self.container, &self.limits).ok().filter(|_| !self.start_lost);
        blocks.unwrap_or_else(|| Blocks::without_start(self.bytes, self.container, &self.limits))
    }

    /// The blocks in file order. Broken framing is skipped.
    pub(crate) fn block_reader(&self) -> BlockReader<'a> {
        BlockReader::new(self.blocks())
    }

    /// The same recording with other bytes: after it has grown, or those of a chunk.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> Input<'b> {
        let (dialect, phrases) = (self.dialect.clone(), self.phrases.clone());
        Input { bytes, container: self.container, dialect, start_lost: self.start_lost, limits: self.limits, phrases }
    }
}
