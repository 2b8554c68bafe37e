//! `fragreel record`

mod files;
mod joining;
mod session;
mod stream;
mod tables;
mod upstream;
mod watch;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fragreel::model::Milliseconds;
use fragreel_quake1_live::recorder::{Each, End, Settings, Status};

pub use self::files::{Done, Files};
pub use self::joining::{Joining, Patience};
pub use self::session::Limits;
use self::session::Session;
pub use self::stream::{By, Extra, run as run_stream};
use self::tables::Tables;
pub use self::upstream::{JoinOptions, Upstream};
use self::watch::Watch;
use super::view::{Growing, Page, PageSource, open_browser};
use crate::address::{Game, Source};
use crate::failure::{Failure, FailureKind, Stop};
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};

/// Record a server, or a QTV or Q2PRO stream
///
/// Joins servers of QuakeWorld (qw://HOST:PORT), Quake II (q2://), and Quake III (q3://) as a
/// spectator. NetQuake (nq://) has no spectators, so Fragreel joins as a player and says so.
///
/// QTV streams (qtv://HOST:PORT, or qtv://STREAM@HOST:PORT of a proxy) become .mvd recordings of
/// all players. Q2PRO streams (mvd2://HOST:PORT) become .mvd2.
///
/// Stops at --for, --size, Ctrl-C, or when the server quits, and disconnects cleanly. The file
/// exists from the first frame on and always has everything received so far. An existing file is
/// replaced only when the first frame arrives. A second Ctrl-C completes the file without waiting
/// for the server; a third stops at once.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel record qw://localhost -o live.qwd
      until Ctrl-C
  fragreel record qw://quake.example:27501 -o final.qwd --for 20:00
      twenty minutes
  fragreel record qw://localhost -o live.qwd --map dm3.bsp
      if the server checks the map
  fragreel record qw://localhost -o live.qwd --plain
      for engines without extensions
  fragreel record qw://localhost -o cup_{#}.qwd --each match --reconnect
      a file per match, all day
  fragreel record qw://localhost -o final.qwd --until match-over
      one match
  fragreel record q2://localhost -o live.dm2
      the recording of a Quake II client
  fragreel record q3://localhost -o live.dm_68
      Quake III; the extension selects the protocol: OpenArena's is .dm_71
  fragreel record nq://localhost -o live.dem
      NetQuake, as a player
  fragreel record q2://localhost -o live.dm2 --tables now
      kills, scores, and positions as tables, updated live
  fragreel record qw://localhost -o live.qwd --view
      and show it live in the browser
  fragreel record qtv://1@qtv.example:28000 -o final.mvd
      all players, from a QTV proxy

Exit codes: 0 recorded, 2 nothing recorded.")]
pub struct Arguments {
    /// Server URL, such as qw://quake.example:27500
    #[arg(value_name = "URL")]
    server: String,

    /// Output file (.qwd; .dm2 for Quake II, .dm_68 or .dm_71 for Quake III, .dem for NetQuake,
    /// .mvd for QTV, .mvd2 for Q2PRO). A second file gets `-2` before the dot, or its number in
    /// place of `{#}`
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Overwrite an existing file
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    joining: Joining,

    /// Request no protocol extensions, so that any engine plays the recording
    #[arg(long)]
    plain: bool,

    /// Stay at the spectator spawn instead of following a player
    #[arg(long, conflicts_with = "follow")]
    no_follow: bool,

    /// Number of split-screen views; each follows another player (QuakeWorld, FTE servers with
    /// `allow_splitscreen 1`)
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    seats: u8,

    /// Write a file for each match or level
    #[arg(long, value_name = "WHAT")]
    each: Option<Part>,

    /// Join again when the connection ends, into a new file, until --for, --size, or Ctrl-C
    #[arg(long)]
    reconnect: bool,

    /// Stop at this event; checked every few seconds
    #[arg(long, value_name = "EVENT")]
    until: Option<watch::Event>,

    /// Write tables into this folder, and update them every few seconds: FILE.kills.csv,
    /// FILE.positions.csv, and others
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,

    /// Format of the tables
    #[arg(long, value_enum, default_value_t = super::export::Format::default(), requires = "tables")]
    format: super::export::Format,

    /// Open the viewer in the browser, and show the recording live
    #[arg(long)]
    view: bool,

    /// With --view: print the address instead of opening the browser
    #[arg(long, requires = "view")]
    no_browser: bool,
}

/// What gets a file of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Each match (QuakeWorld servers state it in their status, Quake III servers restart the level), and each level
    Match,
    /// Each level
    Level,
}

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let upstream = Upstream::of(&self.server)?;
        self.check(upstream.source)?;
        if upstream.source != Source::Game(Game::QuakeWorld) {
            return self.stream(&upstream, shell);
        }
        let address = upstream.address;
        let options = self.options()?;
        let mut files = Files::new(&self.output, self.force, files::CLIENT)?;
        let _guard = crate::interrupt::SignalGuard::patient();
        let (mut began, mut patience, mut watch) = (None, Patience::new(), self.watch(shell)?);
        let (mut options, mut again) = (options, Again::default());
        loop {
            let session = self.connection(address, &options, &mut files, &mut began, &mut watch, shell)?;
            let (ended, reason) = (session.recorder.status().clone(), session.reason());
            if session.left.is_none()
                && let Some((seconds, map)) = again.after(&ended, session.recorder.frames() > 0)
            {
                options.map_checksum = map.unwrap_or(options.map_checksum);
                eprintln!("{}: {}; joining again in {seconds} s", printable(&self.server), printable(&reason));
                if !self.pause(seconds, began) {
                    continue;
                }
            }
            if session.left.is_some() || !(self.reconnect || ended == Status::Ended(End::Match)) {
                watch.map_or(Ok(()), Watch::finish)?;
                return self.conclude(&upstream, &files, &session, &reason);
            }
            if ended == Status::Ended(End::Match) {
                continue;
            }
            let wait = patience.next(session.recorder.frames() > 0);
            eprintln!("{}: {}; joining again in {wait:.0} s", printable(&self.server), printable(&reason));
            if self.pause(wait, began) {
                watch.map_or(Ok(()), Watch::finish)?;
                return self.conclude(&upstream, &files, &session, &reason);
            }
        }
    }

    /// Says what some servers cannot be asked for.
    fn check(&self, source: Source) -> Result<(), Failure> {
        if self.each.is_some() && matches!(source, Source::Qtv | Source::Gtv) {
            let failure = Failure::new("--each works only with game servers");
            return Err(failure.help("`fragreel split --by level` and `--by match` cut a stream's recording afterwards."));
        }
        if self.seats > 1 && source != Source::Game(Game::QuakeWorld) {
            return Err(Failure::new("--seats works only with QuakeWorld servers: only FTE has split screen for spectators").help("Remove it."));
        }
        if self.seats > 1 && self.plain {
            return Err(Failure::new("--seats needs FTE's extension, and --plain requests none").help("Remove one of them."));
        }
        let why = match source {
            Source::Game(Game::NetQuake) => "NetQuake has no spectators, so nobody can follow a player",
            Source::Game(Game::Quake2) => "in Quake II, the game chooses the player that a spectator follows",
            Source::Qtv | Source::Gtv => "a stream has all players' views",
            Source::Game(_) => return Ok(()),
        };
        if self.joining.follow.is_some() {
            return Err(Failure::new(format!("--follow is not possible here: {why}")));
        }
        Ok(())
    }

    /// Who looks at what is recorded, if anybody has to.
    fn watch(&self, shell: &Shell) -> Result<Option<Watch>, Stop> {
        let tables = self.tables.as_deref().map(|folder| Tables::new(folder, self.format, self.force)).transpose()?;
        let viewer = if self.view { Some(self.viewer(shell)?) } else { None };
        Ok(Watch::new(self.until, tables, viewer))
    }

    /// The viewer's page, in a thread that ends with the command; its address is printed.
    fn viewer(&self, shell: &Shell) -> Result<Arc<Growing>, Stop> {
        let growing = Arc::new(Growing::default());
        let page = Page::open(PageSource { growing: Some(Arc::clone(&growing)), ..PageSource::default() }, shell.limits.recording_bytes, 0)?;
        let address = page.address(None, None);
        let mut output = output::stdout();
        writeln!(output, "{address}")?;
        output::finish(output)?;
        std::thread::spawn(move || page.serve(|| false));
        if !self.no_browser {
            open_browser(&address);
        }
        Ok(growing)
    }

    fn options(&self) -> Result<JoinOptions, Failure> {
        Ok(JoinOptions { plain: self.plain, alone: self.no_follow, seats: self.seats.into(), ..self.joining.options()? })
    }

    /// The protocol that the output's name says: of Quake III.
    fn protocol(&self) -> u16 {
        let extension = self.output.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
        extension.strip_prefix("dm_").and_then(|number| number.parse().ok()).unwrap_or(0)
    }

    /// Records streams, one connection after the other.
    fn stream(&self, upstream: &Upstream, shell: &Shell) -> Result<Outcome, Stop> {
        let options = JoinOptions { protocol: self.protocol(), ..self.options()? };
        let kind = upstream.source.kind(options.protocol).ok_or_else(|| {
            let failure = Failure::new(format!("`{}` is not a name for a Quake III recording", self.output.display()));
            failure.help("The extension selects the protocol: .dm_68 for Quake III and ioquake3, .dm_71 for OpenArena.")
        })?;
        let mut files = Some(Files::new(&self.output, self.force, kind)?);
        let _guard = crate::interrupt::SignalGuard::patient();
        let (mut began, mut patience, mut watch) = (None, Patience::new(), self.watch(shell)?);
        loop {
            let limits = Limits {
                began: &mut began,
                seconds: self.joining.seconds(),
                bytes: self.joining.size,
                keep_free: self.joining.keep_free,
                watch: watch.as_mut(),
            };
            let mut joined = upstream.join(&options)?;
            if self.each.is_some() {
                joined.split_levels();
            }
            let next = |file: Done| say(&file, "the next level begins");
            let ended = stream::run(&mut *joined, upstream.source.by(), upstream.address, &mut files, limits, &mut (), next)?;
            let wait = patience.next(ended.file.is_some());
            if let Some(file) = &ended.file {
                say(file, &ended.reason)?;
            }
            let over = ended.left.is_some() || !self.reconnect;
            if !over {
                eprintln!("{}: {}; joining again in {wait:.0} s", printable(&self.server), printable(&ended.reason));
            }
            if over || self.pause(wait, began) {
                watch.map_or(Ok(()), Watch::finish)?;
                if files.is_some_and(|files| files.count() > 0) {
                    return Ok(Outcome::Fine);
                }
                let failure =
                    Failure::new(format!("nothing was recorded from `{}`: {}", printable(&self.server), printable(&ended.reason))).kind(FailureKind::Io);
                return Err(failure.help(format!("Nothing was written. {}", upstream.advice(ended.left)).trim_end()).into());
            }
        }
    }

    /// One connection, from its handshake to its end.
    fn connection(
        &self,
        address: SocketAddr,
        options: &JoinOptions,
        files: &mut Files,
        began: &mut Option<Instant>,
        watch: &mut Option<Watch>,
        shell: &Shell,
    ) -> Result<Session, Stop> {
        let mut session =
            Session::new(self.settings(options), address).map_err(|error| Failure::new(format!("cannot reach `{}`", self.server)).because(error))?;
        let limits = Limits { began, seconds: self.joining.seconds(), bytes: self.joining.size, keep_free: self.joining.keep_free, watch: watch.as_mut() };
        let mut written = Ok(());
        let said = |status: &Status| match status {
            Status::SigningOn if shell.errors_are_terminal => eprintln!("connected to {}", printable(&self.server)),
            Status::Playing if shell.errors_are_terminal => eprintln!("recording; press Ctrl-C to stop"),
            _ => {}
        };
        session.run(files, limits, said, |file, session| written = tell(&file, session))?;
        written?;
        Ok(session)
    }

    fn settings(&self, options: &JoinOptions) -> Settings {
        Settings {
            each: match self.each {
                Some(Part::Match) => Each::Match,
                Some(Part::Level) => Each::Level,
                None => Each::Connection,
            },
            ..options.quakeworld()
        }
    }

    /// Waits. Says whether it is over.
    fn pause(&self, seconds: f64, began: Option<Instant>) -> bool {
        let started = Instant::now();
        loop {
            if crate::interrupt::asked() || self.joining.is_over(began) {
                return true;
            }
            if started.elapsed().as_secs_f64() >= seconds {
                return false;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn conclude(&self, upstream: &Upstream, files: &Files, session: &Session, reason: &str) -> Result<Outcome, Stop> {
        if files.count() > 0 {
            return Ok(Outcome::Fine);
        }
        let inside = matches!(session.recorder.status(), Status::Ended(End::Disconnected(_) | End::Stalled(_) | End::Map(_)));
        let hint = if inside { self.joining.hint() } else { upstream.advice(session.left) };
        let failure = Failure::new(format!("nothing was recorded from `{}`: {}", printable(&self.server), printable(reason))).kind(FailureKind::Io);
        Err(failure.help(format!("Nothing was written. {hint}").trim_end()).into())
    }
}

/// Servers that send us away and let us in the next time: a map's checksum is wanted, or the connection was closed without a word before
/// anything came, as checks of addresses do.
#[derive(Default)]
struct Again {
    maps: u32,
    silent: u32,
}

impl Again {
    /// Seconds to wait before the next attempt, and the map's checksum for it.
    fn after(&mut self, ended: &Status, came: bool) -> Option<(f64, Option<u32>)> {
        const MOST: u32 = 3;
        const SHORT: f64 = 0.5;
        const LONG: f64 = 2.5;
        if came {
            *self = Again::default();
        }
        match ended {
            Status::Ended(End::Map(checksum)) if self.maps < MOST => {
                self.maps += 1;
                Some((SHORT, Some(*checksum)))
            }
            Status::Ended(End::Disconnected(reason)) if reason.is_empty() && !came && self.silent < MOST => {
                self.silent += 1;
                Some((LONG, None))
            }
            _ => None,
        }
    }
}

/// Says what is in a file that is complete, and why it is.
pub fn say(file: &Done, reason: &str) -> Result<(), Stop> {
    let mut output = output::stdout();
    let length = Milliseconds::from_seconds(file.seconds);
    writeln!(output, "{}: {length}, {}; {}", printable(&file.path.to_string_lossy()), file.size, printable(reason))?;
    Ok(output::finish(output)?)
}

fn tell(file: &Done, session: &Session) -> Result<(), Stop> {
    let reason = if matches!(session.recorder.status(), Status::Ended(_)) { session.reason() } else { String::from("the next level begins") };
    say(file, &reason)?;
    let mut output = output::stdout();
    if session.recorder.unreadable() > 0 {
        writeln!(output, "{} of {} packets so far were recorded, but cannot be decoded completely", session.recorder.unreadable(), session.recorder.packets())?;
    }
    if let Some(name) = session.recorder.missed() {
        writeln!(output, "no player's name contains `{}`: followed the first player instead", printable(name))?;
    }
    let (seats, missing) = (session.recorder.seats(), session.recorder.missing_seats());
    if missing > 0 {
        writeln!(output, "{seats} of {} seats: the server granted no more; FTE needs `allow_splitscreen 1` and free slots", seats + missing)?;
    }
    Ok(output::finish(output)?)
}
