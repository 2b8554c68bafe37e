//! One difference, and where it is.

use fragreel_model::{Event, Milliseconds};
use serde::Serialize;
use serde_json::Value;

/// One field that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// When, on the server's clock, where two recordings are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_time: Option<Milliseconds>,
    /// The number of the container's message that says it in the first, where two recordings are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_a: Option<u32>,
    /// In the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_b: Option<u32>,
    /// What holds it: `player 3`, `entities 120`, `snapshot › entity 43`; `event` for what happened in one only.
    pub place: String,
    /// The field.
    pub field: String,
    /// Its value in the first; absent where the first does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// In the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
    /// What happened in one only.
    #[serde(skip)]
    pub event: Option<Box<Event>>,
}

/// Where two recordings are compared.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct At {
    pub server_time: Option<Milliseconds>,
    pub messages: [Option<u32>; 2],
}
