//! Messages, field by field.

use fragreel_model::{Explained, Selection};

use crate::Recording;

impl Recording {
    /// The selected messages, field by field with their bit ranges. The recording is read as they are taken.
    ///
    /// ```
    /// use fragreel::Recording;
    /// use fragreel::model::Selection;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// for message in recording.explain(Selection::Message(100)) {
    ///     // The fields follow each other without a gap.
    ///     assert!(message.parts.windows(2).all(|pair| pair[0].to_bit == pair[1].from_bit));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self, selection: Selection) -> impl Iterator<Item = Explained> {
        self.inner().explain(selection)
    }
}
