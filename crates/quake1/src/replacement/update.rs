//! `svcfte_updateentities`: the message around the updates. Document: *Message*.

use fragreel_base::wire::Wire;

use crate::replacement::delta::{Delta, code_delta};
use crate::replacement::number::{Index, code_index};
use crate::replacement::shape::Flags;

/// Number of the message `svcfte_updateentities`, the same in NetQuake and QuakeWorld.
pub const SVC_UPDATE_ENTITIES: u8 = 86;

/// What the message says of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityUpdate {
    /// Which entity; 0 together with [`Change::Remove`] means all.
    pub number: u32,
    /// The number in three bytes though two suffice.
    pub overlong: bool,
    /// What becomes of it.
    pub change: Change,
}

impl Default for EntityUpdate {
    /// Everything is forgotten.
    fn default() -> Self {
        EntityUpdate { number: 0, overlong: false, change: Change::Remove }
    }
}

/// What becomes of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "removals are rare, and a box would be an allocation per update")]
pub enum Change {
    /// It is no longer visible.
    Remove,
    /// Some of its fields changed.
    Delta(Delta),
}

/// A whole message after its number. Clear and reuse it: it keeps its memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    /// Low 16 bits of the input that the server has applied ([`Flags::input_ack`]).
    pub input_sequence: u16,
    /// The server's time: the bits of a float.
    pub time: u32,
    /// The entities that changed, in rising order in every recording known.
    pub entities: Vec<EntityUpdate>,
    /// The closing zero in three bytes though two suffice.
    pub overlong_end: bool,
}

impl Update {
    /// The server's time in seconds.
    pub fn seconds(&self) -> f32 {
        f32::from_bits(self.time)
    }

    /// Whether it begins by forgetting every entity.
    pub fn restarts(&self) -> bool {
        self.entities.iter().any(|entity| entity.number == 0)
    }
}

/// Reads or writes a message after its number, 86.
pub fn code<W: Wire>(w: &mut W, flags: &Flags, update: &mut Update) -> Result<(), W::Error> {
    if flags.input_ack {
        update.input_sequence = w.field("input sequence", u32::from(update.input_sequence), 16)? as u16;
    }
    update.time = w.field("time", update.time, 32)?;
    let time = update.time;
    w.note(|| format!("{} s", f32::from_bits(time)));
    if !W::READING {
        for entity in &mut update.entities {
            w.scope("entity", Some(entity.number), |w| {
                let remove = matches!(entity.change, Change::Remove);
                code_index(w, Index { number: entity.number, remove, overlong: entity.overlong })?;
                match &mut entity.change {
                    Change::Remove => Ok(()),
                    Change::Delta(delta) => code_delta(w, flags, delta),
                }
            })?;
        }
        return code_index(w, Index { number: 0, remove: false, overlong: update.overlong_end }).map(|_| ());
    }
    update.entities.clear();
    loop {
        let Index { number, remove, overlong } = code_index(w, Index::default())?;
        if remove {
            update.entities.push(EntityUpdate { number, overlong, change: Change::Remove });
        } else if number == 0 {
            update.overlong_end = overlong;
            return Ok(());
        } else {
            update.entities.push(EntityUpdate { number, overlong, change: Change::Delta(Delta::default()) });
            let Some(EntityUpdate { change: Change::Delta(delta), .. }) = update.entities.last_mut() else { continue };
            let coded = w.scope("entity", Some(number), |w| code_delta(w, flags, delta));
            if coded.is_err() {
                update.entities.pop();
            }
            coded?;
        }
    }
}
