//! Compares the frames of an edited recording with those of its source (`docs/formats/quake3.md`, "Editing").

use fragreel_model::Comparison;
use fragreel_model::replay::lockstep::{self, By, Verdict};
use fragreel_model::replay::{Advance, CheckpointedWalk, FrameAt};

use super::convert::FieldConverter;
use super::source::Source;
use crate::Recording;
use crate::container::Piece;
use crate::state::{STRINGS, State};

/// What is compared besides snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Nothing: rewrites and conversions change strings on purpose.
    State,
    /// The configstrings too.
    Strings,
}

/// Compares recordings with the one that they were made from. Several cost one walk over it, when they come in the order of their frames.
pub struct Comparer<'a> {
    recording: Recording<'a>,
    before: CheckpointedWalk<ComparedSide<'a>>,
}

impl<'a> Recording<'a> {
    /// A comparer for several recordings made from this one.
    pub fn comparer(&self) -> Comparer<'a> {
        Comparer { recording: self.clone(), before: CheckpointedWalk::new(ComparedSide::new(self)) }
    }
}

impl Comparer<'_> {
    /// Like [`Recording::compare`].
    pub fn compare(&mut self, edited: &Recording<'_>) -> Comparison {
        self.compared(edited, Extent::State)
    }

    /// Like [`Recording::compare_with_strings`].
    pub fn compare_with_strings(&mut self, edited: &Recording<'_>) -> Comparison {
        self.compared(edited, Extent::Strings)
    }

    fn compared(&mut self, edited: &Recording<'_>, extent: Extent) -> Comparison {
        let fields = FieldConverter::new(self.recording.dialect(), edited.dialect());
        compare_frames(&self.recording.timeline().line.frames, &mut self.before, edited, fields, extent)
    }
}

/// Compares a part with the frames of its source that it was made from, and configstrings too. `source` stands before the message `next`, over bytes that
/// hold those frames.
pub(super) fn compare_part(frames: &[FrameAt], source: Source<'_>, next: u32, part: &Recording<'_>) -> Comparison {
    let fields = FieldConverter::new(source.playback.state.dialect(), part.dialect());
    let side = ComparedSide { recording: None, source, at: next.checked_sub(1), strings_changed: true };
    compare_frames(frames, &mut CheckpointedWalk::new(side), part, fields, Extent::Strings)
}

/// Compares the frames of `edited` with `frames`, up to which `source` can be played.
fn compare_frames(
    frames: &[FrameAt],
    source: &mut CheckpointedWalk<ComparedSide<'_>>,
    edited: &Recording<'_>,
    mut fields: FieldConverter,
    extent: Extent,
) -> Comparison {
    let (mut before, mut after) = (None, ComparedSide::new(edited));
    lockstep::compare(frames, &edited.timeline().line.frames, By::KeyAndTime, &mut |old, new| {
        // frames of other recordings that were merged or joined do not count
        let Some(old) = old else { return Verdict::Uncounted };
        let before = source.follow(&mut before, old.message);
        if !(before.play_to(old.message) && after.play_to(new.message)) {
            return Verdict::Unplayable;
        }
        differ(before, &mut after, &mut fields, extent).map_or(Verdict::Same, Verdict::Differs)
    })
}

/// A recording, played up to a message.
#[derive(Clone)]
struct ComparedSide<'a> {
    /// The recording, whose keyframes are used, if it is in memory.
    recording: Option<Recording<'a>>,
    source: Source<'a>,
    /// The message of the frame.
    at: Option<u32>,
    /// Whether strings may have changed since they were last compared.
    strings_changed: bool,
}

impl<'a> ComparedSide<'a> {
    fn new(recording: &Recording<'a>) -> Self {
        ComparedSide { recording: Some(recording.clone()), source: Source::new(recording), at: None, strings_changed: true }
    }

    fn state(&self) -> &State {
        &self.source.playback.state
    }
}

impl Advance for ComparedSide<'_> {
    fn at(&self) -> Option<u32> {
        self.at
    }

    fn step(&mut self) -> bool {
        let Some(piece) = self.source.next() else { return false };
        if let Piece::Message(frame) = piece {
            let (commands, levels) = (self.source.playback.state.command_sequence(), self.source.signon.levels);
            self.source.apply(&frame);
            self.strings_changed |= commands != self.source.playback.state.command_sequence() || levels != self.source.signon.levels;
            self.at = Some(frame.number);
        }
        true
    }

    fn near(&self, message: u32, beyond: Option<u32>) -> Option<Self> {
        let (source, at) = Source::at_keyframe(self.recording.as_ref()?, message, beyond)?;
        Some(ComparedSide { recording: self.recording.clone(), source, at: Some(at), strings_changed: true })
    }
}

/// The first difference between two frames.
fn differ(before: &mut ComparedSide<'_>, after: &mut ComparedSide<'_>, fields: &mut FieldConverter, extent: Extent) -> Option<String> {
    let (old, new) = (before.state(), after.state());
    let (Some(a), Some(b)) = (old.snapshot(), new.snapshot()) else { return Some(String::from("there is no frame")) };
    if a.flags != b.flags {
        return Some(format!("flags are {} instead of {}", b.flags, a.flags));
    }
    if a.area_mask != b.area_mask {
        return Some(String::from("the area mask differs"));
    }
    let player = fields.player_state(&a.player);
    if let Some(at) = (0..64).find(|&at| player.row[at] != b.player.row[at]) {
        let name = new.dialect().player.get(at).map_or("?", |field| field.name);
        return Some(format!("the player's {name} is {} instead of {}", b.player.row[at] as i32, player.row[at] as i32));
    }
    if player.arrays != b.player.arrays {
        return Some(String::from("the player's arrays differ"));
    }
    let numbers = |list: &[crate::state::EntityRef]| list.iter().map(|entity| entity.number).collect::<Vec<_>>();
    if a.entities.len() != b.entities.len() || a.entities.iter().zip(&b.entities).any(|(a, b)| a.number != b.number) {
        return Some(format!("entities {:?} instead of {:?}", numbers(&b.entities), numbers(&a.entities)));
    }
    for (a, b) in a.entities.iter().zip(&b.entities) {
        let (was, is) = (fields.entity_row(old.row(*a)), new.row(*b));
        if let Some(at) = (0..64).find(|&at| was[at] != is[at]) {
            let name = new.dialect().entity.get(at).map_or("?", |field| field.name);
            return Some(format!("entity {}'s {name} is {} instead of {}", a.number, is[at] as i32, was[at] as i32));
        }
    }
    if extent == Extent::Strings && (std::mem::take(&mut before.strings_changed) | std::mem::take(&mut after.strings_changed)) {
        let (old, new) = (before.state(), after.state());
        if let Some(index) = (0..STRINGS).find(|&index| old.string(index) != new.string(index)) {
            before.strings_changed = true;
            let text = |state: &State| crate::strings::clean(state.string(index));
            return Some(format!("configstring {index} is `{}` instead of `{}`", text(after.state()), text(before.state())));
        }
    }
    None
}
