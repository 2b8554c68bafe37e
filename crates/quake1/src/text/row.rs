//! Rows of words with a mask: a key that is there is a field that is sent.

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::masked::MaskTable;
use fragreel_base::textform::{Flags, Form, Names};

use crate::dialect::Dialect;
use crate::fields::{ALWAYS, names};
use crate::replacement::{Angles, Coordinates};
use crate::text::units::{BYTE_ANGLE, SHORT_ANGLE, coordinate, turn};

/// What a word of a row means.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Number {
        from: i64,
        to: i64,
    },
    Scaled {
        unit: f64,
        from: i64,
        to: i64,
    },
    /// An angle of these many bits.
    Angle {
        unit: f64,
        width: u32,
    },
    /// Bits with names, up to a number.
    Flags(Flags, u32),
    Coordinate(Coordinates),
    Float,
    /// A byte, a byte and 256, or 16 bits.
    Doubled,
}

#[derive(Debug, Clone)]
struct Column {
    slot: usize,
    unit: Unit,
    /// The fact that makes it a float, if one does.
    float: u64,
    /// The bits of each of its forms: what is looked at, and what it must be.
    forms: Vec<(u64, u64)>,
    always: bool,
}

/// The text form of the rows of one table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Of the columns.
    names: Names,
    facts: Vec<(&'static str, u64)>,
    columns: Vec<Column>,
    /// Columns that are always sent.
    always: u64,
}

/// Added to a model's number in its middle form.
const DOUBLE: u32 = 256;

impl Row {
    /// The columns of a table, and bits that are facts themselves.
    pub(crate) fn new(table: &MaskTable, coordinates: Coordinates, angles: Angles, netquake: bool, facts: &[(&'static str, u64)]) -> Self {
        let columns: Vec<Column> = table
            .fields()
            .iter()
            .map(|field| {
                let (width, signed) = (u32::from(field.forms[0].width), field.forms[0].sign == fragreel_base::delta::masked::Sign::Twos);
                let (from, to) = if signed { (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1) } else { (0, (1i64 << width) - 1) };
                let unit = match (&*field.name, field.forms.len()) {
                    (_, 3) => Unit::Doubled,
                    ("origin_x" | "origin_y" | "origin_z", _) => Unit::Coordinate(coordinates),
                    ("velocity_x" | "velocity_y" | "velocity_z", _) => Unit::Scaled { unit: 16.0, from, to },
                    ("pitch" | "yaw" | "roll", _) => match angles {
                        Angles::Byte => Unit::Angle { unit: BYTE_ANGLE, width },
                        Angles::Short => Unit::Angle { unit: SHORT_ANGLE, width },
                        Angles::Float => Unit::Float,
                    },
                    ("effects", _) => Unit::Flags(names::effects(netquake), to as u32),
                    ("items", _) => Unit::Flags(names::ITEMS, to as u32),
                    ("flags", _) => Unit::Flags(names::RENDER_FLAGS, to as u32),
                    _ => Unit::Number { from, to },
                };
                let forms = field.forms.iter().map(|form| (form.test, form.want)).collect();
                // of two forms the second is a float
                let float = if let [narrow, wide] = &field.forms[..] { wide.want & !narrow.want } else { 0 };
                Column { slot: usize::from(field.slot), unit, float, forms, always: field.forms[0].want == ALWAYS }
            })
            .collect();
        let fields = table.fields().iter().map(|field| field.name.strip_prefix("origin_").unwrap_or(&field.name).to_owned());
        let names = Names::new(fields);
        let always = (0..columns.len()).filter(|&at| columns[at].always).fold(0, |set, at| set | 1 << at);
        Row { names, facts: facts.to_vec(), columns, always }
    }

    /// The columns that a mask announces; `None` when it spells no form of one.
    fn announced(&self, mask: u64) -> Option<u64> {
        let mut set = self.always;
        for (at, column) in self.columns.iter().enumerate() {
            match column.forms[..] {
                [(test, want)] => set |= u64::from(mask & test == want) << at,
                _ if column.forms.iter().any(|(test, want)| mask & test == *want) => set |= 1 << at,
                _ if column.forms.iter().any(|(_, want)| mask & want == *want) => return None,
                _ => {}
            }
        }
        Some(set)
    }

    /// The members of a row and, where it is not what `complete` makes of their bits, how the mask was spelled. `complete`
    /// adds what announces the mask's own parts; `kept` says which bits of a mask are sent at all.
    #[inline]
    pub(crate) fn form<F: Form>(
        &self,
        f: &mut F,
        mask: &mut u32,
        row: &mut [u32],
        complete: impl FnOnce(u64) -> u64,
        kept: impl FnOnce(u64) -> u64,
    ) -> Result<(), F::Error> {
        let mut present = 0;
        if F::READING {
            row.fill(0);
        } else {
            // what is always sent is left out when it is zero
            present = self.announced((*mask).into()).unwrap_or_default();
            for at in FieldSet(self.always) {
                if row[self.columns[at].slot] == 0 {
                    present &= !(1 << at);
                }
            }
        }
        let sent = u64::from(*mask);
        let mut facts = 0;
        for &(name, bit) in &self.facts {
            let mut fact = sent & bit != 0;
            f.unless(name, &mut fact, false)?;
            facts |= if fact { bit } else { 0 };
        }
        f.members(&self.names, FieldSet(present).into_iter(), |f, at| {
            if F::READING {
                present |= 1 << at;
            }
            let column = &self.columns[at];
            let word = &mut row[column.slot];
            *word = if facts & column.float != 0 { f.float(f32::from_bits(*word))?.to_bits() } else { column.form(f, sent, *word)? };
            Ok(())
        })?;
        let mut bits = facts;
        for at in FieldSet(present & !self.always) {
            bits |= self.columns[at].bits(row[self.columns[at].slot], if F::READING { None } else { Some(sent) });
        }
        let plain = complete(bits);
        let mut spelling = (sent ^ plain) as u32;
        f.unless("spelling", &mut spelling, 0)?;
        if F::READING {
            let sent = plain ^ u64::from(spelling);
            let named = self.facts.iter().fold(0, |bits, (_, bit)| bits | bit);
            *mask = sent as u32;
            f.insist(
                self.announced(sent) == Some(present | self.always),
                "fields that are only sent together are not all here, or `spelling` is about other fields: leave it out",
            )?;
            f.insist(kept(sent) == sent && u64::from(spelling) & named == 0, "`spelling` has bits that are not sent with these fields: leave it out")?;
            for at in FieldSet(present) {
                let column = &self.columns[at];
                let fits = column.settle(sent, &mut row[column.slot]);
                f.insist(fits, "a number does not fit the form that it is sent in")?;
            }
        }
        Ok(())
    }
}

impl Column {
    /// Which of its forms a mask has chosen.
    fn which(&self, mask: u64) -> usize {
        self.forms.iter().position(|(test, want)| mask & test == *want).unwrap_or(0)
    }

    /// The bits by which a stock sender announces it; `mask` is the one that the word was read with.
    #[inline]
    fn bits(&self, word: u32, mask: Option<u64>) -> u64 {
        let form = match self.unit {
            Unit::Doubled => match (word, mask) {
                (word, None) => usize::from(word >= DOUBLE) + usize::from(word >= 2 * DOUBLE),
                (word, Some(mask)) if self.which(mask) == 2 => usize::from(word >= DOUBLE) + usize::from(word >= 2 * DOUBLE),
                (_, Some(mask)) => self.which(mask),
            },
            _ => 0,
        };
        self.forms[form].1
    }

    #[inline]
    fn form<F: Form>(&self, f: &mut F, mask: u64, word: u32) -> Result<u32, F::Error> {
        match self.unit {
            Unit::Number { from, to } => {
                let value = if from < 0 { i64::from(word as i32) } else { i64::from(word) };
                f.int(value, from, to).map(|value| value as u32)
            }
            Unit::Scaled { unit, from, to } => {
                let value = if from < 0 { i64::from(word as i32) } else { i64::from(word) };
                f.scaled(value, unit, from, to).map(|value| value as u32)
            }
            Unit::Angle { unit, width } => turn(f, word, unit, width),
            Unit::Flags(names, to) => f.flags(word, to, names),
            Unit::Coordinate(kind) => coordinate(f, kind, word),
            Unit::Float => f.float(f32::from_bits(word)).map(f32::to_bits),
            Unit::Doubled => {
                let shown = if self.which(mask) == 1 { word + DOUBLE } else { word };
                f.int(shown.into(), 0, 0xffff).map(|value| value as u32)
            }
        }
    }

    /// Makes what was read the word of the form that was chosen. False when it does not fit.
    fn settle(&self, mask: u64, word: &mut u32) -> bool {
        let form = self.which(mask);
        match self.unit {
            Unit::Doubled if form == 1 => {
                *word = word.wrapping_sub(DOUBLE);
                *word < DOUBLE
            }
            Unit::Doubled if form == 0 => *word < DOUBLE,
            _ => true,
        }
    }
}

/// The rows of QuakeWorld's entities, NetQuake's updates and client data, and players in multi-view recordings.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) entity: Row,
    pub(crate) update: Row,
    pub(crate) client: Row,
    pub(crate) player: Row,
}

impl Rows {
    pub(crate) fn of(d: &Dialect) -> Self {
        use crate::fields::netquake::{bits as nq, client_bits};
        use crate::fields::quakeworld::{bits as qw, view_bits};
        let rerelease = if d.is_rerelease() { 2 } else { 1 };
        let (update, client) = (
            [("step", nq::NOLERP), ("float_coords", nq::FLOATCOORDS)],
            [("on_ground", client_bits::ONGROUND), ("in_water", client_bits::INWATER), ("float_velocity", client_bits::FLOATS)],
        );
        Rows {
            entity: Row::new(&d.entity, d.entity_coord, d.angle, d.is_netquake(), &[("remove", qw::REMOVE), ("solid", qw::SOLID)]),
            update: Row::new(&d.update, d.coord, d.angle, d.is_netquake(), &update[..rerelease]),
            client: Row::new(&d.clientdata, d.coord, d.angle, d.is_netquake(), &client[..1 + rerelease]),
            player: Row::new(&d.view_player, d.entity_coord, Angles::Short, d.is_netquake(), &[("dead", view_bits::DEAD), ("gib", view_bits::GIB)]),
        }
    }
}
