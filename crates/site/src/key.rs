//! Digests, by which an output knows that nothing it is made of has changed.

use sha2::{Digest, Sha256};

/// The digest of several parts: 32 hexadecimal digits. Where one part ends and the next begins counts.
pub(crate) fn of<T: AsRef<[u8]>>(parts: &[T]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_are_parted() {
        assert_ne!(super::of(&["ab", "c"]), super::of(&["a", "bc"]));
        assert_eq!(super::of(&["ab"]).len(), 32);
    }
}
