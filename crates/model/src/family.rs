//! The four families of games.

use serde::Serialize;

/// A family of games whose recordings share a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Family {
    /// Quake III Arena, ioquake3, OpenArena, Quake Live and mods.
    Quake3,
    /// Quake II, Relay, R1Q2, Q2PRO.
    Quake2,
    /// Half-Life 1 and its mods.
    GoldSrc,
    /// QuakeWorld and NetQuake.
    Quake1,
}

impl Family {
    /// The stable lower-case name used in machine-readable output and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Family::Quake3 => "quake3",
            Family::Quake2 => "quake2",
            Family::GoldSrc => "goldsrc",
            Family::Quake1 => "quake1",
        }
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// How sure a family is that a recording is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It is not.
    No,
    /// Nothing speaks against it, but only the file's extension for it.
    Possible,
    /// The content has the family's shape.
    Likely,
    /// The content says so itself.
    Certain,
}
