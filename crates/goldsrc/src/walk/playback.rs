//! One walk through a recording, macro by macro: what every question about messages and states goes over.

use std::ops::Range;
use std::sync::Arc;

use model::{Damage, Milliseconds};
use wire::Error;

use crate::container::body;
use crate::container::{Cursor, Macro, Step};
use crate::message::Message;
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::recording::{Recording, describe};
use crate::state::{ApplyError, PackedState, State};
use crate::walk::time::Elapsed;

/// A walk. It goes on only when it is asked to, can be cloned, and holds what is known so far.
#[derive(Debug, Clone)]
pub(crate) struct Playback<'a> {
    recording: Recording<'a>,
    cursor: Cursor,
    /// Absent where nobody knows the messages.
    decoder: Option<Decoder>,
    elapsed: Elapsed,
    pub(crate) state: State,
    /// The last macro.
    last: Cursor,
    /// The blocks that say what a level begins with, and what they were read by.
    signon: Arc<Vec<(Cursor, Context)>>,
}

/// A place in a recording that [`Playback::enter`] can go to.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    cursor: Cursor,
    context: Context,
    last_good: Option<(u8, usize)>,
    elapsed: Elapsed,
    state: PackedState,
    signon: Arc<Vec<(Cursor, Context)>>,
}

/// Blocks that are read again for what a level begins with: three are usual.
const MOST_SIGNON: usize = 64;

impl Checkpoint {
    /// Bytes that it takes on the heap beside another one.
    pub(crate) fn bytes_beside(&self, like: Option<&Checkpoint>) -> usize {
        let shared = like.is_some_and(|like| Arc::ptr_eq(&like.signon, &self.signon));
        self.state.bytes_beside(like.map(|like| &like.state)) + if shared { 0 } else { self.signon.len() * size_of::<(Cursor, Context)>() }
    }

    pub(crate) fn state_mut(&mut self) -> &mut PackedState {
        &mut self.state
    }
}

/// What a data block says of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// It is there.
    Frame,
    /// It cannot be rebuilt: what it is a delta against is not there, or it does not come out as it says.
    Lost(ApplyError),
    /// Nothing.
    Nothing,
}

impl<'a> Playback<'a> {
    /// A walk from the start.
    pub(crate) fn new(recording: &Recording<'a>) -> Self {
        let decoder = recording.dialect().messages.map(|rules| Decoder::new(Context::new(rules)));
        Playback {
            recording: recording.clone(),
            cursor: Cursor::default(),
            decoder,
            elapsed: Elapsed::default(),
            state: State::default(),
            last: Cursor::default(),
            signon: Arc::default(),
        }
    }

    /// The next macro, or the damage in its place.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Step<'a>> {
        self.last = self.cursor;
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
        Playback {
            recording: recording.clone(),
            cursor: self.cursor,
            decoder: self.decoder,
            elapsed: self.elapsed,
            state: self.state,
            last: self.last,
            signon: self.signon,
        }
    }

    /// Bytes of the recording up to the next macro.
    pub(crate) fn offset(&self) -> u64 {
        self.cursor.offset(&self.recording.container) as u64
    }

    /// The place where it is; `state` is what is to be known there.
    pub(crate) fn checkpoint(&self, state: PackedState) -> Option<Checkpoint> {
        let decoder = self.decoder.as_ref()?;
        let (context, last_good) = (decoder.context.clone(), decoder.last_good);
        Some(Checkpoint { cursor: self.cursor, context, last_good, elapsed: self.elapsed, state, signon: self.signon.clone() })
    }

    /// Goes to a place of the same recording. Returns whether the level's files are listed again.
    pub(crate) fn enter(&mut self, checkpoint: &Checkpoint) -> bool {
        let other = !Arc::ptr_eq(&self.signon, &checkpoint.signon);
        if other {
            self.state = State::before(&checkpoint.state);
            for (cursor, context) in checkpoint.signon.iter() {
                self.cursor = *cursor;
                let Some(Step::Macro { window, .. }) = self.next() else { continue };
                if let Some(decoder) = &mut self.decoder {
                    decoder.context = context.clone();
                }
                // what cannot be read could not be read before
                let _ = self.play(&window, |_, _, _| {});
            }
        }
        self.state.unpack(&checkpoint.state);
        (self.cursor, self.elapsed, self.signon) = (checkpoint.cursor, checkpoint.elapsed, checkpoint.signon.clone());
        if let Some(decoder) = &mut self.decoder {
            decoder.context = checkpoint.context.clone();
            decoder.last_good = checkpoint.last_good;
        }
        other
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
    pub(crate) fn play(&mut self, window: &Macro<'a>, mut sink: impl FnMut(&Context, &Message, Range<usize>)) -> (FrameOutcome, Result<(), Error>) {
        let dialect = self.recording.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return (FrameOutcome::Nothing, Ok(())) };
        let state = &mut self.state;
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let mut outcome = FrameOutcome::Nothing;
        let (mut begins, mut belongs) = (false, false);
        let read = decoder.block(data, offset, |context, message, range| {
            sink(context, message, range);
            match message {
                Message::ServerInfo(_) => begins = true,
                Message::SpawnBaseline(_) | Message::ResourceList(_) => belongs = true,
                _ => {}
            }
            match state.apply(context, message) {
                Err(cause) => outcome = FrameOutcome::Lost(cause),
                Ok(()) if is_frame(message) && outcome == FrameOutcome::Nothing => outcome = FrameOutcome::Frame,
                Ok(()) => {}
            }
        });
        if begins || belongs {
            let context = decoder.context.clone();
            let signon = Arc::make_mut(&mut self.signon);
            if begins {
                signon.clear();
            }
            if signon.len() < MOST_SIGNON {
                signon.push((self.last, context));
            }
        }
        (outcome, read)
    }
}

/// Whether a message says which entities there are.
pub(crate) fn is_frame(message: &Message) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_))
}
