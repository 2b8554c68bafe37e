//! Whether an edited recording is what it should be.

use fragreel_base::wire::Error;
use fragreel_model::{Comparison, Edited, Fields, FrameOptions, Verification};

use crate::family::Comparer;
use crate::same::Same;
use crate::{Demo, Recording};

/// What checking an edited recording found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Whether it is whole.
    pub verification: Verification,
    /// Whether its frames have the states that the source's have; of a joined recording, whether the frames of the parts have
    /// the states of its own, in sum.
    pub comparison: Comparison,
}

impl Checked {
    /// Whether it is whole: nothing is broken, and it has frames.
    pub fn is_whole(&self) -> bool {
        self.verification.is_whole() && self.has_frames()
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

/// How many frames of a recording an edited one lacks. After a repair, there should be none.
///
/// # Errors
/// When it cannot be opened.
pub fn frames_lacking(source: &Recording<'_>, edited: &Edited) -> Result<u64, Error> {
    let demo = Demo::new(&edited.bytes[..], &format!("edited.{}", edited.extension))?;
    let count = |recording: &Recording<'_>| -> Result<u64, Error> { Ok(recording.frames(FrameOptions::default().fields(Fields::NONE))?.count() as u64) };
    Ok(count(source)?.saturating_sub(count(&demo.open()?)?))
}

/// Opens an edited recording, verifies it, and compares its states with those of what it was made of.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::{Clock, Range, Same, verified};
/// use fragreel::model::Milliseconds;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let recording = demo.open()?;
/// let cut = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
/// let checked = verified(&recording, &cut, Same::Strings)?;
/// assert!(checked.is_sound() && checked.comparison.frames > 190);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When it cannot even be opened.
pub fn verified(source: &Recording<'_>, edited: &Edited, same: Same) -> Result<Checked, Error> {
    Verifier::new(source).check(edited, same)
}

/// [`verified()`] for several edited recordings of one source, which is walked over once when they come in the order in which their frames lie
/// there.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::{Same, Split, Verifier};
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let recording = demo.open()?;
/// let mut verifier = Verifier::new(&recording);
/// for part in recording.split(Split::Size(40_000))? {
///     assert!(verifier.check(&part, Same::Strings)?.is_sound());
/// }
/// # Ok(())
/// # }
/// ```
pub struct Verifier<'a> {
    comparer: Comparer<'a>,
}

impl<'a> Verifier<'a> {
    /// One that holds edited recordings against `source`.
    pub fn new(source: &Recording<'a>) -> Self {
        Verifier { comparer: source.inner.comparer() }
    }

    /// As [`verified()`].
    ///
    /// # Errors
    /// When it cannot even be opened.
    pub fn check(&mut self, edited: &Edited, same: Same) -> Result<Checked, Error> {
        check(edited, |edited| self.comparer.compare(&edited.inner, same))
    }
}

/// The same for a recording that was joined of several: every frame of every part has to be in it.
///
/// # Errors
/// When it cannot even be opened.
pub fn verified_join(parts: &[&Recording<'_>], joined: &Edited) -> Result<Checked, Error> {
    check(joined, |joined| {
        let (mut sum, mut comparer) = (Comparison::default(), joined.inner.comparer());
        for part in parts {
            let Comparison { frames, differing, differences, .. } = comparer.compare(&part.inner, Same::Strings)?;
            sum.frames += frames;
            sum.differing += differing;
            sum.differences.extend(differences);
        }
        sum.differences.truncate(MOST_DIFFERENCES);
        Ok(sum)
    })
}

/// As many as a comparison lists.
const MOST_DIFFERENCES: usize = 10;

fn check(edited: &Edited, compare: impl FnOnce(&Recording<'_>) -> Result<Comparison, Error>) -> Result<Checked, Error> {
    let demo = Demo::new(&edited.bytes[..], &format!("edited.{}", edited.extension))?;
    let recording = demo.open()?;
    Ok(Checked { comparison: compare(&recording)?, verification: recording.verify() })
}
