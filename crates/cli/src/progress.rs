//! What is being done, where somebody watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::shell::Shell;

/// A line on the terminal that says what is being done; gone when dropped, and never in a pipe.
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins. What takes but a moment is never shown.
    pub fn new(shell: &Shell, what: &'static str) -> Self {
        let bar = if shell.errors_are_terminal { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}, {elapsed}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress(bar)
    }

    /// Goes on with something else.
    pub fn say(&self, what: &'static str) {
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
