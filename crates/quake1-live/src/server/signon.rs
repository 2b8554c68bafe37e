//! Signing on: what a client asks for before it plays.

use fragreel_base::wire::{Wire, WriteBytes};

use crate::handshake::{Extensions, number, words};
use crate::server::Level;
use crate::server::baseline::baseline;
use crate::server::board::Board;
use crate::server::client::{Connection, Stage, text};
use crate::server::event::Event;
use crate::server::sight;
use fragreel_quake1::unstable::dialect::pext2::MAXPLAYERS;
use fragreel_quake1::unstable::message::{Download, Extension, FileList, Message, ServerData, Texts, WideFileList, code};
use fragreel_quake1::unstable::replacement::{Delta, EntityNumber, EntityState, Flags, SVC_SPAWN_BASELINE2, code_delta, code_entity};

/// Bytes of names on a list's page, and of baselines per reliable message.
const BLOCK: usize = 1000;
/// Blocks of baselines that are sent before the client has to ask for more.
const BLOCKS: usize = 8;
/// Names that a client without replacement deltas has numbers for.
const CLASSIC_NAMES: usize = 255;

/// What there is to sign on to.
pub(super) struct Offer<'a> {
    pub level: &'a Level,
    pub board: &'a Board,
    pub extensions: Extensions,
    /// The layout in which entities are given.
    pub layout: Flags,
}

impl Offer<'_> {
    /// Answers a command of a client that signs on. Says whether it was one.
    pub(super) fn command(&self, client: &mut Connection, text: &[u8]) -> bool {
        let level = self.level;
        let words = words(text);
        let argument = |at: usize| words.get(at).and_then(|word| number(word)).unwrap_or(0);
        // Answers to what an earlier level asked begin this one.
        let stale = argument(1) as i32 != level.server_count;
        match words.first().map(Vec::as_slice) {
            Some(b"new") => self.begin(client),
            Some(b"pext") => {
                client.connect.extensions = Extensions::parse(&words[1..]).intersect(&self.extensions);
                self.begin(client);
            }
            Some(b"soundlist" | b"modellist" | b"prespawn" | b"spawn" | b"begin") if stale => {}
            Some(b"soundlist") => {
                let page = page(client, &level.sounds, argument(2) as usize);
                client.say(&page.sounds());
            }
            Some(b"modellist") => {
                let page = page(client, &level.models, argument(2) as usize);
                client.say(&page.models());
            }
            Some(b"prespawn") => self.prespawn(client, argument(2) as usize),
            Some(b"spawn") => {
                client.stage = Stage::Spawned;
                client.post(self.board);
                client.stuff("skins\n");
            }
            Some(b"begin") => {
                client.stage = Stage::Playing;
                for seat in 0..client.sitting.len() {
                    client.happened(seat as u8, Event::Began);
                }
            }
            // Without an answer the client would wait for ever.
            Some(b"download") => client.say(&Message::Download(Download { number: -1, ..Download::default() })),
            Some(b"drop") => client.stage = Stage::Left,
            _ => return false,
        }
        true
    }

    /// Answers `new`. A client behind a proxy that lost its extensions is asked for them again.
    fn begin(&self, client: &mut Connection) {
        let user_info = &client.connect.user_info;
        let may_have = self.extensions != Extensions::NONE && user_info.windows(7).any(|key| key == b"\\*z_ext");
        if client.connect.extensions == Extensions::NONE && !client.asked_pext && may_have {
            client.asked_pext = true;
            client.stuff("cmd pext\n");
            return;
        }
        client.reset(self.level, &self.layout);
        let pairs = client.connect.extensions.pairs().map(|(key, value)| Extension { key, value, ..Extension::default() });
        let data = ServerData {
            extensions: pairs.collect(),
            protocol: 28,
            server_count: self.level.server_count,
            gamedir: text(&self.level.gamedir),
            players: client.seats().map(|seat| seat.slot | u8::from(seat.watches) << 7).collect(),
            level: text(&self.level.name),
            move_vars: self.level.move_vars.clone(),
            ..ServerData::default()
        };
        // more than 127 slots leave no room for who watches
        let slots: Vec<u8> = client.seats().map(|seat| seat.slot).collect();
        let watches = client.seats().next().is_some_and(|seat| seat.watches);
        let data = if client.connect.extensions.fte2 & MAXPLAYERS != 0 {
            ServerData { slots: sight::PLAYERS as u8, seats: slots.len() as u8 | u8::from(watches) << 7, players: slots, ..data }
        } else {
            data
        };
        client.say(&Message::ServerData(data));
        client.stuff(&format!("fullserverinfo \"{}\"\n", self.level.server_info));
    }

    /// What never changes and what updates start from, from an index on: as much as may wait at a time, then the client is to ask for the rest.
    fn prespawn(&self, client: &mut Connection, first: usize) {
        let flags = client.dialect.layout();
        let count = self.level.baselines.len() + self.level.statics.len();
        let (mut block, mut blocks) = (Vec::new(), 0);
        let mut next = first.min(count);
        while next < count && blocks < BLOCKS {
            match self.level.baselines.get(next) {
                Some((number, state)) if client.has_replacement() => block.extend(replacement_baseline(client, &self.layout, &flags, *number, state)),
                Some((number, state)) => {
                    if let Some(mut message) = baseline(&client.dialect, &self.layout, *number, state) {
                        let mut w = WriteBytes::default();
                        let Ok(()) = code(&mut w, &client.dialect, &mut message);
                        block.extend_from_slice(w.written());
                    }
                }
                None => block.extend(self.level.statics.get(next - self.level.baselines.len()).map(|message| client.encoded(message)).unwrap_or_default()),
            }
            if block.len() > BLOCK {
                client.queue(&std::mem::take(&mut block));
                blocks += 1;
            }
            next += 1;
        }
        client.queue(&block);
        if next < count {
            client.stuff(&format!("cmd prespawn {} {next}\n", self.level.server_count));
        } else {
            client.stuff(&format!("cmd spawn {} 0\n", self.level.server_count));
        }
    }
}

fn replacement_baseline(client: &mut Connection, layout: &Flags, flags: &Flags, number: u32, state: &EntityState) -> Vec<u8> {
    let mut delta = Delta::default();
    client.baselines.set(flags, number, &sight::reworded(layout, flags, state), &mut delta);
    let mut w = WriteBytes::default();
    let Ok(_) = w.bits(u32::from(SVC_SPAWN_BASELINE2), 8);
    let Ok(_) = code_entity(&mut w, "entity", EntityNumber { number, overlong: false });
    let Ok(()) = code_delta(&mut w, flags, &mut delta);
    w.finish()
}

/// A page of a list, from an index on.
fn page(client: &Connection, names: &[String], first: usize) -> Page {
    let names = &names[..names.len().min(if client.has_replacement() { usize::from(u16::MAX) } else { CLASSIC_NAMES })];
    let rest = names.get(first..).unwrap_or_default();
    let (mut count, mut bytes) = (0, 0);
    // "next" has only the lower bits of an index, and 0 means that there is no more.
    while count < rest.len() && (bytes < BLOCK || (first + count) & 0xff == 0) {
        bytes += rest[count].len() + 1;
        count += 1;
    }
    let next = if count < rest.len() { (first + count) as u8 } else { 0 };
    Page { first, names: Texts(rest[..count].iter().map(|name| text(name)).collect()), next }
}

/// Some of a list's names.
struct Page {
    first: usize,
    names: Texts,
    next: u8,
}

impl Page {
    fn sounds(self) -> Message {
        match u8::try_from(self.first) {
            Ok(first) => Message::SoundList(FileList { first, names: self.names, next: self.next }),
            Err(_) => Message::SoundListShort(WideFileList { first: self.first as u16, names: self.names, next: self.next }),
        }
    }

    fn models(self) -> Message {
        match u8::try_from(self.first) {
            Ok(first) => Message::ModelList(FileList { first, names: self.names, next: self.next }),
            Err(_) => Message::ModelListShort(WideFileList { first: self.first as u16, names: self.names, next: self.next }),
        }
    }
}
