//! Writes parts of a recording: frames with a loading part before them, deltas re-encoded where their base was cut off.

use std::ops::Range;

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::replay::{Chunks, Fed, SizePlan, SizedParts, feed_all};
use fragreel_model::{Action, DeltaBase, Edited};

use super::file_writer::{FileWriter, TimeShift};
use crate::container::body;
use crate::container::{Entry, Macro, MacroCopy, MacroKind, MacroType, Step, directory};
use crate::encode::reencode::FrameEncoder;
use crate::encode::signon::{Block, SignonState, TransientMessages};
use crate::message::Message;
use crate::message::context::Context;
use crate::state::{ApplyError, State};
use crate::walk::input::Input;
use crate::walk::playback::{Playback, Visitor, is_frame};
use crate::walk::timeline::{Ring, Timeline};

/// Which parts are wanted.
#[derive(Debug, Clone)]
pub(super) enum Parts<'t> {
    /// These frames, in rising order.
    Frames(Vec<Run>),
    /// All frames, in files of a size.
    Bytes(SizePlan, &'t Timeline),
}

/// Frames that follow one another, by the numbers of their macros.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub first: u32,
    pub last: u32,
    /// The frame behind the last.
    pub behind: Option<u32>,
}

/// Writes parts of the recording in `chunks`, in one walk over it. `input` says how it is read, and it has `frames` frames.
pub(super) fn write_parts<C: Chunks>(input: &Input, frames: usize, wanted: &Parts, chunks: &mut C) -> Result<Result<SizedParts, Error>, C::Error> {
    let input = input.over(Chunk::none());
    let playback = Playback::new(&input);
    let writer = match PartWriter::new(input, frames, wanted) {
        Ok(writer) => writer,
        Err(error) => return Ok(Err(error)),
    };
    let PartWalk { writer, written, .. } = feed_all(PartWalk { playback, writer, written: Ok(()) }, chunks)?;
    Ok(written.and_then(|()| writer.finish()))
}

/// The walk that writes parts.
struct PartWalk<'r> {
    playback: Playback<'static>,
    writer: PartWriter<'r>,
    written: Result<(), Error>,
}

impl Fed for PartWalk<'_> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let PartWalk { playback, mut writer, mut written } = self;
        let mut playback = playback.in_chunk(chunk);
        while let Some(step) = playback.next() {
            if let Step::Macro { number, segment, window } = step {
                written = writer.add(&mut playback, number, segment, &window);
            }
            if written.is_err() || writer.is_done() {
                break;
            }
        }
        PartWalk { playback: playback.in_chunk(Chunk::none()), writer, written }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.written.is_err() || self.writer.is_done() || self.playback.is_over()
    }
}

/// Writes parts of a recording.
struct PartWriter<'r> {
    /// How the recording is read.
    input: Input<'static>,
    /// The number of its frames.
    frames: usize,
    wanted: &'r Parts<'r>,
    signon: SignonState,
    encoder: FrameEncoder,
    /// The last macros that set the client's own view: client data, and one buffer of each kind.
    client_macros: Vec<MacroCopy>,
    /// Macros since the last data block. Without a part, only those that the next frame may own.
    leading: Vec<MacroCopy>,
    /// Index of the next part of those wanted.
    next: usize,
    part: Option<OpenPart>,
    size_plan: Option<SizePlan>,
    /// A part became longer than wanted.
    too_long: Option<SizedParts>,
    done: Vec<Edited>,
}

/// A part that is being written.
struct OpenPart {
    output: FileWriter,
    segment: usize,
    shift: TimeShift,
    /// Sequence number of its first frame.
    first: Option<u32>,
    /// Frames that the part has. Deltas against other frames are re-encoded.
    entities: Ring,
    client: Ring,
    frames: usize,
    reencoded: usize,
    /// Messages to send once the client's clock runs.
    transient: Option<TransientMessages>,
    /// Its last frame is written; only macros behind it follow.
    closing: bool,
}

/// Seconds after which every client has displayed a frame.
const FIRST_FRAME_DISPLAYED: f32 = 0.1;

impl<'r> PartWriter<'r> {
    fn new(input: Input<'static>, frames: usize, wanted: &'r Parts<'r>) -> Result<Self, Error> {
        if input.dialect().messages.is_none() {
            return Err(Error::unsupported("the messages of demo protocol 4 are not known, and without them no frame can be re-encoded"));
        }
        Ok(PartWriter {
            input,
            frames,
            wanted,
            signon: SignonState::new(),
            encoder: FrameEncoder::default(),
            client_macros: Vec::new(),
            leading: Vec::new(),
            next: 0,
            part: None,
            size_plan: if let Parts::Bytes(plan, _) = wanted { Some(*plan) } else { None },
            too_long: None,
            done: Vec::new(),
        })
    }

    fn is_done(&self) -> bool {
        self.too_long.is_some() || matches!(self.wanted, Parts::Frames(runs) if self.next == runs.len())
    }

    fn add<'a>(&mut self, playback: &mut Playback<'a>, number: u32, segment: usize, window: &Macro<'a>) -> Result<(), Error> {
        if !self.input.is_played(segment) {
            self.signon.load(window);
            if window.kind == MacroKind::Data {
                self.block(playback, window, false);
            }
            return Ok(());
        }
        if window.kind != MacroKind::Data {
            self.add_client_macro(window);
            return Ok(());
        }
        self.begin_if_wanted(number, segment, window)?;
        self.enter_segment(segment);
        let (framed, edited) = self.block(playback, window, true);
        if std::mem::take(&mut self.signon.level_began) && self.part.as_ref().is_some_and(|part| part.closing) {
            // another level behind the last frame is left out
            self.next += 1;
            self.end()?;
        }
        self.write_leading();
        if let Some(part) = &mut self.part {
            if part.shift.of(window.time, window.frame).0 >= FIRST_FRAME_DISPLAYED
                && let Some(transient) = part.transient.take()
            {
                let passed = self.signon.current(&transient, playback.server_time());
                if !passed.is_empty() {
                    part.output.data(1, window, part.shift, &passed)?;
                }
            }
            match edited {
                Some(messages) => {
                    part.reencoded += 1;
                    part.output.data(1, window, part.shift, &messages)?;
                }
                None => part.output.copy(window, part.shift),
            }
            part.frames += usize::from(framed);
        }
        self.end_if_last(number)
    }

    /// Begins a part if one starts with this data block.
    fn begin_if_wanted(&mut self, number: u32, segment: usize, window: &Macro) -> Result<(), Error> {
        let begins = match self.wanted {
            Parts::Frames(runs) => {
                if self.part.is_some() && runs.get(self.next + 1).is_some_and(|run| run.first == number) {
                    self.end_before(window)?;
                    self.next += 1;
                }
                self.part.is_none() && runs.get(self.next).is_some_and(|run| run.first == number)
            }
            Parts::Bytes(_, timeline) if timeline.line.frames.binary_search_by_key(&number, |frame| frame.message).is_err() => false,
            Parts::Bytes(..) => {
                let leading: usize = self.leading.iter().map(MacroCopy::window).map(|one| one.end() - one.offset).sum();
                let bytes = leading + window.end() - window.offset;
                if let (Some(part), Some(size_plan)) = (&self.part, &mut self.size_plan)
                    && size_plan.ends(part.output.len(), bytes)
                {
                    self.end_before(window)?;
                }
                self.part.is_none() && self.too_long.is_none()
            }
        };
        if begins {
            self.part = Some(self.begin(segment, window)?);
        }
        Ok(())
    }

    fn begin(&mut self, segment: usize, window: &Macro) -> Result<OpenPart, Error> {
        let container = &self.input.container;
        let signon = &self.signon;
        let mut output = FileWriter::new(container.dialect, signon.header(&container.header, &container.dialect));
        write_loading(&mut output, &self.input, signon, window)?;
        let transient = Some(signon.transient());
        let own = self.take_leading_of(window);
        let shift = TimeShift::from(&own.first().map_or(*window, MacroCopy::window));
        output.begin(segment_entry(&self.input, segment));
        output.write(START, (0.0, 0), &[]);
        for one in self.client_macros.iter().filter(|one| !own.contains(one)).map(MacroCopy::window) {
            output.write(one.id, (0.0, 0), one.body);
        }
        self.leading = own;
        if let Some(size_plan) = &mut self.size_plan {
            size_plan.open(output.len());
        }
        let (entities, client) = (Ring::default(), Ring::default());
        Ok(OpenPart { output, segment, shift, first: None, entities, client, frames: 0, reencoded: 0, transient, closing: false })
    }

    /// Takes the macros that belong to a frame: those of the same moment before it.
    fn take_leading_of(&mut self, window: &Macro) -> Vec<MacroCopy> {
        let leading = &mut self.leading;
        let is_own = |one: &Macro| one.frame == window.frame && one.kind != MacroKind::Start;
        let own = leading.iter().rev().take_while(|one| is_own(&one.window())).count();
        leading.split_off(leading.len() - own)
    }

    /// Ends a part where the next begins with this frame. Macros before the frame belong to the old part.
    fn end_before(&mut self, window: &Macro) -> Result<(), Error> {
        let own = self.take_leading_of(window);
        self.write_leading();
        self.leading = own;
        self.end()
    }

    /// Writes the macros since the last data block.
    fn write_leading(&mut self) {
        let leading = std::mem::take(&mut self.leading);
        let Some(part) = &mut self.part else { return };
        for one in leading.iter().map(MacroCopy::window).filter(|one| !matches!(one.kind, MacroKind::Start | MacroKind::End)) {
            part.output.copy(&one, part.shift);
        }
    }

    /// Starts a new segment of the part where the source does.
    fn enter_segment(&mut self, segment: usize) {
        if self.part.as_ref().is_none_or(|part| part.segment == segment) {
            return;
        }
        // macros before its start macro belong to the old segment
        let start = self.leading.iter().rposition(|one| one.window().kind == MacroKind::Start).unwrap_or_default();
        let new = self.leading.split_off(start);
        self.write_leading();
        self.leading = new;
        let Some(part) = &mut self.part else { return };
        part.segment = segment;
        part.shift = TimeShift::default();
        part.output.end();
        part.output.begin(segment_entry(&self.input, segment));
        part.output.write(START, (0.0, 0), &[]);
    }

    /// Ends the part if the frame just written is its last. The macros behind it stay in the part if no other part has them.
    fn end_if_last(&mut self, number: u32) -> Result<(), Error> {
        let (Parts::Frames(runs), Some(part)) = (self.wanted, &mut self.part) else { return Ok(()) };
        let Some(run) = runs.get(self.next).filter(|run| run.last == number) else { return Ok(()) };
        if run.behind.is_none() || runs.get(self.next + 1).is_some_and(|next| Some(next.first) == run.behind) {
            part.closing = true;
            return Ok(());
        }
        self.next += 1;
        self.end()
    }

    fn end(&mut self) -> Result<(), Error> {
        let Some(part) = self.part.take() else { return Ok(()) };
        let mut edited = part.output.finish()?;
        if let Some(size_plan) = &mut self.size_plan {
            self.too_long = size_plan.close(edited.bytes.len())?;
        }
        edited.actions.push(Action::FramesTaken { frames: part.frames as u64, of: self.frames as u64 });
        if part.reencoded > 0 {
            edited.actions.push(Action::FramesReencoded { frames: part.reencoded as u64, base: DeltaBase::CutOff });
        }
        self.done.push(edited);
        Ok(())
    }

    fn finish(mut self) -> Result<SizedParts, Error> {
        self.write_leading();
        self.end()?;
        Ok(self.too_long.unwrap_or(SizedParts::Parts(self.done)))
    }

    /// A macro between data blocks.
    fn add_client_macro(&mut self, window: &Macro) {
        // the game's own buffers begin with a number for their purpose
        let purpose = |one: &Macro| (one.kind, if one.kind == MacroKind::Buffer { one.body.get(4..8).map(<[u8]>::to_vec) } else { None });
        if matches!(window.kind, MacroKind::ClientData | MacroKind::Buffer) {
            self.client_macros.retain(|old| purpose(&old.window()) != purpose(window));
            self.client_macros.push(window.into());
        }
        if self.part.is_none() && self.leading.last().is_some_and(|last| last.window().frame != window.frame) {
            self.leading.clear();
        }
        self.leading.push(window.into());
    }

    /// Plays a block. Returns whether it has a frame, and its messages for the part if they differ from the source's.
    fn block<'a>(&mut self, playback: &mut Playback<'a>, window: &Macro<'a>, late: bool) -> (bool, Option<Vec<u8>>) {
        let Some((_, data)) = playback.messages(window) else { return (false, None) };
        let (part, edits) = (self.part.as_mut(), Vec::new());
        let mut editor = BlockEditor { data, late, signon: &mut self.signon, encoder: &mut self.encoder, part, framed: false, edits };
        // damage is copied; `repair` is for that
        let _ = playback.visit(window, &mut editor);
        let BlockEditor { framed, edits, .. } = editor;
        if late {
            self.signon.end_block(window);
        }
        if edits.is_empty() {
            return (framed, None);
        }
        let mut messages = Vec::with_capacity(data.len() + 4096);
        let mut at = 0;
        for (range, new) in edits {
            messages.extend_from_slice(&data[at..range.start]);
            messages.extend_from_slice(&new);
            at = range.end;
        }
        messages.extend_from_slice(&data[at..]);
        (framed, Some(messages))
    }
}

/// Re-encodes the messages of a block whose delta base the part lacks.
struct BlockEditor<'w> {
    data: &'w [u8],
    /// The block was recorded while playing.
    late: bool,
    signon: &'w mut SignonState,
    encoder: &'w mut FrameEncoder,
    part: Option<&'w mut OpenPart>,
    /// The block has a frame.
    framed: bool,
    edits: Vec<(Range<usize>, Vec<u8>)>,
}

impl Visitor for BlockEditor<'_> {
    fn before(&mut self, _: &State, context: &Context, message: &mut Message, range: Range<usize>) {
        self.signon.message(context, message, &self.data[range.clone()], range.start, self.late);
        self.encoder.observe(message);
        self.framed |= is_frame(message);
    }

    fn after(&mut self, state: &mut State, context: &Context, message: &Message, range: Range<usize>, _: Result<(), ApplyError>) {
        if let Some(new) = self.reencode(state, context, message) {
            self.edits.push((range, new));
        }
    }
}

impl BlockEditor<'_> {
    fn reencode(&mut self, state: &mut State, context: &Context, message: &Message) -> Option<Vec<u8>> {
        let now = state.sequence();
        let part = self.part.as_deref_mut()?;
        match message {
            Message::ServerInfo(_) => {
                (part.entities, part.client) = (Ring::default(), Ring::default());
                None
            }
            Message::PacketEntities(_) => {
                part.entities.set(now, true);
                part.first.get_or_insert(now);
                if !state.entities_uncertain() {
                    return None;
                }
                FrameEncoder::recounted(state, context, message)
            }
            Message::DeltaPacketEntities(update) => {
                let inside = part.entities.has(update.delta_sequence, now);
                part.entities.set(now, true);
                if inside {
                    return if state.entities_uncertain() { FrameEncoder::recounted(state, context, message) } else { None };
                }
                let first = part.first;
                part.first.get_or_insert(now);
                Some(self.encoder.entities(state, context, first.filter(|&first| part.entities.base(first as u8, now) == Some(first))))
            }
            Message::ClientData(data) => {
                let byte = data.body.as_ref()?.delta_sequence;
                let inside = byte.is_none_or(|byte| part.client.has(byte, now));
                part.client.set(now, true);
                if inside {
                    return None;
                }
                Some(self.encoder.client_data(state, context))
            }
            _ => None,
        }
    }
}

/// Writes the loading part: as it was, followed by what changed until the part begins.
pub(super) fn write_loading(output: &mut FileWriter, input: &Input, signon: &SignonState, first: &Macro) -> Result<(), Error> {
    let since = signon.since();
    if signon.blocks.is_empty() && since.is_empty() {
        return Ok(());
    }
    let segments = &input.container.segments;
    let entry = segments.iter().find(|segment| !segment.is_playback()).map(|segment| segment.entry.clone());
    output.begin(entry.unwrap_or_else(|| Entry::new(directory::LOADING, "LOADING")));
    let last = signon.blocks.iter().map(|block| block.window.window()).rfind(|window| window.kind == MacroKind::Data).unwrap_or(*first);
    if let (prelude @ [_, ..], Some(block)) = (signon.prelude(), signon.blocks.first()) {
        output.data(0, &block.window.window(), TimeShift::default(), prelude)?;
    }
    for Block { window, skip } in &signon.blocks {
        let window = window.window();
        match body::messages(&window, input.dialect()) {
            Some((_, data)) => output.data(0, &window, TimeShift::default(), &data[*skip..])?,
            None => output.copy(&window, TimeShift::default()),
        }
    }
    if !since.is_empty() {
        output.data(0, &last, TimeShift::default(), &since)?;
    }
    match &signon.ends[..] {
        [] => output.end(),
        ends => {
            ends.iter().for_each(|end| output.copy(&end.window(), TimeShift::default()));
            output.ended();
        }
    }
    Ok(())
}

/// The directory entry of a played segment, as the source has it.
pub(super) fn segment_entry(input: &Input, segment: usize) -> Entry {
    input.container.segments[segment].entry.clone()
}

/// The type of the macro that starts a played segment, in both tables.
pub(super) const START: MacroType = MacroType(2);
