//! Clips: a part of a recording as a file of its own, checked as the command checks it.

use fragreel::edit::{Chat, Clock, Edited, Range, Same, Scrub, Target};
use fragreel::model::Milliseconds;
use fragreel::{Error, Recording, packing};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use crate::{failure, json};

/// What is wished for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wishes {
    from: Option<f64>,
    to: Option<f64>,
    scrub: bool,
    chat: bool,
    format: Option<String>,
    pov: Option<String>,
    /// Whether the new recording comes packed.
    pack: bool,
}

/// A new recording.
#[wasm_bindgen]
pub struct Clip {
    bytes: Vec<u8>,
    extension: String,
    report: String,
}

#[wasm_bindgen]
impl Clip {
    /// The whole file.
    pub fn bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The extension that its format usually has, without a dot.
    pub fn extension(&self) -> String {
        self.extension.clone()
    }

    /// JSON with `actions`, `losses`, `whole`, `frames` compared with the source's, `differing` ones and `differences`.
    pub fn report(&self) -> String {
        self.report.clone()
    }
}

#[derive(Debug, Default, Serialize)]
struct Report {
    actions: Vec<fragreel::model::Action>,
    losses: Vec<fragreel::model::Loss>,
    whole: bool,
    frames: u64,
    differing: u64,
    differences: Vec<String>,
}

/// One edit after the other, each checked against what it was made of.
pub fn clip(recording: &Recording, wishes: &str) -> Result<Clip, JsError> {
    let wishes: Wishes = serde_json::from_str(wishes)?;
    let mut report = Report { whole: true, ..Report::default() };
    let mut current: Option<Edited> = None;
    if wishes.from.is_some() || wishes.to.is_some() {
        let to = wishes.to.map_or(Milliseconds::END, |time| Milliseconds(time as i64));
        let range = Range { clock: Clock::Demo, from: Milliseconds(wishes.from.unwrap_or_default() as i64), to };
        current = Some(step(recording, Same::Strings, &mut report, |recording| recording.cut(range))?);
    }
    if wishes.scrub {
        let scrub = |recording: &Recording| recording.scrub(&Scrub::default().chat(if wishes.chat { Chat::Remove } else { Chat::Keep }));
        current = Some(next(recording, current, Same::States, &mut report, scrub)?);
    }
    if wishes.format.is_some() {
        let target = Target { format: wishes.format, pov: wishes.pov };
        current = Some(next(recording, current, Same::States, &mut report, |recording| recording.convert(&target))?);
    }
    let Some(edited) = current else { return Err(JsError::new("nothing to do: give a time range, scrub or a format")) };
    let report = json(&report)?;
    if !wishes.pack {
        return Ok(Clip { bytes: edited.bytes, extension: edited.extension, report });
    }
    let bytes = packing::pack(&edited.bytes, &format!("clip.{}", edited.extension));
    Ok(Clip { bytes, extension: packing::EXTENSION.to_owned(), report })
}

/// What a recording can become.
pub fn formats(recording: &Recording, pov: Option<&str>) -> Result<String, JsError> {
    let list: Vec<Value> =
        recording.formats(pov).into_iter().map(|format| serde_json::json!({ "format": format.name, "losses": format.losses, "needs": format.needs })).collect();
    json(&list)
}

/// The next edit of what the one before gave.
fn next(
    recording: &Recording,
    current: Option<Edited>,
    same: Same,
    report: &mut Report,
    edit: impl FnOnce(&Recording) -> Result<Edited, Error>,
) -> Result<Edited, JsError> {
    let Some(current) = current else { return step(recording, same, report, edit) };
    let current = Recording::open(current.bytes, &format!("clip.{}", current.extension)).map_err(failure)?;
    step(&current, same, report, edit)
}

fn step(recording: &Recording, same: Same, report: &mut Report, edit: impl FnOnce(&Recording) -> Result<Edited, Error>) -> Result<Edited, JsError> {
    let mut edited = edit(recording).map_err(failure)?;
    let checked = recording.check_edited(&edited, same).map_err(failure)?;
    report.whole &= checked.verification.is_whole();
    report.frames = checked.comparison.frames;
    report.differing += checked.comparison.differing;
    report.differences.extend(checked.comparison.differences);
    report.actions.append(&mut edited.actions);
    for loss in edited.losses.drain(..) {
        if !report.losses.contains(&loss) {
            report.losses.push(loss);
        }
    }
    Ok(edited)
}
