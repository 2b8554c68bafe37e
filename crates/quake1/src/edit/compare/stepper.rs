//! Plays recordings frame by frame.

use fragreel_base::wire::Chunk;
use fragreel_model::replay::Advance;

use crate::dialect::Dialect;
use crate::edit::source::Source;
use crate::fields::quakeworld::view_bits;
use crate::message::Message;
use crate::state::{Game, Roster};
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// A playback that stops after each frame.
#[derive(Debug, Clone)]
pub(crate) struct FrameStepper<'a> {
    recording: Source<'a>,
    playback: Playback<'a>,
    /// The number of frames so far.
    count: u32,
    /// True if the last frame changes anything.
    pub(super) news: bool,
    /// True while the entities are unknown, because the delta base of the last packet is missing.
    pub(super) entities_unknown: bool,
    /// True if entities are left out.
    skims: bool,
}

impl<'a> FrameStepper<'a> {
    pub(super) fn new(recording: &Source<'a>) -> Self {
        FrameStepper { recording: recording.clone(), playback: Playback::new(recording, true), count: 0, news: false, entities_unknown: false, skims: false }
    }

    /// One that stands before the first block of a recording that comes in chunks.
    pub(crate) fn in_chunks(input: &Input<'a>) -> FrameStepper<'static> {
        FrameStepper::new(&Source::new(input.clone())).over(Chunk::none())
    }

    /// Continues over another chunk of the recording.
    pub(crate) fn over<'b>(self, chunk: Chunk<'b>) -> FrameStepper<'b> {
        FrameStepper { recording: self.recording.without_bytes(), playback: self.playback.over(chunk), ..self }
    }

    /// The same walk over a part of the recording, which begins here. Frames are counted from the part's first.
    pub(super) fn within(self, part: &Source<'a>) -> Self {
        FrameStepper { recording: part.clone(), count: 0, ..self }
    }

    /// Advances by a block. Returns whether it brings a frame; `None` at the end.
    fn block(&mut self) -> Option<bool> {
        let NextBlock::Block(block) = self.playback.next_block()? else { return Some(false) };
        let (mut framed, news, entities_unknown, skims) = (false, &mut self.news, &mut self.entities_unknown, self.skims);
        *news = false;
        // unreadable data shows nothing
        let _ = self.playback.play(&block, |context, item| {
            let Item::Message(message) = item else { return };
            if skims && matches!(message, Message::FastUpdate(_)) {
                return;
            }
            framed |= context.brings_frame(message);
            *news |= match message {
                Message::DeltaPacketEntities(m) => !m.entities.is_empty(),
                Message::ViewPlayer(m) => {
                    let (flags, facts) = (u64::from(m.flags), view_bits::DEAD | view_bits::GIB);
                    flags & !facts != 0 || context.game.body_of(m.slot).is_none_or(|body| body.dead != (flags & facts != 0))
                }
                _ => true,
            };
            context.apply(message);
            if matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_)) {
                *entities_unknown = context.game.take_missing().is_some();
            }
            if matches!(message, Message::ServerData(_)) {
                // clients forget all players with the level
                context.game.roster = Roster::default();
                *entities_unknown = false;
            }
        });
        framed &= !self.playback.signing_on;
        self.count += u32::from(framed);
        Some(framed)
    }

    /// Leaves out entities before the frame in front of `frame`, which clears what was left out.
    fn skim_before(&mut self, frame: u32) {
        self.skims = self.count + 1 < frame && self.playback.frames_stand_alone();
        self.playback.set_skim(self.skims);
    }

    /// Plays what comes before a block, which brings `frame`, or as much of that as the chunk has.
    pub(crate) fn play_before(&mut self, block: u32, frame: u32) {
        while self.playback.next_number() < block {
            self.skim_before(frame);
            if self.block().is_none() {
                break;
            }
        }
    }

    /// The byte at which the next block starts.
    pub(crate) fn offset(&self) -> u64 {
        self.playback.offset()
    }

    /// The walk over the blocks.
    pub(super) fn playback(&self) -> &Playback<'a> {
        &self.playback
    }

    /// Applies the other blocks with the time of the last frame. `still` says to use the demo clock, because the server's never moves.
    pub(super) fn apply_rest_of_moment(&mut self, still: bool) {
        while self.same_time_as_next(still) {
            let Some(NextBlock::Block(block)) = self.playback.next_block() else { break };
            let mut ends = false;
            // unreadable data shows nothing
            let _ = self.playback.play(&block, |context, item| {
                let Item::Message(message) = item else { return };
                context.apply(message);
                ends |= matches!(message, Message::Disconnect(_));
            });
            // no engine continues after that
            if ends {
                break;
            }
        }
    }

    /// True if the next block has the time of the last one. False if messages state the time.
    fn same_time_as_next(&self, still: bool) -> bool {
        let clock = &self.playback.clock;
        self.playback.peek().is_some_and(|next| if still { clock.is_same_demo_time(&next.framing) } else { clock.is_same_time(&next.framing) == Some(true) })
    }

    pub(super) fn dialect(&self) -> &Dialect {
        self.playback.dialect()
    }

    pub(super) fn game(&self) -> &Game {
        &self.playback.game
    }
}

impl Advance for FrameStepper<'_> {
    fn at(&self) -> Option<u32> {
        self.count.checked_sub(1)
    }

    fn step(&mut self) -> bool {
        loop {
            match self.block() {
                None => return false,
                Some(true) => return true,
                Some(false) => {}
            }
        }
    }

    fn play_to(&mut self, frame: u32) -> bool {
        while self.at() < Some(frame) {
            self.skim_before(frame);
            if self.block().is_none() {
                return false;
            }
        }
        true
    }

    fn near(&self, frame: u32, beyond: Option<u32>) -> Option<Self> {
        let frames = &self.recording.timeline().line.frames;
        let key = self.recording.index.get()?.upto(frames.get(frame as usize)?.message)?;
        let last = frames.partition_point(|frame| frame.message <= key.at.message).checked_sub(1)?;
        // here a level resets all players; in the index it does not
        if beyond >= Some(last as u32) || frames[last].level > 1 {
            return None;
        }
        let mut player = FrameStepper { count: last as u32 + 1, ..FrameStepper::new(&self.recording) };
        player.playback.restore(key.keyframe.position(), self.recording.bytes);
        Some(player)
    }
}
