//! Measures blocks of a multi-view recording that only say where entities and players are, and what is seen and heard.

use fragreel_base::delta::masked::MaskTable;

use super::Plan;
use crate::dialect::Dialect;
use crate::fields::ALWAYS;
use crate::fields::quakeworld::bits;
use crate::limits::Limits;
use crate::message::{EVENMORE_EXTENSIONS, Message, MessageKind, QwSound, TempEntity, encoded_length};

/// What a caller does not ask for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Unasked {
    /// Health, ammunition, and other stats of players.
    pub stats: bool,
    /// Texts in the middle of the screen.
    pub center_prints: bool,
    /// Printed lines about items.
    pub low_prints: bool,
    /// What players say.
    pub chat: bool,
}

/// What the scoreboard shows of a player's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    /// A slot, and the round-trip time in milliseconds.
    Ping(u8, u16),
    /// A slot, and the packets lost in per cent.
    Loss(u8, u8),
}

/// How to measure a message, by its number. Lower values are its length.
mod step {
    pub(super) const LONGEST: u8 = 200;
    /// It may say something, or its length is not known here.
    pub(super) const READ: u8 = 255;
    pub(super) const PLAYER: u8 = 254;
    pub(super) const ENTITIES: u8 = 253;
    pub(super) const DELTA_ENTITIES: u8 = 252;
    pub(super) const SOUND: u8 = 251;
    pub(super) const TEMP_ENTITY: u8 = 250;
    pub(super) const STAT_BYTE: u8 = 249;
    pub(super) const STAT_LONG: u8 = 248;
    pub(super) const TEXT: u8 = 247;
    pub(super) const COMMAND: u8 = 246;
    pub(super) const PRINT: u8 = 245;
    pub(super) const PING: u8 = 244;
    pub(super) const LOSS: u8 = 243;
}

/// The command that flashes the view when a player takes an item: most of all that servers send. It says nothing of levels, matches, and players.
const FLASH: &[u8] = b"bf\n\0";

/// Levels of printed lines.
const LOW: u8 = 0;
const CHAT: u8 = 3;

/// Messages that always have the same length and say nothing of levels, matches, and players.
const FIXED: &[MessageKind] = &[
    MessageKind::Nop,
    MessageKind::SetAngle,
    MessageKind::StopSound,
    MessageKind::Particle,
    MessageKind::Damage,
    MessageKind::SmallKick,
    MessageKind::BigKick,
    MessageKind::MuzzleFlash,
    MessageKind::ChokeCount,
    MessageKind::MaxSpeed,
    MessageKind::EntGravity,
];

/// The lengths of a row's words by its mask: the sum of two numbers, one for each byte of the mask.
#[derive(Debug, Clone)]
struct Lengths {
    low: [u8; 256],
    high: [u8; 256],
}

impl Lengths {
    /// `None` if the length is not such a sum. `always` is a bit that every mask has.
    fn of(table: &MaskTable, always: u64) -> Option<Self> {
        // whether a field is sent, and how wide it is, depends on one bit
        let is_of_one = table.fields().iter().all(|field| {
            let forms = field.forms.iter().filter(|form| form.want & !(0xffff | always) == 0);
            forms.fold(0, |tested, form| tested | form.test & 0xffff).count_ones() < 2
        });
        let length = |mask: u64| Some(Plan::of(table, mask | always)?.length);
        let common = length(0).filter(|_| is_of_one)?;
        let mut lengths = Lengths { low: [common; 256], high: [0; 256] };
        for (at, bytes) in [&mut lengths.low, &mut lengths.high].into_iter().enumerate() {
            for bit in 0..8 {
                let added = length(1 << (8 * at + bit))? - common;
                bytes.iter_mut().enumerate().filter(|(byte, _)| byte >> bit & 1 != 0).for_each(|(_, length)| *length += added);
            }
        }
        Some(lengths)
    }

    #[inline(always)]
    fn sum(&self, low: u8, high: u8) -> usize {
        usize::from(self.low[usize::from(low)]) + usize::from(self.high[usize::from(high)])
    }
}

/// Measures quiet blocks in one dialect.
#[derive(Debug, Clone)]
pub(crate) struct QuietBlocks {
    unasked: Unasked,
    steps: [u8; 256],
    players: Lengths,
    entities: Lengths,
    temp_entities: [u8; 256],
    /// Bytes of a sound without what its flags announce.
    sound: u8,
    /// Slots and stats have to be below these numbers.
    slots: u16,
    stats: u16,
    /// Whether masks of entities go on behind the first two bytes.
    has_more: bool,
}

impl QuietBlocks {
    /// `None` if blocks of the dialect have to be read.
    pub(super) fn of(d: &Dialect, unasked: Unasked) -> Option<Self> {
        if !d.is_multi_view() || !d.known || !d.supported() || d.replacement() || d.big_entities {
            return None;
        }
        let length = |mut message: Message| u8::try_from(encoded_length(d, &mut message)).ok().filter(|length| *length < step::LONGEST);
        let step = |kind: MessageKind| match kind {
            MessageKind::ViewPlayer => step::PLAYER,
            MessageKind::PacketEntities => step::ENTITIES,
            MessageKind::DeltaPacketEntities => step::DELTA_ENTITIES,
            MessageKind::QwSound => step::SOUND,
            MessageKind::TempEntity => step::TEMP_ENTITY,
            MessageKind::StatByte if unasked.stats => step::STAT_BYTE,
            MessageKind::StatLong if unasked.stats => step::STAT_LONG,
            MessageKind::CenterPrint if unasked.center_prints => step::TEXT,
            MessageKind::StuffText => step::COMMAND,
            MessageKind::QwPrint if unasked.low_prints || unasked.chat => step::PRINT,
            MessageKind::UpdatePing => step::PING,
            MessageKind::UpdateLoss => step::LOSS,
            kind if FIXED.contains(&kind) => length(kind.empty()).unwrap_or(step::READ),
            _ => step::READ,
        };
        let effect = |kind: u8| {
            crate::message::temp_entity::layout(false, kind).filter(|layout| !layout.has_model)?;
            length(Message::TempEntity(TempEntity { kind, ..TempEntity::default() }))
        };
        let is_plain = d.numbers.pext1 | d.numbers.pext2 == 0;
        Some(QuietBlocks {
            unasked,
            steps: std::array::from_fn(|number| step(d.message(number as u8))),
            players: Lengths::of(&d.view_player, ALWAYS)?,
            entities: Lengths::of(&d.entity, 0)?,
            temp_entities: std::array::from_fn(|kind| effect(kind as u8).unwrap_or(0)),
            sound: length(Message::QwSound(QwSound::default()))?,
            slots: if is_plain { Limits::QUAKEWORLD.players.into() } else { 256 },
            stats: Limits::of(d).stats,
            has_more: d.has1(EVENMORE_EXTENSIONS),
        })
    }

    /// Whether it measures for this caller.
    #[inline]
    pub(super) fn is_for(&self, unasked: Unasked) -> bool {
        self.unasked == unasked
    }

    /// How many frames a quiet block has, and whether it says something of connections. `None` if the block has to be read. Its data is the first `length`
    /// bytes.
    #[inline(always)]
    pub(crate) fn frames(&self, data: &[u8], length: usize) -> Option<(u32, bool)> {
        let mut has_connections = false;
        let frames = self.measure(data, length, |_| has_connections = true)?;
        Some((frames, has_connections))
    }

    /// Calls `show` with what a quiet block says of connections.
    #[cold]
    #[inline(never)]
    pub(crate) fn connections(&self, data: &[u8], length: usize, show: impl FnMut(Connection)) {
        self.measure(data, length, show);
    }

    #[inline(always)]
    fn measure(&self, data: &[u8], length: usize, mut connection: impl FnMut(Connection)) -> Option<u32> {
        let (mut at, mut frames) = (0, 0);
        // a message that ends behind the block, where others begin, is found in the end
        while at < length {
            let [number, first, second, third] = *data.get(at..)?.first_chunk()?;
            let step = self.steps[usize::from(number)];
            // these two are three of four messages
            if step == step::PLAYER {
                if u16::from(first) >= self.slots {
                    return None;
                }
                at += 4 + self.players.sum(second, third);
                continue;
            }
            if step == step::DELTA_ENTITIES {
                frames += 1;
                at += 2 + self.list(data.get(at + 2..length)?)?;
                continue;
            }
            at += match step {
                length @ ..step::LONGEST => length.into(),
                step::ENTITIES => {
                    frames += 1;
                    1 + self.list(data.get(at + 1..length)?)?
                }
                step::STAT_BYTE | step::STAT_LONG if u16::from(first) >= self.stats => return None,
                step::STAT_BYTE => 3,
                step::STAT_LONG => 6,
                step::SOUND => {
                    let flags = u16::from(second) << 8;
                    let sent = u8::from(flags & QwSound::VOLUME != 0) + u8::from(flags & QwSound::ATTENUATION != 0);
                    usize::from(self.sound + sent)
                }
                step::TEMP_ENTITY => match self.temp_entities[usize::from(first)] {
                    0 => return None,
                    length => length.into(),
                },
                step::PING | step::LOSS if u16::from(first) >= self.slots => return None,
                step::PING => {
                    connection(Connection::Ping(first, u16::from_le_bytes([second, third])));
                    4
                }
                step::LOSS => {
                    connection(Connection::Loss(first, second));
                    3
                }
                step::TEXT => 2 + memchr::memchr(0, data.get(at + 1..length)?)?,
                step::PRINT if first == LOW && self.unasked.low_prints || first == CHAT && self.unasked.chat => {
                    3 + memchr::memchr(0, data.get(at + 2..length)?)?
                }
                step::COMMAND if data.get(at + 1..)?.starts_with(FLASH) => 1 + FLASH.len(),
                _ => return None,
            };
        }
        (at == length).then_some(frames)
    }

    /// Bytes of entities up to the word 0 and with it.
    #[inline]
    fn list(&self, data: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            let [number, high] = *data.get(at..)?.first_chunk()?;
            at += 2;
            if number | high == 0 {
                return Some(at);
            }
            let word = u64::from(high) << 8;
            let mut low = 0;
            if word & bits::MOREBITS != 0 {
                low = *data.get(at)?;
                at += 1;
            }
            let removed = word & bits::REMOVE != 0;
            if u64::from(low) & bits::EVENMORE != 0 && (removed || self.has_more) {
                return None;
            }
            if !removed {
                // the lowest bit belongs to the number
                at += self.entities.sum(low, high & !1);
            }
        }
    }
}
