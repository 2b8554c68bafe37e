//! What a command that edits does, and what its answers are.

use crate::resume::Shape;

/// What a command does, in the words that failures and progress need.
pub struct Doing {
    /// The command's name.
    pub name: &'static str,
    /// As in "cutting the recording".
    pub now: &'static str,
    /// As in "cannot be cut".
    pub done: &'static str,
    /// What to do when it cannot be.
    pub help: &'static str,
    /// Whether the result of a damaged source is put in place though it is damaged too, as a matter of course.
    pub of_damaged: bool,
    /// How the result stands to the sources.
    pub result: Against,
}

/// How a result stands to its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// Its frames are the source's, and so is all else.
    Source,
    /// Its frames are the source's.
    Frames,
    /// Its frames are those of all sources.
    Parts,
    /// It differs from the first source: that is what was asked for.
    Wishes,
}

/// What a command's report holds; `several`: whether a recording may have several results.
pub fn shape(doing: &Doing, several: bool) -> Shape {
    let keys = &["edit", "output", "format", "bytes", "actions", "losses", "frames_compared", "whole", "damage"];
    Shape { keys, instead: &[], edit: Some(doing.name), headings: String::new(), several }
}
