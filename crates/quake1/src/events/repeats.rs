//! What goes to several readers one after the other is one event.

use model::Milliseconds;

/// Texts of the last moments.
#[derive(Debug, Clone, Default)]
pub struct Repeats {
    recent: Vec<(Milliseconds, Vec<u8>)>,
}

impl Repeats {
    /// Whether a text was not just seen.
    pub fn is_new(&mut self, now: Milliseconds, text: &[u8]) -> bool {
        const AT_ONCE: i64 = 100;
        self.recent.retain(|(time, _)| (now - *time).0 <= AT_ONCE);
        if self.recent.iter().any(|(_, known)| known == text) {
            return false;
        }
        self.recent.push((now, text.to_vec()));
        true
    }
}
