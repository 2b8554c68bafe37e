//! Editing: cut, split, join, repair, convert, rewrite, and the comparison of a result with its source (`docs/formats/goldsrc.md`, "Editing").

pub(crate) mod compare;
mod compare_chunks;
pub(crate) mod convert;
pub(crate) mod cut;
pub(crate) mod donor;
mod field_visitor;
mod file_writer;
mod frame_list;
pub(crate) mod join;
pub(crate) mod message_editor;
mod part_writer;
mod patch;
pub(crate) mod repair;
pub(crate) mod rewrite;
pub(crate) mod split;
mod text_rewriter;

use std::sync::{Arc, OnceLock};

use fragreel_base::wire::Error;
use fragreel_model::replay::LazyIndex;

use crate::frames::Index;
use crate::walk::input::Input;
use crate::walk::timeline::Timeline;

/// A recording to edit, with the indexes that it shares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'r, 'a> {
    pub input: &'r Input<'a>,
    pub index: &'r Arc<LazyIndex<Index>>,
    pub timeline: &'r OnceLock<Timeline>,
}

impl<'r> Source<'r, '_> {
    /// The frames of the recording. The first call makes the list.
    pub(crate) fn timeline(&self) -> Result<&'r Timeline, Error> {
        check_frames_known(self.input)?;
        Ok(self.timeline.get_or_init(|| Timeline::of(self.input)))
    }
}

/// Fails if the frames of a recording cannot be found.
fn check_frames_known(input: &Input) -> Result<(), Error> {
    match input.dialect().messages {
        Some(_) => Ok(()),
        None => Err(Error::unsupported("the messages of demo protocol 4 are not known, and without them its frames cannot be found")),
    }
}
