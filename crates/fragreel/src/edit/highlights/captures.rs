//! Flags brought home, and how long that took.

use std::collections::HashMap;

use fragreel_model::{Event, EventKind, FlagAction, Milliseconds, Player};

use super::{Reason, What, same};

/// Every capture; with `within`, those by who carried the flag no longer than that.
pub(super) fn of(events: &[Event], within: Option<Milliseconds>) -> Vec<Reason> {
    let mut found = Vec::new();
    let mut flags: HashMap<&str, Flag<'_>> = HashMap::new();
    for event in events {
        match &event.kind {
            EventKind::Level { .. } => flags.clear(),
            EventKind::Flag { team, action, player } => {
                let flag = flags.entry(team).or_default();
                match action {
                    FlagAction::Taken => {
                        flag.left.get_or_insert(event.time);
                        flag.taken = Some((event.time, player.as_ref()));
                    }
                    FlagAction::Returned => *flag = Flag::default(),
                    FlagAction::Captured => {
                        let carrier = player.as_ref();
                        let taken = flag.taken.filter(|(_, by)| by.is_some_and(|by| carrier.is_none_or(|carrier| same(by, carrier))));
                        let carried = taken.map(|(time, _)| event.time - time);
                        let what = What::Capture { team: team.clone().into_owned(), carried, away: flag.left.map(|left| event.time - left) };
                        if within.is_none_or(|most| carried.is_some_and(|carried| carried <= most)) {
                            let mut reason = Reason::of(event, carrier, what);
                            // The moment begins where the flag is taken.
                            if let Some(carried) = carried {
                                reason.time = event.time - carried;
                                reason.server_time = event.server_time - carried;
                                reason.match_time = event.match_time.map(|time| time - carried);
                            }
                            found.push(reason);
                        }
                        *flag = Flag::default();
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    found
}

/// A flag on its way, or at its base.
#[derive(Default)]
struct Flag<'a> {
    /// When it left its base.
    left: Option<Milliseconds>,
    /// When it was taken last, and by whom.
    taken: Option<(Milliseconds, Option<&'a Player>)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel_model::{Evidence, Text};

    fn flag(action: FlagAction, by: u16, seconds: i64) -> Event {
        let player = Some(Player { slot: Some(by), name: Text::plain(by.to_string()), team: None });
        let time = Milliseconds(seconds * 1000);
        Event {
            time,
            server_time: time,
            match_time: None,
            message: 0,
            evidence: Evidence::Stated,
            uncertain: false,
            kind: EventKind::Flag { team: "red".into(), action, player },
        }
    }

    #[test]
    fn the_carrier_and_the_flag_have_times_of_their_own() {
        use FlagAction::{Captured, Dropped, Returned, Taken};
        let events = [(Taken, 1, 10), (Dropped, 1, 12), (Taken, 2, 15), (Captured, 2, 20), (Taken, 1, 30), (Returned, 3, 31), (Captured, 1, 40)]
            .map(|(a, b, s)| flag(a, b, s));
        let times = |within| {
            let times = |reason: &Reason| match reason.what {
                What::Capture { carried, away, .. } => (carried.map(|time| time.0), away.map(|time| time.0)),
                _ => panic!("{reason:?}"),
            };
            of(&events, within).iter().map(times).collect::<Vec<_>>()
        };
        assert_eq!(times(None), [(Some(5000), Some(10_000)), (None, None)]);
        let begins = of(&events, None).iter().map(|reason| (reason.time.0, reason.until.0)).collect::<Vec<_>>();
        assert_eq!(begins, [(15_000, 20_000), (40_000, 40_000)], "from taking the flag to bringing it home");
        assert_eq!(times(Some(Milliseconds(5000))), [(Some(5000), Some(10_000))]);
        assert_eq!(times(Some(Milliseconds(4000))), []);
    }
}
