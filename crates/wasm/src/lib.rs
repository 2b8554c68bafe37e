//! The library for the browser viewer in `web/`: bytes of a recording go in; typed arrays, JSON and new recordings come out. `docs/json.md`
//! describes the JSON. `cargo xtask web` builds this crate twice: with the feature `watch` for what shows a recording, and with `take` for what few ask
//! for. The page loads the second one when somebody does, so that a watcher loads 1.19 MB instead of 1.87.
//!
//! Every answer comes from the `fragreel` crate. `Tracks` only arranges frames by player and entity, so that a page can hold every
//! frame of a recording and jump to any of them.

#[cfg(feature = "take")]
mod archive;
#[cfg(feature = "watch")]
mod colored;
#[cfg(feature = "watch")]
mod constants;
#[cfg(feature = "take")]
mod edit;
#[cfg(feature = "watch")]
mod events;
#[cfg(feature = "watch")]
mod happenings;
#[cfg(feature = "watch")]
mod keys;
#[cfg(feature = "watch")]
mod layout;
#[cfg(feature = "watch")]
mod movement;
#[cfg(feature = "watch")]
mod pack;
#[cfg(feature = "watch")]
mod scores;
#[cfg(feature = "watch")]
mod table;
#[cfg(feature = "take")]
mod take;
#[cfg(feature = "watch")]
mod tracks;
#[cfg(feature = "watch")]
#[cfg(test)]
mod typescript;
#[cfg(feature = "watch")]
mod watch;
#[cfg(feature = "watch")]
mod words;

use fragreel::{Error, Recording as Open};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[cfg(feature = "take")]
pub use archive::Members;
#[cfg(feature = "take")]
pub use edit::Clip;
#[cfg(feature = "watch")]
pub use movement::Movement;
#[cfg(feature = "watch")]
pub use tracks::Tracks;

/// Before anything else: a fault of ours reaches the page as an error with its message.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(target_arch = "wasm32")]
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// A recording in memory.
#[wasm_bindgen]
pub struct Recording {
    /// Open, with the index and the look-ups that questions and edits have made.
    opened: Open,
    /// What its file is called.
    #[cfg(feature = "watch")]
    name: String,
    /// The whole of it so far and the walk over it, when it is still written.
    #[cfg(feature = "watch")]
    growing: Option<(fragreel::Bytes, Option<tracks::Growing>)>,
}

#[wasm_bindgen]
impl Recording {
    /// Takes the bytes of a recording, compressed with gzip or not, and its file's name.
    ///
    /// # Errors
    /// With the reason when they are no recording.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>, name: &str) -> Result<Recording, JsError> {
        Ok(Recording {
            opened: Open::open(bytes, name).map_err(failure)?,
            #[cfg(feature = "watch")]
            name: name.to_owned(),
            #[cfg(feature = "watch")]
            growing: None,
        })
    }

    fn ask<T>(&self, question: impl FnOnce(&Open) -> Result<T, JsError>) -> Result<T, JsError> {
        #[cfg(feature = "watch")]
        if let Some((bytes, _)) = &self.growing {
            return question(&Open::open(bytes.clone(), &self.name).map_err(failure)?);
        }
        question(&self.opened)
    }
}

fn failure(error: Error) -> JsError {
    JsError::new(&error.to_string())
}

fn json<T: Serialize + ?Sized>(answer: &T) -> Result<String, JsError> {
    Ok(serde_json::to_string(answer)?)
}
