//! Explains a recording field by field.

use std::borrow::Cow;

use fragreel_base::wire::{ReadBytes, Trace};
use fragreel_model::{Explained, Part, Selection};

use crate::container::{Block, Container, Framing, Stamp, code_framing, kind};
use crate::message::hidden::HiddenBlocks;
use crate::message::{Body, Packet, code_packet};
use crate::state::Level;
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Decoder;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// The selected blocks field by field, in file order.
pub(crate) fn explain(input: &Input<'_>, selection: Selection) -> impl Iterator<Item = Explained> {
    let (mut playback, mut is_over) = (Playback::new(input, false), false);
    std::iter::from_fn(move || {
        while !is_over {
            let NextBlock::Block(block) = playback.next_block()? else { continue };
            let wanted = selection.wants(block.number, block.offset, block.end());
            let found = wanted.then(|| explain_block(input, &block, playback.decoder(), &playback.game.level, selection));
            is_over = selection.is_past(block.number, block.end());
            if !is_over {
                // only follow the dialect
                let _ = playback.play(&block, |_, _| {});
            }
            if found.is_some() {
                return found;
            }
        }
        None
    })
}

fn explain_block(input: &Input<'_>, block: &Block<'_>, decoder: &Decoder, level: &Level, selection: Selection) -> Explained {
    let mut parts = Vec::new();
    let mut error = None;
    // blocks without data have all their fields in the framing: explain that
    let has_data = matches!(block.framing, Framing::NetQuake { .. } | Framing::Packet { .. });
    let data_offset = if has_data { block.data_offset } else { block.offset };
    if has_data {
        let mut trace = Trace::new(ReadBytes::new(block.data)).only(selection.entity());
        let result = trace_block(&mut trace, block, decoder);
        parts.extend(trace.into_parts().0.into_iter().map(Part::from));
        super::meaning::interpret(&mut parts, level, &decoder.dialect);
        error = result.err().map(|error| error.in_message_at(block.data_offset).to_string());
    } else {
        let mut trace = Trace::new(ReadBytes::new(&input.bytes[block.offset as usize..])).only(selection.entity());
        let _ = code_framing(&mut trace, input.container, &mut block.framing.clone(), &mut 0);
        parts.extend(trace.into_parts().0.into_iter().map(Part::from));
        super::meaning::interpret(&mut parts, level, &decoder.dialect);
    }
    Explained {
        message: block.number,
        offset: block.offset,
        data_offset,
        length: block.end() - data_offset,
        heading: heading(block, input.container),
        parts,
        error,
    }
}

fn trace_block(trace: &mut Trace<ReadBytes<'_>>, block: &Block<'_>, decoder: &Decoder) -> Result<(), fragreel_base::wire::Error> {
    let mut dialect = Cow::Borrowed(&*decoder.dialect);
    if decoder.is_hidden(&block.framing) {
        let mut hidden = HiddenBlocks::default();
        hidden.expect_length(block.data.len());
        return hidden.code(trace, &dialect);
    }
    if dialect.known && !dialect.supported() {
        return Err(fragreel_base::wire::Error::unsupported(format!("messages of {} are kept unchanged", dialect.name())));
    }
    code_packet(trace, &mut dialect, &mut Packet::default(), decoder.has_header())
}
fn stamp(time: Stamp) -> String {
    match time {
        Stamp::At(time) => format!("time {}", time.value()),
        Stamp::After(delay) => format!("after {delay} ms"),
    }
}

fn heading(block: &Block<'_>, container: Container) -> String {
    match &block.framing {
        Framing::NetQuake { angles } => format!("view angles {} {} {}", angles[0].value(), angles[1].value(), angles[2].value()),
        Framing::Command { time, .. } => format!("{}, user command", stamp(*time)),
        Framing::Sequences { time, outgoing, incoming } => format!("{}, sequences out {outgoing} in {incoming}", stamp(*time)),
        Framing::Packet { time, .. } if container == Container::QuakeWorld => format!("{}, packet", stamp(*time)),
        Framing::Packet { time, target } => {
            let to = match target.kind {
                kind::MULTIPLE if target.players == 0 => String::from("to nobody"),
                kind::MULTIPLE => format!("to players {:#x}", target.players),
                kind::SINGLE => format!("to player {}", target.slot),
                kind::STATS => format!("stats of player {}", target.slot),
                kind::ALL => String::from("to all"),
                _ => String::from("as before"),
            };
            format!("{}, {to}", stamp(*time))
        }
    }
}
