//! Neighboring sectors of a disk that stand in the wrong order.

use fragreel_base::wire::Error;
use fragreel_model::{Action, DamageKind, Edited, Verification};

use crate::Recording;

/// Bytes of a disk's sector.
const SECTOR: usize = 512;
/// Sectors before the first damage that may be the first of two in the wrong order: what is read wrongly is seen a little later.
const BEFORE: usize = 4;
/// Most pairs of sectors that are exchanged to try, and most bytes that are read for it.
const PAIRS: usize = 40;
const BYTES: usize = 16 << 20;

/// The recording with two neighboring sectors exchanged, and the offset of the first, if nothing is damaged there then.
pub(super) fn in_order(recording: &Recording) -> Option<(Recording, u64)> {
    let before = recording.verify();
    let damage = before.damage.iter().filter(|damage| is_inside(damage.kind)).min_by_key(|damage| damage.offset)?;
    let (bytes, offset) = (recording.bytes(), damage.offset as usize);
    let last = damage.skipped.map_or(offset, |skipped| skipped.to as usize) / SECTOR;
    let first = (offset / SECTOR).saturating_sub(BEFORE);
    let pairs = PAIRS.min(BYTES / bytes.len().max(1));
    let places = (first..=last).map(|sector| sector * SECTOR).filter(|&from| is_pair(bytes.get(from..from + 2 * SECTOR)));
    places.take(pairs).find_map(|from| {
        let ordered = exchanged(recording, from as u64).ok()?;
        is_better(&ordered.verify(), &before, (from + 2 * SECTOR) as u64).then_some((ordered, from as u64))
    })
}

/// What an edited recording was made of: the source with those sectors exchanged that the edit exchanged, if it did so.
pub(super) fn source_of(edited: &Edited, source: &Recording) -> Option<Result<Recording, Error>> {
    edited.actions.iter().find_map(|action| match action {
        Action::SectorsExchanged { offset } => Some(exchanged(source, *offset)),
        _ => None,
    })
}

/// The recording with the two sectors at `from` exchanged.
fn exchanged(recording: &Recording, from: u64) -> Result<Recording, Error> {
    let mut bytes = recording.bytes().to_vec();
    let pair = bytes.get_mut(from as usize..from as usize + 2 * SECTOR).ok_or_else(|| Error::misuse("there are no two sectors"))?;
    pair.rotate_left(SECTOR);
    recording.like(bytes)
}

/// Whether the bytes are two sectors with content that differs: of a sector that was never written, nothing is elsewhere.
fn is_pair(bytes: Option<&[u8]>) -> bool {
    let Some((one, other)) = bytes.map(|bytes| bytes.split_at(SECTOR)) else { return false };
    one != other && [one, other].iter().all(|sector| sector.iter().any(|byte| *byte != sector[0]))
}

fn is_inside(kind: DamageKind) -> bool {
    !matches!(kind, DamageKind::NoEndMarker | DamageKind::Unsupported | DamageKind::TrailingData)
}

/// Whether what was damaged up to `end` is whole, and nothing else was lost for it.
fn is_better(after: &Verification, before: &Verification, end: u64) -> bool {
    let count = |report: &Verification| report.damage.len() as u64 + report.damage_omitted;
    let damaged = after.damage.iter().any(|damage| is_inside(damage.kind) && damage.offset < end);
    !damaged && count(after) < count(before) && after.snapshots >= before.snapshots
}
