//! Figures of one match against each other (`docs/statistics.md`, "Checks"). What contradicts stands beside the figures; nothing is corrected.

use std::borrow::Cow;

use fragreel_model::{Check, Contradiction, EndCause, Figure, MatchStats, Milliseconds, Outcome, PlayerStats, Source, Stat};

/// Two figures of a contradiction.
type Two = [(Cow<'static, str>, i64); 2];

/// The checks that need nothing but the match. `left`: how many left it after doing something.
pub(super) fn run(one: &MatchStats, left: usize, time_limit: Option<Milliseconds>) -> Vec<Contradiction> {
    let mut found = one.findings.clone();
    let reason = match (left, one.has_start) {
        (1.., _) => Some("a player left"),
        (0, false) => Some("a player may have left before the recording begins"),
        (0, true) => None,
    };
    let mut add = |check, about: Option<Cow<'static, str>>, figures: Two, reason: Option<&'static str>| {
        let mut one = Contradiction::new(check, about, figures);
        one.reason = reason.map(Cow::Borrowed);
        found.push(one);
    };
    if !one.outcome.is_final() {
        return found;
    }
    if are_frags(one) {
        for team in &one.teams {
            let players = one.players.iter().filter(|line| line.player.team.as_deref() == Some(&*team.name));
            let sum: Option<i64> = players.map(|line| line.stats.get(Stat::Score).stated).sum();
            if let (Some(stated), Some(sum)) = (team.stats.get(Stat::Score).stated, sum)
                && stated != sum
            {
                let of_leavers = team.score_of_leavers.is_some_and(|score| sum.checked_add(score) == Some(stated));
                let reason = if of_leavers { Some("players who left scored the difference") } else { reason };
                add(Check::SideSum, Some(team.name.clone()), [("the side's score".into(), stated), ("the sum of its players".into(), sum)], reason);
            }
        }
        // in Half-Life's games, points have other reasons, and a death by the world costs none
        let has_own_points = one.sources.iter().any(|source| source == "ScoreInfo");
        let is_ktx = one.sources.iter().any(|source| OF_KTX.contains(&&**source));
        for line in one.players.iter().filter(|_| one.has_start && !has_own_points) {
            if let Some((stated, made)) = score(line)
                && stated != made
            {
                let name = line.player.name.clean.clone();
                let figures = [("score".into(), stated), ("kills minus suicides, deaths by the world and team kills".into(), made)];
                let suicides = line.stats.get(Stat::Suicides).value().unwrap_or(0);
                let by_command = is_ktx && (1..=suicides).contains(&made.saturating_sub(stated));
                add(Check::Score, Some(name.into()), figures, by_command.then_some("a suicide with the kill command costs two points"));
            }
        }
    }
    for (check, given, taken, names) in [
        (Check::KillsAndDeaths, Stat::Kills, Stat::DeathsByEnemies, ["kills of enemies", "deaths by enemies"]),
        (Check::Damage, Stat::DamageGiven, Stat::DamageTaken, ["damage given", "damage taken"]),
    ] {
        let sum = |stat| -> Option<i64> { one.players.iter().map(|line| whole(line.stats.get(stat))).sum() };
        if let (Some(given), Some(taken)) = (sum(given), sum(taken))
            && given != taken
        {
            add(check, None, [(names[0].into(), given), (names[1].into(), taken)], reason);
        }
    }
    if one.has_start && one.outcome != Outcome::Forfeited {
        for line in &one.players {
            for stat in [Stat::Kills, Stat::Deaths, Stat::DeathsByEnemies, Stat::DeathsByPlayers, Stat::TeamKills, Stat::Suicides, Stat::OwnDeaths] {
                let figure = line.stats.get(stat);
                if let (Some(stated), Some(counted)) = (whole(figure), figure.counted)
                    && stated != counted
                {
                    let figures = [(format!("{} stated", stat.name().replace('_', " ")).into(), stated), ("counted".into(), counted)];
                    add(Check::Counted, Some(line.player.name.clean.clone().into()), figures, None);
                }
            }
        }
    }
    // a pause stops the clock of some games, and an overtime has a length of its own
    if let Some(limit) = time_limit.filter(|limit| limit.0 > 0 && one.has_start && one.cause == Some(EndCause::Time) && one.overtimes.is_empty()) {
        let paused: i64 = one.pauses.iter().filter_map(|pause| Some((pause.to? - pause.from).0)).sum();
        let played = one.length().0 - paused;
        if (played - limit.0).abs() > LENGTH && (one.length().0 - limit.0).abs() > LENGTH {
            add(Check::Length, None, [("length in seconds".into(), played / 1000), ("time limit in seconds".into(), limit.0 / 1000)], None);
        }
    }
    found
}

/// Sources of KTX alone.
const OF_KTX: &[&str] = &["ktxstats", "finalscores", "wps"];

/// How far a length may be from the limit: games end a match with a frame, and count the second before.
const LENGTH: i64 = 2000;

/// Whether scores of sides are sums of frags: with captures, rounds and objectives they are not.
fn are_frags(one: &MatchStats) -> bool {
    let of_frags = one.mode.as_deref().is_none_or(|mode| matches!(mode, "Team Deathmatch" | "2on2" | "3on3" | "4on4" | "Duel" | "Free For All"));
    of_frags && one.segments.is_empty() && one.players.iter().all(|line| line.stats.get(Stat::Captures).value().unwrap_or(0) == 0)
}

/// What a statement about the whole match says.
fn whole(figure: Figure) -> Option<i64> {
    figure.stated.filter(|_| figure.source.is_some_and(|standing| standing != Source::Board))
}

/// The stated score, and the one that the figures make.
fn score(line: &PlayerStats) -> Option<(i64, i64)> {
    let of = |stat| line.stats.get(stat).value();
    let stated = line.stats.get(Stat::Score);
    let less = of(Stat::OwnDeaths)? + of(Stat::TeamKills)?;
    Some((whole(stated)?, of(Stat::Kills)? - less))
}
