//! Frames of a copy: kept, re-encoded, or dropped.

use fragreel_model::Fate;

use super::super::part_writer::Phase;
use super::{BACKUP, Dm2Writer, FrameFate, OpenFrame, can_be_base};
use crate::dialect::FrameHeader;
use crate::encode::reencode::{FrameEncoder, FrameState, message_bytes, starting_frames};
use crate::limits;
use crate::message::{Body, Frame, Message};
use crate::state::{Effect, State};

impl Dm2Writer<'_> {
    /// Starts a frame.
    pub(super) fn begin_frame(&mut self, message: &mut Message, bytes: &[u8], effect: Effect, state: &State, fate: Fate) {
        let Body::Frame(header) = &message.body else { return };
        let header = (**header).clone();
        let ordinal = state.clock.frames();
        self.parts.ordinal = ordinal;
        if self.parts.options.repair {
            self.abandon_frame();
        }
        let contradicted = effect == Effect::Contradicted;
        if !contradicted {
            self.leave_run(ordinal);
        }
        self.block_has_frame = true;
        let tail = self.resume.as_ref().and_then(|resume| resume.tail.as_ref());
        let known = tail.is_some_and(|(number, _)| header.number <= *number) && !contradicted;
        self.overlap += u64::from(known);
        let starts = !known && !contradicted && self.parts.starts(ordinal);
        if starts {
            self.parts.phase = Phase::Starting;
        }
        if self.parts.phase == Phase::Waiting || self.parts.is_over() {
            return;
        }
        if !contradicted && self.available.back().is_some_and(|&last| header.number < last) {
            self.available.clear();
            self.dropped.clear();
        }
        let missing = contradicted || matches!(effect, Effect::MissingBase(_));
        self.parts.report.unknown += u64::from(missing && !contradicted);
        // Without repair, a frame whose base no client can have is kept as it is.
        let there = if self.parts.options.repair {
            header.delta != header.number && self.available.contains(&header.delta)
        } else {
            !self.dropped.contains(&header.delta)
        };
        let known = header.delta <= 0 || there;
        // The copied base lacks entities that engines do not play. If it is out of order, the client would merge this list differently.
        let base = state.ring.find(header.delta).filter(|_| self.parts.options.repair && header.delta > 0 && self.dialect.frame != FrameHeader::Server);
        self.merge_order_differs |= base.is_some_and(|base| !base.numbers().all(|number| limits::holds(&state.dialect, number)));
        let fate = match fate {
            Fate::Drop => FrameFate::Drop,
            Fate::Keep if missing && (self.parts.options.repair || self.parts.phase == Phase::Starting) => FrameFate::Drop,
            Fate::Keep if (missing || known || self.dialect.frame == FrameHeader::Server) && !self.merge_order_differs => FrameFate::Copy,
            Fate::Keep if state.ring.recovered() > self.recovered => FrameFate::Full,
            Fate::Keep => FrameFate::Reencode,
        };
        self.recovered = state.ring.recovered();
        self.frame = Some(OpenFrame { header, from: self.written(), fate, level: Vec::new(), deferred: Vec::new() });
        if self.parts.is_copying() && fate == FrameFate::Copy {
            self.copy(message, bytes);
        }
        if self.dialect.frame == FrameHeader::Packed {
            self.end_frame(message.unicast, effect == Effect::Frame, state);
        }
    }

    /// Ends a frame. `complete`: its entities arrived.
    pub(super) fn end_frame(&mut self, unicast: Option<u8>, complete: bool, state: &State) {
        let Some(open) = self.frame.take() else { return };
        if self.parts.phase == Phase::Starting {
            if complete && open.fate != FrameFate::Drop {
                self.start_run(&open.header, unicast, state);
            }
            self.write_deferred(open.deferred);
            return;
        }
        self.write_deferred(open.level);
        match open.fate {
            FrameFate::Drop => {
                self.changed = true;
                self.dropped.push(open.header.number);
            }
            FrameFate::Copy if complete => self.remember(open.header.number),
            FrameFate::Reencode | FrameFate::Full if complete => self.reencode(&open.header, unicast, open.fate == FrameFate::Full, state),
            _ => {}
        }
        self.write_deferred(open.deferred);
    }

    pub(super) fn remember(&mut self, number: i32) {
        self.frames += 1;
        self.available.retain(|&old| old as usize % BACKUP != number as usize % BACKUP);
        self.available.push_back(number);
        self.dropped.retain(|&dropped| dropped != number);
    }

    pub(super) fn encoder<'s>(state: &'s State) -> FrameEncoder<'s> {
        let max_clients = state.max_clients();
        FrameEncoder { dialect: &state.dialect, baselines: &state.baselines, max_clients }
    }

    /// Re-encodes a frame against the last one that the client has. If `whole` and small enough, sends it in full.
    pub(super) fn reencode(&mut self, header: &Frame, unicast: Option<u8>, whole: bool, state: &State) {
        let Some(view) = state.ring.current() else { return };
        let to = FrameState::of(view, &state.dialect);
        if whole {
            let begun = starting_frames(Self::encoder(state), &Frame { number: 1, ..header.clone() }, &to, self.limit(), &self.cx);
            if begun.fits
                && let Some(mut messages) = begun.frames.into_iter().next()
            {
                if let Some(Body::Frame(first)) = messages.first_mut().map(|message| &mut message.body) {
                    first.number = header.number;
                }
                self.finish_reencoding(messages, header.number, unicast);
                return;
            }
        }
        let base = self.available.iter().rev().filter(|&&number| number < header.number && can_be_base(&state.dialect, header.number, number));
        let base = base.filter_map(|&number| Some((number, FrameState::of(state.ring.find(number)?, &state.dialect)))).next();
        let base = base.filter(|(_, frame_state)| frame_state.is_ordered() && to.is_ordered());
        let encoder = Self::encoder(state);
        let base = base.as_ref().map(|(number, frame_state)| (*number, frame_state));
        let deltas = encoder.entities(base.map(|(_, frame_state)| frame_state), &to.entities);
        let messages = encoder.frame(header, base, &to, deltas);
        self.finish_reencoding(messages, header.number, unicast);
    }

    pub(super) fn finish_reencoding(&mut self, mut messages: Vec<Message>, number: i32, unicast: Option<u8>) {
        if let Some(last) = messages.last_mut() {
            last.unicast = unicast;
        }
        self.put_frame(&messages);
        self.parts.report.reencoded += u64::from(!self.merge_order_differs);
        self.remember(number);
    }

    pub(super) fn put_frame(&mut self, messages: &[Message]) {
        self.changed = true;
        for (at, bytes) in message_bytes(messages, &mut self.cx).into_iter().enumerate() {
            match &mut self.packet {
                Some(packet) => packet.out.extend_from_slice(&bytes),
                None if at > 0 => self.blocks.append(&bytes),
                None => self.blocks.message(&bytes),
            }
        }
    }
}
