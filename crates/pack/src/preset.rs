//! How much work packing is.

/// How much work the model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Preset {
    /// All contexts: the smallest files.
    #[default]
    Small,
    /// The model of `Small` before guesses were decisions of their own, with larger slots. Files and archives of earlier versions have it.
    FormerSmall,
    /// Symbols of four bits by three contexts: much faster, and larger files.
    Quick,
    /// As former small, with a larger model for bytes that no message explains. Where it does better, small files have it.
    Deep,
    /// The model of `Quick` before it had symbols of four bits: four contexts for a bit. Files and archives of earlier versions have it.
    FormerQuick,
}
