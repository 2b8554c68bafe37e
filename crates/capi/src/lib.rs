//! The library for C: `include/fragreel.h` describes it, `docs/c.md` shows it. A recording in memory goes in; JSON and new recordings come out.
//!
//! Every answer comes from the `fragreel` crate. Here, pointers become references, answers become text, and a panic becomes an error. This is the one
//! crate with `unsafe`.

mod answer;
mod edit;
mod frames;
mod recording;

pub use answer::{fragreel_free_bytes, fragreel_free_string, fragreel_version};
pub use edit::fragreel_cut;
pub use frames::{Frames, fragreel_close_frames, fragreel_frames, fragreel_next_frame};
pub use recording::{Recording, fragreel_close, fragreel_events, fragreel_info, fragreel_open, fragreel_scores, fragreel_verify};
