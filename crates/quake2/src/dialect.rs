//! Maps protocol numbers and kinds of recordings to tables and rules. No other file compares a protocol number.
//! Implements *Dialects* of `docs/formats/quake2.md`.

use crate::fields::Shape;
use crate::fields::{entity, player};

/// Kinds of `.dm2` recordings, as `serverdata` names them (`attractloop`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecordingKind(pub u8);

#[allow(missing_docs, reason = "named in the format document")]
impl RecordingKind {
    pub const NETWORK: RecordingKind = RecordingKind(0);
    pub const CLIENT: RecordingKind = RecordingKind(1);
    pub const SERVER: RecordingKind = RecordingKind(2);
    pub(crate) const RELAY: RecordingKind = RecordingKind(0x80);

    /// The name in `info`.
    pub fn name(self) -> &'static str {
        match self {
            RecordingKind::SERVER => "server",
            RecordingKind::RELAY => "relay",
            RecordingKind::NETWORK => "network",
            _ => "client",
        }
    }
}

/// The numbering of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbering {
    /// Protocols 26 to 34 and Q2PRO's extended demos.
    Classic,
    /// R1Q2: compressed packets, settings; three high bits carry more.
    R1q2,
    /// Q2PRO on the network.
    Q2pro,
    /// The 2023 rerelease.
    Kex,
    /// KMQuake2: one additional message.
    Kmquake2,
    /// The test release: shifted numbers, undocumented.
    TestRelease,
}

/// The encoding of positions in messages other than entity deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coordinates {
    /// 16 bits, eighths.
    Eighths,
    /// 16 bits, and 8 more when the lowest is set.
    Flagged,
    /// 24 bits, high byte first.
    High24,
    /// 32-bit floats.
    Float,
}

/// The encoding of a frame header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameHeader {
    /// Two longs; without the suppress count of later protocols.
    NoSuppress,
    /// Two longs and the suppress count.
    Classic,
    /// A number alone; entities follow in full.
    Server,
    /// As `Classic`, then the connected clients.
    Relay,
    /// 27 bits of number and 5 of difference; the player and the entities follow without numbers of their own.
    Packed,
}

/// The encoding of the stats in a player state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stats {
    /// A long, then a short for each set bit.
    Long,
    /// The same, but only when the extra flags say so.
    LongIfFlagged,
    /// A variable-length mask for 64.
    Variable,
    /// The same, when the extra flags say so.
    VariableIfFlagged,
    /// Two longs, each followed by its shorts.
    TwoLongs,
    /// A long whose bits repeat every 32 of 256.
    Repeated,
}

/// The ranges of the configstrings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as engines name them")]
pub struct Strings {
    pub statusbar: u16,
    pub airaccel: u16,
    pub maxclients: u16,
    pub models: u16,
    pub sounds: u16,
    pub images: u16,
    pub lights: u16,
    pub items: u16,
    pub playerskins: u16,
    pub general: u16,
    pub end: u16,
}

const fn strings(airaccel: u16, models: u16, sounds: u16, images: u16, after: u16) -> Strings {
    let base = airaccel + 3;
    let (cs_sounds, cs_images) = (base + models, base + models + sounds);
    let lights = cs_images + images;
    Strings {
        statusbar: 5,
        airaccel,
        maxclients: airaccel + 1,
        models: base,
        sounds: cs_sounds,
        images: cs_images,
        lights,
        items: lights + 256,
        playerskins: lights + 512,
        general: lights + 768,
        end: lights + 768 + 512 + after,
    }
}

/// The configstrings of protocols 26 to 36.
pub(crate) const CLASSIC_STRINGS: Strings = strings(29, 256, 256, 256, 0);
const EXTENDED_STRINGS: Strings = strings(59, 8192, 2048, 2048, 0);
const KMQUAKE2_STRINGS: Strings = strings(29, 8192, 8192, 2048, 1);
/// The rerelease: as extended, with more after the general strings.
const KEX_STRINGS: Strings = Strings { end: u16::MAX, ..EXTENDED_STRINGS };

/// Everything that differs between protocols.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The number in `serverdata`; 0 for a server recording without one.
    pub protocol: u32,
    /// The minor version where there is one.
    pub minor: u32,
    /// The kind of recording.
    pub kind: RecordingKind,
    /// Message numbers.
    pub numbering: Numbering,
    /// Positions in messages.
    pub coordinates: Coordinates,
    /// Frame headers.
    pub frame: FrameHeader,
    /// The layout of entity deltas.
    pub entity: &'static Shape,
    /// The bits that announce further mask bytes.
    pub more: &'static [u64],
    /// The layout of player deltas.
    pub player: &'static Shape,
    /// What follows the stats.
    pub player_end: Option<&'static Shape>,
    /// The bytes of a player's mask: two, then as many when bit 15 says so (0: no more).
    pub player_more: u8,
    /// Four bytes of mask at once.
    pub player_mask_long: bool,
    /// Stats.
    pub stats: Stats,
    /// Temporary entities 26 and 27 have their later meaning, and downloads carry data.
    pub since_32: bool,
    /// Sound and model numbers may have 16 bits, monsters' muzzle flashes 13.
    pub extended: bool,
    /// Every sound number has 16 bits.
    pub sound16: bool,
    /// State rows hold floats, not eighths.
    pub floats: bool,
    /// Coordinates in state deltas are flagged (differences or absolute).
    pub flagged: bool,
    /// Bytes of `clientnum` in a packed frame; 0 where it is not sent.
    pub clientnum: u8,
    /// The configstrings' order.
    pub strings: &'static Strings,
    /// Frames per second of server time.
    pub rate: u32,
    /// Which engine line's rules turn deltas into states.
    pub line: Line,
    /// Whether an angle of 16 bits may be sent.
    pub short_angles: bool,
}

/// The two engine lines, which decode some bytes differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// id's engine and those close to it: 16-bit fields are signed, and an absent old origin is always the last origin.
    Id,
    /// R1Q2, Q2PRO and their descendants: unsigned, and beams keep their old origin.
    Q2pro,
}

/// The parts of `serverdata` that a dialect depends on, beside the protocol.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Announced {
    /// The minor version of R1Q2, Q2PRO or MVD2.
    pub minor: u32,
    /// Q2PRO's protocol flags, or MVD2's stream flags.
    pub flags: u32,
    /// KEX: the server's rate.
    pub rate: u32,
}

/// Q2PRO's `PF_EXTENSIONS` and `PF_EXTENSIONS_2`, and the like of MVD2.
const Q2PRO_EXTENSIONS: u32 = 8;
const Q2PRO_EXTENSIONS_2: u32 = 16;
const MVF_EXTLIMITS: u32 = 4;
const MVF_EXTLIMITS_2: u32 = 8;

impl Dialect {
    /// Converts a coordinate word of a state to map units.
    pub(crate) fn units(&self, word: u32) -> f32 {
        if self.floats { f32::from_bits(word) } else { word as i32 as f32 / 8.0 }
    }

    /// Converts an angle word of a state to degrees.
    pub(crate) fn degrees(&self, word: u32) -> f32 {
        if self.floats { f32::from_bits(word) } else { f32::from(word as u16 as i16) * (360.0 / 65536.0) }
    }

    /// A server recording of 3.15 or 3.16, which has no `serverdata`.
    pub fn headless() -> Self {
        Self { protocol: 0, kind: RecordingKind::SERVER, frame: FrameHeader::Server, ..Self::classic() }
    }

    /// A client recording whose beginning is lost.
    pub fn beheaded() -> Self {
        Self { protocol: 0, ..Self::classic() }
    }

    /// Protocol 34, client recording: what every engine since 1997 plays.
    pub fn playable() -> Self {
        Self::classic()
    }

    /// Whether it is [`playable`](Self::playable) already.
    pub fn is_playable(&self) -> bool {
        self.protocol == 34 && self.kind == RecordingKind::CLIENT
    }

    /// Whether its states convert to [`playable`](Self::playable), with losses. Floats do not.
    pub fn is_convertible(&self) -> bool {
        !self.floats && self.numbering != Numbering::TestRelease
    }

    /// Whether the player's own entity is sent without the position and angles in the player state.
    pub(crate) fn omits_own_place(&self) -> bool {
        self.numbering == Numbering::Q2pro
    }

    /// Whether it has compressed messages. Undecodable bytes may then contain some.
    pub fn compresses(&self) -> bool {
        matches!(self.numbering, Numbering::R1q2 | Numbering::Q2pro | Numbering::Kex)
    }

    fn classic() -> Self {
        Self {
            protocol: 34,
            minor: 0,
            kind: RecordingKind::CLIENT,
            numbering: Numbering::Classic,
            coordinates: Coordinates::Eighths,
            frame: FrameHeader::Classic,
            entity: &entity::CLASSIC,
            more: entity::MORE,
            player: &player::CLASSIC,
            player_end: None,
            player_more: 0,
            player_mask_long: false,
            stats: Stats::Long,
            since_32: true,
            extended: false,
            sound16: false,
            floats: false,
            flagged: false,
            clientnum: 0,
            strings: &CLASSIC_STRINGS,
            rate: 10,
            line: Line::Id,
            short_angles: false,
        }
    }

    /// The test release, whose serverdata has another number.
    pub fn test_release() -> Self {
        Self { protocol: 25, numbering: Numbering::TestRelease, ..Self::classic() }
    }

    /// The dialect that a `serverdata` of this protocol and kind announces. `None` for undocumented protocols.
    pub fn of(protocol: u32, kind: RecordingKind, announced: Announced) -> Option<Self> {
        let base = Self { protocol, kind, ..Self::classic() };
        Some(match protocol {
            25 => Self::test_release(),
            26..=34 => {
                let frame = match kind {
                    RecordingKind::SERVER => FrameHeader::Server,
                    RecordingKind::RELAY => FrameHeader::Relay,
                    _ if protocol == 26 => FrameHeader::NoSuppress,
                    _ => FrameHeader::Classic,
                };
                Self { frame, since_32: protocol >= 32, ..base }
            }
            35 => Self::r1q2(base, announced),
            36 => Self::q2pro(base, announced),
            37 => Self::mvd(base, announced),
            56 => Self {
                numbering: Numbering::Kmquake2,
                coordinates: Coordinates::High24,
                entity: &entity::KMQUAKE2,
                player: &player::KMQUAKE2,
                player_mask_long: true,
                stats: Stats::Repeated,
                sound16: true,
                strings: &KMQUAKE2_STRINGS,
                ..base
            },
            2022 | 2023 => Self {
                numbering: Numbering::Kex,
                coordinates: if protocol == 2022 { Coordinates::Eighths } else { Coordinates::Float },
                entity: if protocol == 2022 { &entity::KEX_2022 } else { &entity::KEX_2023 },
                more: entity::MORE_EXTENDED,
                player: &player::KEX,
                player_end: Some(&player::KEX_END),
                player_more: 2,
                stats: Stats::TwoLongs,
                sound16: true,
                floats: true,
                strings: &KEX_STRINGS,
                rate: if announced.rate == 0 { 40 } else { announced.rate },
                line: Line::Q2pro,
                ..base
            },
            3434..=3436 => {
                let level = if protocol == 3434 { 1 } else { 2 };
                let player_more = u8::from(protocol >= 3436);
                Self { player_more, ..Self::extend(base, level) }
            }
            _ => return None,
        })
    }

    /// The fields of `serverdata` for which [`Dialect::of`] returns this dialect.
    pub(crate) fn announced(&self) -> Announced {
        let (one, two) = if self.is_mvd() { (MVF_EXTLIMITS, MVF_EXTLIMITS_2) } else { (Q2PRO_EXTENSIONS, Q2PRO_EXTENSIONS_2) };
        let has_flags = self.is_mvd() || self.numbering == Numbering::Q2pro;
        let flags = if has_flags && self.extended { one | if self.flagged { two } else { 0 } } else { 0 };
        Announced { minor: self.minor, flags, rate: if self.floats { self.rate } else { 0 } }
    }

    fn r1q2(base: Self, announced: Announced) -> Self {
        let minor = announced.minor;
        Self {
            minor,
            numbering: Numbering::R1q2,
            frame: FrameHeader::Packed,
            entity: if minor >= 1905 { &entity::LONG_SOLID } else { &entity::CLASSIC },
            player: &player::SPLIT,
            stats: Stats::LongIfFlagged,
            line: Line::Q2pro,
            ..base
        }
    }

    fn q2pro(base: Self, announced: Announced) -> Self {
        let (minor, flags) = (announced.minor, announced.flags);
        let network = Self {
            minor,
            numbering: Numbering::Q2pro,
            frame: FrameHeader::Packed,
            entity: if minor >= 1018 { &entity::SHORT_ANGLES } else { &entity::LONG_SOLID },
            player: &player::SPLIT,
            stats: Stats::LongIfFlagged,
            clientnum: if minor >= 1022 { 2 } else { 1 },
            line: Line::Q2pro,
            short_angles: minor >= 1018,
            ..base
        };
        if minor < 1024 || flags & Q2PRO_EXTENSIONS == 0 {
            return network;
        }
        if minor >= 1025 && flags & Q2PRO_EXTENSIONS_2 != 0 {
            let player_more = u8::from(minor >= 1026);
            return Self { player: &player::SPLIT_EXTENDED_2, stats: Stats::VariableIfFlagged, player_more, ..Self::extend(network, 2) };
        }
        Self { player: &player::SPLIT_EXTENDED, stats: Stats::LongIfFlagged, ..Self::extend(network, 1) }
    }

    fn mvd(base: Self, announced: Announced) -> Self {
        let (minor, flags) = (announced.minor, announced.flags);
        let plain = Self { minor, player: &player::MVD, line: Line::Q2pro, ..base };
        if minor < 2011 || flags & MVF_EXTLIMITS == 0 {
            return plain;
        }
        if minor >= 2012 && flags & MVF_EXTLIMITS_2 != 0 {
            let player_more = u8::from(minor >= 2013);
            return Self { player: &player::MVD_EXTENDED_2, stats: Stats::Variable, player_more, ..Self::extend(plain, 2) };
        }
        Self { player: &player::MVD_EXTENDED, ..Self::extend(plain, 1) }
    }

    fn extend(base: Self, level: u8) -> Self {
        let two = level == 2;
        Self {
            entity: if two { &entity::EXTENDED_2 } else { &entity::EXTENDED },
            more: entity::MORE_EXTENDED,
            player: if two { &player::CLASSIC_EXTENDED_2 } else { &player::CLASSIC_EXTENDED },
            stats: if two { Stats::Variable } else { Stats::Long },
            coordinates: if two { Coordinates::Flagged } else { Coordinates::Eighths },
            extended: true,
            flagged: two,
            strings: &EXTENDED_STRINGS,
            line: Line::Q2pro,
            short_angles: true,
            ..base
        }
    }

    /// The dialects that share this one's number. The content decides between them.
    pub fn variants(self) -> [Self; 2] {
        match self.numbering {
            Numbering::Kmquake2 => [self, Self { entity: &entity::KMQUAKE2_ANGLES16, short_angles: true, ..self }],
            _ => [self, self],
        }
    }

    /// One of each kind of dialect.
    pub fn all() -> Vec<Self> {
        let client = RecordingKind::CLIENT;
        let announced = |minor, flags| Announced { minor, flags, rate: 0 };
        let plain = announced(0, 0);
        let described = [
            (34, client, plain),
            (26, client, plain),
            (31, RecordingKind::NETWORK, plain),
            (34, RecordingKind::SERVER, plain),
            (34, RecordingKind::RELAY, plain),
            (35, client, announced(1903, 0)),
            (35, client, announced(1905, 0)),
            (36, client, announced(1015, 0)),
            (36, client, announced(1023, 0)),
            (36, client, announced(1024, Q2PRO_EXTENSIONS)),
            (36, client, announced(1026, Q2PRO_EXTENSIONS | Q2PRO_EXTENSIONS_2)),
            (56, client, plain),
            (56, client, plain),
            (2022, client, plain),
            (2023, client, plain),
            (3434, client, plain),
            (3435, client, plain),
            (3436, client, plain),
            (25, client, plain),
            (37, RecordingKind::NETWORK, announced(2010, 0)),
            (37, RecordingKind::NETWORK, announced(2011, MVF_EXTLIMITS)),
            (37, RecordingKind::NETWORK, announced(2012, MVF_EXTLIMITS | MVF_EXTLIMITS_2)),
            (37, RecordingKind::NETWORK, announced(2013, MVF_EXTLIMITS | MVF_EXTLIMITS_2)),
        ];
        let mut all: Vec<Self> = described.into_iter().filter_map(|(protocol, kind, announced)| Self::of(protocol, kind, announced)).collect();
        // Of equal ones, the second is the second variant.
        for at in 1..all.len() {
            if all[at].protocol == all[at - 1].protocol && all[at].begins_as(&all[at - 1]) {
                all[at] = all[at].variants()[1];
            }
        }
        all
    }

    /// The dialects in which a recording may begin if its first message has this protocol and kind, or no protocol (0).
    pub fn beginnings(protocol: u32, kind: RecordingKind) -> Vec<Self> {
        match protocol {
            0 if kind == RecordingKind::SERVER => vec![Self::headless()],
            0 => vec![Self::beheaded(), Self { frame: FrameHeader::NoSuppress, ..Self::beheaded() }],
            37 => [2010, 0].iter().filter_map(|&minor| Self::of(protocol, kind, Announced { minor, ..Announced::default() })).collect(),
            _ => Self::of(protocol, kind, Announced::default()).map_or_else(Vec::new, |dialect| dialect.variants().to_vec()),
        }
    }

    /// Whether the first messages of both are decoded in the same way.
    pub fn begins_as(&self, other: &Self) -> bool {
        std::ptr::eq(self.entity, other.entity) && self.frame == other.frame && self.minor == other.minor
    }

    /// Whether it is MVD2's.
    pub(crate) fn is_mvd(&self) -> bool {
        self.protocol == 37
    }

    /// The dialect that a later `serverdata` announces. What that does not state stays.
    #[must_use]
    pub fn after(self, before: &Self) -> Self {
        match self.numbering {
            Numbering::Kmquake2 if before.numbering == self.numbering => Self { entity: before.entity, short_angles: before.short_angles, ..self },
            _ => self,
        }
    }

    /// Whether engines write an end mark. Servers and the test release do not.
    pub(crate) fn ends_with_mark(&self) -> bool {
        self.kind != RecordingKind::SERVER && self.numbering != Numbering::TestRelease
    }

    /// Whether engines read the player and entities of a frame with its header, and stop at anything else in between.
    pub(crate) fn reads_frames_whole(&self) -> bool {
        matches!(self.numbering, Numbering::Classic | Numbering::Kmquake2) && self.kind != RecordingKind::RELAY
    }

    /// Whether engines require one player in every frame, between header and entities.
    pub(crate) fn has_one_player(&self) -> bool {
        self.reads_frames_whole() && matches!(self.frame, FrameHeader::Classic | FrameHeader::NoSuppress)
    }

    /// Whether the top bit of a message number means that a client number follows.
    pub(crate) fn unicasts(&self) -> bool {
        self.kind == RecordingKind::RELAY
    }

    /// Whether minor versions before 1019 differ in the serverdata of Q2PRO; see `ServerData`.
    pub(crate) fn q2pro_flags_word(minor: u32) -> bool {
        minor >= 1024
    }

    /// Whether `flags` is a word of its own in MVD2's serverdata.
    pub(crate) fn mvd_flags_word(minor: u32) -> bool {
        minor >= 2012
    }

    /// What `info` calls it.
    pub fn name(&self) -> String {
        match (self.protocol, self.minor) {
            (0, _) => String::from("3.15"),
            (37, minor) => format!("mvd2 {minor}"),
            (protocol, 0) => protocol.to_string(),
            (protocol, minor) => format!("{protocol} ({minor})"),
        }
    }

    /// The number that identifies it. If no `serverdata` stated one, that of the engines that omit it or have this layout.
    pub fn number(&self) -> u32 {
        match self.protocol {
            0 if self.kind == RecordingKind::SERVER => 32,
            0 if self.frame == FrameHeader::NoSuppress => 26,
            0 => 34,
            protocol => protocol,
        }
    }

    /// Whether the first message is not `serverdata`.
    pub(crate) fn is_beheaded(&self) -> bool {
        self.protocol == 0
    }

    /// The number of entities in the engines.
    pub fn entity_limit(&self) -> u32 {
        if self.extended || self.sound16 { 8192 } else { 1024 }
    }

    /// The engine that this protocol identifies.
    pub fn engine(&self) -> Option<&'static str> {
        Some(match self.protocol {
            25 => "Quake II 3.00",
            26 => "Quake II 3.05 or 3.06",
            27 => "Quake II 3.07 or 3.08",
            28 => "Quake II 3.09",
            30 => "Quake II 3.10",
            31 => "Quake II 3.12 to 3.14",
            35 => "R1Q2",
            36 | 37 | 3434..=3436 => "Q2PRO",
            56 => "KMQuake2",
            2022 | 2023 => "Quake II rerelease",
            _ => return None,
        })
    }

    /// The largest block in bytes that every engine of this dialect plays.
    pub fn safe_block(&self) -> usize {
        match self.protocol {
            0..=34 if self.kind != RecordingKind::SERVER => 1390,
            35 => 4086,
            56 => 2800,
            _ => 32768,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dialect_announces_gives_it() {
        for dialect in Dialect::all() {
            let again = Dialect::of(dialect.number(), dialect.kind, dialect.announced()).map(|again| again.after(&dialect));
            assert_eq!(format!("{again:?}"), format!("{:?}", Some(dialect)));
        }
    }
}
