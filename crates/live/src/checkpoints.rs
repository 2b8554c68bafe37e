//! Saved positions of a recording that plays.

/// Positions that were passed, some milliseconds apart, to seek back to. `P` is a position with the whole state there.
///
/// ```
/// let mut passed = fragreel_live::Checkpoints::new("start", 1000);
/// [("early", 500), ("one", 1000), ("two", 2000)].into_iter().for_each(|(position, time)| passed.pass(time, &position));
/// assert_eq!(passed.seek(700, 2300), Some("start"));
/// assert_eq!(passed.seek(2300, 2100), None, "playing on is shorter");
/// assert_eq!(passed.seek(2100, 0), Some("two"));
/// ```
#[derive(Debug, Clone)]
pub struct Checkpoints<P> {
    kept: Vec<(i64, P)>,
    interval: i64,
}

/// The maximum number of positions kept.
const MOST: usize = 256;

impl<P: Clone> Checkpoints<P> {
    /// The first position of a recording, and the milliseconds between two that are kept.
    pub fn new(start: P, interval: i64) -> Self {
        Checkpoints { kept: vec![(0, start)], interval }
    }

    /// Keeps a position if it is far enough behind the last one that was kept.
    pub fn pass(&mut self, time: i64, position: &P) {
        if self.kept.len() < MOST && self.kept.last().is_none_or(|(last, _)| time >= last + self.interval) {
            self.kept.push((time, position.clone()));
        }
    }

    /// The position to play from to reach a time: `None` if that is `here`.
    pub fn seek(&self, time: i64, here: i64) -> Option<P> {
        let (at, position) = self.kept.iter().rfind(|(at, _)| *at <= time).or(self.kept.first())?;
        (time < here || *at > here).then(|| position.clone())
    }

    /// Forgets all but the first position.
    pub fn forget(&mut self) {
        self.kept.truncate(1);
    }
}
