//! Changes fields of players and entities by name.

use fragreel_base::wire::{Error, WriteBytes};
use fragreel_model::{Place, Rewrite, Subject, Value};

use crate::dialect::Dialect;
use crate::fields::{entity, player};
use crate::message::{Body, Context, EntityDelta, Message, MvdBody, MvdFrame, MvdMessage, MvdReader, PlayerDelta, Reader};

/// Coordinates of entities and players. Dialects that send them as differences do not expose them.
const PLACES: u128 = 7 << entity::ORIGIN_X | 7 << entity::OLD_ORIGIN_X;
const MOVES: u128 = 0x3f << player::ORIGIN_X;

/// The words that a [`Rewrite`] wants, and the stats (`stat_1`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    entity: u128,
    player: u128,
    stats: u64,
}

impl Fields {
    pub(super) fn of(rewrite: &dyn Rewrite) -> Self {
        let wanted = rewrite.fields();
        let set = |names: &[&str]| names.iter().enumerate().filter(|(_, name)| wanted.contains(name)).fold(0, |set, (at, _)| set | 1u128 << at);
        let stats = wanted.iter().filter_map(|name| name.strip_prefix("stat_")?.parse::<u32>().ok()).filter(|stat| *stat < 64);
        Fields { entity: set(entity::NAMES), player: set(player::NAMES), stats: stats.fold(0, |set, stat| set | 1 << stat) }
    }

    /// Passes the fields of a message to `rewrite`. Returns whether a value changed.
    pub(super) fn body(&self, rewrite: &mut dyn Rewrite, place: Place, unicast: Option<u8>, body: &mut Body, dialect: &Dialect) -> Result<bool, Error> {
        let mut visitor = FieldVisitor { fields: self, rewrite, place, dialect, changed: false, unfit: None };
        let of = unicast.map_or(Subject::View, |client| Subject::Player(client.into()));
        match body {
            Body::PlayerInfo(delta) => visitor.player(of, delta),
            Body::PacketEntities(list) => list.deltas.iter_mut().for_each(|delta| visitor.entity(delta)),
            Body::SpawnBaseline(delta) => visitor.entity(delta),
            Body::GameState(all) | Body::BaselineStream(all) => all.baselines.iter_mut().for_each(|delta| visitor.entity(delta)),
            Body::Frame(frame) => {
                if let Some(packed) = &mut frame.packed {
                    visitor.player(of, &mut packed.0);
                    packed.1.deltas.iter_mut().for_each(|delta| visitor.entity(delta));
                }
            }
            _ => {}
        }
        visitor.unfit.map_or(Ok(visitor.changed), Err)
    }

    /// Like [`body`](Self::body), for an MVD2.
    pub(super) fn mvd_body(&self, rewrite: &mut dyn Rewrite, place: Place, body: &mut MvdBody, dialect: &Dialect) -> Result<bool, Error> {
        let mut visitor = FieldVisitor { fields: self, rewrite, place, dialect, changed: false, unfit: None };
        match body {
            MvdBody::Frame(frame) => visitor.frame(frame),
            MvdBody::ServerData(data) => visitor.frame(&mut data.frame),
            _ => {}
        }
        visitor.unfit.map_or(Ok(visitor.changed), Err)
    }
}

struct FieldVisitor<'s> {
    fields: &'s Fields,
    rewrite: &'s mut dyn Rewrite,
    place: Place,
    dialect: &'s Dialect,
    changed: bool,
    /// The first value that does not fit its field.
    unfit: Option<Error>,
}

impl FieldVisitor<'_> {
    fn frame(&mut self, frame: &mut MvdFrame) {
        for player in &mut frame.players {
            self.player(Subject::Player(player.number.into()), &mut player.delta);
        }
        frame.entities.deltas.iter_mut().for_each(|delta| self.entity(delta));
    }

    fn entity(&mut self, delta: &mut EntityDelta) {
        let mut present = self.dialect.entity.touched(delta.mask) & self.fields.entity;
        if self.dialect.flagged {
            present &= !PLACES;
        }
        while present != 0 {
            let at = present.trailing_zeros() as usize;
            present &= present - 1;
            self.word(Subject::Entity(delta.number.into()), entity::NAMES[at], &mut delta.row[at]);
        }
    }

    fn player(&mut self, of: Subject, delta: &mut PlayerDelta) {
        let end = self.dialect.player_end.map_or(0, |end| end.touched(delta.mask));
        let mut present = (self.dialect.player.touched(delta.mask) | end) & self.fields.player;
        if self.dialect.flagged {
            present &= !MOVES;
        }
        while present != 0 {
            let at = present.trailing_zeros() as usize;
            present &= present - 1;
            self.word(of, player::NAMES[at], &mut delta.row[at]);
        }
        for at in fragreel_base::delta::masked::members(delta.stats_mask & self.fields.stats) {
            delta.stats[at] = self.visit(of, &format!("stat_{at}"), delta.stats[at]);
        }
    }

    fn word(&mut self, of: Subject, name: &str, word: &mut u32) {
        *word = self.visit(of, name, *word as i32) as u32;
    }

    fn visit<T: Copy + Into<i64> + TryFrom<i64>>(&mut self, of: Subject, name: &str, number: T) -> T {
        let before = Value::Int(number.into());
        let mut value = before.clone();
        self.rewrite.field(self.place, of, name, &mut value);
        if value == before {
            return number;
        }
        self.changed = true;
        value.as_int().and_then(|value| T::try_from(value).ok()).unwrap_or_else(|| {
            self.unfit.get_or_insert(Error::misuse(format!("the field {name} cannot be {value}")));
            number
        })
    }
}

/// Fails unless the changed message decodes to itself.
pub(super) fn fits(message: &Message, dialect: &Dialect) -> Result<(), Error> {
    let mut w = WriteBytes::default();
    let Ok(()) = message.clone().write(&mut w, &mut Context::new(*dialect));
    let mut same = false;
    let read = Reader::new(*dialect).block(w.written(), |again, _, _| {
        same = again == message;
        true
    });
    refuse_unless(same && read.is_ok())
}

/// Like [`fits`], for an MVD2.
pub(super) fn mvd_fits(message: &MvdMessage, dialect: &Dialect) -> Result<(), Error> {
    let mut w = WriteBytes::default();
    let Ok(()) = message.clone().write(&mut w, &mut Context::new(*dialect));
    let mut same = false;
    let read = MvdReader::new(*dialect).record(w.written(), |again, _, _| {
        same = again == message;
        true
    });
    refuse_unless(same && read.is_ok())
}

fn refuse_unless(fits: bool) -> Result<(), Error> {
    if fits { Ok(()) } else { Err(Error::misuse("a field was given a value that it cannot hold: `explain` shows how many bits each has")) }
}
