//! The frames of a recording, its levels and matches: what a range or a part is found by.

use model::{Clock, Milliseconds, Range};
use wire::Error;

use crate::container::Step;
use crate::context::Context;
use crate::message::Message;
use crate::playback::Playback;
use crate::recording::Recording;
use crate::time::milliseconds;

/// A frame of entities while playing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Number of its data macro.
    pub number: u32,
    pub segment: usize,
    /// Seconds since the segment's start.
    pub time: f32,
    pub server_time: f32,
    pub sequence: u32,
    /// Its entities can be rebuilt: no delta on the way to it lacks its base.
    pub known: bool,
}

/// A stretch of frames with a name of its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    /// Index of its first frame.
    pub from: usize,
    /// Index after its last frame.
    pub to: usize,
    /// What `svc_serverinfo` called the map, or the match's start on the server's clock.
    pub map: Vec<u8>,
    pub zero: f32,
}

/// What a recording shows, by its frames.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    pub frames: Vec<Frame>,
    /// One for each `svc_serverinfo` that frames follow.
    pub levels: Vec<Stretch>,
    /// From a start (a level's, or a game that commences) to the intermission or the next start.
    pub matches: Vec<Stretch>,
}

/// The messages that start a match, and with which the game announces one.
const COMMENCING: &[u8] = b"#Game_Commencing";

impl Timeline {
    pub(super) fn of(recording: &Recording) -> Result<Self, Error> {
        if recording.dialect().messages.is_none() {
            return Err(Error::unsupported("the messages of demo protocol 4 are not known, and without them its frames cannot be found"));
        }
        let mut survey = Survey::default();
        let mut playback = Playback::new(recording);
        while let Some(step) = playback.next() {
            let Step::Macro { number, segment, window } = step else { continue };
            survey.block(playback.sequence(&window));
            // what is damaged shows in `verify`; frames before and behind it are frames all the same
            let _ = playback.read(&window, |context, message, _| survey.message(context, message));
            if survey.frame && playback.is_played(segment) {
                survey.flush();
                let (server_time, sequence) = playback.stamp(&window);
                let server_time = f32::from_bits(server_time);
                survey.timeline.frames.push(Frame { number, segment, time: window.time, server_time, sequence, known: survey.known });
            }
        }
        survey.close_level();
        survey.close_match();
        Ok(survey.timeline)
    }

    /// The first and the last frame of a range: each the last at or before its time, the first of all for earlier times.
    pub(super) fn range(&self, range: Range) -> Result<(usize, usize), Error> {
        if range.to < range.from {
            return Err(Error::misuse("the range ends before it starts"));
        }
        let time = |frame: &Frame| match range.clock {
            Clock::Demo => milliseconds(frame.time),
            Clock::Server | Clock::Match => milliseconds(frame.server_time),
        };
        let (within, zero) = match range.clock {
            Clock::Demo | Clock::Server => (0..self.frames.len(), Milliseconds(0)),
            Clock::Match => self.of_match(range)?,
        };
        let frames = &self.frames[within.clone()];
        let (from, to) = (range.from + zero, range.to + zero);
        let last = |frames: &[Frame], at: Milliseconds| frames.iter().take_while(|frame| time(frame) <= at).count().max(1) - 1;
        let Some(first) = frames.first() else { return Err(Error::misuse("the recording has no frames")) };
        if to < time(first) {
            let text = format!("the range ends at {to}, before the first frame at {}", time(first));
            return Err(Error::misuse(text));
        }
        // a later segment or level starts its clock again: look there when this one ends too early
        let mut start = last(frames, from);
        let restarts = |before: &Frame, after: &Frame| match range.clock {
            Clock::Demo => before.segment != after.segment,
            Clock::Server | Clock::Match => time(after) + RESTART < time(before),
        };
        let ends = |at: usize| at + 1 == frames.len() || restarts(&frames[at], &frames[at + 1]);
        while ends(start) && time(&frames[start]) < from && start + 1 < frames.len() {
            let next = start + 1;
            if time(&frames[next]) > from {
                break;
            }
            start = next + last(&frames[next..], from);
        }
        if start + 1 == frames.len() && time(&frames[start]) < from {
            let text = format!("the range starts at {from}, behind the last frame at {}", time(&frames[start]));
            return Err(Error::misuse(text));
        }
        let start = known(frames, start)?;
        let run = frames[start..].windows(2).take_while(|pair| !restarts(&pair[0], &pair[1])).count() + 1;
        let end = start + last(&frames[start..start + run], to);
        Ok((within.start + start, within.start + end))
    }

    fn of_match(&self, range: Range) -> Result<(std::ops::Range<usize>, Milliseconds), Error> {
        for one in &self.matches {
            let zero = milliseconds(one.zero);
            let last = self.frames[one.from..one.to].last().map(|frame| milliseconds(frame.server_time) - zero);
            if last.is_some_and(|last| range.from <= last && range.to <= last) {
                return Ok((one.from..one.to, zero));
            }
        }
        Err(Error::misuse("no match of the recording lasts that long; cut by the server's clock instead"))
    }
}

/// A server's clock that goes back further than this has started again.
const RESTART: Milliseconds = Milliseconds(1000);

/// The last frame at or before `at` whose entities are known, or else the next one.
fn known(frames: &[Frame], at: usize) -> Result<usize, Error> {
    if frames[at].known {
        return Ok(at);
    }
    let next = frames[at..].iter().position(|frame| frame.known);
    next.map(|places| at + places).ok_or_else(|| Error::malformed("no frame from there on can be rebuilt: their delta bases are not in the recording"))
}

/// Frames whose entities are known, by the low bits of their sequence numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring([Option<u32>; 64]);

impl Default for Ring {
    fn default() -> Self {
        Ring([None; 64])
    }
}

impl Ring {
    pub(super) fn set(&mut self, sequence: u32, there: bool) {
        self.0[sequence as usize % 64] = there.then_some(sequence);
    }

    /// Whether the frame of this low byte is there, seen from frame `now`.
    pub(super) fn has(&self, low_byte: u8, now: u32) -> bool {
        u32::from(low_byte) % 64 != now % 64 && self.0[usize::from(low_byte) % 64].is_some_and(|sequence| sequence as u8 == low_byte)
    }
}

#[derive(Default)]
struct Survey {
    timeline: Timeline,
    ring: Ring,
    sequence: u32,
    frame: bool,
    known: bool,
    /// What begins with the next frame.
    level: Option<(usize, Vec<u8>)>,
    started: Option<(usize, f32)>,
    begins: Option<f32>,
    new_level: Option<Vec<u8>>,
}

impl Survey {
    fn block(&mut self, sequence: u32) {
        (self.sequence, self.frame) = (sequence, false);
    }

    fn message(&mut self, context: &Context, message: &Message) {
        match message {
            Message::ServerInfo(info) => {
                self.ring = Ring::default();
                self.close_level();
                self.close_match();
                self.new_level = Some(info.map.0.clone());
                // a level's clock starts with it
                self.begins = Some(0.0);
            }
            Message::PacketEntities(_) => self.entities(true),
            Message::DeltaPacketEntities(update) => {
                let known = self.ring.has(update.delta_sequence, self.sequence);
                self.entities(known);
            }
            Message::Intermission(_) | Message::Finale(_) => {
                self.flush();
                self.close_match();
            }
            Message::User(user) => {
                let shape = context.user_message(user.id);
                if shape.is_some_and(|shape| shape.name == b"TextMsg") && user.data.get(1..).is_some_and(|text| text.starts_with(COMMENCING)) {
                    self.close_match();
                    self.begins = Some(context.time);
                }
            }
            _ => {}
        }
    }

    fn entities(&mut self, known: bool) {
        (self.frame, self.known) = (true, known);
        self.ring.set(self.sequence, known);
    }

    /// What was announced begins with the frame that is about to be added.
    fn flush(&mut self) {
        let at = self.timeline.frames.len();
        if let Some(map) = self.new_level.take() {
            self.level = Some((at, map));
        }
        if let Some(zero) = self.begins.take() {
            self.started = Some((at, zero));
        }
    }

    fn close_level(&mut self) {
        let to = self.timeline.frames.len();
        if let Some((from, map)) = self.level.take().filter(|&(from, _)| from < to) {
            self.timeline.levels.push(Stretch { from, to, map, zero: 0.0 });
        }
    }

    fn close_match(&mut self) {
        let to = self.timeline.frames.len();
        if let Some((from, zero)) = self.started.take().filter(|&(from, _)| from < to) {
            self.timeline.matches.push(Stretch { from, to, map: Vec::new(), zero });
        }
    }
}
