//! Explains messages field by field. Only selected messages are decoded.

use fragreel_base::wire::Bits;
use fragreel_model::{Explained, Part, Selection};

use super::meaning::Names;
use crate::container::Piece;
use crate::message::{Depth, Message};
use crate::walk::{Input, Playback};

pub(crate) fn explain(input: &Input<'_>, selection: Selection) -> impl Iterator<Item = Explained> {
    let mut message = Message::default();
    let mut names = Names::new(input.dialect);
    let mut playback = Playback::new(input, Depth::Whole);
    std::iter::from_fn(move || {
        loop {
            let Piece::Message(frame) = playback.next_piece()? else { continue };
            if !selection.wants(frame.number, frame.offset, frame.end()) {
                if selection.is_past(frame.number, frame.end()) {
                    return None;
                }
                // What is broken before the selection names less.
                let _ = message.read_to(playback.data(&frame), input.dialect, Depth::Commands);
                names.learn(frame.sequence, &message);
                continue;
            }
            let data = playback.data(&frame);
            let (spans, result) = message.explain_only(data, input.dialect, selection.entity());
            names.learn(frame.sequence, &message);
            let mut parts: Vec<Part> = spans.into_iter().map(Part::from).collect();
            names.interpret(&mut parts);
            if result.is_ok() && !message.rest.is_empty() && selection.entity().is_none() {
                let from_bit = (data.len() - message.rest.len()) as u64 * 8;
                parts.push(Part {
                    path: String::new(),
                    field: "behind the end",
                    from_bit,
                    to_bit: data.len() as u64 * 8,
                    raw: Bits::of_bytes(&message.rest).digits(),
                    meaning: format!("{} left over", if message.rest.len() == 1 { String::from("a byte") } else { format!("{} bytes", message.rest.len()) }),
                });
            }
            return Some(Explained {
                message: frame.number,
                offset: frame.offset,
                data_offset: frame.data_offset(),
                length: u64::from(frame.length),
                heading: format!("sequence {}", frame.sequence),
                parts,
                error: result.err().map(|error| error.in_message_at(frame.data_offset()).to_string()),
            });
        }
    })
}
