//! Sends replacement deltas to one client. Document: *Sender*.

use fragreel_base::wire::{Error, WriteBytes};

use fragreel_quake1::unstable::replacement::bits::{ANGLES_XZ, ANGLES_Y, BONE_DATA, FORBIDDEN, PREDINFO, RESET};
use fragreel_quake1::unstable::replacement::{
    Baselines, Bone, Delta, EntityState, Flags, Index, LAST_ENTITY, SEND_VIEW, SVC_UPDATE_ENTITIES, code_delta, code_index,
};

/// The number of sent frames that are remembered, as in engines (`UPDATE_BACKUP`).
pub const FRAMES: usize = 64;

/// The pending mask of an entity to be removed.
const REMOVE: u32 = FORBIDDEN;

/// The players whose view angles a client receives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Views {
    /// None: a player.
    #[default]
    None,
    /// One player's: a spectator who follows that player.
    Of(u32),
    /// All players': a recorder.
    All,
}

/// The kind of a client, which decides what its updates contain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Audience {
    /// Entities up to this number are players. They are sent first.
    pub players: u32,
    /// The players whose view angles it receives.
    pub views: Views,
}

impl Audience {
    fn sees_view_of(&self, number: u32) -> bool {
        number <= self.players
            && match self.views {
                Views::None => false,
                Views::Of(player) => player == number,
                Views::All => true,
            }
    }
}

/// The parameters of [`DeltaSender::send`] besides the entities.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Frame {
    /// Sequence number of the packet that will carry the message, rising from call to call. In QuakeWorld the
    /// netchan's, in NetQuake that of the unreliable packet.
    pub sequence: u32,
    /// The server's time in seconds.
    pub time: f32,
    /// The last input applied, for layouts that state it.
    pub input_sequence: u16,
    /// The most bytes that the message may have.
    pub budget: usize,
}

/// The contents of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// The number of entities updated.
    pub updates: usize,
    /// The number of entities removed.
    pub removals: usize,
    /// True if the client has to forget everything.
    pub restarted: bool,
    /// True if everything pending was sent. Otherwise the next message continues.
    pub complete: bool,
}

/// An acknowledgement from a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledge {
    /// This frame arrived. Frames between it and the one acknowledged before did not.
    Frame(u32),
    /// Nothing: start again. An acknowledgement of `~0`, or a QuakeWorld packet without `clc_delta`.
    Restart,
}

/// Sends one client the changes of the entities that it can see.
///
/// Per frame, call [`send`](Self::send) with the entities that are visible now. Per packet from the client, call
/// [`acknowledge`](Self::acknowledge) with its acknowledgement. There is no clock and no socket. Memory is bounded by the number
/// of visible entities and the contents of 64 packets, not by the range of entity numbers.
#[derive(Debug, Clone)]
pub struct DeltaSender {
    flags: Flags,
    audience: Audience,
    /// In rising order of numbers.
    tracked: Vec<Tracked>,
    restart: bool,
    log: Vec<Logged>,
    sent: Option<u32>,
    acknowledged: Option<u32>,
    next_player: u32,
    next_other: u32,
    /// Removals that were lost after their entity was forgotten.
    lost_removals: Vec<u32>,
    appeared: Vec<Tracked>,
    scratch: Delta,
    quantized: EntityState,
    buffer: Vec<u8>,
}

/// An entity that the client can see, or has to forget.
#[derive(Debug, Clone, Default)]
struct Tracked {
    number: u32,
    /// Mask bits and `SEND_` notes to send; [`REMOVE`] if the entity is gone.
    pending: u32,
    viewed: bool,
    state: EntityState,
}

/// The log of one packet.
#[derive(Debug, Clone, Default)]
struct Logged {
    sequence: u32,
    /// Neither acknowledged nor given up.
    open: bool,
    /// Entity 0 stands for all.
    entries: Vec<(u32, u32)>,
}

impl DeltaSender {
    /// A client that knows nothing. The first message makes it forget everything, as in engines.
    pub fn new(flags: Flags, audience: Audience) -> Self {
        Self {
            flags,
            audience,
            tracked: Vec::new(),
            restart: true,
            log: vec![Logged::default(); FRAMES],
            sent: None,
            acknowledged: None,
            next_player: 0,
            next_other: 0,
            lost_removals: Vec::new(),
            appeared: Vec::new(),
            scratch: Delta::default(),
            quantized: EntityState::default(),
            buffer: Vec::new(),
        }
    }

    /// The layout of its messages.
    pub fn flags(&self) -> &Flags {
        &self.flags
    }

    /// Changes the kind of the client, such as the player that it follows.
    pub fn set_audience(&mut self, audience: Audience) {
        self.audience = audience;
    }

    /// The number of entities and log entries held.
    pub fn held(&self) -> usize {
        self.tracked.len() + self.lost_removals.len() + self.log.iter().map(|frame| frame.entries.len()).sum::<usize>()
    }

    /// The entities as the client will know them once no packets are lost, in rising order of numbers.
    pub fn visible(&self) -> impl Iterator<Item = (u32, &EntityState)> {
        self.tracked.iter().filter(|entity| entity.pending != REMOVE).map(|entity| (entity.number, &entity.state))
    }

    /// Handles an acknowledgement. Acknowledgements may come in any order and more than once: those below the
    /// highest seen, and those of frames never sent, are ignored.
    pub fn acknowledge(&mut self, acknowledge: Acknowledge) {
        let Acknowledge::Frame(sequence) = acknowledge else {
            self.restart = true;
            return;
        };
        if self.sent.is_none_or(|sent| sequence > sent) || self.acknowledged.is_some_and(|known| sequence <= known) {
            return;
        }
        self.acknowledged = Some(sequence);
        for slot in 0..FRAMES {
            if self.log[slot].open && self.log[slot].sequence <= sequence {
                let delivered = self.log[slot].sequence == sequence;
                self.close(slot, delivered);
            }
        }
    }

    /// Ends a logged frame. What was lost becomes pending again, with the values of the day.
    fn close(&mut self, slot: usize, delivered: bool) {
        self.log[slot].open = false;
        let mut entries = std::mem::take(&mut self.log[slot].entries);
        if !delivered {
            for &(number, bits) in &entries {
                if number == 0 {
                    self.restart = true;
                    continue;
                }
                match self.tracked.binary_search_by_key(&number, |entity| entity.number) {
                    // the new entity may overtake its removal: start over
                    Ok(at) if bits == REMOVE && self.tracked[at].pending != REMOVE => self.tracked[at].pending |= RESET,
                    Ok(at) if self.tracked[at].pending != REMOVE => self.tracked[at].pending |= bits,
                    Err(_) if bits == REMOVE => self.lost_removals.push(number),
                    // It is gone, and its removal is pending or was sent later.
                    _ => {}
                }
            }
        }
        entries.clear();
        self.log[slot].entries = entries;
    }

    /// Writes a `svcfte_updateentities`, its number included, to the end of `out`. `visible` gives the entities that the
    /// client sees now in rising order of their numbers, which are neither 0 nor above [`LAST_ENTITY`].
    ///
    /// Fails, having written nothing, when the order or the sequence number does not rise, or when the budget is below
    /// 64 bytes.
    pub fn send<'a>(
        &mut self,
        frame: Frame,
        visible: impl IntoIterator<Item = (u32, &'a EntityState)>,
        baselines: &Baselines,
        out: &mut Vec<u8>,
    ) -> Result<Sent, Error> {
        if self.sent.is_some_and(|sent| frame.sequence <= sent) {
            return Err(Error::misuse("a frame whose sequence number does not rise"));
        }
        if frame.budget < SMALLEST {
            return Err(Error::misuse("a budget of fewer than 64 bytes"));
        }
        for slot in 0..FRAMES {
            if self.log[slot].open && frame.sequence - self.log[slot].sequence >= FRAMES as u32 {
                self.close(slot, false);
            }
        }
        if self.restart {
            self.tracked.clear();
            self.lost_removals.clear();
            (self.next_player, self.next_other) = (0, 0);
            for logged in &mut self.log {
                logged.open = false;
            }
        }
        self.compare(visible)?;
        self.sent = Some(frame.sequence);
        Ok(self.write(frame, baselines, out))
    }

    /// Updates what is pending for the entities that are visible now.
    fn compare<'a>(&mut self, visible: impl IntoIterator<Item = (u32, &'a EntityState)>) -> Result<(), Error> {
        self.appeared.clear();
        let (mut at, mut last) = (0, 0);
        for (number, state) in visible {
            if number <= last || number > LAST_ENTITY {
                return Err(Error::misuse("visible entities whose numbers do not rise"));
            }
            last = number;
            while self.tracked.get(at).is_some_and(|entity| entity.number < number) {
                self.tracked[at].pending = REMOVE;
                at += 1;
            }
            self.quantized.clone_from(state);
            self.flags.quantize(&mut self.quantized);
            let views = self.audience.sees_view_of(number);
            match self.tracked.get_mut(at) {
                Some(entity) if entity.number == number => {
                    at += 1;
                    if entity.pending == REMOVE {
                        entity.pending = RESET;
                    }
                    entity.pending |= self.flags.difference(&entity.state, &self.quantized, views);
                    if views && !entity.viewed {
                        entity.pending |= ANGLES_XZ | ANGLES_Y | SEND_VIEW;
                    }
                    entity.viewed = views;
                    entity.state.clone_from(&self.quantized);
                }
                _ => self.appeared.push(Tracked { number, pending: RESET, viewed: views, state: self.quantized.clone() }),
            }
        }
        for entity in &mut self.tracked[at..] {
            entity.pending = REMOVE;
        }
        for number in self.lost_removals.drain(..) {
            if let Err(at) = self.appeared.binary_search_by_key(&number, |entity| entity.number) {
                self.appeared.insert(at, Tracked { number, pending: REMOVE, ..Tracked::default() });
            }
        }
        if !self.appeared.is_empty() {
            self.tracked.append(&mut self.appeared);
            self.tracked.sort_by_key(|entity| entity.number);
            self.tracked.dedup_by_key(|entity| entity.number);
        }
        Ok(())
    }

    /// Writes as much of the pending changes as fits.
    fn write(&mut self, frame: Frame, baselines: &Baselines, out: &mut Vec<u8>) -> Sent {
        let start = out.len();
        out.push(SVC_UPDATE_ENTITIES);
        if self.flags.input_ack {
            out.extend_from_slice(&frame.input_sequence.to_le_bytes());
        }
        out.extend_from_slice(&frame.time.to_le_bytes());
        let slot = frame.sequence as usize % FRAMES;
        let mut entries = std::mem::take(&mut self.log[slot].entries);
        entries.clear();
        let mut sent = Sent { restarted: self.restart, complete: true, ..Sent::default() };
        if self.restart {
            out.extend_from_slice(&0x8000u16.to_le_bytes());
            entries.push((0, REMOVE));
            self.restart = false;
        }

        // Room for the closing zero. While others wait, players leave them half.
        let end = start + frame.budget - 2;
        let players_end = if self.next_other == 0 { end } else { start + (end - start) / 2 };
        let (next_player, next_other) = (std::mem::take(&mut self.next_player), std::mem::take(&mut self.next_other));
        let mut removed = false;
        for at in 0..self.tracked.len() {
            let number = self.tracked[at].number;
            if self.tracked[at].pending == 0 {
                continue;
            }
            let is_player = number <= self.audience.players;
            let is_removal = self.tracked[at].pending == REMOVE;
            let waits = if is_player { self.next_player != 0 || number < next_player } else { number < next_other };
            if waits && !is_removal {
                sent.complete = false;
                continue;
            }
            // The one that stopped the last message may be sent in parts, or it would stop every message.
            let in_parts = entries.is_empty() || number == next_other;
            let limit = if is_player && !entries.is_empty() { players_end } else { end };
            let room = Room { bytes: limit.saturating_sub(out.len()), budget: frame.budget, in_parts };
            let bits = match self.encode(at, baselines, room) {
                Encoded::Written(bits) => bits,
                Encoded::NeverFits => {
                    sent.complete = false;
                    continue;
                }
                Encoded::Full => {
                    sent.complete = false;
                    if is_player {
                        self.next_player = number;
                        continue;
                    }
                    self.next_other = if is_removal { next_other.max(1) } else { number };
                    break;
                }
            };
            out.extend_from_slice(&self.buffer);
            entries.push((number, bits));
            if is_removal {
                removed = true;
                sent.removals += 1;
            } else {
                sent.updates += 1;
                sent.complete &= self.tracked[at].pending == 0;
            }
        }
        out.extend_from_slice(&[0, 0]);
        if removed {
            self.tracked.retain(|entity| entity.pending != DONE);
        }
        self.log[slot] = Logged { sequence: frame.sequence, open: true, entries };
        sent
    }

    /// Encodes one entity into the buffer, takes what was encoded from its pending bits, and says what is to be logged.
    fn encode(&mut self, at: usize, baselines: &Baselines, room: Room) -> Encoded {
        let entity = &mut self.tracked[at];
        let mut writer = WriteBytes::with_buffer(std::mem::take(&mut self.buffer));
        let remove = entity.pending == REMOVE;
        let index = Index { number: entity.number, remove, overlong: false };
        let Ok(_) = code_index(&mut writer, index);
        if remove {
            self.buffer = writer.finish();
            if self.buffer.len() > room.bytes {
                return Encoded::Full;
            }
            entity.pending = DONE;
            return Encoded::Written(REMOVE);
        }
        let mut fields = entity.pending;
        if fields & RESET != 0 {
            fields = RESET | self.flags.difference(baselines.get(entity.number), &entity.state, entity.viewed);
            if entity.viewed {
                fields |= ANGLES_XZ | ANGLES_Y | SEND_VIEW;
            }
        }
        let all = fields;
        if fields & BONE_DATA != 0 && entity.state.bones.len() * size_of::<Bone>() + SMALLEST > room.budget {
            fields &= !BONE_DATA;
        }
        if fields == 0 {
            self.buffer = writer.finish();
            return Encoded::NeverFits;
        }
        loop {
            self.flags.compose(fields, &entity.state, entity.viewed, &mut self.scratch);
            let Ok(()) = code_delta(&mut writer, &self.flags, &mut self.scratch);
            self.buffer = writer.finish();
            if self.buffer.len() <= room.bytes {
                break;
            }
            let droppable = fields & !(RESET | PREDINFO);
            if !room.in_parts || droppable == 0 || fields == droppable & droppable.wrapping_neg() {
                return Encoded::Full;
            }
            fields &= !(1 << (31 - droppable.leading_zeros()));
            writer = WriteBytes::with_buffer(std::mem::take(&mut self.buffer));
            let Ok(_) = code_index(&mut writer, index);
        }
        entity.pending = all & !fields;
        // A lost reset is a reset again, whatever came with it.
        Encoded::Written(if fields & RESET != 0 { RESET } else { fields })
    }
}

/// How much an update may take.
#[derive(Clone, Copy)]
struct Room {
    bytes: usize,
    budget: usize,
    in_parts: bool,
}

enum Encoded {
    /// With these bits to be logged.
    Written(u32),
    /// There is no room left.
    Full,
    /// All that is left of it is larger than a whole message.
    NeverFits,
}

/// What a removal that was sent leaves until the list is swept.
const DONE: u32 = REMOVE | 1;

/// A budget in which any single field of any entity fits, bones aside.
const SMALLEST: usize = 64;
