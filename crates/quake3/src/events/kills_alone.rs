//! Kills without the rest of the state: most of a snapshot is passed over.

use std::borrow::Borrow;

use fragreel_base::delta::interleaved::Row;

use super::EventBuilder;
use super::kills;
use crate::dialect::Dialect;
use crate::message::{Change, Left, PartialDelta, PartialReader, PartialSink, SnapshotHead};
use crate::state::{Command, PartialStates, State};
use crate::walk::entity_events::{ChangedEntity, EntityFields, Seen};
use crate::walk::{Visit, Visitor};

/// Plays messages as long as they are as stock servers send them. The walk plays all others, and takes over the last snapshots before. The next level
/// begins here again.
pub(super) struct KillWalk {
    reader: PartialReader,
    states: PartialStates,
    /// Entities of the last message that may be events.
    changed: Vec<ChangedEntity>,
}

impl KillWalk {
    /// `None` for dialects whose messages it cannot read.
    pub(super) fn new(dialect: &'static Dialect, entity: &EntityFields) -> Option<Self> {
        let fields = entity.of_obituaries();
        Some(KillWalk { reader: PartialReader::new(dialect, fields)?, states: PartialStates::new(fields), changed: Vec::new() })
    }

    /// Plays the next message, if it needs nothing else. If not, nothing has happened.
    pub(super) fn play(&mut self, visit: &mut Visit<'_>, builder: &mut EventBuilder) -> bool {
        if visit.state().snapshot().is_some() {
            // the walk took over
            return false;
        }
        let Some((message, data)) = visit.next_message() else { return false };
        let frame = message.frame;
        let state = visit.state();
        let mut reading = Reading { states: &mut self.states, changed: &mut self.changed, state, builder, sequence: frame.sequence, server_time: None };
        reading.changed.clear();
        let read = self.reader.read(data, frame.length as usize, state.command_sequence(), &mut reading);
        let server_time = reading.server_time;
        match read {
            Ok(()) if !visit.is_behind_end() && server_time.is_none_or(|time| visit.may_follow(time)) => {}
            Err(Left::Level) => {
                self.states.clear();
                return false;
            }
            _ => {
                visit.state_mut().take_over(&mut self.states);
                return false;
            }
        }
        let state = visit.pass(message, server_time, builder);
        for command in &self.reader.commands {
            if state.apply_command(command) == Command::New {
                builder.command(state);
            }
        }
        if let Some(server_time) = server_time {
            self.states.keep();
            builder.update_from_strings(state);
            builder.events.snapshot(frame.sequence, server_time);
            let EventBuilder { events, entity, game, players, out, .. } = builder;
            let seen = PartialEntities { states: &self.states, state };
            events.free(self.changed.iter().copied(), &seen, entity, game.events.first_type, |event, row| {
                if event == game.events.obituary {
                    kills::report(row, entity, game, players, state, out);
                }
            });
        }
        builder.message_ends(state);
        true
    }
}

/// A message that is being read.
struct Reading<'r> {
    states: &'r mut PartialStates,
    changed: &'r mut Vec<ChangedEntity>,
    state: &'r State,
    builder: &'r EventBuilder,
    sequence: i32,
    server_time: Option<i32>,
}

impl PartialSink for Reading<'_> {
    fn begin(&mut self, head: SnapshotHead) -> bool {
        self.server_time = Some(head.server_time);
        self.states.begin(self.state, self.sequence, head)
    }

    #[inline(always)]
    fn change(&mut self, delta: &PartialDelta) {
        self.states.change(self.state, delta);
        if delta.change == Change::Changed {
            let changed = ChangedEntity { number: delta.number, e_type: delta.first().map(u32::from) };
            if self.builder.events.may_be_event(&changed, self.builder.game.events.first_type) {
                self.changed.push(changed);
            }
        }
    }
}

/// The entities of the last snapshots, by the few fields that are known.
struct PartialEntities<'s> {
    states: &'s PartialStates,
    state: &'s State,
}

impl Seen for PartialEntities<'_> {
    fn row(&self, number: u16) -> Option<impl Borrow<Row>> {
        self.states.row(self.state, number)
    }

    fn had(&self, sequence: i32, number: u16, is: impl Fn(&Row) -> bool) -> bool {
        self.states.row_at(self.state, sequence, number).is_some_and(|row| is(&row))
    }
}

#[cfg(test)]
mod tests {
    use fragreel_base::wire::Limits;
    use fragreel_model::replay::EventSource;
    use fragreel_model::{Damage, Event, Kind, Milliseconds};
    use fragreel_testkit::Random;

    use super::*;
    use crate::Recording;
    use crate::events::EventPlayback;

    /// What a walk finds, and in how many steps without a state of snapshots.
    fn play(bytes: &[u8], dialect: &'static Dialect, alone: bool) -> ((Vec<Event>, Vec<Damage>, Milliseconds), usize) {
        let mut playback = EventPlayback::new(bytes, dialect, [Kind::Kill].into_iter().collect(), usize::MAX);
        if !alone {
            playback.kills = None;
        }
        let mut steps = 0;
        while playback.advance() {
            steps += usize::from(playback.visit.state().snapshot().is_none());
        }
        let events = playback.ready().drain(..).collect();
        ((events, playback.damage(), playback.end()), steps)
    }

    /// Damages a part of the recording behind its first eighth, which has what opens it.
    fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
        let from = bytes.len() / 8 + random.below(bytes.len() * 7 / 8);
        let to = (from + [1, 40, 3000][random.below(3)]).min(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(from),
            1 => bytes[from..to].fill(0),
            2 => bytes[from..to].iter_mut().for_each(|byte| *byte ^= 1 << random.below(8)),
            _ => drop(bytes.drain(from..to)),
        }
    }

    #[test]
    fn kills_are_the_same_as_those_of_the_whole_state() {
        let (mut found, mut without, mut whole_without) = (0, 0, 0);
        for sample in fragreel_testkit::samples("quake3").into_iter().chain(fragreel_testkit::corpus("quake3")) {
            let mut bytes = sample.bytes();
            let Ok(recording) = Recording::open(&bytes, Some(&sample.extension()), Limits::default()) else { continue };
            let dialect = recording.dialect();
            let mut random = Random::named(&sample.name);
            let ((alone, more), (whole, less)) = (play(&bytes, dialect, true), play(&bytes, dialect, false));
            assert_eq!(alone, whole, "{}", sample.name);
            (found, without, whole_without) = (found + alone.0.len(), without + more, whole_without + less);
            damage(&mut bytes, &mut random);
            assert_eq!(play(&bytes, dialect, true).0, play(&bytes, dialect, false).0, "{}, damaged", sample.name);
        }
        assert!(found > 0 && without > whole_without * 10, "{found} kills, {without} and {whole_without} steps without a state");
    }
}
