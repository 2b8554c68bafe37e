//! Copies that continue with another recording.

use fragreel_model::Action;
use std::collections::VecDeque;

use super::super::part_writer::{CopyOptions, Phase};
use super::{Dm2Writer, can_be_base};
use crate::dialect::Dialect;
use crate::encode::block_writer::BlockWriter;
use crate::encode::deltas::{self, EncodeFlags};
use crate::encode::reencode::FrameState;
use crate::encode::signon::{SignonState, write};
use crate::encode::strings::signon_strings;
use crate::message::{Body, ConfigString, Context, Frame, Message, Text};
use crate::state::{Baselines, NOTHING, State};

/// An unfinished copy to which the frames of another recording are added.
pub(crate) struct ResumeState {
    pub(super) blocks: BlockWriter,
    pub(super) cx: Context,
    pub(super) signon: SignonState,
    pub(super) baselines: Baselines,
    pub(super) available: VecDeque<i32>,
    /// The last frame.
    pub(super) tail: Option<(i32, FrameState)>,
    pub(super) actions: Vec<Action>,
}

impl<'h> Dm2Writer<'h> {
    /// Continues the copy in `resume`. `as_new_level`: as another level, even if the signon is the same.
    pub(crate) fn continuing(dialect: Dialect, source: &'h [u8], options: CopyOptions, resume: ResumeState, as_new_level: bool) -> Self {
        let mut writer = Self::new(dialect, source, options, None);
        if as_new_level {
            return Dm2Writer { blocks: resume.blocks, cx: resume.cx, ..writer };
        }
        writer.parts.phase = Phase::Waiting;
        Dm2Writer { resume: Some(resume), ..writer }
    }

    /// Suspends the copy. `state` is the state at the end of the walk.
    pub(crate) fn suspend(mut self, state: &State) -> Result<ResumeState, fragreel_base::wire::Error> {
        if !self.parts.is_copying() {
            return Err(fragreel_base::wire::Error::misuse("a part has no frame that comes after those of the parts before it: give the parts in order"));
        }
        let view = state.ring.current().filter(|view| self.available.back() == Some(&view.number()));
        let mut actions = std::mem::take(&mut self.parts.report).into_edited(Vec::new(), self.dialect).actions;
        if self.overlap > 0 {
            actions.push(Action::RepeatedFramesLeftOut { frames: self.overlap });
        }
        Ok(ResumeState {
            tail: view.map(|view| (view.number(), FrameState::of(view, &state.dialect))),
            blocks: self.blocks,
            cx: self.cx,
            signon: self.signon,
            baselines: state.baselines.clone(),
            available: self.available,
            actions,
        })
    }

    /// Checks whether the new level is the one in which the copy ended. If not, the recording is added unchanged.
    pub(super) fn same_level(&mut self) {
        let Some(resume) = &self.resume else { return };
        let level = |signon: &SignonState| {
            let data = signon.server_data.as_ref();
            data.map(|data| (data.servercount & 0xffff, data.gamedir.clone(), data.levelname.clone(), data.clientnum))
        };
        if level(&resume.signon) == level(&self.signon) {
            return;
        }
        if let Some(resume) = self.resume.take() {
            (self.blocks, self.cx) = (resume.blocks, resume.cx);
            self.frames += 1;
            self.parts.phase = Phase::Copying;
        }
    }

    /// Writes the first frame that the copy lacks, and the changes up to it.
    pub(super) fn continue_run(&mut self, resume: ResumeState, header: &Frame, unicast: Option<u8>, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = FrameState::of(view, &state.dialect);
        (self.blocks, self.cx, self.dialect, self.available) = (resume.blocks, resume.cx, state.dialect, resume.available);
        let strings = |signon: &SignonState| signon_strings(&state.dialect, &signon.image, &state.strings);
        let (old, new) = (strings(&resume.signon), strings(&self.signon));
        let gone = old.iter().filter(|(index, _)| !new.iter().any(|(other, _)| other == index)).map(|(index, _)| (*index, Vec::new()));
        let changed: Vec<_> = new.iter().filter(|string| !old.contains(string)).cloned().chain(gone).collect();
        let mut messages: Vec<Message> =
            changed.into_iter().map(|(index, text)| Message::new(Body::ConfigString(ConfigString { index, text: Text(text) }))).collect();
        for (number, row) in state.baselines.iter().filter(|(number, row)| resume.baselines.get(*number) != *row) {
            let delta = deltas::entity(&state.dialect, number, &NOTHING, row, EncodeFlags { force: true, new: true });
            messages.extend(delta.map(|delta| Message::new(Body::SpawnBaseline(Box::new(delta)))));
        }
        messages.extend(self.signon.screen.messages().filter(|message| !resume.signon.screen.messages().any(|old| old == *message)).cloned());
        for message in messages.into_iter().chain(std::mem::take(&mut self.before)) {
            self.blocks.message(&write(&message, &mut self.cx));
        }
        let base = resume.tail.as_ref().map(|(number, frame_state)| (*number, frame_state));
        let base = base.filter(|(number, frame_state)| can_be_base(&self.dialect, header.number, *number) && frame_state.is_ordered() && to.is_ordered());
        let encoder = Self::encoder(state);
        let messages = encoder.frame(header, base, &to, encoder.entities(base.map(|(_, frame_state)| frame_state), &to.entities));
        self.parts.report.opened = Some(match resume.tail.as_ref().map(|(number, _)| i64::from(header.number) - i64::from(*number)) {
            Some(1) | None => Action::PartGoesOn,
            Some(gap) => Action::PartGoesOnAfter { frames: gap - 1 },
        });
        self.parts.phase = Phase::Copying;
        self.finish_reencoding(messages, header.number, unicast);
        self.parts.report.reencoded -= 1;
    }
}

impl ResumeState {
    /// Closes the file like the engines.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.blocks.close().0
    }

    /// Takes the actions of the last part.
    pub(crate) fn actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }
}
