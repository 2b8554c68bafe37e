//! The one walk over a recording: macro by macro, with the decoder and the game state that belong to it.

use std::ops::Range;
use std::sync::Arc;

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::{Damage, DamageKind, Milliseconds};

use super::input::Input;
use super::time::Elapsed;
use crate::container::body;
use crate::container::{CONTEXT, Container, Cursor, Macro, MacroKind, Step};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::decoder::{Decoder, Sink};
use crate::message::{Message, MessageKind};
use crate::state::{ApplyError, PackedState, State};

/// A walk. It advances only on request, can be cloned, and holds the decoder and the state at its position.
#[derive(Debug, Clone)]
pub(crate) struct Playback<'a> {
    input: Input<'a>,
    cursor: Cursor,
    /// Absent if the messages of the protocol are unknown.
    decoder: Option<Decoder>,
    elapsed: Elapsed,
    /// The segment and the time of the last macro whose time its neighbors do not contradict.
    clock: Option<(usize, f32)>,
    /// The neighbors of the last macro contradict its time.
    contradicted: bool,
    pub(crate) state: State,
    /// Where the last macro begins.
    last: Cursor,
    /// The blocks that start the level (server information, baselines, resources), each with the context that decodes it.
    signon: Arc<Vec<(Cursor, Context)>>,
}

/// A position that [`Playback::enter`] can return to.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    cursor: Cursor,
    context: Context,
    last_good: Option<(u8, usize)>,
    elapsed: Elapsed,
    clock: Option<(usize, f32)>,
    state: PackedState,
    signon: Arc<Vec<(Cursor, Context)>>,
}

/// Seconds from one macro to the next that need no check.
const USUAL_STEP: f32 = 1.0;
/// Seconds after which a macro's time no longer confirms that of another.
const LONGEST_STEP: f32 = 60.0;

/// Limit for the blocks that start a level. Three are usual.
const MAX_SIGNON_BLOCKS: usize = 64;

impl Checkpoint {
    /// Heap bytes that it takes in addition to `like`.
    pub(crate) fn bytes_beside(&self, like: Option<&Checkpoint>) -> usize {
        let shared = like.is_some_and(|like| Arc::ptr_eq(&like.signon, &self.signon));
        self.state.bytes_beside(like.map(|like| &like.state)) + if shared { 0 } else { self.signon.len() * size_of::<(Cursor, Context)>() }
    }

    pub(crate) fn state_mut(&mut self) -> &mut PackedState {
        &mut self.state
    }
}

/// What a data block did to the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameOutcome {
    /// The block holds a frame, and the state shows it.
    Rebuilt,
    /// The block holds a frame that damage made uncertain ([`State::is_uncertain`]). The state shows it. The error is that of this block, if it
    /// has one.
    Uncertain(Option<ApplyError>),
    /// The block holds no frame.
    Absent,
}

/// Receives the messages of a block while [`Playback::visit`] applies them.
pub(crate) trait Visitor {
    /// The visitor needs no messages that only change entities, the player's own state, or the time. They are then read without trees.
    #[inline(always)]
    fn needs_no_deltas(&self) -> bool {
        false
    }

    /// A delta against the frame with this low byte was read without a tree.
    #[inline(always)]
    fn delta(&mut self, _base: u8) {}

    /// A message, before it is applied to `state`. `range` is its bytes within the block. The message is mutable because encoding it needs
    /// that; a visitor leaves it as it is.
    fn before(&mut self, _state: &State, _context: &Context, _message: &mut Message, _range: Range<usize>) {}

    /// The same message, after it was applied with this result.
    fn after(&mut self, _state: &mut State, _context: &Context, _message: &Message, _range: Range<usize>, _result: Result<(), ApplyError>) {}
}

/// Gets the messages of a block for [`Playback::play`] and needs no trees of deltas.
struct Blind;

impl Visitor for Blind {
    #[inline(always)]
    fn needs_no_deltas(&self) -> bool {
        true
    }
}

/// Applies the messages of one block.
struct Applying<'s, V> {
    state: &'s mut State,
    visitor: &'s mut V,
    /// The block holds a frame.
    frame: bool,
    cause: Option<ApplyError>,
    /// The block begins a level, or belongs to the beginning of one.
    begins: bool,
    belongs: bool,
}

impl<V: Visitor> Sink for Applying<'_, V> {
    #[inline]
    fn read(&mut self, context: &mut Context, data: &[u8]) -> Option<usize> {
        if !self.visitor.needs_no_deltas() {
            return None;
        }
        if let Some(&[SVC_TIME, a, b, c, d]) = data.first_chunk() {
            context.time = f32::from_le_bytes([a, b, c, d]);
            return Some(5);
        }
        let direct = self.state.read_direct(context, data)?;
        self.frame |= direct.is_frame;
        self.cause = self.cause.or(direct.result.err());
        if let Some(base) = direct.base {
            self.visitor.delta(base);
        }
        Some(direct.bytes)
    }

    #[inline]
    fn message(&mut self, context: &Context, message: &mut Message, range: Range<usize>) {
        self.visitor.before(self.state, context, message, range.clone());
        match message {
            Message::ServerInfo(_) => self.begins = true,
            Message::SpawnBaseline(_) | Message::ResourceList(_) => self.belongs = true,
            _ => {}
        }
        let result = self.state.apply(context, message);
        self.frame |= is_frame(message);
        self.cause = self.cause.or(result.err());
        self.visitor.after(self.state, context, message, range, result);
    }
}

/// The number of `svc_time`.
const SVC_TIME: u8 = MessageKind::Time.numbers()[0];

impl<'a> Playback<'a> {
    /// A walk from the first macro.
    pub(crate) fn new(input: &Input<'a>) -> Self {
        let decoder = input.dialect().messages.map(|rules| Decoder::new(Context::new(rules)));
        Playback {
            input: input.clone(),
            cursor: Cursor::default(),
            decoder,
            elapsed: Elapsed::default(),
            clock: None,
            contradicted: false,
            state: State::default(),
            last: Cursor::default(),
            signon: Arc::default(),
        }
    }

    /// The next macro, or the damage in its place.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Step<'a>> {
        self.last = self.cursor;
        if let Some((number, segment, window)) = self.cursor.next_usual(&self.input.container) {
            if !self.input.is_played(segment) {
                self.contradicted = false;
                return Some(Step::Macro { number, segment, window });
            }
            if let Some((of, before)) = self.clock
                && of == segment
                && window.kind != MacroKind::Start
                && is_usual_step(before, window.time)
            {
                self.contradicted = false;
                self.clock = Some((segment, window.time));
                self.elapsed.at(segment, window.time);
                return Some(Step::Macro { number, segment, window });
            }
            self.cursor = self.last;
        }
        self.next_unusual()
    }

    /// Passes over the next macros for which `passes` is true, up to one that needs a check. Four of five macros of a Half-Life recording are the client's own,
    /// and [`next`](Self::next) takes four times the instructions for each.
    #[inline]
    pub(crate) fn pass(&mut self, mut passes: impl FnMut(&Macro) -> bool) {
        let Some((segment, mut time)) = self.clock.filter(|&(segment, _)| self.cursor.is_in(segment)) else { return };
        let mut elapsed = self.elapsed;
        self.cursor.pass_usual(&self.input.container, |window| {
            let is_passed = is_usual_step(time, window.time) && passes(window);
            if is_passed {
                time = window.time;
                elapsed.at(segment, time);
            }
            is_passed
        });
        (self.clock, self.elapsed) = (Some((segment, time)), elapsed);
    }

    fn next_unusual(&mut self) -> Option<Step<'a>> {
        let step = self.cursor.next(&self.input.container)?;
        self.contradicted = false;
        if let Step::Macro { segment, window, .. } = &step
            && self.input.is_played(*segment)
        {
            let Some(contradicted) = self.is_contradicted(*segment, window) else {
                self.cursor = self.last;
                return None;
            };
            self.contradicted = contradicted;
            if !self.contradicted {
                self.clock = if window.kind == MacroKind::Start { None } else { Some((*segment, window.time)) };
                self.elapsed.at(*segment, window.time);
            }
        }
        Some(step)
    }

    /// True if the macros before and behind the last one contradict its time. Such a time is damage: nothing else uses it.
    pub(crate) fn time_contradicted(&self) -> bool {
        self.contradicted
    }

    /// `None` where the next chunk shows the macros that decide.
    #[inline]
    fn is_contradicted(&self, segment: usize, window: &Macro) -> Option<bool> {
        let before = self.clock.filter(|(of, _)| *of == segment && window.kind != MacroKind::Start).map(|(_, time)| time);
        let usual = before.is_some_and(|before| is_usual_step(before, window.time));
        if usual { Some(false) } else { self.next_contradicts(segment, before, window.time) }
    }

    /// True if the times of the next macros contradict `time`: they go on from `before`, or nothing confirms a jump. Damage may lie between.
    #[cold]
    fn next_contradicts(&self, segment: usize, before: Option<f32>, time: f32) -> Option<bool> {
        let mut cursor = self.cursor;
        let hides_more = self.chunk().hides_more();
        let mut waits = false;
        let mut next = std::iter::from_fn(|| {
            loop {
                let step = cursor.next(&self.input.container);
                waits |= step.is_none() && hides_more && !cursor.is_over(&self.input.container);
                match step? {
                    Step::Macro { segment: of, window, .. } => return (of == segment).then_some(window.time),
                    Step::Damage(_) => {}
                }
            }
        });
        // the end of a file that grows confirms nothing
        let first = next.next();
        let second = if before.is_none() && first.is_some() { next.next() } else { None };
        if waits {
            return None;
        }
        let Some(first) = first else { return Some(!self.input.container.grows() && before.is_some_and(|before| time > before + LONGEST_STEP)) };
        Some(match before {
            Some(before) if (before..before + LONGEST_STEP).contains(&first) => !(before..=first).contains(&time),
            Some(before) => time > before + LONGEST_STEP && first < time,
            // the first time has only those behind it
            None => time > first + USUAL_STEP && second.is_some_and(|second| (first..first + USUAL_STEP).contains(&second)),
        })
    }

    /// The same walk over another chunk of the recording.
    pub(crate) fn in_chunk<'b>(self, chunk: Chunk<'b>) -> Playback<'b> {
        let input = self.input.over(chunk);
        self.over(&input)
    }

    /// The bytes that it plays.
    pub(crate) fn chunk(&self) -> Chunk<'a> {
        self.input.container.chunk
    }

    /// True if the recording is played to its end.
    pub(crate) fn is_over(&self) -> bool {
        !self.chunk().hides_more() || self.cursor.is_over(&self.input.container)
    }

    /// Time since the first frame, at the last macro that was played.
    pub(crate) fn now(&self) -> Milliseconds {
        self.elapsed.now()
    }

    /// The same walk over the recording after it has grown, or over another chunk of it.
    pub(crate) fn over<'b>(self, input: &Input<'b>) -> Playback<'b> {
        Playback {
            input: input.clone(),
            cursor: self.cursor,
            decoder: self.decoder,
            elapsed: self.elapsed,
            clock: self.clock,
            contradicted: self.contradicted,
            state: self.state,
            last: self.last,
            signon: self.signon,
        }
    }

    /// Bytes of the recording before the next macro.
    pub(crate) fn offset(&self) -> u64 {
        self.cursor.offset(&self.input.container) as u64
    }

    /// The current position; [`enter`](Self::enter) restores `state` there.
    pub(crate) fn checkpoint(&self, state: PackedState) -> Option<Checkpoint> {
        let decoder = self.decoder.as_ref()?;
        let (context, last_good) = (decoder.context.clone(), decoder.last_good);
        Some(Checkpoint { cursor: self.cursor, context, last_good, elapsed: self.elapsed, clock: self.clock, state, signon: self.signon.clone() })
    }

    /// Goes to a checkpoint of the same recording. Returns true if the state lists the level's resources again.
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
                // an error here also occurred when the walk first passed
                let _ = self.play(&window);
            }
        }
        self.state.unpack(&checkpoint.state);
        (self.cursor, self.elapsed, self.clock, self.signon) = (checkpoint.cursor, checkpoint.elapsed, checkpoint.clock, checkpoint.signon.clone());
        if let Some(decoder) = &mut self.decoder {
            decoder.context = checkpoint.context.clone();
            decoder.last_good = checkpoint.last_good;
        }
        other
    }

    /// True for segments that the game plays, false for the loading segment.
    pub(crate) fn is_played(&self, segment: usize) -> bool {
        self.input.is_played(segment)
    }

    /// The context that decodes the next message. Absent if the messages of the protocol are unknown.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.decoder.as_ref().map(|decoder| &decoder.context)
    }

    /// The same, for a caller that decodes a block by itself.
    pub(crate) fn context_mut(&mut self) -> Option<&mut Context> {
        self.decoder.as_mut().map(|decoder| &mut decoder.context)
    }

    /// Number and file offset of the last message that decoded without an error.
    pub(crate) fn last_good(&self) -> Option<(u8, usize)> {
        self.decoder.as_ref().and_then(|decoder| decoder.last_good)
    }

    /// Bytes of the last block before the first message that does not decode.
    pub(crate) fn good_bytes(&self) -> usize {
        self.decoder.as_ref().map_or(0, |decoder| decoder.good_bytes)
    }

    /// Bytes of the last block that were passed over, and behind which its signon goes on.
    pub(crate) fn skipped(&self) -> &[Range<usize>] {
        self.decoder.as_ref().map_or(&[], |decoder| &decoder.skipped)
    }

    /// The server's time after the last block.
    pub(crate) fn server_time(&self) -> f32 {
        self.context().map_or(0.0, |context| context.time)
    }

    /// The sequence number of a data block.
    pub(crate) fn sequence(&self, window: &Macro) -> u32 {
        body::frame_sequence(window, self.input.dialect()).unwrap_or_default()
    }

    /// The sequence number of the next data block.
    pub(crate) fn next_sequence(&self) -> Option<u32> {
        self.sequence_behind().0
    }

    /// True if the next chunk may have the next data block.
    pub(crate) fn is_next_sequence_hidden(&self) -> bool {
        self.chunk().hides_more() && matches!(self.sequence_behind(), (None, cursor) if !cursor.is_over(&self.input.container))
    }

    /// The sequence number of the next data block, and where the search for it ended.
    fn sequence_behind(&self) -> (Option<u32>, Cursor) {
        let mut cursor = self.cursor;
        let macros = std::iter::from_fn(|| cursor.next(&self.input.container)).filter_map(Step::found);
        let sequence = macros.filter_map(|window| body::frame_sequence(&window, self.input.dialect())).next();
        (sequence, cursor)
    }

    /// Goes back to the start of the last macro.
    pub(crate) fn step_back(&mut self) {
        self.cursor = self.last;
    }

    /// The meaning of the protocol's numbers.
    pub(crate) fn dialect(&self) -> &Dialect {
        self.input.dialect()
    }

    /// The messages of a macro, with their offset in the file. Absent if the macro is not a data block.
    pub(crate) fn messages(&self, window: &Macro<'a>) -> Option<(usize, &'a [u8])> {
        body::messages(window, self.input.dialect())
    }

    /// Describes an error in the block of macro `number`: the bytes around it, the last good message, the bytes it skips.
    pub(crate) fn damage(&self, error: &Error, number: u32, window: &Macro) -> Damage {
        self.damage_after(error, self.last_good(), number, window)
    }

    /// The same, for a given last good message.
    pub(crate) fn damage_after(&self, error: &Error, last_good: Option<(u8, usize)>, number: u32, window: &Macro) -> Damage {
        let damage = describe(error, &self.input.container, last_good, number);
        damage.skipping(error.offset().unwrap_or(window.offset as u64), window.end() as u64)
    }

    /// Decodes the messages of a data block and does not apply them. `sink` may change a message; the context observes the message as
    /// `sink` leaves it. The error is that of the first message that does not decode.
    pub(crate) fn read(&mut self, window: &Macro<'a>, mut sink: impl FnMut(&Context, &mut Message, Range<usize>)) -> Result<(), Error> {
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, self.input.dialect())) else { return Ok(()) };
        complete(&mut decoder.context, window, self.input.dialect());
        decoder.block(data, offset, |context, message, range| sink(context, message, range))
    }

    /// Decodes the messages of a data block and applies them to the state.
    pub(crate) fn play(&mut self, window: &Macro<'a>) -> (FrameOutcome, Result<(), Error>) {
        self.visit(window, &mut Blind)
    }

    /// Decodes the messages of a data block and applies them to the state. This is the only place of the crate that does both. The error is
    /// that of the first message that does not decode.
    pub(crate) fn visit(&mut self, window: &Macro<'a>, visitor: &mut impl Visitor) -> (FrameOutcome, Result<(), Error>) {
        let dialect = self.input.dialect();
        let (Some(decoder), Some((offset, data))) = (&mut self.decoder, body::messages(window, dialect)) else { return (FrameOutcome::Absent, Ok(())) };
        complete(&mut decoder.context, window, dialect);
        let state = &mut self.state;
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let mut applying = Applying { state, visitor, frame: false, cause: None, begins: false, belongs: false };
        let read = decoder.block_into(data, offset, &mut applying);
        let Applying { state, frame, cause, begins, belongs, .. } = applying;
        if read.is_err() {
            // bytes in front of those that cannot be read may be damaged, too
            state.doubt();
        }
        let outcome = match frame {
            false => FrameOutcome::Absent,
            true if state.is_uncertain() => FrameOutcome::Uncertain(cause),
            true => FrameOutcome::Rebuilt,
        };
        if begins || belongs {
            let context = decoder.context.clone();
            let signon = Arc::make_mut(&mut self.signon);
            if begins {
                signon.clear();
            }
            if signon.len() < MAX_SIGNON_BLOCKS {
                signon.push((self.last, context));
            }
        }
        (outcome, read)
    }
}

/// True if a macro's time needs no check, by the time of the macro before.
#[inline]
fn is_usual_step(before: f32, time: f32) -> bool {
    (before..before + USUAL_STEP).contains(&time)
}

/// True for messages after which a walk knows whether an HLTV proxy recorded.
#[inline]
pub(crate) fn states_recorder(message: &Message) -> bool {
    matches!(message, Message::ServerInfo(_) | Message::Hltv(_))
}

/// True for messages that list the entities of a frame.
pub(crate) fn is_frame(message: &Message) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_))
}

/// Takes the number of players from a block where the server information is lost.
#[inline]
fn complete(context: &mut Context, window: &Macro, dialect: &Dialect) {
    if context.max_clients == 0 {
        context.max_clients = body::max_clients(window, dialect).unwrap_or_default();
    }
}

/// Turns a decoding error into damage that helps to find the cause: the bytes around it and the last good message.
fn describe(error: &Error, container: &Container<'_>, last_good: Option<(u8, usize)>, number: u32) -> Damage {
    let error = error.clone().inside("macro", Some(number));
    let mut damage = Damage::of(&error, DamageKind::Message);
    let at = (damage.offset as usize).min(container.length);
    let hex = |from: usize, to: usize| {
        let bytes = container.chunk.get(from..to).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
    };
    let context = format!("{} [{}", hex(at.saturating_sub(8), at), hex(at, (at + CONTEXT).min(container.length)));
    damage.detail.push_str(&format!("; bytes around it: {}]", context.trim()));
    match last_good {
        Some((id, offset)) => damage.detail.push_str(&format!("; the last good message was {} at offset {offset}", crate::message::name(id))),
        None => damage.detail.push_str("; no message before it could be read"),
    }
    damage
}
