//! Rewrites recordings message by message (`docs/formats/quake1.md`, "Editing").

use fragreel_base::wire::Error;
use fragreel_model::{Action, Edited, Fate, Place, Rewrite};

use crate::container::{Container, Target};
use crate::dialect::Dialect;
use crate::message::hidden::HiddenBlocks;
use crate::message::{Message, Nop};
use crate::walk::input::Input;

use crate::edit::statistics::Statistics;
use crate::edit::text_rewriter::TextRewriter;
use crate::encode::block_writer::BlockWriter;
use crate::walk::decoded_blocks::{DecodedBlock, DecodedBlocks, NextDecoded};

/// Changes the parts of a recording.
trait Change {
    /// A message.
    fn message(&mut self, place: Place, message: &mut Message) -> Fate;
    /// Rewrites the fields of a message that stays.
    fn fields(&mut self, _place: Place, _target: Target, _d: &Dialect, _message: &mut Message) {}
    /// Rewrites hidden messages.
    fn hidden(&mut self, _place: Place, _blocks: &mut HiddenBlocks) -> Fate {
        Fate::Keep
    }
    /// Undecoded bytes.
    fn rest(&mut self, _place: Place, _bytes: &mut Vec<u8>) {}
}

impl Change for &mut dyn FnMut(Place, &mut Message) -> Fate {
    fn message(&mut self, place: Place, message: &mut Message) -> Fate {
        self(place, message)
    }
}

impl Change for TextRewriter<'_> {
    fn message(&mut self, place: Place, message: &mut Message) -> Fate {
        TextRewriter::message(self, place, message)
    }
    fn fields(&mut self, place: Place, target: Target, d: &Dialect, message: &mut Message) {
        TextRewriter::fields(self, place, target, d, message);
    }
    fn hidden(&mut self, place: Place, blocks: &mut HiddenBlocks) -> Fate {
        TextRewriter::hidden(self, place, blocks)
    }
    fn rest(&mut self, place: Place, bytes: &mut Vec<u8>) {
        TextRewriter::rest(self, place, bytes);
    }
}

/// The recording with each message as `f` leaves it; messages that it drops are left out. See `Recording::map_messages`.
pub(crate) fn map_messages(input: &Input<'_>, mut f: &mut dyn FnMut(Place, &mut Message) -> Fate) -> Edited {
    map_units(input, &mut f)
}

/// The recording as `rewrite` changes it.
pub(super) fn rewrite(input: &Input<'_>, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
    let mut rewriter = TextRewriter::new(rewrite, Statistics::of(input));
    let edited = map_units(input, &mut rewriter);
    if let Some(error) = rewriter.unfit {
        return Err(error);
    }
    match rewriter.too_long {
        Some((length, most)) => Err(Error::misuse(format!("a text of {length} bytes is longer than the {most} that engines accept: use a shorter one"))),
        None => Ok(edited),
    }
}

fn map_units(input: &Input<'_>, change: &mut dyn Change) -> Edited {
    let mut out = BlockWriter::new(input.container, input.header());
    let mut reading = DecodedBlocks::new(input);
    let (mut changed, mut dropped) = (0u64, 0u64);
    while let Some(next) = reading.next(|_, _, _| {}) {
        let mut unit = match next {
            NextDecoded::Block(unit) => unit,
            NextDecoded::Broken(_, (from, to)) => {
                let mut bytes = input.bytes[from as usize..to as usize].to_vec();
                change.rest(Place { message: 0, time: reading.clock().demo }, &mut bytes);
                out.bytes.extend(bytes);
                continue;
            }
        };
        let place = Place { message: unit.block.number, time: reading.clock().demo };
        let before = (changed, dropped);
        let mut kept = Vec::with_capacity(unit.messages.len());
        let target = unit.target.unwrap_or_default();
        // the dialect after a message of this block that changes it
        let mut dialect_after = unit.messages.iter().any(Message::changes_dialect).then(|| out.dialect.clone());
        for message in &unit.messages {
            let mut new = message.clone();
            let chooses = matches!(message, Message::ChooseSeat(_));
            if change.message(place, &mut new) == Fate::Drop && !message.changes_dialect() && !chooses {
                dropped += 1;
                // its seat selection would apply to the next message
                dropped += u64::from(kept.pop_if(|before| matches!(before, Message::ChooseSeat(_))).is_some());
                continue;
            }
            change.fields(place, target, dialect_after.as_ref().unwrap_or(reading.dialect()), &mut new);
            if let Some(dialect_after) = dialect_after.as_mut().filter(|_| message.changes_dialect()) {
                message.apply_to_dialect(dialect_after);
            }
            changed += u64::from(new != *message);
            kept.push(new);
        }
        if let Some(hidden) = &mut unit.hidden {
            let old = hidden.clone();
            if change.hidden(place, hidden) == Fate::Drop {
                *hidden = HiddenBlocks::default();
                dropped += 1;
            } else {
                changed += u64::from(*hidden != old);
            }
        }
        if !unit.tail.is_empty() {
            let mut tail = unit.tail.to_vec();
            change.rest(place, &mut tail);
            changed += u64::from(*tail != *unit.tail);
            unit.tail = tail.into();
        }
        if (changed, dropped) == before {
            out.copy_block(input.bytes.into(), &unit);
            continue;
        }
        write(&mut out, &mut unit, kept);
    }
    let mut edited = Edited { extension: input.container.extension().to_owned(), bytes: out.bytes, ..Edited::default() };
    if changed > 0 {
        edited.actions.push(Action::MessagesChanged { messages: changed });
    }
    if dropped > 0 {
        edited.actions.push(Action::MessagesDropped { messages: dropped });
    }
    edited
}
/// Writes a block with other messages. Drops an empty one if its time and addressee do not matter.
fn write(out: &mut BlockWriter, unit: &mut DecodedBlock<'_>, messages: Vec<Message>) {
    unit.messages = messages;
    let empty = unit.messages.is_empty() && unit.hidden.is_none() && unit.tail.is_empty();
    match out.container {
        Container::NetQuake if empty => return,
        Container::MultiView if empty => unit.messages.push(Message::Nop(Nop {})),
        _ => {}
    }
    out.encode_block(unit);
}
