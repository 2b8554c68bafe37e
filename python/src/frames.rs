//! A recording frame by frame.

use crossbeam_channel::{Receiver, Sender, bounded};
use fragreel::Recording;
use fragreel::model::{EntityKinds, Fields, Frame, FrameOptions};
use pyo3::prelude::*;
use serde_json::Value;

use crate::demo::Demo;
use crate::error::{exception, misuse};
use crate::json::from_value;
use crate::time::{Time, clock};
use crate::work::wait;

/// The frames of a recording, as dictionaries; each `for` loop begins at the first. `Demo.table("positions")` has the same in columns.
#[pyclass(frozen, module = "fragreel")]
pub struct Frames {
    recording: Recording,
    options: FrameOptions,
    players: Option<Vec<String>>,
}

type Sent = Result<Vec<Value>, fragreel::Error>;

/// How many frames travel between threads at a time.
const TOGETHER: usize = 64;

#[pymethods]
impl Frames {
    fn __iter__(&self) -> FrameIterator {
        let (sender, frames) = bounded(2);
        let (recording, options, players) = (self.recording.clone(), self.options, self.players.clone());
        std::thread::spawn(move || {
            if let Err(error) = send(&recording, options, players.as_deref(), &sender) {
                // Nobody listens any more when this fails.
                let _ = sender.send(Err(error));
            }
        });
        FrameIterator { frames, ready: std::sync::Mutex::default() }
    }
}

/// Decodes frames for as long as somebody takes them.
fn send(recording: &Recording, options: FrameOptions, players: Option<&[String]>, sender: &Sender<Sent>) -> Result<(), fragreel::Error> {
    let mut frames = recording.frames(options)?;
    let mut frame = Frame::default();
    let mut together = Vec::with_capacity(TOGETHER);
    while frames.next_into(&mut frame) {
        if let Some(players) = players {
            frame.players.retain(|player| player.name.as_ref().is_some_and(|name| players.iter().any(|wanted| name.clean.eq_ignore_ascii_case(wanted))));
        }
        together.push(serde_json::to_value(&frame).unwrap_or_default());
        if together.len() == TOGETHER && sender.send(Ok(std::mem::take(&mut together))).is_err() {
            return Ok(());
        }
    }
    // Nobody listens any more when this fails.
    let _ = sender.send(Ok(together));
    Ok(())
}

/// Frames, one after the other.
#[pyclass(frozen, module = "fragreel")]
pub struct FrameIterator {
    frames: Receiver<Sent>,
    ready: std::sync::Mutex<std::vec::IntoIter<Value>>,
}

#[pymethods]
impl FrameIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let ready = self.ready.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            if let Some(frame) = ready {
                return from_value(py, &frame).map(Some);
            }
            match wait(py, &self.frames)? {
                None => return Ok(None),
                Some(Err(error)) => return Err(exception(py, &error)),
                Some(Ok(more)) => *self.ready.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = more.into_iter(),
            }
        }
    }
}

#[pymethods]
impl Demo {
    /// Frame by frame: times, view, players, entities, as dictionaries. `hz` is the most frames a second, `fields` what to work out
    /// (`"origin"`, `"health"`, … ; all by default), `players` whom to keep by name, `entities` which kinds of entities
    /// (`"missile"`, `"item"`, …; none by default).
    #[pyo3(signature = (hz = None, fields = None, players = None, *, entities = None, start = None, end = None, clock = "demo"))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments in Python")]
    fn frames(
        &self,
        hz: Option<f64>,
        fields: Option<Vec<String>>,
        players: Option<Vec<String>>,
        entities: Option<Vec<String>>,
        start: Option<Time>,
        end: Option<Time>,
        clock: &str,
    ) -> PyResult<Frames> {
        let mut options = FrameOptions { clock: self::clock(clock)?, ..FrameOptions::default() };
        if let Some(names) = fields {
            let field =
                |name: &String| Fields::named(name).ok_or_else(|| misuse(format!("there is no field {name:?}: there are {}", Fields::NAMES.join(", "))));
            options.fields = names.iter().map(field).collect::<PyResult<_>>()?;
        }
        if let Some(names) = entities {
            let kind = |name: &String| {
                EntityKinds::named(name).ok_or_else(|| misuse(format!("there are no entities {name:?}: there are {}", EntityKinds::NAMES.join(", "))))
            };
            options.entities = names.iter().map(kind).collect::<PyResult<_>>()?;
        }
        match hz {
            Some(rate) if rate > 0.0 && rate.is_finite() => options.rate = Some(rate),
            Some(rate) => return Err(misuse(format!("{rate} is no rate: give frames a second, such as 10"))),
            None => {}
        }
        options.from = start.map(|time| time.milliseconds()).transpose()?;
        options.to = end.map(|time| time.milliseconds()).transpose()?;
        Ok(Frames { recording: self.recording.clone(), options, players })
    }
}
