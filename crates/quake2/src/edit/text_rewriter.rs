//! Passes every message and text of a recording to a [`Rewrite`].

use fragreel_base::wire::{Error, WriteBytes};
use fragreel_model::replay::{info_string, personal};
use fragreel_model::{Action, Edited, Fate, Place, Rewrite, Role};

use super::downloads::Downloads;
use super::fields::{Fields, fits, mvd_fits};
use super::part_writer::{Hook, Location};
use crate::chars;
use crate::dialect::Dialect;
use crate::encode::strings::room;
use crate::message::{Body, ConfigString, Contents, Context, Message, MessageKind, MvdBody, MvdMessage, Packed, Parcel, Reader, Text};
use crate::state::State;
use crate::walk::Input;
use crate::walk::roster::player_name;

/// Keys of user information that say who the player is.
const PLAYER: personal::OwnKeys<'_> = &[(b"name", Role::Name), (b"skin", Role::Look)];
/// The maximum size of a parcel in bytes.
const LONGEST_PARCEL: usize = 2047;

/// Passes messages and texts to a [`Rewrite`].
pub(crate) struct TextRewriter<'r> {
    pub(super) input: &'r Input<'r>,
    pub(super) rewrite: &'r mut dyn Rewrite,
    fields: Fields,
    failure: Option<Error>,
    pub(super) downloads: Downloads<'r>,
    /// What was dropped, and why.
    pub(super) left_out: Vec<Action>,
    /// Whether anything is broken.
    pub(super) damaged: bool,
}

impl<'r> TextRewriter<'r> {
    pub(super) fn of(input: &'r Input<'r>, rewrite: &'r mut dyn Rewrite) -> Self {
        TextRewriter { input, fields: Fields::of(rewrite), rewrite, failure: None, downloads: Downloads::of(input), left_out: Vec::new(), damaged: false }
    }

    /// Adds the actions of the rewriter. Fails if a changed value did not fit.
    pub(super) fn finish(mut self, mut edited: Edited) -> Result<Edited, Error> {
        edited.actions.extend(std::mem::take(&mut self.left_out));
        if self.damaged {
            self.sweep(&mut edited);
        }
        self.failure.map_or(Ok(edited), Err)
    }

    fn rewrite_text(&mut self, place: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        let before = text.clone();
        let fate = self.rewrite.text(place, role, text);
        if *text != before {
            // A string ends at its first NUL.
            text.retain(|&byte| byte != 0);
        }
        fate
    }

    /// Passes a text on. A dropped text is cleared.
    fn rewrite_or_clear(&mut self, place: Place, role: Role, text: &mut Vec<u8>) {
        if self.rewrite_text(place, role, text) == Fate::Drop {
            text.clear();
        }
    }

    /// Passes a text on, after the parts of it that have their own role: values of an info string (`\ip\10.0.0.1`), the word after a personal
    /// key in a command (`setinfo password x`), and addresses.
    fn rewrite_with_parts(&mut self, place: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        let rewrite = &mut *self.rewrite;
        let mut hook = |role, value: &mut Vec<u8>| rewrite.text(place, role, value);
        if role == Role::Command {
            personal::rewrite_commands(text, PLAYER, &mut hook);
        } else if let Some(range) = info_string::inside(text) {
            let mut info = text[range.clone()].to_vec();
            if info_string::rewrite(&mut info, PLAYER, &mut hook) {
                text.splice(range, info);
            }
        }
        for found in personal::find(text).into_iter().rev() {
            let mut piece = text[found.range.clone()].to_vec();
            match rewrite.text(place, found.role, &mut piece) {
                Fate::Drop => drop(text.splice(found.range, info_string::BLANK.iter().copied())),
                Fate::Keep if piece != text[found.range.clone()] => drop(text.splice(found.range, piece)),
                Fate::Keep => {}
            }
        }
        self.rewrite_text(place, role, text)
    }

    /// Searches a text that is not about people, but may contain personal data.
    fn in_place(&mut self, place: Place, text: &mut [u8]) {
        personal::in_place(text, &mut |role, text| self.rewrite.text(place, role, text));
    }

    fn rewrite_configstring(&mut self, place: Place, dialect: &Dialect, state: &State, string: &mut ConfigString) {
        let before = string.text.0.len();
        if before == 0 {
            return;
        }
        self.rewrite_string(place, dialect, state, string);
        let (length, room) = (string.text.0.len(), room(dialect, string.index));
        if length > before && length > room {
            let index = string.index;
            self.failure.get_or_insert(Error::misuse(format!(
                "configstring {index} would have {length} bytes, and engines have room for {room}: make the text shorter"
            )));
        }
    }

    fn rewrite_string(&mut self, place: Place, dialect: &Dialect, state: &State, string: &mut ConfigString) {
        let strings = dialect.strings;
        let text = &mut string.text.0;
        if (strings.playerskins..strings.general).contains(&string.index) {
            let name = player_name(text).len();
            let mut rest = text.split_off(name);
            self.rewrite_or_clear(place, Role::Name, text);
            // a backslash, then the model and the skin
            let look = rest.iter().position(|&byte| byte != b'\\').unwrap_or(rest.len());
            let mut look = rest.split_off(look);
            if !look.contains(&b'\\') {
                self.rewrite_or_clear(place, Role::Look, &mut look);
            }
            rest.append(&mut look);
            self.rewrite_with_parts(place, Role::String, &mut rest);
            text.extend_from_slice(&rest);
            return;
        }
        let slot = string.index.wrapping_sub(strings.general);
        let is_name = string.index >= strings.general && slot < strings.general - strings.playerskins && {
            let name = player_name(state.strings.get(strings.playerskins + slot));
            !name.is_empty() && chars::plain(name) == chars::plain(text)
        };
        if is_name {
            self.rewrite_or_clear(place, Role::Name, text);
        } else if self.rewrite_with_parts(place, Role::String, text) == Fate::Drop {
            text.clear();
        }
    }

    fn rewrite_command(&mut self, place: Place, text: &mut Text) -> Fate {
        const PRECACHE: &[u8] = b"precache";
        let mut out = Vec::new();
        for line in text.0.split_inclusive(|&byte| byte == b'\n') {
            let (body, end) = line.strip_suffix(b"\n").map_or((line, &b""[..]), |body| (body, &b"\n"[..]));
            let mut body = body.to_vec();
            // `precache` must stay. Its arguments may be dropped.
            let keeps = body.is_empty() || body.starts_with(PRECACHE);
            if body.len() > PRECACHE.len() && keeps {
                let mut given = body.split_off(PRECACHE.len());
                if self.rewrite_with_parts(place, Role::Command, &mut given) == Fate::Keep {
                    body.append(&mut given);
                }
            }
            if keeps || self.rewrite_with_parts(place, Role::Command, &mut body) == Fate::Keep {
                out.extend_from_slice(&body);
                out.extend_from_slice(end);
            }
        }
        let dropped = out.is_empty() && !text.0.is_empty();
        text.0 = out;
        if dropped { Fate::Drop } else { Fate::Keep }
    }

    fn rewrite_body(&mut self, place: Place, body: &mut Body, state: &State) -> Fate {
        let dialect = state.dialect;
        let line = |level: u8| if level == CHAT { Role::Chat } else { Role::Print };
        match body {
            Body::Print(print) => self.rewrite_text(place, line(print.level), &mut print.text.0),
            Body::CenterPrint(text) => self.rewrite_text(place, Role::Print, &mut text.0),
            Body::Layout(text) | Body::Achievement(text) => self.rewrite_with_parts(place, Role::String, &mut text.0),
            Body::StuffText(text) => self.rewrite_command(place, text),
            Body::ConfigString(string) => {
                self.rewrite_configstring(place, &dialect, state, string);
                Fate::Keep
            }
            Body::ServerData(data) => {
                self.in_place(place, &mut data.gamedir.0);
                if self.rewrite_with_parts(place, Role::String, &mut data.levelname.0) == Fate::Drop {
                    data.levelname.0.clear();
                }
                Fate::Keep
            }
            Body::GameState(crate::message::GameState { strings, .. }) | Body::ConfigStringStream(strings) | Body::LevelRestart(strings) => {
                strings.0.iter_mut().for_each(|string| self.rewrite_configstring(place, &dialect, state, string));
                Fate::Keep
            }
            Body::ConfigBlast(packed) => {
                if let Contents::Strings(strings) = &mut packed.contents {
                    strings.iter_mut().for_each(|string| self.rewrite_configstring(place, &dialect, state, string));
                }
                Fate::Keep
            }
            Body::LocPrint(print) => {
                let role = line(print.flags & 7);
                let fate = self.rewrite_text(place, role, &mut print.base.0);
                print.args.iter_mut().for_each(|arg| self.rewrite_or_clear(place, role, &mut arg.0));
                fate
            }
            Body::BotChat(chat) => {
                self.rewrite_or_clear(place, Role::Name, &mut chat.name.0);
                self.rewrite_text(place, Role::Chat, &mut chat.text.0)
            }
            _ => Fate::Keep,
        }
    }

    /// Fails later unless the changed message decodes to itself.
    fn check(&mut self, changed: Result<bool, Error>, dialect: &Dialect, fits: impl FnOnce(&Dialect) -> Result<(), Error>) {
        let result = match changed {
            Ok(false) => Ok(()),
            Ok(true) if dialect.floats => Err(Error::unsupported("fields of the 2022 rerelease cannot be changed: how they are sent depends on others")),
            Ok(true) => fits(dialect),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    /// Passes a message and its contents on.
    fn rewrite_message(&mut self, at: Location, message: &mut Message, state: &State) -> Fate {
        let (op, place) = (message.body.kind(), at.place);
        let left = match &mut message.body {
            Body::ConfigBlast(packed) | Body::BaselineBlast(packed) | Body::ZPacket(packed) => self.rewrite_compressed(at, op, packed),
            Body::Download(download) | Body::ZDownload(download) => self.rewrite_download(at, op, download, &state.dialect),
            _ => Fate::Keep,
        };
        let asked = self.rewrite.message(place, &format!("svc_{}", op.name()));
        if left == Fate::Drop {
            return left;
        }
        if asked == Fate::Drop && !is_needed(op) {
            return Fate::Drop;
        }
        let fate = self.rewrite_body(place, &mut message.body, state);
        let fields = self.fields;
        let changed = fields.body(self.rewrite, place, message.unicast, &mut message.body, &state.dialect);
        self.check(changed, &state.dialect, |dialect| fits(message, dialect));
        if is_needed(op) { Fate::Keep } else { fate }
    }

    /// Passes the messages of a parcel on. What no longer fits goes to `more` as further parcels.
    fn rewrite_parcel(&mut self, at: Location, parcel: &mut Parcel, state: &State, more: &mut Vec<MvdMessage>) -> Fate {
        let mut pieces: Vec<Vec<u8>> = vec![Vec::new()];
        let mut end = 0;
        let mut messages = Vec::new();
        let read = Reader::new(state.dialect).block(&parcel.data, |message, range, _| {
            messages.push(message.clone());
            end = range.end;
            true
        });
        let mut cx = Context::new(state.dialect);
        for mut message in messages {
            if self.rewrite_message(at, &mut message, state) == Fate::Drop {
                continue;
            }
            let mut w = WriteBytes::default();
            let Ok(()) = message.write(&mut w, &mut cx);
            append_piece(&mut pieces, w.written());
        }
        if read.is_err() {
            let mut rest = parcel.data[end..].to_vec();
            self.rewrite_undecoded(at, &mut rest, &state.dialect);
            append_piece(&mut pieces, &rest);
        }
        if pieces.iter().any(|piece| piece.len() > LONGEST_PARCEL) {
            self.failure.get_or_insert(Error::misuse(format!("a text grew so long that its message exceeds the {LONGEST_PARCEL} bytes that an MVD2 allows")));
            return Fate::Keep;
        }
        let mut pieces = pieces.into_iter();
        let was_empty = parcel.data.is_empty();
        parcel.data = pieces.next().unwrap_or_default();
        more.extend(pieces.map(|data| MvdMessage { extra: 0, body: MvdBody::Parcel(Parcel { data, ..parcel.clone() }) }));
        if parcel.data.is_empty() && !was_empty { Fate::Drop } else { Fate::Keep }
    }
}

fn append_piece(pieces: &mut Vec<Vec<u8>>, bytes: &[u8]) {
    match pieces.last_mut() {
        Some(last) if last.is_empty() || last.len() + bytes.len() <= LONGEST_PARCEL => last.extend_from_slice(bytes),
        _ => pieces.push(bytes.to_vec()),
    }
}

/// The print level of chat.
const CHAT: u8 = 3;

/// Whether the game needs the message.
pub(crate) fn is_needed(op: MessageKind) -> bool {
    matches!(
        op,
        MessageKind::ServerData
            | MessageKind::ConfigString
            | MessageKind::SpawnBaseline
            | MessageKind::Frame
            | MessageKind::PlayerInfo
            | MessageKind::PacketEntities
            | MessageKind::Setting
            | MessageKind::GameState
            | MessageKind::ConfigStringStream
            | MessageKind::BaselineStream
            | MessageKind::ConfigBlast
            | MessageKind::BaselineBlast
            | MessageKind::LevelRestart
    )
}

impl Hook for TextRewriter<'_> {
    fn message(&mut self, at: Location, message: &mut Message, state: &State) -> Fate {
        self.rewrite_message(at, message, state)
    }

    fn leftover(&mut self, at: Location, bytes: &mut Vec<u8>, dialect: &Dialect) {
        self.rewrite_undecoded(at, bytes, dialect);
    }

    fn damaged(&mut self) {
        self.damaged = true;
    }

    fn behind_packet(&mut self, at: Location, packed: &mut Packed) {
        self.rewrite_compressed(at, MessageKind::ZPacket, packed);
    }

    fn mvd_message(&mut self, at: Location, message: &mut MvdMessage, state: &State, more: &mut Vec<MvdMessage>) -> Fate {
        let place = at.place;
        let needed = matches!(message.body, MvdBody::ServerData(_) | MvdBody::Frame(_) | MvdBody::ConfigString(_));
        let asked = self.rewrite.message(place, &format!("mvd_{}", message.body.name()));
        if asked == Fate::Drop && !needed {
            return Fate::Drop;
        }
        let dialect = state.dialect;
        let fields = self.fields;
        let changed = fields.mvd_body(self.rewrite, place, &mut message.body, &dialect);
        self.check(changed, &dialect, |dialect| mvd_fits(message, dialect));
        match &mut message.body {
            MvdBody::ServerData(data) => {
                self.in_place(place, &mut data.gamedir.0);
                data.strings.0.iter_mut().for_each(|string| self.rewrite_configstring(place, &dialect, state, string));
            }
            MvdBody::ConfigString(string) => self.rewrite_configstring(place, &dialect, state, string),
            MvdBody::Parcel(parcel) => return self.rewrite_parcel(at, parcel, state, more),
            MvdBody::Print(print) => return self.rewrite_text(place, if print.level == CHAT { Role::Chat } else { Role::Print }, &mut print.text.0),
            MvdBody::StuffText(text) => return self.rewrite_command(place, text),
            _ => {}
        }
        Fate::Keep
    }
}
