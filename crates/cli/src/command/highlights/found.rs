//! Moments of many recordings, as they are found: all of them, or the best.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use fragreel::edit::{Highlights, Reason, Wanted};
use fragreel::model::{Damage, Family};

use super::criteria::Criteria;
use super::level_clock::LevelClock;
use super::list::List;
use super::moment::Found;
use super::tools::Tool;
use crate::batch::{self, Renderer, Source};
use crate::damage::describe;
use crate::failure::{Failure, Stop};
use crate::output::{Output, printable};
use crate::paths::Paths;
use crate::resume::Resume;
use crate::shell::{Outcome, Shell};

/// The moments of one recording.
pub struct Answer {
    path: PathBuf,
    family: Family,
    found: fragreel::Answer<Highlights>,
    level_clock: Option<Arc<LevelClock>>,
}

/// What is done with moments.
pub enum Fate<'a> {
    /// They are listed as they come.
    Listed(&'a mut List<'a>),
    /// The best ones are kept up to this number, or all.
    Kept(Option<usize>, Vec<Found>),
}

/// Searches what `paths` mean. The tool is the program that a list is for.
pub fn look(
    shell: &Shell,
    paths: &Paths,
    resume: Option<Resume>,
    criteria: &Criteria,
    wanted: &Wanted,
    tool: Option<Tool>,
    fate: Fate<'_>,
) -> Result<(Outcome, Vec<Found>), Stop> {
    let named = criteria.named();
    let ask = |source: &Source<'_>| {
        let found = source.recording.highlights(wanted);
        if !named.are_all() {
            let names = found.value.moments.iter().flat_map(|moment| &moment.players).map(|name| name.clean.clone());
            let players = source.recording.info().players.into_iter().map(|player| player.name.clean);
            for name in names.chain(players) {
                named.hold(&name);
            }
        }
        let has_clock = tool.is_some_and(Tool::needs_level_clock) && !found.value.moments.is_empty();
        let level_clock = has_clock.then(|| Arc::new(LevelClock::of(source.recording)));
        Ok(Answer { path: source.path.to_owned(), family: source.recording.family(), found, level_clock })
    };
    let mut gather = Gather { fate, unplaced: 0, moments: 0, seen: HashSet::new() };
    let outcome = batch::run(shell, paths.all(), resume, ask, &mut gather)?;
    if gather.unplaced > 0 {
        let kills = if gather.unplaced == 1 { "1 kill" } else { &format!("{} kills", gather.unplaced) };
        eprintln!("{kills} could not be judged: positions or ground contact are unknown");
    }
    named.remark();
    if gather.moments == 0 {
        criteria.remark_on_weapons();
    }
    let mut found = match gather.fate {
        Fate::Kept(_, found) => found,
        Fate::Listed(_) => Vec::new(),
    };
    found.iter_mut().enumerate().for_each(|(at, found)| found.number = at + 1);
    Ok((outcome, found))
}

struct Gather<'a> {
    fate: Fate<'a>,
    unplaced: usize,
    moments: usize,
    /// The moments that were kept once.
    seen: HashSet<Key>,
}

/// What a moment is known by in every recording that shows it: the game, and of each reason when, who and what.
type Key = (Family, Vec<(i64, String, &'static str)>);

fn key(found: &Found) -> Key {
    let of = |reason: &Reason| (reason.server_time.0, reason.player.as_ref().map(|player| player.name.raw.clone()).unwrap_or_default(), reason.what.name());
    (found.family, found.moment.reasons.iter().map(of).collect())
}

impl Renderer<Answer> for Gather<'_> {
    fn answer(&mut self, output: &mut Output, name: &str, answer: Answer) -> Result<Outcome, Stop> {
        let Answer { path, family, found: fragreel::Answer { value: found, damage }, level_clock } = answer;
        self.unplaced += found.unplaced;
        self.moments += found.moments.len();
        let found_here = found.moments.into_iter().enumerate();
        let mut found_here = found_here.map(|(at, moment)| {
            let level_clock = level_clock.clone();
            Found { name: name.to_owned(), path: path.clone(), family, number: at + 1, moment, level_clock }
        });
        match &mut self.fate {
            Fate::Listed(list) => found_here.try_for_each(|found| list.add(output, &found))?,
            Fate::Kept(best, kept) => {
                if best.is_none() {
                    kept.extend(found_here);
                } else {
                    // Copies of a recording, and other views of its match, show the same moment.
                    kept.extend(found_here.filter(|found| self.seen.insert(key(found))));
                }
                if let Some(best) = *best {
                    // Of equals, the one that came first.
                    kept.sort_by_key(|found| std::cmp::Reverse(found.moment.points));
                    kept.truncate(best);
                }
            }
        }
        remark(name, &damage);
        Ok(Outcome::damaged(!damage.is_empty()))
    }

    fn failure(&mut self, output: &mut Output, name: &str, failure: &Failure) -> Result<(), Stop> {
        match &mut self.fate {
            Fate::Listed(list) => list.failure(output, name, failure),
            Fate::Kept(..) => Ok(()),
        }
    }

    fn finish(&mut self, output: &mut Output) -> Result<(), Stop> {
        match &mut self.fate {
            Fate::Listed(list) => list.finish(output),
            Fate::Kept(..) => Ok(()),
        }
    }
}

fn remark(name: &str, damage: &[Damage]) {
    if let Some(first) = damage.first() {
        eprintln!("{}: {}", printable(name), printable(&describe(first)));
    }
}
