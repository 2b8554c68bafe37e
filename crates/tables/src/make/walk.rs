//! One walk over the events of a recording, for every table that is made of events.

use fragreel::Questions;
use fragreel::model::{Damage, Kind};

use super::events::{self, Level, Names};
use super::scores::{self, Entered};
use super::{Beside, Place, Sink, Work, commands, moments};
use crate::schema::Origin;
use crate::source::Source;

/// What the walk must collect for tables of an origin; `None` where it serves none of them.
fn asked(origin: Origin, work: &Work, questions: Questions) -> Option<Questions> {
    match origin {
        Origin::Events => Some(events::asked(work, questions)),
        Origin::Scores => Some(questions.scores()),
        Origin::Moments => Some(questions.highlights(moments::wanted(work))),
        Origin::Commands => Some(questions.events(Kind::Command)),
        Origin::Info | Origin::Runs | Origin::Frames | Origin::Movement | Origin::Aim | Origin::Strings | Origin::Audit => None,
    }
}

pub(super) fn make(source: &Source<'_>, works: &mut [(Origin, Work)], beside: Beside<'_>, sink: &mut Sink<'_>) -> Vec<Damage> {
    let mut questions = Questions::default().events(beside.kinds).events(Kind::Level);
    let mut is_needed = beside.kinds.any(Kind::ALL);
    for (origin, work) in &*works {
        if let Some(more) = asked(*origin, work, questions.clone()) {
            (questions, is_needed) = (more, true);
        }
    }
    if !is_needed {
        return Vec::new();
    }
    let (mut level, mut names, mut levels) = (Level::default(), Names::default(), Vec::new());
    let mut walk = source.recording().ask(questions);
    for event in walk.by_ref() {
        let place = Place::of(&event, level.of(&event));
        if event.kind.kind() == Kind::Level {
            levels.push(Entered { level: place.level, time: event.time, server_time: event.server_time });
        }
        if beside.kinds.has(event.kind.kind()) {
            (beside.take)(&event);
        }
        names.take(&event, place);
        for (origin, work) in &mut *works {
            match origin {
                Origin::Events => events::take(work, &event, place),
                Origin::Commands => commands::take(work, &event, place),
                _ => continue,
            }
            if work.hand_on(sink).is_break() {
                return walk.damage();
            }
        }
    }
    let answers = walk.answers();
    for (origin, work) in works {
        match origin {
            Origin::Events => {
                for (_, rows) in work.tables().filter(|(table, _)| *table == "players") {
                    names.rows(source, rows);
                }
            }
            Origin::Scores => scores::make(source, &answers.scores, &levels, work, sink),
            Origin::Moments => moments::make(&answers.highlights.moments, &levels, work, sink),
            _ => continue,
        }
        work.finish(sink);
        if work.stopped {
            break;
        }
    }
    answers.damage
}
