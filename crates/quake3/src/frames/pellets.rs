//! The pellets of a shotgun. Server and client compute the same pattern from the seed of the event (`docs/formats/quake3-events.md`, "Happenings").

use crate::dialect::Line;
use crate::game::{Game, Mod};

/// Pellets of a shot.
const COUNT: usize = 11;
/// How far a pellet goes, and how far from its aim it is there at most, to either side and up or down.
const FAR: f32 = 8192.0 * 16.0;
const SPREAD: f32 = 700.0 * 16.0;

/// Whether the pattern of the game is known. Quake Live and CPMA have others.
pub(super) fn are_known(game: &Game) -> bool {
    game.line == Line::Quake3 && matches!(game.modification, Mod::None | Mod::TeamArena | Mod::Osp)
}

/// The directions of the pellets of a shot that is aimed along a way; nothing if that has no length.
pub(super) fn directions(aimed: [f32; 3], seed: u32) -> Option<[[f32; 3]; COUNT]> {
    let forward = normal(aimed)?;
    let right = across(forward)?;
    let up = [forward[1] * right[2] - forward[2] * right[1], forward[2] * right[0] - forward[0] * right[2], forward[0] * right[1] - forward[1] * right[0]];
    let mut seed = seed;
    let mut directions = [[0.0; 3]; COUNT];
    for direction in &mut directions {
        let (aside, above) = (random(&mut seed) * SPREAD, random(&mut seed) * SPREAD);
        *direction = normal([0, 1, 2].map(|axis| forward[axis] * FAR + right[axis] * aside + up[axis] * above))?;
    }
    Some(directions)
}

/// The next number of the games' generator, from -1 to 1.
fn random(seed: &mut u32) -> f32 {
    *seed = seed.wrapping_mul(69069).wrapping_add(1);
    2.0 * ((*seed & 0xffff) as f32 / 65536.0 - 0.5)
}

/// A direction at right angles to another: the axis that points along it least, projected.
fn across(forward: [f32; 3]) -> Option<[f32; 3]> {
    let mut least = 0;
    for axis in 1..3 {
        if forward[axis].abs() < forward[least].abs() {
            least = axis;
        }
    }
    let along = forward[least];
    normal([0, 1, 2].map(|axis| f32::from(u8::from(axis == least)) - along * forward[axis]))
}

/// The same direction with the length 1.
pub(super) fn normal(way: [f32; 3]) -> Option<[f32; 3]> {
    let length = way.iter().map(|part| part * part).sum::<f32>().sqrt();
    (length > 0.0 && length.is_finite()).then(|| way.map(|part| part / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_pattern() {
        // 69069 * 7 + 1 = 483484, whose low half is 24732; that of the next one is 18669
        let [first, .., last] = directions([4096.0, 0.0, 0.0], 7).unwrap();
        let (aside, above) = (2.0 * (24732.0 / 65536.0 - 0.5) * 700.0 / 8192.0, 2.0 * (18669.0 / 65536.0 - 0.5) * 700.0 / 8192.0);
        // to the right of +x is +y here, and up is +z
        assert!((first[1] / first[0] - aside).abs() < 1e-6 && (first[2] / first[0] - above).abs() < 1e-6, "{first:?}");
        assert_ne!(first, last);
        assert_eq!(directions([0.0; 3], 7), None);
    }

    #[test]
    fn games_with_another_pattern_have_no_pellets() {
        let of = |line, info: &[u8]| are_known(&Game::of(line, info, b"", b""));
        assert!(of(Line::Quake3, b""));
        assert!(!of(Line::Quake3, b"\\gamename\\cpma") && !of(Line::QuakeLive, b""));
    }
}
