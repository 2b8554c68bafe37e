//! Sets of event kinds.

use super::kind::Kind;

/// A set of event kinds. Decoding skips whatever no requested kind needs.
///
/// ```
/// use fragreel_model::{Kind, Kinds};
///
/// let kinds = Kinds::from([Kind::Kill, Kind::Chat]);
/// assert!(kinds.has(Kind::Chat) && !kinds.has(Kind::Item));
/// assert_eq!(kinds, Kinds::from(Kind::Kill) | Kind::Chat.into());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u32);

impl Kinds {
    /// Every kind.
    pub const ALL: Kinds = Kinds(u32::MAX);
    /// No kind.
    pub const NONE: Kinds = Kinds(0);

    /// Whether `kind` is wanted.
    #[inline]
    pub fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u32 & 1 != 0
    }

    /// Whether any of `kinds` is wanted.
    #[inline]
    pub fn any(self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|&kind| self.has(kind))
    }
}

impl std::ops::BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl<const N: usize> From<[Kind; N]> for Kinds {
    fn from(kinds: [Kind; N]) -> Self {
        kinds.into_iter().collect()
    }
}

impl From<&[Kind]> for Kinds {
    fn from(kinds: &[Kind]) -> Self {
        kinds.iter().copied().collect()
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        [kind].into()
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Kinds(kinds.into_iter().fold(0, |set, kind| set | 1 << kind as u32))
    }
}
