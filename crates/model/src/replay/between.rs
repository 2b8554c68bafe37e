//! What stands between two frames, as engines draw it.

use crate::{Frame, Milliseconds, Motion, Trajectory};

/// Puts into `out` what the game looks like at `time` (since the recording's first frame), between the frames `from` and `to`.
///
/// Places, angles and velocities go evenly from one frame's to the other's, angles the short way; what has a [`Motion`] follows it
/// on the server's clock. What teleported, what is in one of the frames only, and frames of different levels are not interpolated:
/// there the last frame stands. Everything else (names, health, weapons) is the earlier frame's.
///
/// ```
/// use fragreel_model::{Frame, Milliseconds};
///
/// let mut frames = [Frame::default(), Frame::default()];
/// frames[1].time = Milliseconds(100);
/// frames[0].add_player(3).origin = Some([0.0, 0.0, 0.0]);
/// frames[1].add_player(3).origin = Some([10.0, 0.0, 20.0]);
/// let mut out = Frame::default();
/// fragreel_model::replay::between(&frames[0], &frames[1], Milliseconds(50), &mut out);
/// assert_eq!(out.players[0].origin, Some([5.0, 0.0, 10.0]));
/// ```
pub fn between(from: &Frame, to: &Frame, time: Milliseconds, out: &mut Frame) {
    out.clone_from(from);
    let span = to.time.0 - from.time.0;
    let passed = (time.0 - from.time.0).clamp(0, span.max(0));
    if passed == 0 {
        return;
    }
    out.time = from.time + Milliseconds(passed);
    // a server's clock may start again between the two; that of the recording may run a little beside it
    let clocks_agree = from.level == to.level && (to.server_time.0 - from.server_time.0 - span).abs() < crate::replay::RESTART;
    out.server_time = from.server_time + Milliseconds(passed);
    out.match_time = from.match_time.map(|shown| if to.match_time == Some(shown) { shown } else { shown + Milliseconds(passed) });
    for entity in &mut out.entities {
        if let Some(motion) = &entity.motion
            && motion.trajectory != Trajectory::Interpolate
        {
            entity.origin = Some(motion.at(out.server_time));
            entity.velocity = entity.velocity.map(|_| motion.rate_at(out.server_time));
        }
        if let Some(turning) = &entity.turning
            && turning.trajectory != Trajectory::Interpolate
        {
            entity.angles = Some(turning.at(out.server_time));
        }
    }
    if !clocks_agree {
        return;
    }
    let part = passed as f32 / span as f32;
    if let (Some(view), Some(next)) = (&mut out.view, &to.view)
        && view.slot == next.slot
        && !next.teleported
    {
        view.origin = mix(view.origin, next.origin, part);
        view.angles = both(view.angles, next.angles, part, turn);
    }
    for player in &mut out.players {
        let Some(next) = to.player(player.slot).filter(|next| !next.teleported) else { continue };
        player.origin = both(player.origin, next.origin, part, mix);
        player.velocity = both(player.velocity, next.velocity, part, mix);
        player.angles = both(player.angles, next.angles, part, turn);
    }
    for entity in &mut out.entities {
        let Some(next) = to.entity(entity.number).filter(|next| !next.teleported && next.kind == entity.kind) else { continue };
        if interpolates(entity.motion.as_ref()) {
            entity.origin = both(entity.origin, next.origin, part, mix);
            entity.velocity = both(entity.velocity, next.velocity, part, mix);
        }
        if interpolates(entity.turning.as_ref()) {
            entity.angles = both(entity.angles, next.angles, part, turn);
        }
    }
}

fn interpolates(motion: Option<&Motion>) -> bool {
    motion.is_none_or(|motion| motion.trajectory == Trajectory::Interpolate)
}

/// Where both are known what lies between; else what the earlier one says.
fn both(from: Option<[f32; 3]>, to: Option<[f32; 3]>, part: f32, between: fn([f32; 3], [f32; 3], f32) -> [f32; 3]) -> Option<[f32; 3]> {
    match (from, to) {
        (Some(from), Some(to)) => Some(between(from, to, part)),
        _ => from,
    }
}

/// What lies between two places.
pub fn mix(from: [f32; 3], to: [f32; 3], part: f32) -> [f32; 3] {
    std::array::from_fn(|axis| from[axis] + (to[axis] - from[axis]) * part)
}

/// What lies between two angles in degrees, the short way round.
pub fn turn(from: [f32; 3], to: [f32; 3], part: f32) -> [f32; 3] {
    std::array::from_fn(|axis| {
        let mut way = (to[axis] - from[axis]) % 360.0;
        if way > 180.0 {
            way -= 360.0;
        } else if way < -180.0 {
            way += 360.0;
        }
        from[axis] + way * part
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntityFrame, EntityKind, View};

    fn frame(time: i64, origin: [f32; 3], yaw: f32) -> Frame {
        let mut frame = Frame::default();
        (frame.time, frame.server_time) = (Milliseconds(time), Milliseconds(time + 1000));
        frame.view = Some(View::new(Some(0), origin, Some([0.0, yaw, 0.0])));
        frame.add_player(0).origin = Some(origin);
        let mut entity = EntityFrame::new(70, EntityKind::Mover);
        entity.origin = Some(origin);
        frame.entities.push(entity);
        frame
    }

    #[test]
    fn angles_turn_the_short_way() {
        let mut out = Frame::default();
        between(&frame(0, [0.0; 3], 350.0), &frame(100, [10.0; 3], 10.0), Milliseconds(25), &mut out);
        let view = out.view.as_ref().unwrap();
        assert_eq!((view.origin, view.angles), ([2.5; 3], Some([0.0, 355.0, 0.0])));
        assert_eq!((out.players[0].origin, out.entities[0].origin), (Some([2.5; 3]), Some([2.5; 3])));
        assert_eq!(out.server_time, Milliseconds(1025));
        assert_eq!(turn([10.0, -170.0, 0.0], [350.0, 170.0, 0.0], 0.5), [0.0, -180.0, 0.0]);
    }

    #[test]
    fn teleports_and_levels_are_not_crossed() {
        let from = frame(0, [0.0; 3], 0.0);
        let mut to = frame(100, [10.0; 3], 0.0);
        to.players[0].teleported = true;
        to.entities[0].teleported = true;
        to.view.as_mut().unwrap().teleported = true;
        let mut out = Frame::default();
        between(&from, &to, Milliseconds(50), &mut out);
        assert_eq!((out.players[0].origin, out.entities[0].origin, out.view.as_ref().unwrap().origin), (Some([0.0; 3]), Some([0.0; 3]), [0.0; 3]));
        let mut other = frame(100, [10.0; 3], 0.0);
        other.level = 1;
        between(&from, &other, Milliseconds(50), &mut out);
        assert_eq!(out.players[0].origin, Some([0.0; 3]));
    }

    #[test]
    fn motions_go_on_by_themselves() {
        let mut from = frame(0, [0.0; 3], 0.0);
        from.entities[0].motion = Some(Motion::new(Trajectory::Linear, Milliseconds(1000), Milliseconds(0), [1.0; 3], [100.0; 3]));
        let to = frame(100, [0.0; 3], 0.0);
        let mut out = Frame::default();
        between(&from, &to, Milliseconds(50), &mut out);
        assert_eq!(out.entities[0].origin, Some([6.0; 3]), "though the next frame does not have it there");
    }
}
