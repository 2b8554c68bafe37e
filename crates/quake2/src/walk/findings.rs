//! Damage findings: one for each cause, with its extent.

use fragreel_model::{Damage, DamageKind, Extent};

/// Collects damage in stream order. Merges findings of one kind that follow each other with nothing sound in between.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    list: Vec<Damage>,
    /// The maximum number of findings to keep, and how many exceeded it.
    most: usize,
    pub omitted: u64,
    /// The number of calls of [`add`](Self::add), and of frames that made a finding grow.
    pub added: u64,
    /// While the last finding may still grow.
    run: Option<Run>,
    /// While frames build on a missing base: the finding about the base.
    base: Option<(usize, Run)>,
    /// The findings in a copy that [`show`](Self::show) made need no update before this one.
    settled: usize,
    /// The current block, and its end in the file.
    block: u32,
    block_end: u64,
}

/// How many findings or frames a finding stands for, and the block of the latest.
#[derive(Debug, Clone, Copy)]
struct Run {
    count: u64,
    block: u32,
}

impl Findings {
    /// Keeps `most` findings and counts the rest.
    pub(crate) fn new(most: usize) -> Self {
        Findings { most, ..Findings::default() }
    }

    /// Starts a block.
    pub(crate) fn block(&mut self, number: u32, end: u64) {
        (self.block, self.block_end) = (number, end);
    }

    /// Marks a rebuilt frame. `uncertain`: it builds on a missing base, so the finding about the base extends to it. After a frame that
    /// does not, missing bases have another cause.
    pub(crate) fn frame(&mut self, uncertain: bool) {
        if !uncertain {
            self.end_base();
        } else if self.base.is_some_and(|(_, run)| run.block != self.block) {
            self.added += 1;
            self.extend_base(0);
        }
    }

    pub(crate) fn add(&mut self, damage: Damage) {
        self.added += 1;
        if damage.kind == DamageKind::MissingBase {
            if self.base.is_some() {
                self.extend_base(damage.offset);
            } else if self.push(damage) {
                self.base = Some((self.list.len() - 1, Run { count: 1, block: self.block }));
            }
            return;
        }
        let (block, last) = (self.block, self.list.last_mut());
        if let (Some(run), Some(last)) = (&mut self.run, last)
            && damage.kind == DamageKind::Message
            && last.kind == damage.kind
            && last.detail == damage.detail
            && block <= run.block + 1
        {
            *run = Run { count: run.count + 1, block };
            extend(last, damage.skipped.map_or(damage.offset, |skipped| skipped.to));
            return;
        }
        if self.push(damage) {
            self.run = Some(Run { count: 1, block: self.block });
        }
    }

    fn push(&mut self, damage: Damage) -> bool {
        self.end_run();
        let kept = self.list.len() < self.most;
        if kept {
            self.list.push(damage);
        } else {
            self.omitted += 1;
        }
        kept
    }

    /// Another frame lacks its base, or builds on one that did.
    fn extend_base(&mut self, offset: u64) {
        let Some((at, run)) = &mut self.base else { return };
        *run = Run { count: run.count + 1, block: self.block };
        extend(&mut self.list[*at], offset.max(self.block_end));
    }

    fn end_run(&mut self) {
        if let (Some(run), Some(last)) = (self.run.take(), self.list.last_mut()) {
            count_in(last, run);
        }
    }

    fn end_base(&mut self) {
        if let Some((at, run)) = self.base.take() {
            count_in(&mut self.list[at], run);
            self.settled = self.settled.min(at);
        }
    }

    /// Updates `shown`, a copy of the list. Copies only what is new or may have grown.
    pub(crate) fn show(&mut self, shown: &mut Vec<Damage>) {
        shown.truncate(self.settled);
        shown.extend_from_slice(self.list.get(shown.len()..).unwrap_or_default());
        if let (Some(run), Some(last)) = (self.run, shown.last_mut()) {
            count_in(last, run);
        }
        let growing = self.list.len().saturating_sub(1);
        self.settled = growing;
        if let Some((at, run)) = self.base {
            count_in(&mut shown[at], run);
            self.settled = at;
        }
    }

    /// Returns all findings.
    pub(crate) fn finish(&mut self) -> Vec<Damage> {
        self.end_run();
        self.end_base();
        std::mem::take(&mut self.list)
    }
}

/// Extends what a finding says was affected.
fn extend(finding: &mut Damage, to: u64) {
    let from = finding.skipped.map_or(finding.offset, |skipped| skipped.from);
    finding.skipped = Some(Extent { from, to: to.max(finding.skipped.map_or(0, |skipped| skipped.to)) });
}

/// Appends to a finding how many it stands for.
fn count_in(finding: &mut Damage, run: Run) {
    let Run { count: 2.., block } = run else { return };
    let more = run.count - 1;
    finding.detail += &match finding.kind {
        DamageKind::MissingBase => format!("; {more} more frames up to block {block}, which depend on it, are also uncertain"),
        _ => format!("; the same {more} more times up to block {block}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn damage(kind: DamageKind, detail: &str, offset: u64) -> Damage {
        Damage { offset, bit: None, path: String::new(), kind, detail: detail.to_owned(), skipped: None }
    }

    #[test]
    fn one_cause_is_one_finding() {
        let mut findings = Findings::new(10);
        let mut shown = Vec::new();
        for frame in 0..100u32 {
            findings.block(frame, u64::from(frame) * 10 + 10);
            match frame {
                10..50 | 60..90 => findings.add(damage(DamageKind::MissingBase, &format!("base {frame}"), u64::from(frame) * 10)),
                90..95 => findings.add(damage(DamageKind::Message, "number 0", u64::from(frame) * 10)),
                97 => findings.add(damage(DamageKind::Message, "number 0", 970)),
                _ => findings.frame((50..55).contains(&frame)),
            }
            findings.show(&mut shown);
            assert_eq!(shown, findings.clone().finish(), "{frame}");
        }
        let found = findings.finish();
        let extents: Vec<_> = found.iter().map(|one| (one.kind, one.offset, one.skipped.map(|skipped| (skipped.from, skipped.to)))).collect();
        assert_eq!(
            extents,
            [
                (DamageKind::MissingBase, 100, Some((100, 550))),
                (DamageKind::MissingBase, 600, Some((600, 900))),
                (DamageKind::Message, 900, Some((900, 940))),
                (DamageKind::Message, 970, None)
            ]
        );
        assert_eq!(found[0].detail, "base 10; 44 more frames up to block 54, which depend on it, are also uncertain");
    }
}
