//! The recording that an edit reads.

use fragreel_base::wire::{Error, Limits};

use crate::detect::Framing;
use crate::dialect::{FrameHeader, Numbering};
use crate::message::{Body, Message};
use crate::state::{Detail, Effect, State};
use crate::walk::timeline::{LazyTimeline, Timeline};
use crate::walk::{At, Input, Visitor, WalkOptions};

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
        let dialect = self.input.dialect;
        if dialect.numbering == Numbering::TestRelease {
            return Err(Error::unsupported(format!(
                "the messages of the test release (protocol 25) are not described anywhere, so its recordings cannot be {verb}"
            )));
        }
        if dialect.frame != FrameHeader::Server && (dialect.is_beheaded() || self.begins_with_a_frame()) {
            return Err(Error::unsupported(format!(
                "the start of the recording is lost, and with it the strings and baselines that every frame needs: it cannot be {verb}"
            )));
        }
        Ok(())
    }

    /// True if the block with `serverdata` cannot be read, although its head identified the recording.
    fn begins_with_a_frame(&self) -> bool {
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
        if self.input.container != Framing::Dm2 {
            return false;
        }
        let mut first = First::default();
        self.input.walk(WalkOptions { skim: true, detail: Detail::Strings, ..self.input.walk_options() }, &mut first);
        first.0 == Some(true)
    }
}
