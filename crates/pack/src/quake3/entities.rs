//! Which entities a snapshot mentions.

use super::wire::Fields;
use crate::coding::Coding;
use crate::model::{Context, context};
use crate::original::Original;

/// The entity number that ends a list.
const LAST: u16 = 1023;

impl<D: Coding, O: Original> Fields<'_, D, O> {
    /// An entity's number: which of the entities of the base and the newest snapshot is the next that is mentioned, or that another is.
    pub(super) fn entity_number(&mut self, value: u16) -> u16 {
        let place = self.game.passed_candidates;
        let is_candidate = value == LAST || self.game.candidates.get(place..).is_some_and(|left| left.binary_search(&value).is_ok());
        let left = (self.game.candidates.len() - place).min(2) as u64;
        let c = [
            context(&[320, self.recent_new & 3]),
            context(&[321, left, self.recent_new & 1]),
            context(&[322, self.last as u64]),
            context(&[323, self.game.passed as u64]),
        ];
        let is_new = self.flag_of(!is_candidate, c, 55, 60 + (self.recent_new & 3) as usize);
        self.recent_new = self.recent_new << 1 | u64::from(is_new);
        if is_new {
            let step = i64::from(value) - self.last;
            let c = [context(&[324]), context(&[325, self.last as u64]), context(&[326, self.last_new as u64])];
            let step = self.stream.model.number(step, &c, 56);
            let found = (self.last.wrapping_add(step) & 1023) as u16;
            while self.game.candidates.get(self.game.passed_candidates).is_some_and(|&candidate| candidate < found) {
                let passed = self.game.candidates[self.game.passed_candidates];
                self.game.mentioned[usize::from(passed) & 1023] <<= 1;
                self.game.passed_candidates += 1;
            }
            self.relation = 4;
            self.last_new = i64::from(found);
            return self.found_entity(found);
        }
        while let Some(&candidate) = self.game.candidates.get(self.game.passed_candidates) {
            self.game.passed_candidates += 1;
            let index = usize::from(candidate) & 1023;
            let (base, newest) = (self.game.base.row(candidate), self.game.newest.row(candidate));
            self.relation = match (base, newest) {
                (Some(base), Some(newest)) => u64::from(base != newest),
                (Some(_), None) => 2,
                _ => 3,
            };
            let known = newest.or(base);
            let field = |at: usize| known.map_or(0, |row| u64::from(row[at & 63]));
            let (who, motion) = (field(self.game.entity.kind), field(self.game.entity.motion));
            let (relation, history) = (self.relation, u64::from(self.game.mentioned[index]));
            let c = [
                context(&[300, relation, who]),
                context(&[301, relation, history]),
                context(&[302, relation, history & 7, who]),
                context(&[303, relation, u64::from(candidate)]),
                context(&[304, relation, self.recent & 15, who]),
                context(&[305, relation, self.game.passed as u64, history & 15]),
                context(&[306, relation, who, motion, history & 7]),
            ];
            let here = self.flag_of(value == candidate, c, 59, 70 + relation as usize);
            self.recent = self.recent << 1 | u64::from(here);
            self.game.mentioned[index] <<= 1;
            if here {
                return self.found_entity(candidate);
            }
        }
        LAST
    }

    fn found_entity(&mut self, number: u16) -> u16 {
        self.last = i64::from(number);
        self.update.number = number & 1023;
        number
    }

    pub(super) fn entity_contexts(&self, number: u64) -> [Context; 3] {
        let index = usize::from(self.update.number) & 1023;
        let who =
            self.game.newest.row(self.update.number).or(self.game.base.row(self.update.number)).map_or(0, |row| u64::from(row[self.game.entity.kind & 63]));
        [
            context(&[number, self.relation]),
            context(&[number + 1, self.relation, who]),
            context(&[number + 2, self.relation, u64::from(self.game.mentioned[index])]),
        ]
    }
}
