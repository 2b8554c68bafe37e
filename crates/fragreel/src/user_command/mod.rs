//! User commands: the buttons, moves and view angles that clients sent.

mod input_stats;

use fragreel_base::wire::Error;
use fragreel_model::UserCommand;

use crate::Recording;
use crate::family::Inner;

pub use input_stats::{ButtonStats, InputStats, StrafeStats, ViewTurn, ViewTurns};

impl Recording {
    /// The user commands that were recorded, in order: of Half-Life's clients, of QuakeWorld's, and of all players where a QuakeWorld
    /// server kept theirs. The recording is read as they are taken.
    ///
    /// ```
    /// use fragreel::{InputStats, Recording};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let recording = Recording::open(std::fs::read("../../samples/quake1/match_e1m1.qwd")?, "match_e1m1.qwd")?;
    /// let mut stats = InputStats::default();
    /// recording.usercmds()?.for_each(|command| stats.add(&command));
    /// assert!(stats.commands > 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for families whose recordings hold no commands.
    pub fn usercmds(&self) -> Result<impl Iterator<Item = UserCommand>, Error> {
        let commands: Box<dyn Iterator<Item = UserCommand>> = match self.inner() {
            #[cfg(feature = "goldsrc")]
            Inner::GoldSrc(recording) => Box::new(recording.usercmds()),
            #[cfg(feature = "quake1")]
            Inner::Quake1(recording) => Box::new(recording.usercmds()),
            #[allow(unreachable_patterns, reason = "none is left where only these families are")]
            _ => return Err(Error::unsupported(format!("{} recordings hold no user commands", self.family()))),
        };
        Ok(commands)
    }
}
