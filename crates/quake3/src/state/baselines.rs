//! The baselines of a level.

use fragreel_base::delta::interleaved::Row;

use super::ENTITIES;

/// The baselines of entities. A level states some hundred, and only those have rows. A table of all would have 256 kB, and even a small recording
/// would have to write all of it first.
#[derive(Debug, Clone)]
pub(super) struct Baselines {
    /// The first is the row of those that are not stated.
    rows: Vec<Row>,
    /// The place of each entity's row.
    places: [u16; ENTITIES],
}

impl Default for Baselines {
    fn default() -> Self {
        Baselines { rows: vec![[0; 64]], places: [0; ENTITIES] }
    }
}

impl Baselines {
    /// The baseline of entity `number`: zeros if none is stated.
    #[inline]
    pub(super) fn of(&self, number: u16) -> &Row {
        &self.rows[usize::from(self.places[usize::from(number) % ENTITIES])]
    }

    /// States one. It begins with zeros.
    pub(super) fn state(&mut self, number: u16) -> &mut Row {
        let place = &mut self.places[usize::from(number) % ENTITIES];
        if *place == 0 {
            *place = self.rows.len() as u16;
            self.rows.push([0; 64]);
        }
        let row = &mut self.rows[usize::from(*place)];
        *row = [0; 64];
        row
    }

    /// Those that are stated, in rising order of numbers.
    pub(super) fn stated(&self) -> impl Iterator<Item = (u16, &Row)> {
        (0..ENTITIES as u16)
            .map(|number| (number, self.places[usize::from(number)]))
            .filter(|(_, place)| *place != 0)
            .map(|(number, _)| (number, self.of(number)))
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.rows.truncate(1);
        self.places = [0; ENTITIES];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_level_has_none_of_the_old() {
        let mut baselines = Baselines::default();
        baselines.state(7)[0] = 1;
        baselines.state(3)[0] = 2;
        assert!(baselines.stated().map(|(number, row)| (number, row[0])).eq([(3, 2), (7, 1)]));
        assert_eq!(baselines.of(4), &[0; 64]);
        assert_eq!(baselines.state(7), &[0; 64], "a baseline that is stated again starts from zero");
        baselines.clear();
        assert_eq!(baselines.stated().count(), 0);
        assert_eq!(baselines.of(3), &[0; 64]);
    }
}
