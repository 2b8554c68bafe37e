//! Parts of a recording that the game plays (`docs/formats/goldsrc.md`, "Editing").

use std::ops::Range;

use model::{Action, Edited};
use replay::{SizePlan, SizedParts, cut_all};
use wire::Error;

use crate::container::body;
use crate::container::{Entry, Macro, MacroKind, MacroType, Step, directory};
use crate::message::Message;
use crate::message::context::Context;
use crate::message::decoder::Decoder;
use crate::recording::Recording;
use crate::state::State;

use super::file_writer::{FileWriter, TimeShift};
use crate::encode::reencode::{self, Descriptions};
use crate::encode::signon::{Block, SignonState, TransientMessages};
use crate::walk::timeline::{Frame, Ring, Timeline};

/// Which parts are wanted.
#[derive(Debug, Clone)]
pub(super) enum Parts {
    /// These frames, first and last, in rising order.
    Frames(Vec<(usize, usize)>),
    /// All frames, in files of a size.
    Bytes(SizePlan),
}

/// The frames of ranges, each as a recording.
pub(super) fn cuts(recording: &Recording, ranges: &[model::Range]) -> Vec<Result<Edited, Error>> {
    let timeline = match recording.timeline() {
        Ok(timeline) => timeline,
        Err(error) => return ranges.iter().map(|_| Err(error.clone())).collect(),
    };
    let frames = ranges.iter().map(|range| timeline.range(*range).map(|(first, last)| first..last + 1)).collect();
    cut_all(frames, &mut |parts| frames_of(recording, timeline, parts.iter().map(|frames| (frames.start, frames.end - 1)).collect()))
}

/// Runs of frames, first and last, in rising order, each as a recording.
pub(super) fn frames_of(recording: &Recording, timeline: &Timeline, ranges: Vec<(usize, usize)>) -> Result<Vec<Edited>, Error> {
    match parts(recording, timeline, &Parts::Frames(ranges))? {
        SizedParts::Parts(parts) => Ok(parts),
        SizedParts::TooLong { .. } => Ok(Vec::new()),
    }
}

/// Cuts `recording` in one walk over it.
pub(super) fn parts(recording: &Recording, timeline: &Timeline, wanted: &Parts) -> Result<SizedParts, Error> {
    let mut writer = PartWriter::new(recording, timeline, wanted)?;
    for step in recording.container.macros() {
        if let Step::Macro { number, segment, window } = step {
            writer.add(number, segment, &window)?;
        }
        if writer.is_done() {
            break;
        }
    }
    writer.finish()
}

/// What is known of a recording on the way through it.
pub(super) struct SourceState<'a> {
    pub decoder: Decoder,
    pub state: State,
    pub signon: SignonState<'a>,
    pub descriptions: Descriptions,
    /// The last macros that say how the client itself looks at the game.
    looks: Vec<Macro<'a>>,
    /// Macros since the last data block.
    leading: Vec<Macro<'a>>,
}

impl<'a> SourceState<'a> {
    pub(super) fn new(recording: &Recording<'a>) -> Result<Self, Error> {
        let Some(rules) = recording.dialect().messages else {
            return Err(Error::unsupported("the messages of demo protocol 4 are not known, and without them no frame can be re-encoded"));
        };
        Ok(SourceState {
            decoder: Decoder::new(Context::new(rules)),
            state: State::default(),
            signon: SignonState::new(),
            descriptions: Descriptions::default(),
            looks: Vec::new(),
            leading: Vec::new(),
        })
    }

    /// A macro between data blocks.
    fn look(&mut self, window: &Macro<'a>) {
        // the game's own buffers begin with what they are about
        let about = |one: &Macro| (one.kind, if one.kind == MacroKind::Buffer { one.body.get(4..8).map(<[u8]>::to_vec) } else { None });
        if matches!(window.kind, MacroKind::ClientData | MacroKind::Buffer) {
            self.looks.retain(|old| about(old) != about(window));
            self.looks.push(*window);
        }
        self.leading.push(*window);
    }
}

struct PartWriter<'r, 'a> {
    recording: &'r Recording<'a>,
    timeline: &'r Timeline,
    wanted: &'r Parts,
    walk: SourceState<'a>,
    /// Index of the next frame.
    frame: usize,
    /// Index of the next part of those wanted.
    next: usize,
    part: Option<OpenPart>,
    size_plan: Option<SizePlan>,
    /// A part was longer than wanted.
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
    /// Frames that are in it: deltas against others are re-encoded.
    entities: Ring,
    client: Ring,
    frames: usize,
    reencoded: usize,
    /// What is to be sent once the client's clock goes right.
    transient: Option<TransientMessages>,
    /// Its last frame is written; what follows is its tail.
    closing: bool,
}

/// Seconds after which every client has shown a frame.
const SHOWN: f32 = 0.1;

impl<'r, 'a> PartWriter<'r, 'a> {
    fn new(recording: &'r Recording<'a>, timeline: &'r Timeline, wanted: &'r Parts) -> Result<Self, Error> {
        let size_plan = if let Parts::Bytes(size_plan) = wanted { Some(*size_plan) } else { None };
        Ok(PartWriter {
            recording,
            timeline,
            wanted,
            walk: SourceState::new(recording)?,
            frame: 0,
            next: 0,
            part: None,
            size_plan,
            too_long: None,
            done: Vec::new(),
        })
    }

    fn is_done(&self) -> bool {
        self.too_long.is_some() || matches!(self.wanted, Parts::Frames(ranges) if self.next == ranges.len())
    }

    fn add(&mut self, number: u32, segment: usize, window: &Macro<'a>) -> Result<(), Error> {
        let playing = self.recording.container.segments[segment].is_playback();
        if !playing {
            self.walk.signon.load(window);
            if window.kind == MacroKind::Data {
                self.block(window, false);
            }
            return Ok(());
        }
        if window.kind != MacroKind::Data {
            self.walk.look(window);
            return Ok(());
        }
        let frame = self.timeline.frames.get(self.frame).filter(|frame| frame.number == number).copied();
        if let Some(frame) = frame {
            self.begin_at(&frame, window)?;
        }
        self.enter(segment);
        let edited = self.block(window, true);
        if std::mem::take(&mut self.walk.signon.level_began) && self.part.as_ref().is_some_and(|part| part.closing) {
            // behind its last frame a part has no use for another level
            self.next += 1;
            self.end()?;
        }
        self.leave_behind();
        if let Some(part) = &mut self.part {
            if part.shift.of(window.time, window.frame).0 >= SHOWN
                && let Some(transient) = part.transient.take()
            {
                let passed = self.walk.signon.passed(&transient, self.walk.decoder.context.time);
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
            part.frames += usize::from(frame.is_some());
        }
        if frame.is_some() {
            self.end_at()?;
            self.frame += 1;
        }
        Ok(())
    }

    /// Begins a part when one is wanted from this frame on.
    fn begin_at(&mut self, frame: &Frame, window: &Macro<'a>) -> Result<(), Error> {
        let begins = match self.wanted {
            Parts::Frames(ranges) => {
                if self.part.is_some() && ranges.get(self.next + 1).is_some_and(|range| range.0 == self.frame) {
                    self.hand_over(window)?;
                    self.next += 1;
                }
                self.part.is_none() && ranges.get(self.next).is_some_and(|range| range.0 == self.frame)
            }
            Parts::Bytes(_) => {
                let leading: usize = self.walk.leading.iter().map(|one| one.end() - one.offset).sum();
                let bytes = leading + window.end() - window.offset;
                if let (Some(part), Some(size_plan), true) = (&self.part, &mut self.size_plan, frame.known)
                    && size_plan.ends(part.output.len(), bytes)
                {
                    self.hand_over(window)?;
                }
                self.part.is_none() && frame.known && self.too_long.is_none()
            }
        };
        if begins {
            self.part = Some(self.begin(frame, window)?);
        }
        Ok(())
    }

    fn begin(&mut self, frame: &Frame, window: &Macro<'a>) -> Result<OpenPart, Error> {
        let container = &self.recording.container;
        let signon = &self.walk.signon;
        let mut output = FileWriter::new(container.dialect, signon.header(&container.header, &container.dialect));
        loading(&mut output, self.recording, signon, window)?;
        let transient = Some(signon.transient());
        let own = self.own(window);
        let shift = TimeShift::from(own.first().unwrap_or(window));
        output.begin(playback(self.recording, frame.segment));
        output.write(START, (0.0, 0), &[]);
        for look in self.walk.looks.iter().filter(|look| !own.contains(look)) {
            output.write(look.id, (0.0, 0), look.body);
        }
        self.walk.leading = own;
        if let Some(size_plan) = &mut self.size_plan {
            size_plan.open(output.len());
        }
        let (entities, client) = (Ring::default(), Ring::default());
        Ok(OpenPart { output, segment: frame.segment, shift, first: None, entities, client, frames: 0, reencoded: 0, transient, closing: false })
    }

    /// What belongs to a frame: the macros of the same moment that go before it.
    fn own(&mut self, window: &Macro) -> Vec<Macro<'a>> {
        let leading = &mut self.walk.leading;
        let own = leading.iter().rev().take_while(|one| one.frame == window.frame && one.kind != MacroKind::Start).count();
        leading.split_off(leading.len() - own)
    }

    /// Ends a part where the next begins with this frame: what comes before the frame is the old one's.
    fn hand_over(&mut self, window: &Macro) -> Result<(), Error> {
        let own = self.own(window);
        self.leave_behind();
        self.walk.leading = own;
        self.end()
    }

    /// Writes the macros since the last data block.
    fn leave_behind(&mut self) {
        let leading = std::mem::take(&mut self.walk.leading);
        let Some(part) = &mut self.part else { return };
        for one in leading.iter().filter(|one| !matches!(one.kind, MacroKind::Start | MacroKind::End)) {
            part.output.copy(one, part.shift);
        }
    }

    /// Another segment of the source is another segment of the part.
    fn enter(&mut self, segment: usize) {
        if self.part.as_ref().is_none_or(|part| part.segment == segment) {
            return;
        }
        // what stands before its start macro is still the old one's
        let start = self.walk.leading.iter().rposition(|one| one.kind == MacroKind::Start).unwrap_or_default();
        let new = self.walk.leading.split_off(start);
        self.leave_behind();
        self.walk.leading = new;
        let Some(part) = &mut self.part else { return };
        part.segment = segment;
        part.shift = TimeShift::default();
        part.output.end();
        part.output.begin(playback(self.recording, segment));
        part.output.write(START, (0.0, 0), &[]);
    }

    /// Ends the part when the frame just written is its last, unless what follows belongs to no other part.
    fn end_at(&mut self) -> Result<(), Error> {
        let (Parts::Frames(ranges), Some(part)) = (self.wanted, &mut self.part) else { return Ok(()) };
        if ranges.get(self.next).is_none_or(|range| range.1 != self.frame) {
            return Ok(());
        }
        let behind = self.frame + 1;
        if behind == self.timeline.frames.len() || ranges.get(self.next + 1).is_some_and(|range| range.0 == behind) {
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
        edited.actions.push(Action::FramesTaken { frames: part.frames as u64, of: self.timeline.frames.len() as u64 });
        if part.reencoded > 0 {
            edited.actions.push(Action::BlocksReencoded { blocks: part.reencoded as u64 });
        }
        self.done.push(edited);
        Ok(())
    }

    fn finish(mut self) -> Result<SizedParts, Error> {
        self.leave_behind();
        self.end()?;
        Ok(self.too_long.unwrap_or(SizedParts::Parts(self.done)))
    }

    /// Reads a block, and gives its messages for the part when they are not the old ones.
    fn block(&mut self, window: &Macro<'a>, late: bool) -> Option<Vec<u8>> {
        let dialect = self.recording.dialect();
        let (offset, data) = body::messages(window, dialect)?;
        let SourceState { decoder, state, signon, descriptions, .. } = &mut self.walk;
        state.begin(body::frame_sequence(window, dialect).unwrap_or_default());
        let part = &mut self.part;
        let mut edits: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
        // what is damaged stays as it is: `repair` is for that
        let _ = decoder.block(data, offset, |context, message, range| {
            signon.message(context, message, &data[range.clone()], range.start, late);
            descriptions.observe(message);
            if let Some(new) = reencoded(part.as_mut(), state, context, descriptions, message) {
                edits.push((range, new));
            }
        });
        if late {
            signon.end_block(window);
        }
        if edits.is_empty() {
            return None;
        }
        let mut messages = Vec::with_capacity(data.len() + 4096);
        let mut at = 0;
        for (range, new) in edits {
            messages.extend_from_slice(&data[at..range.start]);
            messages.extend_from_slice(&new);
            at = range.end;
        }
        messages.extend_from_slice(&data[at..]);
        Some(messages)
    }
}

/// Applies a message, and re-encodes it when the part lacks its delta base.
fn reencoded(part: Option<&mut OpenPart>, state: &mut State, context: &Context, descriptions: &Descriptions, message: &Message) -> Option<Vec<u8>> {
    let now = state.sequence();
    let base = match message {
        Message::DeltaPacketEntities(update) => state.entity_base(update.delta_sequence),
        Message::ClientData(data) => data.body.as_ref()?.delta_sequence.and_then(|byte| state.client_base(byte)),
        _ => None,
    };
    // a count that is wrong is wrong in the part, too
    let _ = state.apply(context, message);
    let part = part?;
    match message {
        Message::ServerInfo(_) => {
            (part.entities, part.client) = (Ring::default(), Ring::default());
            None
        }
        Message::PacketEntities(_) => {
            part.entities.set(now, true);
            part.first.get_or_insert(now);
            None
        }
        Message::DeltaPacketEntities(update) => {
            let inside = part.entities.has(update.delta_sequence, now);
            part.entities.set(now, base.is_some());
            if inside || base.is_none() {
                return None;
            }
            let first = part.first;
            part.first.get_or_insert(now);
            Some(reencode::entities(state, context, descriptions, first.filter(|&first| part.entities.base(first as u8, now) == Some(first))))
        }
        Message::ClientData(data) => {
            let byte = data.body.as_ref()?.delta_sequence;
            let inside = byte.is_none_or(|byte| part.client.has(byte, now));
            part.client.set(now, byte.is_none() || base.is_some());
            if inside || base.is_none() {
                return None;
            }
            Some(reencode::client_data(state, context, descriptions))
        }
        _ => None,
    }
}

/// The loading part: as it was, and brought to the state of then.
pub(super) fn loading(output: &mut FileWriter, recording: &Recording, signon: &SignonState, first: &Macro) -> Result<(), Error> {
    let since = signon.since();
    if signon.blocks.is_empty() && since.is_empty() {
        return Ok(());
    }
    let segments = &recording.container.segments;
    let entry = segments.iter().find(|segment| !segment.is_playback()).map(|segment| segment.entry.clone());
    output.begin(entry.unwrap_or_else(|| Entry::new(directory::LOADING, "LOADING")));
    let data = || signon.blocks.iter().map(|block| &block.window).filter(|window| window.kind == MacroKind::Data);
    let last = data().next_back().unwrap_or(first);
    if let (prelude @ [_, ..], Some(block)) = (signon.prelude(), signon.blocks.first()) {
        output.data(0, &block.window, TimeShift::default(), prelude)?;
    }
    for Block { window, skip } in &signon.blocks {
        match body::messages(window, recording.dialect()) {
            Some((_, data)) => output.data(0, window, TimeShift::default(), &data[*skip..])?,
            None => output.copy(window, TimeShift::default()),
        }
    }
    if !since.is_empty() {
        output.data(0, last, TimeShift::default(), &since)?;
    }
    match &signon.ends[..] {
        [] => output.end(),
        ends => {
            ends.iter().for_each(|end| output.copy(end, TimeShift::default()));
            output.ended();
        }
    }
    Ok(())
}

/// The entry of a played segment, as the source has it.
pub(super) fn playback(recording: &Recording, segment: usize) -> Entry {
    recording.container.segments[segment].entry.clone()
}

/// The type of the macro that starts a played segment, in both tables.
pub(super) const START: MacroType = MacroType(2);
