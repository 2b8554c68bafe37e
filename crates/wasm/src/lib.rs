//! The library for the browser viewer in `web/`: bytes of a recording go in; typed arrays, JSON and new recordings come out. `docs/json.md`
//! describes the JSON. `cargo xtask web` builds this crate.
//!
//! Every answer comes from the `fragreel` crate. [`Tracks`] only arranges frames by player and entity, so that a page can hold every
//! frame of a recording and jump to any of them.

mod archive;
mod colored;
mod edit;
mod events;
mod happenings;
mod keys;
mod layout;
mod scores;
mod table;
mod tracks;
#[cfg(test)]
mod typescript;
mod words;

use fragreel::edit::Wanted;
use fragreel::model::{EventKind, Kinds, Milliseconds, Selection, When};
use fragreel::{Bytes, Error, Recording as Open};
use serde::Serialize;
use wasm_bindgen::prelude::*;

pub use archive::Members;
pub use edit::Clip;
use tracks::Growing;
pub use tracks::Tracks;

#[wasm_bindgen]
extern "C" {
    /// A function of JavaScript. The crate of its whole library takes a twelfth of the time that this one takes to compile.
    pub type Function;

    #[wasm_bindgen(method, catch)]
    fn call(this: &Function, context: &JsValue, message: u32) -> Result<(), JsValue>;
}

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
    name: String,
    /// The whole of it so far and the walk over it, when it is still written.
    growing: Option<(Bytes, Option<Growing>)>,
}

#[wasm_bindgen]
impl Recording {
    /// Takes the bytes of a recording, compressed with gzip or not, and its file's name.
    ///
    /// # Errors
    /// With the reason when they are no recording.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>, name: &str) -> Result<Recording, JsError> {
        Ok(Recording { opened: Open::open(bytes, name).map_err(failure)?, name: name.to_owned(), growing: None })
    }

    /// Its bytes, unpacked.
    pub fn bytes(&self) -> Vec<u8> {
        self.growing.as_ref().map_or(self.opened.bytes(), |(bytes, _)| bytes).to_vec()
    }

    /// What it is and who is in it: `info --json`.
    pub fn info(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.info()))
    }

    /// Everything that happened: a JSON array of what `events --json` prints, with what the page shows of it.
    pub fn events(&self) -> Result<String, JsError> {
        let mut text = String::from("[");
        let mut fault = None;
        self.ask(|open| {
            for event in open.events(Kinds::ALL) {
                // statistics come with the scores
                if matches!(event.kind, EventKind::Statistics(_)) {
                    continue;
                }
                match serde_json::to_string(&events::Shown::of(&event)) {
                    Ok(one) => {
                        if text.len() > 1 {
                            text.push(',');
                        }
                        text.push_str(&one);
                    }
                    Err(error) => fault = Some(error),
                }
            }
            Ok(())
        })?;
        text.push(']');
        fault.map_or(Ok(text), |error| Err(JsError::from(error)))
    }

    /// The scoreboard of each match as `scores --json` prints it, and the figures at any time, with sides and their colors.
    pub fn scores(&self) -> Result<String, JsError> {
        self.ask(|open| json(&scores::Scores::of(open.score_history().value, &open.info())))
    }

    /// The colors of texts: a JSON array of them, which is answered by one of their pieces, `null` for those without colors.
    ///
    /// # Errors
    /// When that is no such array.
    pub fn colored(&self, texts: &str) -> Result<String, JsError> {
        #[derive(serde::Deserialize)]
        struct Sent {
            raw: String,
            clean: String,
        }
        let texts: Vec<Sent> = serde_json::from_str(texts)?;
        self.ask(|open| {
            let family = open.info().family;
            let of = |Sent { raw, clean }| colored::runs(family, &fragreel::model::Text { raw, clean });
            json(&texts.into_iter().map(of).collect::<Vec<_>>())
        })
    }

    /// Whether it is whole: `verify --json`.
    pub fn verify(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.verify()))
    }

    /// Whether it is one unbroken recording: `audit --json`.
    pub fn audit(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.audit()))
    }

    /// Everything known at a time since the first frame: `state --json`.
    pub fn state(&self, milliseconds: f64) -> Result<String, JsError> {
        self.ask(|open| json(&open.state_at(When::Demo(Milliseconds(milliseconds as i64))).map_err(failure)?))
    }

    /// A message field by field: `explain --json`.
    pub fn explain(&self, message: u32) -> Result<String, JsError> {
        self.ask(|open| json(&open.explain(Selection::Message(message)).collect::<Vec<_>>()))
    }

    /// Every frame, arranged for drawing. `progress` is called with the number of a message now and then.
    pub fn tracks(&self, progress: &Function) -> Result<Tracks, JsError> {
        let report = |message: u32| drop(progress.call(&JsValue::NULL, message));
        self.ask(|open| Tracks::of(open, report).map_err(failure))
    }

    /// The frames that are new since the last call, of a recording that is still written: `more` are the bytes behind those that were there, `last`
    /// says that it is complete now. The other answers are about what there is so far.
    ///
    /// # Errors
    /// When its frames cannot be walked over, or it came compressed.
    pub fn grow(&mut self, more: &[u8], last: bool) -> Result<Tracks, JsError> {
        if self.opened.is_compressed() {
            return Err(JsError::new("a compressed recording cannot grow"));
        }
        let (bytes, growing) = self.growing.get_or_insert_with(|| (self.opened.bytes().clone(), None));
        // Nobody else has the bytes so far, so they are not copied.
        let mut so_far = Vec::from(std::mem::take(bytes));
        so_far.extend_from_slice(more);
        *bytes = so_far.into();
        let walk = match growing.take() {
            Some(walk) => walk,
            None => Growing::new(&Open::open(bytes.clone(), &self.name).map_err(failure)?).map_err(failure)?,
        };
        let (walk, tracks) = walk.more(bytes.clone(), last);
        *growing = Some(walk);
        Ok(tracks)
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

    /// The best moments, those that overlap as one: a JSON array of what `highlights --best --merge --json` prints of each moment.
    pub fn moments(&self) -> Result<String, JsError> {
        let mut wanted = Wanted::best();
        wanted.merge = true;
        self.ask(|open| json(&open.highlights(&wanted).value.moments))
    }

    /// The keys that players held, at each change: a JSON array, empty for recordings without user commands.
    pub fn keys(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.usercmds().map_or_else(|_| Vec::new(), keys::changes)))
    }

    fn ask<T>(&self, question: impl FnOnce(&Open) -> Result<T, JsError>) -> Result<T, JsError> {
        match &self.growing {
            None => question(&self.opened),
            Some((bytes, _)) => question(&Open::open(bytes.clone(), &self.name).map_err(failure)?),
        }
    }
}

fn failure(error: Error) -> JsError {
    JsError::new(&error.to_string())
}

fn json<T: Serialize + ?Sized>(answer: &T) -> Result<String, JsError> {
    Ok(serde_json::to_string(answer)?)
}
