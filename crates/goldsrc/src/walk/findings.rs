//! The damage that a walk meets, as a list of findings.
//!
//! One missing announcement or description makes every later message that needs it unreadable. That is one finding, however many blocks
//! show it.

use fragreel_base::wire::Error;
use fragreel_model::Damage;

use super::playback::Playback;
use crate::container::body;
use crate::container::{Macro, MacroKind};
use crate::dialect::Dialect;

use super::input::Input;

/// Rules that are broken wherever the same thing is missing.
const FOLLOWING: &[&str] = &[crate::message::NOT_ANNOUNCED, crate::message::NOT_DESCRIBED];

/// The damage met on a walk, up to a limit.
#[derive(Debug, Clone)]
pub(crate) struct Findings {
    list: Vec<Damage>,
    limit: usize,
    repeats: Repeats,
}

impl Findings {
    /// Starts with what is already known.
    pub(crate) fn new(known: Vec<Damage>, limit: usize) -> Self {
        Findings { list: known, limit, repeats: Repeats::default() }
    }

    pub(crate) fn add(&mut self, damage: Damage) {
        if self.list.len() < self.limit {
            self.list.push(damage);
        }
    }

    /// Adds the error of the block of macro `number`, unless an earlier block failed for the same reason.
    #[cold]
    pub(crate) fn add_unreadable(&mut self, playback: &Playback, error: &Error, number: u32, window: &Macro) {
        if self.repeats.count(error, number).is_none() {
            self.repeats.start(error, self.list.len());
            self.add(playback.damage(error, number, window));
        }
    }

    /// The findings so far. Repeats are not yet counted in them.
    pub(crate) fn list(&self) -> &[Damage] {
        &self.list
    }

    /// All findings, each with the number of blocks that fail for the same reason.
    pub(crate) fn finish(mut self) -> Vec<Damage> {
        self.repeats.annotate(&mut self.list);
        self.list.truncate(self.limit);
        self.list
    }
}

/// Counts blocks that fail for a reason already reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repeats {
    causes: Vec<Cause>,
}

#[derive(Debug, Clone)]
struct Cause {
    rule: String,
    /// Index of the finding.
    at: usize,
    more: u64,
    last: u32,
}

impl Repeats {
    /// Counts macro `number` if an earlier block failed for the same reason. Returns the index of that finding.
    pub(crate) fn count(&mut self, error: &Error, number: u32) -> Option<usize> {
        let cause = self.causes.iter_mut().find(|cause| cause.rule == error.detail())?;
        cause.more += 1;
        cause.last = number;
        Some(cause.at)
    }

    /// Remembers the first error of its kind. It becomes the finding with index `at`.
    pub(crate) fn start(&mut self, error: &Error, at: usize) {
        if FOLLOWING.contains(&error.detail()) {
            self.causes.push(Cause { rule: error.detail().to_owned(), at, more: 0, last: 0 });
        }
    }

    /// Adds the counts to the findings.
    pub(crate) fn annotate(&self, list: &mut [Damage]) {
        for Cause { at, more, last, .. } in self.causes.iter().filter(|cause| cause.more > 0) {
            if let Some(first) = list.get_mut(*at) {
                first.detail.push_str(&format!("; {more} more data blocks up to macro {last} fail for the same reason"));
            }
        }
    }
}

/// True if `first` is the first macro of a played segment but no start macro. Games count the segment's times from its start macro.
pub(crate) fn lacks_start(input: &Input, segment: usize, first: &Macro) -> bool {
    input.is_played(segment) && first.kind != MacroKind::Start
}

/// True if a data block with messages repeats the one before it. The netchan's numbers in it never come twice.
pub(crate) fn is_repeated(before: &Macro, window: &Macro, dialect: &Dialect) -> bool {
    let same = before.kind == MacroKind::Data && (before.id, before.frame, before.body) == (window.id, window.frame, window.body);
    same && before.time.to_bits() == window.time.to_bits() && body::messages(window, dialect).is_some_and(|(_, data)| !data.is_empty())
}
