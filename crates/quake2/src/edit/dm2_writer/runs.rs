//! Where runs begin and end.

use model::Action;
use replay::SizedParts;

use super::{PartWriter, Phase};
use crate::container::End;
use crate::encode::block_writer::BlockWriter;
use crate::encode::reencode::{FrameState, starting_frames};
use crate::encode::signon::{write, write_signon};
use crate::message::{Context, Frame};
use crate::state::State;

impl PartWriter<'_> {
    /// The opening and the first frame of a run.
    pub(super) fn start_run(&mut self, header: &Frame, unicast: Option<u8>, state: &State) {
        if let Some(resume) = self.resume.take() {
            self.continue_run(resume, header, unicast, state);
            return;
        }
        let Some(view) = state.ring.current() else { return };
        self.dialect = state.dialect;
        self.first = state.dialect;
        self.cx = Context::new(state.dialect);
        self.blocks = BlockWriter::default();
        self.packet = None;
        self.had.clear();
        let limit = self.limit();
        write_signon(&mut self.blocks, &mut self.cx, &self.signon, state);
        if let Some(sizing) = &mut self.options.sizing {
            sizing.open(self.blocks.file_length());
        }
        let to = FrameState::of(view, &state.dialect);
        let begun = starting_frames(Self::encoder(state), header, &to, limit, &self.cx);
        let count = begun.frames.len();
        let mut frames = begun.frames;
        if let Some(last) = frames.last_mut().and_then(|frame| frame.last_mut()) {
            last.unicast = unicast;
        }
        for (at, frame) in frames.iter().enumerate() {
            if at + 1 == count {
                for message in std::mem::take(&mut self.before) {
                    self.blocks.message(&write(&message, &mut self.cx));
                }
            }
            self.put_frame(frame);
            if at + 1 < count {
                self.blocks.end_block(limit);
            }
        }
        let server_time = state.clock.server_time().to_string();
        let opened = match count {
            0 | 1 => Action::OpeningMade { server_time },
            _ => Action::OpeningMadeInFrames { server_time, frames: count as u64 },
        };
        if !begun.fits {
            self.report.oversized += 1;
        }
        self.report.opened = Some(opened);
        self.remember(header.number);
        self.phase = Phase::Copying;
    }

    /// Ends the run if the frame about to come does not belong to it.
    pub(super) fn leave_run(&mut self, ordinal: u64) {
        if !matches!(self.phase, Phase::Copying | Phase::Starting) {
            return;
        }
        if self.run >= self.options.runs.len() {
            return;
        }
        let begun = self.phase == Phase::Copying && !self.had.is_empty();
        self.options.divide(self.run, ordinal, begun, self.blocks.file_length(), self.block_was + 4 + 4 + 4);
        if ordinal > self.options.runs[self.run].last {
            if self.phase == Phase::Copying {
                self.blocks.discard_block();
                self.finish_run();
            }
            self.next_run();
        }
    }

    pub(super) fn next_run(&mut self) {
        self.run += 1;
        self.phase = if self.run < self.options.runs.len() && self.failed.is_none() { Phase::Waiting } else { Phase::Over };
    }

    pub(super) fn finish_run(&mut self) {
        let (bytes, found) = self.blocks.close();
        let report = std::mem::take(&mut self.report);
        // nothing would show what a file without a frame is
        let shows = std::mem::take(&mut self.frames) > 0 && found.is_some_and(|dialect| dialect.frame == self.first.frame);
        if self.options.repair && !shows {
            return;
        }
        if let Some(sizing) = &mut self.options.sizing {
            self.failed = sizing.close(bytes.len()).transpose();
        }
        self.done.push(report.into_edited(bytes, self.dialect));
    }

    /// The files, or why there are none.
    pub fn made(self) -> Result<SizedParts, wire::Error> {
        self.failed.unwrap_or(Ok(SizedParts::Parts(self.done)))
    }

    /// The end of the file.
    pub fn finish(&mut self, end: End) {
        if self.phase == Phase::Copying {
            if self.options.repair {
                self.finish_run();
                return;
            }
            let (mark, rest) = end.behind_blocks(self.source);
            self.blocks.append_raw(mark);
            let rest = self.leftover((self.source.len() - rest.len()) as u64, rest);
            self.blocks.append_raw(&rest);
            let bytes = self.blocks.finish(false);
            let report = std::mem::take(&mut self.report);
            self.done.push(report.into_edited(bytes, self.dialect));
        }
    }

    /// Whether the run ends here, and nothing more of the file is wanted.
    pub(super) fn run_is_complete(&self) -> bool {
        let Some(run) = self.options.runs.get(self.run) else { return true };
        let next = self.options.runs.get(self.run + 1);
        let goes_on = run.last >= self.options.frames || next.is_some_and(|next| next.first == run.last + 1) || self.options.sizing.is_some();
        !goes_on && self.ordinal >= run.last
    }
}
