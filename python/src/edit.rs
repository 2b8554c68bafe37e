//! Other recordings, made of one.

use std::path::PathBuf;

use fragreel::Error;
use fragreel::edit::{Chat, Range, Same, Scrub, Split, Target};
use fragreel::model::{Milliseconds, game_bytes};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::demo::Demo;
use crate::error::misuse;
use crate::json::object;
use crate::time::{Time, clock};
use crate::work::away;

/// An edited recording that was opened again, verified, and compared with its source.
#[pyclass(frozen, module = "fragreel")]
pub struct Edited {
    edited: fragreel::edit::Edited,
    differing: Option<u64>,
    whole: bool,
}

impl Edited {
    /// An edited recording, and what checking it found.
    pub fn new(edited: fragreel::edit::Edited, whole: bool, differing: Option<u64>) -> Self {
        Edited { edited, differing, whole }
    }
}

#[pymethods]
impl Edited {
    /// The whole new file.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.edited.bytes)
    }

    /// The extension that its format usually has, without a dot.
    #[getter]
    fn extension(&self) -> &str {
        &self.edited.extension
    }

    /// What was done, in words.
    #[getter]
    fn actions(&self) -> Vec<String> {
        self.edited.actions.iter().map(ToString::to_string).collect()
    }

    /// What the new file cannot say that the old one said.
    #[getter]
    fn losses(&self) -> Vec<String> {
        self.edited.losses.iter().map(ToString::to_string).collect()
    }

    /// Whether the new file is whole, and where it can be compared no frame differs from the source's.
    #[getter]
    fn is_sound(&self) -> bool {
        self.whole && self.differing.unwrap_or(0) == 0
    }

    /// Writes the file. One that is there is refused unless `overwrite` is set; it appears under its name when it is complete.
    #[pyo3(signature = (path, overwrite = false))]
    fn save(&self, py: Python<'_>, path: PathBuf, overwrite: bool) -> PyResult<()> {
        let bytes = self.edited.bytes.clone();
        Ok(away(py, move || crate::file::put(&path, &bytes, overwrite))??)
    }

    /// The new recording, to ask questions of.
    fn demo(&self, py: Python<'_>) -> PyResult<Demo> {
        Demo::of_bytes(py, self.edited.bytes.clone(), format!("edited.{}", self.edited.extension))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.data(py)
    }

    fn __len__(&self) -> usize {
        self.edited.bytes.len()
    }

    fn __repr__(&self) -> String {
        format!("Edited({} bytes of {}, {})", self.edited.bytes.len(), self.edited.extension, if self.is_sound() { "sound" } else { "not sound" })
    }
}

#[pymethods]
impl Demo {
    /// The frames from one time to another as a recording that the game plays. Times are seconds or `"m:ss"`, on the `"demo"`,
    /// `"server"` or `"match"` clock; without `end`, to the end.
    #[pyo3(signature = (start, end = None, clock = "demo"))]
    fn cut(&self, py: Python<'_>, start: Time, end: Option<Time>, clock: &str) -> PyResult<Edited> {
        let to = end.map_or(Ok(Milliseconds::END), |end| end.milliseconds())?;
        let range = Range { clock: self::clock(clock)?, from: start.milliseconds()?, to };
        self.edit(py, Some(Same::Strings), move |recording| recording.cut(range))
    }

    /// The recording in another format: an extension (`"dm_68"`), a protocol number (`"666"`), or both (`"dem 666"`); by default
    /// the closest that stock engines play. `pov` says through whose eyes, where the source saw several players.
    #[pyo3(signature = (format = None, pov = None))]
    fn convert(&self, py: Python<'_>, format: Option<String>, pov: Option<String>) -> PyResult<Edited> {
        let target = Target { format, pov };
        self.edit(py, None, move |recording| recording.convert(&target))
    }

    /// A file that plays, made of what is whole in this one.
    fn repair(&self, py: Python<'_>) -> PyResult<Edited> {
        self.edit(py, None, |recording| recording.repair())
    }

    /// Without what identifies who took part: chat, names, addresses, identifiers, voices. Each can be kept.
    #[pyo3(signature = (*, chat = true, names = true, addresses = true, identifiers = true, voice = true, replace_chat = None))]
    #[allow(clippy::fn_params_excessive_bools, clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn scrub(
        &self,
        py: Python<'_>,
        chat: bool,
        names: bool,
        addresses: bool,
        identifiers: bool,
        voice: bool,
        replace_chat: Option<String>,
    ) -> PyResult<Edited> {
        let chat = match replace_chat {
            Some(words) => Chat::Replace(game_bytes(&words)),
            None if chat => Chat::Remove,
            None => Chat::Keep,
        };
        self.edit(py, Some(Same::States), move |recording| {
            recording.scrub(&Scrub::default().chat(chat).names(names).addresses(addresses).identifiers(identifiers).voice(voice))
        })
    }

    /// With other names for players: `{"old": "new"}`.
    fn rename(&self, py: Python<'_>, names: std::collections::BTreeMap<String, String>) -> PyResult<Edited> {
        self.edit(py, Some(Same::States), move |recording| {
            let pairs: Vec<(&String, &String)> = names.iter().collect();
            recording.rename(&pairs)
        })
    }

    /// Without all messages of some kinds, such as `["svc_sound"]`.
    fn strip(&self, py: Python<'_>, kinds: Vec<String>) -> PyResult<Edited> {
        self.edit(py, None, move |recording| recording.strip(&kinds))
    }

    /// Parts that the game plays: by `"level"`, `"gamestate"`, `"match"`, or of at most this number of bytes.
    fn split(&self, py: Python<'_>, by: By) -> PyResult<Vec<Edited>> {
        let by = by.split()?;
        self.ask(py, move |recording| recording.split(by)?.into_iter().map(|edited| checked(recording, edited, Some(Same::Strings))).collect())
    }

    /// The text form: one JSON object per line, from which `compile` makes the same bytes again.
    fn decompile<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (recording, name) = (self.recording.clone(), self.path.clone());
        let text = away(py, move || fragreel::text_form::decompile(recording.bytes(), &name))?;
        Ok(PyBytes::new(py, &text.map_err(|error| crate::error::exception(py, &error))?))
    }

    /// How the frames of a recording made from this one agree with this one's at the same times.
    fn compare<'py>(&self, py: Python<'py>, edited: &Demo) -> PyResult<Bound<'py, PyAny>> {
        let other = edited.recording.clone();
        let found = self.ask(py, move |recording| recording.compare(&other))?;
        object(py, &serde_json::json!({ "frames": found.frames, "differing": found.differing, "differences": found.differences }))
    }
}

impl Demo {
    fn edit(
        &self,
        py: Python<'_>,
        same: Option<Same>,
        edit: impl FnOnce(&fragreel::Recording) -> Result<fragreel::edit::Edited, Error> + Send + 'static,
    ) -> PyResult<Edited> {
        self.ask(py, move |recording| checked(recording, edit(recording)?, same))
    }
}

/// Opens what came out again and looks whether it is right.
fn checked(recording: &fragreel::Recording, edited: fragreel::edit::Edited, same: Option<Same>) -> Result<Edited, Error> {
    let (whole, differing) = match same {
        Some(same) => {
            let checked = recording.check_edited(&edited, same)?;
            (checked.verification.is_whole(), Some(checked.comparison.differing))
        }
        None => {
            let opened = fragreel::Recording::open(edited.bytes.clone(), &format!("edited.{}", edited.extension))?;
            (opened.verify().is_whole(), None)
        }
    };
    Ok(Edited::new(edited, whole, differing))
}

/// What to split by, as Python says it.
#[derive(FromPyObject)]
enum By {
    #[pyo3(transparent)]
    Size(u64),
    #[pyo3(transparent)]
    Word(String),
}

impl By {
    fn split(&self) -> PyResult<Split> {
        match self {
            By::Size(most) => Ok(Split::Size(*most)),
            By::Word(word) => match &**word {
                "level" => Ok(Split::Level),
                "gamestate" => Ok(Split::Gamestate),
                "match" => Ok(Split::Match),
                _ => Err(misuse(format!("{word:?} is nothing to split by: there are \"level\", \"gamestate\", \"match\" and a number of bytes"))),
            },
        }
    }
}
