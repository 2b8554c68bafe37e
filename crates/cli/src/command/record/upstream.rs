//! The server that a URL names, as a recorder that joins it.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

use fragreel_live::Stream;
use fragreel_quake1_live::handshake::Extensions;
use fragreel_quake1_live::qtv;
use fragreel_quake1_live::recorder::{ChaseTarget, Joined, Settings, netquake};
use fragreel_quake2_live::{gtv, recorder as quake2_recorder};
use fragreel_quake3::dialect::Dialect;
use fragreel_quake3_live::{pure::Pak, recorder as quake3_recorder};

use super::files::{self, Kind};
use super::session::Left;
use super::stream::By;
use crate::address::{Game, Source, find, resolve};
use crate::failure::Failure;

/// Where QTV proxies and Q2PRO's servers listen by default.
const QTV_PORT: u16 = 28000;
const GTV_PORT: u16 = 27910;

impl Source {
    /// Whether it is a connection or datagrams.
    pub fn by(self) -> By {
        match self {
            Source::Game(_) => By::Datagrams,
            Source::Qtv | Source::Gtv => By::Connection,
        }
    }

    /// How its recordings are named, and what they are. Quake III's say their protocol.
    pub fn kind(self, protocol: u16) -> Option<Kind> {
        const QUAKE3: [&str; 6] = ["dm_66", "dm_67", "dm_68", "dm_69", "dm_70", "dm_71"];
        Some(match self {
            Source::Game(Game::QuakeWorld) => files::CLIENT,
            Source::Game(Game::Quake2) => ("dm2", "What a Quake II client records"),
            Source::Game(Game::NetQuake) => ("dem", "What a NetQuake client records"),
            Source::Game(Game::Quake3) => (*QUAKE3.get(usize::from(protocol.checked_sub(66)?))?, "What a Quake III client records"),
            Source::Qtv => ("mvd", "What QTV streams"),
            Source::Gtv => ("mvd2", "What Q2PRO streams"),
        })
    }
}

/// How to join.
#[derive(Debug, Clone, Default)]
pub struct JoinOptions {
    /// The name to join with.
    pub name: String,
    /// The spectators' password; `1` where there is none.
    pub password: String,
    /// Ask for no extension.
    pub plain: bool,
    /// The player to follow, if any.
    pub follow: Option<String>,
    pub alone: bool,
    /// How many spectators to be at one connection (QuakeWorld).
    pub seats: usize,
    /// The checksum of the map's file.
    pub map_checksum: u32,
    /// The game's files (Quake III).
    pub paks: Vec<Pak>,
    /// Which protocol to speak, where the game has several.
    pub protocol: u16,
}

impl JoinOptions {
    /// The password, unless it is the one that means that there is none.
    pub fn secret(&self) -> Option<String> {
        Some(self.password.clone()).filter(|password| password != "1")
    }

    /// For QuakeWorld.
    pub fn quakeworld(&self) -> Settings {
        Settings {
            name: self.name.clone(),
            spectator: self.password.clone(),
            extensions: if self.plain { Extensions::NONE } else { Extensions::QUAKEWORLD },
            qport: qport(),
            map_checksum: self.map_checksum,
            follow: match &self.follow {
                Some(name) => ChaseTarget::Named(name.clone()),
                None if self.alone => ChaseTarget::Nobody,
                None => ChaseTarget::First,
            },
            seats: self.seats,
            ..Settings::default()
        }
    }
}

fn qport() -> u16 {
    RandomState::new().hash_one(0) as u16
}

/// A server.
pub struct Upstream {
    /// What it sends.
    pub source: Source,
    /// Where it is.
    pub address: SocketAddr,
    /// Which stream of a proxy.
    stream: Option<String>,
}

impl Upstream {
    /// What to try when nothing came, unless we left.
    pub fn advice(&self, left: Option<Left>) -> &'static str {
        match self.source {
            _ if left.is_some() => "",
            Source::Game(Game::NetQuake) => {
                "Check address and port. `fragreel servers URL` queries the server. DarkPlaces' servers let NetQuake's clients in with `sv_protocolname QUAKE`."
            }
            Source::Game(_) => "Check address and port. `fragreel servers URL` queries the server.",
            Source::Qtv | Source::Gtv => "Check address and port, and whether the server offers a stream.",
        }
    }

    /// What a URL says.
    pub fn of(url: &str) -> Result<Self, Failure> {
        if let Some(rest) = url.strip_prefix("qtv://") {
            let (stream, rest) = rest.split_once('@').map_or((None, rest), |(stream, rest)| (Some(stream.to_owned()), rest));
            return Ok(Upstream { source: Source::Qtv, address: find(url, rest, QTV_PORT)?, stream });
        }
        if let Some(rest) = url.strip_prefix("mvd2://") {
            return Ok(Upstream { source: Source::Gtv, address: find(url, rest, GTV_PORT)?, stream: None });
        }
        let (game, address) = resolve(url, Game::QuakeWorld)?;
        Ok(Upstream { source: Source::Game(game), address, stream: None })
    }

    /// One that joins there.
    pub fn join(&self, options: &JoinOptions) -> Result<Box<dyn Stream>, Failure> {
        let (name, secret) = (options.name.clone(), options.secret());
        Ok(match self.source {
            Source::Qtv => Box::new(qtv::Client::new(qtv::Settings { source: self.stream.clone(), name, password: secret })),
            Source::Gtv => Box::new(gtv::Client::new(gtv::Settings { name, password: secret.unwrap_or_default() })),
            Source::Game(Game::QuakeWorld) => Box::new(Joined::new(options.quakeworld())),
            Source::Game(Game::NetQuake) if options.plain => Box::new(netquake::Recorder::new(&name).plain()),
            Source::Game(Game::NetQuake) => Box::new(netquake::Recorder::new(&name)),
            Source::Game(Game::Quake2) => {
                let password = secret.unwrap_or_default();
                Box::new(quake2_recorder::Recorder::new(quake2_recorder::Settings {
                    name,
                    password,
                    spectator: options.password.clone(),
                    qport: qport(),
                    rate: None,
                }))
            }
            Source::Game(Game::Quake3) => {
                let settings = quake3_recorder::Settings {
                    name,
                    password: secret.unwrap_or_default(),
                    qport: qport(),
                    follow: options.follow.clone(),
                    alone: options.alone,
                    rate: None,
                    paks: options.paks.clone(),
                };
                let dialect = Dialect::of(options.protocol).ok_or_else(|| Failure::new(format!("Quake III has no protocol {}", options.protocol)))?;
                Box::new(quake3_recorder::Recorder::new(settings, dialect))
            }
        })
    }
}
