//! `fragreel site`

mod data;
mod facts;
mod kept;
mod library;
mod not_made;
mod part;
mod state;
mod write;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use fragreel::model::Milliseconds;
use fragreel_site::facts::Moment;
use fragreel_site::{Cards, Config, Layout, Names, Options, People, Site, Summary};

use super::Paths;
use super::view::viewer_files;
use crate::failure::{Failure, FailureKind, Stop};
use crate::interrupt;
use crate::output;
use crate::shell::{Outcome, Shell};
use library::{Copies, Recordings};
use state::State;
use write::Refused;

/// Make a website of an archive of recordings
///
/// Writes pages, lists, feeds, and search as files. Any web server can host them. Later runs write
/// only what changed. You can stop a run at any time. The next run continues.
///
/// The folder FOLDER.state beside the site holds what later runs need. Do not publish it. After
/// each run, FOLDER.state/put and FOLDER.state/delete list the files to upload and to delete.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel site demos/ -o site/                      everything below a folder
  fragreel site demos/ -o site/ --base https://demos.example.org/
      with an address, so that feeds and the sitemap have full links
  fragreel site demos/ -o site/ --config site.toml   title, people, events, removals
  fragreel site uploads/ -o site/ --watch            and everything that is added later
  fragreel site demos/ -o site/ -n                   only count files and bytes

The published copies lack network addresses, identifiers, and voice.
docs/site.md describes the pages, the settings, and how to upload.

Exit codes: 0 success, 1 damage found in recordings, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    paths: Paths,

    /// The folder of the site; created if it does not exist
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,

    /// Settings: title, people, events, removals
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The address of the site, such as https://demos.example.org/
    #[arg(long, value_name = "URL")]
    base: Option<String>,

    /// Which names to show: all, those in the settings, or none
    #[arg(long, value_name = "WHOSE", value_parser = ["all", "listed", "none"])]
    names: Option<String>,

    /// Publish the recordings without changes
    #[arg(long, conflicts_with = "no_files")]
    originals: bool,

    /// Publish no recordings
    #[arg(long)]
    no_files: bool,

    /// The viewer, as `cargo xtask web` makes it in web/dist. Release binaries contain it
    #[arg(long, value_name = "FOLDER")]
    viewer: Option<PathBuf>,

    /// Which recordings have a picture for chat programs. It needs --base. By default all, and those
    /// with one of the best moments in the compact layout
    #[arg(long, value_name = "WHICH", value_parser = ["all", "best", "none"])]
    cards: Option<String>,

    /// How figures are kept: beside each page (full), or in 256 files without text for chat programs
    /// (compact). By default compact from 3,000 recordings
    #[arg(long, value_name = "LAYOUT", value_parser = ["full", "compact"])]
    layout: Option<String>,

    /// Write only copies and clips. A run with --parts makes the pages
    #[arg(long)]
    no_pages: bool,

    /// Make the pages of parts that earlier runs wrote with --no-pages. Each PATH is the folder
    /// FOLDER.state of one
    #[arg(long, conflicts_with_all = ["no_pages", "watch"])]
    parts: bool,

    /// Check for changes every two seconds until Ctrl-C
    #[arg(long, conflicts_with = "dry_run")]
    watch: bool,

    /// Only count files and bytes of each kind, and name the hosts that they fit
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// From this number of recordings on, the layout with few files is the default.
const MANY: usize = 3000;

/// How often watched folders are looked at.
const INTERVAL: Duration = Duration::from_secs(2);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let config = self.settings()?;
        let people = People::of(&config);
        let own;
        let viewer = match &self.viewer {
            Some(folder) => {
                own = library::viewer(folder)?;
                own.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect()
            }
            None => viewer_files().to_vec(),
        };
        if viewer.is_empty() {
            eprintln!("the site has no viewer: this command was built without it; `cargo xtask web` makes it in web/dist, and --viewer names that folder");
        }
        if self.parts {
            let state = State::of_parts(&self.output, self.paths.all())?;
            self.write(shell, &state, &config, &people, &viewer)?;
            return Ok(Outcome::Fine);
        }
        let mut state = State::open(&self.output)?;
        let mut is_first = true;
        loop {
            let mut outcome = Outcome::Fine;
            if is_first || state.has_changed(self.paths.all()) {
                outcome = facts::gather(shell, self.paths.all(), &mut state)?;
                self.write(shell, &state, &config, &people, &viewer)?;
            }
            is_first = false;
            if !self.watch {
                return Ok(outcome);
            }
            if interrupt::wait(INTERVAL) {
                interrupt::exit();
            }
        }
    }

    fn cards(&self, layout: Layout) -> Cards {
        match self.cards.as_deref() {
            Some("all") => Cards::All,
            Some("best") => Cards::Best,
            Some(_) => Cards::None,
            None if layout == Layout::Full => Cards::All,
            None => Cards::Best,
        }
    }

    fn layout(&self, recordings: usize) -> Layout {
        match self.layout.as_deref() {
            Some("full") => Layout::Full,
            Some(_) => Layout::Compact,
            None if recordings < MANY => Layout::Full,
            None => Layout::Compact,
        }
    }

    fn settings(&self) -> Result<Config, Failure> {
        let mut config = match &self.config {
            None => Config::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|error| Failure::new(format!("cannot read `{}`", path.display())).because(error).kind(FailureKind::Io))?;
                let bad = |error| {
                    Failure::new(format!("`{}` has settings that cannot be used", path.display())).because(error).help("docs/site.md lists the settings.")
                };
                Config::parse(&text).map_err(bad)?
            }
        };
        if let Some(base) = &self.base {
            config.set_base(Some(base.clone())).map_err(|error| Failure::new(error.to_string()))?;
        }
        match self.names.as_deref() {
            Some("all") => config.names = Names::All,
            Some("listed") => config.names = Names::Listed,
            Some("none") => config.names = Names::None,
            _ => {}
        }
        Ok(config)
    }

    /// Writes what differs from the last run.
    fn write(&self, shell: &Shell, state: &State, config: &Config, people: &People, viewer: &[(&str, &[u8])]) -> Result<(), Stop> {
        // a recording whose copy cannot be made has none, and then no page refers to one
        let mut copies = Copies::of(config, self.no_files, self.originals);
        loop {
            let library = Recordings { shell, state, people, copies: &copies };
            let mut summaries = Vec::new();
            for hash in state.hashes() {
                let mut facts = state.facts(hash)?;
                copies.hidden.note(hash, people.must_be_scrubbed(&facts));
                people.apply(&mut facts);
                summaries.push(Summary::of(&facts));
            }
            let published = |summary: &Summary| copies.published(summary);
            let clip = |summary: &Summary, moment: &Moment| copies.clip(summary, moment);
            let layout = self.layout(summaries.len());
            let site =
                Site::of(summaries, Options { config, viewer, published: &published, clip: &clip, data: data::IS_BUILT_IN, layout, cards: self.cards(layout) });
            let mut outputs = site.outputs().map_err(|error| Failure::new("cannot make the site").because(error))?;
            outputs.retain(|output| !self.no_pages || output.source().is_some());
            let plan = write::Plan::of(state, outputs)?;
            if self.dry_run {
                let mut output = output::stdout();
                write!(output, "{}", plan.counts(&site, &library)?)?;
                return Ok(output::finish(output)?);
            }
            let failed = match plan.write(shell, &site, &library)? {
                Ok(written) => {
                    let mut output = output::stdout();
                    writeln!(output, "{}", plan.report(state, written))?;
                    return Ok(output::finish(output)?);
                }
                Err(failed) => failed,
            };
            for Refused { hash, moment, failure } in failed {
                let id = &hash[..16.min(hash.len())];
                match moment {
                    None => {
                        eprintln!("the recording {id} is not published: {}", failure.one_line());
                        copies.refuse(hash);
                    }
                    Some(moment) => {
                        eprintln!("the recording {id} has no clip of {}: {}", Milliseconds(moment.from), failure.one_line());
                        copies.refuse_clip(hash, &moment);
                    }
                }
            }
        }
    }
}
