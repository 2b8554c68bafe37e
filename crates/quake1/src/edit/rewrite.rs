//! Recordings changed message by message (`docs/formats/quake1.md`, "Editing").

use model::{Edited, Fate, Place, Rewrite, Role};

use crate::Recording;
use crate::container::Container;
use crate::message::hidden::{HiddenBlocks, HiddenBody};
use crate::message::{Message, Nop, Text};

use super::reading::{Next, Reading, Unit};
use super::writing::Writing;

/// Keys whose value is a network address.
const ADDRESS_KEYS: [&[u8]; 6] = [b"ip", b"*ip", b"realip", b"*realip", b"address", b"*address"];
/// Keys whose value tells one person from all others.
const IDENTIFIER_KEYS: [&[u8]; 9] = [b"*auth", b"*guid", b"guid", b"*id", b"*uid", b"*login", b"login", b"*steamid", b"*gid"];
/// Commands that carry an info string between quotes.
const INFO_COMMANDS: [&[u8]; 4] = [b"fullserverinfo ", b"//svi ", b"//fui ", b"fui "];
/// The key of a player's name.
const NAME_KEY: &[u8] = b"name";

impl Recording<'_> {
    /// The recording with each message as `f` leaves it; a message that it drops goes.
    ///
    /// Messages that other messages cannot be read without (server data and the like) stay, whatever is said. A block
    /// whose messages did not change keeps its bytes.
    ///
    /// ```
    /// use model::Fate;
    /// use quake1::Recording;
    /// use quake1::message::Message;
    ///
    /// let mut file = b"-1\n".to_vec();
    /// file.extend([5, 0, 0, 0]); // five bytes of messages
    /// file.extend([0; 12]); // view angles
    /// file.extend(*b"\x08hi\0\x02"); // svc_print, svc_disconnect
    /// let recording = Recording::open(&file, Some("dem"), wire::Limits::default()).unwrap();
    /// let silent = recording.map_messages(&mut |_, message| match message {
    ///     Message::NqPrint(_) => Fate::Drop,
    ///     _ => Fate::Keep,
    /// });
    /// assert_eq!(silent.bytes[3..7], [1, 0, 0, 0]);
    /// ```
    pub fn map_messages(&self, f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Edited {
        self.map_units(f, &mut |_, _| Fate::Keep)
    }

    /// The recording as `rewrite` changes it.
    pub(super) fn rewritten(&self, rewrite: &mut dyn Rewrite) -> Edited {
        let shared = std::cell::RefCell::new(rewrite);
        let mut messages = |place: Place, message: &mut Message| rewrite_message(*shared.borrow_mut(), place, message);
        let mut hidden = |place: Place, blocks: &mut HiddenBlocks| rewrite_hidden(*shared.borrow_mut(), place, blocks);
        self.map_units(&mut messages, &mut hidden)
    }

    fn map_units(&self, f: &mut dyn FnMut(Place, &mut Message) -> Fate, hide: &mut dyn FnMut(Place, &mut HiddenBlocks) -> Fate) -> Edited {
        let mut out = Writing::new(self.container, self.header());
        let mut reading = Reading::new(self);
        let (mut changed, mut dropped) = (0u64, 0u64);
        while let Some(next) = reading.next(|_, _, _| {}) {
            let mut unit = match next {
                Next::Unit(unit) => unit,
                Next::Broken(_, (from, to)) => {
                    out.bytes.extend_from_slice(&self.bytes[from as usize..to as usize]);
                    continue;
                }
            };
            let place = Place { message: unit.block.number, time: reading.clock.demo };
            let before = (changed, dropped);
            let mut kept = Vec::with_capacity(unit.messages.len());
            for message in &unit.messages {
                let mut new = message.clone();
                if f(place, &mut new) == Fate::Drop && !message.teaches() {
                    dropped += 1;
                    continue;
                }
                changed += u64::from(new != *message);
                kept.push(new);
            }
            if let Some(hidden) = &mut unit.hidden {
                let old = hidden.clone();
                if hide(place, hidden) == Fate::Drop {
                    *hidden = HiddenBlocks::default();
                    dropped += 1;
                } else {
                    changed += u64::from(*hidden != old);
                }
            }
            if (changed, dropped) == before {
                out.copy(self.bytes, &unit);
                continue;
            }
            write(&mut out, &mut unit, kept);
        }
        let mut edited = Edited { extension: self.container.extension().to_owned(), bytes: out.bytes, ..Edited::default() };
        for (count, what) in [(changed, "changed"), (dropped, "dropped")] {
            if count > 0 {
                edited.actions.push(format!("{what} {count} message{}", if count == 1 { "" } else { "s" }));
            }
        }
        edited
    }
}

/// Writes a block with other messages. One of which nothing is left goes where its time and addressee do not matter.
fn write(out: &mut Writing, unit: &mut Unit<'_>, messages: Vec<Message>) {
    unit.messages = messages;
    let empty = unit.messages.is_empty() && unit.hidden.is_none() && unit.tail.is_empty();
    match out.container {
        Container::NetQuake if empty => return,
        Container::MultiView if empty => unit.messages.push(Message::Nop(Nop {})),
        _ => {}
    }
    out.unit(unit);
}

/// What the game cannot do without.
fn is_needed(message: &Message) -> bool {
    message.teaches()
        || crate::recording::is_frame(message)
        || matches!(
            message,
            Message::FastUpdate(_)
                | Message::ClientData(_)
                | Message::PlayerInfo(_)
                | Message::ViewPlayer(_)
                | Message::SignonNum(_)
                | Message::ModelList(_)
                | Message::SoundList(_)
                | Message::ModelListShort(_)
                | Message::SoundListShort(_)
                | Message::Precache(_)
                | Message::Baseline(_)
                | Message::FitzBaseline(_)
                | Message::DpBaseline(_)
                | Message::SpawnBaseline2(_)
                | Message::ClassicBaseline(_)
                | Message::SetView(_)
                | Message::Disconnect(_)
        )
}

fn rewrite_message(rewrite: &mut dyn Rewrite, place: Place, message: &mut Message) -> Fate {
    if rewrite.message(place, message.name()) == Fate::Drop && !is_needed(message) {
        return Fate::Drop;
    }
    const CHAT_LEVEL: u8 = 3;
    const CHAT_MARK: u8 = 1;
    match message {
        Message::QwPrint(m) => line(rewrite, place, if m.level == CHAT_LEVEL { Role::Chat } else { Role::Print }, &mut m.text),
        Message::NqPrint(m) => {
            let role = if m.text.0.first() == Some(&CHAT_MARK) { Role::Chat } else { Role::Print };
            line(rewrite, place, role, &mut m.text)
        }
        Message::CenterPrint(m) => line(rewrite, place, Role::Print, &mut m.text),
        Message::Finale(m) => line(rewrite, place, Role::Print, &mut m.text),
        Message::CutScene(m) => line(rewrite, place, Role::Print, &mut m.text),
        Message::QexPrint(m) | Message::QexCenterPrint(m) => {
            m.texts.iter_mut().for_each(|text| value(rewrite, place, Role::Print, text));
            Fate::Keep
        }
        Message::QexChat(m) => {
            value(rewrite, place, Role::Name, &mut m.name);
            line(rewrite, place, Role::Chat, &mut m.text)
        }
        Message::UpdateName(m) => {
            value(rewrite, place, Role::Name, &mut m.name);
            Fate::Keep
        }
        Message::UpdateUserInfo(m) => {
            m.userinfo = Text(info(rewrite, place, m.userinfo.bytes()));
            Fate::Keep
        }
        Message::SetInfo(m) => {
            value(rewrite, place, role_of(m.key.bytes()), &mut m.value);
            Fate::Keep
        }
        Message::ServerInfoKey(m) => {
            value(rewrite, place, server_role_of(m.key.bytes()), &mut m.value);
            Fate::Keep
        }
        Message::StatString(m) => {
            value(rewrite, place, Role::String, &mut m.value);
            Fate::Keep
        }
        Message::ServerData(m) => {
            value(rewrite, place, Role::String, &mut m.level);
            Fate::Keep
        }
        Message::ServerInfo(m) => {
            value(rewrite, place, Role::String, &mut m.level);
            Fate::Keep
        }
        Message::StuffText(m) => command(rewrite, place, &mut m.text),
        Message::VoiceChat(_) => rewrite.voice(place),
        _ => Fate::Keep,
    }
}

/// What cannot stand within a string ends it.
fn ended(text: &mut Vec<u8>) {
    if let Some(end) = text.iter().position(|&byte| byte == 0) {
        text.truncate(end);
    }
}

fn line(rewrite: &mut dyn Rewrite, place: Place, role: Role, text: &mut Text) -> Fate {
    let fate = rewrite.text(place, role, &mut text.0);
    ended(&mut text.0);
    fate
}

fn value(rewrite: &mut dyn Rewrite, place: Place, role: Role, text: &mut Text) {
    if rewrite.text(place, role, &mut text.0) == Fate::Drop {
        text.0.clear();
    }
    ended(&mut text.0);
}

fn role_of(key: &[u8]) -> Role {
    match key {
        NAME_KEY => Role::Name,
        key if ADDRESS_KEYS.contains(&key) => Role::Address,
        key if IDENTIFIER_KEYS.contains(&key) => Role::Identifier,
        _ => Role::String,
    }
}

/// A server's info has no player's name.
fn server_role_of(key: &[u8]) -> Role {
    if key == NAME_KEY { Role::String } else { role_of(key) }
}

/// An info string, value by value. One that nothing changed keeps its spelling.
fn info(rewrite: &mut dyn Rewrite, place: Place, old: &[u8]) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len());
    let mut changed = false;
    for (key, value) in crate::state::info_pairs(old) {
        let mut text = value.to_vec();
        if rewrite.text(place, role_of(key), &mut text) == Fate::Drop {
            text.clear();
        }
        // these would end the value
        text.retain(|byte| !matches!(byte, 0 | b'\\' | b'"'));
        changed |= text != value;
        if !text.is_empty() || value.is_empty() {
            for part in [key, &text] {
                new.push(b'\\');
                new.extend_from_slice(part);
            }
        }
    }
    if changed { new } else { old.to_vec() }
}

fn command(rewrite: &mut dyn Rewrite, place: Place, text: &mut Text) -> Fate {
    if INFO_COMMANDS.iter().any(|prefix| text.0.starts_with(prefix)) {
        let from = text.0.iter().position(|&byte| byte == b'"').map(|at| at + 1);
        let to = text.0.iter().rposition(|&byte| byte == b'"');
        if let (Some(from), Some(to)) = (from, to)
            && from <= to
        {
            let new = info(rewrite, place, &text.0[from..to]);
            text.0.splice(from..to, new);
            return Fate::Keep;
        }
    }
    line(rewrite, place, Role::Command, text)
}

fn rewrite_hidden(rewrite: &mut dyn Rewrite, place: Place, blocks: &mut HiddenBlocks) -> Fate {
    if rewrite.message(place, "hidden") == Fate::Drop {
        return Fate::Drop;
    }
    for block in &mut blocks.blocks {
        if let HiddenBody::DemoInfo { content, .. } = &mut block.body {
            let before = content.len();
            if rewrite.text(place, Role::String, content) == Fate::Drop {
                content.clear();
            }
            block.length = block.length.wrapping_add(content.len() as u32).wrapping_sub(before as u32);
        }
    }
    Fate::Keep
}
