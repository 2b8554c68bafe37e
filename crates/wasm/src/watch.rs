//! What the page asks to show a recording.

use fragreel::Recording as Open;
use fragreel::edit::Wanted;
use fragreel::model::{EventKind, Kinds};
use wasm_bindgen::prelude::*;

use crate::movement::Movement;
use crate::tracks::{Growing, Tracks};
use crate::{Recording, colored, events, failure, json, keys, scores};

#[wasm_bindgen]
extern "C" {
    /// A function of JavaScript. The crate of its whole library takes a twelfth of the time that this one takes to compile.
    pub type Function;

    #[wasm_bindgen(method, catch)]
    fn call(this: &Function, context: &JsValue, message: u32) -> Result<(), JsValue>;
}

#[wasm_bindgen]
impl Recording {
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

    /// Whether it is one unbroken recording: `audit --json`.
    pub fn audit(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.audit()))
    }

    /// Every frame, arranged for drawing. `progress` is called with the number of a message now and then.
    pub fn tracks(&self, progress: &Function) -> Result<Tracks, JsError> {
        let report = |message: u32| drop(progress.call(&JsValue::NULL, message));
        self.ask(|open| Tracks::of(open, report).map_err(failure))
    }

    /// The frames that are new since the last call, of a recording that is still written: `more` are the bytes behind those that were there, `last`
    /// says that it is complete now, and `total` is the number of bytes that it will have, as far as that is known. The other answers are about what there
    /// is so far.
    ///
    /// # Errors
    /// When its frames cannot be walked over, or it came compressed.
    pub fn grow(&mut self, more: &[u8], last: bool, total: usize) -> Result<Tracks, JsError> {
        if self.opened.is_compressed() {
            return Err(JsError::new("a compressed recording cannot grow"));
        }
        let (bytes, growing) = self.growing.get_or_insert_with(|| (self.opened.bytes().clone(), None));
        // Nobody else has the bytes so far, so they are not copied.
        let mut so_far = Vec::from(std::mem::take(bytes));
        // A buffer that doubles would need the memory twice. A total that is too large is ignored.
        let missing = total.saturating_sub(so_far.len());
        if so_far.capacity() < total && so_far.try_reserve_exact(missing).is_err() {
            so_far.try_reserve(more.len()).map_err(|error| JsError::new(&error.to_string()))?;
        }
        so_far.extend_from_slice(more);
        *bytes = so_far.into();
        let walk = match growing.take() {
            Some(walk) => walk,
            None => Growing::new(&Open::open(bytes.clone(), &self.name).map_err(failure)?).map_err(failure)?,
        };
        let (walk, tracks) = walk.more(bytes.clone(), last);
        *growing = Some(walk);
        if last && let Ok(whole) = Open::open(bytes.clone(), &self.name) {
            // what is complete has one index for all questions
            (self.opened, self.growing) = (whole, None);
        }
        Ok(tracks)
    }

    /// The best moments, those that overlap as one: a JSON array of what `highlights --best --merge --json` prints of each moment.
    pub fn moments(&self) -> Result<String, JsError> {
        let mut wanted = Wanted::best();
        wanted.merge = true;
        self.ask(|open| json(&open.highlights(&wanted).value.moments))
    }

    /// How the player in a slot moved.
    pub fn movement(&self, slot: u16) -> Result<Movement, JsError> {
        self.ask(|open| Movement::of(open, slot).map_err(failure))
    }

    /// The keys that players held, at each change: a JSON array, empty for recordings without user commands.
    pub fn keys(&self) -> Result<String, JsError> {
        self.ask(|open| json(&open.usercmds().map_or_else(|_| Vec::new(), keys::changes)))
    }
}
