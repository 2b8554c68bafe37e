//! The facts of recordings that are new.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use fragreel_site::facts::{self, Facts};

use super::kept::{Read, file_name};
use super::state::State;
use crate::batch::{self, Choice, Renderer, Source};
use crate::failure::{Failure, Stop};
use crate::interrupt;
use crate::output::Output;
use crate::shell::{Outcome, Shell};
use crate::stamp::Stamp;

/// Reads what is new or changed, and forgets what is gone.
pub fn gather(shell: &Shell, paths: &[PathBuf], state: &mut State) -> Result<Outcome, Stop> {
    let done = state.done();
    let ask = |source: &Source<'_>| {
        let name = file_name(source.path).unwrap_or_else(|| source.name.to_owned());
        Ok((source.stamp, facts::of(source.recording, source.bytes, &name)))
    };
    // files that are there, whether they are read or not
    let mut found = HashSet::new();
    let mut choose = |path: &Path| {
        let name = crate::input::name(path);
        found.insert(name.clone());
        (!done.contains(&name)).then_some(name)
    };
    let mut keep = Keep { state, names: done.clone() };
    let outcome = batch::run_chosen(shell, paths, Choice { name: &mut choose, handles_copies: false }, ask, &mut keep)?;
    let names: HashSet<String> = keep.names.into_iter().filter(|name| found.contains(name)).collect();
    state.keep(&names)?;
    Ok(outcome)
}

struct Keep<'a> {
    state: &'a mut State,
    /// Files that are in the site.
    names: HashSet<String>,
}

impl Keep<'_> {
    fn note(&mut self, path: &str, stamp: Option<Stamp>, hash: Option<String>) {
        self.names.insert(path.to_owned());
        // what changed while it was read is read again by the next run
        if let Some(stamp) = stamp.or_else(|| Stamp::of(&crate::input::path_of(path))) {
            self.state.read(Read { path: path.to_owned(), stamp, hash });
        }
    }
}

impl Renderer<(Option<Stamp>, Facts)> for Keep<'_> {
    fn kept(&self) -> &'static str {
        "; everything read so far is kept; run the command again to continue"
    }

    fn answer(&mut self, _: &mut Output, path: &str, (stamp, facts): (Option<Stamp>, Facts)) -> Result<Outcome, Stop> {
        self.state.put_facts(&facts)?;
        let damaged = !facts.damage.is_empty();
        self.note(path, stamp, Some(facts.hash));
        Ok(Outcome::damaged(damaged))
    }

    fn failure(&mut self, _: &mut Output, path: &str, _: &Failure) -> Result<(), Stop> {
        if !path.is_empty() {
            self.note(path, None, None);
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Output) -> Result<(), Stop> {
        // without the list, the next run would read all of it again
        if interrupt::asked() { Ok(self.state.save()?) } else { Ok(()) }
    }
}
