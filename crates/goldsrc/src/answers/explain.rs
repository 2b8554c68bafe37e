//! `explain`: macros field by field, data blocks down to the fields of each message.

use fragreel_base::wire::{Error, ReadBits, Trace, Wire};
use fragreel_model::{Explained, Part, Selection};

use super::meaning::Names;
use crate::container::body::Body;
use crate::container::{Macro, Source, Step, directory, tool_of_macro};
use crate::dialect::Dialect;
use crate::message::context::Context;
use crate::message::{self, Message, Pool};
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// Explains the selected macros, and an offset in the header or the directory.
pub(crate) fn explain(input: &Input, selection: Selection) -> impl Iterator<Item = Explained> {
    let frame = if let Selection::At(offset) = selection { explain_frame(input, offset) } else { None };
    let (mut playback, mut names) = (Playback::new(input), Names::default());
    let macros = std::iter::from_fn(move || {
        loop {
            let Step::Macro { number, window, .. } = playback.next()? else { continue };
            if number > 0 && !matches!(selection, Selection::At(_)) && selection.is_past(number - 1, 0) {
                return None;
            }
            if selection.wants(number, window.offset as u64, window.end() as u64) {
                let mut explained = explain_macro(number, &window, input.dialect(), playback.context_mut(), &mut names, selection);
                names.interpret(&mut explained.parts);
                return Some(explained);
            }
            // an error here is not in the selection
            let _ = playback.read(&window, |_, message, _| names.learn(message));
        }
    });
    frame.into_iter().chain(macros)
}

/// Explains the header or the directory if `offset` is in it.
fn explain_frame(input: &Input, offset: u64) -> Option<Explained> {
    let container = &input.container;
    let header = container.dialect.header_bytes();
    let directory_at = container.header.directory_offset as usize;
    if offset < header as u64 {
        let mut trace = Trace::new(ReadBits::new(&container.bytes[..header]));
        let result = container.header.clone().code(&mut trace, &container.dialect);
        Some(explained(0, "header", 0, 0, header, trace, result))
    } else if container.source == Source::Directory
        && (directory_at..directory_at + 4 + container.segments.len() * directory::ENTRY_BYTES).contains(&(offset as usize))
    {
        let bytes = &container.bytes[directory_at..];
        let mut trace = Trace::new(ReadBits::new(bytes));
        let result = directory::explain(&mut trace);
        Some(explained(0, "directory", directory_at, directory_at, bytes.len(), trace, result))
    } else {
        None
    }
}

fn explain_macro(number: u32, window: &Macro, dialect: &Dialect, context: Option<&mut Context>, names: &mut Names, selection: Selection) -> Explained {
    let mut trace = Trace::new(ReadBits::new(window.body)).only(selection.entity());
    let result = trace_body(&mut trace, window, dialect, context, names);
    let mut heading = format!("{} (macro {}), {} seconds, frame {}", window.kind.name(), window.id.0, window.time, window.frame);
    if let Some(tool) = tool_of_macro(window) {
        heading.push_str(&format!(": data of {tool}, which is not decoded"));
    }
    explained(number, &heading, window.offset, window.body_offset(), window.body.len(), trace, result)
}

fn trace_body(trace: &mut Trace<ReadBits>, window: &Macro, dialect: &Dialect, context: Option<&mut Context>, names: &mut Names) -> Result<(), Error> {
    Body::empty(window.kind, dialect).code(trace, dialect)?;
    let Some(context) = context else {
        trace.enter("not decoded");
        while trace.more(true) {
            trace.bits(0, 8)?;
        }
        return Ok(());
    };
    let (mut message, mut pool) = (Message::default(), Pool::default());
    while trace.more(true) {
        message::code(trace, context, &mut message, &mut pool)?;
        context.observe(&message).map_err(Error::malformed)?;
        names.learn(&message);
    }
    Ok(())
}

fn explained(message: u32, heading: &str, offset: usize, data_offset: usize, length: usize, trace: Trace<ReadBits>, result: Result<(), Error>) -> Explained {
    let (spans, _) = trace.into_parts();
    Explained {
        message,
        offset: offset as u64,
        data_offset: data_offset as u64,
        length: length as u64,
        heading: heading.to_owned(),
        parts: spans.into_iter().map(Part::from).collect(),
        error: result.err().map(|error| error.in_message_at(data_offset as u64).to_string()),
    }
}
