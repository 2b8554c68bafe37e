//! Frames on their way through a copy: kept, told anew, or left out.

use model::Fate;

use super::super::retell::{Picture, Teller, bytes as bytes_of, start};
use super::{BACKUP, Copier, FrameFate, Open, Phase, can_start_from};
use crate::dialect::FrameHeader;
use crate::limits;
use crate::message::{Body, Frame, Message};
use crate::state::{Effect, State};

impl Copier<'_> {
    /// A frame begins.
    pub(super) fn begin_frame(&mut self, message: &mut Message, bytes: &[u8], effect: Effect, state: &State, fate: Fate) {
        let Body::Frame(header) = &message.body else { return };
        let header = (**header).clone();
        let ordinal = state.clock.frames();
        self.ordinal = ordinal;
        if self.manner.mend {
            self.give_up_frame();
        }
        self.leave_run(ordinal);
        self.block_has_frame = true;
        let tail = self.resume.as_ref().and_then(|resume| resume.tail.as_ref());
        let known = tail.is_some_and(|(number, _)| header.number <= *number);
        self.overlap += u64::from(known);
        let starts = self.phase == Phase::Waiting && !known && self.manner.runs.get(self.run).is_some_and(|run| ordinal >= run.first);
        if starts {
            self.phase = Phase::Starting;
        }
        if self.phase == Phase::Waiting || self.phase == Phase::Over {
            return;
        }
        if self.had.back().is_some_and(|&last| header.number < last) {
            self.had.clear();
            self.lost.clear();
        }
        let missing = matches!(effect, Effect::MissingBase(_));
        self.notes.unknown += u64::from(missing);
        // Where nothing is mended, a frame that no reader can have been told from stays what it is.
        let there = if self.manner.mend { header.delta != header.number && self.had.contains(&header.delta) } else { !self.lost.contains(&header.delta) };
        let known = header.delta <= 0 || there;
        // what the copy has of the base lacks what engines do not play: where that is out of order, this list would be merged in another way
        let base = state.ring.find(header.delta).filter(|_| self.manner.mend && header.delta > 0 && self.dialect.frame != FrameHeader::Server);
        self.merges_otherwise |= base.is_some_and(|base| !base.numbers().all(|number| limits::holds(&state.dialect, number)));
        let fate = match fate {
            Fate::Drop => FrameFate::Drop,
            Fate::Keep if missing && (self.manner.mend || self.phase == Phase::Starting) => FrameFate::Drop,
            Fate::Keep if (missing || known || self.dialect.frame == FrameHeader::Server) && !self.merges_otherwise => FrameFate::Copy,
            Fate::Keep if state.ring.recovered() > self.recovered => FrameFate::Whole,
            Fate::Keep => FrameFate::Retell,
        };
        self.recovered = state.ring.recovered();
        self.frame = Some(Open { header, from: self.written(), fate, level: Vec::new(), others: Vec::new() });
        if self.phase == Phase::Copying && fate == FrameFate::Copy {
            self.copy(message, bytes);
        }
        if self.dialect.frame == FrameHeader::Packed {
            self.end_frame(message.unicast, effect == Effect::Frame, state);
        }
    }

    /// The frame is complete, or will never be.
    pub(super) fn end_frame(&mut self, unicast: Option<u8>, complete: bool, state: &State) {
        let Some(open) = self.frame.take() else { return };
        if self.phase == Phase::Starting {
            if complete && open.fate != FrameFate::Drop {
                self.start_run(&open.header, unicast, state);
            }
            self.put_others(open.others);
            return;
        }
        self.put_others(open.level);
        match open.fate {
            FrameFate::Drop => {
                self.changed = true;
                self.lost.push(open.header.number);
            }
            FrameFate::Copy if complete => self.remember(open.header.number),
            FrameFate::Retell | FrameFate::Whole if complete => self.retell(&open.header, unicast, open.fate == FrameFate::Whole, state),
            _ => {}
        }
        self.put_others(open.others);
    }

    pub(super) fn remember(&mut self, number: i32) {
        self.frames += 1;
        self.had.retain(|&old| old as usize % BACKUP != number as usize % BACKUP);
        self.had.push_back(number);
        self.lost.retain(|&lost| lost != number);
    }

    pub(super) fn teller<'s>(state: &'s State) -> Teller<'s> {
        let max_clients = std::str::from_utf8(state.strings.get(state.dialect.strings.maxclients)).ok().and_then(|text| text.parse().ok()).unwrap_or(1);
        Teller { dialect: &state.dialect, baselines: &state.baselines, max_clients }
    }

    /// Tells the frame from the last that the reader has, or, if wanted and short enough, from nothing.
    pub(super) fn retell(&mut self, header: &Frame, unicast: Option<u8>, whole: bool, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = Picture::of(view, &state.dialect);
        if whole {
            let begun = start(Self::teller(state), &Frame { number: 1, ..header.clone() }, &to, self.limit(), &self.cx);
            if begun.fits
                && let Some(mut messages) = begun.frames.into_iter().next()
            {
                if let Some(Body::Frame(first)) = messages.first_mut().map(|message| &mut message.body) {
                    first.number = header.number;
                }
                self.finish_retelling(messages, header.number, unicast);
                return;
            }
        }
        let base = self.had.iter().rev().filter(|&&number| number < header.number && can_start_from(&state.dialect, header.number, number));
        let base = base.filter_map(|&number| Some((number, Picture::of(state.ring.find(number)?, &state.dialect)))).next();
        let base = base.filter(|(_, picture)| picture.is_ordered() && to.is_ordered());
        let teller = Self::teller(state);
        let base = base.as_ref().map(|(number, picture)| (*number, picture));
        let deltas = teller.entities(base.map(|(_, picture)| picture), &to.entities);
        let messages = teller.frame(header, base, &to, deltas);
        self.finish_retelling(messages, header.number, unicast);
    }

    pub(super) fn finish_retelling(&mut self, mut messages: Vec<Message>, number: i32, unicast: Option<u8>) {
        if let Some(last) = messages.last_mut() {
            last.unicast = unicast;
        }
        self.put_frame(&messages);
        self.notes.retold += u64::from(!self.merges_otherwise);
        self.remember(number);
    }

    pub(super) fn put_frame(&mut self, messages: &[Message]) {
        self.changed = true;
        for (at, bytes) in bytes_of(messages, &mut self.cx).into_iter().enumerate() {
            match &mut self.group {
                Some(group) => group.out.extend_from_slice(&bytes),
                None if at > 0 => self.sheet.glued(&bytes),
                None => self.sheet.message(&bytes),
            }
        }
    }
}
