//! Snapshots that are decoded while they are read.

use fragreel_base::delta::interleaved::Row;

use super::snapshots::EntityRef;
use super::{ENTITIES, State};
use crate::message::EntitySink;

/// The number of entities of a snapshot that there is room for. A snapshot that changes more may have to be decoded after it is read.
const ROOM: usize = 64;

/// The snapshot of a message that is being read. Its entities gather in the state's list.
pub(crate) struct Decoding<'s> {
    state: &'s mut State,
    sequence: i32,
    /// Message and delta number of the snapshot, if there is one.
    snapshot: Option<(i32, u8)>,
    /// The place of the next entity in the list. Entities after it are those of the delta base.
    at: usize,
}

impl State {
    /// Decodes the snapshot of message `sequence` while it is read. It is [applied](Self::apply) as any other, but without decoding it again.
    pub(crate) fn decode(&mut self, sequence: i32) -> Decoding<'_> {
        self.decoded = None;
        Decoding { state: self, sequence, snapshot: None, at: 0 }
    }
}

impl Decoding<'_> {
    /// The message is sound. Until this is called, nothing has happened.
    pub(crate) fn finish(self) {
        self.state.decoded = self.snapshot;
    }

    /// Passes the entities of the base before `number`. Returns the row of this one, if it is there.
    #[inline(always)]
    fn pass(&mut self, number: u16) -> Option<u32> {
        let list = &self.state.list;
        while let Some(entity) = list.get(self.at) {
            if entity.number >= number {
                return (entity.number == number).then_some(entity.row);
            }
            self.at += 1;
        }
        None
    }

    /// Puts an entity with a new row into the list, and returns its row.
    #[cold]
    fn insert(&mut self, number: u16) -> Option<&mut Row> {
        let State { arena, baselines, list, .. } = &mut *self.state;
        if !arena.has_room() {
            return None;
        }
        let (row, new) = arena.copy(baselines.of(number));
        list.insert(self.at, EntityRef { number, row });
        self.at += 1;
        Some(new)
    }
}

impl EntitySink for Decoding<'_> {
    fn begin(&mut self, delta: u8) -> bool {
        let Ok(base) = self.state.base(self.sequence, delta) else { return false };
        let State { arena, ring, list, .. } = &mut *self.state;
        arena.reserve(ROOM, &ring.slots);
        list.clear();
        if let Some(base) = base.map(|slot| &ring.slots[slot]) {
            // entities are put into the list and taken out, so it must not be long
            if !base.certain || base.entities.len() > ENTITIES {
                return false;
            }
            list.extend_from_slice(&base.entities);
        }
        self.snapshot = Some((self.sequence, delta));
        true
    }

    #[inline(always)]
    fn remove(&mut self, number: u16) {
        if self.pass(number).is_some() {
            self.state.list.remove(self.at);
        }
    }

    #[inline(always)]
    fn keep(&mut self, number: u16) -> bool {
        if self.pass(number).is_none() {
            return self.insert(number).is_some();
        }
        self.at += 1;
        true
    }

    #[inline(always)]
    fn change(&mut self, number: u16) -> Option<&mut Row> {
        match self.pass(number) {
            Some(base) => {
                let State { arena, list, .. } = &mut *self.state;
                if !arena.has_room() {
                    return None;
                }
                let (row, new) = arena.copy_of(base);
                list[self.at].row = row;
                self.at += 1;
                Some(new)
            }
            None => self.insert(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use fragreel_base::wire::Limits;
    use fragreel_testkit::Random;

    use crate::Recording;
    use crate::message::{Depth, Snapshot};
    use crate::state::State;
    use crate::walk::{Visitor, visit};

    /// What a walk at this depth shows of every snapshot: its tree, its player, its entities with their rows.
    struct Shown(Depth, u64);

    impl Visitor for Shown {
        fn depth(&self) -> Depth {
            self.0
        }

        fn snapshot(&mut self, state: &State, tree: &Snapshot) {
            let shown = state.snapshot().expect("it was shown");
            let words = |row: &[u32; 64]| row.iter().fold(0u64, |sum, word| sum.rotate_left(5) ^ u64::from(*word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut see = |word: u64| self.1 = (self.1.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            see(u64::from(shown.sequence as u32) << 32 | u64::from(shown.server_time as u32));
            see(u64::from(shown.is_uncertain()) << 1 | u64::from(shown.is_as_sent()));
            see(words(&shown.player.row));
            shown.player.arrays.iter().flatten().for_each(|word| see(u64::from(*word)));
            for entity in &shown.entities {
                see(u64::from(entity.number));
                see(words(state.row(*entity)));
            }
            see(u64::from(tree.flags) << 8 | u64::from(tree.delta));
            for delta in &tree.entities {
                see(u64::from(delta.number) << 8 | delta.change as u64);
                if delta.change == crate::message::Change::Changed {
                    see(delta.spelling.sent.0);
                    delta.spelling.sent.into_iter().for_each(|at| see(u64::from(delta.row[at])));
                }
            }
        }
    }

    #[test]
    fn decoding_while_reading_gives_what_decoding_afterwards_gives() {
        for sample in fragreel_testkit::samples("quake3").into_iter().chain(fragreel_testkit::corpus("quake3").into_iter().step_by(3)) {
            let mut bytes = sample.bytes();
            let Ok(recording) = Recording::open(&bytes, Some(&sample.extension()), Limits::default()) else { continue };
            let dialect = recording.dialect();
            let mut random = Random::named(&sample.name);
            for damaged in [false, true] {
                if damaged {
                    for _ in 0..8 {
                        let at = bytes.len() / 8 + random.below(bytes.len() * 7 / 8);
                        bytes[at] ^= 1 << random.below(8);
                    }
                }
                let [at_once, afterwards] = [Depth::Values, Depth::Whole].map(|depth| {
                    let mut shown = Shown(depth, 0);
                    visit(&bytes, dialect, &mut shown);
                    shown.1
                });
                assert_eq!(at_once, afterwards, "{}, damaged: {damaged}", sample.name);
            }
        }
    }
}
