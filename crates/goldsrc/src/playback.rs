//! One walk through a recording, macro by macro: what every question about messages and states goes over.

use std::ops::Range;

use model::{Damage, Milliseconds};
use wire::Error;

use crate::body;
use crate::container::{Cursor, Macro, Step};
use crate::context::Context;
use crate::message::Message;
use crate::recording::{Recording, describe};
use crate::state::{State, Stumble};
use crate::stream::Decoder;
use crate::time::Elapsed;

/// A walk. It goes on only when it is asked to, can be cloned, and holds what is known so far.
#[derive(Debug, Clone)]
pub(crate) struct Playback<'a> {
    recording: Recording<'a>,
    cursor: Cursor,
    /// Absent where nobody knows the messages.
    decoder: Option<Decoder>,
    elapsed: Elapsed,
    pub(crate) state: State,
}

/// What a data block says of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
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
        Playback { recording: recording.clone(), cursor: Cursor::default(), decoder, elapsed: Elapsed::default(), state: State::default() }
    }

    /// The next macro, or the damage in its place.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Step<'a>> {
        let step = self.cursor.next(&self.recording.container)?;
        if let Step::Macro { segment, window, .. } = &step
            && self.is_played(*segment)
        {
            self.elapsed.at(*segment, window.time);
        }
        Some(step)
    }

    /// The time of the last macro that was played, since the first.
    pub(crate) fn now(&self) -> Milliseconds {
        self.elapsed.now()
    }

    /// The same walk over the recording as it is now.
    pub(crate) fn over<'b>(self, recording: &Recording<'b>) -> Playback<'b> {
        Playback { recording: recording.clone(), cursor: self.cursor, decoder: self.decoder, elapsed: self.elapsed, state: self.state }
    }

    /// Whether a segment is played, as opposed to what was sent before.
    pub(crate) fn is_played(&self, segment: usize) -> bool {
        self.recording.container.segments[segment].is_playback()
    }

    /// What messages are read by; absent where nobody knows them.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.decoder.as_ref().map(|decoder| &decoder.context)
    }

    /// The frame that a data block says: the server's time behind it, as bits, and its sequence number.
    pub(crate) fn stamp(&self, window: &Macro) -> (u32, u32) {
        let time = self.context().map_or(0.0, |context| context.time);
        (time.to_bits(), self.sequence(window))
    }

    /// The sequence number of a data block.
    pub(crate) fn sequence(&self, window: &Macro) -> u32 {
        body::frame_sequence(window, self.recording.dialect()).unwrap_or_default()
    }

    /// What cannot be read in the block of macro `number`, and what that passes over.
    pub(crate) fn broken(&self, error: &Error, number: u32, window: &Macro) -> Damage {
        let last_good = self.decoder.as_ref().and_then(|decoder| decoder.last_good);
        let damage = describe(error, self.recording.container.bytes, last_good, number);
        damage.skipping(error.offset().unwrap_or(window.offset as u64), window.end() as u64)
    }

    /// Reads the messages of a data block without applying them. The error is of the first message that cannot be read.
    pub(crate) fn read(&mut self, window: &Macro<'a>, mut sink: impl FnMut(&Context, &Message, Range<usize>)) -> Result<(), Error> {
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, self.recording.dialect())) else { return Ok(()) };
        decoder.block(data, offset, |context, message, range| sink(context, message, range))
    }

    /// Reads the messages of a data block and applies them to the state; `sink` sees each before it is applied. The error is of the
    /// first message that cannot be read.
    pub(crate) fn play(&mut self, window: &Macro<'a>, mut sink: impl FnMut(&Context, &Message, Range<usize>)) -> (Outcome, Result<(), Error>) {
        let dialect = self.recording.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return (Outcome::Nothing, Ok(())) };
        let state = &mut self.state;
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let mut outcome = Outcome::Nothing;
        let read = decoder.block(data, offset, |context, message, range| {
            sink(context, message, range);
            match state.apply(context, message) {
                Err(stumble) => outcome = Outcome::Lost(stumble),
                Ok(()) if is_frame(message) && outcome == Outcome::Nothing => outcome = Outcome::Frame,
                Ok(()) => {}
            }
        });
        (outcome, read)
    }
}

/// Whether a message says which entities there are.
pub(crate) fn is_frame(message: &Message) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_))
}
