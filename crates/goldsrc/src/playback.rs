//! One walk through a recording, macro by macro: what every question about messages and states goes over.

use std::ops::Range;

use wire::Error;

use crate::body;
use crate::container::{Cursor, Macro, Step};
use crate::context::Context;
use crate::message::Message;
use crate::recording::Recording;
use crate::state::{State, Stumble};
use crate::stream::Decoder;

/// A walk. It goes on only when it is asked to, can be cloned, and holds what is known so far.
#[derive(Debug, Clone)]
pub(crate) struct Playback<'a> {
    recording: Recording<'a>,
    cursor: Cursor,
    /// Absent where nobody knows the messages.
    decoder: Option<Decoder>,
    pub(crate) state: State,
}

/// What a data block says of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// It is there.
    Frame,
    /// It cannot be rebuilt: what it is a delta against is not there, or it does not come out as it says.
    Lost(Stumble),
    /// Nothing.
    Nothing,
}

impl<'a> Playback<'a> {
    /// A walk from the start.
    pub(crate) fn new(recording: &Recording<'a>) -> Self {
        let decoder = recording.dialect().messages.map(|rules| Decoder::new(Context::new(rules)));
        Playback { recording: recording.clone(), cursor: Cursor::default(), decoder, state: State::default() }
    }

    /// The next macro, or the damage in its place.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Step<'a>> {
        self.cursor.next(&self.recording.container)
    }

    /// Whether a segment is played, as opposed to what was sent before.
    pub(crate) fn is_played(&self, segment: usize) -> bool {
        self.recording.container.segments[segment].is_playback()
    }

    /// What messages are read by; absent where nobody knows them.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.decoder.as_ref().map(|decoder| &decoder.context)
    }

    /// Reads the messages of a data block and applies them to the state; `sink` sees each before it is applied. The error is of the
    /// first message that cannot be read.
    pub(crate) fn play(&mut self, window: &Macro<'a>, mut sink: impl FnMut(&Context, &Message, Range<usize>)) -> (Told, Result<(), Error>) {
        let dialect = self.recording.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return (Told::Nothing, Ok(())) };
        let state = &mut self.state;
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let mut told = Told::Nothing;
        let read = decoder.block(data, offset, |context, message, range| {
            sink(context, message, range);
            match state.apply(context, message) {
                Err(stumble) => told = Told::Lost(stumble),
                Ok(()) if is_frame(message) && told == Told::Nothing => told = Told::Frame,
                Ok(()) => {}
            }
        });
        (told, read)
    }
}

/// Whether a message says which entities there are.
pub(crate) fn is_frame(message: &Message) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_))
}
