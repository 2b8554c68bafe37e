//! Players in a packet.

use super::figures::row;
use super::packet::Packet;
use super::range::{Fault, high, low};
use super::record::{Player, player};
use super::state::SLOTS;

/// How a player is written.
const HAS_TIME: u16 = 1;
const HAS_COMMAND: u16 = 2;
const VELOCITY: [u16; 3] = [4, 8, 16];
const HAS_MODEL: u16 = 0x20;
const HAS_SKIN: u16 = 0x40;
const HAS_EFFECTS: u16 = 0x80;
const HAS_WEAPON_FRAME: u16 = 0x100;
const IS_DEAD: u16 = 0x200;

/// How far something of this speed moves in this number of milliseconds, in steps of an eighth, to the nearest one.
fn distance(speed: u16, milliseconds: i32) -> u16 {
    let speed = i32::from(speed.cast_signed());
    let way = (speed.abs() * milliseconds + 62) / 125;
    (if speed < 0 { -way } else { way }) as u16
}

fn moved(player: &mut Player, milliseconds: i32) {
    for (place, speed) in player::ORIGIN.into_iter().zip(player::VELOCITY) {
        let to = player.number(place).wrapping_add(distance(player.number(speed), milliseconds));
        player.set(place, to);
    }
}

impl Packet<'_, '_> {
    /// The recorder, with whom each packet begins.
    pub(super) fn own_player(&mut self) -> Result<(), Fault> {
        let back = u32::from(self.coder.byte(row::BACK)?);
        let base = self.state.sequence.wrapping_sub(back);
        let mut own = self.state.new_player(self.state.own_slot);
        if back > 0 {
            self.state.base = Some(base);
            (own, self.base_players) = self.state.base_of(base)?;
        }
        let time = i32::from(self.state.length_of_command(base)) * back as i32;
        for (mask, row) in
            [(player::ORIGIN_MASK, row::OWN_ORIGIN_MASK), (player::LOOK_MASK, row::OWN_LOOK_MASK), (player::VELOCITY_MASK, row::OWN_VELOCITY_MASK)]
        {
            own.0[mask] ^= self.coder.byte(row)?;
        }
        moved(&mut own, time);
        self.origin(&mut own)?;
        self.look(&mut own)?;
        self.velocity(&mut own)?;
        self.out.push(self.state.own_slot);
        let flags = self.flags(&own) & !(HAS_TIME | HAS_COMMAND);
        self.write(&own, flags);
        self.state.players.push(own);
        Ok(())
    }

    /// The others. The number of the message stands before the first of them.
    pub(super) fn others(&mut self) -> Result<(), Fault> {
        let mut is_first = true;
        loop {
            let step = self.coder.byte(row::PLAYER)?;
            if step == 0 {
                return Ok(());
            }
            self.last_slot = self.last_slot.wrapping_add(step);
            let slot = self.last_slot;
            if usize::from(slot) >= SLOTS {
                return Err(Fault::Lost);
            }
            let known = self.base_players.iter().find(|one| one.0[player::SLOT] == slot).copied();
            let mut one = known.unwrap_or_else(|| {
                let mut new = self.state.new_player(slot);
                player::ORIGIN.into_iter().zip(self.own_origin).for_each(|(at, place)| new.set(at, place));
                new
            });
            self.other(&mut one)?;
            if !std::mem::take(&mut is_first) {
                self.out.push(super::bytes::PLAYER_INFO);
            }
            self.out.push(slot);
            let (flags, command) = (self.flags(&one), self.command_flags(&one));
            let flags = if command > 0 || one.0[player::COMMAND_TIME] > 0 { flags | HAS_COMMAND } else { flags };
            self.write(&one, flags | HAS_TIME);
            self.state.players.push(one);
        }
    }

    fn other(&mut self, one: &mut Player) -> Result<(), Fault> {
        let time = self.coder.byte(row::PLAYER_TIME)?;
        let before = std::mem::replace(&mut one.0[player::TIME], time & if time.cast_signed() < 0 { 0x7f } else { 0xff });
        if time.cast_signed() < 0 {
            return Ok(());
        }
        let step = i32::from(one.0[player::COMMAND_TIME]);
        let target = i32::from(time) + self.time_since_base - i32::from(before);
        let steps = if step > 0 { (target - 1).div_euclid(step).max(1) } else { 0 };
        moved(one, step * steps);
        for (mask, row) in row::PLAYER_MASKS.into_iter().enumerate() {
            one.0[mask] ^= self.coder.byte(row)?;
        }
        self.origin(one)?;
        let mask = one.0[player::COMMAND_MASK];
        for (at, rows) in row::TURN.into_iter().enumerate() {
            self.add(one, player::TURN[at], rows, mask >> (2 * at))?;
            one.add_own(player::ANGLES[at], player::TURN[at]);
        }
        self.add(one, player::FORWARD, row::FORWARD, mask >> 4)?;
        self.add(one, player::SIDE, row::SIDE, mask >> 6)?;
        let mask = one.0[player::LOOK_MASK];
        self.add(one, player::ROLL, row::ROLL, mask)?;
        if mask & 4 != 0 {
            one.0[player::UNUSED] ^= self.coder.byte(row::UNUSED)?;
        }
        if mask & 8 != 0 {
            one.0[player::IMPULSE] = self.coder.byte(row::IMPULSE)?;
        }
        if mask & 0x10 != 0 {
            one.add_byte(player::COMMAND_TIME, self.coder.byte(row::COMMAND_TIME)?);
        }
        self.look(one)?;
        self.velocity(one)
    }

    /// Adds what the two low bits of a mask say is there.
    fn add(&mut self, one: &mut Player, at: usize, rows: [usize; 2], mask: u8) -> Result<(), Fault> {
        if mask & 1 != 0 {
            one.set(at, low(one.number(at), self.coder.byte(rows[0])?));
        }
        if mask & 2 != 0 {
            one.set(at, high(one.number(at), self.coder.byte(rows[1])?));
        }
        Ok(())
    }

    fn origin(&mut self, one: &mut Player) -> Result<(), Fault> {
        let mask = one.0[player::ORIGIN_MASK];
        for (at, rows) in row::ORIGIN.into_iter().enumerate() {
            self.add(one, player::ORIGIN[at], rows, mask >> (2 * at))?;
        }
        if mask & 0x40 != 0 {
            one.add_byte(player::FRAME, self.coder.byte(row::FRAME)?);
        }
        one.0[player::ORIGIN_MASK] &= 0xbf;
        Ok(())
    }

    fn look(&mut self, one: &mut Player) -> Result<(), Fault> {
        let mask = one.0[player::LOOK_MASK];
        if mask & 0x20 != 0 {
            one.0[player::MODEL] = self.state.model(self.coder.byte(row::MODEL)?);
        }
        if mask & 0x40 != 0 {
            one.0[player::SKIN] = self.coder.byte(row::SKIN)?;
        }
        if mask & 0x80 != 0 {
            one.0[player::EFFECTS] ^= self.coder.byte(row::EFFECTS)?;
        }
        one.0[player::LOOK_MASK] &= 0x97;
        Ok(())
    }

    fn velocity(&mut self, one: &mut Player) -> Result<(), Fault> {
        let mask = one.0[player::VELOCITY_MASK];
        for (at, rows) in row::VELOCITY.into_iter().enumerate() {
            self.add(one, player::GAIN[at], rows, mask >> (2 * at))?;
            one.add_own(player::VELOCITY[at], player::GAIN[at]);
        }
        if mask & 0x40 != 0 {
            one.add_byte(player::WEAPON_FRAME, self.coder.byte(row::WEAPON_FRAME)?);
        }
        one.0[player::VELOCITY_MASK] &= 0xbf;
        Ok(())
    }

    /// What is written of a player, but for the time and the command.
    fn flags(&self, one: &Player) -> u16 {
        let velocity = player::VELOCITY.into_iter().zip(VELOCITY).filter(|(at, _)| one.number(*at) != 0).map(|(_, flag)| flag);
        let bytes = [(player::SKIN, HAS_SKIN), (player::EFFECTS, HAS_EFFECTS), (player::WEAPON_FRAME, HAS_WEAPON_FRAME)];
        let bytes = bytes.into_iter().filter(|(at, _)| one.0[*at] != 0).map(|(_, flag)| flag);
        let model = if one.0[player::MODEL] == self.state.player_model { 0 } else { HAS_MODEL };
        let dead = if one.0[player::VELOCITY_MASK].cast_signed() < 0 { IS_DEAD } else { 0 };
        velocity.chain(bytes).sum::<u16>() | model | dead
    }

    /// What is written of a player's command, in the order of the bits that are not in order.
    fn command_flags(&self, one: &Player) -> u8 {
        let numbers = [(player::ANGLES[1], 1), (player::ANGLES[0], 0x80), (player::FORWARD, 4), (player::SIDE, 8), (player::ROLL, 0x10)];
        let numbers = numbers.into_iter().filter(|(at, _)| one.number(*at) != 0).map(|(_, flag)| flag).sum::<u8>();
        numbers | if one.0[player::IMPULSE] == 0 { 0 } else { 0x40 }
    }

    fn write(&mut self, one: &Player, flags: u16) {
        let bytes = one.0;
        self.out.extend(flags.to_le_bytes());
        self.out.extend(&bytes[player::ORIGIN[0]..=player::FRAME]);
        if flags & HAS_TIME != 0 {
            self.out.push(bytes[player::TIME]);
        }
        if flags & HAS_COMMAND != 0 {
            let command = self.command_flags(one);
            self.out.push(command);
            for (flag, at) in [(1, player::ANGLES[1]), (0x80, player::ANGLES[0]), (4, player::FORWARD), (8, player::SIDE), (0x10, player::ROLL)] {
                if command & flag != 0 {
                    self.out.extend(&bytes[at..at + 2]);
                }
            }
            if command & 0x40 != 0 {
                self.out.push(bytes[player::IMPULSE]);
            }
            self.out.push(bytes[player::COMMAND_TIME]);
        }
        for (flag, at) in VELOCITY.into_iter().zip(player::VELOCITY) {
            if flags & flag != 0 {
                self.out.extend(&bytes[at..at + 2]);
            }
        }
        for (flag, at) in [(HAS_MODEL, player::MODEL), (HAS_SKIN, player::SKIN), (HAS_EFFECTS, player::EFFECTS), (HAS_WEAPON_FRAME, player::WEAPON_FRAME)] {
            if flags & flag != 0 {
                self.out.push(bytes[at]);
            }
        }
    }
}
