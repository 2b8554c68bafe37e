//! Frames that are sought.

use fragreel::model::{Frame, FrameOptions, Look, Milliseconds, When};
use fragreel_testkit::Random;

use crate::case::Case;
use crate::clean::Clean;
use crate::operation::{Outcome, opened, part};

/// Frames that are sought are those of the straight walk.
pub fn frames(case: &Case, _: &mut Clean, seed: u64) -> Outcome {
    const SEEKS: usize = 6;
    let mut random = Random::new(seed);
    opened(case, |recording| {
        let Ok(mut walk) = recording.frames(FrameOptions::default().happenings()) else { return Ok(()) };
        let (mut frame, mut last, mut count) = (Frame::default(), Milliseconds(i64::MIN), 0_u32);
        let (mut looks, mut happenings) = (Vec::new(), Vec::new());
        while walk.next_into(&mut frame) {
            walk.looks(&mut looks);
            walk.happenings(&mut happenings);
            if let Some(early) = happenings.iter().find(|one| one.time.0 < 0) {
                return Err(format!("{early:?} is before the first frame"));
            }
            if frame.time < last || frame.time.0 < 0 {
                return Err(format!("frame {count} is at {} after {last}", frame.time));
            }
            (last, count) = (frame.time, count + 1);
        }
        if count == 0 {
            return Ok(());
        }
        let mut times: Vec<Milliseconds> = (0..SEEKS).map(|_| part(last.0, random.below(256))).collect();
        times.push(Milliseconds(i64::MAX));
        // What each should find, in the order of a second walk: the last frame that is not later, or the first.
        let mut expected = vec![None; times.len()];
        walk.rewind();
        while walk.next_into(&mut frame) {
            for (time, expected) in times.iter().zip(&mut expected) {
                if frame.time <= *time || expected.is_none() {
                    *expected = Some((frame.number, frame.time));
                }
            }
        }
        let mut sought = Vec::new();
        for (time, expected) in times.iter().zip(&expected) {
            if !walk.seek(When::Demo(*time)) || !walk.next_into(&mut frame) {
                return Err(format!("nothing is found at {time}, where frame {expected:?} is"));
            }
            if Some((frame.number, frame.time)) != *expected {
                return Err(format!("at {time} frame {} of {} is found, not {expected:?}", frame.number, frame.time));
            }
            walk.looks(&mut looks);
            walk.happenings(&mut happenings);
            sought.push((frame.number, words(&mut frame, &looks)));
        }
        walk.rewind();
        while walk.next_into(&mut frame) {
            let number = frame.number;
            for (_, found) in sought.iter().filter(|(sought, _)| *sought == number) {
                walk.looks(&mut looks);
                let straight = words(&mut frame, &looks);
                if straight != *found {
                    let at = straight.bytes().zip(found.bytes()).position(|(a, b)| a != b).unwrap_or(0).saturating_sub(60);
                    let there = |text: &str| text.chars().skip(at).take(160).collect::<String>();
                    return Err(format!("frame {number} differs when it is sought: {} instead of {}", there(found), there(&straight)));
                }
            }
        }
        Ok(())
    })
}

/// All that a frame and its looks say, but what it says of the one before: that is another one where it was sought.
fn words(frame: &mut Frame, looks: &[Look]) -> String {
    frame.players.iter_mut().for_each(|player| player.teleported = false);
    frame.entities.iter_mut().for_each(|entity| entity.teleported = false);
    frame.view.iter_mut().for_each(|view| view.teleported = false);
    format!("{frame:?} {looks:?}")
}
