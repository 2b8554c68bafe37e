//! The library as the browser viewer in `web/` uses it: a recording's bytes go in, typed arrays, JSON and new recordings come out. JSON
//! is what `docs/json.md` describes. `cargo xtask web` builds it.
//!
//! Nothing is concluded here: every answer is the `fragreel` crate's. [`Tracks`] only arranges frames by whom they are about, so that
//! a page can hold a recording's every frame and go to any of them at once.

mod edit;
mod table;
mod tracks;
mod words;

use fragreel::model::{EventKind, Kinds, Milliseconds, Selection, When};
use fragreel::{Demo, Error, Recording as Open};
use serde::Serialize;
use wasm_bindgen::prelude::*;

pub use edit::Clip;
use tracks::Growing;
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
    demo: Demo<'static>,
    growing: Option<Growing>,
}

#[wasm_bindgen]
impl Recording {
    /// Takes the bytes of a recording, compressed with gzip or not, and its file's name.
    ///
    /// # Errors
    /// With the reason when they are no recording.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>, name: &str) -> Result<Recording, JsError> {
        let demo = Demo::new(bytes, name).map_err(failure)?;
        demo.open().map_err(failure)?;
        Ok(Recording { demo, growing: None })
    }

    /// Its bytes, unpacked.
    pub fn bytes(&self) -> Vec<u8> {
        self.demo.bytes().to_vec()
    }

    /// What it is and who is in it: `info --json`.
    pub fn info(&self) -> Result<String, JsError> {
        json(&self.open()?.info())
    }

    /// Everything that happened, as a JSON array of what `events --json` prints.
    pub fn events(&self) -> Result<String, JsError> {
        let mut text = String::from("[");
        let mut fault = None;
        self.open()?.events(Kinds::ALL, &mut |event| {
            // statistics come with the scores
            if matches!(event.kind, EventKind::Statistics(_)) {
                return;
            }
            match serde_json::to_string(&event) {
                Ok(one) => {
                    if text.len() > 1 {
                        text.push(',');
                    }
                    text.push_str(&one);
                }
                Err(error) => fault = Some(error),
            }
        });
        text.push(']');
        fault.map_or(Ok(text), |error| Err(JsError::from(error)))
    }

    /// The scoreboard of each match: a JSON array of what `scores --json` prints.
    pub fn scores(&self) -> Result<String, JsError> {
        json(&self.open()?.scores().0)
    }

    /// Whether it is whole: `verify --json`.
    pub fn verify(&self) -> Result<String, JsError> {
        json(&self.open()?.verify())
    }

    /// Whether it is one unbroken recording: `audit --json`.
    pub fn audit(&self) -> Result<String, JsError> {
        json(&self.open()?.audit())
    }

    /// Everything known at a time since the first frame: `state --json`.
    pub fn state(&self, milliseconds: f64) -> Result<String, JsError> {
        json(&self.open()?.state_at(When::Demo(Milliseconds(milliseconds as i64))).map_err(failure)?)
    }

    /// A message field by field: `explain --json`.
    pub fn explain(&self, message: u32) -> Result<String, JsError> {
        let mut found = Vec::new();
        self.open()?.explain(Selection::Message(message), &mut |explained| found.push(explained));
        json(&found)
    }

    /// Every frame, arranged for drawing. `progress` is called with a part of 1 now and then.
    pub fn tracks(&self, progress: &js_sys::Function) -> Result<Tracks, JsError> {
        let report = |part: f64| drop(progress.call1(&JsValue::NULL, &JsValue::from_f64(part)));
        Tracks::of(&self.open()?, report).map_err(failure)
    }

    /// The frames that are new since the last call, of a recording that is still written: `more` are the bytes behind those that were there, `last`
    /// says that it is complete now. The other answers are about what there is so far.
    ///
    /// # Errors
    /// When its frames cannot be walked over, or it came compressed.
    pub fn grow(&mut self, more: &[u8], last: bool) -> Result<Tracks, JsError> {
        self.demo.append(more).map_err(failure)?;
        let growing = match self.growing.take() {
            Some(growing) => growing,
            None => Growing::new(&self.open()?).map_err(failure)?,
        };
        let (growing, tracks) = growing.more(self.demo.bytes(), last);
        self.growing = Some(growing);
        Ok(tracks)
    }

    /// What it can become: a JSON array of what `convert --list --json` prints. Each format costs a conversion.
    pub fn formats(&self, pov: Option<String>) -> Result<String, JsError> {
        edit::formats(&self.open()?, pov.as_deref())
    }

    /// A part of it as a file that the game plays, checked as the command checks it: `wishes` is JSON with `from` and `to` in
    /// milliseconds, and optionally `scrub`, `format`, `pov`.
    pub fn clip(&self, wishes: &str) -> Result<Clip, JsError> {
        edit::clip(&self.open()?, wishes)
    }

    fn open(&self) -> Result<Open<'_>, JsError> {
        self.demo.open().map_err(failure)
    }
}

fn failure(error: Error) -> JsError {
    JsError::new(&error.to_string())
}

fn json<T: Serialize + ?Sized>(answer: &T) -> Result<String, JsError> {
    Ok(serde_json::to_string(answer)?)
}
