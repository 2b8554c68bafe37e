//! Messages: the list of a block, and those that are flat.

use std::sync::LazyLock;

use fragreel_base::match_message;
use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::scope::{Frames, Scope};
use super::value::{bytes, digits, field};
use crate::fields::names::{RESOURCE_FLAGS_OF_TEXT, RESOURCE_KINDS};
use crate::message::munge;
use crate::message::{
    self, Customization, Exec, FIRST_USER_MESSAGE, Hltv, Message, MessageKind, Resource, Restore, SpawnStatic, UpdateUserInfo, VoiceData, VoiceInit, messages,
};
use crate::scalars::form::ValueForm;

/// What the members of a message depend on.
pub(crate) struct MessageContext<'s> {
    /// The tables in force.
    pub scope: &'s Scope,
    /// The frames before.
    pub frames: &'s Frames,
}

/// A message as members of an open object.
pub(super) trait MessageForm {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext<'_>) -> Result<(), F::Error>;
}

impl Message {
    /// Its members as text.
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext<'_>) -> Result<(), F::Error> {
        messages! { match_message { self as Message, method form(f, context) } }
    }
}

impl<T: ValueForm> MessageForm for T {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        self.value_form(f, None)
    }
}

/// Names by number; those of the game DLL share one.
static MESSAGES: LazyLock<Names> = LazyLock::new(|| {
    Names::new((0..=FIRST_USER_MESSAGE).map(|id| match id {
        FIRST_USER_MESSAGE => "user_message",
        id if MessageKind::of(id).is_some() => message::name(id).trim_start_matches("svc_"),
        _ => "",
    }))
});

/// The messages of a block. `scope` is as of the block's start, and stays so.
pub(super) fn list<F: Form>(f: &mut F, messages: &mut Vec<Message>, scope: &Scope, frames: &Frames) -> Result<(), F::Error> {
    let mut scope = scope.clone();
    let count = f.items(messages.len(), |f, at| {
        let id = messages.get(at).map_or(0, Message::id).min(FIRST_USER_MESSAGE);
        f.variant(&MESSAGES, id.into(), |f, id| {
            if F::READING {
                messages.truncate(at);
                messages.push(MessageKind::of(id as u8).map(MessageKind::empty).unwrap_or_default());
            }
            let message = &mut messages[at];
            let name = MESSAGES.get(id).unwrap_or_default();
            message.form(f, &MessageContext { scope: &scope, frames }).map_err(|error| error.inside(name, None))?;
            match scope.observe(message) {
                Ok(()) => Ok(()),
                Err(rule) => f.insist(false, rule),
            }
        })
    })?;
    messages.truncate(count);
    Ok(())
}

impl MessageForm for UpdateUserInfo {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "slot", &mut self.slot)?;
            field(f, "user_id", &mut self.user_id)?;
            field(f, "info", &mut self.info)?;
            if context.scope.context.rules.key_hash { digits(f, "key_hash", self.key_hash.get_or_insert_default()) } else { Ok(()) }
        })
    }
}

impl MessageForm for Restore {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "save", &mut self.save)?;
            f.list("maps", &mut self.maps, |f, map| map.value_form(f, None))?;
            f.expect(self.maps.len() <= usize::from(u8::MAX), "a saved game names at most 255 maps")
        })
    }
}

impl MessageForm for SpawnStatic {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            self.fixed.members(f, None)?;
            // a schema knows no value
            let drawn = f.key("render", self.render.is_some())?;
            if drawn {
                self.render.get_or_insert_default().value_form(f, None).map_err(|error| error.inside("render", None))?;
            } else {
                self.render = None;
            }
            f.insist(drawn == (self.fixed.render_mode != 0), "what is drawn plainly, by render mode 0, says no more of it, and all else does")
        })
    }
}

impl MessageForm for VoiceData {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "slot", &mut self.slot)?;
            bytes(f, "data", &mut self.data)?;
            f.expect(self.data.len() <= usize::from(u16::MAX), "there is too much voice")
        })
    }
}

impl MessageForm for VoiceInit {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "codec", &mut self.codec)?;
            if context.scope.context.rules.voice_quality { field(f, "quality", self.quality.get_or_insert_default()) } else { Ok(()) }
        })
    }
}

impl MessageForm for Hltv {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "mode", &mut self.mode)?;
            f.insist(self.mode <= 2, "HLTV has modes 0 to 2")?;
            if f.key("status", self.mode == 1)? {
                f.insist(self.mode == 1, "only mode 1 has a status")?;
                self.status.value_form(f, None).map_err(|error| error.inside("status", None))?;
            } else {
                f.insist(self.mode != 1, "mode 1 has a status")?;
            }
            f.hex_unless_empty("data", &mut self.data)?;
            f.insist(self.data.len() == if self.mode == 2 { Hltv::ADDRESS } else { 0 }, "mode 2 has eight bytes of data, and the others have none")
        })
    }
}

impl MessageForm for Exec {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "kind", &mut self.kind)?;
            let class = f.key("class", self.class.is_some())?;
            if class {
                self.class.get_or_insert_default().value_form(f, None)?;
            } else {
                self.class = None;
            }
            f.insist(class == (self.kind == 1), "only kind 1 has a class, and must have one")
        })
    }
}

fn kind<F: Form>(f: &mut F, kind: u8, bits: u32) -> Result<u8, F::Error> {
    f.require("kind")?;
    f.word(kind.into(), (1 << bits) - 1, &*RESOURCE_KINDS).map(|kind| kind as u8).map_err(|error| error.inside("kind", None))
}

/// Flags and the hash that one of them announces.
fn flags<F: Form>(f: &mut F, flags: &mut u8, md5: &mut Option<[u8; 16]>, bits: u32) -> Result<(), F::Error> {
    let mut others = *flags & !Resource::CUSTOM;
    if f.key("flags", others != 0)? {
        others = f.flags(others.into(), u8::MAX.into(), RESOURCE_FLAGS_OF_TEXT).map_err(|error| error.inside("flags", None))? as u8;
    } else {
        others = 0;
    }
    f.insist(u32::from(others) >> bits == 0 && others & Resource::CUSTOM == 0, "flags are too great, or say 4, which the hash says")?;
    if f.key("md5", md5.is_some())? {
        let mut hash = md5.unwrap_or_default().to_vec();
        f.hex(&mut hash).map_err(|error| error.inside("md5", None))?;
        f.insist(hash.len() == 16, "a hash has 16 bytes")?;
        *md5 = Some(hash.try_into().unwrap_or_default());
    } else {
        *md5 = None;
    }
    *flags = others | if md5.is_some() { Resource::CUSTOM } else { 0 };
    Ok(())
}

impl MessageForm for Customization {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "slot", &mut self.slot)?;
            self.kind = kind(f, self.kind, 8)?;
            field(f, "name", &mut self.name)?;
            field(f, "index", &mut self.index)?;
            field(f, "size", &mut self.size)?;
            flags(f, &mut self.flags, &mut self.md5, 8)
        })
    }
}

impl Resource {
    pub(super) fn members<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        self.kind = kind(f, self.kind, 4)?;
        field(f, "name", &mut self.name)?;
        self.index = super::value::number(f, "index", self.index.into(), 12)? as u16;
        self.size = super::value::number(f, "size", self.size, 24)?;
        flags(f, &mut self.flags, &mut self.md5, 3)?;
        if f.key("reserved", self.reserved.is_some())? {
            let mut data = self.reserved.unwrap_or_default().to_vec();
            f.hex(&mut data).map_err(|error| error.inside("reserved", None))?;
            f.insist(data.len() == 32, "32 bytes are reserved")?;
            self.reserved = Some(data.try_into().unwrap_or_default());
        } else {
            self.reserved = None;
        }
        Ok(())
    }
}

/// A checksum of a map, which a player's slot hides.
pub(super) fn checksum<F: Form>(f: &mut F, munged: u32, player: u8) -> Result<u32, F::Error> {
    let mut plain = munge::unmunge(munged, player);
    field(f, "map_crc", &mut plain)?;
    Ok(plain)
}
