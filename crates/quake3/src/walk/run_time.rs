//! DeFRaG's run time, which depends on the player's place, speed and health and on the server's clock: an edited snapshot fails it
//! (`docs/audit.md`, "DeFRaG").

use fragreel_model::{Milliseconds, Seal};

use crate::fields::{array, find, q3};
use crate::state::State;
use crate::strings::{clean, info, number};

const ORIGIN_X: usize = find(&q3::PLAYER, "origin[0]");
const VELOCITY_X: usize = find(&q3::PLAYER, "velocity[0]");
const MOVEMENT_DIR: usize = find(&q3::PLAYER, "movementDir");

/// Slots of `stats`: health, and the two halves of the run time.
const HEALTH: usize = 0;
const TIME_HIGH: usize = 7;
const TIME_LOW: usize = 8;

/// The run time in a level's snapshots, and the check of its seal.
#[derive(Debug)]
pub(crate) struct RunTime {
    /// Whether the time is sealed, or plain.
    sealed: bool,
    version: u32,
    map_sum: u32,
    holds: u64,
    broken: u64,
    last: Option<u32>,
}

impl RunTime {
    /// The check for a level of DeFRaG that seals its run time; `None` for others. Online, only version 190 seals it, and no such recording is
    /// known.
    pub(crate) fn sealed(state: &State) -> Option<Self> {
        let online = number(info(state.string(0), "defrag_gametype")) > 4;
        RunTime::of(state).filter(|time| time.sealed && !online)
    }

    /// The reader for a level of DeFRaG.
    pub(crate) fn of(state: &State) -> Option<Self> {
        let (server, system) = (state.string(0), state.string(1));
        let version = clean(info(server, "defrag_vers")).parse().ok()?;
        let online = number(info(server, "defrag_gametype")) > 4;
        let plain = online && version != 190 || version >= 19112 && number(info(system, "sv_cheats")) != 0;
        let map_sum = clean(info(server, "mapname")).to_ascii_lowercase().bytes().map(u32::from).sum::<u32>() & 255;
        Some(RunTime { sealed: !plain, version, map_sum, holds: 0, broken: 0, last: None })
    }

    /// The time that the last snapshot stated.
    pub(crate) fn last(&self) -> Option<u32> {
        self.last
    }

    /// Starts a run, and forgets the time of the one before.
    pub(crate) fn begins(&mut self) {
        (self.holds, self.broken, self.last) = (0, 0, None);
    }

    /// Checks the seal of the current snapshot; `None` where no time runs.
    pub(crate) fn check(&mut self, state: &State) -> Option<bool> {
        let snapshot = state.snapshot()?;
        let (row, stats) = (&snapshot.player.row, &snapshot.player.arrays[array::STATS]);
        let stated = stats[TIME_HIGH] << 16 | stats[TIME_LOW] & 0xffff;
        if stated == 0 {
            return None;
        }
        if !self.sealed {
            self.last = Some(stated);
            return None;
        }
        let floor = |word: u32| (f32::from_bits(word).floor() as i32).unsigned_abs();
        let health = stats[HEALTH] as i32;
        let seed = Inputs {
            place: floor(row[ORIGIN_X]),
            speed: floor(row[VELOCITY_X]),
            health: if health <= 0 { 150 } else { health as u32 & 255 },
            direction: row[MOVEMENT_DIR] & 15,
            server_time: snapshot.server_time as u32,
            salt: self.version.wrapping_add(self.map_sum),
        };
        let time = unsealed(stated, &seed);
        match time {
            Some(time) => {
                self.holds += 1;
                self.last = Some(time);
            }
            None => self.broken += 1,
        }
        Some(time.is_some())
    }

    /// The result of the check; `None` where no time ran.
    pub(crate) fn seal(&self) -> Option<Seal> {
        let RunTime { holds, broken, last, .. } = *self;
        let states = last.map(|time| Milliseconds(time.into()).to_string());
        (holds + broken > 0).then(|| Seal { name: String::from("DeFRaG run time"), holds, broken, states })
    }
}

/// The inputs of the seal.
struct Inputs {
    place: u32,
    speed: u32,
    health: u32,
    direction: u32,
    server_time: u32,
    salt: u32,
}

/// The time in milliseconds, when its check holds.
fn unsealed(stated: u32, seed: &Inputs) -> Option<u32> {
    let mut time = stated ^ seed.place & 0xffff ^ seed.speed << 16 ^ seed.health ^ seed.direction << 28;
    let mut bytes = time.to_le_bytes();
    for at in (1..4).rev() {
        bytes[at] ^= bytes[at - 1];
    }
    time = u32::from_le_bytes(bytes);
    let key = (seed.server_time << 2).wrapping_add(seed.salt << 8) ^ seed.server_time << 24;
    time ^= key;
    let nibble = time >> 28;
    time ^= (nibble | !nibble << 4 & 0xff).wrapping_mul(0x0101_0101);
    let check = time >> 22 & 63;
    time &= 0x3f_ffff;
    let sum = (time & 63) + (time >> 6 & 63) + (time >> 12 & 63) + (time >> 18 & 15);
    (sum & 63 == check).then_some(time)
}
