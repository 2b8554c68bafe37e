//! Damage found during a walk: one finding per cause.

use fragreel_base::wire::Limits;
use fragreel_model::{Damage, DamageKind, Extent};

use crate::container::Block;

/// Damage in file order. Damage that directly follows the last finding has the same cause and extends it.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The findings, up to the limit.
    pub kept: Vec<Damage>,
    /// The number of findings beyond the limit.
    pub omitted: u64,
    /// The end of the last finding, kept or not.
    end: Option<u64>,
}

impl Findings {
    /// Adds a finding and the bytes skipped because of it. Calls `damage` only if the finding is kept.
    pub(crate) fn add(&mut self, skipped: Option<Extent>, damage: impl FnOnce() -> Damage, limits: &Limits) {
        if self.is_kept(skipped, limits) {
            self.kept.push(Damage { skipped, ..damage() });
        }
    }

    /// Counts a finding. False if it extends the last one, or exceeds the limit.
    fn is_kept(&mut self, skipped: Option<Extent>, limits: &Limits) -> bool {
        if let (Some(end), Some(Extent { from, to })) = (self.end, skipped)
            && from <= end
        {
            self.end = Some(to.max(end));
            if self.omitted == 0
                && let Some(Extent { to: last, .. }) = self.kept.last_mut().and_then(|last| last.skipped.as_mut())
            {
                *last = to.max(end);
            }
            return false;
        }
        self.end = skipped.map(|skipped| skipped.to);
        let has_room = self.kept.len() < limits.damage_entries;
        self.omitted += u64::from(!has_room);
        has_room
    }
}

/// One remark for many blocks or messages: the first one, and how many there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Remark {
    first: Option<Damage>,
    count: u64,
}

impl Remark {
    /// Counts another one.
    pub(crate) fn count(&mut self, first: impl FnOnce() -> Damage) {
        self.count += 1;
        self.first.get_or_insert_with(first);
    }

    /// The remark and its count. `None` if nothing was counted.
    pub(crate) fn into_note(self) -> Option<Damage> {
        let mut note = self.first?;
        match self.count {
            1 => {}
            2 => note.detail.push_str(" (and once more)"),
            count => note.detail.push_str(&format!(" (and {} more times)", count - 1)),
        }
        Some(note)
    }
}

/// Damage from broken framing, or from a file that ends early at byte `to`.
pub(crate) fn broken(error: &fragreel_base::wire::Error, to: u64, length: usize) -> Damage {
    let kind = if to == length as u64 && error.kind() == fragreel_base::wire::ErrorKind::Malformed { DamageKind::Truncated } else { DamageKind::Framing };
    Damage::of(error, kind)
}

/// Damage from a message with an unknown number.
pub(crate) fn unknown(number: u8, at: usize, block: &Block<'_>) -> Damage {
    let error = fragreel_base::wire::Error::malformed(format!("no message has the number {number}")).at_bit(at as u64 * 8).in_message_at(block.data_offset);
    Damage::of(&error.inside("block", Some(block.number)), DamageKind::Message)
}

/// Damage from a message that can be read, but stops engines.
pub(crate) fn unplayable(why: String, at: usize, block: &Block<'_>) -> Damage {
    let error = fragreel_base::wire::Error::malformed(why).at_bit(at as u64 * 8).in_message_at(block.data_offset);
    Damage::of(&error.inside("block", Some(block.number)), DamageKind::Message)
}

/// Damage from a block whose time is not plausible.
pub(crate) fn no_time(why: &'static str, block: &Block<'_>) -> Damage {
    Damage::of(&fragreel_base::wire::Error::malformed(why).at_offset(block.offset).inside("block", Some(block.number)), DamageKind::Framing)
}

/// Damage from a block whose time the blocks before and after contradict.
pub(crate) fn contradicted(block: &Block<'_>) -> Damage {
    let error = fragreel_base::wire::Error::malformed("the blocks before and after contradict the time of this one");
    Damage::of(&error.at_offset(block.offset).inside("block", Some(block.number)), DamageKind::Framing)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three findings without a gap are one.
    #[test]
    fn one_hole_is_one_finding() {
        let mut findings = Findings::default();
        let mut worded = 0;
        for (from, to) in [(10, 20), (20, 25), (22, 40), (50, 60)] {
            let damage = || {
                worded += 1;
                Damage::of(&fragreel_base::wire::Error::malformed("broken").at_offset(from), DamageKind::Framing)
            };
            findings.add(Some(Extent { from, to }), damage, &Limits::default());
        }
        assert_eq!(findings.kept.iter().map(|found| found.skipped).collect::<Vec<_>>(), [Some(Extent { from: 10, to: 40 }), Some(Extent { from: 50, to: 60 })]);
        assert_eq!((findings.omitted, worded), (0, 2));
    }
}
