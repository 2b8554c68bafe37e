//! One finding for one cause.

use crate::Damage;

/// Gathers what is broken, so that one cause is one finding: frames that cannot be played because of a finding before them belong
/// to it, until a frame can be played again.
///
/// ```
/// use fragreel_model::{Damage, DamageKind, Extent};
/// use fragreel_model::replay::Findings;
///
/// let at = |kind, from, to| Damage { offset: from, bit: None, path: String::new(), kind, detail: String::from("bytes are missing"), skipped: None }.skipping(from, to);
/// let mut findings = Findings::default();
/// assert_eq!(findings.cause(at(DamageKind::Framing, 10, 20)), None);
/// assert_eq!(findings.consequence(at(DamageKind::MissingBase, 30, 40)), None);
/// assert_eq!(findings.consequence(at(DamageKind::MissingBase, 40, 50)), None);
/// let hole = findings.close().unwrap();
/// assert_eq!(hole.skipped, Some(Extent { from: 10, to: 50 }));
/// assert_eq!(hole.detail, "bytes are missing; 2 frames after it cannot be played either");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Findings {
    open: Option<Damage>,
    frames: u64,
    uncertain: u64,
}

impl Findings {
    /// Something is broken by itself, unless it begins where the last finding ends: then it is more of the same. Returns the
    /// finding before it, which is complete now.
    pub fn cause(&mut self, damage: Damage) -> Option<Damage> {
        if let (Some(open), Some(more)) = (&mut self.open, damage.skipped)
            && let Some(skipped) = &mut open.skipped
            && skipped.to == more.from
        {
            skipped.to = more.to;
            return None;
        }
        let before = self.close();
        self.open = Some(damage);
        before
    }

    /// A frame cannot be played, because of the last finding if no frame could be played since.
    pub fn consequence(&mut self, damage: Damage) -> Option<Damage> {
        let Some(open) = &mut self.open else { return self.cause(damage) };
        self.frames += 1;
        let to = damage.skipped.map_or(damage.offset, |skipped| skipped.to);
        let from = open.skipped.map_or(open.offset, |skipped| skipped.from);
        *open = std::mem::replace(open, damage).skipping(from, to);
        None
    }

    /// A frame was decoded from the last known state, because its delta base is missing or uncertain itself. Such frames are counted, and cost no
    /// bytes.
    ///
    /// ```
    /// use fragreel_model::{Damage, DamageKind, Extent};
    /// use fragreel_model::replay::Findings;
    ///
    /// let at = |kind, from, to| Damage { offset: from, bit: None, path: String::new(), kind, detail: String::from("bytes are missing"), skipped: None }.skipping(from, to);
    /// let mut findings = Findings::default();
    /// assert_eq!(findings.cause(at(DamageKind::Framing, 10, 20)), None);
    /// assert_eq!(findings.uncertain(|| at(DamageKind::MissingBase, 30, 40)), None);
    /// assert_eq!(findings.uncertain(|| at(DamageKind::MissingBase, 40, 50)), None);
    /// let hole = findings.close().unwrap();
    /// assert_eq!(hole.skipped, Some(Extent { from: 10, to: 20 }));
    /// assert_eq!(hole.detail, "bytes are missing; 2 frames after it are uncertain: decoded against the last known state");
    /// ```
    pub fn uncertain(&mut self, damage: impl FnOnce() -> Damage) -> Option<Damage> {
        if self.open.is_none() {
            self.open = Some(Damage { skipped: None, ..damage() });
        }
        self.uncertain += 1;
        None
    }

    /// Whether frames behind the last finding are uncertain. Where deltas skip frames, certain ones may stand between them.
    pub fn is_uncertain(&self) -> bool {
        self.uncertain > 0
    }

    /// A frame could be played, or nothing follows: returns the last finding, which is complete now.
    #[inline]
    pub fn close(&mut self) -> Option<Damage> {
        if self.open.is_none() { None } else { self.complete() }
    }

    #[cold]
    fn complete(&mut self) -> Option<Damage> {
        let mut damage = self.open.take()?;
        match std::mem::take(&mut self.uncertain) {
            0 => {}
            1 => damage.detail.push_str("; the frame after it is uncertain: decoded against the last known state"),
            frames => damage.detail.push_str(&format!("; {frames} frames after it are uncertain: decoded against the last known state")),
        }
        match std::mem::take(&mut self.frames) {
            0 => {}
            1 => damage.detail.push_str("; the frame after it cannot be played either"),
            frames => damage.detail.push_str(&format!("; {frames} frames after it cannot be played either")),
        }
        Some(damage)
    }
}
