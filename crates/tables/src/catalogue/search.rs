//! The conditions of a search.

/// What is looked for. Everything given must hold; names may have `*` and `?` as wildcards, in any case.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Players who took part, under any of their names.
    pub players: Vec<String>,
    /// Players who played on one side, against those of `against`.
    pub with: Vec<String>,
    /// See `with`.
    pub against: Vec<String>,
    /// A map that was played.
    pub map: Option<String>,
    /// A day, a month or a year, or two of them with `..` between: `2004`, `2004-03..2005-01`.
    pub date: Option<String>,
    /// The mod or game directory.
    pub game_mod: Option<String>,
    /// Words that were said: the query language of FTS5.
    pub text: Option<String>,
    /// Only what is damaged, or cut or tampered with.
    pub damaged: bool,
    /// At most this number; all by default.
    pub limit: Option<u64>,
}
