//! A walk that stays where the last look began.

/// A walk that can be played on to a message, and copied.
pub trait Advance: Clone {
    /// The message up to which it is played; `None` at the start.
    fn at(&self) -> Option<u32>;
    /// Plays on a little: to the end of the next message at most. Returns whether there was anything.
    fn step(&mut self) -> bool;
    /// The same walk at the last keyframe up to a message, where the recording has an index by now and the keyframe is behind the message `beyond`.
    fn near(&self, _message: u32, _beyond: Option<u32>) -> Option<Self> {
        None
    }

    /// Plays on to the end of a message. Returns whether there is one.
    fn play_to(&mut self, message: u32) -> bool {
        while self.at() < Some(message) {
            if !self.step() {
                return false;
            }
        }
        true
    }
}

/// Messages over which a look goes on by the index rather than by playing on.
const FAR: u32 = 256;

/// A walk that stays behind where it was last entered: who looks at several parts of a recording in rising order plays what lies before
/// them once.
///
/// ```
/// use fragreel_model::replay::{CheckpointedWalk, Advance};
///
/// #[derive(Clone, Default)]
/// struct Count(Option<u32>);
///
/// impl Advance for Count {
///     fn at(&self) -> Option<u32> {
///         self.0
///     }
///     fn step(&mut self) -> bool {
///         self.0 = Some(self.0.map_or(0, |at| at + 1));
///         true
///     }
/// }
///
/// let mut walk = CheckpointedWalk::new(Count::default());
/// assert_eq!(walk.enter(5).at(), Some(5));
/// // it goes back, too
/// assert_eq!(walk.enter(3).at(), Some(3));
/// ```
#[derive(Debug, Clone)]
pub struct CheckpointedWalk<W> {
    start: W,
    here: W,
}

impl<W: Advance> CheckpointedWalk<W> {
    /// One whose walk stands at the start.
    pub fn new(start: W) -> Self {
        CheckpointedWalk { here: start.clone(), start }
    }

    /// A copy of the walk that is played up to a message; see its [`at`](Advance::at) for whether there is one.
    pub fn enter(&mut self, message: u32) -> W {
        if self.here.at() > Some(message) {
            self.here = self.start.clone();
        }
        if let Some(near) = self.start.near(message, self.here.at()) {
            self.here = near;
        }
        self.here.play_to(message);
        self.here.clone()
    }

    /// The copy that a look goes on with, to be played on to a message: entered where there is none yet, or where it is past the message or far
    /// before it.
    pub fn follow<'w>(&mut self, walk: &'w mut Option<W>, message: u32) -> &'w mut W {
        if walk.as_ref().is_none_or(|walk| walk.at() > Some(message)) {
            *walk = None;
        } else if let Some(here) = walk
            && here.at().is_none_or(|at| at + FAR < message)
            && let Some(near) = self.start.near(message, here.at())
        {
            *here = near;
        }
        walk.get_or_insert_with(|| self.enter(message))
    }
}
