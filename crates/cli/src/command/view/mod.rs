//! `fragreel view`

mod browser;
mod connection;
mod growing;
mod listed;
mod page;
mod show;
mod site;

pub use page::viewer_files;

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use fragreel::model::Milliseconds;

use crate::failure::{Failure, FailureKind, Stop};
use crate::search::{self, PassedOver};
use crate::shell::{Outcome, Shell};
use crate::{input, output};

pub use browser::open as open_browser;
pub use growing::Growing;
pub use listed::Listed;
pub use page::Page;
pub use show::{Show, State};
pub use site::PageSource;

/// Show recordings in the browser, without the game
///
/// Shows the match from above or in space, with a timeline, scores, and chat. Choose one of several
/// recordings, or watch them side by side. The page and the named recordings are served until
/// Ctrl-C, only to this machine, at an address that cannot be guessed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel view final.dm_68                 opens the browser
  fragreel view demos/                      a list to choose from
  fragreel view --db demos.sqlite demos/    the list shows map, date and players
  fragreel view --no-browser final.mvd      only prints the address

Exit codes: 0 stopped by Ctrl-C, 2 failed.")]
pub struct Arguments {
    /// Files, folders (all recordings below them), or patterns in quotes
    #[arg(value_name = "PATH", required = cfg!(not(feature = "catalogue")))]
    #[cfg_attr(feature = "catalogue", arg(required_unless_present = "db"))]
    paths: Vec<PathBuf>,

    /// A catalogue made by `index`. The list shows its details. Without a PATH, all of its
    /// recordings can be opened
    #[cfg(feature = "catalogue")]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,

    /// Start at this time: seconds such as 90.5, or m:ss such as 1:30
    #[arg(long, value_name = "TIME")]
    from: Option<Milliseconds>,

    /// Follow this player: the name without colors, or the slot's number
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    /// TCP port to listen on [default: any free port]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,

    /// Print the address instead of opening the browser
    #[arg(long)]
    no_browser: bool,

    /// Stop after this time: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Milliseconds>,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let page = Page::open(PageSource { recordings: self.listed()?, ..PageSource::default() }, shell.limits.recording_bytes, self.port)?;
        let address = page.address(self.from, self.pov.as_deref());
        let mut out = output::stdout();
        writeln!(out, "{address}")?;
        output::finish(out)?;
        if shell.errors_are_terminal {
            eprintln!("press Ctrl-C to stop");
        }
        if !self.no_browser {
            browser::open(&address);
        }
        let _guard = crate::interrupt::SignalGuard::patient();
        let started = Instant::now();
        page.serve(|| crate::interrupt::asked() || self.time.is_some_and(|time| started.elapsed().as_secs_f64() >= time.seconds()));
        if crate::interrupt::asked() {
            eprintln!("interrupted: nothing was written");
        }
        Ok(Outcome::Fine)
    }

    /// The recordings that were named, or all of the catalogue.
    fn listed(&self) -> Result<Vec<Listed>, Failure> {
        #[cfg(feature = "catalogue")]
        if let (Some(db), []) = (&self.db, &self.paths[..]) {
            let (listed, gone) = listed::Known::read(db)?.all();
            if gone > 0 {
                eprintln!("{gone} recordings of the catalogue no longer exist; run `fragreel index` again");
            }
            return some(listed);
        }
        let passed = PassedOver::default();
        let files = search::files(&self.paths, &passed).collect::<Result<Vec<_>, _>>()?;
        for remark in passed.remarks() {
            eprintln!("{remark}");
        }
        if let Some(missing) = files.iter().find(|file| file.as_os_str() != input::STDIN && !file.exists() && crate::inside::split(file).is_none()) {
            return Err(Failure::new(format!("`{}` does not exist", missing.display()))
                .kind(FailureKind::NotFound)
                .help("Name recordings, or folders that contain some."));
        }
        if files.iter().any(|file| file.as_os_str() == input::STDIN) {
            return Err(Failure::new("standard input cannot be shown").help("Name a file: the page requests it again when it is reloaded."));
        }
        #[cfg(feature = "catalogue")]
        if let Some(db) = &self.db {
            return some(listed::Known::read(db)?.of(files));
        }
        some(files.into_iter().map(Listed::from).collect())
    }
}

/// At least one.
fn some(listed: Vec<Listed>) -> Result<Vec<Listed>, Failure> {
    if listed.is_empty() {
        Err(Failure::new("there is no recording to show").kind(FailureKind::NotFound).help("Name recordings, or folders that contain some."))
    } else {
        Ok(listed)
    }
}
