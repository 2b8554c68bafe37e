//! `rewrite`: applies a [`Rewrite`] to every message, text and voice of a recording.

use fragreel_base::wire::Error;
use fragreel_model::replay::info_string;
use fragreel_model::{Edited, Fate, Place, Rewrite, Role};

use crate::container::tool_data;
use crate::message::context::Context;
use crate::message::{self, Message};
use crate::walk::input::Input;

use super::field_visitor::FieldFilter;
use super::message_editor::{MessageEditor, edit_messages};
use super::text_rewriter;

pub(crate) fn rewrite(input: &Input, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    edit_messages(input, &mut TextRewriter { fields: FieldFilter::of(rewrite), rewrite, names: vec![Vec::new(); 256] })
}

struct TextRewriter<'w> {
    rewrite: &'w mut dyn Rewrite,
    fields: FieldFilter,
    /// Players' names by slot, as the recording has them.
    names: Vec<Vec<u8>>,
}

impl MessageEditor for TextRewriter<'_> {
    fn message(&mut self, place: Place, context: &Context, message: &mut Message) -> Result<Fate, Error> {
        if let Message::UpdateUserInfo(info) = message {
            self.names[usize::from(info.slot)] = info_string::get(&info.info.0, b"name").unwrap_or_default().to_vec();
        }
        let shape = match message {
            Message::User(user) => context.user_message(user.id),
            _ => None,
        };
        let kind = match shape {
            Some(shape) => fragreel_model::game_text(&shape.name),
            None => message::name(message.id()).to_owned(),
        };
        if self.rewrite.message(place, &kind) == Fate::Drop {
            return Ok(Fate::Drop);
        }
        if matches!(message, Message::VoiceData(_)) {
            return Ok(self.rewrite.voice(place));
        }
        self.fields.message(self.rewrite, place, context, message)?;
        let (rewrite, names) = (&mut *self.rewrite, &self.names);
        let mut hook = |role: Role, text: &mut Vec<u8>| rewrite.text(place, role, text);
        match (message, shape) {
            // of a fixed size there is no text
            (Message::User(user), Some(shape)) if shape.size.is_some() => {
                fragreel_model::replay::personal::in_place(&mut user.data, &mut hook);
                Ok(Fate::Keep)
            }
            (Message::User(user), Some(shape)) => {
                let known = |text: &[u8]| !text.is_empty() && names.iter().any(|name| name == text);
                let sender = |slot: u8| names[usize::from(slot)].clone();
                Ok(text_rewriter::user(&shape.name, &mut user.data, &known, &sender, &mut hook))
            }
            (message, _) => text_rewriter::engine(message, &mut hook),
        }
    }

    fn command(&mut self, place: Place, command: &mut Vec<u8>) -> Fate {
        text_rewriter::typed(command, &mut |role, text| self.rewrite.text(place, role, text))
    }

    /// Such data may hold names, chat, addresses and identifiers. It stays only if all of these stay.
    fn drops_tool_data(&mut self, place: Place, data: &[u8]) -> bool {
        let (rewrite, names) = (&mut *self.rewrite, &self.names);
        let mut changes = |role: Role, text: &[u8]| {
            let mut shown = text.to_vec();
            rewrite.text(place, role, &mut shown) == Fate::Drop || shown != text
        };
        [Role::Address, Role::Identifier, Role::Chat].into_iter().any(|role| changes(role, data))
            || names.iter().filter(|name| !name.is_empty()).any(|name| changes(Role::Name, name))
    }

    fn field(&mut self, place: Place, role: Role, field: &mut [u8]) {
        text_rewriter::behind_nul(field, role, &mut |role, text| self.rewrite.text(place, role, text));
    }

    fn raw(&mut self, place: Place, bytes: &mut [u8]) {
        let mut blanked = bytes.to_vec();
        if tool_data::blank(&mut blanked) && self.drops_tool_data(place, bytes) {
            bytes.copy_from_slice(&blanked);
        }
        fragreel_model::replay::undecoded::in_place(bytes, &mut |role, text| self.rewrite.text(place, role, text));
    }
}
