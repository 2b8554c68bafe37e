//! Tables of a recording that is still being written.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use fragreel::Recording;
use fragreel_tables::{Query, Source, read, recording_id};

use crate::command::export::{Format, Part};
use crate::edit;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::printable;

/// Frames and events: what is short, or is there for every frame once.
const TABLES: [&str; 8] = ["players", "scores", "kills", "items", "flags", "chat", "frames", "positions"];

/// A folder with a file per recording and table, each written again as a whole.
pub struct Tables {
    folder: PathBuf,
    format: Format,
    queries: Vec<Query>,
    force: bool,
    /// Files that are this run's own.
    own: Vec<PathBuf>,
}

impl Tables {
    /// Makes the folder.
    pub fn new(folder: &Path, format: Format, force: bool) -> Result<Self, Failure> {
        format.must_be_built_in()?;
        edit::make_all(folder)?;
        let queries = TABLES.iter().filter_map(|name| Query::of(name).ok()).collect();
        Ok(Tables { folder: folder.to_owned(), format, queries, force, own: Vec::new() })
    }

    /// Writes what is in the recording so far.
    pub fn write(&mut self, file: &Path, recording: &Recording) -> Result<(), Failure> {
        let written = self.write_all(file, recording);
        written.map_err(|failure| {
            failure.help("The recording continues without tables. Check free space and permissions. `fragreel export` makes tables of it later.")
        })
    }

    fn write_all(&mut self, file: &Path, recording: &Recording) -> Result<(), Failure> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let mut parts = Vec::new();
        for query in &self.queries {
            let path = self.folder.join(format!("{stem}.{}.{}", query.table().name, self.format.extension()));
            let own = self.own.contains(&path);
            parts.push(Part::new(&path, self.format.into(), query, self.force || own)?);
            if !own {
                self.own.push(path);
            }
        }
        let source = Source::named(recording, recording_id(recording.bytes()), printable(&file.to_string_lossy()));
        let mut failed = None;
        let _ = read(&source, &self.queries, &mut |query, batch| match parts[query].write(batch) {
            _ if interrupt::in_haste() => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => {
                failed = Some(failure);
                ControlFlow::Break(())
            }
        });
        failed.map_or(Ok(()), Err)?;
        if interrupt::in_haste() {
            // what is there stays as it is
            return Ok(());
        }
        parts.into_iter().try_for_each(|part| part.finish().map(drop))
    }
}
