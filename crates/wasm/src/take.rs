//! What the page asks to make other files of a recording, and to look into it.

use fragreel::model::{Milliseconds, Selection, When};
use wasm_bindgen::prelude::*;

use crate::edit::{self, Clip};
use crate::{Recording, failure, json};

#[wasm_bindgen]
impl Recording {
    /// Whether it is whole: `verify --json`.
    pub fn verify(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.verify()))
    }

    /// Everything known at a time since the first frame: `state --json`.
    pub fn state(&self, milliseconds: f64) -> Result<String, JsError> {
        self.ask(|open| json(&open.state_at(When::Demo(Milliseconds(milliseconds as i64))).map_err(failure)?))
    }

    /// A message field by field: `explain --json`.
    pub fn explain(&self, message: u32) -> Result<String, JsError> {
        self.ask(|open| json(&open.explain(Selection::Message(message)).collect::<Vec<_>>()))
    }

    /// What it can become: a JSON array of what `convert --list --json` prints. Each format costs a conversion.
    pub fn formats(&self, pov: Option<String>) -> Result<String, JsError> {
        self.ask(|open| edit::formats(open, pov.as_deref()))
    }

    /// A part of it as a file that the game plays, checked as the command checks it: `wishes` is JSON with `from` and `to` in
    /// milliseconds, and optionally `scrub`, `format`, `pov`.
    pub fn clip(&self, wishes: &str) -> Result<Clip, JsError> {
        self.ask(|open| edit::clip(open, wishes))
    }
}
