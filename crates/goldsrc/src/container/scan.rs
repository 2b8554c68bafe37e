//! Finds the segments of a file whose directory is missing or wrong (`docs/formats/goldsrc.md`, "Repair").

use fragreel_base::wire::{Chunk, Limits};

use super::directory::{self, Entry};
use super::macros::{self, HEAD_BYTES, Macro, MacroKind, MacroType, NoMacro};
use super::{Container, Segment};
use crate::dialect::Dialect;

/// The number of consecutive macros that make an offset count as the start of a macro.
const MIN_RUN: usize = 3;

/// A stretch of macros found by walking.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// First byte.
    pub from: usize,
    /// The byte after the last.
    pub to: usize,
    /// True for a played stretch, false for a loading one.
    pub playback: bool,
    /// Data blocks of type 1, which the directory counts.
    pub frames: i32,
    /// Time of the last macro.
    pub time: f32,
    /// True if it ends with an end macro.
    pub ended: bool,
    /// Ranges inside that are no macros.
    pub holes: Vec<(usize, usize)>,
}

impl Stretch {
    /// An empty stretch.
    pub(crate) fn beginning(at: usize, playback: bool) -> Self {
        Stretch { from: at, to: at, playback, frames: 0, time: 0.0, ended: false, holes: Vec::new() }
    }

    /// True if a macro of this kind starts the next stretch.
    pub(crate) fn is_left_by(&self, kind: MacroKind) -> bool {
        (self.ended && kind != MacroKind::End) || (kind == MacroKind::Start && !self.playback)
    }

    /// Adds the next macro.
    pub(crate) fn extend(&mut self, found: &Macro) {
        self.to = found.end();
        self.frames = self.frames.wrapping_add(i32::from(matches!(found.kind, MacroKind::Data | MacroKind::Packet) && found.id.0 == 1));
        self.time = found.time;
        self.ended = found.kind == MacroKind::End;
    }

    /// The directory entry that describes it.
    pub fn entry(&self) -> Entry {
        let (kind, title) = if self.playback { (directory::PLAYBACK, "Playback") } else { (directory::LOADING, "LOADING") };
        // the recorder leaves time and frames of what was sent before at 0
        let (time, frames) = if self.playback { (self.time, self.frames) } else { (0.0, 0) };
        Entry { time, frames, offset: self.from as i32, length: (self.to - self.from) as i32, ..Entry::new(kind, title) }
    }

    pub(crate) fn into_segment(self) -> Segment {
        Segment { entry: self.entry(), from: self.from, to: self.to, limit: self.to }
    }
}

/// Walks over the macros behind the header, until no more are found or a directory could not hold more stretches.
pub fn walk(bytes: &[u8], dialect: &Dialect, limits: &Limits) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut at = dialect.header_bytes();
    let mut open: Option<Stretch> = None;
    let named = named_directory(bytes, dialect);
    let mut before = None;
    while at < bytes.len() && Some(at) != named && !looks_like_directory(bytes, at) {
        match macros::find(bytes, at, bytes.len(), dialect, limits) {
            Ok(found) if !is_unfounded(bytes.into(), &found, before, bytes.len(), dialect, limits) => {
                before = goes_on(&found);
                if open.as_ref().is_none_or(|stretch| stretch.is_left_by(found.kind)) {
                    stretches.extend(open.take());
                    // no directory could name more
                    if stretches.len() == directory::MAX_ENTRIES {
                        break;
                    }
                }
                let stretch = open.get_or_insert_with(|| Stretch::beginning(at, is_played(&found, stretches.last())));
                stretch.extend(&found);
                at = stretch.to;
            }
            _ => {
                let Some(next) = resume(bytes, at + 1, bytes.len(), dialect, limits) else { break };
                if let Some(stretch) = &mut open {
                    stretch.holes.push((at, next));
                }
                at = next;
            }
        }
    }
    stretches.extend(open);
    for stretch in &mut stretches {
        stretch.holes.retain(|&(from, _)| from < stretch.to);
    }
    stretches
}

/// True if a stretch that begins with this macro is played: it starts the game, it is a data block of the game, or the client wrote it while
/// playing.
fn is_played(first: &Macro, before: Option<&Stretch>) -> bool {
    match first.kind {
        MacroKind::Start => true,
        MacroKind::Data | MacroKind::Packet => first.id.0 == 1,
        _ => before.is_some_and(|before| before.playback),
    }
}

/// The directory offset of the header, if a directory can be read there.
fn named_directory(bytes: &[u8], dialect: &Dialect) -> Option<usize> {
    let offset = i32::from_le_bytes(*bytes.get(dialect.header_bytes().checked_sub(4)?..)?.first_chunk::<4>()?);
    directory::read(bytes, offset).ok().and_then(|_| usize::try_from(offset).ok())
}

/// The next offset from which several macros follow one another with rising times and frames.
pub(crate) fn resume(bytes: &[u8], from: usize, limit: usize, dialect: &Dialect, limits: &Limits) -> Option<usize> {
    let limit = limit.min(bytes.len());
    let heads = bytes.get(from..limit).unwrap_or_default().windows(HEAD_BYTES);
    let possible = heads.enumerate().filter(|(_, head)| is_possible_head(head, dialect)).map(|(at, _)| from + at);
    possible.into_iter().find(|&at| is_macro_run(bytes, at, limit, dialect, limits))
}

/// True if a macro may begin with these bytes. This test rules out nearly all offsets.
#[inline]
fn is_possible_head(head: &[u8], dialect: &Dialect) -> bool {
    let &[id, t0, t1, t2, t3, f0, f1, f2, f3] = head else { return false };
    let (time, frame) = (f32::from_le_bytes([t0, t1, t2, t3]), i32::from_le_bytes([f0, f1, f2, f3]));
    MacroType(id).kind(dialect.macros).is_some() && is_possible_time(time) && frame >= 0 && (id, time.to_bits(), frame) != (0, 0, 0)
}

fn is_possible_time(time: f32) -> bool {
    (-1.0..1e7).contains(&time)
}

/// True if several macros follow one another from `at` with rising times and frames.
pub(crate) fn is_macro_run(bytes: &[u8], mut at: usize, limit: usize, dialect: &Dialect, limits: &Limits) -> bool {
    let mut before: Option<Macro> = None;
    for read in 0..MIN_RUN {
        if read > 0 && (at >= limit || looks_like_directory(bytes, at)) {
            return read > 1 && before.is_some_and(|last| last.kind == MacroKind::End);
        }
        let Ok(found) = macros::find(bytes, at, limit, dialect, limits) else { return false };
        // blocks are full of zeros, so at a wrong offset one block of zeros seems to follow another
        if is_zero(&found) && (before.is_none() || !is_numbered(&found, dialect)) {
            return false;
        }
        if !is_possible_time(found.time) || found.frame < 0 {
            return false;
        }
        let goes_on = before.is_none_or(|last| last.kind == MacroKind::End || found.kind == MacroKind::Start || follows((last.time, last.frame), &found));
        if !goes_on {
            return false;
        }
        at = found.end();
        before = Some(found);
    }
    true
}

/// True if a macro counts on from this time and frame.
#[inline]
pub(crate) fn follows((time, frame): (f32, i32), found: &Macro) -> bool {
    found.time >= time && found.time - time < 60.0 && (0..10_000).contains(&(i64::from(found.frame) - i64::from(frame)))
}

/// Time and frame of a macro, if the next one counts on from them.
#[inline]
pub(crate) fn goes_on(found: &Macro) -> Option<(f32, i32)> {
    if matches!(found.kind, MacroKind::Start | MacroKind::End) { None } else { Some((found.time, found.frame)) }
}

/// True if bytes only look like a macro: their time or frame does not count on from the macro before, and the next macro fits neither. The
/// bytes of a hole look like a macro in many places. Times may be set back, as where recordings were put together, and one of several may be
/// damaged.
#[inline]
pub(crate) fn is_unfounded(chunk: Chunk<'_>, found: &Macro, before: Option<(f32, i32)>, limit: usize, dialect: &Dialect, limits: &Limits) -> bool {
    let Some(before) = before else { return false };
    // a hole of zeros is full of such heads, and no recorder writes one behind another macro
    if is_zero(found) {
        return true;
    }
    if follows(before, found) || found.kind == MacroKind::Start || found.end() >= limit {
        return false;
    }
    match macros::find_in(chunk, found.end(), limit, dialect, limits) {
        Ok(next) => goes_on(&next).is_some() && !follows(before, &next) && !follows((found.time, found.frame), &next),
        // the end of the file may cut the next one off
        Err(why) => matches!(why, NoMacro::Type(_) | NoMacro::Wild(..)),
    }
}

/// True for the head of a macro that is all zeros.
#[inline]
pub(super) fn is_zero(found: &Macro) -> bool {
    found.id.0 == 0 && found.time.to_bits() == 0 && found.frame == 0
}

/// Whether a data block has been received: the netchan counts from 1. In demo protocol 4 the numbers stand elsewhere.
fn is_numbered(found: &Macro, dialect: &Dialect) -> bool {
    found.kind != MacroKind::Data || found.body.get(dialect.info_bytes()..).and_then(|rest| rest.first_chunk::<4>()).is_some_and(|first| *first != [0; 4])
}

/// Whether a directory seems to begin at `at`: a count, then a first entry with a readable title. A macro has the
/// high byte of its frame number where the title starts.
pub(crate) fn looks_like_directory(bytes: &[u8], at: usize) -> bool {
    let Some(start) = bytes.get(at..).and_then(|rest| rest.first_chunk::<12>()) else { return false };
    let word = |at: usize| i32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
    (1..=directory::MAX_ENTRIES as i32).contains(&word(0))
        && matches!(word(4), directory::LOADING | directory::PLAYBACK)
        && start[8..].iter().all(u8::is_ascii_graphic)
}

impl Container<'_> {
    /// Whether a directory stands at `at`, used or not.
    pub(crate) fn is_directory(&self, at: usize) -> bool {
        looks_like_directory(self.bytes, at) || named_directory(self.bytes, &self.dialect) == Some(at)
    }

    /// The segments as walking finds them, whatever the directory says.
    pub fn walked(&self) -> Vec<Stretch> {
        walk(self.bytes, &self.dialect, self.limits())
    }
}
