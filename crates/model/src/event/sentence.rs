//! Sentences in pieces, and the words of what events have in common.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::parts::{Channel, FlagAction, MatchState, Score};
use crate::{Kill, MatchResult, Milliseconds, Outcome, Player, Run, Share, Stat, Statement, TeamStats, Text, Unknown, common};

/// A piece of a sentence, from [`EventKind::sentence`](crate::EventKind::sentence). Joined, the pieces are the sentence.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Piece<'a> {
    /// Words without colors.
    Words(Cow<'a, str>),
    /// A name or a line as the game has it, with its colors.
    Text(&'a Text),
}

impl fmt::Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Words(words) => f.write_str(words),
            Piece::Text(text) => f.write_str(&text.clean),
        }
    }
}

impl<'a> From<&'a str> for Piece<'a> {
    fn from(words: &'a str) -> Self {
        Piece::Words(Cow::Borrowed(words))
    }
}

impl From<String> for Piece<'_> {
    fn from(words: String) -> Self {
        Piece::Words(Cow::Owned(words))
    }
}

impl<'a> From<&'a Text> for Piece<'a> {
    fn from(text: &'a Text) -> Self {
        Piece::Text(text)
    }
}

impl<'a> From<&'a Player> for Piece<'a> {
    fn from(player: &'a Player) -> Self {
        if player.name.clean.is_empty() { "somebody".into() } else { Piece::Text(&player.name) }
    }
}

impl<'a> From<Option<&'a Player>> for Piece<'a> {
    fn from(player: Option<&'a Player>) -> Self {
        player.map_or("somebody".into(), Piece::from)
    }
}

macro_rules! pieces {
    ($($piece:expr),* $(,)?) => { vec![$(Piece::from($piece)),*] };
}
pub(super) use pieces;

impl Kill {
    /// What was special about it; with its context, the distance and whether the victim was in the air.
    pub fn marks(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let headshot = self.headshot.then_some("headshot").or(self.place.as_deref());
        let team_kill = self.team_kill.then_some("team kill");
        let context = self.context.as_deref();
        let distance = context.and_then(|context| context.distance).map(|distance| Cow::Owned(format!("{distance:.0} units")));
        let in_air = context.is_some_and(|context| context.victim_in_air == Some(true)).then_some("in the air");
        [headshot, team_kill].into_iter().flatten().map(Cow::Borrowed).chain(distance).chain(in_air.map(Cow::Borrowed))
    }
}

pub(super) fn kill(kill: &Kill) -> Vec<Piece<'_>> {
    let victim = &kill.victim;
    let mut how = means(&kill.means);
    let marks = kill.marks().collect::<Vec<_>>().join(", ");
    if !marks.is_empty() {
        how += &format!(" ({marks})");
    }
    match &kill.attacker {
        None => pieces![victim, format!(" died{how}")],
        Some(_) if kill.is_suicide() => pieces![victim, format!(" killed themselves{how}")],
        Some(attacker) if kill.unknown == Some(Unknown::Both) => pieces!["a player named ", attacker, " killed a player named ", victim, how],
        Some(_) if kill.unknown == Some(Unknown::Attacker) => pieces!["somebody killed ", victim, how],
        Some(attacker) => pieces![attacker, " killed ", victim, how],
    }
}

/// What a statement says of sides alone: their names and scores.
pub(super) fn sides(statement: &Statement) -> String {
    let side = |team: &TeamStats| {
        let title = team.title.as_ref().map(|title| format!(" is {title}")).unwrap_or_default();
        let score = team.stats.get(Stat::Score).value().map(|score| format!(" {score}")).unwrap_or_default();
        format!("{}{title}{score}", team.name)
    };
    statement.teams.iter().map(side).collect::<Vec<_>>().join(", ")
}

/// A means of death or damage behind a colon.
pub(super) fn means(means: &str) -> String {
    if means.is_empty() { String::new() } else { format!(": {}", common::words_of_means(means)) }
}

pub(super) fn finish(run: &Run) -> Vec<Piece<'_>> {
    let time = run.time.value().map(|time| format!(" in {}", Milliseconds(time))).unwrap_or_default();
    let share = |name: &str, share: Option<Share>| share.map(|share| format!(", {} of {} {name}", share.found, share.total)).unwrap_or_default();
    pieces![run.player.as_ref(), format!(" finished {}{time}{}{}", run.map, share("kills", run.kills), share("secrets", run.secrets))]
}

pub(super) fn or_no_team(team: &str) -> &str {
    if team.is_empty() { "no team" } else { team }
}

pub(super) fn channel_mark(channel: Channel) -> &'static str {
    match channel {
        Channel::Team => "(team) ",
        Channel::Spectator => "(spectators) ",
        Channel::Private => "(private) ",
        Channel::Public | Channel::Server => "",
    }
}

pub(super) fn flag(action: FlagAction) -> &'static str {
    match action {
        FlagAction::Taken => "taken",
        FlagAction::Dropped => "dropped",
        FlagAction::Returned => "returned",
        FlagAction::Captured => "captured",
    }
}

pub(super) fn match_state(state: MatchState) -> &'static str {
    match state {
        MatchState::Warmup => "warmup",
        MatchState::Countdown => "the match is about to start",
        MatchState::Started => "the match started",
        MatchState::Paused => "the match was paused",
        MatchState::Resumed => "the match was resumed",
        MatchState::Overtime => "the match went into overtime",
        MatchState::Intermission => "the match is over",
        MatchState::Restarted => "the match was restarted",
        MatchState::Stopped => "the match was stopped",
        MatchState::Forfeited => "the match was forfeited",
        MatchState::Aborted => "the match was called off",
    }
}

/// Who won, and the scores.
pub(super) fn result(result: &MatchResult) -> String {
    let scores: Vec<String> = result.scores.iter().take(4).map(|(name, score)| format!("{name} {score}")).collect();
    let scores = if scores.is_empty() { String::new() } else { format!(" ({}{})", scores.join(", "), if result.scores.len() > 4 { ", …" } else { "" }) };
    match (&result.winner, result.outcome) {
        (Some(winner), _) => format!(": {winner} won{scores}"),
        (None, Outcome::Draw) => format!(": a draw{scores}"),
        _ => scores,
    }
}

pub(super) fn round(number: Option<i32>, started: bool, winner: Option<&str>) -> String {
    let number = number.map(|number| format!(" {number}")).unwrap_or_default();
    let what = if started { "began" } else { "ended" };
    let winner = winner.map(|winner| format!(", won by {winner}")).unwrap_or_default();
    format!("round{number} {what}{winner}")
}

pub(super) fn scores<'a>(teams: &'a [(Cow<'static, str>, i32)], players: &'a [Score]) -> Vec<Piece<'a>> {
    let teams = teams.iter().map(|(team, score)| (Piece::from(&**team), score));
    let lines = teams.chain(players.iter().map(|line| (Piece::from(&line.player), &line.score)));
    let mut pieces = Vec::new();
    for (name, score) in lines {
        if !pieces.is_empty() {
            pieces.push(", ".into());
        }
        pieces.extend([name, format!(" {score}").into()]);
    }
    if pieces.is_empty() { pieces!["an empty scoreboard"] } else { pieces }
}
