//! The played frames of a recording, with their times, levels and matches. Ranges and parts are looked up here.

use fragreel_base::wire::{Chunk, Error};
use fragreel_model::Range;
use fragreel_model::replay::{Chunks, Fed, FrameAt, Locator, Whole, feed_all};

use crate::container::Step;
use crate::message::Message;
use crate::state::{RING, delta_base, slot};
use crate::walk::input::Input;
use crate::walk::match_clock::MatchClock;
use crate::walk::playback::{Playback, is_frame};
use crate::walk::time::milliseconds;

/// A frame of entities while playing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub server_time: f32,
    pub sequence: u32,
}

/// The played frames of a recording.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    pub frames: Vec<Frame>,
    /// The same frames with their times, levels and matches.
    pub line: fragreel_model::replay::Timeline,
    /// The map of each level.
    maps: Vec<Vec<u8>>,
}

impl Timeline {
    /// Walks over the whole recording.
    pub(crate) fn of(input: &Input) -> Self {
        let Ok(timeline) = find_frames(input, Timeline::default(), &mut Whole(input.container.bytes));
        timeline
    }

    /// The first and the last frame of a range.
    pub(crate) fn range(&self, range: Range) -> Result<(usize, usize), Error> {
        let span = self.line.locate(range)?;
        Ok((span.start, (span.end - 1).max(span.start)))
    }

    /// The map of a level.
    pub(crate) fn map(&self, level: u32) -> &[u8] {
        self.maps.get(level as usize).map_or(&[], Vec::as_slice)
    }
}

/// Takes the played frames of a recording one by one.
pub(crate) trait FrameSink {
    /// The next frame is the first of a level on this map.
    fn level(&mut self, _map: Vec<u8>) {}

    /// The next frame.
    fn frame(&mut self, frame: Frame, at: FrameAt);
}

impl FrameSink for Timeline {
    fn level(&mut self, map: Vec<u8>) {
        self.maps.push(map);
    }

    fn frame(&mut self, frame: Frame, at: FrameAt) {
        self.frames.push(frame);
        self.line.frames.push(at);
    }
}

impl FrameSink for Locator {
    fn frame(&mut self, _: Frame, at: FrameAt) {
        Locator::frame(self, &at);
    }
}

/// Gives all played frames of the recording in `chunks` to a sink. `input` says how it is read.
pub(crate) fn find_frames<S: FrameSink, C: Chunks>(input: &Input, sink: S, chunks: &mut C) -> Result<S, C::Error> {
    let playback = Playback::new(&input.over(Chunk::none()));
    let walk = FrameFinder { playback, clock: MatchClock::default(), begun: None, levels: 0, sink };
    Ok(feed_all(walk, chunks)?.sink)
}

/// The walk that finds the played frames.
struct FrameFinder<S> {
    playback: Playback<'static>,
    clock: MatchClock,
    /// The map of a level that has no frame yet.
    begun: Option<Vec<u8>>,
    /// Levels that have frames.
    levels: u32,
    sink: S,
}

impl<S: FrameSink> Fed for FrameFinder<S> {
    fn feed(self, chunk: Chunk<'_>) -> Self {
        let FrameFinder { playback, mut clock, mut begun, mut levels, mut sink } = self;
        let mut playback = playback.in_chunk(chunk);
        while let Some(step) = playback.next() {
            let Step::Macro { number, segment, window } = step else { continue };
            let (sequence, mut framed) = (playback.sequence(&window), false);
            // `verify` reports damage; the other frames of a damaged recording count
            let _ = playback.read(&window, |context, message, _| {
                clock.message(context, message);
                match message {
                    Message::ServerInfo(info) => begun = Some(info.map.0.clone()),
                    message => framed |= is_frame(message),
                }
            });
            if !framed || !playback.is_played(segment) {
                continue;
            }
            if let Some(map) = begun.take() {
                levels += 1;
                sink.level(map);
            }
            let server_time = playback.server_time();
            let at = FrameAt {
                message: number,
                key: sequence.into(),
                level: levels.saturating_sub(1),
                demo: playback.now(),
                server: milliseconds(server_time),
                in_match: clock.at(server_time),
                before_round: false,
            };
            sink.frame(Frame { server_time, sequence }, at);
        }
        FrameFinder { playback: playback.in_chunk(Chunk::none()), clock, begun, levels, sink }
    }

    fn needed(&self) -> usize {
        self.playback.offset() as usize
    }

    fn is_over(&self) -> bool {
        self.playback.is_over()
    }
}

/// The frames that a part has, by the low bits of their sequence numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ring([Option<u32>; RING]);

impl Default for Ring {
    fn default() -> Self {
        Ring([None; RING])
    }
}

impl Ring {
    pub(crate) fn set(&mut self, sequence: u32, there: bool) {
        self.0[slot(sequence)] = there.then_some(sequence);
    }

    /// The delta base that `low_byte` names in frame `now`, if that frame is there.
    pub(crate) fn base(&self, low_byte: u8, now: u32) -> Option<u32> {
        delta_base(low_byte, now).filter(|base| self.0[slot(*base)] == Some(*base))
    }

    /// True if that frame is there.
    pub(crate) fn has(&self, low_byte: u8, now: u32) -> bool {
        self.base(low_byte, now).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers go back where recordings were put together: what is left of the later ones is no base.
    #[test]
    fn a_base_is_an_earlier_frame_of_the_last_64() {
        let mut ring = Ring::default();
        ring.set(1142, true);
        let bases = [1143, 1142, 1139, 1142 + 63, 1142 + 64, 1142 + 256, 1143 + 256].map(|now| ring.base(1142_u32 as u8, now));
        assert_eq!(bases, [Some(1142), None, None, Some(1142), None, None, None]);
        assert_eq!(ring.base(1141_u32 as u8, 1143), None);
    }
}
