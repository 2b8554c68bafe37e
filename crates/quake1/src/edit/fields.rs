//! Changes fields of players and entities by name (`docs/formats/quake1.md`, "Editing").

use fragreel_base::delta::masked::MaskTable;
use fragreel_base::wire::Error;
use fragreel_model::{Place, Rewrite, Subject, Value};

use crate::container::{Target, kind};
use crate::dialect::Dialect;
use crate::fields::ALWAYS;
use crate::message::{Appearance, EntityDelta, FitzAppearance, Float, Message, PlayerInfo, flag};
use crate::replacement::bits::*;
use crate::replacement::{Angles, Change, Coordinates, Delta};

/// The names of the fields that a [`Rewrite`] wants to see.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    wanted: Vec<String>,
}

impl Fields {
    pub(super) fn of(rewrite: &dyn Rewrite) -> Self {
        Fields { wanted: rewrite.fields().iter().map(|name| (*name).to_owned()).collect() }
    }

    /// Shows the fields of players and entities in a message. Fails at the first new value that does not fit its field.
    pub(super) fn message(&self, rewrite: &mut dyn Rewrite, place: Place, target: Target, d: &Dialect, message: &mut Message) -> Result<(), Error> {
        if self.wanted.is_empty() {
            return Ok(());
        }
        let mut shown = FieldVisitor { fields: self, rewrite, place, of: Subject::View, d, unfit: None };
        shown.message(target, message);
        shown.unfit.map_or(Ok(()), Err)
    }
}

struct FieldVisitor<'s> {
    fields: &'s Fields,
    rewrite: &'s mut dyn Rewrite,
    place: Place,
    /// The owner of the fields.
    of: Subject,
    d: &'s Dialect,
    unfit: Option<Error>,
}

impl FieldVisitor<'_> {
    fn message(&mut self, target: Target, message: &mut Message) {
        let d = self.d;
        match message {
            Message::PacketEntities(m) => m.entities.iter_mut().for_each(|entity| self.entity(entity)),
            Message::DeltaPacketEntities(m) => m.entities.iter_mut().for_each(|entity| self.entity(entity)),
            Message::ClassicBaseline(m) => self.entity(&mut m.entity),
            Message::UpdateEntities(m) => {
                for update in &mut m.update.entities {
                    if let Change::Delta(delta) = &mut update.change {
                        self.replacement(update.number, delta);
                    }
                }
            }
            Message::SpawnBaseline2(m) => self.replacement(m.entity.number, &mut m.delta),
            Message::FastUpdate(m) => {
                self.of = Subject::Entity(m.entity.number);
                self.row(&d.update, m.mask.into(), &mut m.row);
            }
            Message::Baseline(m) => self.looks(m.entity.number, &mut m.looks, if d.is_netquake() && d.wide_models() { u16::MAX } else { 255 }, 255),
            Message::DpBaseline(m) => self.looks(m.entity.number, &mut m.looks, u16::MAX, u16::MAX),
            Message::FitzBaseline(m) => self.fitz_looks(m.entity.number, &mut m.looks),
            Message::ClientData(m) => {
                self.of = Subject::View;
                self.row(&d.clientdata, u64::from(m.mask) | ALWAYS, &mut m.row);
            }
            Message::ViewPlayer(m) => {
                self.of = Subject::Player(m.slot.into());
                self.row(&d.view_player, u64::from(m.flags) | ALWAYS, &mut m.row);
            }
            Message::PlayerInfo(m) => self.player(m),
            Message::StatByte(m) => self.stat(target, m.stat, |shown, name| shown.number(name, &mut m.value)),
            Message::StatLong(m) => self.stat(target, m.stat, |shown, name| shown.number(name, &mut m.value)),
            Message::StatFloat(m) => self.stat(target, m.stat, |shown, name| shown.float(name, &mut m.value)),
            _ => {}
        }
    }

    fn stat(&mut self, target: Target, stat: u8, show: impl FnOnce(&mut Self, &str)) {
        self.of = if target.kind == kind::STATS { Subject::Player(target.slot.into()) } else { Subject::View };
        show(self, &format!("stat_{stat}"));
    }

    fn entity(&mut self, entity: &mut EntityDelta) {
        if !entity.removes() {
            self.of = Subject::Entity(entity.number(self.d));
            self.row(&self.d.entity, entity.mask.into(), &mut entity.row);
        }
    }

    /// The fields of a table that a mask announces.
    fn row(&mut self, table: &MaskTable, mask: u64, row: &mut [u32]) {
        for field in table.fields() {
            let Some(form) = field.forms.iter().find(|form| mask & form.test == form.want) else { continue };
            let word = &mut row[usize::from(field.slot)];
            let mut new = *word;
            let is_float = form.width == 32 && (place_or_way(&field.name) && self.d.coord != Coordinates::Sixteenths || angle(&field.name));
            if is_float {
                let mut float = Float(new);
                self.float(&field.name, &mut float);
                new = float.0;
            } else if form.sign == fragreel_base::delta::masked::Sign::None {
                self.number(&field.name, &mut new);
            } else {
                let mut signed = new as i32;
                self.number(&field.name, &mut signed);
                new = signed as u32;
            }
            // unchanged values keep their bits
            if new != *word && !form.sign.fits(new, form.width.into()) {
                self.refuse(&field.name, &Value::Int((new as i32).into()));
            } else {
                *word = new;
            }
        }
    }

    /// A player as one client sees it. Flags without a value are not fields.
    fn player(&mut self, m: &mut PlayerInfo) {
        self.of = Subject::Player(m.slot.into());
        let d = self.d;
        for (axis, name) in PLACES.into_iter().enumerate() {
            self.coordinate(name, d.entity_coord, &mut m.origin[axis].0);
        }
        self.number("frame", &mut m.frame);
        for (axis, name) in ["velocity_x", "velocity_y", "velocity_z"].into_iter().enumerate() {
            if m.flags & flag::VELOCITY << axis != 0 {
                self.number(name, &mut m.velocity[axis]);
            }
        }
        let bytes = [
            (flag::MODEL, "model", &mut m.model),
            (flag::SKIN, "skin", &mut m.skin),
            (flag::EFFECTS, "effects", &mut m.effects),
            (flag::WEAPON_FRAME, "weapon_frame", &mut m.weapon_frame),
            (flag::SCALE, "scale", &mut m.scale),
            (flag::TRANS, "alpha", &mut m.alpha),
            (flag::FATNESS, "fatness", &mut m.fatness),
        ];
        for (bit, name, value) in bytes {
            if m.flags & bit != 0 {
                self.number(name, value);
            }
        }
    }

    fn looks(&mut self, number: u32, looks: &mut Appearance, models: u16, frames: u16) {
        self.of = Subject::Entity(number);
        for (name, value, most) in [("model", &mut looks.model, models), ("frame", &mut looks.frame, frames)] {
            let before = *value;
            self.number(name, value);
            if *value > most {
                self.refuse(name, &Value::from(i64::from(*value)));
                *value = before;
            }
        }
        self.number("colormap", &mut looks.colormap);
        self.number("skin", &mut looks.skin);
        for axis in 0..3 {
            self.coordinate(PLACES[axis], self.d.coord, &mut looks.origin[axis].0);
            self.angle(ANGLES[axis], self.d.angle, &mut looks.angles[axis].0);
        }
    }

    fn fitz_looks(&mut self, number: u32, looks: &mut FitzAppearance) {
        let most = |bit: u8| if looks.mask & bit != 0 { u16::MAX } else { 255 };
        let (models, frames) = (most(1), most(2));
        self.looks(number, &mut looks.looks, models, frames);
        if looks.mask & 4 != 0 {
            self.number("alpha", &mut looks.alpha);
        }
        if looks.mask & 8 != 0 {
            self.number("scale", &mut looks.scale);
        }
    }

    /// The fields that replacement deltas share with classic deltas.
    fn replacement(&mut self, number: u32, delta: &mut Delta) {
        self.of = Subject::Entity(number);
        let layout = self.d.layout();
        let sent = delta.bits;
        let has = |bit: u32| sent & bit != 0;
        let state = &mut delta.state;
        for (axis, name) in PLACES.into_iter().enumerate() {
            if has(if axis == 2 { ORIGIN_Z } else { ORIGIN_XY }) {
                self.coordinate(name, layout.origin, &mut state.origin[axis]);
            }
        }
        for (axis, name) in ANGLES.into_iter().enumerate() {
            if has(if axis == 1 { ANGLES_Y } else { ANGLES_XZ }) {
                self.angle(name, layout.angles, &mut state.angles[axis]);
            }
        }
        // the message states the width of these numbers
        let wide = if layout.lerp_time {
            32
        } else if has(WIDE_OR_LERP) {
            16
        } else {
            8
        };
        let effects = match (layout.lerp_time, has(EFFECTS), has(EFFECTS2)) {
            (false, true, false) => 8,
            (false, false, true) => 16,
            _ => 32,
        };
        for (bits, name, value, width) in [
            (FRAME, "frame", &mut state.frame, wide),
            (MODEL, "model", &mut state.model, wide),
            (EFFECTS | EFFECTS2, "effects", &mut state.effects, effects),
            (COLORMAP, "colormap", &mut state.colormap, if layout.lerp_time { 32 } else { 8 }),
        ] {
            if sent & bits == 0 {
                continue;
            }
            let before = *value;
            self.number(name, value);
            if *value != before && u64::from(*value) >> width != 0 {
                self.refuse(name, &Value::from(i64::from(*value)));
                *value = before;
            }
        }
        for (bit, name, value) in [(ALPHA, "alpha", &mut state.alpha), (SCALE, "scale", &mut state.scale)] {
            if has(bit) {
                self.number(name, value);
            }
        }
    }

    fn coordinate(&mut self, name: &str, kind: Coordinates, word: &mut u32) {
        match kind {
            Coordinates::Float => self.bits(name, word),
            Coordinates::Eighths => {
                let mut eighths = *word as i16;
                self.number(name, &mut eighths);
                *word = i32::from(eighths) as u32;
            }
            Coordinates::Fraction => {
                let before = *word;
                self.number(name, word);
                if *word >> 24 != 0 {
                    self.refuse(name, &Value::from(i64::from(*word)));
                    *word = before;
                }
            }
            Coordinates::Sixteenths => {
                let mut sixteenths = *word as i32;
                self.number(name, &mut sixteenths);
                *word = sixteenths as u32;
            }
        }
    }

    /// An angle in the message's unit.
    fn angle(&mut self, name: &str, kind: Angles, word: &mut u32) {
        match kind {
            Angles::Float => self.bits(name, word),
            Angles::Byte => {
                let mut turn = (*word >> 8) as u8;
                self.number(name, &mut turn);
                *word = u32::from(turn) << 8 | *word & 0xff;
            }
            Angles::Short => {
                let mut turn = *word as u16;
                self.number(name, &mut turn);
                *word = turn.into();
            }
        }
    }

    fn bits(&mut self, name: &str, word: &mut u32) {
        let mut float = Float(*word);
        self.float(name, &mut float);
        *word = float.0;
    }

    fn number<T: Copy + Into<i64> + TryFrom<i64>>(&mut self, name: &str, number: &mut T) {
        let before = Value::Int((*number).into());
        let Some(value) = self.ask(name, &before) else { return };
        match value.as_int().and_then(|value| T::try_from(value).ok()) {
            Some(value) => *number = value,
            None => self.refuse(name, &value),
        }
    }

    fn float(&mut self, name: &str, float: &mut Float) {
        let before = Value::Float(float.value());
        let Some(value) = self.ask(name, &before) else { return };
        match value.as_float() {
            Some(value) => *float = Float::from(value),
            None => self.refuse(name, &value),
        }
    }

    /// The new value, if the visitor changed it.
    fn ask(&mut self, name: &str, before: &Value) -> Option<Value> {
        if !self.fields.wanted.iter().any(|wanted| wanted == name) {
            return None;
        }
        let mut value = before.clone();
        self.rewrite.field(self.place, self.of, name, &mut value);
        (value != *before).then_some(value)
    }

    fn refuse(&mut self, name: &str, value: &Value) {
        self.unfit.get_or_insert_with(|| Error::misuse(format!("the field {name} cannot be {value}: `explain` shows how many bits it has")));
    }
}

const PLACES: [&str; 3] = ["origin_x", "origin_y", "origin_z"];
const ANGLES: [&str; 3] = ["pitch", "yaw", "roll"];

fn place_or_way(name: &str) -> bool {
    name.starts_with("origin_") || name.starts_with("velocity_")
}

fn angle(name: &str) -> bool {
    ANGLES.contains(&name)
}
