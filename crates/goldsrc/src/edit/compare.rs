//! Whether an edited recording shows what its source shows (`docs/formats/goldsrc.md`, "Editing").

use std::collections::HashMap;

use model::Comparison;

use crate::container::Step;
use crate::description::Description;
use crate::fields::Structure;
use crate::playback::{Playback, is_frame};
use crate::recording::Recording;
use crate::rows::RowId;
use crate::state::Entity;
use crate::time::milliseconds;

/// Differences that are listed.
const LISTED: usize = 10;

/// Compares the frames of `edited` with those of `source` at the same server times: all entities, the player's own row and
/// weapons.
pub(super) fn compare(source: &Recording, edited: &Recording) -> Comparison {
    let mut comparison = Comparison::default();
    let index = Index::of(source);
    let (mut theirs, mut ours) = (Show(Playback::new(source)), Show(Playback::new(edited)));
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
            if comparison.differences.len() < LISTED {
                let time = milliseconds(f32::from_bits(frame.0));
                comparison.differences.push(format!("at {time} on the server's clock, frame {}: {difference}", frame.1));
            }
        }
    }
    comparison
}

/// A frame's server time, as bits, and its sequence number.
type Stamp = (u32, u32);

/// Where frames are in a recording, in order.
#[derive(Default)]
struct Index {
    by_stamp: HashMap<Stamp, Vec<usize>>,
    by_time: HashMap<u32, Vec<usize>>,
}

impl Index {
    fn of(recording: &Recording) -> Self {
        let (mut index, mut count) = (Index::default(), 0);
        let mut playback = Playback::new(recording);
        while let Some(step) = playback.next() {
            let Step::Macro { window, .. } = step else { continue };
            let mut frame = false;
            let _ = playback.read(&window, |_, message, _| frame |= is_frame(message));
            if frame {
                let stamp = playback.stamp(&window);
                index.by_stamp.entry(stamp).or_default().push(count);
                index.by_time.entry(stamp.0).or_default().push(count);
                count += 1;
            }
        }
        index
    }

    /// The next frame of this time from `at - 1` on; of several the one with the same sequence number. However many frames show
    /// one time, as in damaged recordings, finding one takes few steps.
    fn find(&self, stamp: Stamp, at: usize) -> Option<usize> {
        let next = |all: &Vec<usize>| all.get(all.partition_point(|&index| index + 1 < at)).copied();
        self.by_stamp.get(&stamp).and_then(next).or_else(|| self.by_time.get(&stamp.0).and_then(next))
    }
}

/// A recording that is played frame by frame.
struct Show<'a>(Playback<'a>);

impl Show<'_> {
    /// Goes on to the next block that says which entities there are, whether they can be rebuilt or not.
    fn next_frame(&mut self) -> Option<Stamp> {
        while let Some(step) = self.0.next() {
            let Step::Macro { window, .. } = step else { continue };
            let mut frame = false;
            let _ = self.0.play(&window, |_, message, _| frame |= is_frame(message));
            if frame {
                return Some(self.0.stamp(&window));
            }
        }
        None
    }

    fn description(&self, structure: Structure) -> Option<&Description> {
        self.0.context()?.description(structure).map(AsRef::as_ref)
    }
}

/// The first difference between the frames that two recordings show now.
fn difference(theirs: &Show, ours: &Show) -> Option<String> {
    let (old, new) = (theirs.0.state.frame(), ours.0.state.frame());
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
    let (old, new) = match (theirs.0.state.client(), ours.0.state.client()) {
        (None, None) => return None,
        (Some(old), Some(new)) => (old, new),
        (Some(_), None) => return Some(String::from("client data is missing")),
        (None, Some(_)) => return Some(String::from("client data is not in the source")),
    };
    if let Some(field) = rows(theirs, ours, Structure::ClientData, old.0, new.0) {
        return Some(format!("client data, {field}"));
    }
    // a weapon that was never sent is all zeroes
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
    let (before, after) = (theirs.0.state.row(old), ours.0.state.row(new));
    for (at, field) in from.fields.iter().enumerate() {
        // nearly always the same description
        let same = to.fields.get(at).is_some_and(|other| other.name == field.name);
        let Some(place) = (if same { Some(at) } else { to.find(&field.name) }) else { return Some(format!("{}, which is described no longer", field.name)) };
        if from.text_fields >> at & 1 != 0 {
            let (was, is) = (theirs.0.state.text(before[at]), ours.0.state.text(after[place]));
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
