//! The recording that an edit reads.

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{Chunks, Whole, feed_all};

use crate::detect::Framing;
use crate::dialect::{FrameHeader, Numbering};
use crate::message::{Body, Message};
use crate::state::{Detail, Effect, State};
use crate::walk::timeline::{LazyTimeline, Timeline};
use crate::walk::{At, Input, StoppingWalk, Visitor, WalkOptions};

/// A recording and its timeline.
#[derive(Debug, Clone)]
pub(crate) struct EditSource<'a> {
    pub input: Input<'a>,
    timeline: LazyTimeline,
}

impl<'a> EditSource<'a> {
    /// Shares `timeline`, which must belong to `input`.
    pub(crate) fn new(input: &Input<'a>, timeline: &LazyTimeline) -> Self {
        EditSource { input: *input, timeline: timeline.clone() }
    }

    /// Opens the output of an edit.
    pub(crate) fn open(bytes: &'a [u8], extension: &str, limits: Limits) -> Result<Self, Error> {
        Ok(EditSource { input: Input::open(bytes, Some(extension), limits)?, timeline: LazyTimeline::default() })
    }

    /// Other bytes of the same dialect.
    pub(crate) fn over<'b>(&self, bytes: &'b [u8]) -> EditSource<'b> {
        EditSource { input: Input { bytes, ..self.input }, timeline: LazyTimeline::default() }
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        self.timeline.get(&self.input)
    }

    /// Fails if the recording cannot be edited at all. `verb` is a participle for the message.
    pub(crate) fn check_editable(&self, verb: &str) -> Result<(), Error> {
        let Ok(editable) = check_editable(&self.input, verb, &mut Whole(self.input.bytes));
        editable
    }
}

/// Fails if the recording that `chunks` give cannot be edited at all. `verb` is a participle for the message.
pub(crate) fn check_editable<C: Chunks>(input: &Input<'_>, verb: &str, chunks: &mut C) -> Result<Result<(), Error>, C::Error> {
    let dialect = input.dialect;
    if dialect.numbering == Numbering::TestRelease {
        return Ok(Err(Error::unsupported(format!(
            "the messages of the test release (protocol 25) are not described anywhere, so its recordings cannot be {verb}"
        ))));
    }
    if dialect.frame != FrameHeader::Server && (dialect.is_beheaded() || begins_with_a_frame(input, chunks)?) {
        return Ok(Err(Error::unsupported(format!(
            "the start of the recording is lost, and with it the strings and baselines that every frame needs: it cannot be {verb}"
        ))));
    }
    Ok(Ok(()))
}

/// True if the block with `serverdata` cannot be read, although its head identified the recording.
fn begins_with_a_frame<C: Chunks>(input: &Input<'_>, chunks: &mut C) -> Result<bool, C::Error> {
    #[derive(Default)]
    struct First(Option<bool>);
    impl Visitor for First {
        fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, _: &State) {
            match &message.body {
                Body::ServerData(_) => drop(self.0.get_or_insert(false)),
                Body::Frame(_) => drop(self.0.get_or_insert(true)),
                _ => {}
            }
        }

        fn done(&self) -> bool {
            self.0.is_some()
        }
    }
    if input.container != Framing::Dm2 {
        return Ok(false);
    }
    let options = WalkOptions { skim: true, detail: Detail::Strings, ..input.walk_options() };
    let first = feed_all(StoppingWalk::new(input, options, First::default()), chunks)?;
    Ok(first.walk.visitor.0 == Some(true))
}
