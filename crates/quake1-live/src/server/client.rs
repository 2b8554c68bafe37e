//! One client: its channel, how far it has signed on, what it knows and what it says.

use std::collections::VecDeque;

use fragreel_base::wire::{ReadBytes, Wire, WriteBytes};
use fragreel_live::RateLimiter;
use fragreel_live::status::{info_number, words};

use crate::handshake::Extensions;
use crate::handshake::quakeworld::Connect;
use crate::netchan::quakeworld::{Channel, LARGEST, Side};
use crate::server::Level;
use crate::server::baseline::baseline;
use crate::server::board::Board;
use crate::server::event::{Event, Move};
use crate::server::seat::{Seat, SeatRequest, Sitting};
use crate::server::sight::{self, PacketSender, Sight};
use crate::{Acknowledge, Audience, DeltaSender, Frame, Views, command};
use fragreel_quake1::unstable::dialect::{Dialect, Numbers, Stream};
use fragreel_quake1::unstable::message::{ChokeCount, DeltaCommand, Disconnect, Message, QwPrint, StuffText, Text, code};
use fragreel_quake1::unstable::recode::Recode;
use fragreel_quake1::unstable::replacement::{Baselines, Delta, PEXT2_REPLACEMENT_DELTAS};
use fragreel_quake1::unstable::state::World;

/// Bytes of things heard once that wait for the next packet.
const MOST_UNRELIABLE: usize = LARGEST;
/// Bytes per second for who does not say, which no engine's client does.
const USUAL_RATE: i32 = 100_000;
/// Events that wait for the server's owner, of one client.
const MOST_EVENTS: usize = 64;

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    pub connect: Connect,
    /// Who plays there, the first seat first.
    pub sitting: Vec<Sitting>,
    /// What it wants of its seats, and from when on that is looked at.
    pub requests: Vec<SeatRequest>,
    pub seats_at: f32,
    pub channel: Channel,
    pub dialect: Dialect,
    pub baselines: Baselines,
    /// What plain updates start from.
    pub plain: World,
    pub asked_pext: bool,
    pub stage: Stage,
    pub events: VecDeque<(Seat, Event)>,
    sender: DeltaSender,
    packets: PacketSender,
    /// What is sent once, for the next packet.
    unreliable: Vec<u8>,
    /// Which packet he wants the next one to be a change of.
    wants: Option<u8>,
    /// Whether something came since the last frame, and when that was last so.
    spoke: bool,
    heard: f32,
    /// How fast he takes frames.
    allowance: RateLimiter,
}

/// How far a client is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// He gets files and baselines.
    #[default]
    SigningOn,
    /// He knows who is there, and loads.
    Spawned,
    /// He is in the game.
    Playing,
    /// He is gone.
    Left,
}

impl Connection {
    pub(super) fn new(connect: Connect, seat: Seat, now: f32) -> Self {
        let channel = Channel::new(Side::Server { qport: connect.qport });
        let dialect = dialect(&connect.extensions);
        let sender = DeltaSender::new(dialect.layout(), Audience::default());
        let allowance = RateLimiter::new(info_number(&connect.user_info, "rate"), USUAL_RATE);
        Self {
            sitting: vec![Sitting::new(seat)],
            requests: Vec::new(),
            seats_at: now,
            connect,
            channel,
            dialect,
            baselines: Baselines::new(),
            plain: World::default(),
            asked_pext: false,
            stage: Stage::SigningOn,
            events: VecDeque::new(),
            sender,
            packets: PacketSender::default(),
            unreliable: Vec::new(),
            wants: None,
            spoke: false,
            heard: now,
            allowance,
        }
    }

    /// Begins again: nothing is known of the level.
    pub(super) fn reset(&mut self, level: &Level, layout: &fragreel_quake1::unstable::replacement::Flags) {
        self.stage = Stage::SigningOn;
        self.dialect = dialect(&self.connect.extensions);
        self.sender = DeltaSender::new(self.dialect.layout(), self.audience(&[]));
        self.packets.forget();
        self.unreliable.clear();
        self.sitting.iter_mut().for_each(Sitting::forget);
        (self.baselines, self.plain) = (Baselines::new(), World::default());
        let flags = self.dialect.layout();
        for (number, state) in &level.baselines {
            if self.has_replacement() {
                self.baselines.set(&flags, *number, &sight::reworded(layout, &flags, state), &mut Delta::default());
            } else if let Some(message) = baseline(&self.dialect, layout, *number, state) {
                let _ = self.plain.apply(&self.dialect, &message, 0);
            }
        }
    }

    /// Spectators get view angles: of whom they all follow, or everybody's.
    fn audience(&self, sights: &[Sight<'_>]) -> Audience {
        let mut follows = (0..).zip(self.seats()).filter(|(_, seat)| seat.watches).map(|(at, _): (usize, _)| sights.get(at).and_then(|sight| sight.follows));
        let views = match follows.next() {
            None => Views::None,
            Some(Some(slot)) if follows.all(|other| other == Some(slot)) => Views::Of(u32::from(slot) + 1),
            Some(_) => Views::All,
        };
        Audience { players: sight::PLAYERS, views }
    }

    pub(super) fn has_replacement(&self) -> bool {
        self.connect.extensions.fte2 & PEXT2_REPLACEMENT_DELTAS != 0
    }

    pub(super) fn is_playing(&self) -> bool {
        self.stage == Stage::Playing
    }

    /// Whether more waits for him than he takes.
    pub(super) fn has_overflowed(&self) -> bool {
        self.channel.has_overflowed()
    }

    /// Seconds since something came from him.
    pub(super) fn silence(&self, now: f32) -> f32 {
        now - self.heard
    }

    /// Takes a datagram. What he asks for while he signs on is given to `ask`.
    pub(super) fn receive(&mut self, datagram: &[u8], mut ask: impl FnMut(&mut Self, &[u8]) -> bool) {
        let Ok(packet) = self.channel.receive(datagram) else { return };
        self.spoke = true;
        self.sender.acknowledge(Acknowledge::Frame(packet.acknowledged));
        self.wants = None;
        let payload = packet.payload.to_vec();
        // What cannot be read ends the packet; its acknowledgement counts all the same.
        let _ = self.messages(&payload, &mut ask);
        if self.is_playing() && self.wants.is_none() {
            self.sender.acknowledge(Acknowledge::Restart);
        }
    }

    /// Reads what a client may send.
    fn messages(&mut self, payload: &[u8], ask: &mut impl FnMut(&mut Self, &[u8]) -> bool) -> Result<(), fragreel_base::wire::Error> {
        let mut r = ReadBytes::new(payload);
        let mut moves = 0;
        while r.more(false) {
            match r.bits(0, 8)? as u8 {
                command::CLC_NOP => {}
                command::CLC_MOVE => {
                    // each seat's in turn; the first one's has a checksum and the loss
                    if moves == 0 {
                        r.bits(0, 16)?;
                    }
                    let mut input = DeltaCommand::default();
                    for _ in 0..3 {
                        // each input is the change from the one before
                        let mut next = DeltaCommand::default();
                        next.code(&mut r, &self.dialect)?;
                        input = next.over(&input);
                    }
                    if self.is_playing() {
                        self.happened(moves, Event::Moved(moved(&input)));
                    }
                    moves = moves.saturating_add(1);
                }
                number @ (command::CLC_STRING | command::CLC_STRING_OF_SEAT) => {
                    let seat = if number == command::CLC_STRING { 0 } else { r.bits(0, 8)? as u8 };
                    let mut text = Vec::new();
                    r.text(&mut text, fragreel_quake1::unstable::message::LONGEST_TEXT)?;
                    if seat == 0
                        && let [b"setinfo", b"rate", rate] = &words(&text).iter().map(Vec::as_slice).collect::<Vec<_>>()[..]
                    {
                        self.allowance.set(fragreel_live::status::number(rate));
                    }
                    if !self.requests_at(seat, &text) && (seat > 0 || !ask(self, &text)) {
                        self.happened(seat, Event::Command(text));
                    }
                }
                command::CLC_DELTA => self.wants = Some(r.bits(0, 8)? as u8),
                command::CLC_TELEPORT => {
                    let mut origin = [0.0; 3];
                    for axis in &mut origin {
                        *axis = self.dialect.coord.units(self.dialect.coord.code(&mut r, "origin", 0)?);
                    }
                    self.happened(0, Event::Teleported(origin));
                }
                command::CLC_ACK_FRAME => {
                    let sequence = r.bits(0, 32)?;
                    self.sender.acknowledge(if sequence == u32::MAX { Acknowledge::Restart } else { Acknowledge::Frame(sequence) });
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Something is done at a seat, which nobody may have.
    pub(super) fn happened(&mut self, seat: u8, event: Event) {
        let Some(seat) = self.sitting.get(usize::from(seat)).map(|sitting| sitting.seat) else { return };
        if let Event::Moved(new) = &event {
            for (of, last) in self.events.iter_mut().rev() {
                match last {
                    Event::Moved(last) if of.user_id == seat.user_id => {
                        *last = *new;
                        return;
                    }
                    Event::Moved(_) => {}
                    _ => break,
                }
            }
        }
        if self.events.len() < MOST_EVENTS {
            self.events.push_back((seat, event));
        }
    }

    /// Answers what came since the last frame: who said nothing gets nothing.
    pub(super) fn frame(
        &mut self,
        time: f32,
        sights: &[Sight<'_>],
        models: Models<'_>,
        layout: &fragreel_quake1::unstable::replacement::Flags,
        budget: usize,
    ) -> Option<Vec<u8>> {
        let spoke = std::mem::take(&mut self.spoke);
        if spoke {
            self.heard = time;
        }
        // what he asks for while his line is full is not answered; the next answer says how often that was
        if !self.allowance.is_clear(f64::from(time)) {
            if spoke {
                self.allowance.leave_out();
            }
            return None;
        }
        if !self.channel.align() {
            return None;
        }
        let room = budget.min(self.channel.room());
        let mut unreliable = std::mem::take(&mut self.unreliable);
        if unreliable.len() > room / 2 {
            unreliable.clear();
        }
        if self.is_playing() {
            if let count @ 1.. = self.allowance.take_left_out() {
                unreliable.extend(self.encoded(&Message::ChokeCount(ChokeCount { packets: count })));
            }
            if self.has_replacement() {
                self.replacement(time, sights, layout, room, &mut unreliable);
            } else {
                self.packet(sights, models, layout, room, &mut unreliable);
            }
        }
        let datagram = self.channel.transmit(&unreliable);
        self.allowance.sent(f64::from(time), datagram.len());
        Some(datagram)
    }

    fn replacement(&mut self, time: f32, sights: &[Sight<'_>], layout: &fragreel_quake1::unstable::replacement::Flags, room: usize, out: &mut Vec<u8>) {
        self.sender.set_audience(self.audience(sights));
        let visible = sight::union(sights);
        let frame = Frame { sequence: self.channel.outgoing_sequence(), time, input_sequence: 0, budget: room - out.len() };
        let flags = self.dialect.layout();
        // With too little room beside a reliable block, the next packet brings them.
        if flags == *layout {
            let _ = self.sender.send(frame, visible.iter().map(|(number, state)| (*number, state)), &self.baselines, out);
        } else {
            let visible: Vec<_> = visible.iter().map(|(number, state)| (*number, sight::reworded(layout, &flags, state))).collect();
            let _ = self.sender.send(frame, visible.iter().map(|(number, state)| (*number, state)), &self.baselines, out);
        }
    }

    fn packet(&mut self, sights: &[Sight<'_>], models: Models<'_>, layout: &fragreel_quake1::unstable::replacement::Flags, room: usize, out: &mut Vec<u8>) {
        let mut w = WriteBytes::default();
        let visible = sight::union(sights);
        let eyes: Vec<[f32; 3]> = sights.iter().map(|sight| sight.eye).collect();
        for (seat, eye) in self.seats().zip(&eyes).filter(|(seat, _)| seat.watches) {
            let Ok(()) = code(&mut w, &self.dialect, &mut sight::watcher(&self.dialect, seat.slot, *eye));
        }
        for (number, state) in visible.iter().filter(|(number, _)| (1..=sight::PLAYERS).contains(number)) {
            let own = self.seats().find(|seat| u32::from(seat.slot) + 1 == *number);
            if !own.is_some_and(|seat| seat.watches) {
                let Ok(()) = code(&mut w, &self.dialect, &mut sight::player(&self.dialect, layout, *number, state, models.player, own.is_some()));
            }
        }
        let players = w.finish();
        if out.len() + players.len() > room {
            return;
        }
        out.extend_from_slice(&players);
        let rows = sight::rows(&self.dialect, layout, &visible, &eyes, |model| models.is_brush(model));
        let (sequence, left) = (self.channel.outgoing_sequence(), room - out.len());
        let plain = &self.plain;
        let sent = self.packets.send(&self.dialect, |number| plain.qw_baseline(number), rows, sequence, self.wants, left);
        if let Some(mut message) = sent {
            let mut w = WriteBytes::default();
            let Ok(()) = code(&mut w, &self.dialect, &mut message);
            out.extend_from_slice(w.written());
        }
    }

    /// All that everybody knows.
    pub(super) fn post(&mut self, board: &Board) {
        for message in board.messages() {
            self.say(message);
        }
    }

    pub(super) fn stuff(&mut self, commands: &str) {
        self.say(&Message::StuffText(StuffText { text: text(commands) }));
    }

    pub(super) fn change_level(&mut self, level: &Level, layout: &fragreel_quake1::unstable::replacement::Flags) {
        self.reset(level, layout);
        self.stuff("changing\n");
        self.stuff("reconnect\n");
    }

    pub(super) fn close(&mut self, reason: &str) -> Vec<u8> {
        let mut goodbye = WriteBytes::default();
        if !reason.is_empty() {
            let text = text(&format!("You were dropped: {reason}\n"));
            let Ok(()) = code(&mut goodbye, &self.dialect, &mut Message::QwPrint(QwPrint { level: 2, text }));
        }
        let Ok(()) = code(&mut goodbye, &self.dialect, &mut Message::Disconnect(Disconnect::default()));
        self.channel.transmit(goodbye.written())
    }

    /// Queues what must arrive.
    pub(super) fn say(&mut self, message: &Message) {
        let encoded = self.encoded(message);
        self.queue(&encoded);
    }

    /// What may be lost. Without room it is.
    pub(super) fn send_unreliable(&mut self, message: &Message) {
        self.send_unreliable_to(0, message);
    }

    /// As [`send_unreliable`](Self::send_unreliable), for a seat.
    pub(super) fn send_unreliable_to(&mut self, seat: u8, message: &Message) {
        if self.is_playing() {
            let encoded = self.directed(seat, message);
            if self.unreliable.len() + encoded.len() <= MOST_UNRELIABLE {
                self.unreliable.extend_from_slice(&encoded);
            }
        }
    }

    pub(super) fn encoded(&self, message: &Message) -> Vec<u8> {
        let mut message = widened(&self.dialect, message);
        let mut w = WriteBytes::default();
        let Ok(()) = code(&mut w, &self.dialect, &mut message);
        w.finish()
    }

    pub(super) fn queue(&mut self, message: &[u8]) {
        self.channel.queue(message);
    }
}

/// A level's models, as far as plain clients must know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Models<'a> {
    /// The number of the model that players have unless another is sent.
    player: u32,
    names: &'a [String],
}

impl<'a> Models<'a> {
    pub(super) fn of(level: &'a Level) -> Self {
        let player = level.models.iter().position(|name| name == "progs/player.mdl").map_or(0, |at| at as u32 + 1);
        Models { player, names: &level.models }
    }

    /// Whether a model is a part of the level, such as a door.
    fn is_brush(&self, number: u32) -> bool {
        (number as usize).checked_sub(1).and_then(|at| self.names.get(at)).is_some_and(|name| name.starts_with('*'))
    }
}

/// A message with coordinates in eighths, as a client's dialect has them.
fn widened(d: &Dialect, message: &Message) -> Message {
    let plain = dialect(&Extensions::NONE);
    if d.coord == plain.coord && d.angle == plain.angle {
        return message.clone();
    }
    let mut recode = Recode::new(&plain, d, fragreel_quake1::unstable::limits::Limits::NONE);
    match message {
        Message::QwSound(m) => {
            let mut sound = m.clone();
            recode.coords(&mut sound.origin);
            Message::QwSound(sound)
        }
        Message::TempEntity(m) => recode.temp_entity(m).map_or_else(|| message.clone(), Message::TempEntity),
        other => recode.plain(other).unwrap_or_else(|| other.clone()),
    }
}

fn moved(input: &DeltaCommand) -> Move {
    Move {
        angles: input.angles.map(|turns| f32::from(turns as i16) * (360.0 / 65536.0)),
        movement: input.movement,
        buttons: input.buttons,
        impulse: input.impulse,
        milliseconds: input.msec,
    }
}

pub(super) fn dialect(extensions: &Extensions) -> Dialect {
    Dialect::of(Numbers { stream: Stream::QuakeWorld, protocol: 28, pext1: extensions.fte1, pext2: extensions.fte2, mvd1: extensions.mvd1, flags: 0 })
}

pub(super) fn text(text: &str) -> Text {
    Text(text.as_bytes().to_vec())
}
