//! Where players were in the last frames, and since when the recording has shown them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fragreel_model::{Frame, Milliseconds, PlayerFrame, Text};

use super::hull::Hull;

/// Places older than this are dropped.
const KEPT: Milliseconds = Milliseconds(300);
/// No more places than this are kept of a player.
const MOST: usize = 512;

/// A player in the last frames.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) slot: u16,
    pub(super) name: Option<Arc<Text>>,
    pub(super) team: Option<Arc<str>>,
    pub(super) hull: Hull,
    /// The last places, the newest last, since the player came into sight or was teleported.
    places: VecDeque<(Milliseconds, [f32; 3])>,
    /// The frame that showed the player last.
    number: u32,
    /// When the player came into sight, if a frame without the player went before.
    since: Option<Milliseconds>,
    /// Whether the player was alive in that frame.
    is_alive: bool,
    /// When the player was alive last.
    lived: u32,
}

impl Seen {
    /// Where the player was at a time, between two frames where none is there; `None` if that is further back than the player was seen.
    pub(super) fn at(&self, time: f64) -> Option<[f32; 3]> {
        let after = self.places.iter().position(|(known, _)| known.0 as f64 >= time)?;
        let (later, to) = self.places[after];
        let Some(&(earlier, from)) = after.checked_sub(1).and_then(|before| self.places.get(before)) else {
            return (later.0 as f64 - time < 1.0).then_some(to);
        };
        let part = ((time - earlier.0 as f64) / (later - earlier).0 as f64) as f32;
        Some(std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * part))
    }

    pub(super) fn origin(&self) -> Option<[f32; 3]> {
        self.places.back().map(|(_, place)| *place)
    }

    /// How far the player went in the last step between frames.
    pub(super) fn step(&self) -> Option<f32> {
        let [(_, from), (_, to)] = [self.places.get(self.places.len().checked_sub(2)?)?, self.places.back()?];
        Some(crate::geometry::distance(*from, *to))
    }

    /// Whether the player lived in a frame or in the one before: the frame of a shot shows whom it killed dead.
    pub(super) fn lived(&self, number: u32) -> bool {
        self.number == number && self.lived + 1 >= number
    }
}

/// All players in sight.
#[derive(Debug, Default)]
pub(super) struct Sight {
    seen: BTreeMap<u16, Seen>,
    level: Option<u32>,
    /// Whose view the last frame has, and its number.
    view: Option<u16>,
    number: u32,
}

impl Sight {
    pub(super) fn of(&self, slot: u16) -> Option<&Seen> {
        self.seen.get(&slot).filter(|seen| seen.number == self.number)
    }

    /// The players of this frame and of the one before.
    pub(super) fn recent(&self) -> impl Iterator<Item = &Seen> {
        self.seen.values().filter(|seen| seen.number + 1 >= self.number)
    }

    /// Takes a frame in. `hull` measures a player in it.
    pub(super) fn frame(&mut self, frame: &Frame, mut hull: impl FnMut(&PlayerFrame) -> Hull) {
        let view = frame.view.as_ref().and_then(|view| view.slot);
        let follows = self.level == Some(frame.level) && self.number + 1 == frame.number;
        if !follows || view != self.view {
            self.seen.clear();
        }
        let is_watched = follows && view.is_some() && view == self.view;
        (self.level, self.view, self.number) = (Some(frame.level), view, frame.number);
        for player in frame.players.iter().filter(|player| player.spectator != Some(true)) {
            let Some(origin) = player.origin.filter(|origin| origin.iter().all(|axis| axis.is_finite())) else { continue };
            let is_alive = player.alive != Some(false);
            let before = self.seen.remove(&player.slot).filter(|seen| seen.number + 1 == frame.number);
            let came = Some(frame.time).filter(|_| is_watched);
            let mut seen = Seen {
                slot: player.slot,
                name: player.name.clone(),
                team: player.team.clone(),
                hull: hull(player),
                places: VecDeque::new(),
                number: frame.number,
                since: came,
                is_alive,
                lived: frame.number,
            };
            if let Some(before) = before {
                (seen.places, seen.since, seen.lived) = (before.places, before.since, before.lived);
                if player.teleported || is_alive != before.is_alive && is_alive {
                    seen.places.clear();
                }
                if is_alive && !before.is_alive {
                    seen.since = came;
                }
                if is_alive {
                    seen.lived = frame.number;
                } else {
                    seen.hull = before.hull;
                }
            } else if !is_alive {
                continue;
            }
            if is_alive {
                seen.places.push_back((frame.time, origin));
            }
            while seen.places.len() > MOST || seen.places.len() > 2 && seen.places.front().is_some_and(|(time, _)| frame.time - *time > KEPT) {
                seen.places.pop_front();
            }
            self.seen.insert(player.slot, seen);
        }
    }

    /// For how long the recording has shown a player at a time, where it shows what one player saw.
    pub(super) fn since(&self, slot: u16, time: Milliseconds) -> Option<Milliseconds> {
        let since = self.of(slot)?.since?;
        Some((time - since).max(Milliseconds(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HULL: Hull = Hull { half: 16.0, bottom: -24.0, top: 32.0, eyes: 22.0 };

    fn show(sight: &mut Sight, number: u32, target: Option<(f32, bool)>) {
        let mut frame = Frame::default();
        (frame.number, frame.time) = (number, Milliseconds(i64::from(number) * 50));
        frame.view = Some(fragreel_model::View::new(Some(0), [0.0; 3], None));
        frame.add_player(0).origin = Some([0.0; 3]);
        if let Some((x, alive)) = target {
            let player = frame.add_player(1);
            (player.origin, player.alive) = (Some([x, 0.0, 0.0]), Some(alive));
        }
        sight.frame(&frame, |_| HULL);
    }

    #[test]
    fn sight_begins_after_a_frame_without_the_player() {
        let mut sight = Sight::default();
        show(&mut sight, 0, Some((0.0, true)));
        show(&mut sight, 1, Some((0.0, true)));
        assert_eq!(sight.since(1, Milliseconds(50)), None, "the first frame has the player already");
        show(&mut sight, 2, None);
        show(&mut sight, 3, Some((10.0, true)));
        show(&mut sight, 4, Some((20.0, true)));
        assert_eq!(sight.since(1, Milliseconds(200)), Some(Milliseconds(50)));
        assert_eq!((sight.of(1).unwrap().at(175.0), sight.of(1).unwrap().step()), (Some([15.0, 0.0, 0.0]), Some(10.0)));
        show(&mut sight, 5, Some((30.0, false)));
        let dead = sight.of(1).unwrap();
        assert_eq!((dead.lived(5), dead.origin()), (true, Some([20.0, 0.0, 0.0])), "who dies in this frame is where the frame before has the player");
        show(&mut sight, 6, Some((30.0, false)));
        assert!(!sight.of(1).unwrap().lived(6));
        show(&mut sight, 7, Some((500.0, true)));
        assert_eq!((sight.since(1, Milliseconds(350)), sight.of(1).unwrap().at(320.0)), (Some(Milliseconds(0)), None), "a new life is a new sight");
    }

    #[test]
    fn sight_is_unknown_after_lost_frames_and_without_a_view() {
        let mut sight = Sight::default();
        show(&mut sight, 0, None);
        show(&mut sight, 2, Some((0.0, true)));
        assert_eq!(sight.since(1, Milliseconds(100)), None);
    }
}
