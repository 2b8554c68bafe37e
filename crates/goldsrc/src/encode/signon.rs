//! The signon state: the latest value of every persistent message, and the loading part
//! (`docs/formats/goldsrc.md`, "Editing").

use std::collections::BTreeMap;

use crate::container::{Header, Macro, MacroCopy, MacroKind};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::munge::unmunge;
use crate::message::{Message, ServerInfo};

use super::decals;
use super::signon_keys::{self, Key};
use super::timed_effects::TimedEffect;

/// The latest message of one key.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    /// Its number in the order of messages.
    order: u64,
    bytes: Vec<u8>,
    /// The server's time when it was sent.
    time: f32,
    /// It came after the loading part. A part copies the loading part, so those messages need no repetition.
    late: bool,
    /// How its value changes with time, and the offset of that value.
    timed: TimedEffect,
    data: usize,
    /// It is a decal or a corpse.
    decal: bool,
    /// It stops a sound.
    stop: bool,
}

/// Messages whose value changes with time, by key and number.
#[derive(Debug, Clone, Default)]
pub(crate) struct TransientMessages(Vec<(Key, u64)>);

/// A macro of a loading part. In a data block, the first `skip` bytes of messages belong to the level before.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub window: MacroCopy,
    pub skip: usize,
}

/// What a client that joins now must be sent.
#[derive(Debug, Clone)]
pub(crate) struct SignonState {
    kept: BTreeMap<Key, Kept>,
    order: u64,
    /// The macros of the loading part, except its end macros.
    pub blocks: Vec<Block>,
    /// Its end macros.
    pub ends: Vec<MacroCopy>,
    /// True while a level that began in play has no frame yet. Its blocks form the new loading part.
    loading: bool,
    /// Where a level began in the current block.
    began: Option<usize>,
    /// Announcements and descriptions from before the level, which its loading part needs.
    prelude: Vec<u8>,
    /// A level began while playing.
    moved: bool,
    level: Option<ServerInfo>,
    /// Set when a level begins while playing. The caller clears it.
    pub level_began: bool,
    frame: bool,
    /// The event that removes decals and corpses.
    reset: Option<u16>,
}

impl SignonState {
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

    /// Adds a macro of the loading part. The messages of data blocks must be passed to [`message`](Self::message), too.
    pub(crate) fn load(&mut self, window: &Macro) {
        match window.kind {
            MacroKind::End => self.ends.push(window.into()),
            _ => self.blocks.push(Block { window: window.into(), skip: 0 }),
        }
    }

    /// Adds a message. `bytes` are its bytes, `at` their offset in the block; `late` means that it came while playing.
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
            Message::EventReliable(event) if self.reset == Some(event.index) => self.kept.retain(|_, kept| !kept.decal),
            _ => {}
        }
        let decal = decals::of_message(context, message);
        let is_decal = decal.is_some();
        let (key, replacement) = match decal {
            Some(decal) => (decal.key, decal.replacement),
            None => match signon_keys::key(context, message) {
                Some(key) => (key, None),
                None => return,
            },
        };
        let (timed, data) = match message {
            Message::User(user) => context.user_message(user.id).map_or((TimedEffect::Never, 0), |shape| (TimedEffect::of(&shape.name), shape.data_offset())),
            _ => (TimedEffect::Never, 0),
        };
        // a player's messages must follow his user info, and a player who left must leave again
        if let Message::UpdateUserInfo(info) = message
            && info.info.0.is_empty()
        {
            self.kept.remove(&signon_keys::player(info.slot));
        }
        // servers repeat all players now and then, but engines accept no more than 4010 bytes between two frames of a recording
        if let (Message::UpdateUserInfo(_), Some(old)) = (message, self.kept.get(&key))
            && !old.late
            && old.bytes == bytes
        {
            return;
        }
        let same_player = |old: &&Kept| matches!(message, Message::UpdateUserInfo(_)) && old.bytes.get(..6) == bytes.get(..6);
        let order = self.kept.get(&key).filter(same_player).map_or(self.order, |old| old.order);
        let bytes = replacement.unwrap_or_else(|| bytes.to_vec());
        let kept = Kept { order, bytes, time: context.time, late: late && !self.loading, timed, data, decal: is_decal, stop: false };
        match message {
            Message::SpawnStaticSound(sound) => self.static_sound(key, sound.flags, kept),
            _ => drop(self.kept.insert(key, kept)),
        }
    }

    /// A static sound. A looping sound is started and stopped in turn; a sound that ends by itself is stopped each time before it starts.
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
            // only sounds that the loading part starts must be stopped
            if old.is_none_or(|old| if old.stop { old.bytes.is_empty() } else { old.late }) {
                kept.bytes.clear();
            }
        } else if old.is_some_and(|old| old.stop && old.time == kept.time) {
            return;
        }
        self.kept.insert(key, kept);
    }

    /// A level begins while playing. Only announcements and descriptions of the old level stay valid.
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

    /// Ends a block that was read while playing.
    pub(crate) fn end_block(&mut self, window: &Macro) {
        let began = self.began.take();
        if !self.loading {
            self.frame = false;
            return;
        }
        // recorders put the first frame into the loading part
        self.blocks.push(Block { window: window.into(), skip: began.unwrap_or_default() });
        self.loading = !std::mem::take(&mut self.frame);
    }

    /// Messages to send before the blocks of the loading part.
    pub(crate) fn prelude(&self) -> &[u8] {
        &self.prelude
    }

    /// The valid messages since the loading part, except transient ones.
    pub(crate) fn since(&self) -> Vec<u8> {
        bytes_of(in_order(self.kept.values().filter(|kept| kept.late && kept.timed == TimedEffect::Never)))
    }

    /// The transient messages since the loading part. Clients date them by their own clock, which shows the time of the loading part until
    /// the first frame is displayed.
    pub(crate) fn transient(&self) -> TransientMessages {
        TransientMessages(
            self.kept.iter().filter(|(_, kept)| kept.late && kept.timed != TimedEffect::Never).map(|(key, kept)| (key.clone(), kept.order)).collect(),
        )
    }

    /// The transient messages that are still the latest, with their values at time `now`.
    pub(crate) fn current(&self, transient: &TransientMessages, now: f32) -> Vec<u8> {
        let still = transient.0.iter().filter_map(|(key, order)| self.kept.get(key).filter(|kept| kept.order == *order));
        in_order(still).into_iter().filter_map(|kept| kept.at(now)).flatten().collect()
    }

    /// The messages that this client has and `other` lacks.
    pub(crate) fn missing_in(&self, other: &SignonState) -> Vec<u8> {
        let news = self.kept.iter().filter(|(key, kept)| kept.timed == TimedEffect::Never && other.kept.get(*key).is_none_or(|old| old.bytes != kept.bytes));
        bytes_of(in_order(news.map(|(_, kept)| kept)))
    }

    /// The file header for a part that starts with this level.
    pub(crate) fn header(&self, header: &Header, dialect: &Dialect) -> Header {
        let mut header = header.clone();
        // the source's header describes the level of the source's loading part
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

    /// The server information of the level.
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
    // a client drops its oldest decals
    let mut dropped = kept.iter().filter(|kept| kept.decal).count().saturating_sub(decals::MAX_DECALS);
    let mut out = Vec::new();
    for kept in kept {
        if kept.decal && dropped > 0 {
            dropped -= 1;
            continue;
        }
        out.extend_from_slice(&kept.bytes);
    }
    out
}

impl Kept {
    /// The message with its value at time `now`. `None` if the effect has ended.
    fn at(&self, now: f32) -> Option<Vec<u8>> {
        // the head is the number, and a length for messages of variable size; the length of the data does not change
        let (head, data) = self.bytes.split_at_checked(self.data)?;
        Some([head, &self.timed.later(data, (now - self.time).max(0.0))?].concat())
    }
}
