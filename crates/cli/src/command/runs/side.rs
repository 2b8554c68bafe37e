//! One of two sides that are compared: a run, or its segments, each with its route and its facts.

use std::path::{Path, PathBuf};

use fragreel::Recording;
use fragreel::model::{Course, Grade, Milliseconds, Run};
use fragreel::movement::{Game, Pauses, Route, Source};
use serde::Serialize;

use crate::failure::Failure;
use crate::input;
use crate::output::printable;
use crate::search::{self, PassedOver};
use crate::shell::Shell;

/// A run with its route.
pub struct Segment {
    /// The recording, as it is called in answers.
    pub name: String,
    pub run: Run,
    pub route: Route,
}

/// The segments of the recordings that a path means. `number`: the run in the recording, from 1.
pub fn segments(shell: &Shell, path: &PathBuf, number: Option<usize>) -> Result<Vec<Segment>, Failure> {
    let passed = PassedOver::default();
    let mut found = Vec::new();
    for file in search::files(std::slice::from_ref(path), &passed) {
        let file = file?;
        let recording = input::load(shell, &file, true)?;
        found.extend(of(&recording, &file, number)?);
    }
    if found.is_empty() {
        return Err(Failure::new(format!("no run found in `{}`", printable(&path.to_string_lossy()))).help("`fragreel runs` lists the runs of recordings."));
    }
    Ok(found)
}

fn of(recording: &Recording, file: &Path, number: Option<usize>) -> Result<Vec<Segment>, Failure> {
    let name = input::name(file);
    let mut runs = recording.runs().value;
    runs.retain(|run| run.course != Course::Marathon);
    let chosen = choose(runs, number).ok_or_else(|| {
        let failure = Failure::new(format!("there is no run {} in `{}`", number.unwrap_or(1), printable(&name))).about(&*name);
        failure.help("`fragreel runs` lists the runs of a recording. They are numbered from 1.")
    })?;
    let routes = recording.routes(&chosen).map_err(|error| Failure::new(format!("`{}` has no frames that are understood", printable(&name))).because(error))?;
    Ok(chosen.into_iter().zip(routes).map(|(run, route)| Segment { name: name.clone(), run, route }).collect())
}

/// The run with that number; else all levels of single player, or the fastest run.
fn choose(mut runs: Vec<Run>, number: Option<usize>) -> Option<Vec<Run>> {
    if let Some(number) = number {
        let at = number.checked_sub(1).filter(|at| *at < runs.len())?;
        return Some(vec![runs.swap_remove(at)]);
    }
    if runs.iter().all(|run| run.course == Course::Level) {
        return Some(runs);
    }
    let fastest = runs.into_iter().filter(|run| run.course != Course::Level).min_by_key(|run| run.time.value().unwrap_or(i64::MAX))?;
    Some(vec![fastest])
}

/// What is known of a run besides its time. No verdict.
#[derive(Serialize)]
pub struct Facts<'s> {
    path: &'s str,
    #[serde(flatten)]
    run: &'s Run,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constants: Option<Constants>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pauses: Option<Pauses>,
}

/// The physics, in numbers.
#[derive(Serialize)]
struct Constants {
    game: &'static str,
    gravity: f32,
    max_speed: f32,
    accelerate: f32,
    air_accelerate: f32,
    friction: f32,
    stop_speed: f32,
}

impl Segment {
    pub fn facts(&self) -> Facts<'_> {
        let Segment { name, run, route } = self;
        let is_shown = !route.places.is_empty();
        let constants = route.physics.map(|physics| Constants {
            game: match physics.game {
                Game::Quake => "quake",
                Game::HalfLife => "half_life",
                Game::Vq3 => "vq3",
                Game::Cpm => "cpm",
            },
            gravity: physics.gravity,
            max_speed: physics.max_speed,
            accelerate: physics.accelerate,
            air_accelerate: physics.air_accelerate,
            friction: physics.friction,
            stop_speed: physics.stop_speed,
        });
        let (source, length) = (is_shown.then(|| route.source.name()), is_shown.then(|| route.length() as f32));
        Facts { path: name, run, step: route.step, source, length, constants, pauses: route.pauses }
    }

    /// The facts for a person, each with its name. Empty where it is not known.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let Segment { name, run, route } = self;
        let clock = |time: Option<i64>| time.map(|time| Milliseconds(time).to_string()).unwrap_or_default();
        let step = route.step.map(|step| match route.source {
            Source::Command => format!("{step:.0} ms, of the client"),
            _ => format!("{step:.0} ms, of the recording"),
        });
        let physics = route.physics.map(|physics| {
            let known = [("gravity", physics.gravity), ("speed", physics.max_speed), ("accelerate", physics.accelerate), ("air", physics.air_accelerate)];
            known.map(|(name, value)| format!("{name} {value}")).join(", ")
        });
        let seal = run.seal.as_ref().map(|seal| format!("holds in {} frames, broken in {}", seal.holds, seal.broken));
        let pauses = route.pauses.map(|pauses| match pauses.count {
            0 => String::from("none"),
            count => format!("{count}, {}", pauses.time),
        });
        let length = (!route.places.is_empty()).then(|| format!("{:.0} units", route.length()));
        vec![
            ("file", name.clone()),
            ("player", run.player.as_ref().map(|player| player.name.to_string()).unwrap_or_default()),
            ("time stated", clock(run.time.stated)),
            ("time counted", clock(run.time.counted)),
            ("physics", run.physics.as_deref().unwrap_or_default().to_owned()),
            ("mode", run.mode.as_deref().unwrap_or_default().to_owned()),
            ("constants", physics.unwrap_or_default()),
            ("frame time", step.unwrap_or_default()),
            ("distance", length.unwrap_or_default()),
            ("pauses", pauses.unwrap_or_default()),
            ("seal", seal.unwrap_or_default()),
            ("audit", run.grade.map(Grade::name).unwrap_or_default().to_owned()),
            ("remarks", run.remarks.join("; ")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(course: Course, time: i64) -> Run {
        let mut run = Run::new(course, "m", Milliseconds(time));
        run.time.stated = Some(time);
        run
    }

    #[test]
    fn the_fastest_run_is_compared_and_all_levels_are() {
        let times = |runs: Vec<Run>, number| choose(runs, number).map(|runs| runs.iter().map(|run| run.time.value().unwrap()).collect::<Vec<_>>());
        let courses = || vec![run(Course::Defrag, 300), run(Course::Defrag, 200), run(Course::Defrag, 400)];
        assert_eq!(times(courses(), None), Some(vec![200]));
        assert_eq!(times(courses(), Some(3)), Some(vec![400]));
        assert_eq!([times(courses(), Some(0)), times(courses(), Some(4))], [None, None]);
        assert_eq!(times(vec![run(Course::Level, 5), run(Course::Level, 4)], None), Some(vec![5, 4]));
        assert_eq!(times(Vec::new(), None), Some(Vec::new()), "a recording without a run has no segment");
    }
}
