//! Names of fields as numbers.

/// The key of a name: the same in every build.
pub(super) const fn key_of(name: &str) -> u64 {
    let (name, mut key, mut at) = (name.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
    while at < name.len() {
        key = (key ^ name[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    key
}
