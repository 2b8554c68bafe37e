//! Settings for joining a server, and the status of the connection.

use crate::handshake::Extensions;
use fragreel_quake1::unstable::dialect::pext1::SPLITSCREEN;

/// Settings for joining.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The spectator password; `1` if there is none.
    pub spectator: String,
    /// The extensions to request. [`Extensions::NONE`] makes recordings that any engine plays.
    pub extensions: Extensions,
    /// Distinguishes connections behind one address. Choose it at random.
    pub qport: u16,
    /// Bytes per second that the server may send.
    pub rate: u32,
    /// The map checksum to state. Servers with `sv_mapcheck 0` accept any.
    pub map_checksum: u32,
    /// The player to follow. Servers only send what is visible from a spectator's position.
    pub follow: ChaseTarget,
    /// The number of spectators at one connection, at most four. Each follows another player. Needs FTE's split screen; without it there
    /// is one.
    pub seats: usize,
    /// When to start a new recording.
    pub each: Each,
    /// Seconds between two packets; the server answers each with one.
    pub interval: f64,
    /// Seconds of silence after which the server counts as gone.
    pub timeout: f64,
    /// Seconds until there must be a connection.
    pub connecting: f64,
    /// Seconds from a level's server data until play must begin.
    pub signing_on: f64,
}

/// The player that a recording spectator follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ChaseTarget {
    /// No player.
    Nobody,
    /// The first player on the server.
    #[default]
    First,
    /// The player whose name contains this, ignoring case and color. The first player while that one is absent.
    Named(String),
}

/// The extent of one recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Each {
    /// The whole connection.
    #[default]
    Connection,
    /// Each level.
    Level,
    /// Each match, as the server's `status` says; and each level. A match in the middle of a level ends the connection with
    /// [`End::Match`]: a server only sends a new signon to a client that rejoins.
    Match,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: String::from("fragreel"),
            spectator: String::from("1"),
            extensions: Extensions::QUAKEWORLD,
            rate: 100_000,
            qport: 27001,
            map_checksum: 0,
            follow: ChaseTarget::First,
            seats: 1,
            each: Each::Connection,
            interval: 0.02,
            timeout: 30.0,
            connecting: 20.0,
            signing_on: 60.0,
        }
    }
}

impl Settings {
    /// The extensions to request.
    pub(super) fn asked(&self) -> Extensions {
        let seats = if self.seats > 1 { SPLITSCREEN } else { 0 };
        Extensions { fte1: self.extensions.fte1 | seats, ..self.extensions }
    }

    pub(super) fn user_info(&self) -> Vec<u8> {
        format!(
            "\\name\\{}\\spectator\\{}\\rate\\{}\\msg\\1\\noaim\\1\\topcolor\\0\\bottomcolor\\0\\*client\\fragreel\\*z_ext\\{Z_EXTENSIONS}\\pmodel\\{PLAYER_MODEL}\\emodel\\{EYES_MODEL}",
            clean(&self.name),
            clean(&self.spectator),
            self.rate
        )
        .into_bytes()
    }
}

/// A text without characters that keys and values may not contain.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\\' | '"' | ';' | '$') && !c.is_control()).collect()
}

/// The checksums of id's `progs/player.mdl` and `progs/eyes.mdl`. Servers warn everybody about a client with others, or without.
const PLAYER_MODEL: u32 = 33_168;
const EYES_MODEL: u32 = 6967;

/// Movement types, view height, server time, pitch limits, on-ground flag and weapon models: what clients commonly have.
const Z_EXTENSIONS: u32 = 223;

/// The status of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// Not connected yet.
    Connecting,
    /// Receiving level, lists and baselines. Recording has started.
    SigningOn,
    /// In the game.
    Playing,
    /// The connection has ended.
    Ended(End),
}

/// Why the connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// [`Recorder::leave`](super::Recorder::leave) was called.
    Left,
    /// The server closed the connection. Contains what it printed just before, such as who kicked us.
    Disconnected(String),
    /// The server refused the connection.
    Refused(String),
    /// The server timed out.
    Silent,
    /// The server answers, but never lets us into the game. Contains what it printed last.
    Stalled(String),
    /// Nothing listens at the server's address.
    Unreachable,
    /// The server sends more questions than it accepts answers to.
    Flooded,
    /// The next match begins, and gets a recording of its own.
    Match,
    /// The server wants this checksum of its map ([`Settings::map_checksum`]), and lets in who joins again with it.
    Map(u32),
}
