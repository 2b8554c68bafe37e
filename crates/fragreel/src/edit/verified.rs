//! Whether an edited recording is what it should be.

use model::{Comparison, Edited, Verification};
use wire::Error;

use crate::{Demo, Recording};

/// What checking an edited recording found.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Whether it is whole.
    pub verification: Verification,
    /// Whether its frames have the states that the source's have; of several sources, in sum.
    pub comparison: Comparison,
}

impl Checked {
    /// Whether it is whole and no frame differs.
    pub fn is_sound(&self) -> bool {
        self.verification.is_whole() && self.comparison.differing == 0
    }
}

/// Opens an edited recording, verifies it, and compares its states with those of what it was made of.
///
/// ```
/// use fragreel::Demo;
/// use fragreel::edit::{Clock, Range, verified};
/// use fragreel::model::Milliseconds;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = include_bytes!("../../../../samples/quake3/dm_bots.dm_71");
/// let demo = Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let recording = demo.open()?;
/// let cut = recording.cut(Range { clock: Clock::Demo, from: Milliseconds(20_000), to: Milliseconds(30_000) })?;
/// let checked = verified(&[&recording], &cut)?;
/// assert!(checked.is_sound() && checked.comparison.frames > 190);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When it cannot even be opened.
pub fn verified(sources: &[&Recording<'_>], edited: &Edited) -> Result<Checked, Error> {
    let lenient = sources.iter().any(|source| source.lenient);
    let demo = Demo::new(&edited.bytes[..], &format!("edited.{}", edited.extension))?;
    let recording = demo.open()?.lenient(lenient);
    let mut comparison = Comparison::default();
    for source in sources {
        let Comparison { frames, differing, differences } = source.compare(&recording)?;
        comparison.frames += frames;
        comparison.differing += differing;
        comparison.differences.extend(differences);
    }
    comparison.differences.truncate(MOST_DIFFERENCES);
    Ok(Checked { verification: recording.verify(), comparison })
}

/// As many as a comparison lists.
const MOST_DIFFERENCES: usize = 10;
