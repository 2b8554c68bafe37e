//! Where runs begin and end.

use model::Action;
use replay::SizedParts;

use super::super::opening::{open, write};
use super::super::retell::{Picture, start};
use super::super::sheet::Sheet;
use super::{Copier, Phase};
use crate::container::End;
use crate::message::{Context, Frame};
use crate::state::State;

impl Copier<'_> {
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
        self.sheet = Sheet::default();
        self.group = None;
        self.had.clear();
        let limit = self.limit();
        open(&mut self.sheet, &mut self.cx, &self.background, state);
        if let Some(sizing) = &mut self.manner.sizing {
            sizing.open(self.sheet.file_length());
        }
        let to = Picture::of(view, &state.dialect);
        let begun = start(Self::teller(state), header, &to, limit, &self.cx);
        let count = begun.frames.len();
        let mut frames = begun.frames;
        if let Some(last) = frames.last_mut().and_then(|frame| frame.last_mut()) {
            last.unicast = unicast;
        }
        for (at, frame) in frames.iter().enumerate() {
            if at + 1 == count {
                for message in std::mem::take(&mut self.before) {
                    self.sheet.message(&write(&message, &mut self.cx));
                }
            }
            self.put_frame(frame);
            if at + 1 < count {
                self.sheet.end_block(limit);
            }
        }
        let server_time = state.clock.server_time().to_string();
        let opened = match count {
            0 | 1 => Action::OpeningMade { server_time },
            _ => Action::OpeningMadeInFrames { server_time, frames: count as u64 },
        };
        if !begun.fits {
            self.notes.long += 1;
        }
        self.notes.opened = Some(opened);
        self.remember(header.number);
        self.phase = Phase::Copying;
    }

    /// Ends the run if the frame about to come does not belong to it.
    pub(super) fn leave_run(&mut self, ordinal: u64) {
        if !matches!(self.phase, Phase::Copying | Phase::Starting) {
            return;
        }
        if self.run >= self.manner.runs.len() {
            return;
        }
        let begun = self.phase == Phase::Copying && !self.had.is_empty();
        self.manner.divide(self.run, ordinal, begun, self.sheet.file_length(), self.block_was + 4 + 4 + 4);
        if ordinal > self.manner.runs[self.run].last {
            if self.phase == Phase::Copying {
                self.sheet.forget_block();
                self.finish_run();
            }
            self.next_run();
        }
    }

    pub(super) fn next_run(&mut self) {
        self.run += 1;
        self.phase = if self.run < self.manner.runs.len() && self.failed.is_none() { Phase::Waiting } else { Phase::Over };
    }

    pub(super) fn finish_run(&mut self) {
        let (bytes, found) = self.sheet.close();
        let notes = std::mem::take(&mut self.notes);
        // nothing would show what a file without a frame is
        let shows = std::mem::take(&mut self.frames) > 0 && found.is_some_and(|dialect| dialect.frame == self.first.frame);
        if self.manner.mend && !shows {
            return;
        }
        if let Some(sizing) = &mut self.manner.sizing {
            self.failed = sizing.close(bytes.len()).transpose();
        }
        self.done.push(notes.report(bytes, self.dialect));
    }

    /// The files, or why there are none.
    pub fn made(self) -> Result<SizedParts, wire::Error> {
        self.failed.unwrap_or(Ok(SizedParts::Parts(self.done)))
    }

    /// The end of the file.
    pub fn finish(&mut self, end: End) {
        if self.phase == Phase::Copying {
            if self.manner.mend {
                self.finish_run();
                return;
            }
            let (mark, rest) = end.behind_blocks(self.source);
            self.sheet.tail(mark);
            let rest = self.leftover((self.source.len() - rest.len()) as u64, rest);
            self.sheet.tail(&rest);
            let bytes = self.sheet.finish(false);
            let notes = std::mem::take(&mut self.notes);
            self.done.push(notes.report(bytes, self.dialect));
        }
    }

    /// Whether the run ends here, and nothing more of the file is wanted.
    pub(super) fn run_is_complete(&self) -> bool {
        let Some(run) = self.manner.runs.get(self.run) else { return true };
        let next = self.manner.runs.get(self.run + 1);
        let goes_on = run.last >= self.manner.frames || next.is_some_and(|next| next.first == run.last + 1) || self.manner.sizing.is_some();
        !goes_on && self.ordinal >= run.last
    }
}
