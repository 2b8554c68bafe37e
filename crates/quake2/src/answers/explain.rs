//! `explain`: decodes blocks field by field.

use std::ops::ControlFlow;

use fragreel_base::wire::{ReadBytes, Trace, Wire, sign_extend};
use fragreel_model::{Explained, Part, Selection};

use crate::container::Window;
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::fields::flagged_value;
use crate::message::{Body, Context, MvdBody, MvdMessage, head};
use crate::state::Detail;
use crate::walk::{Input, Visitor, WalkOptions};

pub(crate) fn explain(input: &Input<'_>, selection: Selection, sink: &mut dyn FnMut(Explained) -> ControlFlow<()>) {
    let options = WalkOptions { detail: Detail::Strings, parcels: false, longest: usize::MAX, ..input.walk_options() };
    let mut playback = input.playback(options);
    let mut explainer = Explainer { container: input.container, selection, context: playback.context().clone(), sink, stopped: false };
    while playback.step(&mut explainer) {
        explainer.context.clone_from(playback.context());
    }
}

/// The visitor that decodes the selected blocks.
struct Explainer<'s> {
    container: Framing,
    selection: Selection,
    /// The context before the next block.
    context: Context,
    sink: &'s mut dyn FnMut(Explained) -> ControlFlow<()>,
    stopped: bool,
}

impl Visitor for Explainer<'_> {
    fn block(&mut self, number: u32, window: Window<'_>) {
        let to = window.data_offset + window.data.len() as u64;
        if self.selection.wants(number, window.offset, to) {
            self.stopped = (self.sink)(block(number, window, self.container, &mut self.context, self.selection)).is_break();
        }
        self.stopped |= self.selection.is_past(number, to);
    }

    fn done(&self) -> bool {
        self.stopped
    }
}

fn block(number: u32, window: Window<'_>, framing: Framing, context: &mut Context, selection: Selection) -> Explained {
    let mut trace = Trace::new(ReadBytes::new(window.data)).only(selection.entity());
    let mut names = Vec::new();
    let mut extra = Extra::default();
    let mut error = None;
    while trace.more(false) {
        let read = match framing {
            Framing::Dm2 => message(&mut trace, context).map(|name| names.push(name)),
            Framing::Mvd2 => mvd_message(&mut trace, context, &mut extra).map(|name| names.push(name)),
        };
        if let Err(failure) = read {
            error = Some(failure.in_message_at(window.data_offset).to_string());
            break;
        }
    }
    let (spans, _) = trace.into_parts();
    let mut parts: Vec<Part> = spans.into_iter().map(Part::from).collect();
    extra.put_into(&mut parts);
    parts.iter_mut().for_each(|part| interpret(part, window.data, &context.dialect));
    parts.sort_by_key(|part| part.from_bit);
    let kind = if framing == Framing::Dm2 { "block" } else { "record" };
    let heading = format!("{kind} of {} bytes: {}", window.data.len(), names.join(", "));
    Explained { message: number, offset: window.offset, data_offset: window.data_offset, length: window.data.len() as u64, heading, parts, error }
}

/// Replaces raw numbers by what they mean: coordinates in units, angles in degrees.
fn interpret(part: &mut Part, data: &[u8], dialect: &Dialect) {
    let (from, bits) = ((part.from_bit / 8) as usize, part.to_bit - part.from_bit);
    let Some(bytes) = data.get(from..(part.to_bit / 8) as usize).filter(|_| part.from_bit.is_multiple_of(8)) else { return };
    let word = |at: usize| bytes.get(at..at + 2).map_or(0, |bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
    let float = |at: usize| bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0.0, f32::from_le_bytes);
    let name = part.field.trim_end_matches(['x', 'y', 'z']).trim_end_matches('_');
    let degrees = |full: f64| format!("{}°", f64::from(sign_extend(part.raw, bits.min(32) as u32) as i32) * 360.0 / full);
    let meaning = match (name, bits) {
        ("origin" | "old_origin" | "velocity", 16 | 24) if dialect.flagged => {
            let raw = u32::from(word(0) as u16) | u32::from(bytes.get(2).copied().unwrap_or(0)) << 16;
            let value = f64::from(flagged_value(raw, 0) as i32) / 8.0;
            if raw & 1 != 0 { value.to_string() } else { format!("{value:+} to the value before") }
        }
        ("origin" | "old_origin" | "velocity", 16) => (f64::from(word(0)) / 8.0).to_string(),
        ("origin" | "old_origin", 24) => {
            let raw = u32::from(bytes[0]) << 16 | u32::from(word(1) as u16);
            (f64::from(sign_extend(raw, 24) as i32) / 8.0).to_string()
        }
        ("position", 48) => [0, 2, 4].map(|at| (f64::from(word(at)) / 8.0).to_string()).join(", "),
        ("position", 96) => [0, 4, 8].map(|at| float(at).to_string()).join(", "),
        ("origin" | "old_origin" | "velocity" | "viewangles" | "angles" | "delta_angles", 32) if dialect.floats => float(0).to_string(),
        ("viewangles" | "angles" | "delta_angles", 16) => degrees(65_536.0),
        ("angles", 8) => degrees(256.0),
        ("viewoffset" | "kick_angles" | "gunoffset" | "gunangles", 8) => (f64::from(part.raw as u8 as i8) / 4.0).to_string(),
        ("gravity", 16) => word(0).to_string(),
        _ => return,
    };
    part.meaning = meaning;
}

fn message(r: &mut Trace<ReadBytes<'_>>, context: &mut Context) -> Result<&'static str, fragreel_base::wire::Error> {
    let head = head(r, context)?;
    let name = head.op.name();
    r.note(|| name.to_owned());
    let mut body = Body::empty(head.op);
    r.scope(name, None, |r| body.code(r, context, head.high))?;
    context.learn(&body);
    Ok(name)
}

/// Fields inside parcels. They replace as much of the parcels' `data` as could be decoded.
#[derive(Default)]
struct Extra {
    parts: Vec<Part>,
    /// The decoded bits.
    taken: Vec<(u64, u64)>,
}

impl Extra {
    fn put_into(self, parts: &mut Vec<Part>) {
        for &(from, to) in self.taken.iter().filter(|(from, to)| from < to) {
            if let Some(data) = parts.iter().position(|part| part.from_bit == from && part.to_bit >= to && part.field == "data") {
                parts[data].from_bit = to;
                if parts[data].from_bit == parts[data].to_bit {
                    parts.remove(data);
                }
            }
        }
        let taken = |part: &Part| self.taken.iter().any(|&(from, to)| (from..to).contains(&part.from_bit));
        parts.extend(self.parts.iter().filter(|part| taken(part)).cloned());
    }
}

/// Also decodes a parcel. Its fields lie inside its `data`.
fn mvd_message(r: &mut Trace<ReadBytes<'_>>, context: &mut Context, extra: &mut Extra) -> Result<&'static str, fragreel_base::wire::Error> {
    let mut message = MvdMessage { extra: 0, body: MvdBody::Bare(1) };
    message.read(r, context)?;
    let name = message.body.name();
    if let MvdBody::Parcel(parcel) = &message.body {
        let start = r.position() - 8 * parcel.data.len() as u64;
        let mut read = 0;
        let mut inner = Trace::new(ReadBytes::new(&parcel.data));
        let mut inner_context = Context::new(context.dialect);
        while inner.more(false) && self::message(&mut inner, &mut inner_context).is_ok() {
            read = inner.position();
        }
        let (spans, _) = inner.into_parts();
        extra.taken.push((start, start + read));
        extra.parts.extend(spans.into_iter().map(|span| {
            let part = Part::from(span);
            let path = if part.path.is_empty() { name.to_owned() } else { format!("{name} › {}", part.path) };
            Part { path, from_bit: start + part.from_bit, to_bit: start + part.to_bit, ..part }
        }));
    }
    Ok(name)
}
