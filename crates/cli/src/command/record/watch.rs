//! Looking at what is recorded while it is recorded: whether it has what it is for, what its tables say, and what the viewer shows.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fragreel::Recording;
use fragreel::model::{EventKind, Kind, MatchState};

use super::tables::Tables;
use crate::command::view::Growing;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::printable;

/// What ends a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Event {
    /// The end of the first complete match
    #[value(name = "match-over", alias = "match over")]
    MatchOver,
}

/// Looks at what is recorded now and then, and takes no more than a twentieth of the time for it.
pub struct Watch {
    until: Option<Event>,
    tables: Option<Tables>,
    /// Why there are no tables any more. The recording goes on.
    failed: Option<Failure>,
    viewer: Option<Arc<Growing>>,
    next: Instant,
}

/// Seconds between two looks, at least.
const PATIENCE: Duration = Duration::from_secs(2);
const SHARE: u32 = 20;

impl Watch {
    /// Begins to look, if there is anything to look for.
    pub fn new(until: Option<Event>, tables: Option<Tables>, viewer: Option<Arc<Growing>>) -> Option<Self> {
        let wanted = until.is_some() || tables.is_some() || viewer.is_some();
        wanted.then(|| Watch { until, tables, failed: None, viewer, next: Instant::now() + PATIENCE })
    }

    /// Looks, if it is time. Whether what was waited for is in the file.
    pub fn is_over(&mut self, file: &Path) -> bool {
        if let Some(viewer) = &self.viewer {
            viewer.write(file);
        }
        let started = Instant::now();
        if started < self.next || (self.until.is_none() && self.tables.is_none()) {
            return false;
        }
        let over = self.look(file);
        self.next = Instant::now() + PATIENCE.max(started.elapsed() * SHARE);
        over
    }

    /// Takes in a file that is complete.
    pub fn complete(&mut self, file: &Path) {
        if let Some(viewer) = &self.viewer {
            viewer.complete(file);
        }
        if self.tables.is_some() && !interrupt::in_haste() {
            self.look(file);
        }
    }

    /// Nothing more is recorded. Fails if tables could not be written.
    pub fn finish(self) -> Result<(), Failure> {
        if let Some(viewer) = &self.viewer {
            viewer.finish();
        }
        self.failed.map_or(Ok(()), Err)
    }

    fn look(&mut self, file: &Path) -> bool {
        let Ok(bytes) = std::fs::read(file) else { return false };
        let Ok(recording) = Recording::open(bytes, &file.to_string_lossy()) else { return false };
        let written = self.tables.as_mut().map_or(Ok(()), |tables| tables.write(file, &recording));
        if let Err(failure) = written {
            eprintln!("stopped writing tables: {}", printable(&failure.one_line()));
            (self.tables, self.failed) = (None, Some(failure));
        }
        self.until.is_some() && match_is_over(&recording)
    }
}

fn match_is_over(recording: &Recording) -> bool {
    // who joins while scores are shown waits for the next match
    let is_over = |event: fragreel::model::Event| event.time.0 > 0 && matches!(event.kind, EventKind::Match { state: MatchState::Intermission, .. });
    recording.events(Kind::Match).take_while(|_| !interrupt::in_haste()).any(is_over)
}
