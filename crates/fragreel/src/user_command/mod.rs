//! User commands: the buttons, moves and view angles that clients sent.

mod input_stats;

use fragreel_base::wire::Error;
use fragreel_model::UserCommand;

use crate::Recording;
use crate::family::Inner;

pub use input_stats::{ButtonStats, InputStats, StrafeStats, ViewTurn, ViewTurns};

impl Recording<'_> {
    /// Passes every recorded user command to `sink`, in order: of Half-Life's clients, of QuakeWorld's, and of all players where a
    /// QuakeWorld server kept theirs.
    ///
    /// ```
    /// use fragreel::InputStats;
    ///
    /// # fn main() -> Result<(), fragreel::Error> {
    /// let bytes = &*std::fs::read("../../samples/quake1/match_e1m1.qwd").unwrap();
    /// let mut stats = InputStats::default();
    /// fragreel::Demo::new(&bytes[..], "match_e1m1.qwd")?.open()?.usercmds(&mut |command| stats.add(&command))?;
    /// assert!(stats.commands > 1000);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](fragreel_base::wire::ErrorKind::Unsupported) for families whose recordings hold no commands.
    pub fn usercmds(&self, sink: &mut dyn FnMut(UserCommand)) -> Result<(), Error> {
        match &self.inner {
            #[cfg(feature = "goldsrc")]
            Inner::GoldSrc(recording) => recording.usercmds().for_each(sink),
            #[cfg(feature = "quake1")]
            Inner::Quake1(recording) => recording.usercmds().for_each(sink),
            #[allow(unreachable_patterns, reason = "none is left where only these families are")]
            _ => return Err(Error::unsupported(format!("{} recordings hold no user commands", self.family))),
        }
        Ok(())
    }
}
