//! Walks a recording from block to block and from message to message, with its state, for whoever asks.

use model::{Damage, DamageKind};

use crate::container::{End, Window, dm2, mvd2};
use crate::identify::{Framing, Identified};
use crate::message::{Body, Context, Message, MvdBody, MvdMessage, MvdReader, Reader};
use crate::state::{Detail, Effect, State};

/// Where a message stands.
#[derive(Debug, Clone, Copy)]
pub struct At {
    /// Number of the block or record, from 0.
    pub block: u32,
    /// Offset in the file of the message's first byte (of the parcel's, inside an MVD2's parcel).
    pub offset: u64,
}

/// Whoever looks on. Every method may be left out.
pub trait Visitor {
    /// A block begins.
    fn block(&mut self, _block: u32, _window: Window<'_>) {}
    /// A message was read and taken in. `bytes`: as it stands in the file.
    fn message(&mut self, _at: At, _message: &mut Message, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// A message of an MVD2 was read and taken in. The messages of a parcel follow through [`parcel`](Visitor::parcel).
    fn mvd_message(&mut self, _at: At, _message: &mut MvdMessage, _bytes: &[u8], _effect: Effect, _state: &State) {}
    /// A message from an MVD2's parcel.
    fn parcel(&mut self, _at: At, _parcel: &crate::message::Parcel, _message: &mut Message, _bytes: &[u8], _state: &State) {}
    /// A block was read to its end, or to where `rest` starts, which could not be read.
    fn block_end(&mut self, _block: u32, _window: Window<'_>, _rest: &[u8]) {}
    /// Something is broken.
    fn damage(&mut self, _damage: Damage) {}
    /// Whether enough was seen.
    fn done(&self) -> bool {
        false
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Copy)]
pub struct Walked {
    /// How the file ends; [`End::File`] too when the visitor had enough.
    pub end: End,
    /// Blocks seen.
    pub blocks: u32,
    /// Whether the visitor stopped it.
    pub stopped: bool,
}

/// How to walk.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// Pass over player states and entities.
    pub skim: bool,
    /// How much state to keep.
    pub detail: Detail,
    /// Put the last frame in a missing frame's place, as Q2PRO does.
    pub lenient: bool,
    /// Take the parcels of an MVD2 apart.
    pub parcels: bool,
    /// Longest block.
    pub longest: usize,
}

/// Walks the whole file.
pub fn walk(bytes: &[u8], found: &Identified, manner: Manner, visitor: &mut impl Visitor) -> (Walked, State) {
    let mut state = State::new(found.dialect, manner.detail, manner.lenient);
    let walked = match found.framing {
        Framing::Dm2 => blocks(bytes, found, manner, visitor, &mut state),
        Framing::Mvd2 => records(bytes, found, manner, visitor, &mut state),
    };
    if !walked.stopped {
        report_end(bytes, walked.end, found.framing, !state.dialect.ends_with_mark(), visitor);
    }
    (walked, state)
}

fn blocks(bytes: &[u8], found: &Identified, manner: Manner, visitor: &mut impl Visitor, state: &mut State) -> Walked {
    let mut reader = Reader::new(found.dialect).skimming(manner.skim);
    let mut blocks = dm2::Blocks::recovering(bytes, found.dialect.numbering);
    let mut number = 0;
    while let Some(window) = blocks.next() {
        if let Some((from, to)) = blocks.gap() {
            let error = wire::Error::malformed("a block's length reaches far beyond the end of the file").inside("block", Some(number)).at_offset(from);
            visitor.damage(Damage::of(&error, DamageKind::Framing).skipping(from, to));
        }
        if too_long(window, number, manner.longest, visitor) {
            number += 1;
            continue;
        }
        visitor.block(number, window);
        let read = reader.block(window.data, |message, range, _| {
            let at = At { block: number, offset: window.data_offset + range.start as u64 };
            take_in(at, message, &window.data[range], state, visitor);
            !visitor.done()
        });
        let rest = match &read {
            Err(failure) => {
                let error = failure.error.clone().inside("block", Some(number)).in_message_at(window.data_offset);
                let from = window.data_offset + failure.at as u64;
                visitor.damage(Damage::of(&error, DamageKind::Message).skipping(from, window.data_offset + window.data.len() as u64));
                &window.data[failure.at..]
            }
            Ok(()) => &[],
        };
        if visitor.done() {
            return Walked { end: End::File, blocks: number + 1, stopped: true };
        }
        visitor.block_end(number, window, rest);
        number += 1;
    }
    Walked { end: blocks.end(), blocks: number, stopped: false }
}

/// A message, and the messages inside it.
#[inline]
fn take_in(at: At, message: &mut Message, bytes: &[u8], state: &mut State, visitor: &mut impl Visitor) {
    let effect = state.apply(message);
    visitor.message(at, message, bytes, effect, state);
    if let Effect::MissingBase(base) = effect {
        visitor.damage(missing(at, base));
    }
    if let Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) = &mut message.body {
        if let Some(failure) = &packed.failure {
            let error = wire::Error::malformed(failure.clone()).inside("block", Some(at.block)).at_offset(at.offset);
            visitor.damage(Damage::of(&error, DamageKind::Message));
        }
        if let crate::message::Contents::Messages(messages) = &mut packed.contents {
            for inner in messages {
                take_in(at, inner, &[], state, visitor);
            }
        }
    }
}

#[cold]
fn missing(at: At, base: i32) -> Damage {
    let error = wire::Error::malformed(format!("the frame is told as a difference to frame {base}, which the recording does not have"));
    Damage::of(&error.inside("frame", None).inside("block", Some(at.block)).at_offset(at.offset), DamageKind::MissingBase)
}

fn too_long(window: Window<'_>, number: u32, longest: usize, visitor: &mut impl Visitor) -> bool {
    if window.data.len() <= longest {
        return false;
    }
    let error = wire::Error::limit("the block is longer than the limit for messages").inside("block", Some(number)).at_offset(window.offset);
    visitor.damage(Damage::of(&error, DamageKind::Framing).skipping(window.offset, window.data_offset + window.data.len() as u64));
    visitor.block_end(number, window, window.data);
    true
}

fn records(bytes: &[u8], found: &Identified, manner: Manner, visitor: &mut impl Visitor, state: &mut State) -> Walked {
    let mut reader = MvdReader::new(found.dialect).skimming(manner.skim);
    let mut inner = Reader::new(found.dialect);
    let mut records = mvd2::Records::new(bytes);
    let mut number = 0;
    for window in records.by_ref() {
        visitor.block(number, window);
        let read = reader.record(window.data, |message, range, cx| {
            let at = At { block: number, offset: window.data_offset + range.start as u64 };
            let effect = state.apply_mvd(message);
            visitor.mvd_message(at, message, &window.data[range], effect, state);
            if let MvdBody::Parcel(parcel) = &message.body
                && manner.parcels
            {
                inner.context = Context::new(cx.dialect);
                let read = inner.block(&parcel.data, |message, range, _| {
                    visitor.parcel(at, parcel, message, &parcel.data[range], state);
                    true
                });
                if let Err(failure) = read {
                    let error = failure.error.inside("parcel", None).inside("record", Some(number)).at_offset(at.offset);
                    visitor.damage(Damage::of(&error, DamageKind::Message));
                }
            }
            !visitor.done()
        });
        let rest = match &read {
            Err(failure) => {
                let error = failure.error.clone().inside("record", Some(number)).in_message_at(window.data_offset);
                let from = window.data_offset + failure.at as u64;
                visitor.damage(Damage::of(&error, DamageKind::Message).skipping(from, window.data_offset + window.data.len() as u64));
                &window.data[failure.at..]
            }
            Ok(()) => &[],
        };
        if visitor.done() {
            return Walked { end: End::File, blocks: number + 1, stopped: true };
        }
        visitor.block_end(number, window, rest);
        number += 1;
    }
    Walked { end: records.end(), blocks: number, stopped: false }
}

/// What the file's end says. A missing mark is no damage where engines write none.
fn report_end(bytes: &[u8], end: End, framing: Framing, unmarked: bool, visitor: &mut impl Visitor) {
    let length = bytes.len() as u64;
    let entry = |offset: u64, kind, detail: String| Damage { offset, bit: None, path: String::from("end"), kind, detail, skipped: None };
    match end {
        End::Mark { after, .. } if after < length => {
            visitor.damage(entry(after, DamageKind::TrailingData, format!("{} bytes follow the end mark", length - after)).skipping(after, length));
        }
        End::Mark { .. } => {}
        End::File if unmarked && framing == Framing::Dm2 => {}
        End::File => visitor.damage(entry(length, DamageKind::NoEndMarker, String::from("the recording has no end mark"))),
        End::InLength(at) => visitor.damage(entry(at, DamageKind::Truncated, String::from("the file ends inside a block's length")).skipping(at, length)),
        End::InBlock { at, stated, present } => {
            let detail = format!("the file ends inside a block: {present} of {stated} bytes are there");
            visitor.damage(entry(at, DamageKind::Truncated, detail).skipping(at, length));
        }
    }
}
