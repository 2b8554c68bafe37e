//! Copies to which another recording's frames are added.

use model::Action;
use std::collections::VecDeque;

use super::super::encode::{self, Telling};
use super::super::opening::{Background, write};
use super::super::retell::Picture;
use super::super::sheet::Sheet;
use super::super::strings::opening as opening_strings;
use super::{Copier, Manner, Phase, can_start_from};
use crate::dialect::Dialect;
use crate::message::{Body, ConfigString, Context, Frame, Message, Text};
use crate::state::{Baselines, NOTHING, State};

/// Where a copy stands to which another recording's frames are to be added.
pub(crate) struct Resume {
    pub(super) sheet: Sheet,
    pub(super) cx: Context,
    pub(super) background: Background,
    pub(super) baselines: Baselines,
    pub(super) had: VecDeque<i32>,
    /// The last frame.
    pub(super) tail: Option<(i32, Picture)>,
    pub(super) actions: Vec<Action>,
}

impl<'h> Copier<'h> {
    /// Adds to what `resume` holds; `anew`: as another level, whatever it says of itself.
    pub fn continuing(dialect: Dialect, source: &'h [u8], manner: Manner, resume: Resume, anew: bool) -> Self {
        let copier = Self::new(dialect, source, manner, None);
        if anew {
            return Copier { sheet: resume.sheet, cx: resume.cx, ..copier };
        }
        Copier { phase: Phase::Waiting, resume: Some(resume), ..copier }
    }

    /// The copy as it stands, to be continued. `state`: the state at the end of the walk.
    pub fn suspend(mut self, state: &State) -> Result<Resume, wire::Error> {
        if self.phase != Phase::Copying {
            return Err(wire::Error::misuse("a part has no frame that comes after those of the parts before it: give the parts in order"));
        }
        let view = state.ring.current().filter(|view| self.had.back() == Some(&view.number()));
        let mut actions = std::mem::take(&mut self.notes).report(Vec::new(), self.dialect).actions;
        if self.overlap > 0 {
            actions.push(Action::RepeatedFramesLeftOut { frames: self.overlap });
        }
        Ok(Resume {
            tail: view.map(|view| (view.number(), Picture::of(view, &state.dialect))),
            sheet: self.sheet,
            cx: self.cx,
            background: self.background,
            baselines: state.baselines.clone(),
            had: self.had,
            actions,
        })
    }

    /// Whether the level that begins is the one that the copy ended in; otherwise the recording is added as it is.
    pub(super) fn same_level(&mut self) {
        let Some(resume) = &self.resume else { return };
        let level = |background: &Background| {
            let data = background.server_data.as_ref();
            data.map(|data| (data.servercount & 0xffff, data.gamedir.clone(), data.levelname.clone(), data.clientnum))
        };
        if level(&resume.background) == level(&self.background) {
            return;
        }
        if let Some(resume) = self.resume.take() {
            (self.sheet, self.cx) = (resume.sheet, resume.cx);
            self.frames += 1;
            self.phase = Phase::Copying;
        }
    }

    /// Adds the first frame that the copy does not have, and what changed on the way to it.
    pub(super) fn continue_run(&mut self, resume: Resume, header: &Frame, unicast: Option<u8>, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = Picture::of(view, &state.dialect);
        (self.sheet, self.cx, self.dialect, self.had) = (resume.sheet, resume.cx, state.dialect, resume.had);
        let strings = |background: &Background| opening_strings(&state.dialect, &background.image, &state.strings);
        let (old, new) = (strings(&resume.background), strings(&self.background));
        let gone = old.iter().filter(|(index, _)| !new.iter().any(|(other, _)| other == index)).map(|(index, _)| (*index, Vec::new()));
        let changed: Vec<_> = new.iter().filter(|string| !old.contains(string)).cloned().chain(gone).collect();
        let mut messages: Vec<Message> =
            changed.into_iter().map(|(index, text)| Message::new(Body::ConfigString(ConfigString { index, text: Text(text) }))).collect();
        for (number, row) in state.baselines.iter().filter(|(number, row)| resume.baselines.get(*number) != *row) {
            let delta = encode::entity(&state.dialect, number, &NOTHING, row, Telling { force: true, new: true });
            messages.extend(delta.map(|delta| Message::new(Body::SpawnBaseline(Box::new(delta)))));
        }
        messages.extend(self.background.kept.messages().filter(|message| !resume.background.kept.messages().any(|old| old == *message)).cloned());
        for message in messages.into_iter().chain(std::mem::take(&mut self.before)) {
            self.sheet.message(&write(&message, &mut self.cx));
        }
        let base = resume.tail.as_ref().map(|(number, picture)| (*number, picture));
        let base = base.filter(|(number, picture)| can_start_from(&self.dialect, header.number, *number) && picture.is_ordered() && to.is_ordered());
        let teller = Self::teller(state);
        let messages = teller.frame(header, base, &to, teller.entities(base.map(|(_, picture)| picture), &to.entities));
        self.notes.opened = Some(match resume.tail.as_ref().map(|(number, _)| i64::from(header.number) - i64::from(*number)) {
            Some(1) | None => Action::PartGoesOn,
            Some(gap) => Action::PartGoesOnAfter { frames: gap - 1 },
        });
        self.phase = Phase::Copying;
        self.finish_retelling(messages, header.number, unicast);
        self.notes.retold -= 1;
    }
}

impl Resume {
    /// The file, closed as engines do.
    pub fn finish(mut self) -> Vec<u8> {
        self.sheet.close().0
    }

    /// What was done to the last part.
    pub fn actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }
}
