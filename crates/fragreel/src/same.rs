//! How much two recordings have in common.

/// What an edit must have left as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Same {
    /// What frames say: where everything was and how it stood.
    States,
    /// And the level's strings, where those can be distinguished from names that an edit may change.
    Strings,
}
