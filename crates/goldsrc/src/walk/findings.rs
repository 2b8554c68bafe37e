//! Blocks that fail because of what an earlier place lost: an announcement or a description that is missing makes every message
//! that needs it unreadable. That is one finding, however many blocks show it.

use model::Damage;
use wire::Error;

/// Rules that are broken wherever the same thing is missing.
const FOLLOWING: &[&str] = &[crate::message::NOT_ANNOUNCED, crate::message::NOT_DESCRIBED];

/// The first block of each kind, and how many came after it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unreadable {
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone)]
struct Kind {
    rule: String,
    /// Which finding of the list it is.
    at: usize,
    more: u64,
    last: u32,
}

impl Unreadable {
    /// Counts the block of macro `number` if one has failed for the same reason, and says which finding that was.
    pub(crate) fn again(&mut self, error: &Error, number: u32) -> Option<usize> {
        let kind = self.kinds.iter_mut().find(|kind| kind.rule == error.detail())?;
        kind.more += 1;
        kind.last = number;
        Some(kind.at)
    }

    /// The first of its kind becomes the finding `at` of a list.
    pub(crate) fn first(&mut self, error: &Error, at: usize) {
        if FOLLOWING.contains(&error.detail()) {
            self.kinds.push(Kind { rule: error.detail().to_owned(), at, more: 0, last: 0 });
        }
    }

    /// Says in the findings how far they extend.
    pub(crate) fn finish(&self, list: &mut [Damage]) {
        for Kind { at, more, last, .. } in self.kinds.iter().filter(|kind| kind.more > 0) {
            if let Some(first) = list.get_mut(*at) {
                first.detail.push_str(&format!("; {more} more data blocks up to macro {last} fail for the same reason"));
            }
        }
    }
}
