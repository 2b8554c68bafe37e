//! The names in a recording.

use std::collections::HashSet;

use fragreel_base::wire::Error;
use fragreel_model::{Fate, Place, Rewrite, Role};

use crate::Recording;

impl Recording {
    /// Every name of a player that the recording states, as sent, in the order in which they come. Reads the recording once.
    ///
    /// ```
    /// use fragreel::Recording;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake3/dm_bots.dm_71")?, "dm_bots.dm_71")?;
    /// let names = recording.stated_names()?;
    /// // He took another name on the way.
    /// assert!(names.contains(&b"^1Red^7Fox".to_vec()) && names.contains(&b"^5Blue^3Wolf".to_vec()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When the recording cannot be rewritten.
    pub fn stated_names(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.stated(Role::Name)
    }

    /// The same of the names of clans, and of teams that their players named.
    pub(super) fn stated_teams(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.stated(Role::Team)
    }

    fn stated(&self, role: Role) -> Result<Vec<Vec<u8>>, Error> {
        let mut seen = Seen { role, names: Vec::new(), known: HashSet::new() };
        self.rewrite(&mut seen)?;
        Ok(seen.names)
    }
}

/// The names so far.
struct Seen {
    role: Role,
    names: Vec<Vec<u8>>,
    known: HashSet<Vec<u8>>,
}

impl Rewrite for Seen {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        if role == self.role && !text.is_empty() && !self.known.contains(text) {
            self.known.insert(text.clone());
            self.names.push(text.clone());
        }
        Fate::Keep
    }
}
