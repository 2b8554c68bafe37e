//! `join`: one recording of parts of one session.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited};

use crate::container::body;
use crate::container::{Macro, MacroKind, Segment, Step};
use crate::message::ServerInfo;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

use super::Source;
use super::cut::cut_frames;
use super::file_writer::{FileWriter, TimeShift};
use super::part_writer::{START, segment_entry, write_loading};
use crate::encode::signon::SignonState;
use crate::walk::timeline::Frame;

pub(crate) fn join(sources: &[Source]) -> Result<Edited, Error> {
    let Some((first, rest)) = sources.split_first() else { return Err(Error::misuse("there is nothing to join")) };
    let mut joiner = Joiner::new(first.input)?;
    for (at, part) in rest.iter().enumerate() {
        joiner.check_same_session(part.input, at + 2)?;
        joiner.append(part, at + 2)?;
    }
    joiner.finish()
}

/// The end of the part that was written last.
struct PartEnd {
    signon: SignonState,
    server_time: f32,
    sequence: u32,
}

impl PartEnd {
    /// True if `frame` is later. Several frames may have one server time, and the server may set its clock back within a level.
    fn is_before(&self, frame: &Frame) -> bool {
        frame.server_time > self.server_time || frame.sequence.wrapping_sub(self.sequence) as i32 > 0
    }
}

struct Joiner<'a> {
    first: &'a Input<'a>,
    output: FileWriter,
    before: PartEnd,
    /// Time and frame of the last macro written.
    last: (f32, i32),
    parts: usize,
    actions: Vec<Action>,
}

impl<'a> Joiner<'a> {
    fn new(first: &'a Input<'a>) -> Result<Self, Error> {
        let container = &first.container;
        let Some((_, window)) = played(first).find(|(_, window)| window.kind == MacroKind::Data) else {
            return Err(Error::misuse("the first part has nothing that is played"));
        };
        let segment = container.segments.iter().position(Segment::is_playback).unwrap_or_default();
        let mut output = FileWriter::new(container.dialect, container.header.clone());
        write_loading(&mut output, first, &loaded(first)?, &window)?;
        output.begin(segment_entry(first, segment));
        output.write(START, (0.0, 0), &[]);
        let mut joiner = Joiner { first, output, before: part_end(first)?, last: (0.0, 0), parts: 1, actions: Vec::new() };
        joiner.write_played(first, TimeShift::default());
        Ok(joiner)
    }

    /// Fails if a part is not of this session.
    fn check_same_session(&self, part: &Input, number: usize) -> Result<(), Error> {
        let (own, other) = (self.first.dialect(), part.dialect());
        if (own.demo_protocol, own.network_protocol) != (other.demo_protocol, other.network_protocol) {
            let text = format!("part {number} is of {}, the first of {}: convert them to one protocol first", other.name(), own.name());
            return Err(Error::misuse(text));
        }
        let (old, new) = (server(self.first)?, server(part)?);
        if old.game != new.game || old.host_name != new.host_name {
            let name = |info: &ServerInfo| info.host_name.as_ref().unwrap_or(&info.game).show();
            return Err(Error::misuse(format!("part {number} is of another server: `{}` instead of `{}`", name(&new), name(&old))));
        }
        if old.player_number != new.player_number {
            let text = format!("part {number} was recorded by the player in slot {}, the first by that in slot {}", new.player_number, old.player_number);
            return Err(Error::misuse(text));
        }
        Ok(())
    }

    fn append(&mut self, source: &Source<'_, 'a>, number: usize) -> Result<(), Error> {
        let (part, timeline) = (source.input, source.timeline()?);
        let same = self.before.signon.level().is_some_and(|old| loaded(part).is_ok_and(|new| new.level().is_some_and(|new| is_same_level(old, new))));
        // frames that both have are taken from the earlier part
        let late = |frame: &Frame| !same || self.before.is_before(frame);
        let Some(from) = timeline.frames.iter().position(late) else {
            self.actions.push(Action::PartLeftOut { part: number as u64 });
            return Ok(());
        };
        if from > 0 {
            self.actions.push(Action::RepeatedFramesOfPartLeftOut { frames: from as u64, part: number as u64 });
        }
        let Some(cut) = cut_frames(source, timeline, vec![(from, timeline.frames.len() - 1)])?.pop() else { return Ok(()) };
        let cut = Input::open(&cut.bytes, part.limits)?;
        let Some((_, window)) = played(&cut).find(|(_, window)| window.kind == MacroKind::Data) else { return Ok(()) };
        let signon = loaded(&cut)?;
        let begin = timeline.frames[from].server_time;
        let gap = if same { f64::from(begin - self.before.server_time).max(0.0) } else { 0.0 };
        let shift = TimeShift { time: -(f64::from(self.last.0) + gap), frame: self.last.1.wrapping_add(1).wrapping_neg() };
        if same {
            let news = signon.missing_in(&self.before.signon);
            if !news.is_empty() {
                self.output.data(1, &window, shift, &news)?;
            }
        } else {
            for block in signon.blocks.iter().map(|block| block.window.window()).filter(|block| block.kind == MacroKind::Data) {
                let Some((_, data)) = body::messages(&block, cut.dialect()) else { continue };
                let at = TimeShift { time: f64::from(block.time) - f64::from(self.last.0) - gap, frame: block.frame.wrapping_add(shift.frame) };
                self.output.data(1, &block, at, data)?;
            }
        }
        self.write_played(&cut, shift);
        self.before = part_end(part)?;
        self.parts += 1;
        Ok(())
    }

    /// Writes the played segments of a part, one after another.
    fn write_played(&mut self, part: &Input, shift: TimeShift) {
        let (mut shift, mut segment) = (shift, None);
        for (at, window) in played(part) {
            if segment.is_some_and(|segment| segment != at) {
                shift = TimeShift { time: f64::from(window.time) - f64::from(self.last.0), frame: window.frame.wrapping_sub(self.last.1) };
            }
            segment = Some(at);
            self.output.copy(&window, shift);
            self.last = shift.of(window.time, window.frame);
        }
    }

    fn finish(self) -> Result<Edited, Error> {
        let mut edited = self.output.finish()?;
        edited.actions = self.actions;
        edited.actions.push(Action::PartsJoined { parts: self.parts as u64 });
        Ok(edited)
    }
}

/// The macros that are played, with their segments, except the starts and ends of segments.
fn played<'a>(input: &Input<'a>) -> impl Iterator<Item = (usize, Macro<'a>)> + use<'a> {
    let mut playback = Playback::new(input);
    std::iter::from_fn(move || {
        loop {
            let Step::Macro { segment, window, .. } = playback.next()? else { continue };
            if playback.is_played(segment) && !matches!(window.kind, MacroKind::Start | MacroKind::End) {
                return Some((segment, window));
            }
        }
    })
}

/// The signon state after the loading part.
fn loaded(input: &Input) -> Result<SignonState, Error> {
    read(input, false).map(|part_end| part_end.signon)
}

/// The signon state, time and sequence number at the end.
fn part_end(input: &Input) -> Result<PartEnd, Error> {
    read(input, true)
}

fn read(input: &Input, all: bool) -> Result<PartEnd, Error> {
    if input.dialect().messages.is_none() {
        return Err(Error::unsupported("the messages of demo protocol 4 are not known, so its parts cannot be joined"));
    }
    let (mut playback, mut signon, mut sequence) = (Playback::new(input), SignonState::new(), 0);
    while let Some(step) = playback.next() {
        let Step::Macro { segment, window, .. } = step else { continue };
        let late = playback.is_played(segment);
        if late && !all {
            break;
        }
        if !late {
            signon.load(&window);
        }
        let Some((_, data)) = playback.messages(&window) else { continue };
        sequence = playback.sequence(&window);
        let _ = playback.read(&window, |context, message, range| signon.message(context, message, &data[range.clone()], range.start, late));
        if late {
            signon.end_block(&window);
        }
    }
    let server_time = playback.context().map_or(0.0, |context| context.time);
    Ok(PartEnd { signon, server_time, sequence })
}

/// The last server information of the loading part.
fn server(input: &Input) -> Result<ServerInfo, Error> {
    let missing = || Error::malformed("there is no svc_serverinfo before the first frame, so its session is unknown");
    loaded(input)?.level().cloned().ok_or_else(missing)
}

fn is_same_level(old: &ServerInfo, new: &ServerInfo) -> bool {
    old.spawn_count == new.spawn_count && old.map == new.map
}
