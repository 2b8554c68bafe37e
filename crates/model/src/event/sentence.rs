//! An event in a sentence.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::kind::EventKind;
use super::parts::{Channel, FlagAction, MatchState, Score};
use crate::{Kill, MatchResult, Milliseconds, Outcome, Player, Run, Share, Stat, Statement, TeamStats, Text, Unknown, common};

/// A piece of a sentence, from [`EventKind::sentence`]. Joined, the pieces are the sentence.
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

/// The sentence, with names without colors. Its wording may change between versions.
///
/// ```
/// use fragreel_model::{EventKind, Kill, Player, Text};
///
/// let player = |name| Player { slot: None, name: Text::plain(name), team: None };
/// let kill = EventKind::Kill(Kill::new(Some(player("Sarge")), player("Visor"), "MOD_ROCKET_SPLASH"));
/// assert_eq!(kill.to_string(), "Sarge killed Visor: rocket splash");
/// ```
impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().iter().try_for_each(|piece| piece.fmt(f))
    }
}

impl EventKind {
    /// The sentence in pieces, for a reader who shows names in their colors.
    pub fn sentence(&self) -> Vec<Piece<'_>> {
        match self {
            EventKind::Kill(kill) => self::kill(kill),
            EventKind::Chat { from, channel, text } => {
                let from: Piece = from.as_ref().map_or("server".into(), Piece::from);
                match channel_mark(*channel) {
                    "" => pieces![from, ": ", text],
                    mark => pieces![mark, from, ": ", text],
                }
            }
            EventKind::Join { player } => pieces![player, " joined"],
            EventKind::Leave { player, reason: None } => pieces![player, " left"],
            EventKind::Leave { player, reason: Some(reason) } => pieces![player, " left: ", reason],
            EventKind::Rename { player, from } => pieces![from, " is now ", player],
            EventKind::Team { player, from } => {
                let to = player.team.as_deref().unwrap_or_default();
                pieces![player, format!(" went from {} to {}", or_no_team(from), or_no_team(to))]
            }
            EventKind::Scores { teams, players } => scores(teams, players),
            EventKind::Score { player, team, score } => {
                let whose: Piece = match (player, team) {
                    (None, Some(team)) => (&**team).into(),
                    (player, _) => player.as_ref().into(),
                };
                pieces![whose, format!(" has {score}")]
            }
            EventKind::Item { player, item, delay } => {
                let delay = delay.map(|delay| format!(", {delay} after it respawned")).unwrap_or_default();
                pieces![player, format!(" took {item}{delay}")]
            }
            EventKind::Flag { team, action, player: Some(player) } => {
                let action = if *action == FlagAction::Taken { "took" } else { flag(*action) };
                pieces![player, format!(" {action} the {team} flag")]
            }
            EventKind::Flag { team, action, player: None } => pieces![format!("the {team} flag was {}", flag(*action))],
            EventKind::Match { state, result, .. } => {
                let result = result.as_ref().map(|result| self::result(result)).unwrap_or_default();
                pieces![format!("{}{result}", match_state(*state))]
            }
            EventKind::Round { number, started, winner } => pieces![round(*number, *started, winner.as_deref())],
            EventKind::Level { map, game, game_type, title, .. } => {
                let details = [Some(game.as_str()), game_type.as_deref(), title.as_ref().map(|title| title.clean.as_str())];
                let details = details.into_iter().flatten().filter(|detail| !detail.is_empty());
                pieces![details.fold(format!("level {map}"), |text, detail| text + ", " + detail)]
            }
            EventKind::Damage { attacker, victim, amount, means, .. } => {
                let means = self::means(means.as_deref().unwrap_or_default());
                match attacker {
                    Some(attacker) if attacker == victim => pieces![victim, format!(" hurt themselves for {amount}{means}")],
                    Some(attacker) => pieces![attacker, " hurt ", victim, format!(" for {amount}{means}")],
                    None => pieces![victim, format!(" lost {amount}{means}")],
                }
            }
            EventKind::Shot { player, weapon } => pieces![player, format!(" fired the {weapon}")],
            EventKind::Weapon { player, weapon } => pieces![player, format!(" switched to the {weapon}")],
            EventKind::Command { text } | EventKind::Print { text } | EventKind::CenterPrint { text } => pieces![text],
            EventKind::Money { player, amount } => pieces![player, format!(" has ${amount}")],
            EventKind::Award { player, award } => pieces![player, format!(" earned {award}")],
            EventKind::Finish(run) => finish(run),
            EventKind::Statistics(statement) => {
                let players = statement.players.len();
                if players == 0 && !statement.teams.is_empty() {
                    return pieces![format!("{}: {}", statement.source, sides(statement))];
                }
                pieces![format!("statistics of {players} player{}: {}", if players == 1 { "" } else { "s" }, statement.source)]
            }
        }
    }
}

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

fn kill(kill: &Kill) -> Vec<Piece<'_>> {
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
fn sides(statement: &Statement) -> String {
    let side = |team: &TeamStats| {
        let title = team.title.as_ref().map(|title| format!(" is {title}")).unwrap_or_default();
        let score = team.stats.get(Stat::Score).value().map(|score| format!(" {score}")).unwrap_or_default();
        format!("{}{title}{score}", team.name)
    };
    statement.teams.iter().map(side).collect::<Vec<_>>().join(", ")
}

/// A means of death or damage behind a colon.
fn means(means: &str) -> String {
    if means.is_empty() { String::new() } else { format!(": {}", common::words_of_means(means)) }
}

fn finish(run: &Run) -> Vec<Piece<'_>> {
    let time = run.time.value().map(|time| format!(" in {}", Milliseconds(time))).unwrap_or_default();
    let share = |name: &str, share: Option<Share>| share.map(|share| format!(", {} of {} {name}", share.found, share.total)).unwrap_or_default();
    pieces![run.player.as_ref(), format!(" finished {}{time}{}{}", run.map, share("kills", run.kills), share("secrets", run.secrets))]
}

fn or_no_team(team: &str) -> &str {
    if team.is_empty() { "no team" } else { team }
}

fn channel_mark(channel: Channel) -> &'static str {
    match channel {
        Channel::Team => "(team) ",
        Channel::Spectator => "(spectators) ",
        Channel::Private => "(private) ",
        Channel::Public | Channel::Server => "",
    }
}

fn flag(action: FlagAction) -> &'static str {
    match action {
        FlagAction::Taken => "taken",
        FlagAction::Dropped => "dropped",
        FlagAction::Returned => "returned",
        FlagAction::Captured => "captured",
    }
}

fn match_state(state: MatchState) -> &'static str {
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
fn result(result: &MatchResult) -> String {
    let scores: Vec<String> = result.scores.iter().take(4).map(|(name, score)| format!("{name} {score}")).collect();
    let scores = if scores.is_empty() { String::new() } else { format!(" ({}{})", scores.join(", "), if result.scores.len() > 4 { ", …" } else { "" }) };
    match (&result.winner, result.outcome) {
        (Some(winner), _) => format!(": {winner} won{scores}"),
        (None, Outcome::Draw) => format!(": a draw{scores}"),
        _ => scores,
    }
}

fn round(number: Option<i32>, started: bool, winner: Option<&str>) -> String {
    let number = number.map(|number| format!(" {number}")).unwrap_or_default();
    let what = if started { "began" } else { "ended" };
    let winner = winner.map(|winner| format!(", won by {winner}")).unwrap_or_default();
    format!("round{number} {what}{winner}")
}

fn scores<'a>(teams: &'a [(Cow<'static, str>, i32)], players: &'a [Score]) -> Vec<Piece<'a>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn player(name: &str, slot: u16) -> Player {
        Player { slot: Some(slot), name: Text { raw: format!("^1{name}"), clean: name.into() }, team: None }
    }

    #[test]
    fn kills_read_as_sentences() {
        let event = |attacker: Option<Player>, headshot, team_kill| {
            let mut kill = Kill::new(attacker, player("Visor", 1), "MOD_ROCKET");
            (kill.headshot, kill.team_kill) = (headshot, team_kill);
            EventKind::Kill(kill).to_string()
        };
        assert_eq!(event(Some(player("Sarge", 0)), true, true), "Sarge killed Visor: rocket (headshot, team kill)");
        assert_eq!(event(Some(player("Visor", 0)), false, false), "Visor killed Visor: rocket", "two players of one name");
        assert_eq!(event(Some(player("Visor", 1)), false, false), "Visor killed themselves: rocket");
        assert_eq!(event(None, false, false), "Visor died: rocket");
        let mut kill = Kill::new(Some(player("Sarge", 0)), Player::unknown(None), "team");
        (kill.team_kill, kill.unknown) = (true, Some(Unknown::Victim));
        assert_eq!(EventKind::Kill(kill).to_string(), "Sarge killed somebody: team (team kill)");
        let mut kill = Kill::new(Some(Player::unknown(None)), player("Visor", 1), "");
        kill.unknown = Some(Unknown::Attacker);
        assert_eq!(EventKind::Kill(kill).to_string(), "somebody killed Visor");
    }

    #[test]
    fn names_keep_their_colors_in_pieces() {
        let kill = EventKind::Kill(Kill::new(Some(player("Sarge", 0)), player("Visor", 1), "MOD_LAVA"));
        let EventKind::Kill(Kill { attacker: Some(attacker), victim, .. }) = &kill else { unreachable!() };
        assert_eq!(kill.sentence(), pieces![&attacker.name, " killed ", &victim.name, ": lava"]);
    }

    #[test]
    fn scoreboards_are_lists() {
        let line = |name, score| Score { player: player(name, 0), score, deaths: None, ping: None, minutes: None };
        let board = |teams: &[(&'static str, i32)], players| {
            let teams = teams.iter().map(|(name, score)| (Cow::Borrowed(*name), *score)).collect();
            EventKind::Scores { teams, players }.to_string()
        };
        assert_eq!(board(&[("red", 2), ("blue", -1)], vec![line("Sarge", 3)]), "red 2, blue -1, Sarge 3");
        assert_eq!(board(&[], vec![]), "an empty scoreboard");
    }
}
