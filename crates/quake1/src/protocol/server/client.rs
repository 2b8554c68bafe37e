//! One client of the small server: its channel, how far it has signed on, and what it knows.

use wire::{ReadBytes, Wire, WriteBytes};

use super::Level;
use crate::dialect::{Dialect, Numbers, Stream};
use crate::message::{
    DeltaCommand, Disconnect, Download, Extension, FileList, Float, Message, MoveVars, QwPrint, ServerData, StuffText, Text, Texts, UpdateUserInfo,
    WideFileList, code,
};
use crate::protocol::handshake::quakeworld::Connect;
use crate::protocol::handshake::{Extensions, number, words};
use crate::protocol::netchan::quakeworld::{Channel, Side};
use crate::protocol::{Acknowledge, Audience, DeltaSender, Frame, command};
use crate::replacement::{Baselines, Delta, EntityNumber, EntityState, PEXT2_REPLACEMENT_DELTAS, SVC_SPAWN_BASELINE2, code_delta, code_entity};

/// Bytes of names on a list's page, and of baselines per reliable message.
const BLOCK: usize = 1000;
/// Blocks of baselines that are sent before the client has to ask for more.
const BLOCKS: usize = 8;
/// Names that a client without replacement deltas has numbers for.
const CLASSIC_NAMES: usize = 255;

/// One client.
#[derive(Debug, Clone)]
pub(super) struct Connection {
    connect: Connect,
    offers: Extensions,
    channel: Channel,
    dialect: Dialect,
    baselines: Baselines,
    sender: DeltaSender,
    asked_pext: bool,
    playing: bool,
    left: bool,
    overflow: bool,
    /// Whether something came since the last frame, and when that was last so.
    spoke: bool,
    heard: f32,
}

impl Connection {
    pub(super) fn new(connect: Connect, level: &Level, offers: Extensions, now: f32) -> Self {
        let channel = Channel::new(Side::Server { qport: connect.qport });
        let dialect = dialect(&connect.extensions);
        let sender = DeltaSender::new(dialect.layout(), Audience::default());
        let mut client = Self {
            connect,
            offers,
            channel,
            dialect,
            baselines: Baselines::new(),
            sender,
            asked_pext: false,
            playing: false,
            left: false,
            overflow: false,
            spoke: false,
            heard: now,
        };
        client.lay_baselines(level);
        client
    }

    pub(super) fn is_playing(&self) -> bool {
        self.playing
    }

    pub(super) fn has_left(&self) -> bool {
        self.left
    }

    /// Whether more waits for him than he takes.
    pub(super) fn has_overflowed(&self) -> bool {
        self.overflow
    }

    /// Seconds since something came from him.
    pub(super) fn silence(&self, now: f32) -> f32 {
        now - self.heard
    }

    fn lay_baselines(&mut self, level: &Level) {
        self.baselines.clear();
        let flags = self.dialect.layout();
        for (number, state) in &level.baselines {
            self.baselines.set(&flags, *number, state, &mut Delta::default());
        }
    }

    pub(super) fn receive(&mut self, level: &Level, datagram: &[u8]) {
        let Ok(packet) = self.channel.receive(datagram) else { return };
        self.spoke = true;
        self.sender.acknowledge(Acknowledge::Frame(packet.acknowledged));
        let mut has_thread = false;
        // What cannot be read ends the packet; its acknowledgement counts all the same.
        let _ = self.messages(level, packet.payload, &mut has_thread);
        if self.playing && !has_thread {
            self.sender.acknowledge(Acknowledge::Restart);
        }
    }

    /// Reads what a client may send.
    fn messages(&mut self, level: &Level, payload: &[u8], has_thread: &mut bool) -> Result<(), wire::Error> {
        let mut r = ReadBytes::new(payload);
        while r.more(false) {
            match r.bits(0, 8)? as u8 {
                command::CLC_MOVE => {
                    r.bits(0, 16)?; // checksum and loss
                    for _ in 0..3 {
                        DeltaCommand::default().code(&mut r, &self.dialect)?;
                    }
                }
                command::CLC_STRING => {
                    let mut text = Vec::new();
                    r.text(&mut text, crate::message::LONGEST_TEXT)?;
                    self.command(level, &text);
                }
                command::CLC_DELTA => {
                    r.bits(0, 8)?;
                    *has_thread = true;
                }
                command::CLC_TELEPORT => {
                    for _ in 0..3 {
                        self.dialect.coord.code(&mut r, "origin", 0)?;
                    }
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

    fn command(&mut self, level: &Level, text: &[u8]) {
        let words = words(text);
        let argument = |at: usize| words.get(at).and_then(|word| number(word)).unwrap_or(0);
        // Answers to what an earlier level asked.
        let stale = argument(1) as i32 != level.server_count;
        match words.first().map(Vec::as_slice) {
            Some(b"new") => self.begin(level),
            Some(b"pext") => {
                self.connect.extensions = Extensions::parse(&words[1..]).intersect(&self.offers);
                self.begin(level);
            }
            Some(b"soundlist") if !stale => {
                let page = self.page(&level.sounds, argument(2) as usize);
                self.say(page.sounds());
            }
            Some(b"modellist") if !stale => {
                let page = self.page(&level.models, argument(2) as usize);
                self.say(page.models());
            }
            Some(b"prespawn") if !stale => self.prespawn(level, argument(2) as usize),
            Some(b"spawn") if !stale => {
                let userinfo = Text(self.connect.user_info.clone());
                self.say(Message::UpdateUserInfo(UpdateUserInfo { slot: 0, user_id: 1, userinfo }));
                self.stuff("skins\n");
            }
            Some(b"begin") if !stale => self.playing = true,
            // Without an answer the client would wait for ever.
            Some(b"download") => self.say(Message::Download(Download { number: -1, ..Download::default() })),
            Some(b"drop") => self.left = true,
            _ => {}
        }
    }

    /// Answers `new`. A client behind a proxy that lost its extensions is asked for them again.
    fn begin(&mut self, level: &Level) {
        let user_info = &self.connect.user_info;
        if self.connect.extensions == Extensions::NONE && !self.asked_pext && user_info.windows(7).any(|key| key == b"\\*z_ext") {
            self.asked_pext = true;
            self.stuff("cmd pext\n");
            return;
        }
        if self.connect.extensions.fte2 & PEXT2_REPLACEMENT_DELTAS == 0 {
            self.say(Message::QwPrint(QwPrint { level: 2, text: text("This server speaks nothing but replacement deltas.\n") }));
            self.say(Message::Disconnect(Disconnect::default()));
            return;
        }
        self.playing = false;
        self.dialect = dialect(&self.connect.extensions);
        self.sender = DeltaSender::new(self.dialect.layout(), Audience::default());
        self.lay_baselines(level);
        let pairs = self.connect.extensions.pairs().map(|(key, value)| Extension { key, value, ..Extension::default() });
        self.say(Message::ServerData(ServerData {
            extensions: pairs.collect(),
            protocol: 28,
            server_count: level.server_count,
            gamedir: text(&level.gamedir),
            players: vec![128],
            level: text(&level.name),
            move_vars: MoveVars { gravity: Float::from(800.0), entity_gravity: Float::from(1.0), ..MoveVars::default() },
            ..ServerData::default()
        }));
        self.stuff(&format!("fullserverinfo \"{}\"\n", level.server_info));
    }

    /// Baselines from an index on: as many as may wait at a time, then the client is to ask for the rest.
    fn prespawn(&mut self, level: &Level, first: usize) {
        let flags = self.dialect.layout();
        let (mut block, mut delta, mut blocks) = (WriteBytes::default(), Delta::default(), 0);
        let mut next = first.min(level.baselines.len());
        while let Some((number, state)) = level.baselines.get(next)
            && blocks < BLOCKS
        {
            self.baselines.set(&flags, *number, state, &mut delta);
            let Ok(_) = block.bits(u32::from(SVC_SPAWN_BASELINE2), 8);
            let Ok(_) = code_entity(&mut block, "entity", EntityNumber { number: *number, overlong: false });
            let Ok(()) = code_delta(&mut block, &flags, &mut delta);
            if block.written().len() > BLOCK {
                self.queue(block.written());
                block = WriteBytes::default();
                blocks += 1;
            }
            next += 1;
        }
        self.queue(block.written());
        if next < level.baselines.len() {
            self.stuff(&format!("cmd prespawn {} {next}\n", level.server_count));
        } else {
            self.stuff(&format!("cmd spawn {}\n", level.server_count));
        }
    }

    /// A page of a list, from an index on.
    fn page(&self, names: &[String], first: usize) -> Page {
        let wide = self.connect.extensions.fte2 & PEXT2_REPLACEMENT_DELTAS != 0;
        let names = &names[..names.len().min(if wide { usize::from(u16::MAX) } else { CLASSIC_NAMES })];
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

    pub(super) fn frame(&mut self, time: f32, visible: &[(u32, EntityState)], budget: usize) -> Option<Vec<u8>> {
        if std::mem::take(&mut self.spoke) {
            self.heard = time;
        }
        if !self.channel.align() {
            return None;
        }
        let mut unreliable = Vec::new();
        if self.playing {
            let frame = Frame { sequence: self.channel.outgoing_sequence(), time, input_sequence: 0, budget: budget.min(self.channel.room()) };
            let visible = visible.iter().map(|(number, state)| (*number, state));
            // With too little room beside a reliable block, the next packet brings them.
            let _ = self.sender.send(frame, visible, &self.baselines, &mut unreliable);
        }
        let mut datagram = Vec::new();
        self.channel.transmit(&unreliable, &mut datagram);
        Some(datagram)
    }

    pub(super) fn stuff(&mut self, commands: &str) {
        self.say(Message::StuffText(StuffText { text: text(commands) }));
    }

    pub(super) fn change_level(&mut self, level: &Level) {
        self.playing = false;
        self.lay_baselines(level);
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
        let mut datagram = Vec::new();
        self.channel.transmit(goodbye.written(), &mut datagram);
        datagram
    }

    fn say(&mut self, mut message: Message) {
        let mut w = WriteBytes::default();
        let Ok(()) = code(&mut w, &self.dialect, &mut message);
        self.queue(w.written());
    }

    fn queue(&mut self, message: &[u8]) {
        self.overflow |= !self.channel.queue(message);
    }
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

fn dialect(extensions: &Extensions) -> Dialect {
    Dialect::of(Numbers { stream: Stream::QuakeWorld, protocol: 28, pext1: extensions.fte1, pext2: extensions.fte2, mvd1: extensions.mvd1, flags: 0 })
}

fn text(text: &str) -> Text {
    Text(text.as_bytes().to_vec())
}
