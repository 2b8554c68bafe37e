//! Whether an edited recording shows what its source shows (`docs/formats/goldsrc.md`, "Editing").

use std::collections::HashMap;

use model::Comparison;

use crate::body;
use crate::container::{Macros, Step};
use crate::context::Context;
use crate::description::Description;
use crate::fields::Structure;
use crate::message::Message;
use crate::recording::Recording;
use crate::rows::RowId;
use crate::state::{Entity, State};
use crate::stream::Decoder;
use crate::time::milliseconds;

/// Differences that are told.
const TOLD: usize = 10;

/// Compares the frames of `edited` with those of `source` at the same server times: all entities, the player's own row and
/// weapons.
pub(super) fn compare(source: &Recording, edited: &Recording) -> Comparison {
    let mut comparison = Comparison::default();
    let (Some(mut theirs), Some(mut ours)) = (Show::new(source), Show::new(edited)) else { return comparison };
    let index = Index::of(source);
    let mut at = 0;
    while let Some(frame) = ours.next_frame() {
        let Some(found) = index.find(frame, at) else { continue };
        let mut reached = at == found + 1;
        while at <= found {
            reached = theirs.next_frame().is_some();
            at += 1;
        }
        if !reached {
            break;
        }
        comparison.frames += 1;
        if let Some(difference) = difference(&theirs, &ours) {
            comparison.differing += 1;
            if comparison.differences.len() < TOLD {
                let time = milliseconds(ours.decoder.context.time);
                comparison.differences.push(format!("at {time} on the server's clock, frame {}: {difference}", frame.1));
            }
        }
    }
    comparison
}

/// A frame's server time, as bits, and its sequence number.
type Stamp = (u32, u32);

/// Where frames are in a recording.
struct Index {
    by_time: HashMap<u32, Vec<(usize, u32)>>,
}

impl Index {
    fn of(recording: &Recording) -> Self {
        let mut by_time: HashMap<u32, Vec<(usize, u32)>> = HashMap::new();
        let Some(rules) = recording.dialect().messages else { return Index { by_time } };
        let mut decoder = Decoder::new(Context::new(rules));
        let mut count = 0;
        for window in recording.container.macros().filter_map(Step::found) {
            let Some((offset, data)) = body::messages(&window, recording.dialect()) else { continue };
            let mut frame = false;
            let _ = decoder.block(data, offset, |_, message, _| frame |= is_frame(message));
            if frame {
                let sequence = body::frame_sequence(&window, recording.dialect()).unwrap_or_default();
                by_time.entry(decoder.context.time.to_bits()).or_default().push((count, sequence));
                count += 1;
            }
        }
        Index { by_time }
    }

    /// The next frame of this time from `at - 1` on; of several the one with the same sequence number.
    fn find(&self, (time, sequence): Stamp, at: usize) -> Option<usize> {
        let all = self.by_time.get(&time)?;
        let next = || all.iter().filter(|&&(index, _)| index + 1 >= at);
        next().find(|&&(_, own)| own == sequence).or_else(|| next().next()).map(|&(index, _)| index)
    }
}

fn is_frame(message: &Message) -> bool {
    matches!(message, Message::PacketEntities(_) | Message::DeltaPacketEntities(_))
}

/// A recording that is played frame by frame.
struct Show<'r, 'a> {
    recording: &'r Recording<'a>,
    macros: Macros<'a, 'r>,
    decoder: Decoder,
    state: State,
}

impl<'r, 'a> Show<'r, 'a> {
    fn new(recording: &'r Recording<'a>) -> Option<Self> {
        let decoder = Decoder::new(Context::new(recording.dialect().messages?));
        Some(Show { recording, macros: recording.container.macros(), decoder, state: State::default() })
    }

    /// Goes on to the next block that tells a frame.
    fn next_frame(&mut self) -> Option<Stamp> {
        for step in self.macros.by_ref() {
            let Step::Macro { window, .. } = step else { continue };
            let Some((offset, data)) = body::messages(&window, self.recording.dialect()) else { continue };
            let sequence = body::frame_sequence(&window, self.recording.dialect()).unwrap_or_default();
            self.state.begin(sequence);
            let (state, mut frame) = (&mut self.state, false);
            let _ = self.decoder.block(data, offset, |context, message, _| {
                let _ = state.apply(context, message);
                frame |= is_frame(message);
            });
            if frame {
                return Some((self.decoder.context.time.to_bits(), sequence));
            }
        }
        None
    }

    fn description(&self, structure: Structure) -> Option<&Description> {
        self.decoder.context.description(structure).map(AsRef::as_ref)
    }
}

/// The first difference between the frames that two recordings show now.
fn difference(theirs: &Show, ours: &Show) -> Option<String> {
    let (old, new) = (theirs.state.frame(), ours.state.frame());
    let numbers = |frame: &[Entity]| frame.iter().map(|entity| entity.number).collect::<Vec<_>>();
    for (a, b) in old.iter().zip(new) {
        if a.number != b.number {
            break;
        }
        if a.structure != b.structure {
            return Some(format!("entity {} is {} in the source and {} here", a.number, a.structure.name(), b.structure.name()));
        }
        if let Some(field) = rows(theirs, ours, a.structure, a.row, b.row) {
            return Some(format!("entity {}, {field}", a.number));
        }
    }
    if numbers(old) != numbers(new) {
        let only = |some: &[Entity], others: &[Entity]| some.iter().map(|one| one.number).find(|number| others.iter().all(|other| other.number != *number));
        return Some(match (only(old, new), only(new, old)) {
            (Some(number), _) => format!("entity {number} is missing"),
            (None, Some(number)) => format!("entity {number} is not in the source"),
            (None, None) => String::from("the same entities stand in another order"),
        });
    }
    client(theirs, ours)
}

fn client(theirs: &Show, ours: &Show) -> Option<String> {
    let (old, new) = match (theirs.state.client(), ours.state.client()) {
        (None, None) => return None,
        (Some(old), Some(new)) => (old, new),
        (Some(_), None) => return Some(String::from("client data is missing")),
        (None, Some(_)) => return Some(String::from("client data is not in the source")),
    };
    if let Some(field) = rows(theirs, ours, Structure::ClientData, old.0, new.0) {
        return Some(format!("client data, {field}"));
    }
    // a weapon that was never told of is all zeroes
    let row = |weapons: &[(u8, RowId)], index| weapons.iter().find(|weapon| weapon.0 == index).map_or(RowId::ZERO, |weapon| weapon.1);
    let all = old.1.iter().chain(new.1).map(|weapon| weapon.0);
    all.into_iter().find_map(|index| {
        let field = rows(theirs, ours, Structure::WeaponData, row(old.1, index), row(new.1, index))?;
        Some(format!("weapon {index}, {field}"))
    })
}

/// The first field in which two rows differ.
fn rows(theirs: &Show, ours: &Show, structure: Structure, old: RowId, new: RowId) -> Option<String> {
    let (from, to) = (theirs.description(structure)?, ours.description(structure)?);
    let (before, after) = (theirs.state.row(old), ours.state.row(new));
    for (at, field) in from.fields.iter().enumerate() {
        // nearly always the same description
        let same = to.fields.get(at).is_some_and(|other| other.name == field.name);
        let Some(place) = (if same { Some(at) } else { to.find(&field.name) }) else { return Some(format!("{}, which is described no longer", field.name)) };
        if from.text_fields >> at & 1 != 0 {
            let (was, is) = (theirs.state.text(before[at]), ours.state.text(after[place]));
            if was != is {
                return Some(format!("{}: {:?} in the source, {:?} here", field.name, model::game_text(was), model::game_text(is)));
            }
        } else if before[at] != after[place] || to.fields[place] != *field {
            let (was, is) = (from.value(at, before[at]), to.value(place, after[place]));
            if was.to_bits() != is.to_bits() || to.fields[place] == *field {
                return Some(format!("{}: {was} in the source, {is} here", field.name));
            }
        }
    }
    None
}
