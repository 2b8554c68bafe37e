//! Rows out of a recording's answers, a file for each kind of question.

mod aim;
mod audit;
mod commands;
mod events;
mod frames;
mod info;
mod moments;
mod movement;
mod runs;
mod scores;
mod strings;
mod walk;

use std::ops::ControlFlow;

use fragreel::model::{Damage, Event, Evidence, Kinds, Milliseconds, Player};

use crate::batch::{Batch, Rows};
use crate::column::Value;
use crate::declared::places as common;
use crate::query::Query;
use crate::schema::Origin;
use crate::source::Source;

pub(crate) use frames::Walk;

/// Where batches go: the place of the query, and rows of it. A break ends the reading.
pub type Sink<'s> = dyn FnMut(usize, Batch) -> ControlFlow<()> + 's;

/// Makes the rows of several queries, those of one origin in one pass, and hands them on as they are made. Returns the damage met on the
/// way, as far as these questions look.
///
/// ```
/// use std::ops::ControlFlow;
/// use fragreel_tables::{Query, Source, read};
///
/// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// let queries = [Query::of("kills")?, Query::of("positions")?.columns(["time", "name", "x", "y"])?.hz(10.0)];
/// let mut rows = [0, 0];
/// let damage = read(&Source::new(&recording, "dm_bots.dm_71"), &queries, &mut |query, batch| {
///     rows[query] += batch.rows;
///     ControlFlow::Continue(())
/// });
/// assert_eq!((rows[0], damage.len()), (11, 0));
/// assert!(rows[1] > 2000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(source: &Source<'_>, queries: &[Query], sink: &mut Sink<'_>) -> Vec<Damage> {
    read_beside(source, queries, Beside { kinds: Kinds::NONE, take: &mut |_| {} }, sink)
}

/// Events that somebody takes beside the tables, from the same walk.
pub(crate) struct Beside<'s> {
    pub(crate) kinds: Kinds,
    pub(crate) take: &'s mut dyn FnMut(&Event),
}

/// The same as [`read`], with events for somebody else: one walk over the events serves all.
pub(crate) fn read_beside(source: &Source<'_>, queries: &[Query], beside: Beside<'_>, sink: &mut Sink<'_>) -> Vec<Damage> {
    let mut origins: Vec<Origin> = queries.iter().map(|query| query.table.source).collect();
    origins.sort_unstable();
    origins.dedup();
    let mut works: Vec<(Origin, Work)> = origins.into_iter().map(|origin| (origin, Work::new(source, queries, origin))).collect();
    let mut damage = walk::make(source, &mut works, beside, sink);
    let mut is_over = works.iter().any(|(_, work)| work.stopped);
    for (origin, work) in &mut works {
        if is_over {
            break;
        }
        let more = match origin {
            Origin::Info => info::make(source, work, sink),
            Origin::Runs => runs::make(source, work, sink),
            Origin::Frames => frames::make(source, work, sink),
            Origin::Commands => commands::make(source, work, sink),
            Origin::Movement => movement::make(source, work, sink),
            Origin::Aim => aim::make(source, work, sink),
            Origin::Strings => strings::make(source, work, sink),
            Origin::Audit => audit::make(source, work, sink),
            // made by the walk
            Origin::Events | Origin::Scores | Origin::Moments => continue,
        };
        damage.extend(more);
        work.finish(sink);
        is_over = work.stopped;
    }
    // Every question sees the same damage.
    let mut seen = Vec::new();
    damage.retain(|one| {
        let is_new = !seen.contains(one);
        if is_new {
            seen.push(one.clone());
        }
        is_new
    });
    damage
}

/// The rows under way of the queries of one origin.
pub(crate) struct Work {
    /// The query's place and its rows.
    pub(crate) rows: Vec<(usize, Rows)>,
    pub(crate) queries: Vec<Query>,
    pub(crate) stopped: bool,
}

impl Work {
    pub(crate) fn new(source: &Source<'_>, queries: &[Query], origin: Origin) -> Self {
        let of_origin = || queries.iter().enumerate().filter(|(_, query)| query.table.source == origin);
        let rows = of_origin().map(|(at, query)| (at, Rows::new(query, source))).collect();
        Work { rows, queries: of_origin().map(|(_, query)| query.clone()).collect(), stopped: false }
    }

    /// Hands on what has become enough, and says whether more is wanted.
    pub(crate) fn hand_on(&mut self, sink: &mut Sink<'_>) -> ControlFlow<()> {
        self.hand(sink, Rows::is_full);
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn finish(&mut self, sink: &mut Sink<'_>) {
        self.hand(sink, |_| true);
    }

    fn hand(&mut self, sink: &mut Sink<'_>, ready: impl Fn(&Rows) -> bool) {
        for (at, rows) in &mut self.rows {
            if !self.stopped
                && ready(rows)
                && let Some(batch) = rows.take()
            {
                self.stopped = sink(*at, batch).is_break();
            }
        }
    }

    /// Whether a query of a table wants one of some columns, and may walk over frames for it.
    fn wants_frames(&self, table: &str, columns: &[usize]) -> bool {
        let mut of_table = self.queries.iter().zip(&self.rows).filter(|(query, _)| query.table.name == table && query.with_frames);
        of_table.any(|(_, (_, rows))| columns.iter().any(|&column| rows.wants(column)))
    }

    /// The rows of each query, with its table's name.
    fn tables(&mut self) -> impl Iterator<Item = (&'static str, &mut Rows)> {
        self.queries.iter().zip(&mut self.rows).map(|(query, (_, rows))| (query.table.name, rows))
    }
}

/// Where and when a row is.
#[derive(Clone, Copy)]
struct Place {
    level: u32,
    time: Milliseconds,
    server_time: Milliseconds,
    match_time: Option<Milliseconds>,
    message: u32,
    uncertain: bool,
}

impl Place {
    fn of(event: &Event, level: u32) -> Self {
        let Event { time, server_time, match_time, message, uncertain, .. } = *event;
        Place { level, time, server_time, match_time, message, uncertain }
    }

    fn put(self, rows: &mut Rows, evidence: Evidence) {
        rows.int(common::level, Some(self.level));
        rows.int(common::time, Some(self.time.0));
        rows.int(common::server_time, Some(self.server_time.0));
        rows.int(common::match_time, self.match_time.map(|time| time.0));
        rows.int(common::message, Some(self.message));
        rows.text(common::evidence, Some(evidence_name(evidence)));
        rows.flag(common::uncertain, Some(self.uncertain));
    }

    /// The same in some rows from the present one on.
    fn fill(self, rows: &mut Rows, evidence: Evidence, count: usize) {
        let whole = |value: Option<i64>| value.map_or(Value::Null, Value::Int);
        rows.fill(common::level, Value::Int(self.level.into()), count);
        rows.fill(common::time, Value::Int(self.time.0), count);
        rows.fill(common::server_time, Value::Int(self.server_time.0), count);
        rows.fill(common::match_time, whole(self.match_time.map(|time| time.0)), count);
        rows.fill(common::message, Value::Int(self.message.into()), count);
        rows.fill(common::evidence, Value::Text(evidence_name(evidence)), count);
        rows.fill(common::uncertain, Value::Bool(self.uncertain), count);
    }
}

fn evidence_name(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Stated => "stated",
        Evidence::Inferred => "inferred",
    }
}

/// The columns of a player: slot, name, name as sent (where the table has it), team.
fn put_player(rows: &mut Rows, [slot, name, team]: [usize; 3], raw: Option<usize>, player: Option<&Player>) {
    let Some(player) = player else { return };
    rows.int(slot, player.slot);
    let is_known = !player.name.raw.is_empty();
    rows.text(name, is_known.then_some(&player.name.clean));
    if let Some(raw) = raw {
        rows.text(raw, is_known.then_some(&player.name.raw));
    }
    rows.text(team, player.team.as_deref());
}
