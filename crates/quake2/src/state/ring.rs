//! The last 16 frames, and how a delta makes a frame from an earlier one.
//!
//! Frames share unchanged entities: a frame is a list of numbers and of indices into a pool. A row that was not mentioned since an earlier
//! frame is aged on access: no event, and the old origin is the origin.

use super::entities::{Baselines, NOTHING, aged, change_entity};
use super::packing::{Pack, Unpack};
use super::players::{PlayerState, apply_player};
use crate::dialect::{Dialect, Line};
use crate::fields::entity::Row;
use crate::message::{Frame, PacketEntities, PlayerDelta};

/// The number of frames that engines keep.
const BACKUP: usize = 16;
/// The entity states that id's client keeps, less those of one frame. It loses older bases.
pub(super) const PARSE_ENTITIES: u64 = 1024 - 128;
/// The maximum clients of a Relay recording whose states are kept per frame.
const MAX_PLAYERS: usize = 256;

#[derive(Debug, Clone, Copy)]
struct Pooled {
    row: Row,
    /// The frame that created it.
    serial: u64,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    number: u16,
    place: u32,
}

/// A kept frame.
#[derive(Debug, Clone, Default)]
struct Kept {
    number: i32,
    valid: bool,
    complete: bool,
    serial: u64,
    /// The number of entity states created before this frame.
    parsed: u64,
    /// Whether it builds on a frame that the recording lacks.
    uncertain: bool,
    entries: Vec<Entry>,
    players: Vec<(Option<u8>, PlayerState)>,
    areas: Vec<u8>,
    connected: Vec<u8>,
}

/// The frames of a recording with delta compression.
#[derive(Debug, Clone)]
pub struct Ring {
    frames: Vec<Kept>,
    pool: Vec<Pooled>,
    free: Vec<u32>,
    lenient: bool,
    serial: u64,
    parsed: u64,
    /// The index of the frame being read.
    open: Option<usize>,
    /// The index of the last complete, valid frame.
    current: Option<usize>,
    /// The base of the frame being read.
    base: Base,
    /// The pool size that triggers a sweep.
    sweep_at: usize,
    /// Frames decoded against another base, for the report.
    recovered: u64,
    /// The base that the last frame lacks.
    lacking: Option<i32>,
    forgotten: bool,
    /// Absent entities that the last list removes.
    stray: Vec<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    None,
    /// A kept frame. Moved out of its slot if the new frame overwrites it.
    Kept(usize),
    /// Like `None`, but entities are deltas against zero instead of their baselines.
    Zero,
    Missing,
}

/// The slot of a base that is kept aside.
const ASIDE: usize = BACKUP;
/// The slot of a frame that is not taken in.
const REJECTED: usize = BACKUP + 1;

impl Ring {
    pub(super) fn new(lenient: bool) -> Self {
        Ring {
            frames: vec![Kept::default(); BACKUP + 2],
            pool: Vec::new(),
            free: Vec::new(),
            lenient,
            serial: 0,
            parsed: 0,
            open: None,
            current: None,
            base: Base::None,
            sweep_at: 1024,
            recovered: 0,
            lacking: None,
            forgotten: false,
            stray: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        for frame in &mut self.frames {
            frame.valid = false;
            frame.complete = false;
            frame.entries.clear();
            frame.players.clear();
        }
        self.pool.clear();
        self.free.clear();
        self.open = None;
        self.current = None;
        self.lacking = None;
    }

    /// The last complete frame.
    pub fn current(&self) -> Option<FrameView<'_>> {
        self.current.map(|at| FrameView { ring: self, frame: &self.frames[at] })
    }

    /// The number of frames decoded against another base because theirs was missing.
    pub(crate) fn recovered(&self) -> u64 {
        self.recovered
    }

    /// The base that the last frame lacks.
    pub(crate) fn lacking(&self) -> Option<i32> {
        self.lacking
    }

    /// Whether the last complete frame builds on one that the recording lacks.
    pub(crate) fn is_uncertain(&self) -> bool {
        self.current.is_some_and(|at| self.frames[at].uncertain)
    }

    /// Begins a frame that is not taken in. What follows of it is passed over.
    pub(super) fn reject(&mut self) {
        self.give_up();
        self.lacking = None;
        self.base = Base::Missing;
        self.frames[REJECTED] = Kept::default();
        self.open = Some(REJECTED);
    }

    /// Whether id's client would have lost the base of the current frame.
    pub fn forgotten(&self) -> bool {
        self.forgotten
    }

    /// Absent entities that the last list removes. Engines then remove the next one instead.
    pub(crate) fn stray_removals(&self) -> &[u16] {
        &self.stray
    }

    /// Begins a frame. Returns whether its base is there.
    #[inline]
    pub(super) fn begin(&mut self, frame: &Frame, from_zero: bool) -> bool {
        self.give_up();
        self.serial += 1;
        self.forgotten = false;
        self.lacking = None;
        let mut uncertain = false;
        let at = frame.number as usize & (BACKUP - 1);
        self.base = if from_zero {
            Base::Zero
        } else if frame.delta <= 0 {
            Base::None
        } else {
            let base = frame.delta as usize & (BACKUP - 1);
            let kept = &self.frames[base];
            if kept.valid && kept.number == frame.delta && frame.delta != frame.number {
                self.forgotten = self.parsed - kept.parsed > PARSE_ENTITIES;
                uncertain = kept.uncertain;
                Base::Kept(base)
            } else {
                self.lacking = Some(frame.delta);
                if self.lenient {
                    self.recovered += 1;
                    uncertain = true;
                    self.current.map_or(Base::None, Base::Kept)
                } else {
                    Base::Missing
                }
            }
        };
        // The new frame may use the slot of its base, so keep the base aside.
        if self.base == Base::Kept(at) {
            self.frames.swap(at, ASIDE);
            self.base = Base::Kept(ASIDE);
            if self.current == Some(at) {
                self.current = Some(ASIDE);
            }
        } else if self.current == Some(at) {
            // The new frame may turn out to be incomplete.
            self.frames.swap(at, ASIDE);
            self.current = Some(ASIDE);
        }
        let missing = self.base == Base::Missing;
        let kept = &mut self.frames[at];
        kept.number = frame.number;
        kept.valid = !missing;
        kept.complete = false;
        kept.serial = self.serial;
        kept.parsed = self.parsed;
        kept.uncertain = uncertain;
        kept.entries.clear();
        kept.players.clear();
        kept.areas.clear();
        kept.areas.extend_from_slice(&frame.areas);
        kept.connected.clear();
        kept.connected.extend_from_slice(&frame.connected);
        self.open = Some(at);
        !missing
    }

    /// Packs the last complete frame and those in `needed`. Rows are stored as differences to those of `reference`.
    pub(super) fn pack(&self, out: &mut Pack, needed: &[i32], reference: &Baselines) {
        out.number(self.serial);
        out.number(self.parsed);
        out.number(self.recovered);
        let current = self.current.map(|at| &self.frames[at]);
        let bases = needed.iter().map(|number| &self.frames[*number as usize & (BACKUP - 1)]).filter(|kept| kept.valid && needed.contains(&kept.number));
        let mut frames: Vec<&Kept> = bases.filter(|kept| current.is_none_or(|current| current.number != kept.number)).chain(current).collect();
        frames.dedup_by_key(|kept| kept.number);
        out.number(frames.len() as u64 * 2 + u64::from(current.is_some()));
        for kept in frames {
            out.number(u64::from(kept.number as u32));
            out.number(u64::from(kept.valid) | u64::from(kept.complete) << 1 | u64::from(kept.uncertain) << 2);
            out.number(kept.serial);
            out.number(kept.parsed);
            out.bytes(&kept.areas);
            out.bytes(&kept.connected);
            out.number(kept.players.len() as u64);
            for (client, state) in &kept.players {
                out.number(client.map_or(0, |client| u64::from(client) + 1));
                out.player(state);
            }
            out.number(kept.entries.len() as u64);
            for entry in &kept.entries {
                let pooled = &self.pool[entry.place as usize];
                out.number(u64::from(entry.number) << 1 | u64::from(pooled.serial == kept.serial));
                out.row(&pooled.row, reference.get(entry.number));
            }
        }
    }

    /// Unpacks the frames.
    pub(super) fn unpack(from: &mut Unpack<'_>, reference: &Baselines) -> Self {
        let mut ring = Ring::new(true);
        (ring.serial, ring.parsed, ring.recovered) = (from.number(), from.number(), from.number());
        let count = from.number();
        for frame in 0..count / 2 {
            let number = from.number() as u32 as i32;
            let how = from.number();
            let (serial, parsed) = (from.number(), from.number());
            let mut kept = Kept { number, valid: how & 1 != 0, complete: how & 2 != 0, uncertain: how & 4 != 0, serial, parsed, ..Kept::default() };
            (kept.areas, kept.connected) = (from.bytes().to_vec(), from.bytes().to_vec());
            kept.players = (0..from.number()).map(|_| (from.number().checked_sub(1).map(|client| client as u8), from.player())).collect();
            for _ in 0..from.number() {
                let head = from.number();
                let number = (head >> 1) as u16;
                // Only the newest frame matters, not which earlier one it was.
                let serial = if head & 1 != 0 { kept.serial } else { 0 };
                kept.entries.push(Entry { number, place: ring.pool.len() as u32 });
                ring.pool.push(Pooled { row: from.row(reference.get(number)), serial });
            }
            let at = number as usize & (BACKUP - 1);
            if count % 2 == 1 && frame + 1 == count / 2 {
                ring.current = Some(at);
            }
            ring.frames[at] = kept;
        }
        ring
    }

    /// Whether a frame header arrived whose entities did not follow yet.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Abandons the open frame: its block ended, and engines want a whole frame in one block.
    pub(crate) fn give_up(&mut self) {
        if let Some(at) = self.open.take() {
            self.frames[at].valid = false;
        }
    }

    /// Adds a player to the open frame. Returns whether there is one that expects a player.
    #[inline]
    pub(super) fn player(&mut self, dialect: &Dialect, client: Option<u8>, delta: &PlayerDelta) -> bool {
        let Some(at) = self.open else { return false };
        if self.frames[at].players.len() >= MAX_PLAYERS {
            return true;
        }
        if dialect.has_one_player() && !self.frames[at].players.is_empty() {
            return false;
        }
        let known = match self.base {
            Base::Kept(base) => self.frames[base].players.iter().find(|(known, _)| *known == client).cloned(),
            _ => None,
        };
        let players = &mut self.frames[at].players;
        players.push(known.unwrap_or_else(|| (client, PlayerState::default())));
        if let Some((_, state)) = players.last_mut() {
            apply_player(dialect, state, delta);
        }
        true
    }

    /// Adds the entities to the open frame. `None` if there is no open frame, or it lacks a player. Otherwise returns whether it is complete,
    /// which it never is if its base is missing.
    #[inline]
    pub(super) fn entities(&mut self, dialect: &Dialect, baselines: &Baselines, list: &PacketEntities) -> Option<bool> {
        self.stray.clear();
        let at = self.open.take()?;
        if dialect.has_one_player() && self.frames[at].players.is_empty() {
            self.frames[at].valid = false;
            return None;
        }
        if self.base == Base::Missing {
            return Some(false);
        }
        let mut entries = std::mem::take(&mut self.frames[at].entries);
        entries.clear();
        let old = match self.base {
            Base::Kept(base) => std::mem::take(&mut self.frames[base].entries),
            _ => Vec::new(),
        };
        let mut next = 0;
        for delta in &list.deltas {
            let ahead = old[next..].iter().take_while(|entry| entry.number < delta.number).count();
            entries.extend_from_slice(&old[next..next + ahead]);
            next += ahead;
            let known = old.get(next).filter(|entry| entry.number == delta.number);
            if delta.removes() {
                match known {
                    Some(_) => next += 1,
                    None => self.stray.push(delta.number),
                }
                continue;
            }
            let place = match known {
                Some(entry) => {
                    next += 1;
                    let from = self.pool[entry.place as usize].row;
                    self.allot(&from)
                }
                None if self.base == Base::Zero => self.allot(&NOTHING),
                None => self.allot(baselines.get(delta.number)),
            };
            change_entity(dialect, &mut self.pool[place as usize].row, delta);
            entries.push(Entry { number: delta.number, place });
        }
        entries.extend_from_slice(&old[next..]);
        if let Base::Kept(base) = self.base {
            self.frames[base].entries = old;
        }
        self.parsed += entries.len() as u64;
        let kept = &mut self.frames[at];
        kept.entries = entries;
        kept.complete = true;
        self.current = Some(at);
        if self.pool.len() - self.free.len() > self.sweep_at {
            self.sweep();
        }
        Some(true)
    }

    #[inline]
    fn allot(&mut self, row: &Row) -> u32 {
        let pooled = Pooled { row: *row, serial: self.serial };
        match self.free.pop() {
            Some(place) => {
                self.pool[place as usize] = pooled;
                place
            }
            None => {
                self.pool.push(pooled);
                self.pool.len() as u32 - 1
            }
        }
    }

    /// Frees the rows that no kept frame uses.
    fn sweep(&mut self) {
        let mut used = vec![false; self.pool.len()];
        for (at, frame) in self.frames.iter_mut().enumerate() {
            // The base kept aside is needed only while the frame is read.
            if at == ASIDE && self.current != Some(ASIDE) {
                frame.entries.clear();
                frame.complete = false;
            }
            frame.entries.iter().for_each(|entry| used[entry.place as usize] = true);
        }
        self.free.clear();
        self.free.extend(used.iter().enumerate().filter(|(_, used)| !**used).map(|(place, _)| place as u32));
        self.sweep_at = 2 * (self.pool.len() - self.free.len()) + 1024;
    }
}

/// Read access to a frame.
#[derive(Debug, Clone, Copy)]
pub struct FrameView<'a> {
    ring: &'a Ring,
    frame: &'a Kept,
}

impl<'a> FrameView<'a> {
    /// Its number.
    pub fn number(&self) -> i32 {
        self.frame.number
    }

    /// Its entities in order, as engines of `line` see them.
    pub fn entities(&self, line: Line) -> impl Iterator<Item = (u16, Row)> + use<'a> {
        self.stated_entities().map(move |(number, row, is_new)| (number, if is_new { *row } else { aged(row, line) }))
    }

    /// Its entities in order, with what was stated of each last and whether this frame did.
    pub(crate) fn stated_entities(&self) -> impl Iterator<Item = (u16, &'a Row, bool)> + use<'a> {
        let (ring, frame) = (self.ring, self.frame);
        frame.entries.iter().map(move |entry| {
            let pooled = &ring.pool[entry.place as usize];
            (entry.number, &pooled.row, pooled.serial == frame.serial)
        })
    }

    /// The numbers of its entities, in the order of its list.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.frame.entries.iter().map(|entry| entry.number)
    }

    /// The number of entities.
    pub(crate) fn entity_count(&self) -> usize {
        self.frame.entries.len()
    }

    /// Its players: one in client recordings, several in Relay recordings, none in server recordings.
    pub fn players(&self) -> impl Iterator<Item = (Option<u8>, &'a PlayerState)> + use<'a> {
        self.frame.players.iter().map(|(client, state)| (*client, state))
    }

    /// The areas that the player can see.
    pub fn areas(&self) -> &'a [u8] {
        &self.frame.areas
    }

    /// Relay: the clients connected.
    pub fn connected(&self) -> &'a [u8] {
        &self.frame.connected
    }
}

impl Ring {
    /// The kept frame with this number.
    pub(crate) fn find(&self, number: i32) -> Option<FrameView<'_>> {
        let at = number as usize & (BACKUP - 1);
        [at, ASIDE].into_iter().map(|at| &self.frames[at]).find(|frame| frame.complete && frame.number == number).map(|frame| FrameView { ring: self, frame })
    }
}
