//! Several kills by one player in a short time.

use model::{Event, Milliseconds, Player};

use super::{Reason, What, honest_kill};

/// Every run of at least `least` kills, of which so many follow each other `within` some time. A run ends where that is no
/// longer so.
pub(super) fn of(events: &[Event], least: usize, within: Milliseconds) -> Vec<Reason> {
    let mut killers: Vec<(&Player, Vec<Milliseconds>)> = Vec::new();
    for event in events {
        let Some((_, attacker)) = honest_kill(event) else { continue };
        match killers.iter_mut().find(|(known, _)| same(known, attacker)) {
            Some((_, times)) => times.push(event.time),
            None => killers.push((attacker, vec![event.time])),
        }
    }
    killers.iter().flat_map(|(player, times)| runs(player, times, least, within)).collect()
}

/// By slot where it is known, otherwise by name.
fn same(a: &Player, b: &Player) -> bool {
    if a.slot.is_some() || b.slot.is_some() { a.slot == b.slot } else { a.name.clean == b.name.clean }
}

fn runs(player: &Player, times: &[Milliseconds], least: usize, within: Milliseconds) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    // The first kill and the one after the last of the run that grows.
    let mut run: Option<(usize, usize)> = None;
    let mut close = |run: Option<(usize, usize)>| {
        let Some((from, to)) = run else { return };
        found.push(Reason { time: times[from], until: times[to - 1], player: Some(player.clone()), what: What::Kills { kills: to - from } });
    };
    for (from, window) in times.windows(least).enumerate() {
        if window[least - 1] - window[0] > within {
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::{EventKind, Evidence, Kill, Text};

    fn kill(attacker: u16, victim: u16, seconds: i64) -> Event {
        let player = |slot: u16| Player { slot: Some(slot), name: Text::plain(slot.to_string()), team: None };
        let time = Milliseconds(seconds * 1000);
        let kill = Kill::new(Some(player(attacker)), player(victim), "gauntlet");
        Event { time, server_time: time, match_time: None, message: 0, evidence: Evidence::Stated, kind: EventKind::Kill(kill) }
    }

    #[test]
    fn runs_grow_as_long_as_kills_follow_and_suicides_are_none() {
        let events: Vec<Event> = [(1, 2, 0), (3, 1, 1), (1, 2, 2), (1, 2, 4), (1, 1, 5), (1, 2, 6), (1, 2, 60), (1, 2, 70), (1, 2, 71), (1, 2, 72)]
            .map(|(a, b, s)| kill(a, b, s))
            .to_vec();
        let found: Vec<(i64, i64, What)> = of(&events, 3, Milliseconds(4000)).into_iter().map(|run| (run.time.0, run.until.0, run.what)).collect();
        assert_eq!(found, [(0, 6000, What::Kills { kills: 4 }), (70_000, 72_000, What::Kills { kills: 3 })]);
        assert!(of(&events, 5, Milliseconds(4000)).is_empty());
    }
}
