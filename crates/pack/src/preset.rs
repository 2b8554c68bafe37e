//! How much work packing is.

/// How much work the model does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Preset {
    /// All contexts: the smallest files.
    #[default]
    Small,
    /// Four contexts for a decision and one set of weights: several times as fast, and larger files.
    Quick,
    /// As small, with a larger model for bytes that no message explains. Where it does better, small files have it.
    Deep,
}
