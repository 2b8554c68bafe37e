//! `fragreel index`

mod failed;
mod keep;
mod look;

use std::path::PathBuf;
use std::time::Duration;

use fragreel_tables::catalogue::Catalogue;

use crate::failure::Stop;
use crate::interrupt;
use crate::paths::ManyPaths;
use crate::shell::{Outcome, Shell};
pub use failed::{failed, must_be_there};
use look::Look;

/// Build a catalogue of recordings for `find` and SQL
///
/// The catalogue is one SQLite file with recordings, players, chat, match results, damage, and
/// signs of edits. Unchanged files are skipped, and copies are decoded once, so you can stop the
/// command and run it again at any time. Files that no longer exist are removed from the catalogue.
/// docs/catalogue.md documents its tables.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel index demos/ --db demos.sqlite           everything below a folder
  fragreel index uploads/ --db demos.sqlite --watch
      also index files that are added later, until Ctrl-C
  fragreel find --db demos.sqlite --player 'sar*'   one player's recordings
  fragreel verify demos/ --db demos.sqlite
      whether the files still hold what was indexed
  sqlite3 demos.sqlite 'SELECT map, count(*) FROM recordings GROUP BY 1'
      any SQLite tool can open it")]
pub struct Arguments {
    #[command(flatten)]
    paths: ManyPaths,

    /// The catalogue; created if it does not exist
    #[arg(long, value_name = "FILE")]
    db: PathBuf,

    /// Check for changes every two seconds until Ctrl-C
    #[arg(long)]
    watch: bool,

    /// One JSON object for each pass and for each file that cannot be read, as docs/json.md
    /// describes
    #[arg(long)]
    json: bool,
}

/// How often a watched folder is looked at.
const INTERVAL: Duration = Duration::from_secs(2);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let mut catalogue = Catalogue::open(&self.db).map_err(|error| failed(&self.db, error))?;
        let paths = self.paths.all()?;
        let mut look = Look::new(&paths, &self.db, self.json);
        let mut outcome = Outcome::Fine;
        loop {
            outcome = outcome.max(look.once(shell, &mut catalogue)?);
            if !self.watch {
                return Ok(outcome);
            }
            if interrupt::wait(INTERVAL) {
                catalogue.settle();
                eprintln!("stopped watching; the catalogue has everything that was found");
                interrupt::exit();
            }
        }
    }
}
