//! The names in a recording.

use std::collections::HashSet;

use fragreel_base::wire::Error;
use fragreel_model::{Fate, Place, Rewrite, Role};

use crate::Recording;

/// Every name that a recording states, as sent, in the order in which they come.
///
/// ```
/// use fragreel::edit::Players;
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let bytes = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let demo = fragreel::Demo::new(&bytes[..], "dm_bots.dm_71")?;
/// let players = Players::of(&demo.open()?)?;
/// // He took another name on the way.
/// assert!(players.names.contains(&b"^1Red^7Fox".to_vec()) && players.names.contains(&b"^5Blue^3Wolf".to_vec()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Players {
    /// The names.
    pub names: Vec<Vec<u8>>,
}

impl Players {
    /// Reads the recording once.
    ///
    /// # Errors
    /// When the recording cannot be rewritten.
    pub fn of(recording: &Recording<'_>) -> Result<Self, Error> {
        let mut seen = Seen::default();
        recording.rewrite(&mut seen)?;
        Ok(Players { names: seen.names })
    }
}

/// The names so far.
#[derive(Default)]
struct Seen {
    names: Vec<Vec<u8>>,
    known: HashSet<Vec<u8>>,
}

impl Rewrite for Seen {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if role == Role::Name && !text.is_empty() && !self.known.contains(text) {
            self.known.insert(text.clone());
            self.names.push(text.clone());
        }
        Fate::Keep
    }
}
