//! Player states: which fields a delta sends is which keys are there.

use fragreel_base::delta::FieldSet;
use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use super::known::Known;
use super::table::Words;
use crate::dialect::{Dialect, Stats};
use crate::fields::names::{STATS, STATS_LIMIT};
use crate::fields::player::{CLIENTNUM, EPS_CLIENTNUM, EPS_STATS, EXTRA, PPS_MOREBITS, PPS_REMOVE, PPS_STATS, PS_MOREBITS, SLOTS};
use crate::message::PlayerDelta;

/// Where a delta stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A message of its own.
    Message,
    /// Inside a packed frame, which has the extra flags.
    Packed,
    /// In the frame of an MVD2.
    Mvd,
}

/// Stats that one of KMQuake2's bits stands for, and how far they are apart.
const REPEATS: usize = 8;
const APART: usize = 32;

impl PlayerDelta {
    pub(super) fn members<F: Form>(&mut self, f: &mut F, known: &Known, place: Place) -> Result<(), F::Error> {
        let (table, dialect) = (known.player, *known.dialect());
        let removal = match place {
            Place::Mvd if dialect.player_more == 0 => PPS_MOREBITS,
            Place::Mvd => PPS_REMOVE,
            _ => 0,
        };
        let mut usual = 0;
        if removal != 0 {
            let mut remove = self.mask & removal != 0;
            f.unless("remove", &mut remove, false)?;
            usual |= if remove { removal } else { 0 };
        }
        let removed = usual;
        let mut words: Words = [0; 128];
        let mut given = if F::READING { 0 } else { table.shown(self.mask, &self.row, &mut words) };
        table.form(f, &mut words, &mut given)?;
        usual |= table.needed(given, &words, known.widths);
        usual |= self.client(f, &dialect, place)?;
        usual |= self.stats(f, &dialect, place)?;
        if dialect.player_more != 0 && usual as u32 >> 16 != 0 {
            usual |= PS_MOREBITS;
        }
        let mut spelling = (self.mask ^ usual) as i64;
        if f.key("spelling", !F::READING && spelling != 0)? {
            spelling = f.int(spelling, 0, (1 << (EXTRA + 7)) - 1)?;
        } else if F::READING {
            spelling = 0;
        }
        if F::READING {
            self.mask = usual ^ spelling as u64;
            let sound = is_writable(self.mask, &dialect, place) && self.mask & removal == removed;
            f.insist(sound, "these fields cannot be sent here, or not by this spelling")?;
            f.insist(self.sends_stats(&dialect, place) || self.stats_mask == 0, "this spelling takes the stats away: leave it out")?;
            f.insist(usual & !self.mask & EPS_CLIENTNUM == 0, "this spelling takes the client's number away: leave it out")?;
            let clientnum = self.row[CLIENTNUM];
            self.row = [0; SLOTS];
            self.row[CLIENTNUM] = clientnum;
            table.settle(f, self.mask, given, &words, &mut self.row, 0)?;
        }
        Ok(())
    }

    /// The client's number. Returns the bit that announces it.
    fn client<F: Form>(&mut self, f: &mut F, dialect: &Dialect, place: Place) -> Result<u64, F::Error> {
        if dialect.clientnum == 0 || place != Place::Packed {
            return Ok(0);
        }
        let number = &mut self.row[CLIENTNUM];
        if !f.key("clientnum", !F::READING && self.mask & EPS_CLIENTNUM != 0)? {
            *number = 0;
            return Ok(0);
        }
        *number = f.int((*number).into(), 0, (1 << (8 * dialect.clientnum)) - 1)? as u32;
        Ok(EPS_CLIENTNUM)
    }

    fn sends_stats(&self, dialect: &Dialect, place: Place) -> bool {
        match (dialect.stats, place) {
            (Stats::LongIfFlagged | Stats::VariableIfFlagged, _) => self.mask & EPS_STATS != 0,
            (Stats::Long | Stats::Variable, Place::Mvd) => self.mask & PPS_STATS != 0,
            _ => true,
        }
    }

    /// The stats. Returns the bit that announces them.
    fn stats<F: Form>(&mut self, f: &mut F, dialect: &Dialect, place: Place) -> Result<u64, F::Error> {
        let below = match dialect.stats {
            Stats::Long | Stats::LongIfFlagged => 32,
            Stats::Variable | Stats::VariableIfFlagged | Stats::TwoLongs => 64,
            Stats::Repeated => STATS_LIMIT,
        };
        let repeated = dialect.stats == Stats::Repeated;
        if F::READING {
            self.stats = [0; 64];
            self.more_stats.clear();
        }
        let sent = if F::READING { 0 } else { self.stats_mask };
        let mut found = sent;
        // KMQuake2's further stats, by number
        let mut further = [0i16; STATS_LIMIT];
        let mut told: Vec<usize> = Vec::new();
        if repeated && !F::READING {
            told = self.further(&mut further);
        }
        if f.key("stats", sent != 0)? {
            let stats = &mut self.stats;
            f.object(|f| {
                if F::READING {
                    found = 0;
                    *stats = [0; 64];
                    further = [0; STATS_LIMIT];
                }
                f.members(&STATS, FieldSet(sent).into_iter().chain(told.iter().copied()), |f, at| {
                    let at = at % STATS_LIMIT;
                    f.insist(at < below, "there are fewer stats")?;
                    let bit = if repeated { at % APART } else { at };
                    found |= 1u64.checked_shl(bit as u32).unwrap_or(0);
                    let value = if repeated && at >= APART { &mut further[at] } else { &mut stats[at & 63] };
                    *value = f.int((*value).into(), i16::MIN.into(), i16::MAX.into())? as i16;
                    Ok(())
                })
            })
            .map_err(|error| error.inside("stats", None))?;
        } else if F::READING {
            found = 0;
        }
        if F::READING {
            self.stats_mask = found;
            if repeated {
                self.more_stats = numbers(found).map(|number| further[number]).collect();
            }
        }
        let announced = match (dialect.stats, place) {
            (Stats::LongIfFlagged | Stats::VariableIfFlagged, _) if found != 0 => EPS_STATS,
            (Stats::Long | Stats::Variable, Place::Mvd) if found != 0 => PPS_STATS,
            _ => 0,
        };
        if matches!(dialect.stats, Stats::Variable | Stats::VariableIfFlagged) {
            let usual = PlayerDelta::variable_bytes(found);
            let mut bytes = if !F::READING && self.sends_stats(dialect, place) { self.stats_mask_bytes } else { usual };
            if f.key("stats_mask_bytes", bytes != usual)? {
                bytes = f.int(bytes.into(), usual.into(), 10)? as u8;
            }
            self.stats_mask_bytes = bytes;
        }
        Ok(announced)
    }

    /// Puts KMQuake2's further stats in their places; returns those that are not zero.
    fn further(&self, further: &mut [i16; STATS_LIMIT]) -> Vec<usize> {
        for (number, stat) in numbers(self.stats_mask).zip(&self.more_stats) {
            further[number] = *stat;
        }
        (0..STATS_LIMIT).filter(|&number| further[number] != 0).collect()
    }
}

/// The numbers of KMQuake2's stats from 32 on, in wire order.
fn numbers(mask: u64) -> impl Iterator<Item = usize> {
    (1..REPEATS).flat_map(move |repeat| FieldSet(mask & 0xffff_ffff).into_iter().map(move |bit| repeat * APART + bit))
}

fn is_writable(mask: u64, dialect: &Dialect, place: Place) -> bool {
    let extra = if place == Place::Packed { 0x7f } else { 0 };
    let more = match (place, dialect.player_more) {
        _ if mask & PS_MOREBITS == 0 => 0,
        (_, 0) => 0,
        (Place::Mvd, _) => 8,
        (_, bytes) => 8 * u32::from(bytes),
    };
    let bits = if dialect.player_mask_long && place != Place::Mvd { 32 } else { 16 + more };
    (mask & 0xffff_ffff) >> bits == 0 && mask >> EXTRA & !extra == 0
}
