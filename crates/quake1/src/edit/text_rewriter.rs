//! Rewrites the texts in messages according to their roles (`docs/formats/quake1.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::replay::personal::OwnKeys;
use fragreel_model::replay::{info_string, personal};
use fragreel_model::{Fate, Place, Rewrite, Role};

use crate::container::Target;
use crate::dialect::Dialect;
use crate::message::hidden::{HiddenBlocks, HiddenBody};
use crate::message::{Message, Text};

use crate::edit::fields::Fields;
use crate::edit::other_texts;
use crate::edit::statistics::Statistics;

/// Commands whose argument is a player's info string.
const USER_INFO_COMMANDS: [&[u8]; 2] = [b"//fui", b"fui"];
/// Commands whose argument is the server's info string.
const SERVER_INFO_COMMANDS: [&[u8]; 2] = [b"fullserverinfo", b"//svi"];
/// Commands whose arguments are a key and a value.
const PAIR_COMMANDS: [&[u8]; 2] = [b"setinfo", b"//setinfo"];
/// Keys of a player's info string that say who the player is.
const PLAYER: OwnKeys<'_> = &[(b"name", Role::Name), (b"team", Role::Team), (b"skin", Role::Look)];
/// The same of a server's info string.
const SERVER: OwnKeys<'_> = &[];

/// Passes texts to a [`Rewrite`] with their roles.
pub(super) struct TextRewriter<'r> {
    rewrite: &'r mut dyn Rewrite,
    fields: Fields,
    statistics: Statistics,
    /// Whether NetQuake's last print is chat that has not ended.
    open_chat: bool,
    /// The error for a value that does not fit its field.
    pub unfit: Option<Error>,
    /// The length of a text that became too long for engines, and their limit, in bytes.
    pub too_long: Option<(usize, usize)>,
}

/// Bytes of the longest string that engines read from a message.
const LONGEST_STRING: usize = 2047;
/// Bytes of the longest info string of a player that engines keep.
const LONGEST_USER_INFO: usize = 1023;

/// Keys that the game needs.
fn is_needed(message: &Message) -> bool {
    message.changes_dialect()
        || crate::message::is_frame(message)
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

impl<'r> TextRewriter<'r> {
    /// `statistics` are the statistics of the whole recording.
    pub(super) fn new(rewrite: &'r mut dyn Rewrite, statistics: Statistics) -> Self {
        TextRewriter { fields: Fields::of(rewrite), rewrite, statistics, open_chat: false, unfit: None, too_long: None }
    }

    /// Rewrites every text of a message.
    pub(super) fn message(&mut self, place: Place, message: &mut Message) -> Fate {
        const CHAT_LEVEL: u8 = 3;
        const CHAT_MARK: u8 = 1;
        if self.rewrite.message(place, message.name()) == Fate::Drop && !is_needed(message) {
            return Fate::Drop;
        }
        other_texts::show(message, &mut |role, text| self.rewrite.text(place, role, text));
        match message {
            Message::QwPrint(m) => return self.line(place, if m.level == CHAT_LEVEL { Role::Chat } else { Role::Print }, &mut m.text.0),
            Message::NqPrint(m) => {
                // a line of chat goes on until its end
                let is_chat = m.text.0.first() == Some(&CHAT_MARK) || self.open_chat;
                self.open_chat = is_chat && m.text.0.last() != Some(&b'\n');
                return self.line(place, if is_chat { Role::Chat } else { Role::Print }, &mut m.text.0);
            }
            Message::CenterPrint(m) => return self.line(place, Role::Print, &mut m.text.0),
            Message::Finale(m) => return self.line(place, Role::Print, &mut m.text.0),
            Message::CutScene(m) => return self.line(place, Role::Print, &mut m.text.0),
            Message::QexPrint(m) | Message::QexCenterPrint(m) => m.texts.iter_mut().for_each(|text| self.value(place, Role::Print, &mut text.0)),
            Message::QexPrompt(m) => {
                self.value(place, Role::Print, &mut m.question.0);
                m.answers.iter_mut().for_each(|(text, _)| self.value(place, Role::Print, &mut text.0));
            }
            Message::QexChat(m) => {
                self.value(place, Role::Name, &mut m.name.0);
                return self.line(place, Role::Chat, &mut m.text.0);
            }
            Message::QexSocial(m) => self.account(place, &mut m.account),
            Message::Disconnect(m) => self.value(place, Role::Print, &mut m.text.0),
            Message::UpdateName(m) => self.value(place, Role::Name, &mut m.name.0),
            Message::UpdateUserInfo(m) => drop(self.info(place, PLAYER, &mut m.userinfo.0)),
            Message::SetInfo(m) => self.pair(place, PLAYER, m.key.bytes(), &mut m.value.0),
            Message::ServerInfoKey(m) => self.pair(place, SERVER, m.key.bytes(), &mut m.value.0),
            Message::SetInfoBlob(m) => {
                let own = if m.slot == 0 { SERVER } else { PLAYER };
                // parts of a longer value keep their length
                if m.offset == 0x8000_0000 {
                    self.pair(place, own, m.key.bytes(), &mut m.data.0);
                } else if personal::role_of_key(m.key.bytes()).is_some_and(|role| self.rewrite.text(place, role, &mut m.data.0.clone()) == Fate::Drop) {
                    m.data.0.fill(b'*');
                }
            }
            Message::StatString(m) => self.value(place, Role::String, &mut m.value.0),
            Message::ServerData(m) => self.value(place, Role::String, &mut m.level.0),
            Message::ServerInfo(m) => self.value(place, Role::String, &mut m.level.0),
            Message::Download(m) => {
                self.value(place, Role::String, &mut m.name.0);
                self.value(place, Role::String, &mut m.asked.0);
            }
            Message::Unknown(m) => self.rest(place, &mut m.data.0),
            Message::StuffText(m) => return self.commands(place, &mut m.text),
            Message::VoiceChat(_) => return self.rewrite.voice(place),
            _ => {}
        }
        Fate::Keep
    }

    /// Rewrites the fields of a message that stays.
    pub(super) fn fields(&mut self, place: Place, target: Target, d: &Dialect, message: &mut Message) {
        if let Err(error) = self.fields.message(self.rewrite, place, target, d, message) {
            self.unfit.get_or_insert(error);
        }
    }

    /// Rewrites hidden messages.
    pub(super) fn hidden(&mut self, place: Place, blocks: &mut HiddenBlocks) -> Fate {
        if self.rewrite.message(place, "hidden") == Fate::Drop {
            return Fate::Drop;
        }
        for block in &mut blocks.blocks {
            let (before, after) = match &mut block.body {
                HiddenBody::DemoInfo { content, .. } => {
                    let before = content.len();
                    let statistics = &mut self.statistics;
                    let rewrite = &mut *self.rewrite;
                    statistics.part(content, |role, text| rewrite.text(place, role, text));
                    (before, content.len())
                }
                HiddenBody::Other { data } => {
                    let before = data.len();
                    self.rest(place, data);
                    (before, data.len())
                }
                body => {
                    other_texts::show_hidden(body, &mut |role, text| self.rewrite.text(place, role, text));
                    continue;
                }
            };
            block.length = block.length.wrapping_add(after as u32).wrapping_sub(before as u32);
        }
        Fate::Keep
    }

    /// Undecoded bytes.
    pub(super) fn rest(&mut self, place: Place, bytes: &mut Vec<u8>) {
        let old = bytes.clone();
        if self.rewrite.text(place, Role::String, bytes) == Fate::Drop {
            *bytes = old;
        }
    }

    /// Rewrites a line, which may be dropped.
    fn line(&mut self, place: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        let old = text.clone();
        let fate = self.rewrite.text(place, role, text);
        ended(text, &old);
        self.measure(old.len(), text.len(), LONGEST_STRING);
        fate
    }

    /// Notes a text that has become too long.
    fn measure(&mut self, before: usize, after: usize, most: usize) {
        if after > most && after > before {
            self.too_long.get_or_insert((after, most));
        }
    }

    /// Rewrites a value. A dropped one becomes empty.
    fn value(&mut self, place: Place, role: Role, text: &mut Vec<u8>) {
        if self.line(place, role, text) == Fate::Drop {
            text.clear();
        }
    }

    /// Rewrites an info string. Returns true if it changed.
    fn info(&mut self, place: Place, own: OwnKeys<'_>, text: &mut Vec<u8>) -> bool {
        let before = text.len();
        let changed = info_string::rewrite(text, own, &mut |role, text| self.rewrite.text(place, role, text));
        self.measure(before, text.len(), if own.is_empty() { LONGEST_STRING } else { LONGEST_USER_INFO });
        changed
    }

    /// Rewrites the value of one key.
    fn pair(&mut self, place: Place, own: OwnKeys<'_>, key: &[u8], value: &mut Vec<u8>) {
        let mut info = [b"\\", key, b"\\", value].concat();
        if key.contains(&b'\\') || value.contains(&b'\\') {
            return self.value(place, personal::role_of_key(key).unwrap_or(Role::String), value);
        }
        if self.info(place, own, &mut info) {
            *value = info.get(key.len() + 2..).unwrap_or_default().to_vec();
        }
    }

    /// Rewrites an account number.
    fn account(&mut self, place: Place, account: &mut [u32; 2]) {
        let number = (u64::from(account[1]) << 32 | u64::from(account[0])).to_string().into_bytes();
        let mut text = number.clone();
        if *account != [0; 2] && (self.rewrite.text(place, Role::Identifier, &mut text) == Fate::Drop || text != number) {
            *account = [0; 2];
        }
    }

    /// Rewrites stuffed commands: those with info strings key by key, others as text.
    fn commands(&mut self, place: Place, text: &mut Text) -> Fate {
        let is_special = |line: &[u8]| USER_INFO_COMMANDS.into_iter().chain(SERVER_INFO_COMMANDS).chain(PAIR_COMMANDS).any(|name| calls(line, name));
        if !text.0.split(|&byte| byte == b'\n').any(is_special) {
            return self.command(place, &mut text.0);
        }
        let mut lines = Vec::new();
        for line in text.0.split_inclusive(|&byte| byte == b'\n') {
            let mut line = line.to_vec();
            if USER_INFO_COMMANDS.iter().any(|name| calls(&line, name)) {
                self.info_in(place, PLAYER, &mut line);
            } else if SERVER_INFO_COMMANDS.iter().any(|name| calls(&line, name)) {
                self.info_in(place, SERVER, &mut line);
            } else if PAIR_COMMANDS.iter().any(|name| calls(&line, name)) {
                self.pair_in(place, &mut line);
            } else if self.command(place, &mut line) == Fate::Drop {
                continue;
            }
            lines.extend(line);
        }
        text.0 = lines;
        if text.0.is_empty() { Fate::Drop } else { Fate::Keep }
    }

    /// Rewrites any other command: the values of personal keys, then the whole line.
    fn command(&mut self, place: Place, text: &mut Vec<u8>) -> Fate {
        let before = text.len();
        personal::rewrite_commands(text, PLAYER, &mut |role, text| self.rewrite.text(place, role, text));
        self.measure(before, text.len(), LONGEST_STRING);
        self.line(place, Role::Command, text)
    }

    /// The same for a line that stays.
    fn other(&mut self, place: Place, text: &mut Vec<u8>) {
        if self.command(place, text) == Fate::Drop {
            text.clear();
        }
    }

    /// Rewrites the info string in a command.
    fn info_in(&mut self, place: Place, own: OwnKeys<'_>, line: &mut Vec<u8>) {
        let Some(range) = info_string::inside(line) else { return self.other(place, line) };
        // the last quote ends it: current engines allow quotes within
        let end = line.iter().rposition(|&byte| byte == b'"').map_or(range.end, |quote| quote.max(range.end));
        // clients ignore the rest, but people read it
        let mut rest = line.split_off(end);
        let quote = usize::from(rest.first() == Some(&b'"'));
        if rest[quote..].iter().any(|byte| !byte.is_ascii_whitespace()) {
            let mut words = rest.split_off(quote);
            self.other(place, &mut words);
            rest.append(&mut words);
        }
        let mut info = line.split_off(range.start);
        self.info(place, own, &mut info);
        line.append(&mut info);
        line.append(&mut rest);
    }

    /// Rewrites the key and value of a command.
    fn pair_in(&mut self, place: Place, line: &mut Vec<u8>) {
        let words = words(line);
        let [_, key, value] = &words[..] else { return self.other(place, line) };
        let mut new = line[value.clone()].to_vec();
        self.pair(place, PLAYER, &line[key.clone()], &mut new);
        if new != line[value.clone()] {
            line.splice(value.clone(), new);
        }
    }
}

/// True if a line calls a command, in any case.
fn calls(line: &[u8], name: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)) && line.get(name.len()).is_some_and(u8::is_ascii_whitespace)
}

/// The ranges of a command's words, without quotes.
fn words(line: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let quoted = line[at] == b'"';
        let from = at + usize::from(quoted);
        let ends = |byte: &u8| if quoted { *byte == b'"' } else { byte.is_ascii_whitespace() };
        let end = line[from..].iter().position(ends).map_or(line.len(), |length| from + length);
        words.push(from..end);
        at = end + usize::from(quoted);
    }
    words
}

/// Cuts a changed text at the first byte that a string cannot contain.
fn ended(text: &mut Vec<u8>, old: &[u8]) {
    if text != old
        && let Some(end) = text.iter().position(|&byte| byte == 0)
    {
        text.truncate(end);
    }
}
