//! The rows of one query, pulled.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use fragreel::Recording;

use crate::batch::Batch;
use crate::make::{self, Walk};
use crate::query::Query;
use crate::source::Source;

/// The rows of a query, batch by batch. Frames are decoded as they are pulled; all else is read in one pass at the first pull.
///
/// ```
/// use fragreel_tables::{Batches, Query, Source};
///
/// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// let source = Source::new(&recording, "dm_bots.dm_71");
/// let query = Query::of("positions")?.columns(["name", "health"])?.filter("health > 100")?;
/// let rows: usize = Batches::new(&source, &query).map(|batch| batch.rows).sum();
/// assert!(rows > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Batches<'s>(Kind<'s>);

enum Kind<'s> {
    Walk(Box<Walk>),
    Pass { source: &'s Source<'s>, query: Query, made: Option<VecDeque<Batch>> },
}

impl<'s> Batches<'s> {
    /// The rows of a query.
    pub fn new(source: &'s Source<'s>, query: &Query) -> Self {
        Batches(match Walk::new(source, query) {
            Some(walk) => Kind::Walk(Box::new(walk)),
            None => Kind::Pass { source, query: query.clone(), made: None },
        })
    }
}

impl Iterator for Batches<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        match &mut self.0 {
            Kind::Walk(walk) => walk.next(),
            Kind::Pass { source, query, made } => {
                let made = made.get_or_insert_with(|| {
                    let mut all = VecDeque::new();
                    make::read(source, std::slice::from_ref(query), &mut |_, batch| {
                        all.push_back(batch);
                        ControlFlow::Continue(())
                    });
                    all
                });
                made.pop_front()
            }
        }
    }
}

/// How many batches a [`Stream`] is ahead of its reader.
const AHEAD: usize = 2;

/// The rows of several queries on a recording that nobody else must hold: read on a thread of its own, a little ahead of the reader.
/// Dropped, it stops soon.
pub struct Stream {
    batches: Receiver<(usize, Batch)>,
}

impl Stream {
    /// Begins to read; batches come with the place of their query. `id` and `path` are as for [`Source::named`].
    pub fn new(recording: Recording, id: impl Into<String>, path: impl Into<String>, queries: Vec<Query>) -> Self {
        let (sender, batches) = sync_channel(AHEAD);
        let (id, path) = (id.into(), path.into());
        thread::spawn(move || {
            make::read(&Source::named(&recording, id, path), &queries, &mut |query, batch| match sender.send((query, batch)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            });
        });
        Stream { batches }
    }
}

impl Iterator for Stream {
    type Item = (usize, Batch);

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.recv().ok()
    }
}
