//! Converts between multi-view and client recordings.

use fragreel_model::{Action, Edited, Loss, Milliseconds};

use crate::container::{Container, Framing, Stamp, Target, UserCommand, kind, write_block};
use crate::dialect::Dialect;
use crate::edit::source::Source;
use crate::message::is_frame;
use crate::message::{Float, Message, PacketHeader, SetAngle, StatLong};
use crate::state::{Game, stat};
use crate::walk::input::Input;

use crate::edit::convert::without_extensions::{LONGEST_PACKET, block, edited, portions};
use crate::encode::block_writer::BlockWriter;
use crate::encode::delays::{moment_after, wait};
use crate::encode::quakeworld::FrameParts;
use crate::encode::quakeworld::QuakeWorld;
use crate::encode::recode::Recode;
use crate::encode::reencode::EVERYBODY;
use crate::encode::signon_writer::BEFORE_FIRST_FRAME;
use crate::encode::usage::Usage;
use crate::encode::world::WorldView;
use crate::limits::Limits;
use crate::walk::decoded_blocks::DecodedBlocks;

/// A multi-view recording as the client of one player would have recorded it.
pub(super) fn to_client(recording: &Input<'_>, usage: &Usage, to: Dialect, slot: u8) -> Edited {
    let mut converter = QuakeWorld::new(Recode::new(&recording.dialect, &to, Limits::of(&to)), usage.levels.clone());
    converter.own = Some((slot, false));
    let mut client = Client {
        out: BlockWriter::new(Container::QuakeWorld, &[]),
        converter,
        slot,
        sequence: 1,
        signed_on: false,
        waiting: Vec::new(),
        blocks: Vec::new(),
        last: None,
    };
    let mut reading = DecodedBlocks::new(recording);
    let mut game = Game::default();
    let mut now = Milliseconds(0);
    let mut framed = false;
    loop {
        let mut next_messages = Vec::new();
        let (mut entities, mut players, mut closes) = (false, false, false);
        // later messages go into another packet
        if framed && !reading.same_time_as_next() {
            client.frame(reading.dialect(), &game, now);
            framed = false;
        }
        let slot = client.slot;
        let converter = &mut client.converter;
        let next = reading.next(|d, message, delivery| {
            delivery.apply(&mut game, d, message);
            entities |= is_frame(message);
            players |= matches!(message, Message::ViewPlayer(_));
            closes |= matches!(message, Message::Disconnect(_));
            if !is_for(delivery.target, slot) {
                return;
            }
            match message {
                Message::SetAngle(m) if m.slot != slot => {}
                Message::SetAngle(m) => next_messages.extend(converter.message(d, &game, &Message::SetAngle(SetAngle { slot: 0, ..m.clone() }))),
                Message::Disconnect(_) => {}
                _ => next_messages.extend(converter.message(d, &game, message)),
            }
        });
        let Some(next) = next else { break };
        block(next, &mut client.converter.recode);
        now = reading.clock().server;
        client.take(next_messages);
        framed |= entities || (client.signed_on && players);
        if closes {
            ends_early(&reading, &mut client.converter.recode);
            break;
        }
    }
    if framed {
        client.frame(reading.dialect(), &game, now);
    }
    client.finish(now)
}

/// The connection is closed, and engines stop. Later blocks are lost.
fn ends_early(reading: &DecodedBlocks<'_>, recode: &mut Recode) {
    if reading.has_next() {
        recode.lose(Loss::BehindDisconnect);
    }
}

/// True if a block is addressed to a player.
fn is_for(target: Target, slot: u8) -> bool {
    match target.kind {
        kind::SINGLE | kind::STATS => target.slot == slot,
        kind::MULTIPLE => slot < 32 && target.players >> slot & 1 != 0,
        _ => true,
    }
}

struct Client {
    out: BlockWriter,
    converter: QuakeWorld,
    slot: u8,
    /// The next packet.
    sequence: u32,
    /// True once there was a frame.
    signed_on: bool,
    /// Messages of the next packet.
    waiting: Vec<Message>,
    /// Packets of the signon, written once the start time is known.
    blocks: Vec<Vec<Message>>,
    /// The time of the last frame, and the positions of players.
    last: Option<(Milliseconds, WorldView)>,
}

impl Client {
    /// Follows a block's messages.
    fn take(&mut self, messages: Vec<Message>) {
        if messages.iter().any(|message| matches!(message, Message::ServerData(_))) {
            // a new level has a signon
            let waiting = std::mem::take(&mut self.waiting);
            self.blocks.extend((!waiting.is_empty()).then_some(waiting));
            self.signed_on = false;
        }
        if self.signed_on {
            self.waiting.extend(messages);
        } else if !messages.is_empty() {
            self.blocks.push(messages);
        }
    }

    fn packet(&mut self, now: Milliseconds, messages: &[Message]) {
        let header = PacketHeader { sequence: self.sequence, acknowledged: self.sequence };
        let framing = Framing::Packet { time: stamp(now), target: Target { kind: kind::READ, ..Target::default() } };
        self.out.write_packet(&framing, Some(header), messages);
        self.sequence += 1;
    }

    /// Writes the frame until `now` as one packet, after the input that it answers.
    fn frame(&mut self, d: &Dialect, game: &Game, now: Milliseconds) {
        let mut messages = std::mem::take(&mut self.waiting);
        if !self.signed_on {
            self.signed_on = true;
            // the block of the first frame has only that
            self.signon(now);
            let framing = Framing::Sequences { time: stamp(now), outgoing: self.sequence, incoming: self.sequence - 1 };
            write_block(&mut self.out.bytes, Container::QuakeWorld, &framing, &[]);
        }
        let mut world_view = WorldView::of(d, game);
        let elapsed = self.last.as_ref().map_or(0, |(last, _)| (now - *last).0.clamp(0, 255)) as u8;
        self.velocities(&mut world_view, now);
        if let Some(own) = world_view.players.iter_mut().find(|player| player.slot == self.slot) {
            own.dead = game.stats_of(self.slot).is_some_and(|stats| stats[stat::HEALTH] <= 0);
        }
        let own = world_view.players.iter().find(|player| player.slot == self.slot);
        let angles = own.map_or([0.0; 3], |own| own.angles).map(Float::from);
        let movement = own.map_or([0; 3], |own| own.movement);
        let command = UserCommand { msec: elapsed, angles, movement, ..UserCommand::default() };
        write_block(&mut self.out.bytes, Container::QuakeWorld, &Framing::Command { time: stamp(now), command, angles }, &[]);
        let whole = FrameParts { at: Some(0), entities: true, players: Vec::new() };
        messages.extend(self.converter.frame(d, game, &world_view, &whole));
        self.packet(now, &messages);
        self.last = Some((now, world_view));
    }

    /// Velocities from positions, as ezQuake derives them when it plays multi-view recordings.
    fn velocities(&mut self, world_view: &mut WorldView, now: Milliseconds) {
        // in units; only teleporters move a player further in one frame
        const FARTHEST: f32 = 150.0;
        let Some((last, before)) = &self.last else { return };
        let seconds = (now - *last).seconds() as f32;
        for player in world_view.players.iter_mut().filter(|player| player.velocity.is_none()) {
            let Some(old) = before.players.iter().find(|old| old.slot == player.slot) else { continue };
            if seconds <= 0.0 {
                player.velocity = old.velocity;
                continue;
            }
            self.converter.recode.lose(Loss::Velocities);
            let way = [0, 1, 2].map(|axis| player.origin[axis] - old.origin[axis]);
            let is_elsewhere = way.iter().map(|axis| axis * axis).sum::<f32>() > FARTHEST * FARTHEST;
            let is_new_life = old.dead && !player.dead;
            player.velocity = Some(if is_elsewhere || is_new_life { [0.0; 3] } else { way.map(|axis| axis / seconds) });
        }
    }

    /// Writes the signon in packets that clients accept.
    fn signon(&mut self, now: Milliseconds) {
        for block in std::mem::take(&mut self.blocks) {
            for part in portions(&self.out, block, LONGEST_PACKET) {
                self.packet(now, &part);
            }
        }
    }

    fn finish(mut self, now: Milliseconds) -> Edited {
        self.signon(now);
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.packet(now, &waiting);
        }
        self.out.write_end(Float::from(now.seconds() as f32), [Float(0); 3]);
        let mut recode = self.converter.recode;
        recode.lose(Loss::Buttons);
        let slot = self.slot;
        edited(self.out, recode, Action::ConvertedTo { what: format!("the view of slot {slot}"), form: String::from("that player's client records it") })
    }
}

fn stamp(now: Milliseconds) -> Stamp {
    Stamp::At(Float::from(now.seconds() as f32))
}

/// A client's recording as a multi-view recording of the players that it saw.
pub(super) fn from_client(recording: &Source<'_>, usage: &Usage, to: Dialect) -> Edited {
    let limits = Limits::of(&to);
    let mut converter = QuakeWorld::new(Recode::new(&recording.dialect, &to, limits), usage.levels.clone());
    let mut out = BlockWriter::new(Container::MultiView, &[]);
    let timeline = recording.timeline();
    let still = timeline.server_stands_still();
    // the server's clock, or the demo clock if the server's never moves
    let (first, server) = timeline.line.frames.first().map_or((Milliseconds(0), Milliseconds(0)), |frame| (frame.demo, frame.server));
    let time = |reading: &DecodedBlocks<'_>| if still { server + (reading.clock().demo - first) } else { reading.clock().server };
    let mut reading = DecodedBlocks::new(recording);
    let mut game = Game::default();
    let (mut written, mut playing) = (server - Milliseconds(BEFORE_FIRST_FRAME.into()), false);
    let mut view = [0.0f32; 3];
    let mut messages: Vec<(Target, Message)> = Vec::new();
    let mut frame = FrameParts::default();
    let mut closes = false;
    loop {
        let lingers = |reading: &DecodedBlocks<'_>| if still { reading.same_demo_time_as_next() } else { reading.same_time_as_next() };
        if frame.at.is_some() && (closes || !lingers(&reading)) {
            let mut world_view = WorldView::of(reading.dialect(), &game);
            let own = game.own.filter(|_| !game.own_spectates);
            if let Some(player) = world_view.players.iter_mut().find(|player| Some(player.slot) == own) {
                player.angles = view;
                player.weapon_frame =
                    game.stats_of(player.slot).map_or(player.weapon_frame, |stats| stats[stat::WEAPON_FRAME].max(0) as u32 | player.weapon_frame);
            }
            // as servers do: events, then positions; only frames let time pass
            let now = moment_after(written, time(&reading));
            let mut delay = (now - written).0 as u32;
            written = now;
            let after = wait(&mut out, &mut delay, || converter.keepalive_frame());
            let seen = converter.frame(reading.dialect(), &game, &world_view, &std::mem::take(&mut frame));
            messages.extend(seen.into_iter().map(|message| (EVERYBODY, message)));
            // a level that loads again sets the clock where its first frame stands, behind the wait
            for (_, message) in &mut messages {
                if let Message::ServerData(data) = message {
                    data.time = Float::from(now.seconds() as f32);
                }
            }
            blocks(&mut out, std::mem::take(&mut messages), after);
        }
        if closes {
            ends_early(&reading, &mut converter.recode);
            break;
        }
        let next = reading.next(|d, message, delivery| {
            delivery.apply(&mut game, d, message);
            frame.see(message, messages.len());
            playing |= is_frame(message);
            closes |= matches!(message, Message::Disconnect(_));
            let own = game.own.unwrap_or_default();
            // an empty seat
            if matches!(message, Message::ChooseSeat(_)) || delivery.target.kind == kind::MULTIPLE {
                return;
            }
            let own = if delivery.seat > 0 { delivery.target.slot } else { own };
            for mut turned in converter.message(d, &game, message) {
                match &mut turned {
                    Message::ServerData(data) => data.time = Float::from(written.seconds() as f32),
                    Message::SetAngle(angle) => angle.slot = own,
                    Message::Disconnect(_) => continue,
                    _ => {}
                }
                messages.push((addressee(&turned, own, playing), turned));
            }
            // clients count these; for other players only stats state them
            let counted = match message {
                Message::KilledMonster(_) => stat::MONSTERS,
                Message::FoundSecret(_) => stat::SECRETS,
                _ => return,
            };
            let value = game.stats_of(own).map_or(0, |stats| stats[counted]);
            messages.push((Target { kind: kind::STATS, slot: own, players: 0 }, Message::StatLong(StatLong { stat: counted as u8, value })));
        });
        let Some(next) = next else { break };
        let Some(unit) = block(next, &mut converter.recode) else { continue };
        if let Framing::Command { angles, .. } = unit.block.framing {
            view = angles.map(Float::value);
        }
        if !playing {
            blocks(&mut out, std::mem::take(&mut messages), 0);
        }
    }
    blocks(&mut out, messages, 0);
    out.write_end(Float(0), [Float(0); 3]);
    converter.recode.lose(Loss::Inputs);
    edited(out, converter.recode, Action::ConvertedTo { what: String::from("the client's view"), form: String::from("a server records it") })
}

/// Writes messages as blocks for their addressees. The first comes `delay` milliseconds after the block before.
fn blocks(out: &mut BlockWriter, messages: Vec<(Target, Message)>, mut after: u8) {
    let mut messages = messages.into_iter().peekable();
    while let Some((target, message)) = messages.next() {
        let mut block = vec![message];
        while let Some((_, message)) = messages.next_if(|(other, _)| *other == target) {
            block.push(message);
        }
        out.write_packet(&Framing::Packet { time: Stamp::After(std::mem::take(&mut after)), target }, None, &block);
    }
}

/// The addressee of a message that one client received: the client itself for stats and view effects, all players for everything else.
fn addressee(message: &Message, own: u8, playing: bool) -> Target {
    const LOW: u8 = 0;
    let single = Target { kind: kind::SINGLE, slot: own, players: 0 };
    match message {
        Message::StatByte(_) | Message::StatLong(_) => Target { kind: kind::STATS, slot: own, players: 0 },
        Message::QwPrint(m) if m.level == LOW => single,
        Message::Damage(_) | Message::SmallKick(_) | Message::BigKick(_) | Message::CenterPrint(_) | Message::MaxSpeed(_) | Message::EntGravity(_) => single,
        Message::StuffText(_) if playing => single,
        _ => EVERYBODY,
    }
}
