//! Rows by subject, kept only where they differ from the subject's row before.

use std::collections::HashMap;

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
    frames: Vec<u32>,
    floats: Vec<[f32; F]>,
    ints: Vec<[i32; I]>,
}

/// All rows of a table, subject after subject.
#[derive(Debug, Default)]
pub struct Columns {
    /// The subjects.
    pub keys: Vec<u32>,
    /// Where each subject's rows begin, and the end.
    pub starts: Vec<u32>,
    /// The frame of each row.
    pub frames: Vec<u32>,
    /// The columns of numbers that may have a fraction.
    pub floats: Vec<Vec<f32>>,
    /// The columns of whole numbers.
    pub ints: Vec<Vec<i32>>,
}

impl Columns {
    /// With room for rows.
    pub fn new<const F: usize, const I: usize>(rows: usize) -> Self {
        let (floats, ints) = (vec![Vec::with_capacity(rows); F], vec![Vec::with_capacity(rows); I]);
        Columns { keys: Vec::new(), starts: vec![0], frames: Vec::with_capacity(rows), floats, ints }
    }

    /// Adds a subject with its rows.
    pub fn add<const F: usize, const I: usize>(&mut self, key: u32, frames: Vec<u32>, floats: &[[f32; F]], ints: &[[i32; I]]) {
        self.keys.push(key);
        self.frames.extend(frames);
        self.starts.push(self.frames.len() as u32);
        for (at, column) in self.floats.iter_mut().enumerate() {
            column.extend(floats.iter().map(|row| row[at]));
        }
        for (at, column) in self.ints.iter_mut().enumerate() {
            column.extend(ints.iter().map(|row| row[at]));
        }
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
            tracks.push(Track { key, seen: u32::MAX, last: None, frames: Vec::new(), floats: Vec::new(), ints: Vec::new() });
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

    /// The rows since the last time.
    pub fn take(&mut self) -> Columns {
        let mut tracks: Vec<_> = self.tracks.iter_mut().filter(|track| !track.frames.is_empty()).collect();
        tracks.sort_by_key(|track| track.key);
        let rows = tracks.iter().map(|track| track.frames.len()).sum();
        let mut columns = Columns::new::<F, I>(rows);
        for track in tracks {
            columns.add(track.key, std::mem::take(&mut track.frames), &std::mem::take(&mut track.floats), &std::mem::take(&mut track.ints));
        }
        columns
    }
}

impl<const F: usize, const I: usize> Track<F, I> {
    fn add(&mut self, frame: u32, floats: [f32; F], ints: [i32; I]) {
        if !self.last.as_ref().is_some_and(|last| is_same(last, &floats, &ints)) {
            self.last = Some((floats, ints));
            self.frames.push(frame);
            self.floats.push(floats);
            self.ints.push(ints);
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
        assert_eq!((columns.keys, columns.starts), (vec![7, far], vec![0, 3, 4]));
        assert_eq!((columns.frames, columns.ints), (vec![0, 2, 4, 0], vec![vec![1, 0, 1, 1]]));
        assert_eq!((columns.floats[0][0], columns.floats[0][3]), (1.0, 0.5));
        assert!(columns.floats[0][1].is_nan() && columns.floats[0][2].is_nan());
        // later rows are only what differs from those that were taken
        table.begin(6);
        table.push(far, ([0.5], [1]));
        table.push(7, ([f32::NAN], [1]));
        table.push(8, ([2.0], [1]));
        table.end();
        let columns = table.take();
        assert_eq!((columns.keys, columns.starts, columns.frames), (vec![8], vec![0, 1], vec![6]));
    }
}
