//! The result: scores of sides, places, and who won.

use std::borrow::Cow;

use fragreel_model::{Check, Contradiction, Figures, ItemStat, MatchStats, Outcome, PlayerStats, Stat, TeamStats, WeaponStat, common};

use super::segments;

/// Modes in which players win, whatever teams the game has in them.
const OF_PLAYERS: &[&str] = &["Duel", "Free For All", "Red Rover", "Last Man Standing", "Race", "Hoony Mode"];

/// Completes a match that is over or at the end of the recording: sums, accuracies, order, winner.
pub(super) fn complete(one: &mut MatchStats, in_teams: Option<bool>) {
    one.mode = one.mode.take().map(|mode| common::name_of_mode(&mode).to_owned());
    one.players.iter_mut().flat_map(|line| line.weapons.values_mut()).for_each(accuracy);
    join_cut_names(one);
    if one.mode.as_deref().is_some_and(|mode| OF_PLAYERS.contains(&mode)) {
        one.teams.clear();
    } else {
        players_of_a_duel(one);
        segments::count_scores(one);
        if in_teams == Some(true) && one.teams.is_empty() {
            one.teams = teams_of(&one.players);
        }
    }
    sum(one);
    rank(one);
}

/// The name of a side that has another form here: boards cut names, and skins have them in small letters.
pub(super) fn whole_name(name: &str, teams: &[TeamStats]) -> Option<Cow<'static, str>> {
    const SHORTEST: usize = 8;
    let is_stated = |team: &TeamStats| team.stats.get(Stat::Score).stated.is_some();
    let same = |team: &&TeamStats| *team.name != *name && team.name.eq_ignore_ascii_case(name) && is_stated(team);
    let whole = |team: &&TeamStats| team.name.len() > name.len() && team.name.starts_with(name) && name.len() >= SHORTEST;
    let is_itself_stated = teams.iter().any(|team| *team.name == *name && is_stated(team));
    let found = teams.iter().find(same).filter(|_| !is_itself_stated).or_else(|| teams.iter().find(whole));
    found.map(|team| team.name.clone())
}

/// What is known of a side under another form of its name is that of the side.
fn join_cut_names(one: &mut MatchStats) {
    for line in &mut one.players {
        if let Some(whole) = line.player.team.as_ref().and_then(|team| whole_name(team, &one.teams)) {
            line.player.team = Some(whole);
        }
    }
    let cut: Vec<(Cow<'static, str>, Cow<'static, str>)> =
        one.teams.iter().filter_map(|team| Some((team.name.clone(), whole_name(&team.name, &one.teams)?))).collect();
    for (short, whole) in cut {
        let Some(at) = one.teams.iter().position(|team| team.name == short) else { continue };
        let known = one.teams.remove(at);
        if let Some(team) = one.teams.iter_mut().find(|team| team.name == whole) {
            for (stat, figure) in known.stats.iter() {
                if team.stats.get(stat).value().is_none() {
                    team.stats.restore(stat, figure);
                }
            }
        }
    }
}

/// Two players with a tag each play a duel: what is stated of their sides is stated of them. A game type with sides has them with one player each, too.
fn players_of_a_duel(one: &mut MatchStats) {
    let score = |figures: &Figures<Stat>| figures.get(Stat::Score).value();
    let side = |line: &PlayerStats| one.teams.iter().position(|team| Some(&*team.name) == line.player.team.as_deref());
    let [first, second] = &one.players[..] else { return };
    let (Some(a), Some(b)) = (side(first), side(second)) else { return };
    let same = |line: &PlayerStats, at: usize| score(&line.stats) == score(&one.teams[at].stats);
    if one.mode.is_some() || one.teams.len() != 2 || a == b || !same(first, a) || !same(second, b) {
        return;
    }
    if let Some(winner) = &one.winner {
        let of = [(a, first), (b, second)].into_iter().find(|(at, _)| one.teams[*at].name == *winner);
        one.winner = of.map_or_else(|| Some(winner.clone()), |(_, line)| Some(line.player.name.clean.clone().into()));
    }
    one.teams.clear();
}

/// The teams that players are in. Two players with a team each play a duel.
fn teams_of(players: &[PlayerStats]) -> Vec<TeamStats> {
    let mut teams: Vec<TeamStats> = Vec::new();
    let playing = players.iter().filter_map(|line| line.player.team.clone()).filter(|team| !matches!(&**team, "" | "free" | "spectator"));
    for team in playing {
        if !teams.iter().any(|known| known.name == team) {
            teams.push(TeamStats::new(team));
        }
    }
    let is_duel = teams.len() == 2 && players.len() == 2;
    let all_known = players.iter().all(|line| line.stats.get(Stat::Score).value().is_some());
    if teams.len() < 2 || is_duel || !all_known { Vec::new() } else { teams }
}

/// The score of a side without a stated one: the sum of its players' scores, if each is known.
pub(super) fn sum_of_scores(mut scores: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    let first = scores.next()??;
    scores.try_fold(first, |sum, score| Some(sum.saturating_add(score?)))
}

/// What the players of a team did, the team did.
fn sum(one: &mut MatchStats) {
    for team in &mut one.teams {
        let players: Vec<&PlayerStats> = one.players.iter().filter(|line| line.player.team.as_deref() == Some(&*team.name)).collect();
        if team.stats.get(Stat::Score).value().is_none()
            && let Some(sum) = sum_of_scores(players.iter().map(|line| line.stats.get(Stat::Score).value()))
        {
            team.stats.set_counted(Stat::Score, sum);
        }
        for (item, figures) in players.iter().flat_map(|line| &line.items) {
            for stat in [ItemStat::Pickups, ItemStat::TimeHeld] {
                if let Some(counted) = figures.get(stat).counted {
                    team.items.entry(item.clone()).or_default().count(stat, counted);
                }
            }
        }
    }
}

/// Teams and players, best first, and who won.
fn rank(one: &mut MatchStats) {
    // races are won by the least time, and who has none did not finish
    let is_race = one.is_race();
    let score = |figures: &Figures<Stat>| {
        let score = figures.get(Stat::Score).value().or(figures.get(Stat::Kills).value());
        match score.unwrap_or(0) {
            time if !is_race => time,
            time if MatchStats::is_run(time) => -time,
            _ => i64::MIN,
        }
    };
    one.teams.sort_by_key(|team| std::cmp::Reverse(score(&team.stats)));
    one.players.sort_by_key(|line| std::cmp::Reverse((score(&line.stats), line.stats.get(Stat::Kills).value())));
    let best: Vec<(Cow<'static, str>, i64)> = if one.teams.len() > 1 {
        one.teams.iter().map(|team| (team.name.clone(), score(&team.stats))).collect()
    } else {
        one.players.iter().map(|line| (line.player.name.clean.clone().into(), score(&line.stats))).collect()
    };
    // a line may cut the name, or write it in capitals
    let stated = one.winner.take().map(|name| best.iter().find(|(side, _)| side.eq_ignore_ascii_case(&name)).map_or(name, |(side, _)| side.clone()));
    match one.outcome {
        Outcome::Forfeited => {
            let loser = one.forfeited_by.clone();
            let mut others = best.iter().filter(|(name, _)| loser.as_ref() != Some(name));
            // of more than two sides, nobody won by it
            one.winner = stated.or_else(|| others.next().filter(|_| others.next().is_none() && loser.is_some()).map(|(name, _)| name.clone()));
        }
        Outcome::Draw => match (stated, &best[..]) {
            // the server names the winner
            (Some(name), _) if name.is_empty() => {}
            (Some(name), _) => {
                let score = |name: &str| best.iter().find(|(side, _)| side == name).map(|(_, score)| *score);
                if let (Some(own), Some((first, most))) = (score(&name), best.first())
                    && own < *most
                {
                    let figures = [(format!("the score of {name}, who won,").into(), own), (format!("that of {first}").into(), *most)];
                    one.findings.push(Contradiction::new(Check::Winner, None, figures));
                }
                (one.outcome, one.winner) = (Outcome::Won, Some(name));
            }
            (None, [(name, first), (_, second), ..]) if first > second => (one.outcome, one.winner) = (Outcome::Won, Some(name.clone())),
            (None, [] | [_]) => one.outcome = Outcome::Over,
            (None, _) => {}
        },
        _ => {}
    }
}

/// Hits in whole per cent of shots, where both are known and nobody states it.
fn accuracy(weapon: &mut Figures<WeaponStat>) {
    for [shots, hits] in [[WeaponStat::Shots, WeaponStat::Hits], [WeaponStat::Pellets, WeaponStat::PelletHits]] {
        if let (None, Some(shots @ 1..), Some(hits)) = (weapon.get(WeaponStat::Accuracy).value(), weapon.get(shots).value(), weapon.get(hits).value()) {
            weapon.set_counted(WeaponStat::Accuracy, hits.saturating_mul(100) / shots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::{Player, Text};

    #[test]
    fn accuracy_is_hits_of_shots() {
        use WeaponStat::{Accuracy, Hits, PelletHits, Pellets, Shots};
        let of = |figures: &[(WeaponStat, i64)]| {
            let mut weapon = Figures::default();
            figures.iter().for_each(|(stat, value)| weapon.state(*stat, *value));
            accuracy(&mut weapon);
            weapon.get(Accuracy)
        };
        assert_eq!(of(&[(Shots, 30), (Hits, 11)]).counted, Some(36), "rounded down, as id's games do");
        assert_eq!((of(&[(Shots, 0), (Hits, 0)]).value(), of(&[(Shots, 9)]).value()), (None, None));
        assert_eq!(of(&[(Shots, 30), (Hits, 11), (Accuracy, 37)]).counted, None);
        assert_eq!(of(&[(Pellets, 60), (PelletHits, 15), (Shots, 10)]).counted, Some(25), "shots are no pellets");
    }

    #[test]
    fn races_are_won_by_the_least_time() {
        let mut one = MatchStats::default();
        for (slot, time) in [(0, 61_234), (1, 60_000), (2, -1), (3, i64::from(i32::MAX))] {
            let mut line = PlayerStats::new(Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: None });
            line.stats.state(Stat::Score, time);
            one.players.push(line);
        }
        for (mode, winner) in [("Race", "p1"), ("DeFRaG online run", "p1"), ("Free For All", "p3")] {
            (one.mode, one.outcome, one.winner) = (Some(mode.into()), Outcome::Draw, None);
            complete(&mut one, None);
            assert_eq!(one.winner.as_deref(), Some(winner), "{mode}");
        }
    }

    /// A tag is no side, but the sides of a game type are sides.
    #[test]
    fn two_players_with_tags_play_a_duel() {
        let of = |mode: Option<&str>| {
            let mut one = MatchStats::default();
            (one.mode, one.outcome, one.winner) = (mode.map(str::to_owned), Outcome::Draw, Some("!!!".into()));
            for (slot, score, team) in [(0, 20, "!!!"), (1, 13, "2")] {
                let mut line = PlayerStats::new(Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: Some(team.into()) });
                line.stats.state(Stat::Score, score);
                one.players.push(line);
                let mut side = TeamStats::new(team);
                side.stats.state(Stat::Score, score);
                one.teams.push(side);
            }
            complete(&mut one, Some(true));
            (one.winner.map(Cow::into_owned), one.teams.len())
        };
        assert_eq!(of(None), (Some("p0".into()), 0));
        assert_eq!(of(Some("Team Deathmatch")), (Some("!!!".into()), 2));
    }

    #[test]
    fn a_player_alone_plays_no_draw() {
        let mut one = MatchStats::default();
        one.outcome = Outcome::Draw;
        one.players.push(PlayerStats::new(Player { slot: Some(0), name: Text::plain("player"), team: None }));
        complete(&mut one, None);
        assert_eq!((one.outcome, one.winner), (Outcome::Over, None));
    }

    /// Red Rover has sides, and is won by a player.
    #[test]
    fn players_win_in_modes_of_players() {
        for (mode, winner) in [("Red Rover", "p1"), ("Team Deathmatch", "red")] {
            let mut one = MatchStats::default();
            (one.mode, one.outcome) = (Some(mode.into()), Outcome::Draw);
            for (slot, score, team) in [(0, 3, "red"), (1, 6, "blue")] {
                let mut line = PlayerStats::new(Player { slot: Some(slot), name: Text::plain(format!("p{slot}")), team: Some(team.into()) });
                line.stats.state(Stat::Score, score);
                one.players.push(line);
            }
            for (name, score) in [("red", 3), ("blue", 2)] {
                let mut team = TeamStats::new(name);
                team.stats.state(Stat::Score, score);
                one.teams.push(team);
            }
            complete(&mut one, None);
            assert_eq!(one.winner.as_deref(), Some(winner), "{mode}");
        }
    }
}
