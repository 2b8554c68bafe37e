//! Players that are asked for by their names.

use std::sync::atomic::{AtomicBool, Ordering};

use fragreel::edit::Pattern;

use crate::output::printable;

/// The names that were given, and whether a recording had one of them.
pub struct Named {
    names: Vec<(String, Pattern)>,
    met: AtomicBool,
}

impl Named {
    pub fn new(names: &[String]) -> Self {
        Named { names: names.iter().map(|name| (name.clone(), Pattern::new(name))).collect(), met: AtomicBool::new(false) }
    }

    /// Whether no name was given: everybody is meant.
    pub fn are_all(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a name without its colors is one of them, or everybody is meant.
    pub fn hold(&self, clean: &str) -> bool {
        let found = self.names.iter().any(|(_, pattern)| pattern.matches(clean));
        if found {
            self.met.store(true, Ordering::Relaxed);
        }
        found || self.are_all()
    }

    /// Says that nobody is called that, where nobody is.
    pub fn remark(&self) {
        if self.are_all() || self.met.load(Ordering::Relaxed) {
            return;
        }
        let names: Vec<String> = self.names.iter().map(|(name, _)| format!("`{}`", printable(name))).collect();
        eprintln!("no player is called {}; `fragreel info --json` lists the players", names.join(" or "));
    }
}
