//! `convert` to MVD2: the states of all players and entities as changes in place, and messages by receiver.

use std::collections::BTreeMap;

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Loss};

use super::all_players::{AllTarget, AllView};
use crate::container::mvd2::{MAGIC, write_record};
use crate::dialect::{Announced, Dialect, RecordingKind};
use crate::encode::deltas::{self, EncodeFlags};
use crate::encode::mvd::{removes, write};
use crate::encode::signon;
use crate::encode::strings::StringSlots;
use crate::fields::{entity, player};
use crate::message::{
    Body, ConfigString, ConfigStrings, Context, Destination, Message, MvdBody, MvdFrame, MvdMessage, MvdPlayer, MvdServerData, PacketEntities, Parcel, Print,
    ServerData, Sound, Text,
};
use crate::state::{Detail, NOTHING, PlayerState, State};

/// The version that every Q2PRO with MVD2 reads.
const MINOR: u16 = 2010;
/// The longest record that Q2PRO reads, and the longest parcel that a length of eleven bits can name.
const LONGEST: usize = 0x8000;
const LONGEST_PARCEL: usize = 0x7ff;
/// Missing frames that are replaced in a gap: a minute of them. What is longer is a loss.
const MOST_MISSING: i32 = 600;
/// Missing frames that are replaced in a recording: an hour of them. Damaged numbers would make files of any size.
const MOST_MISSING_IN_ALL: i32 = 36_000;
/// The movement that MVD2 does not have.
const MOVEMENT: [usize; 9] = [
    player::VELOCITY_X,
    player::VELOCITY_X + 1,
    player::VELOCITY_Z,
    player::PM_FLAGS,
    player::PM_TIME,
    player::GRAVITY,
    player::DELTA_ANGLES_X,
    player::DELTA_ANGLES_X + 1,
    player::DELTA_ANGLES_X + 2,
];

/// The MVD2 so far.
pub(super) struct MvdTarget {
    file: Vec<u8>,
    cx: Context,
    /// What a reader knows.
    reader: State,
    server_data: MvdServerData,
    image: StringSlots,
    /// Messages of single clients before the first frame, as the last of each kind.
    waiting: BTreeMap<(u8, u8, u16), Parcel>,
    opened: bool,
    /// The number of the last frame.
    number: i32,
    record: Vec<u8>,
    long: u64,
    /// True if a record is longer than the length before it can say.
    is_too_long: bool,
    /// How many missing frames may still be replaced.
    missing_left: i32,
    /// The gaps that are longer in the source, and the frames that these lack here.
    shortened: (u64, u64),
}

impl Default for MvdTarget {
    fn default() -> Self {
        let dialect = Dialect::of(37, RecordingKind::NETWORK, Announced { minor: MINOR.into(), ..Announced::default() }).unwrap_or_else(Dialect::playable);
        MvdTarget {
            file: MAGIC.to_vec(),
            cx: Context::new(dialect),
            reader: State::new(dialect, Detail::Full, false),
            server_data: MvdServerData::default(),
            image: StringSlots::default(),
            waiting: BTreeMap::new(),
            opened: false,
            number: 0,
            record: Vec::new(),
            long: 0,
            is_too_long: false,
            missing_left: MOST_MISSING_IN_ALL,
            shortened: (0, 0),
        }
    }
}

impl MvdTarget {
    fn put(&mut self, body: MvdBody) {
        let message = MvdMessage { extra: 0, body };
        self.reader.apply_mvd(&message);
        let bytes = write(&message, &mut self.cx);
        if self.record.len() + bytes.len() > LONGEST {
            self.end_record();
        }
        self.record.extend(bytes);
    }

    fn end_record(&mut self) {
        if !self.record.is_empty() {
            self.long += u64::from(self.record.len() > LONGEST);
            match u16::try_from(self.record.len()) {
                Ok(_) => write_record(&mut self.file, &self.record),
                Err(_) => self.is_too_long = true,
            }
            self.record.clear();
        }
    }

    /// The frame as changes from what a reader knows.
    fn changes(&self, view: &AllView) -> MvdFrame {
        let (dialect, gone, zero) = (&self.reader.dialect, removes(&self.reader.dialect), PlayerState::default());
        let known: Vec<(bool, &PlayerState)> = self.reader.in_place.known_players().map(|(_, in_use, player)| (in_use, player)).collect();
        let shown: BTreeMap<usize, PlayerState> = view.players.iter().map(|(slot, player)| (usize::from(*slot), without_movement(player))).collect();
        let slots = known.len().max(shown.keys().next_back().map_or(0, |last| last + 1));
        let players = (0..slots).filter_map(|slot| {
            let (was, old) = known.get(slot).copied().unwrap_or((false, &zero));
            let mut delta = deltas::player(dialect, old, shown.get(&slot).unwrap_or(old), true);
            let is = shown.contains_key(&slot);
            let changed = delta.mask != 0 || was != is;
            delta.mask |= if is { 0 } else { gone };
            changed.then_some(MvdPlayer { number: slot as u8, delta })
        });
        let players = players.collect();
        let known: BTreeMap<u16, (bool, entity::Row)> =
            self.reader.in_place.known_entities(dialect.line).map(|(number, is, row)| (number, (is, row))).collect();
        let shown: BTreeMap<u16, entity::Row> = view.entities.iter().map(|(number, row)| (*number, unsigned(row))).collect();
        let mut numbers: Vec<u16> = known.iter().filter(|(_, (is, _))| *is).map(|(number, _)| *number).chain(shown.keys().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let deltas = numbers.into_iter().filter_map(|number| {
            let (was, old) = known.get(&number).map_or((false, NOTHING), |(was, row)| (*was, crate::state::aged(row, dialect.line)));
            match shown.get(&number) {
                Some(row) => deltas::entity(dialect, number, &old, row, EncodeFlags { force: !was, new: false }),
                None => Some(deltas::removal(dialect, number)),
            }
        });
        MvdFrame { portals: Vec::new(), players, entities: PacketEntities { deltas: deltas.collect(), end_mask: 0 } }
    }

    /// A message for a client, or for everybody.
    fn parcel(&self, client: Option<u8>, message: &Message) -> Option<Parcel> {
        let reliable = !matches!(message.body, Body::TempEntity(_) | Body::MuzzleFlash(_) | Body::MuzzleFlash2(_) | Body::Sound(_));
        let data = signon::write(message, &mut Context::new(self.reader.dialect));
        let destination = client.map_or(Destination::All, Destination::Client);
        (data.len() <= LONGEST_PARCEL).then_some(Parcel { destination, reliable, data })
    }

    fn open(&mut self, view: &AllView) {
        let strings = self.image.recorded().map(|(index, text)| ConfigString { index, text: Text(text.to_vec()) }).collect();
        self.reader.in_place = Default::default();
        let frame = self.changes(view);
        let data = MvdServerData { strings: ConfigStrings(strings), frame, ..self.server_data.clone() };
        self.put(MvdBody::ServerData(Box::new(data)));
        self.opened = true;
        std::mem::take(&mut self.waiting).into_values().for_each(|parcel| self.put(MvdBody::Parcel(parcel)));
    }
}

pub(super) fn without_movement(player: &PlayerState) -> PlayerState {
    let mut player = player.clone();
    MOVEMENT.iter().for_each(|at| player.row[*at] = 0);
    player
}

/// Q2PRO reads fields of 16 bits without a sign.
pub(super) fn unsigned(row: &entity::Row) -> entity::Row {
    let mut row = *row;
    [entity::FRAME, entity::SOLID].iter().for_each(|at| row[*at] &= 0xffff);
    row
}

impl AllTarget for MvdTarget {
    fn level(&mut self, data: ServerData) {
        self.end_record();
        // without a dummy of its own
        self.server_data = MvdServerData {
            protocol: 37,
            minor: MINOR,
            flags: 0,
            servercount: data.servercount,
            gamedir: data.gamedir,
            clientnum: -1,
            ..MvdServerData::default()
        };
        self.image.clear();
        self.waiting.clear();
        self.opened = false;
    }

    fn string(&mut self, client: Option<u8>, index: u16, text: &[u8]) {
        let string = ConfigString { index, text: Text(text.to_vec()) };
        match client {
            None => {
                self.image.set(&self.reader.dialect, index, text);
                if self.opened {
                    self.put(MvdBody::ConfigString(string));
                }
            }
            Some(_) => self.message(client, Message::new(Body::ConfigString(string))),
        }
    }

    fn message(&mut self, client: Option<u8>, message: Message) {
        match (&message.body, client) {
            (Body::Sound(sound), None) if self.opened && sound.flags & (Sound::ENTITY | Sound::POSITION) == Sound::ENTITY => {
                return self.put(MvdBody::Sound(Sound { flags: sound.flags & !Sound::ENTITY, ..sound.clone() }));
            }
            (Body::Print(Print { level, text }), None) if self.opened => {
                return self.put(MvdBody::Print(Print { level: *level, text: text.clone() }));
            }
            _ => {}
        }
        let Some(parcel) = self.parcel(client, &message) else {
            self.long += 1;
            return;
        };
        if self.opened {
            self.put(MvdBody::Parcel(parcel));
        } else if let Some(client) = client {
            let kind = match &message.body {
                Body::Layout(_) => Some((0, 0)),
                Body::ConfigString(string) => Some((1, string.index)),
                _ => None,
            };
            kind.map(|(kind, index)| self.waiting.insert((client, kind, index), parcel));
        }
    }

    fn baseline(&mut self, _: u16, _: entity::Row) {}

    fn frame(&mut self, view: AllView) {
        let missing = view.number.saturating_sub(self.number).saturating_sub(1).max(0);
        self.number = view.number;
        if !self.opened {
            return self.open(&view);
        }
        let replaced = missing.min(MOST_MISSING).min(self.missing_left);
        self.missing_left -= replaced;
        if missing > replaced {
            self.shortened = (self.shortened.0 + 1, self.shortened.1 + u64::from((missing - replaced).unsigned_abs()));
        }
        // frames have no numbers: those that the source lacks show the one before
        for _ in 0..replaced {
            self.put(MvdBody::Frame(Box::default()));
            self.end_record();
        }
        let frame = self.changes(&view);
        self.put(MvdBody::Frame(Box::new(frame)));
    }

    fn end_block(&mut self) {
        if self.opened {
            self.end_record();
        }
    }

    fn finish(mut self) -> Result<Edited, Error> {
        self.end_record();
        if self.is_too_long {
            return Err(Error::unsupported("the strings of a level are longer than a record of an MVD2 can be"));
        }
        self.file.extend([0, 0]);
        let mut edited = Edited { bytes: self.file, ..Edited::default() };
        if self.long > 0 {
            edited.lose(Loss::TooLong { count: self.long, of: "messages", limit: format!("the {LONGEST} bytes that Q2PRO reads") });
        }
        if let (gaps @ 1.., frames) = self.shortened {
            edited.lose(Loss::ShortenedGaps { gaps, frames });
        }
        Ok(edited)
    }
}
