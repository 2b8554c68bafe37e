//! When a recording has what it is for.

use std::path::Path;
use std::time::{Duration, Instant};

use fragreel::Demo;
use fragreel::model::{EventKind, Kind, MatchState};

/// What ends a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Event {
    /// The first match that is played to its end: scores are shown
    #[value(name = "match-over", alias = "match over")]
    MatchOver,
}

/// Looks at what is recorded now and then, and takes no more than a twentieth of the time for it.
#[derive(Debug)]
pub struct Until {
    next: Instant,
}

/// Seconds between two looks, at least.
const PATIENCE: Duration = Duration::from_secs(2);
const SHARE: u32 = 20;

impl Until {
    /// Begins to look.
    pub fn new(_: Event) -> Self {
        Until { next: Instant::now() + PATIENCE }
    }

    /// Whether it is in the file.
    pub fn is_over(&mut self, file: &Path) -> bool {
        let started = Instant::now();
        if started < self.next {
            return false;
        }
        let over = std::fs::read(file).is_ok_and(|bytes| match_is_over(bytes, file));
        self.next = Instant::now() + PATIENCE.max(started.elapsed() * SHARE);
        over
    }
}

fn match_is_over(bytes: Vec<u8>, file: &Path) -> bool {
    let Ok(demo) = Demo::new(bytes, &file.to_string_lossy()) else { return false };
    let Ok(recording) = demo.open() else { return false };
    let mut over = false;
    recording.events([Kind::Match].into_iter().collect(), &mut |event| {
        // who joins while scores are shown waits for the next match
        over |= event.time.0 > 0 && matches!(event.kind, EventKind::Match { state: MatchState::Intermission, .. });
    });
    over
}
