//! Replacement deltas for one client: the frames of a plain recording as changes since the frame that the client has acknowledged. Documents:
//! *Shows*, *Sender*.

use fragreel_base::wire::{ReadBytes, WriteBytes};
use fragreel_quake1::unstable::dialect::{Dialect, Numbers, Stream, pext2};
use fragreel_quake1::unstable::fields::netquake::{client_bits, client_slot};
use fragreel_quake1::unstable::message::{ClientData, Extension, Message, Packet, SpawnBaseline2, StatByte, StatLong, code, plain_entity};
use fragreel_quake1::unstable::replacement::{Baselines, Delta, EntityState};
use fragreel_quake1::unstable::state::stat;
use fragreel_quake1::unstable::world::{EntityView, of_baseline};

use crate::handshake::Extensions;
use crate::netchan::netquake::Channel;
use crate::{Acknowledge, Audience, DeltaSender, Frame, command};

/// The extensions that the server offers.
pub(super) const OFFERS: Extensions = Extensions::NETQUAKE;
/// The most bytes of a datagram: networks fragment longer ones.
const DATAGRAM: usize = 1400;
/// The most datagrams of a frame. The next frame continues with what is left.
const MOST_DATAGRAMS: usize = 8;
/// `RENDER_ONGROUND`, as QuakeSpasm-Spiked's server marks it.
const ON_GROUND: u32 = 128;

/// What a frame shows, in no dialect.
pub(super) struct Scene {
    /// The server's time.
    pub time: f32,
    /// The entities, in rising order of numbers.
    pub entities: Vec<EntityView>,
    /// The entity whose view the clients have, and the player's data.
    pub view: Option<u32>,
    pub own: Option<ClientData>,
    /// Messages before the entities, and messages after them that may be lost.
    pub before: Vec<Message>,
    pub after: Vec<Message>,
}

/// One client's state.
#[derive(Clone)]
pub(super) struct Deltas {
    dialect: Dialect,
    sender: DeltaSender,
    baselines: Baselines,
    stats: Stats,
    /// The last move that arrived.
    input: u16,
}

impl Deltas {
    /// A client of a level with these extensions; `None` if they have no replacement deltas.
    pub(super) fn new(plain: &Dialect, agreed: Extensions) -> Option<Self> {
        if agreed.fte2 & pext2::REPLACEMENTDELTAS == 0 {
            return None;
        }
        let Numbers { protocol, flags, .. } = plain.numbers;
        let dialect = Dialect::of(Numbers { stream: Stream::NetQuake, protocol, pext1: 0, pext2: agreed.fte2, mvd1: 0, flags });
        let sender = DeltaSender::new(dialect.layout(), Audience::default());
        Some(Deltas { dialect, sender, baselines: Baselines::new(), stats: Stats::default(), input: 0 })
    }

    /// The client's dialect.
    pub(super) fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    fn agreed(&self) -> Extensions {
        Extensions { fte2: self.dialect.numbers.pext2, ..Extensions::NONE }
    }

    /// The same client at the start of a level.
    pub(super) fn of_level(&self, plain: &Dialect) -> Option<Self> {
        Self::new(plain, self.agreed()).map(|new| Deltas { input: self.input, ..new })
    }

    /// A block of the plain signon as this client gets it.
    pub(super) fn signon(&mut self, plain: &Dialect, block: &[u8]) -> Vec<u8> {
        let (mut packet, mut d) = (Packet::default(), plain.clone());
        // a block of our own signon can be read
        let _ = packet.code(&mut ReadBytes::new(block), &mut d, false);
        let mut w = WriteBytes::default();
        for message in packet.messages {
            let mut message = self.shaped(plain, message);
            let Ok(()) = code(&mut w, &self.dialect, &mut message);
        }
        w.finish()
    }

    fn shaped(&mut self, plain: &Dialect, message: Message) -> Message {
        if let Some((number, view)) = of_baseline(plain, &message) {
            let (layout, mut delta) = (self.dialect.layout(), Delta::default());
            self.baselines.set(&layout, number, &view.replacement_state(&layout), &mut delta);
            return Message::SpawnBaseline2(SpawnBaseline2 { entity: plain_entity(number), delta });
        }
        let mut message = message;
        if let Message::ServerInfo(info) = &mut message {
            let pairs = self.agreed();
            info.version.extensions = pairs.pairs().map(|(key, value)| Extension { key, value, data: Vec::new() }).collect();
        }
        message
    }

    /// Takes an acknowledgement of a frame.
    pub(super) fn acknowledge(&mut self, acknowledge: Acknowledge) {
        self.sender.acknowledge(acknowledge);
        self.stats.acknowledge(acknowledge);
    }

    /// Takes the number of a move.
    pub(super) fn moved(&mut self, number: u16) {
        // the counter wraps
        if number.wrapping_sub(self.input) < 1 << 15 {
            self.input = number;
        }
    }

    /// The bytes of a move after its number.
    pub(super) fn length_of_move(&self) -> usize {
        command::netquake_move_length(&self.dialect)
    }

    /// Encodes a frame as the datagrams of `channel`. Each has the player's stats that have not arrived, and as many changes of entities as fit.
    pub(super) fn frame(&mut self, channel: &mut Channel, scene: &Scene, longest: usize) -> Vec<Vec<u8>> {
        let longest = longest.min(DATAGRAM);
        let layout = self.dialect.layout();
        let states: Vec<(u32, EntityState)> = scene.entities.iter().map(|view| (view.seen.number, self.state(scene, view))).collect();
        let mut before = Vec::new();
        scene.before.iter().for_each(|message| before.extend(self.encoded(message)));
        match &scene.own {
            Some(own) if self.dialect.predinfo() => self.stats.set(own, channel.next_unreliable()),
            Some(own) => before.extend(self.encoded(&Message::ClientData(own.clone()))),
            None => {}
        }
        debug_assert_eq!(layout, *self.sender.flags());
        let mut after = Vec::new();
        for message in &scene.after {
            let encoded = self.encoded(message);
            if before.len() + after.len() + encoded.len() <= longest / 2 {
                after.extend(encoded);
            }
        }
        let mut datagrams = Vec::new();
        for _ in 0..MOST_DATAGRAMS {
            let mut out = std::mem::take(&mut before);
            // without predinfo, client data states them
            let stats = if self.dialect.predinfo() { self.stats.pending() } else { Vec::new() };
            for message in stats {
                out.extend(self.encoded(&message));
            }
            let budget = longest.saturating_sub(out.len() + after.len());
            let frame = Frame { sequence: channel.next_unreliable(), time: scene.time, input_sequence: self.input, budget };
            let sent = self.sender.send(frame, states.iter().map(|(number, state)| (*number, state)), &self.baselines, &mut out);
            out.append(&mut after);
            datagrams.push(channel.unreliable(&out));
            if !sent.is_ok_and(|sent| !sent.complete) {
                break;
            }
        }
        datagrams
    }

    /// An entity's state; that of the view also has the player's speed.
    fn state(&self, scene: &Scene, view: &EntityView) -> EntityState {
        /// Eighths of a unit in the unit of a player's speed.
        const EIGHTHS: i32 = 16 * 8;
        let mut state = view.replacement_state(&self.dialect.layout());
        if let Some(own) = scene.own.as_ref().filter(|_| self.dialect.predinfo() && scene.view == Some(view.seen.number)) {
            state.velocity = [0, 1, 2].map(|axis| (own.row[client_slot::VELOCITY + axis] as i32 * EIGHTHS) as i16);
            if u64::from(own.mask) & client_bits::ONGROUND != 0 {
                state.flags |= ON_GROUND;
            }
        }
        state
    }

    fn encoded(&self, message: &Message) -> Vec<u8> {
        let mut w = WriteBytes::default();
        let Ok(()) = code(&mut w, &self.dialect, &mut message.clone());
        w.finish()
    }
}

/// The player's stats, which replace client data with predinfo. Every datagram has those that no acknowledged datagram had.
#[derive(Clone, Default)]
struct Stats {
    /// Value, and the sequence number of the first datagram with it.
    values: [(i32, u32); NUMBERS.len()],
    acknowledged: Option<u32>,
}

const IDEAL_PITCH: u8 = 25;

/// Stats with the slots of client data that they replace: low byte, high byte.
const NUMBERS: [(u8, usize, Option<usize>); 16] = {
    use client_slot as s;
    [
        (stat::HEALTH as u8, s::HEALTH, None),
        (stat::WEAPON as u8, s::WEAPON, Some(s::WEAPON2)),
        (stat::AMMO as u8, s::AMMO, Some(s::AMMO2)),
        (stat::ARMOR as u8, s::ARMOR, Some(s::ARMOR2)),
        (stat::WEAPON_FRAME as u8, s::WEAPONFRAME, Some(s::WEAPONFRAME2)),
        (stat::SHELLS as u8, s::SHELLS, Some(s::SHELLS2)),
        (stat::NAILS as u8, s::NAILS, Some(s::NAILS2)),
        (stat::ROCKETS as u8, s::ROCKETS, Some(s::ROCKETS2)),
        (stat::CELLS as u8, s::CELLS, Some(s::CELLS2)),
        (stat::ACTIVE_WEAPON as u8, s::ACTIVE_WEAPON, None),
        (stat::ITEMS as u8, s::ITEMS, None),
        (stat::VIEW_HEIGHT as u8, s::VIEWHEIGHT, None),
        (IDEAL_PITCH, s::IDEALPITCH, None),
        (IDEAL_PITCH + 1, s::PUNCH, None),
        (IDEAL_PITCH + 2, s::PUNCH + 1, None),
        (IDEAL_PITCH + 3, s::PUNCH + 2, None),
    ]
};

impl Stats {
    /// The view's height if client data does not state it.
    const VIEW_HEIGHT: i32 = 22;

    fn set(&mut self, own: &ClientData, sequence: u32) {
        for ((number, low, high), (value, since)) in NUMBERS.iter().zip(&mut self.values) {
            let is_default = usize::from(*number) == stat::VIEW_HEIGHT && u64::from(own.mask) & client_bits::VIEWHEIGHT == 0;
            let new = if is_default { Self::VIEW_HEIGHT } else { (own.row[*low] | high.map_or(0, |high| own.row[high] << 8)) as i32 };
            if new != *value {
                (*value, *since) = (new, sequence);
            }
        }
    }

    fn acknowledge(&mut self, acknowledge: Acknowledge) {
        match acknowledge {
            Acknowledge::Restart => self.acknowledged = None,
            Acknowledge::Frame(sequence) => self.acknowledged = self.acknowledged.max(Some(sequence)),
        }
    }

    fn pending(&self) -> Vec<Message> {
        let waits = |since: u32| self.acknowledged.is_none_or(|acknowledged| since > acknowledged);
        let pending = NUMBERS.iter().zip(&self.values).filter(|(_, (_, since))| waits(*since));
        pending
            .map(|(&(stat, ..), &(value, _))| match u8::try_from(value) {
                Ok(value) => Message::StatByte(StatByte { stat, value }),
                Err(_) => Message::StatLong(StatLong { stat, value }),
            })
            .collect()
    }
}
