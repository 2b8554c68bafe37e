//! A recording as edits read it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use fragreel_model::replay::LazyIndex;

use crate::frames::Index;
use crate::walk::input::Input;
use crate::walk::timeline::Timeline;

/// An input, with look-ups that are made once and shared by copies.
#[derive(Debug, Clone)]
pub(crate) struct Source<'a> {
    /// The recording's bytes and rules.
    pub input: Input<'a>,
    /// Keyframes, made by the first seek.
    pub index: Arc<LazyIndex<Index>>,
    timeline: Arc<OnceLock<Timeline>>,
}

impl<'a> Source<'a> {
    /// A recording without any look-up yet.
    pub(crate) fn new(input: Input<'a>) -> Self {
        Source { input, index: Arc::default(), timeline: Arc::default() }
    }

    /// A recording whose frames and levels are known.
    pub(crate) fn with_timeline(input: Input<'a>, timeline: Timeline) -> Self {
        Source { timeline: Arc::new(OnceLock::from(timeline)), ..Source::new(input) }
    }

    /// The same, for a walk over chunks.
    pub(crate) fn without_bytes<'b>(&self) -> Source<'b> {
        Source { input: self.input.over(&[]), index: self.index.clone(), timeline: self.timeline.clone() }
    }

    /// The frames and levels, read by the first call.
    pub(crate) fn timeline(&self) -> &Timeline {
        self.timeline.get_or_init(|| Timeline::of(&self.input))
    }
}

impl<'a> Deref for Source<'a> {
    type Target = Input<'a>;

    fn deref(&self) -> &Input<'a> {
        &self.input
    }
}
