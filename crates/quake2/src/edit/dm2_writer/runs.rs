//! Starts and ends runs.

use fragreel_model::Action;

use super::super::part_writer::Phase;
use super::Dm2Writer;
use crate::container::End;
use crate::encode::block_writer::BlockWriter;
use crate::encode::reencode::{FrameState, starting_frames};
use crate::encode::signon::{write, write_signon};
use crate::message::{Context, Frame};
use crate::state::State;

impl Dm2Writer<'_> {
    /// Writes the signon and the first frame of a run.
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
        self.available.clear();
        let limit = self.limit();
        write_signon(&mut self.blocks, &mut self.cx, &self.signon, state);
        if let Some(sizing) = &mut self.parts.options.sizing {
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
        if !begun.fits {
            self.parts.report.oversized += 1;
        }
        self.parts.report.opened = Some(Action::SignonMade { frames: count as u64 });
        self.remember(header.number);
        self.parts.phase = Phase::Copying;
    }

    /// Ends the run if the next frame does not belong to it.
    pub(super) fn leave_run(&mut self, ordinal: u64) {
        if !matches!(self.parts.phase, Phase::Copying | Phase::Starting) {
            return;
        }
        if self.parts.run >= self.parts.options.runs.len() {
            return;
        }
        let begun = self.parts.is_copying() && !self.available.is_empty();
        if self.parts.ends_before(ordinal, begun, self.blocks.file_length(), self.parts.source_bytes + 4 + 4 + 4) {
            if self.parts.is_copying() {
                self.blocks.discard_block();
                self.finish_run();
            }
            self.parts.next_run();
        }
    }

    pub(super) fn finish_run(&mut self) {
        let (bytes, found) = self.blocks.close();
        let report = std::mem::take(&mut self.parts.report);
        // Without a frame, a file does not show its format.
        let shows = std::mem::take(&mut self.frames) > 0 && found.is_some_and(|dialect| dialect.frame == self.first.frame);
        if self.parts.options.repair && !shows {
            return;
        }
        self.parts.add_file(report.into_edited(bytes, self.dialect));
    }

    /// Handles the end of the file.
    pub(crate) fn finish(&mut self, end: End) {
        if self.parts.is_copying() {
            if self.parts.options.repair {
                self.finish_run();
                return;
            }
            let (mark, rest) = end.behind_blocks(self.source);
            self.blocks.append_raw(mark);
            let rest = self.parts.leftover((self.source.len() - rest.len()) as u64, rest, &self.dialect);
            self.blocks.append_raw(&rest);
            let bytes = self.blocks.finish(false);
            let report = std::mem::take(&mut self.parts.report);
            self.parts.add_file(report.into_edited(bytes, self.dialect));
        }
    }
}
