//! Damage findings: one for each cause, with its extent.

use model::{Damage, DamageKind, Extent};

/// Collects damage in stream order. Merges findings of one kind that follow each other with nothing sound in between.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    list: Vec<Damage>,
    /// The maximum number of findings to keep, and how many exceeded it.
    most: usize,
    pub omitted: u64,
    /// The number of calls of [`add`](Self::add).
    pub added: u64,
    /// While the last finding may still grow: how many it stands for, and the block of the latest.
    run: Option<(u64, u32)>,
    /// The current block, and its end in the file.
    block: u32,
    block_end: u64,
}

impl Findings {
    /// Keeps `most` findings and counts the rest.
    pub fn new(most: usize) -> Self {
        Findings { most, ..Findings::default() }
    }

    /// Starts a block.
    pub fn block(&mut self, number: u32, end: u64) {
        (self.block, self.block_end) = (number, end);
    }

    /// Marks a rebuilt frame. Later missing bases have another cause.
    pub fn frame(&mut self) {
        if self.list.last().is_some_and(|last| last.kind == DamageKind::MissingBase) {
            self.end_run();
        }
    }

    pub fn add(&mut self, damage: Damage) {
        self.added += 1;
        let same = match (self.list.last(), self.run) {
            (Some(last), Some(_)) if damage.kind == DamageKind::MissingBase => last.kind == damage.kind,
            (Some(last), Some((_, block))) if damage.kind == DamageKind::Message => {
                last.kind == damage.kind && last.detail == damage.detail && self.block <= block + 1
            }
            _ => false,
        };
        match (&mut self.run, self.list.last_mut()) {
            (Some((count, block)), Some(last)) if same => {
                (*count, *block) = (*count + 1, self.block);
                let end =
                    damage.skipped.map_or(damage.offset, |skipped| skipped.to).max(if damage.kind == DamageKind::MissingBase { self.block_end } else { 0 });
                let from = last.skipped.map_or(last.offset, |skipped| skipped.from);
                last.skipped = Some(Extent { from, to: end.max(last.skipped.map_or(0, |skipped| skipped.to)) });
            }
            _ => {
                self.end_run();
                if self.list.len() >= self.most {
                    self.omitted += 1;
                    return;
                }
                self.list.push(damage);
                self.run = Some((1, self.block));
            }
        }
    }

    fn end_run(&mut self) {
        let run = self.run.take();
        if let Some(last) = self.list.last_mut() {
            count_in(last, run);
        }
    }

    /// Updates `shown`, a copy of the list. Copies only what is new, and the last finding, which may have grown.
    pub fn show(&self, shown: &mut Vec<Damage>) {
        shown.truncate(shown.len().saturating_sub(1));
        shown.extend_from_slice(self.list.get(shown.len()..).unwrap_or_default());
        if let Some(last) = shown.last_mut() {
            count_in(last, self.run);
        }
    }

    /// Returns all findings.
    pub fn finish(&mut self) -> Vec<Damage> {
        self.end_run();
        std::mem::take(&mut self.list)
    }
}

/// Appends to a finding how many it stands for.
fn count_in(last: &mut Damage, run: Option<(u64, u32)>) {
    let Some((count, block)) = run.filter(|(count, _)| *count > 1) else { return };
    let more = count - 1;
    last.detail += &match last.kind {
        DamageKind::MissingBase => format!("; with it {more} more up to block {block}, which build on it"),
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
                _ => findings.frame(),
            }
            findings.show(&mut shown);
            assert_eq!(shown, findings.clone().finish(), "{frame}");
        }
        let found = findings.finish();
        let extents: Vec<_> = found.iter().map(|one| (one.kind, one.offset, one.skipped.map(|skipped| (skipped.from, skipped.to)))).collect();
        assert_eq!(
            extents,
            [
                (DamageKind::MissingBase, 100, Some((100, 500))),
                (DamageKind::MissingBase, 600, Some((600, 900))),
                (DamageKind::Message, 900, Some((900, 940))),
                (DamageKind::Message, 970, None)
            ]
        );
        assert_eq!(found[0].detail, "base 10; with it 39 more up to block 49, which build on it");
    }
}
