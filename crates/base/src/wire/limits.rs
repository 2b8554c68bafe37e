//! Policy against hostile input.

/// How much a decoder may hold, whatever the numbers in the input say. Passed in as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Longest single message, in bytes.
    pub message_bytes: usize,
    /// Longest recording after decompression, in bytes.
    pub recording_bytes: u64,
    /// Most damage entries that a report keeps; the rest are counted.
    pub damage_entries: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message_bytes: 1 << 20, recording_bytes: 4 << 30, damage_entries: 1000 }
    }
}
