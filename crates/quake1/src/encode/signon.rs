//! The signon state: latest value of every persistent message of a level. A recording that starts in the middle begins with it
//! (`docs/formats/quake1.md`, "Openings").

use std::collections::BTreeMap;

use fragreel_model::Milliseconds;
use fragreel_model::replay::info_string;

use crate::container::{Target, kind};
use crate::dialect::Dialect;
use crate::message::is_frame;
use crate::message::{Message, StuffText, Text, ViewPlayer};
use crate::state::seats;
use crate::state::{Stuffed, viewed_slot};

/// The parts of a signon, in the order in which engines write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignonPart {
    /// The server data or server info, and text before it.
    Server,
    /// Music, server info, other signon commands, and seats.
    Settings,
    /// Messages that change how later ones are read.
    Rules,
    /// The view entity, which says which player records (NetQuake).
    View,
    /// Files.
    Sounds,
    /// Files.
    Models,
    /// Files precached later, and effect definitions.
    Files,
    /// Static entities and sounds.
    Statics,
    /// Baselines.
    Baselines,
    /// Players.
    Players,
    /// Light styles.
    Lights,
    /// Stats.
    Stats,
    /// Every other persistent message.
    Lasting,
}

/// Identifies an entry: its part, two numbers (slot, index and the like), and a name.
type Key = (SignonPart, u32, u32, Vec<u8>);

/// A persistent message.
#[derive(Debug, Clone)]
pub struct SignonEntry {
    /// The message.
    pub message: Message,
    /// The slot that it is for, in a multi-view recording or at an extra seat. `None` for all.
    pub slot: Option<u8>,
    /// When it came, on the demo clock.
    pub at: Milliseconds,
}

/// The latest value of every persistent message.
#[derive(Debug, Clone, Default)]
pub struct SignonState {
    entries: BTreeMap<Key, SignonEntry>,
    /// For each list number, the positions of its messages and their numbers of names.
    lists: BTreeMap<(SignonPart, u32), Vec<(u32, usize)>>,
    /// Prints of this block before the server's statement.
    pending: Vec<Message>,
    /// The last number given to entries without one.
    count: u32,
    /// True once the level has had a frame.
    playing: bool,
    /// The flags of each player's last `svc_playerinfo` (MVD), by slot.
    view_flags: BTreeMap<u8, u16>,
}

/// Stuffed commands whose effect lasts until the next one of the same name.
const LASTING_COMMANDS: [&[u8]; 7] = [b"fog", b"sky", b"loadsky", b"r_skyname", b"r_skybox", b"v_cshift", b"cshift"];
/// Commands for a client that signs on. A new signon has its own.
const SIGNON_COMMANDS: [&[u8]; 10] = [b"cmd", b"skins", b"reconnect", b"changing", b"disconnect", b"connect", b"new", b"prespawn", b"spawn", b"begin"];

impl SignonState {
    /// A new block starts.
    pub fn start_block(&mut self) {
        self.pending.clear();
    }

    /// The entries of a part.
    pub(crate) fn part(&self, part: SignonPart) -> impl Iterator<Item = &SignonEntry> {
        self.entries.range((part, 0, 0, Vec::new())..).take_while(move |(key, _)| key.0 == part).map(|(_, entry)| entry)
    }

    /// The entries of a part in `later` that are missing or different here.
    pub fn changes<'l>(&self, later: &'l SignonState, part: SignonPart) -> impl Iterator<Item = &'l SignonEntry> {
        let entries = later.entries.range((part, 0, 0, Vec::new())..).take_while(move |(key, _)| key.0 == part);
        entries.filter(|(key, entry)| self.entries.get(*key).is_none_or(|known| known.message != entry.message)).map(|(_, entry)| entry)
    }

    /// True once the server has stated its level.
    pub(crate) fn has_server(&self) -> bool {
        self.part(SignonPart::Server).next().is_some()
    }

    /// True if the re-release wrote this level.
    fn is_rerelease(&self) -> bool {
        self.part(SignonPart::Rules).any(|entry| !matches!(entry.message, Message::Version(_)))
    }

    fn max_clients(&self) -> u8 {
        let stated = self.part(SignonPart::Server).find_map(|entry| match &entry.message {
            Message::ServerInfo(info) => Some(info.max_clients),
            _ => None,
        });
        stated.unwrap_or_default()
    }

    /// The flags of a player's last `svc_playerinfo` (MVD).
    pub(crate) fn view_flags(&self, slot: u8) -> u16 {
        self.view_flags.get(&slot).copied().unwrap_or_default()
    }

    fn keep(&mut self, key: Key, message: &Message, slot: Option<u8>, at: Milliseconds) {
        self.entries.insert(key, SignonEntry { message: message.clone(), slot, at });
    }

    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    /// Follows a message.
    #[inline]
    pub fn apply(&mut self, d: &Dialect, message: &Message, target: Target, now: Milliseconds) {
        // most messages, and none of them lasts
        if !matches!(message, Message::FastUpdate(_) | Message::NqSound(_) | Message::QwSound(_) | Message::Particle(_) | Message::TempEntity(_)) {
            self.lasting(d, message, target, now);
        }
    }

    fn lasting(&mut self, d: &Dialect, message: &Message, target: Target, now: Milliseconds) {
        if !d.is_multi_view() && target.kind == kind::MULTIPLE {
            // for an empty seat
            return;
        }
        let addressee = match target.kind {
            kind::SINGLE | kind::STATS => Some(target.slot),
            _ => None,
        };
        let playing = self.playing;
        let reveals = matches!(message, Message::QexPing(_) | Message::QexSocial(_) | Message::QexPlayer(_) | Message::QexPrint(_)) && !self.is_rerelease();
        if reveals && !matches!(message, Message::QexPrint(_)) {
            self.keep((SignonPart::Rules, 1, 0, Vec::new()), message, None, now);
        }
        let mut simple = |part: SignonPart, first: u32, second: u32, text: &[u8]| {
            self.keep((part, first, second, text.to_vec()), message, addressee, now);
        };
        let name = |message: &Message| message.name().as_bytes().to_vec();
        match message {
            _ if is_frame(message) => self.playing = true,
            Message::ServerData(_) | Message::ServerInfo(_) => {
                let pending = std::mem::take(&mut self.pending);
                *self = SignonState::default();
                for (at, text) in (0..).zip(&pending) {
                    self.keep((SignonPart::Server, at, 0, Vec::new()), text, None, now);
                }
                self.keep((SignonPart::Server, u32::MAX, 0, Vec::new()), message, None, now);
            }
            Message::Version(_) => simple(SignonPart::Rules, 0, 0, &[]),
            // baselines may need these rules; a message that comes with every frame is the weakest hint
            Message::QexSequence(_) => simple(SignonPart::Rules, 1, 0, &[]),
            Message::QexPrint(_) if !playing && reveals => simple(SignonPart::Rules, 1, 0, &[]),
            Message::QwCdTrack(_) | Message::NqCdTrack(_) => simple(SignonPart::Settings, 0, 0, &[]),
            Message::StuffText(m) => self.stuffed(message, m.text.bytes(), target, now),
            Message::NqPrint(_) | Message::QwPrint(_) if !playing => self.pending.push(message.clone()),
            Message::ServerInfoKey(m) => self.server_info(m.key.bytes(), m.value.bytes(), message, now),
            Message::SoundList(m) if d.lists_have_index() => self.list(SignonPart::Sounds, u32::from(m.first) << 1, message, now),
            Message::ModelList(m) if d.lists_have_index() => self.list(SignonPart::Models, u32::from(m.first) << 1, message, now),
            Message::SoundListShort(m) => self.list(SignonPart::Sounds, u32::from(m.first) << 1 | 1, message, now),
            Message::ModelListShort(m) => self.list(SignonPart::Models, u32::from(m.first) << 1 | 1, message, now),
            Message::SoundList(_) => self.list(SignonPart::Sounds, 0, message, now),
            Message::ModelList(_) => self.list(SignonPart::Models, 0, message, now),
            Message::Precache(m) => simple(SignonPart::Files, u32::from(m.code), 0, &[]),
            Message::CustomEffect(m) if m.kind == crate::message::CustomEffect::DEFINITION => simple(SignonPart::Files, 1 << 16, u32::from(m.defined), &[]),
            Message::Static(_)
            | Message::SpawnStatic2(_)
            | Message::ClassicStatic(_)
            | Message::FitzStatic(_)
            | Message::DpStatic(_)
            | Message::StaticSound(_)
            | Message::FitzStaticSound(_)
            | Message::DpStaticSound(_)
            | Message::SpawnStaticSound2(_) => {
                let at = self.next();
                self.keep((SignonPart::Statics, at, 0, Vec::new()), message, None, now);
            }
            Message::Baseline(m) => simple(SignonPart::Baselines, m.entity.number, 0, &[]),
            // each kind of update has baselines of its own
            Message::SpawnBaseline2(m) => simple(SignonPart::Baselines, m.entity.number, 1, &[]),
            Message::FitzBaseline(m) => simple(SignonPart::Baselines, m.entity.number, 0, &[]),
            Message::DpBaseline(m) => simple(SignonPart::Baselines, m.entity.number, 0, &[]),
            Message::ClassicBaseline(m) => simple(SignonPart::Baselines, m.entity.number(d), if d.is_netquake() { 2 } else { 0 }, &[]),
            Message::UpdateFrags(m) => simple(SignonPart::Players, u32::from(m.slot), 1, &[]),
            Message::UpdatePing(m) => simple(SignonPart::Players, u32::from(m.slot), 2, &[]),
            Message::UpdateLoss(m) => simple(SignonPart::Players, u32::from(m.slot), 3, &[]),
            Message::UpdateEnterTime(m) => simple(SignonPart::Players, u32::from(m.slot), 4, &[]),
            Message::UpdateName(m) => {
                self.overruled(m.slot, &[b"name"]);
                self.keep((SignonPart::Players, u32::from(m.slot), 0, name(message)), message, addressee, now);
            }
            Message::UpdateColors(m) => {
                self.overruled(m.slot, &[b"topcolor", b"bottomcolor"]);
                self.keep((SignonPart::Players, u32::from(m.slot), 5, Vec::new()), message, addressee, now);
            }
            Message::UpdateUserInfo(m) => {
                // it resets single keys and blobs
                self.forget(m.slot, |stated| stated >= 7);
                self.keep((SignonPart::Players, u32::from(m.slot), 6, Vec::new()), message, addressee, now);
            }
            Message::SetInfo(m) => self.user_info(m.slot, m.key.bytes(), m.value.bytes(), message, now),
            Message::SetInfoBlob(m) if m.slot == 0 => simple(SignonPart::Settings, 4, m.offset & 0x7fff_ffff, m.key.bytes()),
            Message::SetInfoBlob(m) => simple(SignonPart::Players, u32::from(m.slot - 1), 8 + (m.offset & 0x7fff_ffff), m.key.bytes()),
            Message::QexPing(m) => simple(SignonPart::Players, u32::from(m.slot), 2, &[]),
            Message::QexSocial(m) => simple(SignonPart::Players, u32::from(m.slot), 8, b"social"),
            Message::QexPlayer(m) => simple(SignonPart::Players, u32::from(m.slot), 8, b"player"),
            Message::LightStyle(m) => simple(SignonPart::Lights, u32::from(m.style), 0, &[]),
            Message::LightStyleColor(m) => simple(SignonPart::Lights, u32::from(m.style) | u32::from(m.style_high) << 8, 0, &[]),
            Message::StatByte(m) => self.stat(0, m.stat, message, target, now),
            Message::StatLong(m) => self.stat(0, m.stat, message, target, now),
            Message::StatFloat(m) => self.stat(0, m.stat, message, target, now),
            Message::StatString(m) => self.stat(1, m.stat, message, target, now),
            Message::ViewPlayer(ViewPlayer { slot, flags, .. }) => {
                self.view_flags.insert(*slot, *flags);
            }
            Message::ShowPic(m) => simple(SignonPart::Lasting, 1, 0, m.slot.bytes()),
            Message::FteShowPic(m) => simple(SignonPart::Lasting, 1, 0, m.slot.bytes()),
            Message::FteMovePic(m) => simple(SignonPart::Lasting, 1, 1, m.slot.bytes()),
            Message::FteUpdatePic(m) => simple(SignonPart::Lasting, 1, 2, m.slot.bytes()),
            Message::HidePic(m) | Message::FteHidePic(m) => {
                (0..3).for_each(|code| drop(self.entries.remove(&(SignonPart::Lasting, 1, code, m.slot.bytes().to_vec()))));
            }
            Message::SetPortalState(m) => {
                simple(SignonPart::Lasting, 2, u32::from(m.portal) | u32::from(m.areas[0]) << 16 | u32::from(m.areas[1]), &[m.mode & !1]);
            }
            Message::SetView(m) => {
                if d.is_netquake() && self.part(SignonPart::View).next().is_none() && viewed_slot(m.entity.number, self.max_clients()).is_some() {
                    self.keep((SignonPart::View, 0, 0, Vec::new()), message, None, now);
                }
                let slot = addressee.map_or(0, |slot| u32::from(slot) + 1);
                self.keep((SignonPart::Lasting, 3, slot, name(message)), message, addressee, now);
            }
            Message::SplitScreenConfig(m) | Message::UpdateSeats(m) if self.restate(&m.players) => {}
            // comes before the stats, because it says whose they are
            Message::SplitScreenConfig(_) | Message::UpdateSeats(_) => self.keep((SignonPart::Settings, 5, 0, Vec::new()), message, None, now),
            Message::SetPause(_)
            | Message::MaxSpeed(_)
            | Message::EntGravity(_)
            | Message::SkyBox(_)
            | Message::SkyBoxSize(_)
            | Message::Fog(_)
            | Message::NehahraFog(_)
            | Message::SetAngleBase(_)
            | Message::QexServerVars(_)
            | Message::QwIntermission(_)
            | Message::NqIntermission(_)
            | Message::Finale(_)
            | Message::CutScene(_) => {
                let slot = addressee.map_or(0, |slot| u32::from(slot) + 1);
                self.keep((SignonPart::Lasting, 3, slot, name(message)), message, addressee, now);
            }
            _ => {}
        }
    }

    /// A list of files. It replaces the list of the same number as far as it reaches; longer ones stay. If lists overlap, the last counts.
    fn list(&mut self, part: SignonPart, number: u32, message: &Message, now: Milliseconds) {
        let names = names_in(message);
        let places = self.lists.entry((part, number)).or_default();
        // each list here has fewer names than the one before
        while let Some((place, _)) = places.pop_if(|(_, old)| *old <= names) {
            self.entries.remove(&(part, place, number, Vec::new()));
        }
        let last = self.entries.range(..=(part, u32::MAX, u32::MAX, Vec::new())).next_back().filter(|(key, _)| key.0 == part);
        let place = last.map_or(0, |(key, _)| key.1) + 1;
        places.push((place, names));
        self.keep((part, place, number, Vec::new()), message, None, now);
    }

    /// Puts the seats into the server data, as engines do. Returns false if they do not fit there.
    fn restate(&mut self, players: &[u8]) -> bool {
        let Some(SignonEntry { message: Message::ServerData(data), .. }) = self.entries.get_mut(&(SignonPart::Server, u32::MAX, 0, Vec::new())) else {
            return false;
        };
        let restated = seats::restated(data, players);
        let can = restated.is_some();
        *data = restated.unwrap_or_else(|| data.clone());
        can
    }

    fn stat(&mut self, form: u32, stat: u8, message: &Message, target: Target, now: Milliseconds) {
        let key = |slot: u32| (SignonPart::Stats, slot, u32::from(stat) << 1 | form, Vec::new());
        match target.kind {
            kind::SINGLE | kind::STATS => self.keep(key(u32::from(target.slot) + 1), message, Some(target.slot), now),
            kind::MULTIPLE => {
                for slot in (0..32u8).filter(|slot| target.players >> slot & 1 != 0) {
                    self.keep(key(u32::from(slot) + 1), message, Some(slot), now);
                }
            }
            _ => self.keep(key(0), message, None, now),
        }
    }

    fn stuffed(&mut self, message: &Message, text: &[u8], target: Target, now: Milliseconds) {
        let word = text.split(|byte| byte.is_ascii_whitespace() || *byte == b';').next().unwrap_or_default();
        if word == b"fullserverinfo" {
            self.keep((SignonPart::Settings, 1, 0, Vec::new()), message, None, now);
            return;
        }
        if self.playing {
            Stuffed::read(text).for_each(|command| self.stuffed_info(&command, now));
        }
        if LASTING_COMMANDS.contains(&word) {
            let slot = if matches!(target.kind, kind::SINGLE | kind::STATS) { Some(target.slot) } else { None };
            self.keep((SignonPart::Lasting, 4, slot.map_or(0, |slot| u32::from(slot) + 1), word.to_vec()), message, slot, now);
        } else if !self.playing && !SIGNON_COMMANDS.contains(&word) && !matches!(target.kind, kind::SINGLE | kind::MULTIPLE) {
            if self.has_server() {
                let at = self.next();
                self.keep((SignonPart::Settings, 2, at, Vec::new()), message, None, now);
            }
            self.pending.push(message.clone());
        }
    }

    /// Follows commands about players and the server during play. Those of the signon keep their order.
    fn stuffed_info(&mut self, command: &Stuffed<'_>, now: Milliseconds) {
        let said = |words: &[&[u8]]| Message::StuffText(StuffText { text: Text([&words.concat()[..], b"\n"].concat()) });
        match command {
            Stuffed::UserInfo { slot, info } => {
                let message = said(&[format!("//fui {slot} ").as_bytes(), &quoted(info)]);
                // it resets everything but counts
                self.forget(*slot, |stated| !matches!(stated, 1 | 2 | 4));
                self.keep((SignonPart::Players, u32::from(*slot), 0, Vec::new()), &message, None, now);
            }
            Stuffed::UserKey { slot, key, value } => {
                let message = said(&[format!("//ui {slot} ").as_bytes(), &quoted(key), b" ", &quoted(value)]);
                self.keep((SignonPart::Players, u32::from(*slot), 7, key.to_vec()), &message, None, now);
            }
            // a signon has it whole
            Stuffed::HeldModels { .. } => {}
            Stuffed::ServerKey { key, value } => self.server_info(key, value, &said(&[b"//svi ", &quoted(key), b" ", &quoted(value)]), now),
            Stuffed::ServerInfo { info } => {
                info_string::pairs(info).for_each(|pair| drop(self.entries.remove(&(SignonPart::Settings, 3, 0, pair.key.to_vec()))));
                self.keep((SignonPart::Settings, 3, 0, Vec::new()), &said(&[b"//fullserverinfo ", &quoted(info)]), None, now);
            }
        }
    }

    /// Removes entries of a player. `resets` gets the second number of an entry's key.
    fn forget(&mut self, slot: u8, resets: impl Fn(u32) -> bool) {
        let slot = u32::from(slot);
        let known = self.entries.range((SignonPart::Players, slot, 0, Vec::new())..(SignonPart::Players, slot + 1, 0, Vec::new()));
        let reset: Vec<Key> = known.map(|(key, _)| key.clone()).filter(|key| resets(key.2)).collect();
        reset.iter().for_each(|key| drop(self.entries.remove(key)));
    }

    /// Removes entries from commands whose keys a message has restated.
    fn overruled(&mut self, slot: u8, keys: &[&[u8]]) {
        keys.iter().for_each(|key| drop(self.entries.remove(&(SignonPart::Players, u32::from(slot), 7, key.to_vec()))));
    }

    /// Changes a key of the server info. Engines write the info whole, so the key goes into it if possible.
    fn server_info(&mut self, key: &[u8], value: &[u8], message: &Message, now: Milliseconds) {
        if let Some(SignonEntry { message: Message::StuffText(full), .. }) = self.entries.get_mut(&(SignonPart::Settings, 1, 0, Vec::new()))
            && let Some(text) = changed_full_info(full.text.bytes(), key, value)
        {
            full.text = Text(text);
            self.entries.remove(&(SignonPart::Settings, 3, 0, key.to_vec()));
            return;
        }
        self.keep((SignonPart::Settings, 3, 0, key.to_vec()), message, None, now);
    }

    fn user_info(&mut self, slot: u8, key: &[u8], value: &[u8], message: &Message, now: Milliseconds) {
        if let Some(SignonEntry { message: Message::UpdateUserInfo(info), .. }) = self.entries.get_mut(&(SignonPart::Players, u32::from(slot), 6, Vec::new()))
            && let Some(text) = info_string::set(info.userinfo.bytes(), key, value)
        {
            info.userinfo = Text(text);
            self.entries.remove(&(SignonPart::Players, u32::from(slot), 7, key.to_vec()));
            return;
        }
        self.keep((SignonPart::Players, u32::from(slot), 7, key.to_vec()), message, None, now);
    }
}

/// The number of names in a list of files.
fn names_in(message: &Message) -> usize {
    match message {
        Message::SoundList(m) | Message::ModelList(m) => m.names.0.len(),
        Message::SoundListShort(m) | Message::ModelListShort(m) => m.names.0.len(),
        _ => 0,
    }
}

/// Quotes a word of a command, unless it contains a quote.
fn quoted(word: &[u8]) -> Vec<u8> {
    let quote: &[u8] = if word.contains(&b'"') { b"" } else { b"\"" };
    [quote, word, quote].concat()
}

/// `fullserverinfo "…"` with one key changed.
fn changed_full_info(text: &[u8], key: &[u8], value: &[u8]) -> Option<Vec<u8>> {
    let from = text.iter().position(|&byte| byte == b'"')? + 1;
    let to = text.iter().rposition(|&byte| byte == b'"').filter(|&to| to >= from)?;
    let info = info_string::set(&text[from..to], key, value)?;
    Some([&text[..from], &info, &text[to..]].concat())
}
