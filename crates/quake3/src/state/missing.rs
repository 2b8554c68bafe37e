//! Why a delta base is missing.

/// Why a base is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The recording never had it, or it was skipped itself.
    Absent,
    /// A later snapshot replaced it in the ring.
    TooOld,
    /// Its entities are further back than the engine keeps.
    EntitiesTooOld,
}

impl Missing {
    /// The rule that is broken, in words.
    pub fn rule(self) -> &'static str {
        match self {
            Missing::Absent => "the snapshot's delta base is not in the recording",
            Missing::TooOld => "the snapshot's delta base is more than 32 messages old",
            Missing::EntitiesTooOld => "the entities of the snapshot's delta base are no longer kept",
        }
    }
}
