//! The scoreboards of a recording: its events and frames, given to [`statistics`](crate::statistics).

use std::convert::Infallible;

use fragreel_base::wire::Error;
use fragreel_model::replay::{EventSource, Events};
use fragreel_model::{Family, Fields, Frame, FrameOptions, Info, Kind, Kinds, MatchStats, NoMatch, Statement};

use crate::statistics::{Historian, KINDS, LastStatement, Matches, STATEMENTS, ScoreHistory, tidy};
use crate::{Answer, Frames, Questions, Recording};

impl Recording {
    /// The scoreboards of all matches, in their order. A level without a word about a match
    /// is one match. Warm-ups are none.
    ///
    /// ```
    /// use fragreel::model::Stat;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let scores = recording.scores();
    /// assert!(scores.damage.is_empty());
    /// let best = &scores.value[0].players[0];
    /// assert_eq!((best.player.name.clean.as_str(), best.stats.get(Stat::Kills).value()), ("Gargoyle", Some(5)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn scores(&self) -> Answer<Vec<MatchStats>> {
        let answers = self.ask(Questions::default().scores()).answers();
        Answer { value: answers.scores, damage: answers.damage }
    }

    /// The same, with what only frames show besides: time alive and on a team, way and speed, health and armor lost, power-ups and
    /// armors worn, shots by ammunition. Frames are walked over as well, which takes about as long again.
    ///
    /// ```
    /// use fragreel::model::Stat;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let matches = recording.scores_with_frames().value;
    /// // the recording's own player is never out of sight
    /// let own = matches[0].players.iter().find(|line| line.player.slot == Some(0)).unwrap();
    /// assert!(own.stats.get(Stat::TimeAlive).counted.unwrap() > 20_000);
    /// # Ok(())
    /// # }
    /// ```
    pub fn scores_with_frames(&self) -> Answer<Vec<MatchStats>> {
        self.scores_of(self.frames(FrameOptions::default().fields(FIELDS.into_iter().collect()).players_only()).ok(), None)
    }

    /// The same scoreboards, and kills, deaths and scores at any time until their ends. Warm-ups have none.
    ///
    /// ```
    /// use fragreel::model::Milliseconds;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let history = recording.score_history().value;
    /// let standing = history.at(Milliseconds::from_seconds(15.0)).unwrap();
    /// let best = standing.players.iter().max_by_key(|player| player.kills).unwrap();
    /// assert_eq!((best.player.name.clean.as_str(), best.kills), ("Gargoyle", Some(2)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn score_history(&self) -> Answer<ScoreHistory> {
        let mut historian = Historian::default();
        let scores = self.scores_of(None, Some(&mut historian));
        scores.map(|matches| historian.finish(matches))
    }

    /// What the server states of the last match as a whole: KTX's statistics, tables and results that are printed at the end, or the last scoreboard. Nothing
    /// is counted. The best players come first, and are named without slots. `None` if no statement follows the last start of a match or level.
    ///
    /// No more is read than states it. That is a small part of what [`scores`](Self::scores) reads, and damage elsewhere may go unseen.
    ///
    /// ```
    /// use fragreel::model::Stat;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = fragreel::Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let stated = recording.final_statement().value.unwrap();
    /// assert_eq!(stated.source, "scores");
    /// assert_eq!((stated.players[0].player.name.clean.as_str(), stated.players[0].stats.get(Stat::Score).stated), ("Gargoyle", Some(5)));
    /// # Ok(())
    /// # }
    /// ```
    pub fn final_statement(&self) -> Answer<Option<Statement>> {
        if let Some(stated) = self.inner().stated_at_end() {
            return Answer { value: Some(tidy(stated)), damage: self.packing_damage().to_vec() };
        }
        let (mut last, mut events) = (LastStatement::default(), self.inner().statements(STATEMENTS.into()));
        events.by_ref().for_each(|event| last.take(&event));
        let mut damage = events.damage();
        damage.extend_from_slice(self.packing_damage());
        Answer { value: last.finish(), damage }
    }

    /// The same from a walk over everything, for tests.
    #[doc(hidden)]
    pub fn final_statement_walked(&self) -> Option<Statement> {
        let mut last = LastStatement::default();
        self.inner().events(Kinds::ALL).for_each(|event| last.take(&event));
        last.finish()
    }

    /// Why [`scores`](Self::scores) gives nothing, where it does.
    pub fn no_match(&self) -> NoMatch {
        let Ok(none) = no_match(|kinds| self.inner().events(kinds), || Ok::<_, Infallible>(self.info()));
        none
    }

    fn scores_of(&self, frames: Option<Frames>, historian: Option<&mut Historian>) -> Answer<Vec<MatchStats>> {
        let mut events = self.inner().events(KINDS.iter().copied().collect());
        // what is in memory can be read
        let Answer { value, mut damage } = scores_of(self.family(), &mut events, frames, historian).unwrap_or_default();
        damage.extend_from_slice(self.packing_damage());
        Answer { value, damage }
    }
}

/// The fields of frames that scoreboards have figures of.
pub(crate) const FIELDS: [Fields; 8] =
    [Fields::ORIGIN, Fields::VELOCITY, Fields::HEALTH, Fields::ARMOR, Fields::WEAPON, Fields::AMMO, Fields::POWERUPS, Fields::ITEMS];

/// Why there is no match in a recording with these events.
pub(crate) fn no_match<S: EventSource, E>(events: impl FnOnce(Kinds) -> Events<S>, info: impl FnOnce() -> Result<Info, E>) -> Result<NoMatch, E> {
    let mut matches = Matches::default();
    events([Kind::Level, Kind::Match].into_iter().collect()).for_each(|event| matches.take(&event));
    // players may have been there before the recording began
    let plays = |player: &fragreel_model::PlayerInfo| !player.team.as_deref().is_some_and(|team| team.eq_ignore_ascii_case("spectator"));
    match matches.none() {
        NoMatch::NoPlayers if info()?.players.iter().any(plays) => Ok(NoMatch::NothingHappens),
        none => Ok(none),
    }
}

/// The scoreboards that events and frames of one recording give.
pub(crate) fn scores_of<S: EventSource>(
    family: Family,
    events: &mut Events<S>,
    mut frames: Option<Frames>,
    mut historian: Option<&mut Historian>,
) -> Result<Answer<Vec<MatchStats>>, Error> {
    let (mut matches, mut frame) = (Matches::default(), Frame::default());
    let mut has_next = frames.as_mut().is_some_and(|frames| frames.next_into(&mut frame));
    for event in events.by_ref() {
        while has_next && frame.message < event.message {
            matches.frame(family, &frame);
            has_next = frames.as_mut().is_some_and(|frames| frames.next_into(&mut frame));
        }
        matches.take(&event);
        if let Some(historian) = &mut historian {
            historian.took(&matches, &event);
        }
    }
    while has_next {
        matches.frame(family, &frame);
        has_next = frames.as_mut().is_some_and(|frames| frames.next_into(&mut frame));
    }
    if let Some(error) = events.failure().or_else(|| frames.as_ref().and_then(Frames::failure)) {
        return Err(error.clone());
    }
    Ok(Answer { value: matches.finish(events.end()), damage: events.damage() })
}
