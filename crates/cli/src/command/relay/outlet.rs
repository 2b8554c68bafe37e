//! One place where a relay shows what comes.

use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use fragreel_live::{PlaybackServer, StreamServer};

use crate::address::Source;
use crate::address::{Game, outlet};
use crate::command::serve::{Socket, WHOLE};
use crate::failure::{Failure, Stop};
use crate::output;

/// A socket, and what is shown there as soon as there is something.
pub struct Outlet {
    socket: Socket,
    to: Source,
    extension: &'static str,
    public: bool,
    /// What came before there was a frame.
    held: Vec<u8>,
    show: Option<Box<dyn PlaybackServer<SocketAddr>>>,
}

/// Most bytes before the first frame.
const MOST_HELD: usize = 16 << 20;
const NAME: &str = "relay";

impl Outlet {
    /// Listens where `url` says. `extension`: what the recording from `from` is called.
    pub fn open(url: &str, from: Source, extension: &'static str, public: bool) -> Result<Self, Failure> {
        let (to, port) = outlet(url)?;
        let possible = to == from || (from == Source::Qtv && to == Source::Game(Game::QuakeWorld));
        if !possible {
            let help = "A game server can be relayed to clients of the same game (qw to qw, nq to nq, q2 to q2, q3 to q3), QTV to qtv or qw, and a Q2PRO stream to mvd2.";
            return Err(Failure::new(format!("`{url}` cannot serve this source")).help(help));
        }
        let socket = Socket::open(to.by(), port, public, Duration::ZERO)?;
        Ok(Outlet { socket, to, extension, public, held: Vec::new(), show: None })
    }

    /// Says where it is.
    pub fn announce(&self, from: &str) -> Result<(), Stop> {
        let port = self.socket.port();
        let join = match self.to {
            Source::Game(_) => "in the game, /connect",
            Source::Qtv => "QTV; in ezQuake, /qtvplay",
            Source::Gtv => "GTV; in Q2PRO, /mvdconnect",
        };
        let mut output = output::stdout();
        writeln!(output, "{} is at port {port}: {join} 127.0.0.1:{port}", output::printable(from))?;
        Ok(output::finish(output)?)
    }

    /// More of the recording.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(show) = &mut self.show {
            show.feed(bytes);
            return;
        }
        self.held.extend_from_slice(bytes);
        if let Some(mut show) = self.begin() {
            show.listens(self.socket.port());
            show.feed(&[]);
            self.show = Some(show);
            self.held = Vec::new();
        } else if self.held.len() > MOST_HELD {
            self.held = Vec::new();
        }
    }

    /// The show of what came so far, if there is something to see.
    fn begin(&self) -> Option<Box<dyn PlaybackServer<SocketAddr>>> {
        let limits = fragreel::Limits::default;
        let secret = RandomState::new().hash_one(0);
        let bytes = &self.held[..];
        let nothing = std::iter::empty::<i64>;
        Some(match self.to {
            Source::Game(Game::Quake3) => {
                let dialect = fragreel_quake3::Recording::open(bytes, Some(self.extension), limits()).ok()?.dialect();
                let playhead = fragreel_quake3_live::playhead::Playhead::new(bytes.to_vec(), dialect).ok()?;
                Box::new(fragreel_quake3_live::demo_server::DemoServer::new(playhead, NAME, secret, nothing()))
            }
            Source::Game(Game::Quake2) => {
                let recording = fragreel_quake2::Recording::open(bytes, Some(self.extension), limits()).ok()?;
                Box::new(fragreel_quake2_live::demo_server::DemoServer::new(&recording, NAME, secret, nothing()).ok()?)
            }
            Source::Gtv => {
                let recording = fragreel_quake2::Recording::open(bytes, Some(self.extension), limits()).ok()?;
                use fragreel_quake2_live::gtv::server::{GtvHandshake, GtvStream};
                Box::new(StreamServer::new(GtvStream::new(&recording).ok()?, GtvHandshake::default(), 0, nothing()))
            }
            Source::Game(Game::NetQuake) => {
                let recording = fragreel_quake1::Recording::open(bytes, Some(self.extension), limits()).ok()?;
                let show = fragreel_quake1_live::demo_server::netquake::NetQuakeDemoServer::new(&recording, NAME, nothing()).ok()?;
                Box::new(if self.public { show.with_datagram(WHOLE) } else { show })
            }
            Source::Game(Game::QuakeWorld) => {
                use fragreel_quake1_live::demo_server::quakeworld::{Contents, QuakeWorldDemoServer};
                let recording = fragreel_quake1::Recording::open(bytes, Some(self.extension), limits()).ok()?;
                Box::new(QuakeWorldDemoServer::new(&recording, &Contents::of(&recording), NAME, secret, nothing()).ok()?)
            }
            Source::Qtv => {
                use fragreel_quake1_live::qtv::server::{QtvHandshake, QtvStream};
                let recording = fragreel_quake1::Recording::open(bytes, Some(self.extension), limits()).ok()?;
                Box::new(StreamServer::new(QtvStream::new(&recording).ok()?, QtvHandshake::new(NAME), 0, nothing()))
            }
        })
    }

    /// Time passes.
    pub fn poll(&mut self, now: f64) {
        match &mut self.show {
            Some(show) => self.socket.poll(&mut **show, now, false),
            None => self.socket.idle(),
        }
    }

    /// How many watch.
    pub fn watching(&self) -> usize {
        self.show.as_ref().map_or(0, |show| show.watching())
    }

    /// Ends the show.
    pub fn close(&mut self) {
        if let Some(show) = &mut self.show {
            self.socket.close(&mut **show);
        }
    }
}
