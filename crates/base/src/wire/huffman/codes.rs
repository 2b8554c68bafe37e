//! The code of every byte.

/// A prefix code, its first bit lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The code itself.
    pub bits: u16,
    /// How many of `bits` count.
    pub length: u8,
}

/// Bits of the longest code.
pub const LONGEST: u32 = 11;

/// The code of every byte value. Print the table with
/// `BLESS=1 cargo test -p fragreel-base follow_from -- --nocapture`.
pub const CODES: [Code; 256] = {
    let mut codes = [Code { bits: 0, length: 0 }; 256];
    let mut at = 0;
    while at < 256 {
        codes[at] = Code { bits: PAIRS[at].0, length: PAIRS[at].1 };
        at += 1;
    }
    codes
};

const PAIRS: [(u16, u8); 256] = include!("codes.in");
