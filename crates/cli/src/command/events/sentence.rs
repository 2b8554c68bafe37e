//! An event in a sentence.

use std::borrow::Cow;

use fragreel::model::{Channel, EventKind, FlagAction, Kill, MatchResult, MatchState, Milliseconds, Outcome, Player, Run, Score, Share, Unknown};

/// The event in a sentence, names without colors.
pub fn of(kind: &EventKind) -> Cow<'_, str> {
    let text = match kind {
        EventKind::Kill(kill) => self::kill(kill),
        EventKind::Chat { from, channel, text } => format!("{}{}: {text}", channel_mark(*channel), name_or(from.as_ref(), "server")),
        EventKind::Join { player } => format!("{} joined", player.name),
        EventKind::Leave { player, reason: None } => format!("{} left", player.name),
        EventKind::Leave { player, reason: Some(reason) } => format!("{} left: {reason}", player.name),
        EventKind::Rename { player, from } => format!("{from} is now {}", player.name),
        EventKind::Team { player, from } => format!("{} went from {} to {}", player.name, or_none(from), or_none(player.team.as_deref().unwrap_or_default())),
        EventKind::Scores { teams, players } => scores(teams, players),
        EventKind::Score { player, team, score } => format!("{} has {score}", name_or(player.as_ref(), team.as_deref().unwrap_or("somebody"))),
        EventKind::Item { player, item, delay } => {
            let delay = delay.map(|delay| format!(", {delay} after it came back")).unwrap_or_default();
            format!("{} took {item}{delay}", player.name)
        }
        EventKind::Flag { team, action, player: Some(player) } if *action == FlagAction::Taken => format!("{} took the {team} flag", player.name),
        EventKind::Flag { team, action, player: Some(player) } => format!("{} {} the {team} flag", player.name, flag(*action)),
        EventKind::Flag { team, action, player: None } => format!("the {team} flag was {}", flag(*action)),
        EventKind::Match { state, result: Some(result), .. } => format!("{}{}", match_state(*state), self::result(result)),
        EventKind::Match { state, .. } => return Cow::Borrowed(match_state(*state)),
        EventKind::Round { number, started, winner } => round(*number, *started, winner.as_deref()),
        EventKind::Level { map, game, game_type, title, .. } => {
            let details = [Some(game.as_str()), game_type.as_deref(), title.as_ref().map(|title| title.clean.as_str())];
            std::iter::once(map.as_str()).chain(details.into_iter().flatten().filter(|detail| !detail.is_empty())).collect::<Vec<_>>().join(", ")
        }
        EventKind::Damage { attacker, victim, amount, means, .. } => {
            let means = means.as_ref().map(|means| format!(": {means}")).unwrap_or_default();
            match attacker {
                Some(attacker) => format!("{} hurt {} by {amount}{means}", attacker.name, victim.name),
                None => format!("{} lost {amount}{means}", victim.name),
            }
        }
        EventKind::Shot { player, weapon } => format!("{} fired the {weapon}", player.name),
        EventKind::Weapon { player, weapon } => format!("{} switched to the {weapon}", player.name),
        EventKind::Command { text } | EventKind::Print { text } | EventKind::CenterPrint { text } => return Cow::Borrowed(&text.clean),
        EventKind::Money { player, amount } => format!("{} has {amount}", player.name),
        EventKind::Award { player, award } => format!("{} earned {award}", player.name),
        EventKind::Finish(run) => finish(run),
        EventKind::Statistics(statement) => format!("statistics of {}: {}", people(statement.players.len()), statement.source),
        other => return Cow::Borrowed(other.kind().name()),
    };
    Cow::Owned(text)
}

fn kill(kill: &Kill) -> String {
    let victim = &kill.victim;
    let mut text = match &kill.attacker {
        None => format!("{} died: {}", victim.name, kill.means),
        Some(_) if kill.is_suicide() => format!("{} killed themselves: {}", victim.name, kill.means),
        Some(attacker) if kill.unknown == Some(Unknown::Victim) => format!("{} killed somebody: {}", attacker.name, kill.means),
        Some(_) if kill.unknown == Some(Unknown::Attacker) => format!("somebody killed {}: {}", victim.name, kill.means),
        Some(attacker) => format!("{} killed {}: {}", attacker.name, victim.name, kill.means),
    };
    for mark in marks(kill) {
        text.push_str(&format!(" ({mark})"));
    }
    text
}

fn finish(run: &Run) -> String {
    let who = run.player.as_ref().map_or("somebody", |player| player.name.clean.as_str());
    let time = run.time.value().map(|time| format!(" in {}", Milliseconds(time))).unwrap_or_default();
    let share = |name: &str, share: Option<Share>| share.map(|share| format!(", {} of {} {name}", share.found, share.total)).unwrap_or_default();
    format!("{who} finished {}{time}{}{}", run.map, share("kills", run.kills), share("secrets", run.secrets))
}

fn people(count: usize) -> String {
    if count == 1 { String::from("1 player") } else { format!("{count} players") }
}

/// What was special about a kill; with its context, the distance and whether the victim was in the air.
pub fn marks(kill: &Kill) -> impl Iterator<Item = Cow<'_, str>> {
    let headshot = kill.headshot.then_some("headshot").or(kill.place.as_deref());
    let team_kill = kill.team_kill.then_some("team kill");
    let context = kill.context.as_deref();
    let distance = context.and_then(|context| context.distance).map(|distance| Cow::Owned(format!("{distance:.0} units")));
    let in_air = context.is_some_and(|context| context.victim_in_air == Some(true)).then_some("in the air");
    [headshot, team_kill].into_iter().flatten().map(Cow::Borrowed).chain(distance).chain(in_air.map(Cow::Borrowed))
}

fn name_or<'a>(player: Option<&'a Player>, otherwise: &'a str) -> &'a str {
    player.map_or(otherwise, |player| &player.name.clean)
}

fn or_none(team: &str) -> &str {
    if team.is_empty() { "no team" } else { team }
}

fn channel_mark(channel: Channel) -> &'static str {
    match channel {
        Channel::Team => "(team) ",
        Channel::Spectator => "(spectators) ",
        Channel::Private => "(private) ",
        _ => "",
    }
}

fn flag(action: FlagAction) -> &'static str {
    match action {
        FlagAction::Taken => "taken",
        FlagAction::Dropped => "dropped",
        FlagAction::Returned => "returned",
        FlagAction::Captured => "captured",
        _ => "changed",
    }
}

fn match_state(state: MatchState) -> &'static str {
    match state {
        MatchState::Warmup => "warmup",
        MatchState::Countdown => "the match is about to start",
        MatchState::Started => "the match started",
        MatchState::Paused => "the match was paused",
        MatchState::Resumed => "the match went on",
        MatchState::Overtime => "the match went into overtime",
        MatchState::Intermission => "the match is over",
        MatchState::Restarted => "the match was restarted",
        _ => "the match changed",
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

fn scores(teams: &[(Cow<'static, str>, i32)], players: &[Score]) -> String {
    let teams = teams.iter().map(|(team, score)| format!("{team} {score}"));
    let players = players.iter().map(|line| format!("{} {}", line.player.name, line.score));
    teams.chain(players).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel::model::Text;

    #[test]
    fn kills_read_as_sentences() {
        let player = |name: &str, slot| Player { slot: Some(slot), name: Text::plain(name), team: None };
        let event = |attacker: Option<Player>, headshot, team_kill| {
            let mut kill = Kill::new(attacker, player("Visor", 1), "rocket");
            (kill.headshot, kill.team_kill) = (headshot, team_kill);
            EventKind::Kill(kill)
        };
        assert_eq!(of(&event(Some(player("Sarge", 0)), true, true)), "Sarge killed Visor: rocket (headshot) (team kill)");
        assert_eq!(of(&event(Some(player("Visor", 0)), false, false)), "Visor killed Visor: rocket", "two players of one name");
        assert_eq!(of(&event(Some(player("Visor", 1)), false, false)), "Visor killed themselves: rocket");
        assert_eq!(of(&event(None, false, false)), "Visor died: rocket");
        let mut kill = Kill::new(Some(player("Sarge", 0)), Player::unknown(None), "team");
        (kill.team_kill, kill.unknown) = (true, Some(Unknown::Victim));
        assert_eq!(of(&EventKind::Kill(kill)), "Sarge killed somebody: team (team kill)");
        let mut kill = Kill::new(Some(Player::unknown(None)), player("Visor", 1), "tele");
        kill.unknown = Some(Unknown::Attacker);
        assert_eq!(of(&EventKind::Kill(kill)), "somebody killed Visor: tele");
    }
}
