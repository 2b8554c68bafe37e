//! Replacement deltas.

use std::collections::BTreeMap;

use super::values::{Bytes, Rules};
use super::{Client, Result};

/// An entity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct State {
    pub model: u32,
    pub frame: u32,
    pub origin: [f32; 3],
}

/// All entities known, and their baselines.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub states: BTreeMap<u32, State>,
    pub baselines: BTreeMap<u32, State>,
}

/// Reads an update onto a state. `baseline` is what a reset goes back to.
fn update(b: &mut Bytes<'_>, r: &Rules, state: &mut State, baseline: State) -> Result<()> {
    if r.fte2 & 0x400 != 0 {
        return Err(String::from("numbers of variable length are not known here"));
    }
    let mut bits = u32::from(b.u8()?);
    for (more, shift) in [(7, 8), (15, 16), (23, 24)] {
        if bits >> more & 1 != 0 {
            bits |= u32::from(b.u8()?) << shift;
        } else {
            break;
        }
    }
    if bits >> 30 != 0 {
        return Err(format!("an update with bits {bits:#x}"));
    }
    let has = |bit: u32| bits >> bit & 1 != 0;
    let sized = |b: &mut Bytes<'_>| if has(9) { b.u16().map(u32::from) } else { b.u8().map(u32::from) };
    if has(8) {
        *state = baseline;
    }
    let predinfo = r.fte2 & 0x20 != 0;
    let wide = has(6) && !predinfo;
    let turn = |b: &mut Bytes<'_>| if wide { b.u16().map(drop) } else { b.angle(r) };
    if has(0) {
        state.frame = sized(b)?;
    }
    if has(1) {
        state.origin[0] = b.place(r)?;
        state.origin[1] = b.place(r)?;
    }
    if has(2) {
        state.origin[2] = b.place(r)?;
    }
    if has(3) {
        turn(b)?;
        turn(b)?;
    }
    if has(4) {
        turn(b)?;
    }
    match (has(5), has(29)) {
        (true, true) => drop(b.u32()?),
        (false, true) => drop(b.u16()?),
        (true, false) => drop(b.u8()?),
        _ => {}
    }
    if has(6) {
        let p = b.u8()?;
        let bits: [(u8, usize); 6] = [(1, 2), (2, 2), (4, 2), (8, 1), (16, 4), (32, 2)];
        for (bit, length) in bits {
            b.take(if p & bit != 0 { length } else { 0 })?;
        }
        b.take(usize::from(p >> 6 & 1))?;
        if p & 0x80 != 0 {
            if predinfo {
                b.take(if has(3) { 4 } else { 0 })?;
                b.take(if has(4) { 2 } else { 0 })?;
            } else if b.u8()? & 0x80 != 0 {
                b.u8()?;
            }
        }
    }
    if has(10) {
        state.model = sized(b)?;
    }
    if has(11) {
        sized(b)?;
    }
    b.take(usize::from(has(12)))?;
    if has(13) {
        if r.fte2 & 0x40 != 0 {
            match b.u8()? {
                0..=3 => {}
                16 => drop(b.u16()?),
                32 => drop(b.u32()?),
                other => return Err(format!("solid {other}")),
            }
        } else {
            b.u16()?;
        }
    }
    b.take(usize::from(has(14)) + usize::from(has(16)) + usize::from(has(17)))?;
    if has(18) {
        return Err(String::from("bones are not known here"));
    }
    if has(19) && b.u8()? & 7 >= 6 {
        b.u8()?;
    }
    if has(20) {
        b.entity(r)?;
        b.u8()?;
    }
    b.take(if has(21) { 10 } else { 0 })?;
    if has(22) && b.u16()? & 0x8000 != 0 {
        b.u16()?;
    }
    b.take(if has(24) { 3 } else { 0 })?;
    b.take(if has(25) { 5 } else { 0 })?;
    b.take(usize::from(has(26)))?;
    if has(27) {
        sized(b)?;
    }
    b.take(if has(28) { 2 } else { 0 })?;
    Ok(())
}

impl Client {
    /// A baseline with every field stated.
    pub(crate) fn delta_baseline(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let number = b.entity(&self.rules)?;
        let mut state = State::default();
        update(b, &self.rules, &mut state, State::default())?;
        self.model(state.model)?;
        self.deltas.baselines.insert(number, state);
        Ok(())
    }

    /// Something that never changes.
    pub(crate) fn delta_static(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let mut state = State::default();
        update(b, &self.rules, &mut state, State::default())?;
        self.model(state.model).map(drop)
    }

    /// A frame.
    pub(crate) fn delta_frame(&mut self, b: &mut Bytes<'_>) -> Result<()> {
        let r = self.rules;
        if !r.replacement() {
            return Err(String::from("replacement deltas were not agreed on"));
        }
        if r.netquake && r.fte2 & 0x20 != 0 {
            b.u16()?;
        }
        self.time = Some(b.f32()?);
        self.framed = true;
        let mut last = 0;
        loop {
            let word = u32::from(b.u16()?);
            let high = if word & 0x4000 != 0 { u32::from(b.u8()?) } else { 0 };
            let number = word & 0x3fff | high << 14;
            match (word & 0x8000 != 0, number) {
                (false, 0) => return Ok(()),
                (true, 0) => self.deltas.states.clear(),
                (true, number) => drop(self.deltas.states.remove(&number)),
                (false, number) => {
                    if number <= last {
                        return Err(format!("entity {number} after entity {last}"));
                    }
                    last = number;
                    let baseline = self.deltas.baselines.get(&number).copied().unwrap_or_default();
                    let state = self.deltas.states.entry(number).or_default();
                    update(b, &r, state, baseline)?;
                }
            }
        }
    }
}
