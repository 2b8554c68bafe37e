//! `explain`: decodes blocks field by field.

use fragreel_base::wire::{ReadBytes, Trace, Wire};
use fragreel_model::{Explained, Part, Selection};

use super::meaning::Names;
use crate::container::Window;
use crate::detect::Framing;
use crate::message::{Context, Message, MvdBody, MvdMessage, head};
use crate::state::{Detail, Effect, State};
use crate::walk::{At, Input, Visitor, WalkOptions};

pub(crate) fn explain(input: &Input<'_>, selection: Selection) -> impl Iterator<Item = Explained> {
    let options = WalkOptions { detail: Detail::Strings, parcels: false, longest: usize::MAX, ..input.walk_options() };
    let mut playback = input.playback(options);
    let mut explainer =
        Explainer { container: input.container, selection, context: playback.context().clone(), names: Names::default(), found: None, stopped: false };
    let mut has_more = true;
    std::iter::from_fn(move || {
        while has_more && explainer.found.is_none() {
            has_more = playback.step(&mut explainer);
            explainer.context.clone_from(playback.context());
        }
        explainer.found.take()
    })
}

/// The visitor that decodes the selected blocks.
struct Explainer {
    container: Framing,
    selection: Selection,
    /// The context before the next block.
    context: Context,
    names: Names,
    /// The block that was selected last, until it is handed on.
    found: Option<Explained>,
    stopped: bool,
}

impl Visitor for Explainer {
    fn block(&mut self, number: u32, window: Window<'_>) {
        let to = window.data_offset + window.data.len() as u64;
        if self.selection.wants(number, window.offset, to) {
            self.found = Some(block(number, window, self.container, &mut self.context, &mut self.names, self.selection));
        }
        self.stopped = self.selection.is_past(number, to);
    }

    fn message(&mut self, _: At, message: &mut Message, _: &[u8], _: Effect, state: &State) {
        self.names.learn_from(&message.body, &state.strings);
    }

    fn mvd_message(&mut self, _: At, message: &mut MvdMessage, _: &[u8], _: Effect, state: &State) {
        if matches!(message.body, MvdBody::ServerData(_)) {
            self.names.take(&state.strings);
        }
    }

    fn done(&self) -> bool {
        self.stopped
    }
}

fn block(number: u32, window: Window<'_>, framing: Framing, context: &mut Context, names: &mut Names, selection: Selection) -> Explained {
    let mut trace = Trace::new(ReadBytes::new(window.data)).only(selection.entity());
    let mut kinds = Vec::new();
    let mut extra = Extra::default();
    let mut error = None;
    while trace.more(false) {
        let read = match framing {
            Framing::Dm2 => message(&mut trace, context, names).map(|name| kinds.push(name)),
            Framing::Mvd2 => mvd_message(&mut trace, context, names, &mut extra).map(|name| kinds.push(name)),
        };
        if let Err(failure) = read {
            error = Some(failure.in_message_at(window.data_offset).to_string());
            break;
        }
    }
    let (spans, _) = trace.into_parts();
    let mut parts: Vec<Part> = spans.into_iter().map(Part::from).collect();
    extra.put_into(&mut parts);
    parts.sort_by_key(|part| part.from_bit);
    names.interpret(&mut parts, window.data, &context.dialect);
    let kind = if framing == Framing::Dm2 { "block" } else { "record" };
    let heading = format!("{kind} of {} bytes: {}", window.data.len(), kinds.join(", "));
    Explained { message: number, offset: window.offset, data_offset: window.data_offset, length: window.data.len() as u64, heading, parts, error }
}

fn message(r: &mut Trace<ReadBytes<'_>>, context: &mut Context, names: &mut Names) -> Result<&'static str, fragreel_base::wire::Error> {
    let head = head(r, context)?;
    let name = head.op.name();
    r.note(|| name.to_owned());
    let mut body = head.op.empty();
    r.scope(name, None, |r| body.code(r, context, head.high))?;
    context.learn(&body);
    names.learn(&body);
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
                let part = &mut parts[data];
                // two digits a byte: the first byte is at the end of one and at the start of the other
                let digits = 2 * ((to - from) / 8) as usize;
                part.raw.truncate(part.raw.len().saturating_sub(digits));
                part.meaning = part.meaning.get(digits..).unwrap_or_default().to_owned();
                part.from_bit = to;
                if part.from_bit == part.to_bit {
                    parts.remove(data);
                }
            }
        }
        let taken = |part: &Part| self.taken.iter().any(|&(from, to)| (from..to).contains(&part.from_bit));
        parts.extend(self.parts.iter().filter(|part| taken(part)).cloned());
    }
}

/// Also decodes a parcel. Its fields lie inside its `data`.
fn mvd_message(r: &mut Trace<ReadBytes<'_>>, context: &mut Context, names: &mut Names, extra: &mut Extra) -> Result<&'static str, fragreel_base::wire::Error> {
    let mut message = MvdMessage { extra: 0, body: MvdBody::Bare(1) };
    message.read(r, context)?;
    let name = message.body.name();
    if let MvdBody::Parcel(parcel) = &message.body {
        let start = r.position() - 8 * parcel.data.len() as u64;
        let mut read = 0;
        let mut inner = Trace::new(ReadBytes::new(&parcel.data));
        let mut inner_context = Context::new(context.dialect);
        while inner.more(false) && self::message(&mut inner, &mut inner_context, names).is_ok() {
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
