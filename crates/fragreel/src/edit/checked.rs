//! Whether an edited recording is what it should be.

use std::fmt;

use fragreel_base::wire::{Error, Limits};
use fragreel_model::replay::{Share, causes};
use fragreel_model::{Comparison, Edited, Verification};

use super::sectors;
use crate::Recording;
use crate::family::{Comparer, Inner};
use crate::frames::count;
use crate::same::Same;

/// What checking an edited recording found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Whether it is whole.
    pub verification: Verification,
    /// Whether its frames have the states that the source's have; of a joined recording, whether the frames of the parts have
    /// the states of its own, in sum.
    pub comparison: Comparison,
    /// Whether a transfer in text mode changed the source: then bytes are wrong that can be read.
    pub of_text_mode: bool,
}

impl Checked {
    /// Whether it is whole: nothing is broken, it has frames, and no transfer changed bytes of the source that can be read.
    pub fn is_whole(&self) -> bool {
        self.verification.is_whole() && self.has_frames() && !self.of_text_mode
    }

    /// Whether it has frames. A multi-view recording that ends in its signon has one, and no snapshot.
    pub fn has_frames(&self) -> bool {
        self.verification.snapshots > 0 || self.comparison.frames > 0
    }

    /// Whether it is whole and no frame differs.
    pub fn is_sound(&self) -> bool {
        self.is_whole() && self.comparison.differing == 0
    }
}

impl Recording {
    /// Opens an edited recording, verifies it, and compares its states with those of this one, which it was made of.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::edit::{Clock, Range, Same};
    /// use fragreel::model::Milliseconds;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let cut = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
    /// let checked = recording.check_edited(&cut, Same::Strings)?;
    /// assert!(checked.is_sound() && checked.comparison.frames > 190);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When it cannot even be opened.
    pub fn check_edited(&self, edited: &Edited, same: Same) -> Result<Checked, Error> {
        self.checker().check(edited, same)
    }

    /// [`check_edited`](Self::check_edited) for several edited recordings, made of this one.
    pub fn checker(&self) -> Checker<'_> {
        let of_text_mode = causes::text_mode(self.bytes()).is_some() && !self.verify().is_whole();
        Checker { source: self, comparer: self.inner().comparer(), of_text_mode }
    }

    /// The same for a recording that was joined of several: every frame of every part has to be in it.
    ///
    /// # Errors
    /// When it cannot even be opened.
    pub fn check_joined(parts: &[Recording], joined: &Edited) -> Result<Checked, Error> {
        check(joined, |joined| {
            let (mut sum, mut comparer) = (Comparison::default(), joined.comparer());
            for part in parts {
                let Comparison { frames, differing, differences, .. } = comparer.compare(part.inner(), Same::Strings)?;
                sum.frames += frames;
                sum.differing += differing;
                sum.differences.extend(differences);
            }
            sum.differences.truncate(MOST_DIFFERENCES);
            Ok(sum)
        })
    }

    /// How many frames of this recording an edited one lacks. After a repair, there should be none.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn frames_lacking(&self, edited: &Edited) -> Result<u64, Error> {
        Ok(count(self.inner())?.saturating_sub(count(&opened(edited)?)?))
    }
}

/// As many as a comparison lists.
const MOST_DIFFERENCES: usize = 10;

/// Checks several edited recordings of one source, which is walked over once when they come in the order in which their frames lie there.
///
/// ```
/// use fragreel::Recording;
/// use fragreel::edit::{Same, Split};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
/// let mut checker = recording.checker();
/// for part in recording.split(Split::Size(40_000))? {
///     assert!(checker.check(&part, Same::Strings)?.is_sound());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Checker<'r> {
    source: &'r Recording,
    comparer: Comparer<'r>,
    of_text_mode: bool,
}

impl Checker<'_> {
    /// As [`Recording::check_edited`].
    ///
    /// # Errors
    /// When it cannot even be opened.
    pub fn check(&mut self, edited: &Edited, same: Same) -> Result<Checked, Error> {
        let checked = match sectors::source_of(edited, self.source) {
            Some(ordered) => {
                let ordered = ordered?;
                check(edited, |edited| ordered.inner().comparer().compare(edited, same))
            }
            None => check(edited, |edited| self.comparer.compare(edited, same)),
        };
        Ok(Checked { of_text_mode: self.of_text_mode, ..checked? })
    }
}

impl fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

/// An edited recording, whose bytes are not copied.
fn opened(edited: &Edited) -> Result<Inner<'_>, Error> {
    let extension = fragreel_detect::extension(&format!("edited.{}", edited.extension));
    Inner::detect(&edited.bytes, extension.as_deref(), Limits::default())
}

/// Verifies an edited recording.
pub(crate) fn verify(edited: &Edited) -> Result<Verification, Error> {
    Ok(opened(edited)?.verify(Share::all()))
}

fn check(edited: &Edited, compare: impl FnOnce(&Inner<'_>) -> Result<Comparison, Error>) -> Result<Checked, Error> {
    let edited = opened(edited)?;
    Ok(Checked { comparison: compare(&edited)?, verification: edited.verify(Share::all()), of_text_mode: false })
}
