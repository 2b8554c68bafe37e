//! What happened, as an iterator.

use std::fmt;
use std::iter::FusedIterator;

use fragreel_base::wire::Error;
use fragreel_model::replay::{self, EventSource};
use fragreel_model::{Damage, Event, EventKind, Kinds};

use crate::Recording;
use crate::kill_context::KillContexts;
use crate::questions::{Answers, Collected, Questions};
use crate::statistics::Numbered;

impl Recording {
    /// Asks several questions in one walk over the events. The events asked for come one by one, and [`Events::answers`] gives the rest.
    pub fn ask(&self, questions: Questions) -> Events<'_> {
        Events::new(self.inner().events(questions.kinds()), Collected::new(Some(self), questions))
    }

    /// The events of the `wanted` kinds, in stream order. The recording is read only as far as events are taken.
    ///
    /// What serves no wanted kind is skipped, so asking for kills alone is a good deal faster than asking for all.
    /// [`Match`](EventKind::Match) events have the numbers and results of matches, for which all of a match is looked at.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::{EventKind, Kind};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let mut events = recording.events([Kind::Kill, Kind::Chat]);
    /// let (mut victims, mut lines) = (Vec::new(), 0);
    /// for event in events.by_ref() {
    ///     match event.kind {
    ///         EventKind::Kill(kill) => victims.push(kill.victim.name.clean),
    ///         _ => lines += 1,
    ///     }
    /// }
    /// assert_eq!((victims.len(), lines), (11, 6));
    /// assert!(events.damage().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self, wanted: impl Into<Kinds>) -> Events<'_> {
        self.ask(Questions::default().events(wanted))
    }

    /// The same as [`events`](Self::events), with [`context`](fragreel_model::Kill::context) filled in for every kill: where both were, how far apart,
    /// what the attacker held, whether the victim stood on nothing, health, power-ups, time since the spawn. It is what the last
    /// frame before the kill shows; what a format does not say is absent. A walk over the frames goes beside the one over the
    /// events, which takes about as long again.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::{EventKind, Kind};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let distances = recording.events_with_kill_context(Kind::Kill).filter_map(|event| match event.kind {
    ///     EventKind::Kill(kill) => kill.context?.distance,
    ///     _ => None,
    /// });
    /// assert!(distances.fold(0.0, f32::max) > 100.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn events_with_kill_context(&self, wanted: impl Into<Kinds>) -> Events<'_> {
        self.ask(Questions::default().events(wanted).kill_context())
    }
}

/// The events of a recording in stream order, from [`Recording::events`] or [`Recording::ask`]. The recording is read as they are taken.
pub struct Events<'r> {
    walk: Walk<'r>,
    collected: Collected<'r>,
    /// Puts results to the ends of matches, where they are wanted.
    numbered: Option<Numbered>,
    /// Puts the circumstances to kills, where they are wanted.
    contexts: Option<Box<KillContexts>>,
}

type Walk<'r> = replay::Events<Box<dyn EventSource + 'r>>;

impl<'r> Events<'r> {
    pub(crate) fn new(walk: Walk<'r>, collected: Collected<'r>) -> Self {
        Events { walk, numbered: collected.numbered(), contexts: collected.contexts(), collected }
    }

    /// The damage met so far; after the last event, all of it.
    pub fn damage(&self) -> Vec<Damage> {
        let mut damage = self.walk.damage();
        damage.extend_from_slice(self.collected.packing());
        damage
    }

    /// Why a [`LongRecording`](crate::LongRecording) could not be read to its end. `None` before the last event.
    pub fn failure(&self) -> Option<&Error> {
        self.walk.failure()
    }

    /// Reads the rest of the recording, and gives what else was [asked](Recording::ask).
    pub fn answers(mut self) -> Answers {
        // nobody sees the circumstances of what is left
        self.contexts = None;
        self.by_ref().for_each(drop);
        let damage = self.damage();
        let matches = self.collected.matches.take().map(|matches| *matches).or_else(|| self.numbered.map(Numbered::matches));
        let scores = matches.map(|matches| matches.finish(self.walk.end())).unwrap_or_default();
        self.collected.finish(scores, damage)
    }

    fn read(&mut self) -> Option<Event> {
        let event = self.walk.next()?;
        self.collected.take(&event);
        Some(event)
    }

    fn numbered(&mut self) -> Option<Event> {
        let Some(mut numbered) = self.numbered.take() else {
            loop {
                let event = self.read()?;
                if self.collected.hands_on(event.kind.kind()) {
                    return Some(event);
                }
            }
        };
        while numbered.ready.is_empty() {
            let Some(event) = self.read() else {
                numbered.release();
                break;
            };
            numbered.take(event);
        }
        let event = numbered.ready.pop_front();
        self.numbered = Some(numbered);
        event
    }
}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let mut event = self.numbered()?;
        if let Some(contexts) = &mut self.contexts
            && let EventKind::Kill(kill) = &mut event.kind
        {
            contexts.go_to(event.time);
            kill.context = contexts.context(kill, event.time).map(Box::new);
        }
        Some(event)
    }
}

impl FusedIterator for Events<'_> {}

impl fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("damage", &self.damage()).finish_non_exhaustive()
    }
}
