//! How to join a server, how far it is, and why it is over.

use crate::dialect::pext1::SPLITSCREEN;
use crate::live::handshake::Extensions;

/// How to join.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The name to join with.
    pub name: String,
    /// The spectators' password; `1` where there is none.
    pub spectator: String,
    /// What to ask for. [`Extensions::NONE`] makes recordings that any engine plays.
    pub extensions: Extensions,
    /// Tells connections behind one address apart: choose it at random.
    pub qport: u16,
    /// Bytes per second that the server may send.
    pub rate: u32,
    /// What to state as the map's checksum; servers with `sv_mapcheck 0` take any.
    pub map_checksum: u32,
    /// Whom to follow. Servers only send what can be seen from where a spectator is.
    pub follow: ChaseTarget,
    /// How many spectators to join as at one connection, at most four, each of whom follows another player: FTE's split screen, where the
    /// server has it.
    pub seats: usize,
    /// Where one recording ends and the next begins.
    pub each: Each,
    /// Seconds between two packets; the server answers each with one.
    pub interval: f64,
    /// Seconds without a word from the server after which it counts as gone.
    pub timeout: f64,
    /// Seconds until there must be a connection, whatever the server answers.
    pub connecting: f64,
    /// Seconds from a level's server data until the server must have let us in.
    pub signing_on: f64,
}

/// Which player a recording spectator follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ChaseTarget {
    /// Nobody.
    Nobody,
    /// The first player there is.
    #[default]
    First,
    /// The player whose name has this in it, without regard to case and colour; the first one while he is not there.
    Named(String),
}

/// What gets a recording of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Each {
    /// The whole connection.
    #[default]
    Connection,
    /// Each level.
    Level,
    /// Each match, as the server's `status` says; and each level. A match in the middle of a level ends the connection with
    /// [`End::Match`]: a server only tells everything again to who joins again.
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
    /// The extensions that are asked for.
    pub(super) fn asked(&self) -> Extensions {
        let seats = if self.seats > 1 { SPLITSCREEN } else { 0 };
        Extensions { fte1: self.extensions.fte1 | seats, ..self.extensions }
    }

    pub(super) fn user_info(&self) -> Vec<u8> {
        format!(
            "\\name\\{}\\spectator\\{}\\rate\\{}\\msg\\1\\noaim\\1\\topcolor\\0\\bottomcolor\\0\\*client\\fragreel\\*z_ext\\{Z_EXTENSIONS}",
            clean(&self.name),
            clean(&self.spectator),
            self.rate
        )
        .into_bytes()
    }
}

/// What may stand in keys and values.
pub(super) fn clean(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\\' | '"' | ';' | '$') && !c.is_control()).collect()
}

/// Movement types, view height, server time, pitch limits, on-ground flag and weapon models: what clients commonly have.
const Z_EXTENSIONS: u32 = 223;

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// No connection yet.
    Connecting,
    /// Level, lists and baselines come in; recorded from the first packet on.
    SigningOn,
    /// In the game.
    Playing,
    /// Over, and why.
    Ended(End),
}

/// Why it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// [`Recorder::leave`](super::Recorder::leave) was called.
    Left,
    /// The server closed the connection; what it printed just before that, such as who kicked us.
    Disconnected(String),
    /// The server does not want us.
    Refused(String),
    /// The server fell silent, or never answered.
    Silent,
    /// The server answers, but never lets us into the game; what it printed last.
    Stalled(String),
    /// Nobody listens at the server's address.
    Unreachable,
    /// The server asks for more than it takes answers to.
    Flooded,
    /// The next match begins, which is to have a recording of its own.
    Match,
}
