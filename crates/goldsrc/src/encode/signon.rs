//! The opening of a part: what the client was sent before it, and what of that still counts
//! (`docs/formats/goldsrc.md`, "Editing").

use std::collections::BTreeMap;

use crate::container::{Header, Macro, MacroKind};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::munge::unmunge;
use crate::message::{Message, ServerInfo};

use super::decals;
use super::signon_keys::{self, Key};
use super::timed_effects::TimedEffect;

/// What stays of one message.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    /// When it came, in messages.
    order: u64,
    bytes: Vec<u8>,
    /// The server's time then.
    time: f32,
    /// It came after the loading part, which a part repeats as it is.
    late: bool,
    /// How what it says passes, and from which byte on it says it.
    timed: TimedEffect,
    data: usize,
    /// It is something left behind.
    mark: bool,
    /// It stops a sound.
    stop: bool,
}

/// Messages about what passes, by what they set and when they came.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransientMessages(Vec<(Key, u64)>);

/// A macro of a loading part, and from where on the messages of a data block belong to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block<'a> {
    pub window: Macro<'a>,
    pub skip: usize,
}

/// What a client has been sent so far.
#[derive(Debug, Clone)]
pub(crate) struct SignonState<'a> {
    kept: BTreeMap<Key, Kept>,
    order: u64,
    /// The macros of the loading part, but for its ends.
    pub blocks: Vec<Block<'a>>,
    /// The end macros behind it.
    pub ends: Vec<Macro<'a>>,
    /// A level that began while playing is loading: its blocks belong to its loading part until its first frame.
    loading: bool,
    /// Where in the block that is being read a level began.
    began: Option<usize>,
    /// What the level's own loading part may take for granted: it came before.
    prelude: Vec<u8>,
    /// A level began while playing.
    moved: bool,
    level: Option<ServerInfo>,
    /// A level began while playing, which somebody may want to know.
    pub level_began: bool,
    frame: bool,
    /// The event that clears away what was left behind.
    reset: Option<u16>,
}

impl<'a> SignonState<'a> {
    pub(crate) fn new() -> Self {
        SignonState {
            kept: BTreeMap::new(),
            order: 0,
            blocks: Vec::new(),
            ends: Vec::new(),
            loading: false,
            began: None,
            prelude: Vec::new(),
            moved: false,
            level: None,
            level_began: false,
            frame: false,
            reset: None,
        }
    }

    /// A macro of the loading part. Data blocks are to be read as well.
    pub(crate) fn load(&mut self, window: &Macro<'a>) {
        match window.kind {
            MacroKind::End => self.ends.push(*window),
            _ => self.blocks.push(Block { window: *window, skip: 0 }),
        }
    }

    /// A message, with its bytes and where they stand in their block. `late` when it came while playing.
    pub(crate) fn message(&mut self, context: &Context, message: &Message, bytes: &[u8], at: usize, late: bool) {
        self.order += 1;
        if let Message::ServerInfo(info) = message {
            if late {
                self.new_level(context, at);
            }
            self.level = Some(info.clone());
        }
        self.frame |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
        match message {
            Message::ResourceList(list) => self.reset = decals::clear_event(&list.resources),
            Message::EventReliable(event) if self.reset == Some(event.index) => self.kept.retain(|_, kept| !kept.mark),
            _ => {}
        }
        let mark = decals::of_message(context, message);
        let is_mark = mark.is_some();
        let (key, replacement) = match mark {
            Some(mark) => (mark.key, mark.replacement),
            None => match signon_keys::key(context, message) {
                Some(key) => (key, None),
                None => return,
            },
        };
        let (timed, data) = match message {
            Message::User(user) => context.user_message(user.id).map_or((TimedEffect::Never, 0), |shape| (TimedEffect::of(&shape.name), shape.data_offset())),
            _ => (TimedEffect::Never, 0),
        };
        // what was sent about a player since he came must not come before him, and who left is to leave again
        if let Message::UpdateUserInfo(info) = message
            && info.info.0.is_empty()
        {
            self.kept.remove(&signon_keys::player(info.slot));
        }
        // servers send everybody again now and then: players of recordings take no more than 4010 bytes between two frames
        if let (Message::UpdateUserInfo(_), Some(old)) = (message, self.kept.get(&key))
            && !old.late
            && old.bytes == bytes
        {
            return;
        }
        let same_player = |old: &&Kept| matches!(message, Message::UpdateUserInfo(_)) && old.bytes.get(..6) == bytes.get(..6);
        let order = self.kept.get(&key).filter(same_player).map_or(self.order, |old| old.order);
        let bytes = replacement.unwrap_or_else(|| bytes.to_vec());
        let kept = Kept { order, bytes, time: context.time, late: late && !self.loading, timed, data, mark: is_mark, stop: false };
        match message {
            Message::SpawnStaticSound(sound) => self.static_sound(key, sound.flags, kept),
            _ => drop(self.kept.insert(key, kept)),
        }
    }

    /// A sound at a place. Of one that goes on for ever, starts and stops take turns; one that ends by itself is stopped
    /// whenever it is to start.
    fn static_sound(&mut self, key: Key, flags: u8, mut kept: Kept) {
        let changed = (key.0, [&key.1[..], &[0]].concat());
        if flags & SOUND_STOP == 0 && flags & SOUND_CHANGE != 0 {
            self.kept.insert(changed, kept);
            return;
        }
        self.kept.remove(&changed);
        let old = self.kept.get(&key);
        if flags & SOUND_STOP != 0 {
            kept.stop = true;
            // only what the loading part starts must be stopped
            if old.is_none_or(|old| if old.stop { old.bytes.is_empty() } else { old.late }) {
                kept.bytes.clear();
            }
        } else if old.is_some_and(|old| old.stop && old.time == kept.time) {
            return;
        }
        self.kept.insert(key, kept);
    }

    /// A level begins while playing: nothing of the old one counts any more, except how to read messages.
    fn new_level(&mut self, context: &Context, at: usize) {
        self.kept.retain(|key, _| matches!(key.0, NEW_USER_MESSAGE | DELTA_DESCRIPTION));
        self.prelude = if context.hltv { vec![HLTV, 0] } else { Vec::new() };
        for kept in in_order(self.kept.values_mut()) {
            self.prelude.extend_from_slice(&kept.bytes);
            kept.late = false;
        }
        self.blocks.clear();
        (self.loading, self.moved, self.level_began) = (true, true, true);
        self.began = Some(at);
    }

    /// A block that was read while playing ends.
    pub(crate) fn end_block(&mut self, window: &Macro<'a>) {
        let began = self.began.take();
        if !self.loading {
            self.frame = false;
            return;
        }
        // the first frame belongs to the loading part, as recorders have it
        self.blocks.push(Block { window: *window, skip: began.unwrap_or_default() });
        self.loading = !std::mem::take(&mut self.frame);
    }

    /// What came before the blocks, and is not in them.
    pub(crate) fn prelude(&self) -> &[u8] {
        &self.prelude
    }

    /// What came since the loading part and still counts, but for what passes.
    pub(crate) fn since(&self) -> Vec<u8> {
        bytes_of(in_order(self.kept.values().filter(|kept| kept.late && kept.timed == TimedEffect::Never)))
    }

    /// What came since the loading part and passes: clients date it by their own clocks, which stand at the loading part's
    /// time until they have shown a frame.
    pub(crate) fn transient(&self) -> TransientMessages {
        TransientMessages(
            self.kept.iter().filter(|(_, kept)| kept.late && kept.timed != TimedEffect::Never).map(|(key, kept)| (key.clone(), kept.order)).collect(),
        )
    }

    /// What of that nothing newer has replaced, as it would be sent now.
    pub(crate) fn passed(&self, transient: &TransientMessages, now: f32) -> Vec<u8> {
        let still = transient.0.iter().filter_map(|(key, order)| self.kept.get(key).filter(|kept| kept.order == *order));
        in_order(still).into_iter().filter_map(|kept| kept.at(now)).flatten().collect()
    }

    /// What this client has been sent and another one has not.
    pub(crate) fn beyond(&self, other: &SignonState) -> Vec<u8> {
        let news = self.kept.iter().filter(|(key, kept)| kept.timed == TimedEffect::Never && other.kept.get(*key).is_none_or(|old| old.bytes != kept.bytes));
        bytes_of(in_order(news.map(|(_, kept)| kept)))
    }

    /// The header of a file that starts with this level.
    pub(crate) fn header(&self, header: &Header, dialect: &Dialect) -> Header {
        let mut header = header.clone();
        // the source's header speaks of the level that its own loading part loads
        let Some(level) = self.level.as_ref().filter(|_| self.moved) else { return header };
        let map = level.map.0.as_slice();
        let file = map.rsplit(|&byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
        let name = file.strip_suffix(b".bsp").unwrap_or(file);
        if name.len() < dialect.header_string {
            header.map.fill(0);
            header.map[..name.len()].copy_from_slice(name);
            if header.map_crc != 0 {
                header.map_crc = unmunge(level.munged_crc, level.player_number);
            }
        }
        header
    }

    /// Which level it is: two openings of one level join without loading it again.
    pub(crate) fn level(&self) -> Option<&ServerInfo> {
        self.level.as_ref()
    }
}

/// Flags of a static sound: it stops; it changes its volume or pitch.
const SOUND_STOP: u8 = 1 << 5;
const SOUND_CHANGE: u8 = 1 << 6 | 1 << 7;

const DELTA_DESCRIPTION: u8 = 14;
const NEW_USER_MESSAGE: u8 = 39;
const HLTV: u8 = 50;

fn in_order<K: std::borrow::Borrow<Kept>>(kept: impl Iterator<Item = K>) -> Vec<K> {
    let mut all: Vec<K> = kept.collect();
    all.sort_by_key(|kept| kept.borrow().order);
    all
}

fn bytes_of(kept: Vec<&Kept>) -> Vec<u8> {
    // a client forgets the oldest marks
    let mut forgotten = kept.iter().filter(|kept| kept.mark).count().saturating_sub(decals::MAX_DECALS);
    let mut out = Vec::new();
    for kept in kept {
        if kept.mark && forgotten > 0 {
            forgotten -= 1;
            continue;
        }
        out.extend_from_slice(&kept.bytes);
    }
    out
}

impl Kept {
    /// The message as it would be sent now; nothing when what it said is over.
    fn at(&self, now: f32) -> Option<Vec<u8>> {
        // number, and length where one is sent; what it says stays as long as it is
        let (head, data) = self.bytes.split_at_checked(self.data)?;
        Some([head, &self.timed.later(data, (now - self.time).max(0.0))?].concat())
    }
}
