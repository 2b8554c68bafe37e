//! The one list of what can be asked of a recording at once, and what a walk over its events collects for it.

use fragreel_model::{Audit, Damage, Event, EventKind, Kind, Kinds, MatchStats, Run};

use crate::Recording;
#[cfg(feature = "edit")]
use crate::edit::{Highlights, Wanted};
use crate::kill_context::{KillContexts, Needs};
use crate::marathon::marathon;
use crate::statistics::{KINDS, Matches, Numbered};

/// What to ask of a recording in one walk over its events, with [`Recording::ask`]. Nothing is asked by default.
///
/// ```
/// use fragreel::{Questions, Recording};
/// use fragreel::model::Kind;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// let mut events = recording.ask(Questions::default().scores().runs().events(Kind::Chat));
/// let lines = events.by_ref().count();
/// let answers = events.answers();
/// assert_eq!((lines, answers.scores.len(), answers.runs.len()), (6, 1, 0));
/// assert_eq!(answers.scores, recording.scores().value);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Questions {
    pub(crate) events: Kinds,
    kill_context: bool,
    scores: bool,
    runs: bool,
    audit: bool,
    #[cfg(feature = "edit")]
    highlights: Option<Wanted>,
}

impl Default for Questions {
    fn default() -> Self {
        Questions {
            events: Kinds::NONE,
            kill_context: false,
            scores: false,
            runs: false,
            audit: false,
            #[cfg(feature = "edit")]
            highlights: None,
        }
    }
}

impl Questions {
    /// Events of these kinds, as [`Recording::events`] gives them.
    #[must_use]
    pub fn events(mut self, wanted: impl Into<Kinds>) -> Self {
        self.events = self.events | wanted.into();
        self
    }

    /// The circumstances of kills, as [`Recording::events_with_kill_context`] gives them. Takes a walk over the frames besides.
    #[must_use]
    pub fn kill_context(mut self) -> Self {
        self.kill_context = true;
        self
    }

    /// The scoreboards, as [`Recording::scores`] gives them.
    #[must_use]
    pub fn scores(mut self) -> Self {
        self.scores = true;
        self
    }

    /// Runs against the clock, as [`Recording::runs`] gives them.
    #[must_use]
    pub fn runs(mut self) -> Self {
        self.runs = true;
        self
    }

    /// The report of [`Recording::audit`], for which the recording is verified besides. Runs are graded by it.
    #[must_use]
    pub fn audit(mut self) -> Self {
        self.audit = true;
        self
    }

    /// Moments, as [`Recording::highlights`] gives them. Those that are judged by positions take a walk over the frames besides.
    #[cfg(feature = "edit")]
    #[must_use]
    pub fn highlights(mut self, wanted: Wanted) -> Self {
        self.highlights = Some(wanted);
        self
    }

    /// Everything that the walk must give.
    pub(crate) fn kinds(&self) -> Kinds {
        let mut kinds = self.events;
        // a result is counted from events of other kinds
        if self.scores || self.events.has(Kind::Match) {
            kinds = kinds | KINDS.into();
        }
        if self.runs {
            kinds = kinds | Kind::Finish.into();
        }
        #[cfg(feature = "edit")]
        if let Some(wanted) = &self.highlights {
            kinds = kinds | wanted.kinds();
        }
        kinds
    }
}

/// What a walk over the events answered, from [`Events::answers`](crate::Events::answers).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Answers {
    /// The scoreboards of all matches; none unless they were asked for.
    pub scores: Vec<MatchStats>,
    /// The runs that were finished; none unless they were asked for.
    pub runs: Vec<Run>,
    /// The audit, where it was asked for.
    pub audit: Option<Audit>,
    /// The moments; none unless they were asked for.
    #[cfg(feature = "edit")]
    pub highlights: Highlights,
    /// The damage that the walk met.
    pub damage: Vec<Damage>,
}

/// What is kept of events on the way.
pub(crate) struct Collected<'r> {
    /// `None` if the recording is not in memory. Then only events and scores are asked for.
    recording: Option<&'r Recording>,
    questions: Questions,
    /// The matches, unless [`Numbered`] follows them.
    pub matches: Option<Box<Matches>>,
    runs: Vec<Run>,
    #[cfg(feature = "edit")]
    moments: Vec<Event>,
}

impl<'r> Collected<'r> {
    pub(crate) fn new(recording: Option<&'r Recording>, questions: Questions) -> Self {
        let is_followed = questions.events.has(Kind::Match);
        let matches = (questions.scores && !is_followed).then(Box::default);
        Collected {
            recording,
            questions,
            matches,
            runs: Vec::new(),
            #[cfg(feature = "edit")]
            moments: Vec::new(),
        }
    }

    pub(crate) fn numbered(&self) -> Option<Numbered> {
        self.questions.events.has(Kind::Match).then(|| Numbered::new(self.questions.events))
    }

    pub(crate) fn contexts(&self) -> Option<Box<KillContexts>> {
        let recording = self.recording.filter(|_| self.questions.kill_context && self.questions.events.has(Kind::Kill));
        recording.map(|recording| Box::new(KillContexts::of(recording, Needs::ALL)))
    }

    /// Whether the caller takes events of a kind.
    pub(crate) fn hands_on(&self, kind: Kind) -> bool {
        self.questions.events.has(kind)
    }

    pub(crate) fn packing(&self) -> &'r [Damage] {
        self.recording.map_or(&[], Recording::packing_damage)
    }

    pub(crate) fn take(&mut self, event: &Event) {
        if let Some(matches) = &mut self.matches {
            matches.take(event);
        }
        if let (true, EventKind::Finish(run)) = (self.questions.runs, &event.kind) {
            self.runs.push((**run).clone());
        }
        #[cfg(feature = "edit")]
        if self.questions.highlights.as_ref().is_some_and(|wanted| wanted.kinds().has(event.kind.kind())) {
            self.moments.push(event.clone());
        }
    }

    /// The answers at the end of the walk. `scores`: where somebody else followed the matches.
    pub(crate) fn finish(self, scores: Vec<MatchStats>, damage: Vec<Damage>) -> Answers {
        let Collected { recording, questions, mut runs, .. } = self;
        runs.extend(marathon(&runs));
        let audit = recording.filter(|_| questions.audit || !runs.is_empty()).map(Recording::audit);
        if let Some(audit) = &audit {
            runs.iter_mut().for_each(|run| run.grade = Some(audit.grade_between(run.from, run.to)));
        }
        Answers {
            scores: if questions.scores { scores } else { Vec::new() },
            runs,
            audit: audit.filter(|_| questions.audit),
            #[cfg(feature = "edit")]
            highlights: recording.zip(questions.highlights).map(|(recording, wanted)| wanted.of(recording, self.moments)).unwrap_or_default(),
            damage,
        }
    }
}
