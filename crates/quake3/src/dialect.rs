//! The rules of each protocol: everything that differs between versions is a value here (`docs/formats/quake3.md`, "Dialects").

use fragreel_base::delta::interleaved::Table;

use crate::fields::{ARRAYS, PlayerArray, q3, q3_43, q3_46, ql73, ql90, ql91};

/// The rules of one protocol.
#[derive(Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The protocol number that servers state.
    pub protocol: u16,
    /// How messages are laid out.
    pub layout: Layout,
    /// Fields of an entity.
    pub entity: &'static Table,
    /// Fields of a player state, without its arrays.
    pub player: &'static Table,
    /// The arrays of a player state, in wire order.
    pub arrays: &'static [PlayerArray],
    /// Whether a message starts with the last client command that the server has seen.
    pub acknowledges: bool,
    /// Whether a snapshot starts with the last client command instead.
    pub snapshot_command: bool,
    /// Whether a gamestate ends with the client's number and a checksum seed.
    pub identifies_client: bool,
    /// Whether players know voice data as an operation.
    pub voice: bool,
    /// Whether voice data carries flags.
    pub voice_flags: bool,
    /// The number of entities in all kept snapshots beyond which a delta base counts as lost.
    pub kept_entities: u64,
    /// Whether the slots of power-ups begin with the flags.
    pub flags_first: bool,
    /// The longest message that the engine reads, in bytes.
    pub longest_message: usize,
    /// The protocols that recordings can be converted to. That of stock engines comes first.
    pub targets: &'static [u16],
    /// Where the game's numbers and names come from.
    pub line: Line,
}

/// How messages are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Huffman-coded, fields by frequency, field counts.
    Coded,
    /// Plain bits, realigned to a byte after each operation, entity fields by mask.
    Plain,
}

/// The line of games that a protocol belongs to. The table of games holds everything that differs between lines; mods vary it further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// Quake III Arena 1.11 to 1.17.
    Quake3Early,
    /// Quake III Arena from 1.25, ioquake3, OpenArena.
    Quake3,
    /// Quake Live.
    QuakeLive,
}

impl Line {
    /// An entity whose type is at least this is an event by itself.
    pub(crate) const fn first_event_type(self) -> u32 {
        match self {
            Line::Quake3Early => 12,
            Line::Quake3 | Line::QuakeLive => 13,
        }
    }
}

impl Dialect {
    /// The rules of `protocol`, when it is one of ours.
    pub fn of(protocol: u16) -> Option<&'static Dialect> {
        DIALECTS.iter().find(|dialect| dialect.protocol == protocol)
    }

    /// Every dialect.
    pub fn all() -> &'static [Dialect] {
        &DIALECTS
    }

    /// Whether the protocol is Return to Castle Wolfenstein's, which is not supported.
    pub(crate) fn is_refused(protocol: u16) -> bool {
        (57..=60).contains(&protocol)
    }

    /// The protocol that a file extension hints at, the leading dot left off.
    pub fn hinted(extension: &str) -> Option<u16> {
        match extension {
            "dm3" => Some(45),
            "urtdemo" => Some(68),
            _ => extension.strip_prefix("dm_")?.parse().ok(),
        }
    }

    /// The file extension that recordings in this dialect usually have.
    pub fn extension(&self) -> String {
        match self.protocol {
            43..=45 => String::from("dm3"),
            46 => String::from("dm_48"),
            protocol => format!("dm_{protocol}"),
        }
    }

    /// Whether messages of the two have the same bits and meaning.
    pub(crate) fn is_like(&self, other: &Dialect) -> bool {
        let parts = |dialect: &Dialect| (dialect.layout, dialect.acknowledges, dialect.snapshot_command, dialect.identifies_client, dialect.line);
        parts(self) == parts(other)
            && self.entity == other.entity
            && self.player == other.player
            && self.arrays == other.arrays
            && self.voice_flags == other.voice_flags
    }

    /// The dialects to try on a recording that states no protocol, likeliest first.
    pub fn candidates(layout: Layout) -> impl Iterator<Item = &'static Dialect> {
        let order: &[u16] = match layout {
            Layout::Coded => &[68, 73, 90, 91, 71],
            Layout::Plain => &[45, 48, 46],
        };
        order.iter().filter_map(|&protocol| Dialect::of(protocol))
    }

    /// The array of this name.
    pub fn array(&self, name: &str) -> Option<&'static PlayerArray> {
        self.arrays.iter().find(|array| array.name == name)
    }

    /// Longest server command, before its NUL.
    pub(crate) const MAX_COMMAND: usize = 8191;
}

/// Longest message that every engine reads.
pub const LONGEST_MESSAGE: usize = 16384;

const PLAIN: Dialect = Dialect {
    protocol: 48,
    layout: Layout::Plain,
    entity: &Table::new(&q3_46::ENTITY),
    player: &Table::new(&q3_46::PLAYER),
    arrays: &ARRAYS,
    acknowledges: true,
    snapshot_command: false,
    identifies_client: false,
    voice: false,
    voice_flags: false,
    kept_entities: 2048 - 128,
    flags_first: false,
    longest_message: LONGEST_MESSAGE,
    targets: &[68, 66, 67, 69, 70, 71],
    line: Line::Quake3,
};

const EARLY: Dialect = Dialect {
    entity: &Table::new(&q3_43::ENTITY),
    player: &Table::new(&q3_43::PLAYER),
    acknowledges: false,
    snapshot_command: true,
    line: Line::Quake3Early,
    ..PLAIN
};

const CODED: Dialect = Dialect { layout: Layout::Coded, entity: &Table::new(&q3::ENTITY), player: &Table::new(&q3::PLAYER), identifies_client: true, ..PLAIN };

const IO: Dialect = Dialect { kept_entities: 32 * 256 - 256, ..CODED };

const LIVE: Dialect = Dialect { longest_message: usize::MAX, targets: &[91], line: Line::QuakeLive, ..IO };

static DIALECTS: [Dialect; 14] = [
    Dialect { protocol: 43, ..EARLY },
    Dialect { protocol: 44, ..EARLY },
    Dialect { protocol: 45, ..EARLY },
    Dialect { protocol: 46, player: &Table::new(&q3_46::PLAYER_46), ..PLAIN },
    PLAIN,
    Dialect { protocol: 66, ..CODED },
    Dialect { protocol: 67, ..CODED },
    // ioquake3 speaks 68 as well, and keeps four times the entities; believing it loses nothing
    Dialect { protocol: 68, ..IO },
    Dialect { protocol: 69, ..IO },
    Dialect { protocol: 70, voice: true, ..IO },
    Dialect { protocol: 71, voice: true, voice_flags: true, ..IO },
    Dialect { protocol: 73, entity: &Table::new(&ql73::ENTITY), ..LIVE },
    Dialect { protocol: 90, entity: &Table::new(&ql90::ENTITY), player: &Table::new(&ql90::PLAYER), ..LIVE },
    Dialect { protocol: 91, entity: &Table::new(&ql91::ENTITY), player: &Table::new(&ql91::PLAYER), flags_first: true, ..LIVE },
];
