//! A recording that is not in memory as a whole.

use std::sync::Arc;

use fragreel_base::wire::{Chunk, Error, Limits};
use fragreel_model::replay::{CheckedCut, Chunks, EventSource, Fed, HEAD, Share};
use fragreel_model::{Audit, FrameOptions, Info, Kinds, Range, Verification};

use crate::Frames;
use crate::answers::{audit, info, verify};
use crate::detect;
use crate::edit::chunked_cut;
use crate::events::EventPlayback;
use crate::frames;
use crate::phrase_file::PhraseFile;
use crate::walk::input::Input;

/// A recording that comes in chunks. It answers what one walk from the start to the end answers.
#[derive(Debug, Clone)]
pub struct Chunked {
    input: Input<'static>,
    /// The first bytes, where a line may stand before the first block.
    start: Box<[u8]>,
}

/// Bytes that hold that line.
const START: usize = 128;

impl Chunked {
    /// Opens a recording as [`Recording::open`](crate::Recording::open) does. `None` where more than its head says how it is read.
    pub fn open<C: Chunks>(chunks: &mut C, extension: Option<&str>, limits: Limits) -> Result<Option<Self>, C::Error> {
        let head = chunks.chunk(0, HEAD - 1)?;
        if !detect::is_settled(head, extension) {
            return Ok(None);
        }
        let input = Input::open(head.bytes(), extension, limits).ok();
        Ok(input.map(|input| Chunked { input: input.over(&[]), start: head.bytes()[..head.bytes().len().min(START)].into() }))
    }

    fn input(&self) -> Input<'_> {
        self.input.over(&self.start)
    }

    /// The same recording. Obituaries are matched against these phrases first.
    #[must_use]
    pub fn with_phrases(mut self, phrases: Arc<PhraseFile>) -> Self {
        self.input.phrases = Some(phrases);
        self
    }

    /// The same as [`Recording::info`](crate::Recording::info).
    pub fn info<C: Chunks>(&self, chunks: &mut C) -> Result<Info, C::Error> {
        info::info_chunks(&self.input(), chunks)
    }

    /// The same as [`Recording::verify`](crate::Recording::verify).
    pub fn verify<C: Chunks>(&self, share: Share, chunks: &mut C) -> Result<Verification, C::Error> {
        verify::verify_chunks(&self.input(), share, chunks)
    }

    /// The same as [`Recording::audit`](crate::Recording::audit).
    pub fn audit<C: Chunks>(&self, chunks: &mut C) -> Result<Audit, C::Error> {
        audit::audit_chunks(&self.input(), chunks)
    }

    /// The same as [`Recording::cut`](crate::Recording::cut), compared with the recording. The inner error is that of `cut`.
    pub fn cut<C: Chunks>(&self, range: Range, chunks: &mut C) -> Result<Result<CheckedCut, Error>, C::Error> {
        chunked_cut::cut(&self.input(), range, chunks)
    }

    /// The walk over events that takes the chunks.
    pub fn event_walk(&self, wanted: Kinds) -> impl EventSource + Fed + use<> {
        EventPlayback::new(&self.input(), wanted).over(Chunk::none())
    }

    /// The walk over frames, which [`resume_in`](Frames::resume_in) gives the chunks.
    pub fn frames(&self, options: FrameOptions) -> Frames<'static> {
        frames::frames(&self.input(), &Arc::default(), &options).resume_in(Chunk::none())
    }
}
