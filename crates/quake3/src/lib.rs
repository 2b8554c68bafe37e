//! Quake III Arena recordings, both directions: `.dm_66` to `.dm_71`, the older `.dm3` and `.dm_48`, Quake Live's
//! `.dm_73`, `.dm_90`, `.dm_91`, and `.urtdemo`. The format is described in `docs/formats/quake3.md`.

mod answers;
pub mod container;
pub mod detect;
pub mod dialect;
mod edit;
mod encode;
pub mod events;
pub mod fields;
pub mod frames;
pub mod game;
pub mod live;
pub mod message;
#[doc(hidden)]
pub mod properties;
pub mod recording;
pub mod state;
pub mod strings;
pub mod text;
pub mod walk;

pub use detect::detect;
pub use edit::Comparer;
pub use frames::Frames;
pub use recording::Recording;
// until the facade uses the new name
#[doc(hidden)]
pub use text as text_form;
