//! What the other fields of a player or an entity say of the next one (`docs/formats/pack.md`, "Hints").
//!
//! The game computes some fields from others: a gun turns against the view, a view leans as the player moves.

use super::names::key_of;

/// Which field it is, with the key of another that it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hinted {
    /// Where an entity was before.
    OldOrigin(u64),
    /// The frame that a frame is the difference from.
    Base,
    /// How the gun and the view turn with the player.
    Gun(Axis),
    Kick(Axis),
    /// The speed of a player.
    Velocity(u64),
    /// An entity's place and yaw, which may be those of the recording player.
    OwnOrigin(u64),
    OwnYaw(u64),
}

/// An axis of an angle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Axis {
    Pitch,
    Yaw,
    Roll,
}

impl Hinted {
    pub(super) fn of(name: &str) -> Option<Self> {
        const ORIGIN: [u64; 3] = [key_of("origin_x"), key_of("origin_y"), key_of("origin_z")];
        Some(match name {
            "old_origin_x" => Hinted::OldOrigin(ORIGIN[0]),
            "old_origin_y" => Hinted::OldOrigin(ORIGIN[1]),
            "old_origin_z" => Hinted::OldOrigin(ORIGIN[2]),
            "delta" => Hinted::Base,
            "gunangles_x" => Hinted::Gun(Axis::Pitch),
            "gunangles_y" => Hinted::Gun(Axis::Yaw),
            "gunangles_z" => Hinted::Gun(Axis::Roll),
            "kick_angles_x" => Hinted::Kick(Axis::Pitch),
            "kick_angles_z" => Hinted::Kick(Axis::Roll),
            "velocity_x" => Hinted::Velocity(ORIGIN[0]),
            "velocity_y" => Hinted::Velocity(ORIGIN[1]),
            "velocity_z" => Hinted::Velocity(ORIGIN[2]),
            "origin_x" => Hinted::OwnOrigin(ORIGIN[0]),
            "origin_y" => Hinted::OwnOrigin(ORIGIN[1]),
            "origin_z" => Hinted::OwnOrigin(ORIGIN[2]),
            "angles_y" => Hinted::OwnYaw(key_of("viewangles_y")),
            _ => return None,
        })
    }
}

/// What a field is expected to be, and two numbers that say how sure that is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hint {
    /// Values that it may well have.
    pub likely: [Option<i64>; 2],
    /// What it is coded as a difference from, if the others do not decide that.
    pub value: Option<i64>,
    pub more: [i64; 2],
}

/// Sines of 256ths of a turn, in 2^14ths: an approximation within a five-hundredth.
static SINES: [i64; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 128 {
        let p = at * (128 - at) * 32400 / 16384;
        let sine = 4 * p * 16384 / (40500 - p);
        table[at as usize] = sine;
        table[at as usize + 128] = -sine;
        at += 1;
    }
    table
};

/// What a player's other fields are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Player {
    /// How far pitch and yaw turned with this frame, and how far the player moved.
    pub turned: [i64; 2],
    pub moved: [i64; 2],
    pub yaw: u32,
    /// The height of the eyes, in quarters.
    pub height: i64,
    /// The gun's yaw.
    pub gun_yaw: i64,
}

impl Player {
    /// The part of the height that a step adds.
    fn bob(&self) -> i64 {
        match self.height {
            88..=112 => self.height - 88,
            -8..=16 => self.height + 8,
            _ => 0,
        }
    }

    /// The gun lags behind the view by a fifth, and moves with the steps.
    pub(crate) fn gun(&self, axis: Axis) -> Hint {
        let bob = self.bob();
        let [pitch, yaw] = self.turned;
        // a fifth of a turn of 65536 in quarters of degrees, in 256ths
        let exact = match axis {
            Axis::Pitch => bob * 256 - pitch * 9 / 8,
            Axis::Yaw => -yaw * 9 / 8,
            Axis::Roll => (self.gun_yaw * 256 + yaw * 9 / 8) / 2 - yaw * 9 / 16,
        };
        hint(exact, bob)
    }

    /// The view leans against the way.
    pub(crate) fn kick(&self, axis: Axis) -> Hint {
        let (sine, cosine) = (SINES[(self.yaw >> 8) as usize & 255], SINES[((self.yaw >> 8) + 64) as usize & 255]);
        let [x, y] = self.moved;
        let bob = self.bob();
        let exact = match axis {
            Axis::Roll => ((x * sine - y * cosine) * 64 / 10) >> 14,
            _ => (((x * cosine + y * sine) * 256 / 100) >> 14) + bob * 102,
        };
        hint(exact, bob)
    }
}

/// Numbers of about the same size.
pub(crate) fn rough(number: i64) -> i64 {
    let amount = number.unsigned_abs();
    let bits = 64 - amount.leading_zeros();
    let rough = if bits < 3 { amount } else { u64::from(bits) << 2 | amount >> (bits - 3) & 3 } as i64;
    if number < 0 { -rough } else { rough }
}

/// A hint of 256ths.
fn hint(exact: i64, other: i64) -> Hint {
    Hint { likely: [None; 2], value: Some((exact + 128) >> 8), more: [other, exact >> 6 & 3] }
}
