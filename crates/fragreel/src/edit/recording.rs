//! The edits of one recording, whatever its family.

use fragreel_base::wire::Error;
use fragreel_model::{Action, Comparison, Edited, Range, Rewrite, Split, Target};

use super::sectors;
use crate::Recording;
use crate::family::{Inner, same};
use crate::same::Same;

impl Recording {
    /// The frames of `range` as a recording that the game plays: an opening as of then, everything inside as it was.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::edit::{Clock, Range};
    /// use fragreel::model::Milliseconds;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let range = Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) };
    /// let cut = recording.cut(range)?;
    /// assert_eq!(Recording::open(cut.bytes, &cut.extension)?.info().duration, Some(Milliseconds(10_000)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) when the range holds no frame.
    pub fn cut(&self, range: Range) -> Result<Edited, Error> {
        self.inner().cut(range)
    }

    /// The frames of each of several ranges, in whatever order, as [`cut`](Self::cut) makes them. Ranges that do not overlap are made in one walk
    /// over the recording.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::edit::{Clock, Range};
    /// use fragreel::model::Milliseconds;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let range = |from, to| Range { clock: Clock::Demo, from: Milliseconds(from), to: Milliseconds(to) };
    /// let clips = recording.cuts(&[range(20_000, 25_000), range(5_000, 10_000), range(9_000_000, 9_000_001)]);
    /// assert_eq!(clips[1], recording.cut(range(5_000, 10_000)));
    /// assert!(clips[2].is_err(), "the recording is not that long");
    /// # Ok(())
    /// # }
    /// ```
    pub fn cuts(&self, ranges: &[Range]) -> Vec<Result<Edited, Error>> {
        self.inner().cuts(ranges)
    }

    /// Parts that the game plays, each with an opening of its own.
    ///
    /// # Errors
    /// When there is nothing to split by.
    pub fn split(&self, by: Split) -> Result<Vec<Edited>, Error> {
        self.inner().split(by)
    }

    /// One recording of parts of one session, in order.
    ///
    /// # Errors
    /// When they are not parts of one session.
    pub fn join(parts: &[Recording]) -> Result<Edited, Error> {
        Inner::join(&inners(parts))
    }

    /// A file that plays, made of what is whole in this one. Everything whole is copied as it is. Two neighboring sectors of a disk in the wrong order are
    /// exchanged first.
    ///
    /// # Errors
    /// [`ErrorKind::Malformed`](fragreel_base::wire::ErrorKind::Malformed) when there is nothing whole to start from.
    pub fn repair(&self) -> Result<Edited, Error> {
        let Some((ordered, offset)) = sectors::in_order(self) else { return self.inner().repair() };
        let mut edited = ordered.inner().repair()?;
        edited.actions.insert(0, Action::SectorsExchanged { offset });
        Ok(edited)
    }

    /// The recording in another format. What the format cannot say stands in [`Edited::losses`].
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) for what this recording cannot become, and
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for a player who is not in it.
    pub fn convert(&self, target: &Target) -> Result<Edited, Error> {
        self.inner().convert(target)
    }

    /// The recording as `rewrite` changes it. Messages that no hook touched keep their bytes.
    pub fn rewrite(&self, rewrite: &mut dyn Rewrite) -> Result<Edited, Error> {
        self.inner().rewrite(rewrite)
    }

    /// Several viewpoints of one Quake III match as one recording: the first's, with the entities that any of them saw.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) for other families, and when they do not show one match.
    #[cfg(feature = "quake3")]
    #[allow(irrefutable_let_patterns, reason = "where there is only one family")]
    pub fn merge(parts: &[Recording]) -> Result<Edited, Error> {
        let Some(Inner::Quake3(_)) = parts.first().map(Recording::inner) else {
            return Err(Error::unsupported("only Quake III recordings can be merged"));
        };
        fragreel_quake3::Recording::merge(&same!(inners(parts), Quake3)?)
    }

    /// How the frames of `edited`, made from this recording, agree with those of this one at the same times.
    ///
    /// # Errors
    /// [`ErrorKind::Misuse`](fragreel_base::wire::ErrorKind::Misuse) for recordings of different families.
    pub fn compare(&self, edited: &Recording) -> Result<Comparison, Error> {
        self.inner().comparer().compare(edited.inner(), Same::States)
    }
}

fn inners(parts: &[Recording]) -> Vec<&Inner<'_>> {
    parts.iter().map(Recording::inner).collect()
}
