//! Several kills by one player in a short time, or by one shot.

use std::collections::HashMap;

use fragreel_model::{Event, Milliseconds, Player, common};

use super::{Reason, What, honest_kill, who};
use crate::means::weapon;

/// Every run of at least `least` kills that follow each other `within` some time. A run ends where that is no
/// longer so.
pub(super) fn of(events: &[Event], least: usize, within: Milliseconds) -> Vec<Reason> {
    let mut killers: Vec<(&Player, Vec<&Event>)> = Vec::new();
    let mut places = HashMap::new();
    for event in events {
        let Some((_, attacker)) = honest_kill(event) else { continue };
        let at = *places.entry(who(attacker)).or_insert(killers.len());
        match killers.get_mut(at) {
            Some((_, kills)) => kills.push(event),
            None => killers.push((attacker, vec![event])),
        }
    }
    killers.iter().flat_map(|(player, kills)| runs(player, kills, least, within)).collect()
}

fn runs(player: &Player, kills: &[&Event], least: usize, within: Milliseconds) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    // The first kill and the one after the last of the run that grows.
    let mut run: Option<(usize, usize)> = None;
    let mut close = |run: Option<(usize, usize)>| {
        let Some((from, to)) = run else { return };
        let means = kills[from..to].iter().filter_map(|event| Some(honest_kill(event)?.0.means.to_string())).collect();
        let reason = Reason::of(kills[from], Some(player), What::Kills { kills: to - from, means });
        found.push(kills[from + 1..to].iter().fold(reason, |reason, event| reason.and(event)));
    };
    for (from, window) in kills.windows(least).enumerate() {
        if window[least - 1].time - window[0].time > within {
            continue;
        }
        match &mut run {
            Some((_, to)) if from < *to => *to = from + least,
            _ => {
                close(run.take());
                run = Some((from, from + least));
            }
        }
    }
    close(run);
    found
}

/// Every shot of a rail gun that killed `least` or more.
pub(super) fn by_one_shot(events: &[Event], least: usize) -> Vec<Reason> {
    let mut shots: Vec<(&Event, &Player, Vec<Player>, String)> = Vec::new();
    let mut places = HashMap::new();
    for event in events {
        let Some((kill, attacker)) = honest_kill(event).filter(|(kill, _)| weapon(&kill.means) == Some(common::RAILGUN)) else { continue };
        let at = *places.entry((event.server_time, who(attacker))).or_insert(shots.len());
        match shots.get_mut(at) {
            Some((_, _, victims, _)) => victims.push(kill.victim.clone()),
            None => shots.push((event, attacker, vec![kill.victim.clone()], kill.means.to_string())),
        }
    }
    shots.retain(|(_, _, victims, _)| victims.len() >= least);
    shots.into_iter().map(|(event, attacker, victims, means)| Reason::of(event, Some(attacker), What::MultiRail { victims, means })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::{EventKind, Evidence, Kill, Text};

    fn kill(attacker: u16, victim: u16, seconds: i64) -> Event {
        by(attacker, victim, seconds, "gauntlet")
    }

    fn by(attacker: u16, victim: u16, seconds: i64, means: &'static str) -> Event {
        let player = |slot: u16| Player { slot: Some(slot), name: Text::plain(slot.to_string()), team: None };
        let time = Milliseconds(seconds * 1000);
        let kill = Kill::new(Some(player(attacker)), player(victim), means);
        Event { time, server_time: time, match_time: None, message: 0, evidence: Evidence::Stated, uncertain: false, kind: EventKind::Kill(kill) }
    }

    #[test]
    fn runs_grow_as_long_as_kills_follow_and_suicides_are_none() {
        let events: Vec<Event> = [(1, 2, 0), (3, 1, 1), (1, 2, 2), (1, 2, 4), (1, 1, 5), (1, 2, 6), (1, 2, 60), (1, 2, 70), (1, 2, 71), (1, 2, 72)]
            .map(|(a, b, s)| kill(a, b, s))
            .to_vec();
        let found: Vec<(i64, i64, usize)> = of(&events, 3, Milliseconds(4000))
            .into_iter()
            .map(|run| match run.what {
                What::Kills { kills, means } if means == vec!["gauntlet"; kills] => (run.time.0, run.until.0, kills),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found, [(0, 6000, 4), (70_000, 72_000, 3)]);
        assert!(of(&events, 5, Milliseconds(4000)).is_empty());
    }

    #[test]
    fn a_series_is_as_doubtful_as_its_kills() {
        let events: Vec<Event> = [(1, 2, 0), (1, 2, 1), (1, 2, 2), (1, 2, 3)].map(|(a, b, s)| kill(a, b, s)).to_vec();
        let doubts = |events: &[Event]| of(events, 2, Milliseconds(1000)).iter().map(|reason| (reason.uncertain, reason.evidence)).collect::<Vec<_>>();
        assert_eq!(doubts(&events), [(false, Evidence::Stated)]);
        let mut doubtful = events;
        (doubtful[2].uncertain, doubtful[3].evidence) = (true, Evidence::Inferred);
        assert_eq!(doubts(&doubtful), [(true, Evidence::Inferred)]);
    }

    #[test]
    fn one_shot_is_one_time_one_player_and_a_rail_gun() {
        const RAIL: &str = "MOD_RAILGUN";
        let events = [by(1, 2, 5, RAIL), by(3, 4, 5, RAIL), by(1, 5, 5, RAIL), by(1, 2, 9, RAIL), by(1, 2, 20, "MOD_ROCKET"), by(1, 3, 20, "MOD_ROCKET")];
        let found = by_one_shot(&events, 2);
        let victims = |reason: &Reason| match &reason.what {
            What::MultiRail { victims, .. } => victims.iter().map(|victim| victim.slot.unwrap()).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!((found.len(), victims(&found[0]), found[0].time.0), (1, vec![2, 5], 5000));
        assert!(by_one_shot(&events, 3).is_empty());
    }
}
