//! Quake III Arena recordings, both directions: `.dm_66` to `.dm_71`, the older `.dm3` and `.dm_48`, Quake Live's
//! `.dm_73`, `.dm_90`, `.dm_91`, and `.urtdemo`. The format is described in `docs/formats/quake3.md`.

mod audit;
pub mod canonical;
pub mod container;
pub mod dialect;
mod edit;
pub mod events;
pub mod fields;
pub mod frames;
pub mod game;
pub mod identify;
pub mod message;
pub mod playback;
#[doc(hidden)]
pub mod properties;
pub mod protocol;
pub mod recording;
pub mod state;
pub mod text;
pub mod text_form;

pub use edit::Comparer;
pub use frames::Frames;
pub use identify::detect;
pub use recording::Recording;
