//! What protocol numbers and negotiated extensions mean for everything below (`docs/formats/quake1.md`, "Dialects").
//!
//! Nothing else in the crate looks at a protocol number or an extension bit: it asks the [`Dialect`] for widths, tables
//! and rules.

use std::sync::Arc;

use fragreel_base::delta::masked::MaskTable;

pub(crate) use crate::extensions::mvd1;
pub use crate::extensions::{pext1, pext2};
use crate::fields;
pub(crate) use crate::fields::netquake::NetQuakeRules;
use crate::replacement::{Angles, Coordinates, Flags};

/// Which of the two branches of the game, and how its messages are addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// NetQuake: one client's messages.
    NetQuake,
    /// QuakeWorld: one client's messages.
    QuakeWorld,
    /// QuakeWorld: the server's view of all players (`.mvd`).
    MultiView,
}

/// The flag word of protocol 999.
mod rmq {
    pub(super) const SHORTANGLE: u32 = 1 << 1;
    pub(super) const FLOATANGLE: u32 = 1 << 2;
    pub(super) const BITS24COORD: u32 = 1 << 3;
    pub(super) const FLOATCOORD: u32 = 1 << 4;
    pub(super) const INT32COORD: u32 = 1 << 7;
}

/// Rules that change which message a number means.
pub(crate) mod message_rules {
    pub(crate) const NETQUAKE: u8 = 1;
    pub(crate) const MULTI_VIEW: u8 = 2;
    pub(crate) const CLASSIC_DELTAS: u8 = 4;
    pub(crate) const NEHAHRA: u8 = 8;
    pub(crate) const RERELEASE: u8 = 16;
    pub(crate) const MAY_BE_RERELEASE: u8 = 32;
    /// All combinations of them.
    pub(crate) const COUNT: usize = 64;
}

/// What the numbers that a server states come down to. Equal keys share tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Numbers {
    /// The branch of the game.
    pub stream: Stream,
    /// The protocol number after the extensions.
    pub protocol: u32,
    /// `FTEX`.
    pub pext1: u32,
    /// `FTE2`.
    pub pext2: u32,
    /// `MVD1`.
    pub mvd1: u32,
    /// The flag word of protocol 999.
    pub flags: u32,
}

/// Rules and tables for one combination of [`Numbers`].
#[derive(Debug, Clone)]
pub struct Dialect {
    /// What the server stated.
    pub numbers: Numbers,
    /// Whether a server stated anything yet.
    pub known: bool,
    /// Coordinates, except the next.
    pub coord: Coordinates,
    /// Origins of entities and players.
    pub entity_coord: Coordinates,
    /// Angles.
    pub angle: Angles,
    /// Entity numbers above 32,767 take three bytes.
    pub big_entities: bool,
    /// Which fields NetQuake's messages have.
    pub netquake: NetQuakeRules,
    /// Fields of QuakeWorld's entity deltas.
    pub entity: MaskTable,
    /// Fields of NetQuake's fast updates.
    pub update: MaskTable,
    /// Fields of NetQuake's client data.
    pub clientdata: MaskTable,
    /// Fields of a player in a multi-view recording.
    pub view_player: MaskTable,
    /// Flag style of each custom effect that was defined.
    pub custom_effects: Arc<Vec<u8>>,
    /// The rules that decide which message each number means: bits of [`message_rules`].
    pub(crate) message_rules: u8,
}

impl Dialect {
    /// What is assumed before the server states anything.
    pub fn new(stream: Stream) -> Self {
        let protocol = if stream == Stream::NetQuake { 15 } else { 28 };
        let mut dialect = Self::of(Numbers { stream, protocol, pext1: 0, pext2: 0, mvd1: 0, flags: 0 });
        dialect.known = false;
        dialect
    }

    /// The rules for what a server stated.
    pub fn of(numbers: Numbers) -> Self {
        let mut coord = Coordinates::Eighths;
        let mut angle = Angles::Byte;
        let netquake = match numbers.protocol {
            666 | 999 => NetQuakeRules::FitzQuake,
            250 => NetQuakeRules::Nehahra,
            10000 => NetQuakeRules::Bjp1,
            10001 => NetQuakeRules::Bjp2,
            10002 => NetQuakeRules::Bjp3,
            _ => NetQuakeRules::Id,
        };
        let flags = numbers.flags;
        for (bit, kind) in [(rmq::SHORTANGLE, Angles::Short), (rmq::FLOATANGLE, Angles::Float)] {
            if flags & bit != 0 {
                angle = kind;
            }
        }
        let coords = [(rmq::BITS24COORD, Coordinates::Fraction), (rmq::INT32COORD, Coordinates::Sixteenths), (rmq::FLOATCOORD, Coordinates::Float)];
        for (bit, kind) in coords {
            if flags & bit != 0 {
                coord = kind;
            }
        }
        if numbers.pext1 & pext1::FLOATCOORDS != 0 {
            coord = Coordinates::Float;
            if angle == Angles::Byte {
                angle = Angles::Short;
            }
        }
        let entity_coord = if numbers.mvd1 & mvd1::FLOATENTCOORDS != 0 { Coordinates::Float } else { coord };
        Self::with_rules(numbers, netquake, coord, entity_coord, angle)
    }

    fn with_rules(numbers: Numbers, netquake: NetQuakeRules, coord: Coordinates, entity_coord: Coordinates, angle: Angles) -> Self {
        let mut dialect = Dialect {
            numbers,
            known: true,
            coord,
            entity_coord,
            angle,
            big_entities: numbers.pext2 & pext2::REPLACEMENTDELTAS != 0,
            netquake,
            entity: fields::quakeworld::entity(numbers.pext1, entity_coord, angle),
            update: fields::netquake::update(netquake, coord, angle),
            clientdata: fields::netquake::clientdata(netquake),
            view_player: fields::quakeworld::view_player(entity_coord),
            custom_effects: Arc::default(),
            message_rules: 0,
        };
        dialect.message_rules = dialect.message_rules();
        dialect
    }

    fn message_rules(&self) -> u8 {
        let rules = [
            (self.is_netquake(), message_rules::NETQUAKE),
            (self.is_multi_view(), message_rules::MULTI_VIEW),
            (self.classic_deltas(), message_rules::CLASSIC_DELTAS),
            (self.is_nehahra(), message_rules::NEHAHRA),
            (self.is_rerelease(), message_rules::RERELEASE),
            (self.may_be_rerelease(), message_rules::MAY_BE_RERELEASE),
        ];
        rules.iter().filter(|(on, _)| *on).fold(0, |bits, (_, bit)| bits | bit)
    }

    /// A dialect for every form that messages of a stream have.
    pub(crate) fn shapes(stream: Stream) -> Vec<Self> {
        const FLAGS: [u32; 5] = [0, rmq::SHORTANGLE | rmq::FLOATCOORD, rmq::FLOATANGLE, rmq::BITS24COORD, rmq::INT32COORD];
        const REPLACEMENT: u32 = pext2::REPLACEMENTDELTAS | pext2::MAXPLAYERS;
        const MODERN: [u32; 4] = [REPLACEMENT, REPLACEMENT | pext2::PREDINFO, REPLACEMENT | pext2::PREDINFO | crate::replacement::PEXT2_NEW_SIZE_ENCODING, {
            REPLACEMENT | pext2::PREDINFO | pext2::LERPTIME | crate::replacement::PEXT2_NEW_SIZE_ENCODING
        }];
        let plain = |protocol| Numbers { stream, protocol, pext1: 0, pext2: 0, mvd1: 0, flags: 0 };
        let base = if stream == Stream::NetQuake { 666 } else { 28 };
        let mut numbers: Vec<Numbers> = if stream == Stream::NetQuake {
            let other = [15, 666, 250, 10000, 10001, 10002].map(plain);
            other.into_iter().chain(FLAGS.map(|flags| Numbers { flags, ..plain(999) })).collect()
        } else {
            let all = [0, pext1::MODELDBL, !(pext1::FLOATCOORDS | pext1::CHUNKEDDOWNLOADS), u32::MAX];
            let old = all.into_iter().map(|pext1| Numbers { pext1, mvd1: mvd1::FLOATENTCOORDS | mvd1::SETANGLEREASON, ..plain(28) });
            [24, 26, 28].map(plain).into_iter().chain(old).collect()
        };
        numbers.extend(MODERN.map(|pext2| Numbers { pext2, ..plain(base) }));
        let mut dialects: Vec<Self> = numbers.into_iter().map(Self::of).collect();
        if stream == Stream::NetQuake {
            let mut rerelease = Self::of(plain(666));
            rerelease.turn_to_rerelease();
            dialects.push(rerelease);
        }
        dialects
    }

    /// From a message on that only the re-release sends.
    pub(crate) fn turn_to_rerelease(&mut self) {
        if self.netquake == NetQuakeRules::FitzQuake {
            *self = Self::with_rules(self.numbers, NetQuakeRules::Rerelease, self.coord, self.entity_coord, self.angle);
        }
    }

    /// Replaces the rules by those for the numbers that a server stated.
    pub(crate) fn adopt(&mut self, [pext1, pext2, mvd1]: [u32; 3], protocol: u32, flags: u32) {
        let numbers = Numbers { stream: self.numbers.stream, protocol, pext1, pext2, mvd1, flags };
        self.known = true;
        if numbers != self.numbers || self.is_rerelease() {
            *self = Self::of(numbers);
        }
        self.custom_effects = Arc::default();
    }

    /// Remembers what a custom effect sends.
    pub(crate) fn define_effect(&mut self, kind: u8, style: u8) {
        let at = usize::from(kind);
        let styles = Arc::make_mut(&mut self.custom_effects);
        if styles.len() <= at {
            styles.resize(at + 1, 0);
        }
        styles[at] = style;
    }

    /// Whether NetQuake servers use this protocol number.
    pub(crate) fn is_netquake_protocol(protocol: u32) -> bool {
        matches!(protocol, 15 | 250 | 666 | 999 | 3500..=3504 | 10000..=10002)
    }

    /// Whether QuakeWorld servers use this protocol number.
    pub(crate) fn is_quakeworld_protocol(protocol: u32) -> bool {
        matches!(protocol, 24..=28)
    }

    /// Whether server data with this protocol number ends with constants of movement.
    pub(crate) fn states_move_vars(protocol: u32) -> bool {
        protocol >= 25
    }

    /// Whether a flag word follows this protocol number.
    pub(crate) fn has_flag_word(protocol: u32) -> bool {
        protocol == 999
    }

    /// Whether messages are taken apart at all. DarkPlaces' are not.
    pub fn supported(&self) -> bool {
        match self.numbers.stream {
            Stream::NetQuake => matches!(self.numbers.protocol, 15 | 250 | 666 | 999 | 10000..=10002),
            _ => Self::is_quakeworld_protocol(self.numbers.protocol),
        }
    }

    /// The dialect's name, as shown to people: `666`, `28+fte2`, `mvd 28`.
    pub fn name(&self) -> String {
        let n = &self.numbers;
        let mut name = match (n.stream, n.protocol) {
            (Stream::NetQuake, 3500..=3504) => format!("darkplaces {}", n.protocol),
            (Stream::NetQuake, _) => format!("netquake {}", n.protocol),
            (Stream::QuakeWorld, _) => format!("quakeworld {}", n.protocol),
            (Stream::MultiView, _) => format!("mvd {}", n.protocol),
        };
        for (on, part) in [(self.is_rerelease(), "rerelease"), (n.pext1 != 0, "fte"), (n.pext2 != 0, "fte2"), (n.mvd1 != 0, "mvd1")] {
            if on {
                name.push('+');
                name.push_str(part);
            }
        }
        name
    }

    /// Whether entities are sent as replacement deltas.
    #[inline]
    pub fn replacement(&self) -> bool {
        self.numbers.pext2 & pext2::REPLACEMENTDELTAS != 0
    }

    /// How replacement deltas are laid out.
    #[inline]
    pub fn layout(&self) -> Flags {
        Flags::negotiated(self.numbers.pext2, self.entity_coord, self.angle, self.is_netquake())
    }

    /// Whether input sequences are acknowledged in updates and times.
    #[inline]
    pub fn predinfo(&self) -> bool {
        self.numbers.pext2 & pext2::PREDINFO != 0
    }

    /// Whether a bit of `FTEX` is on.
    #[inline]
    pub(crate) fn has1(&self, bit: u32) -> bool {
        self.numbers.pext1 & bit != 0
    }

    /// Whether a bit of `MVD1` is on.
    #[inline]
    pub(crate) fn has_mvd1(&self, bit: u32) -> bool {
        self.numbers.mvd1 & bit != 0
    }

    /// Whether this is NetQuake's branch.
    #[inline]
    pub(crate) fn is_netquake(&self) -> bool {
        self.numbers.stream == Stream::NetQuake
    }

    /// Whether this is a multi-view recording.
    #[inline]
    pub fn is_multi_view(&self) -> bool {
        self.numbers.stream == Stream::MultiView
    }

    /// QuakeWorld's lists say where they start, and user commands have their final form (protocols 26 and 27 on).
    #[inline]
    pub(crate) fn lists_have_index(&self) -> bool {
        self.numbers.protocol >= 26
    }

    /// User commands within player infos have their final form.
    #[inline]
    pub(crate) fn final_commands(&self) -> bool {
        self.numbers.protocol >= 27
    }

    /// Baselines and statics as deltas have the form from before replacement deltas.
    pub(crate) fn classic_deltas(&self) -> bool {
        !self.replacement()
    }

    /// Nehahra and its relatives.
    pub fn is_nehahra(&self) -> bool {
        self.is_netquake() && !matches!(self.netquake, NetQuakeRules::Id | NetQuakeRules::FitzQuake | NetQuakeRules::Rerelease)
    }

    /// How far from the middle a coordinate reaches.
    pub(crate) fn coord_reach(&self) -> f32 {
        match self.coord {
            Coordinates::Eighths => 4096.0,
            Coordinates::Fraction => 32_768.0,
            Coordinates::Sixteenths => 134_217_728.0,
            Coordinates::Float => f32::MAX,
        }
    }

    /// The plain dialect of a protocol, with the coordinates and angles of another where the protocol can say which.
    pub fn plain(stream: Stream, protocol: u32, like: &Dialect) -> Self {
        let coord = match like.coord {
            Coordinates::Eighths => 0,
            Coordinates::Fraction => rmq::BITS24COORD,
            Coordinates::Sixteenths => rmq::INT32COORD,
            Coordinates::Float => rmq::FLOATCOORD,
        };
        let angle = match like.angle {
            Angles::Byte => 0,
            Angles::Short => rmq::SHORTANGLE,
            Angles::Float => rmq::FLOATANGLE,
        };
        let flags = if Self::has_flag_word(protocol) { coord | angle } else { 0 };
        Self::of(Numbers { stream, protocol, pext1: 0, pext2: 0, mvd1: 0, flags })
    }

    /// Whether NetQuake's entities have opacity and size, as FitzQuake has them.
    pub(crate) fn has_opacity(&self) -> bool {
        matches!(self.netquake, NetQuakeRules::FitzQuake | NetQuakeRules::Rerelease)
    }

    /// Whether engines take NetQuake's entities in any size.
    pub(crate) fn has_scale(&self) -> bool {
        self.is_netquake() && Self::has_flag_word(self.numbers.protocol)
    }

    /// The 2021 re-release.
    pub fn is_rerelease(&self) -> bool {
        self.netquake == NetQuakeRules::Rerelease
    }

    /// Whether nothing yet speaks against the re-release: FitzQuake's protocol without extensions.
    pub(crate) fn may_be_rerelease(&self) -> bool {
        self.is_rerelease() || (self.is_netquake() && self.netquake == NetQuakeRules::FitzQuake && self.numbers.pext1 == 0 && self.numbers.pext2 == 0)
    }

    /// Models take 16 bits in NetQuake's baselines, updates and client data.
    #[inline]
    pub(crate) fn wide_models(&self) -> bool {
        matches!(self.netquake, NetQuakeRules::Bjp1 | NetQuakeRules::Bjp2 | NetQuakeRules::Bjp3)
    }
}
