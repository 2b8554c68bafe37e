//! Compares an edited recording with its source, which comes in chunks.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::replay::{Advance, Chunks, Fed, feed_all};
use fragreel_model::{Comparison, Edited};

use super::Source;
use super::compare::{FrameComparer, FrameWalk, Plays, all_frames};
use super::frame_list::list_frames;
use crate::container::Step;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// What [`FrameComparer`] says of a part of the recording in `chunks`. `input` says how the recording is read.
pub(super) fn compare_chunks<C: Chunks>(input: &Input, edited: &Edited, chunks: &mut C) -> Result<Result<Comparison, Error>, C::Error> {
    // a part may be longer than its source
    let mut limits = input.limits;
    limits.recording_bytes = u64::MAX;
    let edited = match Input::open(&edited.bytes, limits) {
        Ok(edited) => edited,
        Err(error) => return Ok(Err(error)),
    };
    let frames = all_frames(&edited);
    // frames at other times decide nothing
    let times: HashSet<i64> = frames.iter().map(|frame| frame.server.0).collect();
    let candidates = list_frames(input, |frame| times.contains(&frame.server.0), chunks)?;
    let reader = RefCell::new(Reader { chunks, failure: None });
    let playback = Playback::new(&input.over(Chunk::none()));
    let walk = ChunkWalk { walk: Some(PlayTo { playback, at: None, to: None }), reader: &reader };
    let (index, timeline) = (Arc::default(), OnceLock::new());
    let ours = FrameWalk::new(&Source { input: &edited, index: &index, timeline: &timeline });
    let comparison = FrameComparer::of(candidates, walk).compare_frames(&frames, ours);
    match reader.into_inner().failure {
        Some(failure) => Err(failure),
        None => Ok(Ok(comparison)),
    }
}

/// The chunks that several copies of a walk read, and why there are no more.
struct Reader<'c, C: Chunks> {
    chunks: &'c mut C,
    failure: Option<C::Error>,
}

/// A walk over the frames of a recording that comes in chunks.
struct ChunkWalk<'r, 'c, C: Chunks> {
    /// Absent once the chunks failed.
    walk: Option<PlayTo>,
    reader: &'r RefCell<Reader<'c, C>>,
}

impl<C: Chunks> Clone for ChunkWalk<'_, '_, C> {
    fn clone(&self) -> Self {
        ChunkWalk { walk: self.walk.clone(), reader: self.reader }
    }
}

impl<C: Chunks> Advance for ChunkWalk<'_, '_, C> {
    fn at(&self) -> Option<u32> {
        self.walk.as_ref()?.at
    }

    fn step(&mut self) -> bool {
        self.play_to(self.at().map_or(0, |at| at + 1))
    }

    fn play_to(&mut self, message: u32) -> bool {
        let Some(mut walk) = self.walk.take() else { return false };
        walk.to = Some(message);
        let reader = &mut *self.reader.borrow_mut();
        match feed_all(walk, reader.chunks) {
            Ok(walk) => self.walk = Some(walk),
            Err(failure) => reader.failure = Some(failure),
        }
        self.at() >= Some(message)
    }
}

impl<C: Chunks> Plays for ChunkWalk<'_, '_, C> {
    fn playback(&self) -> Option<&Playback<'_>> {
        Some(&self.walk.as_ref()?.playback)
    }
}

/// The walk that plays up to a macro.
#[derive(Clone)]
struct PlayTo {
    playback: Playback<'static>,
    /// The last macro.
    at: Option<u32>,
    to: Option<u32>,
}

impl Fed for PlayTo {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let PlayTo { playback, mut at, to } = self;
        let mut playback = playback.in_chunk(chunk);
        while at < to
            && let Some(step) = playback.next()
        {
            if let Step::Macro { number, window, .. } = step {
                // what is damaged shows in `verify`
                let _ = playback.play(&window);
                at = Some(number);
            }
        }
        PlayTo { playback: playback.in_chunk(Chunk::none()), at, to }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.at >= self.to || self.playback.is_over()
    }
}
