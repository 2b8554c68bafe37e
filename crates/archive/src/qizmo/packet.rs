//! A coded packet.

use std::rc::Rc;

use super::bytes;
use super::figures::{Texts, row};
use super::range::{Coder, Fault};
use super::record::{Player, player};
use super::state::{Entities, State};

/// The longest packet: a message of QuakeWorld has no more than 8,000 bytes, and what the coder makes of damaged data stops here.
const LONGEST: usize = 1 << 16;

/// A packet that was decoded.
pub(super) struct Decoded {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether anything comes behind the recorder's own state.
    pub has_messages: bool,
}

/// A packet under way.
pub(super) struct Packet<'c, 'a> {
    pub coder: &'c mut Coder<'a>,
    pub state: &'c mut State,
    pub out: &'c mut Vec<u8>,
    /// The entity and the place that the last message was about.
    pub last_entity: u16,
    pub last_place: [u16; 3],
    pub own_origin: [u16; 3],
    /// The players and entities of the packet that this one refers to, and the time since then.
    pub base_players: Rc<[Player]>,
    pub base_entities: Rc<Entities>,
    pub time_since_base: i32,
    pub last_slot: u8,
}

/// Decodes a packet; `None` for one that refers to one that is not there.
pub(super) fn decode(coder: &mut Coder<'_>, state: &mut State, sequence: u32) -> Result<Option<Decoded>, Fault> {
    state.begin_packet(sequence);
    let mut out = Vec::new();
    out.extend(sequence.to_le_bytes());
    out.extend(sequence.to_le_bytes());
    out.push(bytes::PLAYER_INFO);
    let mut packet = Packet {
        coder,
        state,
        out: &mut out,
        last_entity: 0,
        last_place: [0; 3],
        own_origin: [0; 3],
        base_players: Rc::new([]),
        base_entities: Rc::default(),
        time_since_base: 0,
        last_slot: u8::MAX,
    };
    match packet.run() {
        Err(Fault::Lost) => Ok(None),
        has_messages => {
            let has_messages = has_messages?;
            state.end_packet();
            Ok(Some(Decoded { bytes: out, has_messages }))
        }
    }
}

impl Packet<'_, '_> {
    fn run(&mut self) -> Result<bool, Fault> {
        self.own_player()?;
        if let Some(own) = self.state.players.first() {
            self.own_origin = player::ORIGIN.map(|at| own.number(at));
            self.last_place = self.own_origin;
        }
        if let Some(base) = self.state.base {
            self.base_entities = self.state.entities_of(base).unwrap_or_default();
            self.time_since_base = i32::from(self.state.length_of_command(base)) * self.state.sequence.wrapping_sub(base) as i32;
        }
        let (mut last_ping, mut last_loss) = (u8::MAX, u8::MAX);
        let mut has_messages = false;
        loop {
            let message = self.coder.byte(row::MESSAGE)?;
            if message == 0 {
                return Ok(has_messages);
            }
            has_messages = true;
            // what refers to another packet is written in full
            self.out.push(if message == bytes::DELTA_ENTITIES { bytes::ENTITIES } else { message });
            match message {
                36 => self.of_slot(&mut last_ping, &row::PING)?,
                53 => self.of_slot(&mut last_loss, &[row::LOSS])?,
                _ => self.message(message)?,
            }
            if self.out.len() > LONGEST {
                return Err(Fault::Wrong("a packet is longer than the game allows"));
            }
        }
    }

    fn message(&mut self, message: u8) -> Result<(), Fault> {
        match message {
            1 | 2 | 27 | 28 | 33..=35 => Ok(()),
            3 => self.rows(&[row::STAT, row::STAT_VALUE]),
            6 => self.sound(),
            8 => self.print(),
            9 => self.text(row::STUFFED, Texts::Stuffed),
            10 => self.coder.bytes(row::BYTE, 3, self.out),
            12 => {
                self.out.push(self.coder.byte(row::BYTE)?);
                self.coder.string(row::BYTE, self.out)
            }
            14 => self.rows(&[row::SLOT, row::FRAGS[0], row::FRAGS[1]]),
            16 => self.coder.bytes(row::BYTE, 2, self.out),
            19 => self.damage(),
            23 => self.effect(),
            24 | 32 => self.coder.bytes(row::BYTE, 1, self.out),
            26 => self.text(row::CENTER, Texts::Center),
            29 | 30 => self.coder.bytes(row::BYTE, 9, self.out),
            37 => self.coder.bytes(row::BYTE, 5, self.out),
            38 => self.rows(&row::LONG_STAT),
            39 => {
                self.entity_number()?;
                self.out.extend(self.last_entity.to_le_bytes());
                Ok(())
            }
            40 => self.user_info(),
            bytes::PLAYER_INFO => self.others(),
            43 => self.nails(),
            44 => self.rows(&[row::CHOKED]),
            bytes::ENTITIES | bytes::DELTA_ENTITIES => self.entities(),
            49 | 50 => self.coder.bytes(row::BYTE, 4, self.out),
            51 => self.set_info(),
            52 => {
                self.coder.string(row::SERVER_INFO, self.out)?;
                self.coder.string(row::SERVER_INFO, self.out)
            }
            81 => self.coder.string(row::BYTE, self.out),
            82 => self.coder.bytes(row::BYTE, 162, self.out),
            bytes::VOICE => self.rows(&std::array::from_fn::<_, { bytes::VOICE_LENGTH }, _>(|at| row::VOICE + at)),
            _ => Err(Fault::Wrong("a message that Qizmo does not code")),
        }
    }

    /// A byte by each row.
    fn rows(&mut self, rows: &[usize]) -> Result<(), Fault> {
        for row in rows {
            self.out.push(self.coder.byte(*row)?);
        }
        Ok(())
    }

    /// A message about a slot, counted from the last one's.
    fn of_slot(&mut self, last: &mut u8, rows: &[usize]) -> Result<(), Fault> {
        *last = last.wrapping_add(self.coder.byte(row::NEXT_SLOT)?);
        self.out.push(*last);
        self.rows(rows)
    }
}
