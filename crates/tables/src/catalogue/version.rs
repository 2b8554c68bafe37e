//! The version of the schema.

/// The version of the schema; SQLite keeps it as `user_version`. It rises when a catalogue must be made again.
pub const VERSION: i64 = 5;
