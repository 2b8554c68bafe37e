//! The opening of a part: what the client was told before it, and what of that still counts
//! (`docs/formats/goldsrc.md`, "Editing").

use std::collections::BTreeMap;

use crate::container::{Header, Macro, MacroKind};
use crate::context::Context;
use crate::dialect::Dialect;
use crate::message::{Message, ServerInfo};
use crate::munge::unmunge;

use super::sticky::{self, Key};

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
    /// Its seconds pass.
    passing: bool,
}

/// A macro of a loading part, and from where on the messages of a data block belong to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    pub window: Macro<'a>,
    pub skip: usize,
}

/// What a client has been told so far.
#[derive(Debug, Clone)]
pub(super) struct Opening<'a> {
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
}

impl<'a> Opening<'a> {
    pub(super) fn new() -> Self {
        Opening {
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
        }
    }

    /// A macro of the loading part. Data blocks are to be read as well.
    pub(super) fn load(&mut self, window: &Macro<'a>) {
        match window.kind {
            MacroKind::End => self.ends.push(*window),
            _ => self.blocks.push(Block { window: *window, skip: 0 }),
        }
    }

    /// A message, with its bytes and where they stand in their block. `late` when it came while playing.
    pub(super) fn message(&mut self, context: &Context, message: &Message, bytes: &[u8], at: usize, late: bool) {
        self.order += 1;
        if let Message::ServerInfo(info) = message {
            if late {
                self.new_level(context, at);
            }
            self.level = Some(info.clone());
        }
        self.frame |= matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_));
        let Some(key) = sticky::key(context, message) else { return };
        let passing = matches!(message, Message::User(user) if context.user_message(user.id).is_some_and(|shape| shape.name == sticky::ROUND_TIME));
        // what was told of a player since he came must not come before him, and who left is to leave again
        if let Message::UpdateUserInfo(info) = message
            && info.info.0.is_empty()
        {
            self.kept.remove(&sticky::player(info.slot));
        }
        let same_player = |old: &&Kept| matches!(message, Message::UpdateUserInfo(_)) && old.bytes.get(..6) == bytes.get(..6);
        let order = self.kept.get(&key).filter(same_player).map_or(self.order, |old| old.order);
        let kept = Kept { order, bytes: bytes.to_vec(), time: context.time, late: late && !self.loading, passing };
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
    pub(super) fn end_block(&mut self, window: &Macro<'a>) {
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
    pub(super) fn prelude(&self) -> &[u8] {
        &self.prelude
    }

    /// What came since the loading part and still counts, brought up to `now` on the server's clock.
    pub(super) fn since(&self, now: f32) -> Vec<u8> {
        told(in_order(self.kept.values().filter(|kept| kept.late)), now)
    }

    /// What this client has been told and another one has not.
    pub(super) fn beyond(&self, other: &Opening, now: f32) -> Vec<u8> {
        let news = self.kept.iter().filter(|(key, kept)| !kept.passing && other.kept.get(*key).is_none_or(|old| old.bytes != kept.bytes));
        told(in_order(news.map(|(_, kept)| kept)), now)
    }

    /// The header of a file that starts with this level.
    pub(super) fn header(&self, header: &Header, dialect: &Dialect) -> Header {
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
    pub(super) fn level(&self) -> Option<&ServerInfo> {
        self.level.as_ref()
    }
}

const DELTA_DESCRIPTION: u8 = 14;
const NEW_USER_MESSAGE: u8 = 39;
const HLTV: u8 = 50;

fn in_order<K: std::borrow::Borrow<Kept>>(kept: impl Iterator<Item = K>) -> Vec<K> {
    let mut all: Vec<K> = kept.collect();
    all.sort_by_key(|kept| kept.borrow().order);
    all
}

fn told<'k>(kept: impl IntoIterator<Item = &'k Kept>, now: f32) -> Vec<u8> {
    let mut out = Vec::new();
    for kept in kept {
        let from = out.len();
        out.extend_from_slice(&kept.bytes);
        // number, then seconds as i16
        if kept.passing
            && let Some(seconds) = out.get_mut(from + 1..from + 3)
        {
            let left = i16::from_le_bytes([seconds[0], seconds[1]]);
            let left = (f32::from(left) - (now - kept.time).max(0.0)).round().max(0.0) as i16;
            seconds.copy_from_slice(&left.to_le_bytes());
        }
    }
    out
}
