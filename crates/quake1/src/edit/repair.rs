//! Repairs recordings so that engines play them (`docs/formats/quake1.md`, "Repair").

use std::borrow::Cow;

use fragreel_model::{Action, DeltaBase, Edited, Loss};

use crate::container::{Container, Framing, Stamp};
use crate::dialect::Dialect;
use crate::message::{DeltaPacketEntities, Float, Message, Nop};
use crate::state::Game;
use crate::walk::input::Input;
use crate::walk::playable::{self, LONGEST_BLOCK};
use crate::walk::playback::Delivery;

use crate::container::kind;
use crate::encode::block_writer::BlockWriter;
use crate::encode::delays::wait;
use crate::encode::reencode;
use crate::message::encoded_length;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};

/// A recording that plays, made of everything readable in another.
pub(super) fn repair(recording: &Input<'_>) -> Edited {
    let mut repaired = repair_once(recording);
    if !repaired.actions.is_empty() {
        // blocks that came together may contradict each other's times
        let again = repair_once(&Input { start_lost: false, ..recording.over(&repaired.bytes) });
        repaired.actions.extend(again.actions);
        repaired.bytes = again.bytes;
    }
    repaired
}

fn repair_once(recording: &Input<'_>) -> Edited {
    let mut repair = Repair {
        out: BlockWriter::new(recording.container, recording.header_or_made()),
        actions: Vec::new(),
        game: Game::default(),
        lost: false,
        damaged: false,
        messages: Vec::new(),
        refused: Vec::new(),
        reencoded: 0,
        empty: 0,
        delay: 0,
        addressee_lost: false,
        ended: false,
        signing_on: false,
        time: Float(0),
        angles: [Float(0); 3],
    };
    let mut reading = DecodedBlocks::new(recording);
    while let Some(next) = reading.next(|d, message, delivery| repair.take(d, message, delivery)) {
        match next {
            NextDecoded::Broken(error, (from, to)) => {
                repair.actions.push(Action::BytesLeftOut { bytes: Some(to - from), offset: from, why: error.detail().to_owned() });
                (repair.lost, repair.damaged) = (true, true);
            }
            NextDecoded::Block(unit) => repair.write_unit(recording, *unit),
        }
        repair.signing_on = reading.is_signing_on();
    }
    repair.finish(recording)
}

struct Repair {
    out: BlockWriter,
    actions: Vec<Action>,
    game: Game,
    /// True if something was left out since the last full frame.
    lost: bool,
    /// True if anything of this level was left out.
    damaged: bool,
    /// The messages to write for this block.
    messages: Vec<Message>,
    /// Why messages of this block were left out.
    refused: Vec<String>,
    reencoded: u32,
    empty: u32,
    /// Milliseconds of the blocks that were left out.
    delay: u32,
    /// True if the block before was left out, whose addressee the next one may refer to.
    addressee_lost: bool,
    ended: bool,
    /// True during signon. A frame would end it.
    signing_on: bool,
    time: Float,
    angles: [Float; 3],
}

impl Repair {
    /// Follows a message. After a gap, the next frame is written in full.
    fn take(&mut self, d: &Dialect, message: &Message, delivery: &Delivery) {
        let refused = playable::stop_at_message(d, message, self.game.level.max_clients);
        if refused.is_some() || matches!(message, Message::Unknown(_)) {
            self.messages.pop_if(|before| matches!(before, Message::ChooseSeat(_)));
            self.refused.extend(refused.filter(|_| !matches!(message, Message::Unknown(_))));
            return;
        }
        let number = self.game.packet_number(d, delivery.sequence);
        self.game.apply(d, message, delivery.target, number);
        if matches!(message, Message::ServerData(_) | Message::ServerInfo(_)) {
            (self.lost, self.damaged) = (false, false);
        }
        let mut written = message.clone();
        let refers = matches!(message, Message::DeltaPacketEntities(_) | Message::UpdateEntities(_));
        let missing = self.game.take_missing().is_some();
        let missing = missing && self.damaged;
        if missing {
            // its delta base was left out: use the newest known frame instead
            if let (Message::DeltaPacketEntities(m), Some(newest)) = (message, self.game.world.qw_newest().sequence) {
                let again = Message::DeltaPacketEntities(DeltaPacketEntities { from: newest as u8, entities: m.entities.clone() });
                let _ = self.game.world.apply(d, &again, number);
            }
        }
        if (self.lost && refers) || missing {
            if let Some(whole) = reencode::full_frame(d, &self.game, message) {
                let _ = self.game.world.apply(d, &whole, number);
                written = whole;
                self.reencoded += 1;
            }
            self.lost = false;
        }
        self.messages.push(written);
    }

    fn write_unit(&mut self, recording: &Input<'_>, mut unit: DecodedBlock<'_>) {
        let mut messages = std::mem::take(&mut self.messages);
        self.follow_server_time(&unit, &mut messages);
        if unit.dropped && unit.error.is_none() {
            self.out.copy_block(recording.bytes.into(), &unit);
            return;
        }
        let number = unit.block.number;
        let framed = self.framing(&mut unit);
        if unit.stops_engines() {
            self.empty += 1;
            return;
        }
        if unit.target.is_some() {
            let last = unit.block.data.last();
            self.ended =
                messages.iter().any(|message| matches!(message, Message::Disconnect(_))) || (!unit.tail.is_empty() && unit.error.is_none() && last == Some(&2));
        }
        let unknown = unit.messages.iter().find_map(|message| match message {
            Message::Unknown(unknown) => Some(unknown.number),
            _ => None,
        });
        if let Some(error) = &unit.error {
            self.actions.push(Action::MessagesCut { bytes: Some(unit.tail.len() as u64), of: "block", number, why: error.detail().to_owned() });
        } else if let Some(unknown) = unknown {
            self.actions.push(Action::MessagesCut { bytes: None, of: "block", number, why: format!("no message has the number {unknown}") });
        }
        for why in std::mem::take(&mut self.refused) {
            self.actions.push(Action::MessageOfBlockLeftOut { block: u64::from(number), why });
        }
        let damaged = unit.error.is_some() || unknown.is_some();
        let changed = damaged || framed || messages != unit.messages;
        if damaged {
            unit.tail = Cow::Borrowed(&[]);
            (self.lost, self.damaged) = (true, true);
        }
        let long = unit.block.data.len() > LONGEST_BLOCK && self.out.container != Container::QuakeWorld && unit.tail.is_empty() && unit.hidden.is_none();
        if !changed && !long {
            self.out.copy_block(recording.bytes.into(), &unit);
            return;
        }
        if long {
            self.actions.push(Action::BlockDivided { block: u64::from(number), bytes: unit.block.data.len() as u64 });
        }
        let has_data = unit.target.is_some();
        // later blocks may refer to its addressee, and messages cannot be addressed to nobody
        let is_for_nobody = matches!(unit.block.framing, Framing::Packet { target, .. } if target.kind == kind::MULTIPLE && target.players == 0);
        if has_data && changed && !is_for_nobody && messages.is_empty() && unit.tail.is_empty() && unit.hidden.is_none() && unit.header.is_none() {
            // its time still passes
            if let Framing::Packet { time: Stamp::After(delay), target } = unit.block.framing {
                self.delay += u32::from(delay);
                self.addressee_lost |= target.kind != kind::READ;
            }
            return;
        }
        if let Framing::Packet { time: Stamp::After(delay), target } = &mut unit.block.framing {
            if let Some(resolved) = unit.target.filter(|_| std::mem::take(&mut self.addressee_lost) && target.kind == kind::READ) {
                *target = resolved;
            }
            self.delay += u32::from(*delay);
            let game = &self.game;
            let players = || game.roster.iter().filter_map(|(slot, _)| game.body_of(slot).map(|body| (slot, body.row, body.dead)));
            let signing_on = self.signing_on;
            *delay = wait(&mut self.out, &mut self.delay, || if signing_on { vec![Message::Nop(Nop {})] } else { reencode::keepalive_frame(players()) });
        }
        unit.messages = messages;
        self.write(unit, long);
    }

    /// Follows the server's times. A contradicted one becomes that of the frame before (NetQuake).
    fn follow_server_time(&mut self, unit: &DecodedBlock<'_>, messages: &mut [Message]) {
        if !matches!(unit.block.framing, Framing::NetQuake { .. }) {
            return;
        }
        for message in messages {
            let time = match message {
                Message::NqTime(stated) => &mut stated.time.0,
                Message::UpdateEntities(stated) => &mut stated.update.time,
                _ => continue,
            };
            if unit.block.contradicted {
                *time = self.time.0;
                self.actions.push(Action::TimeGiven { to: "block", number: unit.block.number });
            }
            self.time = Float(*time);
        }
    }

    /// Follows the times of blocks. An implausible time becomes that of the block before. Returns true if the framing changed: then, or if
    /// the block before was left out and its delay goes to this one.
    fn framing(&mut self, unit: &mut DecodedBlock<'_>) -> bool {
        let number = unit.block.number;
        let before = self.time;
        match &mut unit.block.framing {
            Framing::NetQuake { angles } => self.angles = *angles,
            framing @ (Framing::Packet { time: Stamp::At(_), .. } | Framing::Command { .. } | Framing::Sequences { .. }) => {
                let wrong = unit.block.contradicted || playable::stop_at_framing(framing).is_some();
                if let Framing::Packet { time: Stamp::At(time), .. }
                | Framing::Command { time: Stamp::At(time), .. }
                | Framing::Sequences { time: Stamp::At(time), .. } = framing
                {
                    if wrong {
                        *time = before;
                        self.actions.push(Action::TimeGiven { to: "block", number });
                    }
                    self.time = *time;
                }
                return wrong;
            }
            _ => {}
        }
        self.delay > 0 || self.addressee_lost
    }

    fn write(&mut self, mut unit: DecodedBlock<'_>, long: bool) {
        if !long {
            self.out.encode_block(&unit);
            return;
        }
        let messages = std::mem::take(&mut unit.messages);
        let mut bytes = 0;
        for mut message in messages {
            let more = encoded_length(&self.out.dialect, &mut message);
            if bytes + more > LONGEST_BLOCK && bytes > 0 {
                self.out.encode_block(&unit);
                unit.messages.clear();
                bytes = 0;
                if let Framing::Packet { time: Stamp::After(delay), .. } = &mut unit.block.framing {
                    *delay = 0;
                }
            }
            bytes += more;
            unit.messages.push(message);
        }
        self.out.encode_block(&unit);
    }

    fn finish(mut self, recording: &Input<'_>) -> Edited {
        if self.empty > 0 {
            self.actions.push(Action::EmptyBlocksLeftOut { blocks: u64::from(self.empty) });
        }
        if self.reencoded > 0 {
            self.actions.push(Action::FramesReencoded { frames: u64::from(self.reencoded), base: DeltaBase::Dropped });
        }
        if !self.ended {
            self.out.write_end(self.time, self.angles);
            self.actions.push(Action::EndMarkAdded);
        }
        let mut edited = Edited { bytes: self.out.bytes, extension: recording.container.extension().to_owned(), actions: self.actions, ..Edited::default() };
        if self.reencoded > 0 {
            edited.lose(Loss::ChangesInLeftOut);
        }
        edited
    }
}
