//! Entities: which fields a delta sends is which keys are there.

use fragreel_base::delta::masked::extended;
use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use super::known::Known;
use super::table::Words;
use crate::fields::entity::{SLOTS, SOLID, U_NUMBER16, U_REMOVE, U_SOLID};
use crate::message::{EntityDelta, PacketEntities};

/// Where the spelling of coordinates stands behind that of the mask, which has at most five bytes.
const LONG: u32 = 40;
/// The largest spelling.
const MOST: i64 = (1 << 43) - 1;

/// Where a delta stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Baseline,
    /// Nothing follows a removal.
    Frame,
    /// Fields may follow a removal, as in MVD2.
    Kept,
}

impl EntityDelta {
    /// The members of a delta, its number aside.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &mut Known, place: Place) -> Result<(), F::Error> {
        let table = known.entity;
        let more = known.dialect().more;
        let mut remove = self.removes();
        f.unless("remove", &mut remove, false)?;
        let bare = remove && place == Place::Frame;
        let mut words: Words = [0; 128];
        let mut given = if F::READING || bare { 0 } else { table.shown(self.mask, &self.row, &mut words) };
        // before the form puts the shortest in their place
        let mut long = table.long(given, &words);
        table.form(f, &mut words, &mut given)?;
        f.insist(!bare || given == 0, "nothing else can be said of an entity that is removed")?;
        let mut usual = table.needed(given, &words, known.widths);
        if remove {
            usual |= U_REMOVE;
        }
        if self.number > 255 {
            usual |= U_NUMBER16;
        }
        let usual = extended(usual, more);
        let mut spelling = ((self.mask ^ usual) | long << LONG) as i64;
        if f.key("spelling", !F::READING && spelling != 0)? {
            spelling = f.int(spelling, 0, MOST)?;
        } else if F::READING {
            spelling = 0;
        }
        if F::READING {
            self.mask = usual ^ (spelling as u64 & ((1 << LONG) - 1));
            long = spelling as u64 >> LONG;
            f.insist(is_writable(self.mask, more) && self.removes() == remove, "this spelling cannot be sent: leave it out")?;
            let wide = self.mask & U_NUMBER16 != 0;
            f.insist(wide || self.number < 256, "this spelling is too short for the number: leave it out")?;
            self.row = [0; SLOTS];
            if !bare {
                table.settle(f, self.mask, given, &words, &mut self.row, long)?;
                let solid = if self.mask & U_SOLID != 0 { self.row[SOLID] != 0 } else { known.context.is_solid(self.number) };
                table.settle_origins(f, given, solid, &mut self.row)?;
            }
        }
        Ok(())
    }

    /// A baseline with its number.
    pub(super) fn baseline<F: Form>(&mut self, f: &mut F, known: &mut Known) -> Result<(), F::Error> {
        f.field("number", &mut self.number)?;
        self.members(f, known, Place::Baseline)?;
        Ok(())
    }
}

/// Whether a reader comes to the same mask: it looks at a further byte only when a bit says so.
pub(super) fn is_writable(mask: u64, more: &[u64]) -> bool {
    let reached = more.iter().take_while(|bit| mask & **bit != 0).count() as u32 + 1;
    mask.checked_shr(8 * reached).unwrap_or(0) == 0
}

impl PacketEntities {
    /// The members that hold the entities.
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &mut Known, place: Place) -> Result<(), F::Error> {
        list(f, &mut self.deltas, known, place)?;
        end_mask(f, &mut self.end_mask, known)
    }
}

/// The mask of the entity 0 that ends a list; left out when it is 0.
pub(super) fn end_mask<F: Form>(f: &mut F, mask: &mut u64, known: &Known) -> Result<(), F::Error> {
    let mut value = *mask as i64;
    if f.key("end_mask", value != 0)? {
        value = f.int(value, 0, (1 << LONG) - 1)?;
    } else if F::READING {
        value = 0;
    }
    *mask = value as u64;
    f.insist(is_writable(*mask, known.dialect().more), "this mask cannot be sent")
}

/// Entities by their numbers, in whose order they are sent; or in another order.
pub(super) fn list<F: Form>(f: &mut F, deltas: &mut Vec<EntityDelta>, known: &mut Known, place: Place) -> Result<(), F::Error> {
    let rising = deltas.windows(2).all(|pair| pair[0].number < pair[1].number);
    let numbered = f.key("entities", rising && !deltas.is_empty())?;
    if numbered {
        by_number(f, deltas, known, place).map_err(|error| error.inside("entities", None))?;
    }
    if f.key("entities_in_order", !rising)? {
        f.insist(!numbered, "the entities stand here twice")?;
        let count = f.items(deltas.len(), |f, at| {
            if F::READING {
                deltas.truncate(at);
                deltas.push(EntityDelta::default());
            }
            let delta = &mut deltas[at];
            f.object(|f| {
                f.field("number", &mut delta.number)?;
                f.insist(delta.number != 0, "the entity 0 ends the list")?;
                delta.members(f, known, place)
            })?;
            delta.announce(&mut known.context, place == Place::Kept);
            Ok(())
        });
        deltas.truncate(count.map_err(|error| error.inside("entities_in_order", None))?);
        return Ok(());
    }
    if F::READING && !numbered {
        deltas.clear();
    }
    Ok(())
}

fn by_number<F: Form>(f: &mut F, deltas: &mut Vec<EntityDelta>, known: &mut Known, place: Place) -> Result<(), F::Error> {
    let present: Vec<u16> = if F::READING { Vec::new() } else { deltas.iter().map(|delta| delta.number).collect() };
    f.object(|f| {
        if F::READING {
            deltas.clear();
        }
        let mut next = 0;
        f.numbered(1 << 16, present.iter().map(|&number| number.into()), |f, number| {
            if F::READING {
                deltas.push(EntityDelta { number: number as u16, ..EntityDelta::default() });
            }
            let delta = &mut deltas[next];
            next += 1;
            f.insist(delta.number != 0, "the entity 0 ends the list")?;
            f.object(|f| delta.members(f, known, place)).map_err(|error| error.inside("entity", Some(number as u32)))?;
            delta.announce(&mut known.context, place == Place::Kept);
            Ok(())
        })
    })?;
    if !deltas.is_sorted_by_key(|delta| delta.number) {
        deltas.sort_unstable_by_key(|delta| delta.number);
    }
    f.insist(deltas.windows(2).all(|pair| pair[0].number < pair[1].number), "an entity stands here twice")
}
