//! What a catalogue keeps of a recording.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use crate::catalogue::marks::{Marks, MarksMaker};
use crate::make::{Beside, read_beside};
use crate::{Batch, Query, Source};

/// Figures that only frames show. A catalogue does without: a walk over the frames would double the time that a recording takes.
const FROM_FRAMES: [&str; 4] = ["time_on_team", "time_alive", "distance", "lost"];

/// The tables that a catalogue has of every recording, as `docs/tables.md` declares them.
pub(super) static KEPT: LazyLock<Vec<Query>> = LazyLock::new(|| {
    let names = ["recordings", "levels", "matches", "players", "scores", "chat", "findings"];
    let queries = names.iter().filter_map(|name| Query::of(name).ok());
    let kept = queries.filter_map(|query| {
        let names = query.names();
        query.columns(names.into_iter().filter(|name| !FROM_FRAMES.contains(name))).ok()
    });
    kept.map(Query::without_frames).collect()
});

/// What a catalogue keeps of a recording.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(crate) recording: String,
    /// With the place of their query in [`KEPT`].
    pub(crate) batches: Vec<(usize, Batch)>,
    pub(crate) marks: Marks,
    damaged: bool,
}

impl Entry {
    /// Asks a recording everything that is kept of it.
    pub fn of(source: &Source<'_>) -> Self {
        let mut batches = Vec::new();
        let mut marks = MarksMaker::default();
        let beside = Beside { kinds: MarksMaker::KINDS.into(), take: &mut |event| marks.take(event) };
        let damage = read_beside(source, &KEPT, beside, &mut |query, batch| {
            batches.push((query, batch));
            ControlFlow::Continue(())
        });
        Entry { recording: source.id().to_owned(), batches, marks: marks.finish(source), damaged: !damage.is_empty() }
    }

    /// Whether something in it is broken.
    pub fn is_damaged(&self) -> bool {
        self.damaged
    }

    /// The recording's name by content.
    pub fn recording(&self) -> &str {
        &self.recording
    }
}
