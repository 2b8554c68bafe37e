//! Rows by subject, kept only where they differ from the subject's row before.

use std::collections::HashMap;

use crate::pack::{Packed, ROWS};

/// Things by number. Small numbers, as entities have, are found without a search.
#[derive(Debug)]
pub struct ByNumber<T> {
    near: Vec<Option<T>>,
    far: HashMap<u32, T>,
}

/// Numbers from here on are searched for.
const FAR: u32 = 1 << 13;

impl<T> Default for ByNumber<T> {
    fn default() -> Self {
        Self { near: Vec::new(), far: HashMap::new() }
    }
}

impl<T> ByNumber<T> {
    /// The thing of a number, made where there is none yet.
    pub fn get_or(&mut self, number: u32, make: impl FnOnce() -> T) -> &mut T {
        if number >= FAR {
            return self.far.entry(number).or_insert_with(make);
        }
        let at = number as usize;
        if at >= self.near.len() {
            self.near.resize_with(at + 1, || None);
        }
        self.near[at].get_or_insert_with(make)
    }
}

/// Rows of `F` numbers with a fraction and `I` whole numbers. The first whole number is 0 where the subject is not in a frame.
#[derive(Debug, Default)]
pub struct Table<const F: usize, const I: usize> {
    places: ByNumber<usize>,
    tracks: Vec<Track<F, I>>,
    /// Tracks whose last row is no absence.
    present: Vec<usize>,
    frame: u32,
}

#[derive(Debug)]
struct Track<const F: usize, const I: usize> {
    key: u32,
    seen: u32,
    last: Option<([f32; F], [i32; I])>,
    rows: Rows<F, I>,
}

/// Rows of a subject. They are kept until they fill a block.
#[derive(Debug)]
pub struct Rows<const F: usize, const I: usize> {
    frames: Vec<i32>,
    floats: Vec<[f32; F]>,
    ints: Vec<[i32; I]>,
    /// How many of them were taken.
    taken: usize,
}

impl<const F: usize, const I: usize> Default for Rows<F, I> {
    fn default() -> Self {
        Self { frames: Vec::new(), floats: Vec::new(), ints: Vec::new(), taken: 0 }
    }
}

impl<const F: usize, const I: usize> Rows<F, I> {
    /// Adds a row at a frame.
    pub fn push(&mut self, frame: u32, floats: [f32; F], ints: [i32; I]) {
        self.frames.push(frame as i32);
        self.floats.push(floats);
        self.ints.push(ints);
    }

    /// The rows since the last time.
    fn new_rows(&self) -> impl Iterator<Item = (u32, &[f32; F], &[i32; I])> {
        let rows = self.frames.iter().zip(&self.floats).zip(&self.ints).skip(self.taken);
        rows.map(|((&frame, floats), ints)| (frame as u32, floats, ints))
    }

    /// Whether rows came since the last time.
    pub fn has_more(&self) -> bool {
        self.frames.len() > self.taken
    }

    /// Packs the rows since the last time, and before them those of a block that was not full.
    pub fn take(&mut self, key: u32, columns: &mut Columns) {
        columns.keys.push(key);
        columns.sizes.push(self.frames.len() as u32);
        self.frames.chunks(ROWS).for_each(|block| columns.frames.add_frames(block));
        let mut block = [0.0; ROWS];
        for (at, column) in columns.floats.iter_mut().enumerate() {
            for rows in self.floats.chunks(ROWS) {
                block.iter_mut().zip(rows).for_each(|(number, row)| *number = row[at]);
                column.add(&block[..rows.len()]);
            }
        }
        let mut block = [0; ROWS];
        for (at, column) in columns.ints.iter_mut().enumerate() {
            for rows in self.ints.chunks(ROWS) {
                block.iter_mut().zip(rows).for_each(|(number, row)| *number = row[at]);
                column.add(&block[..rows.len()]);
            }
        }
        let full = self.frames.len() / ROWS * ROWS;
        // what remains has room of its own: the room of the others is given back
        self.frames = self.frames.split_off(full);
        self.floats = self.floats.split_off(full);
        self.ints = self.ints.split_off(full);
        self.taken = self.frames.len();
    }
}

/// All rows of a table, subject after subject. The first block of a subject replaces the previous last block of that subject if that one was not
/// full.
#[derive(Debug, Default)]
pub struct Columns {
    /// The subjects.
    pub keys: Vec<u32>,
    /// The number of rows of each subject.
    pub sizes: Vec<u32>,
    /// The frame of each row.
    pub frames: Packed<i32>,
    /// The columns of numbers that may have a fraction.
    pub floats: Vec<Packed<f32>>,
    /// The columns of whole numbers.
    pub ints: Vec<Packed<i32>>,
}

impl Columns {
    /// Without rows.
    pub fn new<const F: usize, const I: usize>() -> Self {
        let floats = std::iter::repeat_with(Packed::default).take(F).collect();
        let ints = std::iter::repeat_with(Packed::default).take(I).collect();
        Columns { keys: Vec::new(), sizes: Vec::new(), frames: Packed::default(), floats, ints }
    }
}

#[cfg(test)]
impl Columns {
    /// The sizes of its blocks.
    pub fn blocks(&self) -> Vec<usize> {
        let of = |size: usize| (0..size).step_by(ROWS).map(move |at| ROWS.min(size - at));
        self.sizes.iter().flat_map(|&size| of(size as usize)).collect()
    }
}

impl<const F: usize, const I: usize> Table<F, I> {
    /// Begins a frame.
    pub fn begin(&mut self, frame: u32) {
        self.frame = frame;
    }

    /// Notes that a subject is in this frame as it was in the last one. `place` is what [`push`](Self::push) returned.
    pub fn keep(&mut self, place: usize) {
        if let Some(track) = self.tracks.get_mut(place) {
            track.seen = self.frame;
        }
    }

    /// Notes what a subject is in this frame. Returns its place among the subjects.
    pub fn push(&mut self, key: u32, row: impl Into<([f32; F], [i32; I])>) -> usize {
        let (floats, ints) = row.into();
        let tracks = &mut self.tracks;
        let place = *self.places.get_or(key, || {
            tracks.push(Track { key, seen: u32::MAX, last: None, rows: Rows::default() });
            tracks.len() - 1
        });
        let track = &mut self.tracks[place];
        if track.last.is_none_or(|(_, ints)| ints[0] == 0) {
            self.present.push(place);
        }
        track.seen = self.frame;
        track.add(self.frame, floats, ints);
        place
    }

    /// Ends a frame: who was not in it is absent from now on.
    pub fn end(&mut self) {
        let (frame, tracks) = (self.frame, &mut self.tracks);
        self.present.retain(|&place| {
            let track = &mut tracks[place];
            let stays = track.seen == frame;
            if !stays {
                track.add(frame, [f32::NAN; F], [0; I]);
            }
            stays
        });
    }

    /// The rows that were not taken yet: frame and numbers.
    pub fn new_rows(&self) -> impl Iterator<Item = (u32, &[f32; F], &[i32; I])> {
        self.tracks.iter().flat_map(|track| track.rows.new_rows())
    }

    /// The rows since the last time.
    pub fn take(&mut self) -> Columns {
        let mut tracks: Vec<_> = self.tracks.iter_mut().filter(|track| track.rows.has_more()).collect();
        tracks.sort_by_key(|track| track.key);
        let mut columns = Columns::new::<F, I>();
        for track in tracks {
            track.rows.take(track.key, &mut columns);
        }
        columns
    }
}

impl<const F: usize, const I: usize> Track<F, I> {
    fn add(&mut self, frame: u32, floats: [f32; F], ints: [i32; I]) {
        if !self.last.as_ref().is_some_and(|last| is_same(last, &floats, &ints)) {
            self.last = Some((floats, ints));
            self.rows.push(frame, floats, ints);
        }
    }
}

/// Whether a row says what the last one said. Compilers for size call a function for each array that is compared: 8 in 100 of a recording's frames.
fn is_same<const F: usize, const I: usize>(last: &([f32; F], [i32; I]), floats: &[f32; F], ints: &[i32; I]) -> bool {
    let differing = last.1.iter().zip(ints).fold(0, |differing, (was, is)| differing | (was ^ is));
    // unknown numbers are NaN, which equals nothing
    last.0.iter().zip(floats).fold(differing as u32, |differing, (was, is)| differing | (was.to_bits() ^ is.to_bits())) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_something_changes() {
        let mut table = Table::<1, 1>::default();
        let far = FAR + 9;
        for (frame, x) in [(0, Some(1.0)), (1, Some(1.0)), (2, None), (3, None), (4, Some(f32::NAN)), (5, Some(f32::NAN))] {
            table.begin(frame);
            table.push(far, ([0.5], [1]));
            if let Some(x) = x {
                table.push(7, ([x], [1]));
            }
            table.end();
        }
        let columns = table.take();
        let blocks = [3, 1];
        assert_eq!((columns.keys, columns.sizes), (vec![7, far], vec![3, 1]));
        assert_eq!((columns.frames.unpacked(&blocks), columns.ints[0].unpacked(&blocks)), (vec![0, 2, 4, 0], vec![1, 0, 1, 1]));
        let floats = columns.floats[0].unpacked(&blocks);
        assert_eq!((floats[0], floats[3]), (1.0, 0.5));
        assert!(floats[1].is_nan() && floats[2].is_nan());
        // later rows are only what differs from those that were taken
        table.begin(6);
        table.push(far, ([0.5], [1]));
        table.push(7, ([f32::NAN], [1]));
        table.push(8, ([2.0], [1]));
        table.end();
        let columns = table.take();
        assert_eq!((columns.keys, columns.sizes, columns.frames.unpacked(&[1])), (vec![8], vec![1], vec![6]));
    }

    #[test]
    fn rows_of_a_block_that_was_not_full_come_again() {
        let mut rows = Rows::<1, 0>::default();
        let mut take = |frames: std::ops::Range<u32>| {
            frames.for_each(|frame| rows.push(frame, [frame as f32], []));
            let mut columns = Columns::new::<1, 0>();
            rows.take(5, &mut columns);
            let sizes = columns.blocks();
            let frames = columns.frames.unpacked(&sizes);
            assert!(frames.iter().zip(columns.floats[0].unpacked(&sizes)).all(|(&frame, float)| frame as f32 == float));
            (sizes, frames[0], rows.has_more())
        };
        assert_eq!(take(0..100), (vec![100], 0, false));
        assert_eq!(take(100..600), (vec![256, 256, 88], 0, false));
        assert_eq!(take(600..601), (vec![89], 512, false));
        assert_eq!(take(601..768), (vec![256], 512, false));
        assert_eq!(take(768..769), (vec![1], 768, false));
    }
}
