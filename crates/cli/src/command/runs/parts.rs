//! The recordings of a `.pak` as one run: a marathon of single player comes as a recording for each level.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fragreel::model::{Course, EventKind, Kind, Run};
use fragreel::{Answer, Recording};

use crate::batch::Renderer;
use crate::failure::{Failure, Stop};
use crate::inside;
use crate::output::Output;
use crate::shell::Outcome;

/// The runs of a recording, and the recording that it plays at its end.
pub struct Part {
    pub runs: Answer<Vec<Run>>,
    next: Option<String>,
}

impl Part {
    pub fn of(recording: &Recording, path: &Path) -> Self {
        let runs = recording.runs();
        let next = if archive(path).is_some() && !runs.value.is_empty() { plays(recording) } else { None };
        Part { runs, next }
    }
}

/// The recording that a `playdemo` names last.
fn plays(recording: &Recording) -> Option<String> {
    let commands = recording.events(Kind::Command).filter_map(|event| match event.kind {
        EventKind::Command { text } => text.clean.trim().strip_prefix("playdemo ").map(|name| stem(name.trim())),
        _ => None,
    });
    commands.last()
}

/// The name of a recording as `playdemo` takes it: in lower case, without extension.
fn stem(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    name.strip_suffix(".dem").unwrap_or(&name).to_owned()
}

/// The `.pak` that a recording is in, and its name there.
fn archive(path: &Path) -> Option<(PathBuf, String)> {
    let name = path.to_str()?;
    let (archive, member) = name.rsplit_once(inside::MARK).filter(|(archive, _)| archive.to_ascii_lowercase().ends_with(".pak"))?;
    Some((PathBuf::from(archive), member.to_owned()))
}

/// Shows runs, and after the recordings of a `.pak` the run that they make together.
pub struct Parts<R> {
    shown: R,
    open: Option<Open>,
}

/// A `.pak` whose recordings are being shown.
struct Open {
    archive: PathBuf,
    parts: Vec<Member>,
    /// Whether a recording in it could not be read.
    is_broken: bool,
}

struct Member {
    stem: String,
    runs: Vec<Run>,
    next: Option<String>,
}

impl<R: Renderer<Answer<Vec<Run>>>> Parts<R> {
    pub fn of(shown: R) -> Self {
        Parts { shown, open: None }
    }

    /// Goes on to the `.pak` that a recording is in.
    fn enter(&mut self, output: &mut Output, path: &str) -> Result<Option<(&mut Open, String)>, Stop> {
        let Some((archive, member)) = archive(Path::new(path)) else {
            self.close(output)?;
            return Ok(None);
        };
        if self.open.as_ref().is_some_and(|open| open.archive != archive) {
            self.close(output)?;
        }
        let open = self.open.get_or_insert_with(|| Open { archive, parts: Vec::new(), is_broken: false });
        Ok(Some((open, stem(&member))))
    }

    fn close(&mut self, output: &mut Output) -> Result<(), Stop> {
        let Some(Open { archive, parts, is_broken }) = self.open.take() else { return Ok(()) };
        let levels: Vec<Run> = in_order(parts).into_iter().flat_map(|part| part.runs).collect();
        if let Some(mut whole) = fragreel::marathon(&levels) {
            // each recording has a clock of its own
            whole.from = None;
            if is_broken {
                whole.remarks.push(String::from("a recording of it cannot be read"));
            }
            let answer = Answer { value: vec![whole], damage: Vec::new() };
            self.shown.answer(output, &archive.to_string_lossy(), answer)?;
        }
        Ok(())
    }
}

impl<R: Renderer<Answer<Vec<Run>>>> Renderer<Part> for Parts<R> {
    fn read(&mut self, stamp: Option<crate::stamp::Stamp>) {
        self.shown.read(stamp);
    }

    fn answer(&mut self, output: &mut Output, path: &str, part: Part) -> Result<Outcome, Stop> {
        if let Some((open, stem)) = self.enter(output, path)? {
            let runs = part.runs.value.iter().filter(|run| run.course != Course::Marathon).cloned().collect();
            open.parts.push(Member { stem, runs, next: part.next });
        }
        self.shown.answer(output, path, part.runs)
    }

    fn failure(&mut self, output: &mut Output, path: &str, failure: &Failure) -> Result<(), Stop> {
        if let Some((open, _)) = self.enter(output, path)? {
            open.is_broken = true;
        }
        self.shown.failure(output, path, failure)
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        self.close(output)?;
        self.shown.finish(output)
    }
}

/// The parts in the order in which they play each other; else as they stand in the archive.
fn in_order(mut parts: Vec<Member>) -> Vec<Member> {
    let mut left: BTreeMap<String, usize> = parts.iter().enumerate().map(|(at, part)| (part.stem.clone(), at)).collect();
    let is_named = |stem: &String| parts.iter().any(|part| part.next.as_ref() == Some(stem));
    let mut firsts = parts.iter().enumerate().filter(|(_, part)| part.next.is_some() && !is_named(&part.stem)).map(|(at, _)| at);
    let (Some(first), None) = (firsts.next(), firsts.next()) else { return parts };
    let (mut order, mut next) = (Vec::new(), Some(parts[first].stem.clone()));
    while let Some(at) = next.and_then(|stem| left.remove(&stem)) {
        next = parts[at].next.clone();
        order.push(at);
    }
    // recordings without a run, as those of a menu, are in no chain
    if parts.iter().enumerate().any(|(at, part)| !part.runs.is_empty() && !order.contains(&at)) {
        return parts;
    }
    let mut ranks: Vec<usize> = vec![usize::MAX; parts.len()];
    order.iter().enumerate().for_each(|(rank, at)| ranks[*at] = rank);
    let mut ranked: Vec<(usize, Member)> = ranks.into_iter().zip(parts.drain(..)).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, part)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fragreel::model::Milliseconds;

    fn order(parts: &[(&str, Option<&str>)]) -> Vec<String> {
        let member = |(stem, next): &(&str, Option<&str>)| Member {
            stem: (*stem).to_owned(),
            runs: vec![Run::new(Course::Level, *stem, Milliseconds(0))],
            next: next.map(str::to_owned),
        };
        in_order(parts.iter().map(member).collect()).into_iter().map(|part| part.stem).collect()
    }

    #[test]
    fn parts_are_in_the_order_of_their_chain() {
        assert_eq!(order(&[("c", None), ("a", Some("b")), ("b", Some("c"))]), ["a", "b", "c"]);
        assert_eq!(order(&[("b", None), ("a", None)]), ["b", "a"], "without a chain, as in the archive");
        assert_eq!(order(&[("a", Some("b")), ("b", Some("a"))]), ["a", "b"], "a circle has no start");
        assert_eq!(order(&[("c", None), ("a", Some("b")), ("b", None)]), ["c", "a", "b"], "the chain leaves one out");
        assert_eq!(
            (stem("Demos/E1M1.DEM"), archive(Path::new("x/run.PAK!e1m1.dem")).map(|(_, member)| member)),
            (String::from("demos/e1m1"), Some(String::from("e1m1.dem")))
        );
    }
}
