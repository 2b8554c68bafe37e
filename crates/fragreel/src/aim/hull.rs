//! The boxes of players, and their eyes.

use fragreel_model::{Family, PlayerFrame, Subject};

use crate::Frames;

/// A player's box around the origin, and the height of the eyes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hull {
    /// Half of the width.
    pub(super) half: f32,
    pub(super) bottom: f32,
    pub(super) top: f32,
    pub(super) eyes: f32,
}

impl Hull {
    /// The hull of a player in each game: standing, or crouching.
    fn usual(family: Family, is_crouching: bool) -> Hull {
        let [half, bottom, top, eyes] = match (family, is_crouching) {
            (Family::Quake3, false) => [15.0, -24.0, 32.0, 26.0],
            (Family::Quake3, true) => [15.0, -24.0, 16.0, 12.0],
            (Family::Quake2, true) => [16.0, -24.0, 4.0, -2.0],
            (Family::GoldSrc, false) => [16.0, -36.0, 36.0, 17.0],
            (Family::GoldSrc, true) => [16.0, -18.0, 18.0, 12.0],
            _ => [16.0, -24.0, 32.0, 22.0],
        };
        Hull { half, bottom, top, eyes }
    }

    /// The hull of a player in a frame. Quake II and III state the box of every other player.
    pub(super) fn of(family: Family, frames: &Frames, player: &PlayerFrame) -> Hull {
        let usual = Hull::usual(family, player.crouching == Some(true));
        let solid = || frames.raw(Subject::Player(player.slot), "solid").and_then(|value| value.as_int()).filter(|solid| *solid > 0);
        let stated = match family {
            Family::Quake3 => solid().map(|solid| quake3(usual, solid)),
            Family::Quake2 => solid().map(|solid| quake2(usual, solid)),
            _ => None,
        };
        stated.unwrap_or(usual)
    }

    /// The corners of the box of a player who stands at a place.
    pub(super) fn around(self, [x, y, z]: [f32; 3]) -> [[f32; 3]; 2] {
        [[x - self.half, y - self.half, z + self.bottom], [x + self.half, y + self.half, z + self.top]]
    }
}

/// `solid` of Quake III: half of the width, the way down, and the way up and 32, a byte each.
fn quake3(usual: Hull, solid: i64) -> Hull {
    if solid >= 0xff_ffff {
        return usual;
    }
    let byte = |at: u32| (solid >> at & 0xff) as f32;
    Hull { half: byte(0), bottom: -byte(8), top: byte(16) - 32.0, ..usual }
}

/// `solid` of Quake II: half of the width and the way down in 5 bits each, the way up and 32 in 6, all in units of 8.
fn quake2(usual: Hull, solid: i64) -> Hull {
    if solid >= 0xffff {
        return usual;
    }
    let part = |at: u32, mask: i64| (solid >> at & mask) as f32 * 8.0;
    Hull { half: part(0, 31), bottom: -part(5, 31), top: part(10, 63) - 32.0, ..usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stated_boxes_are_those_of_standing_and_crouching_players() {
        let standing = Hull::usual(Family::Quake3, false);
        assert_eq!(quake3(standing, 15 | 24 << 8 | 64 << 16), standing);
        assert_eq!(quake3(standing, 15 | 24 << 8 | 48 << 16).top, 16.0);
        let usual = Hull::usual(Family::Quake2, false);
        assert_eq!(quake2(usual, 2 | 3 << 5 | 8 << 10), usual);
        assert_eq!((quake2(usual, 0xffff), quake3(usual, 0xff_ffff)), (usual, usual), "a part of the map has no box of its own");
    }
}
