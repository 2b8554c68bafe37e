//! A level's list of models or sounds.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::sync::OnceLock;

use crate::message::Text;

/// More files than any engine has numbers for are not kept.
const MOST_FILES: usize = 1 << 16;

/// Files by number. Lists are the same when their digests are: long ones may change often, and be compared as often.
#[derive(Clone, Default)]
pub struct Files {
    names: Vec<Text>,
    /// The sum of what stands for each name in its place, nothing for an empty one; from when it is first asked for.
    digest: OnceLock<u64>,
}

impl Files {
    /// Takes in a part of the list, whose first file has the number `first + 1`.
    pub(super) fn list(&mut self, first: usize, names: &[Text]) {
        if first + names.len() > MOST_FILES {
            return;
        }
        (first + 1..).zip(names).for_each(|(at, name)| self.set(at, name));
        // an empty part may lie behind the end
        self.reach(first + 1 + names.len());
    }

    /// Takes in one file.
    pub(super) fn set(&mut self, at: usize, name: &Text) {
        self.reach(at + 1);
        let old = std::mem::replace(&mut self.names[at], name.clone());
        if let Some(sum) = self.digest.get_mut() {
            *sum = sum.wrapping_sub(digest(at, &old)).wrapping_add(digest(at, name));
        }
    }

    fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| self.names.iter().enumerate().fold(0, |sum, (at, name)| sum.wrapping_add(digest(at, name))))
    }

    fn reach(&mut self, end: usize) {
        if self.names.len() < end {
            self.names.resize(end, Text::default());
        }
    }
}

fn digest(at: usize, name: &Text) -> u64 {
    if name.0.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    (at, &name.0).hash(&mut hasher);
    hasher.finish()
}

impl Deref for Files {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        &self.names
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names.fmt(f)
    }
}

impl PartialEq for Files {
    fn eq(&self, other: &Self) -> bool {
        self.names.len() == other.names.len() && self.digest() == other.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_the_same_when_their_names_are() {
        let names = |list: &[&str]| list.iter().map(|name| Text(name.as_bytes().to_vec())).collect::<Vec<_>>();
        let (mut parts, mut whole) = (Files::default(), Files::default());
        parts.list(2, &names(&["c"]));
        parts.list(0, &names(&["x", "b", "d"]));
        // from here on it has a digest
        assert_eq!(parts, parts.clone());
        parts.set(1, &Text(b"a".to_vec()));
        whole.list(0, &names(&["a", "b", "d"]));
        assert_eq!(parts, whole);
        assert_eq!(whole[1..], names(&["a", "b", "d"]));
        for other in [&["a", "d", "b"][..], &["a", "b"], &["a", "b", "d", ""], &["a", "b", ""]] {
            let mut list = Files::default();
            list.list(0, &names(other));
            assert_ne!(list, whole, "{other:?}");
        }
    }
}
