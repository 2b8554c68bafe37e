//! A finding in a line.

use std::fmt::Write;

use fragreel::model::Damage;

/// A finding in a line: kind, place, rule, and what was passed over.
pub fn describe(damage: &Damage) -> String {
    let mut text = format!("{} at offset {}", damage.kind.name(), damage.offset);
    if let Some(bit) = damage.bit {
        let _ = write!(text, ", bit {bit}");
    }
    if !damage.path.is_empty() {
        let _ = write!(text, " ({})", damage.path);
    }
    let _ = write!(text, ": {}", damage.detail);
    if let Some(skipped) = damage.skipped {
        let _ = write!(text, "; skipped {} to {}", skipped.from, skipped.to);
    }
    text
}
