//! Quake Live's races, from events for starts, checkpoints, and finishes (`docs/formats/quake3-events.md`, "Runs").

use fragreel_base::delta::interleaved::Row;
use fragreel_model::{Course, EventKind, Evidence, Kind, Milliseconds, Run};

use super::sink::EventSink;
use crate::game::Game;
use crate::game::strings::SERVERINFO;
use crate::state::State;
use crate::strings::{clean, info};
use crate::walk::Roster;
use crate::walk::entity_events::{EntityFields, field};

/// The running players: slot, start, checkpoints passed.
#[derive(Debug, Default)]
pub(super) struct RaceTracker(Vec<(u32, Milliseconds, Vec<Milliseconds>)>);

/// A race event: its number, the player's slot, and a time, which at a finish is that of the run.
pub(super) struct RaceEvent {
    event: u32,
    slot: u32,
    time: u32,
}

impl RaceEvent {
    pub(super) fn of(event: u32, row: &Row, at: &EntityFields) -> Self {
        RaceEvent { event, slot: field(row, at.client), time: field(row, at.time) }
    }
}

impl RaceTracker {
    /// Updates from an event.
    pub(super) fn update(&mut self, RaceEvent { event, slot, time }: RaceEvent, state: &State, game: &Game, players: &Roster, out: &mut EventSink) {
        let [start, checkpoint, finish] = game.events.race;
        if ![start, checkpoint, finish].contains(&event) || !players.has_slot(slot) {
            return;
        }
        let now = out.demo_time();
        let under_way = self.0.iter().position(|(runner, ..)| *runner == slot);
        if event == checkpoint {
            if let Some(place) = under_way {
                let (_, began, passed) = &mut self.0[place];
                passed.push(now - *began);
            }
            return;
        }
        let begun = under_way.map(|place| self.0.swap_remove(place));
        if event == start {
            self.0.push((slot, now, Vec::new()));
            return;
        }
        let mut run = Run::new(Course::Race, clean(info(state.string(SERVERINFO), "mapname")), now);
        run.player = Some(players.player(slot));
        run.time.stated = Some(i64::from(time)).filter(|time| *time > 0);
        match begun {
            Some((_, began, passed)) => (run.from, run.time.counted, run.checkpoints) = (Some(began), Some((now - began).0), passed),
            None => run.remarks.push(String::from("its start is not in the recording")),
        }
        out.push(Evidence::Stated, Kind::Finish, || EventKind::Finish(Box::new(run)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Dialect, Line};
    use crate::walk::roster::tests::roster;

    /// As another program reads the events: the arrival's `time` is how long it took.
    #[test]
    fn an_arrival_has_the_time_and_what_was_passed_on_the_way() {
        let dialect = Dialect::of(91).unwrap();
        let (state, players) = (State::new(dialect), roster(&["ann", "bob"]));
        let game = Game::of(Line::QuakeLive, b"", b"", b"");
        let [start, checkpoint, finish] = game.events.race;
        let mut out = EventSink::new(fragreel_model::Kinds::ALL);
        let mut races = RaceTracker::default();
        for (server_time, event, client, time) in
            [(1000, start, 1, 1000), (9000, checkpoint, 1, 0), (13_016, finish, 1, 12_008), (14_000, finish, 0, 30_000), (15_000, finish, 99, 1)]
        {
            out.message(1, Some(server_time));
            races.update(RaceEvent { event, slot: client, time }, &state, &game, &players, &mut out);
        }
        let runs: Vec<EventKind> = out.ready.into_iter().map(|event| event.kind).collect();
        let [EventKind::Finish(first), EventKind::Finish(second)] = &runs[..] else { panic!("{runs:?}") };
        assert_eq!((first.course, first.player.as_ref().and_then(|player| player.slot)), (Course::Race, Some(1)));
        assert_eq!((first.time.stated, first.time.counted), (Some(12_008), Some(12_016)));
        assert_eq!(first.checkpoints, [Milliseconds(8000)]);
        assert_eq!((second.time.stated, second.time.counted, second.remarks.len()), (Some(30_000), None, 1));
    }
}
