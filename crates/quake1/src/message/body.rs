//! The coder of a message.

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;

/// The fields after a message's number. One function reads, writes and explains them.
pub trait Body {
    /// Reads or writes the fields. Reading overwrites all of them and reuses their buffers.
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error>;
}
