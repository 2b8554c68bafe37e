//! One client: its channel, how far it has signed on, what it knows and what it says.

use std::collections::VecDeque;

use live::Allowance;
use live::status::{info_number, number, words};
use wire::{ReadBytes, Wire, WriteBytes};

use super::Level;
use super::board::Board;
use super::event::{Event, Move};
use super::sight::{self, PacketSender};
use super::signon::baseline;
use crate::dialect::{Dialect, Numbers, Stream};
use crate::edit::Recode;
use crate::message::{ChokeCount, DeltaCommand, Disconnect, Message, QwPrint, StatByte, StatLong, StuffText, Text, code};
use crate::protocol::handshake::Extensions;
use crate::protocol::handshake::quakeworld::Connect;
use crate::protocol::netchan::quakeworld::{Channel, LARGEST, Side};
use crate::protocol::{Acknowledge, Audience, DeltaSender, Frame, Views, command};
use crate::replacement::{Baselines, Delta, EntityState, PEXT2_REPLACEMENT_DELTAS};
use crate::state::{Stats, World, stat};

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
    pub seat: Seat,
    pub channel: Channel,
    pub dialect: Dialect,
    pub baselines: Baselines,
    /// What plain updates start from.
    pub plain: World,
    pub asked_pext: bool,
    pub stage: Stage,
    pub events: VecDeque<Event>,
    sender: DeltaSender,
    packets: PacketSender,
    /// What is sent once, for the next packet.
    unreliable: Vec<u8>,
    stats: [Option<i32>; stat::COUNT],
    /// Which packet he wants the next one to be a change of.
    wants: Option<u8>,
    overflow: bool,
    /// Whether something came since the last frame, and when that was last so.
    spoke: bool,
    heard: f32,
    /// How fast he takes frames.
    allowance: Allowance,
}

/// Where a client sits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seat {
    /// The slot of the score board, from 0 on.
    pub slot: u8,
    /// Whether he only watches.
    pub watches: bool,
    /// The number that only this connection has.
    pub user_id: i32,
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
    pub fn new(connect: Connect, seat: Seat, now: f32) -> Self {
        let channel = Channel::new(Side::Server { qport: connect.qport });
        let dialect = dialect(&connect.extensions);
        let sender = DeltaSender::new(dialect.layout(), Audience::default());
        let allowance = Allowance::new(info_number(&connect.user_info, "rate"), USUAL_RATE);
        Self {
            connect,
            seat,
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
            stats: [None; stat::COUNT],
            wants: None,
            overflow: false,
            spoke: false,
            heard: now,
            allowance,
        }
    }

    /// Begins again: nothing is known of the level.
    pub fn reset(&mut self, level: &Level, layout: &crate::replacement::Flags) {
        self.stage = Stage::SigningOn;
        self.dialect = dialect(&self.connect.extensions);
        self.sender = DeltaSender::new(self.dialect.layout(), self.audience(None));
        self.packets.forget();
        self.unreliable.clear();
        self.stats = [None; stat::COUNT];
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

    fn audience(&self, follows: Option<u8>) -> Audience {
        let views = if self.seat.watches { follows.map_or(Views::All, |slot| Views::Of(u32::from(slot) + 1)) } else { Views::None };
        Audience { players: sight::PLAYERS, views }
    }

    pub fn has_replacement(&self) -> bool {
        self.connect.extensions.fte2 & PEXT2_REPLACEMENT_DELTAS != 0
    }

    pub fn is_playing(&self) -> bool {
        self.stage == Stage::Playing
    }

    /// Whether more waits for him than he takes.
    pub fn has_overflowed(&self) -> bool {
        self.overflow
    }

    /// Seconds since something came from him.
    pub fn silence(&self, now: f32) -> f32 {
        now - self.heard
    }

    /// Takes a datagram. What he asks for while he signs on is given to `ask`.
    pub fn receive(&mut self, datagram: &[u8], mut ask: impl FnMut(&mut Self, &[u8]) -> bool) {
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
    fn messages(&mut self, payload: &[u8], ask: &mut impl FnMut(&mut Self, &[u8]) -> bool) -> Result<(), wire::Error> {
        let mut r = ReadBytes::new(payload);
        while r.more(false) {
            match r.bits(0, 8)? as u8 {
                command::CLC_NOP => {}
                command::CLC_MOVE => {
                    r.bits(0, 16)?; // checksum and loss
                    let mut input = DeltaCommand::default();
                    for _ in 0..3 {
                        // each input is the change from the one before
                        let mut next = DeltaCommand::default();
                        next.code(&mut r, &self.dialect)?;
                        input = next.over(&input);
                    }
                    if self.is_playing() {
                        self.happened(Event::Moved(moved(&input)));
                    }
                }
                command::CLC_STRING => {
                    let mut text = Vec::new();
                    r.text(&mut text, crate::message::LONGEST_TEXT)?;
                    if let [b"setinfo", b"rate", rate] = &words(&text).iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
                        self.allowance.set(number(rate));
                    }
                    if !ask(self, &text) {
                        self.happened(Event::Command(text));
                    }
                }
                command::CLC_DELTA => self.wants = Some(r.bits(0, 8)? as u8),
                command::CLC_TELEPORT => {
                    let mut origin = [0.0; 3];
                    for axis in &mut origin {
                        *axis = self.dialect.coord.units(self.dialect.coord.code(&mut r, "origin", 0)?);
                    }
                    self.happened(Event::Teleported(origin));
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

    pub fn happened(&mut self, event: Event) {
        if let (Event::Moved(new), Some(Event::Moved(last))) = (&event, self.events.back_mut()) {
            *last = *new;
        } else if self.events.len() < MOST_EVENTS {
            self.events.push_back(event);
        }
    }

    /// Answers what came since the last frame: who said nothing gets nothing.
    pub fn frame(&mut self, time: f32, sight: &Sight<'_>, models: Models<'_>, layout: &crate::replacement::Flags, budget: usize) -> Option<Vec<u8>> {
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
                self.replacement(time, sight, layout, room, &mut unreliable);
            } else {
                self.packet(sight, models, layout, room, &mut unreliable);
            }
        }
        let mut datagram = Vec::new();
        self.channel.transmit(&unreliable, &mut datagram);
        self.allowance.sent(f64::from(time), datagram.len());
        Some(datagram)
    }

    fn replacement(&mut self, time: f32, sight: &Sight<'_>, layout: &crate::replacement::Flags, room: usize, out: &mut Vec<u8>) {
        self.sender.set_audience(self.audience(sight.follows));
        let frame = Frame { sequence: self.channel.outgoing_sequence(), time, input_sequence: 0, budget: room - out.len() };
        let flags = self.dialect.layout();
        // With too little room beside a reliable block, the next packet brings them.
        if flags == *layout {
            let _ = self.sender.send(frame, sight.visible.iter().map(|(number, state)| (*number, state)), &self.baselines, out);
        } else {
            let visible: Vec<_> = sight.visible.iter().map(|(number, state)| (*number, sight::reworded(layout, &flags, state))).collect();
            let _ = self.sender.send(frame, visible.iter().map(|(number, state)| (*number, state)), &self.baselines, out);
        }
    }

    fn packet(&mut self, sight: &Sight<'_>, models: Models<'_>, layout: &crate::replacement::Flags, room: usize, out: &mut Vec<u8>) {
        let mut w = WriteBytes::default();
        let own = u32::from(self.seat.slot) + 1;
        if self.seat.watches {
            let Ok(()) = code(&mut w, &self.dialect, &mut sight::watcher(&self.dialect, self.seat.slot, sight.eye));
        }
        for (number, state) in sight.visible.iter().filter(|(number, _)| (1..=sight::PLAYERS).contains(number)) {
            if !(self.seat.watches && *number == own) {
                let Ok(()) = code(&mut w, &self.dialect, &mut sight::player(&self.dialect, layout, *number, state, models.player, *number == own));
            }
        }
        let players = w.finish();
        if out.len() + players.len() > room {
            return;
        }
        out.extend_from_slice(&players);
        let rows = sight::rows(&self.dialect, layout, sight.visible, sight.eye, |model| models.is_brush(model));
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
    pub fn post(&mut self, board: &Board) {
        for message in board.messages() {
            self.say(message);
        }
    }

    /// Sends the stats that have changed since they were sent.
    pub fn stats(&mut self, stats: &Stats) {
        if self.stage < Stage::Spawned {
            return;
        }
        for (at, value) in stats.iter().copied().enumerate() {
            if self.stats[at] != Some(value) && (value != 0 || self.stats[at].is_some()) {
                self.stats[at] = Some(value);
                let stat = at as u8;
                self.say(&match u8::try_from(value) {
                    Ok(value) => Message::StatByte(StatByte { stat, value }),
                    Err(_) => Message::StatLong(StatLong { stat, value }),
                });
            }
        }
    }

    pub fn stuff(&mut self, commands: &str) {
        self.say(&Message::StuffText(StuffText { text: text(commands) }));
    }

    pub fn change_level(&mut self, level: &Level, layout: &crate::replacement::Flags) {
        self.reset(level, layout);
        self.stuff("changing\n");
        self.stuff("reconnect\n");
    }

    pub fn close(&mut self, reason: &str) -> Vec<u8> {
        let mut goodbye = WriteBytes::default();
        if !reason.is_empty() {
            let text = text(&format!("You were dropped: {reason}\n"));
            let Ok(()) = code(&mut goodbye, &self.dialect, &mut Message::QwPrint(QwPrint { level: 2, text }));
        }
        let Ok(()) = code(&mut goodbye, &self.dialect, &mut Message::Disconnect(Disconnect::default()));
        let mut datagram = Vec::new();
        self.channel.transmit(goodbye.written(), &mut datagram);
        datagram
    }

    /// Queues what must arrive.
    pub fn say(&mut self, message: &Message) {
        let encoded = self.encoded(message);
        self.queue(&encoded);
    }

    /// What may be lost. Without room it is.
    pub fn send_unreliable(&mut self, message: &Message) {
        if self.is_playing() {
            let encoded = self.encoded(message);
            if self.unreliable.len() + encoded.len() <= MOST_UNRELIABLE {
                self.unreliable.extend_from_slice(&encoded);
            }
        }
    }

    pub fn encoded(&self, message: &Message) -> Vec<u8> {
        let mut message = widened(&self.dialect, message);
        let mut w = WriteBytes::default();
        let Ok(()) = code(&mut w, &self.dialect, &mut message);
        w.finish()
    }

    pub fn queue(&mut self, message: &[u8]) {
        self.overflow |= !self.channel.queue(message);
    }
}

/// What one client is shown in a frame.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// Entities in rising order of numbers; 1 to 32 are players.
    pub visible: &'a [(u32, EntityState)],
    /// Where a spectator is.
    pub eye: [f32; 3],
    /// Whose eyes a spectator sees through: a slot.
    pub follows: Option<u8>,
}

/// A level's models, as far as plain clients must know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Models<'a> {
    /// The number of the model that players have unless another is sent.
    player: u32,
    names: &'a [String],
}

impl<'a> Models<'a> {
    pub fn of(level: &'a Level) -> Self {
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
    let mut recode = Recode::new(&plain, d, crate::edit::Limits::NONE);
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
