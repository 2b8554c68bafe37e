//! The walk over a recording: container, messages, and state in one loop. Answers, events, frames, edits, and live servers are built on it.

mod command_numbers;
pub(crate) mod entity_events;
mod findings;
mod input;
pub(crate) mod match_clock;
mod playback;
pub(crate) mod roster;
mod run_time;
mod timeline;
mod view_events;

pub(crate) use command_numbers::{CommandNumbers, NumberedOperation, numbered_operations};
pub(crate) use findings::{
    NOT_ACTIVE, ServerTimes, begins_level, broken_message, container_damage, early_end, falling_time, missing_end_marker, opaque_bytes, second_recording,
    snapshot_finding,
};
pub(crate) use input::Input;
pub(crate) use match_clock::MatchClock;
pub(crate) use playback::Visit;
pub(crate) use playback::{Playback, Step};
pub use playback::{Visitor, visit};
pub(crate) use roster::{Person, Roster};
pub(crate) use run_time::RunTime;
pub(crate) use timeline::{Level, Timeline, TimelineSink, TimelineWalk};
pub(crate) use view_events::{PlayerFields, ViewTracker};
