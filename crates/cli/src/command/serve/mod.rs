//! `fragreel serve`

mod socket;

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fragreel::Bytes;
use fragreel::model::{Family, Kind, Milliseconds};
use fragreel_live::PlaybackServer;

pub use self::socket::Socket;
use super::OnePath;
use super::record::By;
use super::view::{self, Page, PageSource, State};
use crate::failure::{Failure, Stop};
use crate::input;
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};

/// Serve a recording to the game: connect to it as to any server
///
/// Up to 64 unmodified clients of Quake III, Quake II, QuakeWorld, or NetQuake can connect at the
/// same time. They see the recorded player's view. If the recording has all players' views, each client chooses a player to follow. Console commands: `pause`, `play`, `seek 1:30`, `seek -10`,
/// `speed 0.25`, `next` and `prev` (kill), `follow NAME`. Type `cmd` before them in QuakeWorld,
/// NetQuake, and Quake II, or `!` before them in chat. Listens on localhost unless --public. Only
/// this machine has the controls, unless --own-clock.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  fragreel serve final.dm_68                         then in the game: /connect localhost
  fragreel serve final.mvd --from 2:00               QuakeWorld: follow any player, /cmd seek 3:00
  fragreel serve final.dm_71 --port 27970            at another port
  fragreel serve final.mvd2 --pov Alice              Quake II: begin with Alice, /cmd follow Bob
  fragreel serve final.dm_68 --public                for friends to watch along
  fragreel serve final.mvd --view                    with the viewer's timeline as the control
  fragreel serve final.mvd --public --own-clock      each viewer with an independent clock
  fragreel serve final.mvd --qtv                     as a QTV stream: /qtvplay localhost:28000
  fragreel serve final.mvd2 --gtv                    as a Q2PRO stream: mvdconnect localhost

Exit codes: 0 served until Ctrl-C, 2 failed.")]
pub struct Arguments {
    #[command(flatten)]
    file: OnePath,

    /// UDP port to listen on [default: the game's usual port]
    #[arg(long, conflicts_with_all = ["qtv", "gtv"])]
    port: Option<u16>,

    /// Stream a .mvd as a QTV server does, at this port (TCP), instead of serving the game: for ezQuake's and FTE's `qtvplay`, and for QTV proxies
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "28000", conflicts_with = "gtv")]
    qtv: Option<u16>,

    /// Stream a .mvd2 as a Q2PRO server does, at this port (TCP), instead of serving the game: for Q2PRO's `mvdconnect`
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "27910")]
    gtv: Option<u16>,

    /// NetQuake protocol: 15, 666, or 999 [default: the smallest that can express the recording]
    #[arg(long, value_name = "NUMBER")]
    protocol: Option<u32>,

    /// The player that viewers follow first, in Quake II recordings of servers, Relay and MVD2
    #[arg(long, value_name = "PLAYER")]
    pov: Option<String>,

    /// Give each viewer an independent playback with its own controls
    #[arg(long)]
    own_clock: bool,

    /// Accept connections from other machines
    #[arg(long)]
    public: bool,

    /// Also open the viewer, whose timeline, keys and speed control the games
    #[arg(long, conflicts_with = "own_clock")]
    view: bool,

    /// With --view: print the address instead of opening the browser
    #[arg(long, requires = "view")]
    no_browser: bool,

    /// Start at this time: seconds such as 90.5, or m:ss such as 1:30
    #[arg(long, value_name = "TIME")]
    from: Option<Milliseconds>,

    /// Stop after this time, with or without viewers: seconds such as 90.5, or m:ss such as 20:00
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Milliseconds>,
}

/// Bytes of a frame that no network cuts to pieces.
pub const WHOLE: usize = 1400;
/// Longest wait for a datagram: how late a frame may be.
const PATIENCE: Duration = Duration::from_millis(4);

impl Arguments {
    pub fn run(self, shell: &Shell) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let recording = input::load(shell, path, false)?;
        let mut marks: Vec<i64> = recording.events(Kind::Kill).map(|event| event.time.0).collect();
        marks.sort_unstable();
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned());
        let opening = Opening {
            path,
            bytes: recording.bytes().clone(),
            extension: extension.as_deref(),
            marks,
            name: name(path),
            secret: RandomState::new().hash_one(0),
            protocol: self.protocol,
            pov: self.pov.as_deref(),
        };
        let family = recording.family();
        // a server keeps the bytes itself
        drop(recording);
        if let Some(port) = self.qtv {
            return self.show(shell, opening.qtv()?, By::Connection, port);
        }
        if let Some(port) = self.gtv {
            return self.show(shell, opening.gtv()?, By::Connection, port);
        }
        match family {
            Family::Quake3 => self.show(shell, opening.quake3()?, By::Datagrams, 27960),
            Family::Quake2 => self.show(shell, opening.quake2()?, By::Datagrams, 27910),
            Family::Quake1 if opening.is_netquake() => self.show(shell, opening.netquake(self.public)?, By::Datagrams, 26000),
            Family::Quake1 => self.show(shell, opening.quakeworld()?, By::Datagrams, 27500),
            _ => Err(opening
                .cannot("its game is not supported by `serve`")
                .help("Recordings of Quake III, Quake II, QuakeWorld, and NetQuake can be served.")
                .into()),
        }
    }

    fn show(&self, shell: &Shell, show: impl PlaybackServer<SocketAddr> + Clone, by: By, usual_port: u16) -> Result<Outcome, Stop> {
        if self.own_clock {
            self.run_show(shell, &mut fragreel_live::PerViewer::new(show), by, usual_port)
        } else {
            self.run_show(shell, &mut { show }, by, usual_port)
        }
    }

    fn run_show(&self, shell: &Shell, show: &mut dyn PlaybackServer<SocketAddr>, by: By, usual_port: u16) -> Result<Outcome, Stop> {
        let path = &self.file.path;
        let mut socket = Socket::open(by, self.port.unwrap_or(usual_port), self.public, PATIENCE)?;
        let port = socket.port();
        show.listens(port);
        if let Some(from) = self.from {
            show.seek(from.0);
        }
        let length = Milliseconds(show.length());
        let mut output = output::stdout();
        let join = match (by, self.qtv.is_some()) {
            (By::Datagrams, _) => format!("in the game, /connect 127.0.0.1:{port}"),
            (By::Connection, true) => format!("QTV; in ezQuake, /qtvplay 127.0.0.1:{port}"),
            (By::Connection, false) => format!("GTV; in Q2PRO, /mvdconnect 127.0.0.1:{port}"),
        };
        writeln!(output, "{} ({length}) is at port {port}: {join}", printable(&name(path)))?;
        let viewer = self.view.then(|| self.viewer(shell)).transpose()?;
        if let Some((_, address)) = &viewer {
            writeln!(output, "{address}")?;
        }
        output::finish(output)?;
        let _guard = crate::interrupt::SignalGuard::patient();
        let (started, mut watching) = (Instant::now(), 0);
        while !crate::interrupt::asked() && !self.time.is_some_and(|time| started.elapsed().as_secs_f64() >= time.seconds()) {
            socket.poll(show, started.elapsed().as_secs_f64(), true);
            if let Some((viewer, _)) = &viewer {
                let (speed, paused) = show.clock();
                for order in viewer.exchange(State { position: show.position(), speed, paused, watching: show.watching() }) {
                    show.order(order.as_bytes());
                }
            }
            if show.watching() != watching && shell.errors_are_terminal {
                eprintln!("{} watching, at {}", show.watching(), Milliseconds(show.position()));
            }
            watching = show.watching();
        }
        socket.close(show);
        for (name, count) in show.held_back() {
            eprintln!("console commands not sent to viewers: {} ({count})", printable(&name));
        }
        Ok(Outcome::Fine)
    }

    /// The viewer's page, in a thread that ends with the command, and its address.
    fn viewer(&self, shell: &Shell) -> Result<(Arc<view::Show>, String), Failure> {
        let show = Arc::new(view::Show::default());
        let offer = PageSource { recordings: vec![self.file.path.clone().into()], show: Some(Arc::clone(&show)), growing: None };
        let page = Page::open(offer, shell.limits.recording_bytes, 0)?;
        let address = page.address(None, self.pov.as_deref());
        std::thread::spawn(move || page.serve(|| false));
        if !self.no_browser {
            view::open_browser(&address);
        }
        Ok((show, address))
    }
}

/// A recording about to be shown.
struct Opening<'a> {
    path: &'a Path,
    bytes: Bytes,
    extension: Option<&'a str>,
    /// When kills are, in milliseconds.
    marks: Vec<i64>,
    name: String,
    secret: u64,
    protocol: Option<u32>,
    pov: Option<&'a str>,
}

impl Opening<'_> {
    fn cannot(&self, why: &str) -> Failure {
        Failure::new(format!("cannot serve `{}`: {why}", self.path.display()))
    }

    fn quake3(mut self) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake3_live::{demo_server::DemoServer, playhead::Playhead};
        let opened = fragreel_quake3::Recording::open(&self.bytes, self.extension, fragreel::Limits::default());
        let dialect = opened.map_err(|error| self.cannot("it cannot be read").because(error))?.dialect();
        let bytes = std::mem::take(&mut self.bytes).into();
        let playhead = Playhead::new(bytes, dialect).map_err(|why| self.cannot(why).help("`fragreel convert` converts some recordings to these."))?;
        Ok(DemoServer::new(playhead, &self.name, self.secret, self.marks))
    }

    /// What is no client's recording is converted first. Of recordings of several players, a conversion states the losses.
    fn quake2(self) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake2::Recording;
        use fragreel_quake2::unstable::views;
        use fragreel_quake2_live::demo_server::DemoServer;
        let limits = fragreel::Limits::default;
        let unreadable = |error| self.cannot("it cannot be read").because(error);
        let source = Recording::open(&self.bytes, self.extension, limits()).map_err(unreadable)?;
        let several = views::has_several_views(source.input());
        let first = || views::first(source.input()).filter(|_| several).map(|slot| slot.to_string());
        let pov = self.pov.map(String::from).or_else(first);
        let target = fragreel::model::Target { format: None, pov: pov.clone() };
        let no_view = |error| self.cannot("it cannot be converted").because(error).help("Choose the first view with --pov PLAYER.");
        let plain = source.convert(&target).map_err(no_view)?;
        for loss in &plain.losses {
            eprintln!("lost: {}", printable(&loss.to_string()));
        }
        if several {
            let slot = pov.map(|pov| views::find(source.input(), &pov)).transpose().map_err(no_view)?;
            let show = DemoServer::new(&source, &self.name, self.secret, self.marks.iter().copied()).map_err(|why| self.cannot(why))?;
            return Ok(show.with_pov(slot));
        }
        let recording = Recording::open(&plain.bytes, Some("dm2"), limits()).map_err(unreadable)?;
        DemoServer::new(&recording, &self.name, self.secret, self.marks.iter().copied()).map_err(|why| self.cannot(why))
    }

    /// QTV's stream.
    fn qtv(self) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake1_live::qtv::server::{QtvHandshake, QtvStream};
        let recording = self.quake1(&self.bytes)?;
        let length = recording.info().duration.map_or(0, |length| length.0);
        let source = QtvStream::new(&recording).map_err(|why| self.cannot(why).help("`fragreel convert --to mvd` makes one of a .qwd."))?;
        // a stream is what the file is
        if recording.dialect().name().contains("+fte") {
            eprintln!("{} has FTE's extensions: FTE can read its stream, ezQuake cannot. Without --qtv, both can watch", printable(&self.name));
        }
        Ok(fragreel_live::StreamServer::new(source, QtvHandshake::new(&self.name), length, self.marks))
    }

    /// Q2PRO's stream.
    fn gtv(self) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake2_live::gtv::server::{GtvHandshake, GtvStream};
        let opened = fragreel_quake2::Recording::open(&self.bytes, self.extension, fragreel::Limits::default());
        let recording = opened.map_err(|error| self.cannot("it cannot be read").because(error))?;
        let length = recording.info().duration.map_or(0, |length| length.0);
        let source =
            GtvStream::new(&recording).map_err(|why| self.cannot(why).help("`fragreel convert --to mvd2` makes one of other recordings of a server."))?;
        Ok(fragreel_live::StreamServer::new(source, GtvHandshake::default(), length, self.marks))
    }

    fn quakeworld(self) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake1_live::demo_server::quakeworld::{Contents, QuakeWorldDemoServer};
        let recording = self.quake1(&self.bytes)?;
        let contents = Contents::of(&recording);
        let show = QuakeWorldDemoServer::new(&recording, &contents, &self.name, self.secret, self.marks.iter().copied());
        show.map_err(|why| self.cannot(why))
    }

    fn is_netquake(&self) -> bool {
        self.quake1(&self.bytes).is_ok_and(|recording| recording.container() == fragreel_quake1::unstable::container::Container::NetQuake)
    }

    /// What plain clients cannot play is converted first.
    fn netquake(self, public: bool) -> Result<impl PlaybackServer<SocketAddr> + Clone, Failure> {
        use fragreel_quake1_live::demo_server::netquake::NetQuakeDemoServer;
        let target = fragreel::model::Target { format: self.protocol.map(|protocol| format!("dem {protocol}")), pov: None };
        let plain = self.quake1(&self.bytes)?.convert(&target);
        let plain = plain.map_err(|error| self.cannot("it cannot be converted").because(error))?;
        for loss in &plain.losses {
            eprintln!("lost: {}", printable(&loss.to_string()));
        }
        let recording = self.quake1(&plain.bytes)?;
        if self.protocol.is_none() && recording.dialect().numbers.protocol == 999 {
            eprintln!("DarkPlaces cannot join, because it does not support protocol 999. Use `--protocol 666` for it.");
        }
        let show = NetQuakeDemoServer::new(&recording, &self.name, self.marks.iter().copied()).map_err(|why| self.cannot(why))?;
        Ok(if public { show.with_datagram(WHOLE) } else { show })
    }

    fn quake1<'b>(&self, bytes: &'b [u8]) -> Result<fragreel_quake1::Recording<'b>, Failure> {
        let extension = if std::ptr::eq(bytes, &*self.bytes) { self.extension } else { Some("dem") };
        fragreel_quake1::Recording::open(bytes, extension, fragreel::Limits::default()).map_err(|error| self.cannot("it cannot be read").because(error))
    }
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(|| String::from("recording"), |name| name.to_string_lossy().into_owned())
}
