//! A frame as one line of JSON. The bytes are those of the frame as a whole.

use std::io;
use std::mem::take;

use fragreel::model::{Frame, PlayerFrame};

use super::known::Known;
use crate::{json, numbers};

/// What ends a frame without players and entities.
const END: &[u8] = b"\"players\":[],\"entities\":[]}\n";

/// What stands for a player's place.
const PLACE: &[u8] = b",\"origin\":[0.0,0.0,0.0]";

/// Writes the line of a frame.
pub fn append(text: &mut Vec<u8>, path: &str, frame: &mut Frame, known: &mut Known) -> io::Result<()> {
    let (players, entities) = (take(&mut frame.players), take(&mut frame.entities));
    let written = json::append_about(text, path, frame);
    (frame.players, frame.entities) = (players, entities);
    written?;
    debug_assert!(text.ends_with(END));
    text.truncate(text.len() - END.len());
    text.extend_from_slice(b"\"players\":[");
    for (at, player) in frame.players.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        append_player(text, player, known);
    }
    text.extend_from_slice(b"],\"entities\":");
    json::append(text, &frame.entities)?;
    text.extend_from_slice(b"}\n");
    Ok(())
}

fn append_player(text: &mut Vec<u8>, player: &PlayerFrame, known: &mut Known) {
    let parts = known.parts(player, || around_place(player));
    text.extend_from_slice(&parts.before);
    append_three(text, b",\"origin\":[", player.origin);
    append_three(text, b",\"velocity\":[", player.velocity);
    append_three(text, b",\"angles\":[", player.angles);
    text.extend_from_slice(&parts.behind);
}

fn append_three(text: &mut Vec<u8>, key: &[u8], values: Option<[f32; 3]>) {
    let Some([x, y, z]) = values else { return };
    text.extend_from_slice(key);
    numbers::push_json(text, x);
    text.push(b',');
    numbers::push_json(text, y);
    text.push(b',');
    numbers::push_json(text, z);
    text.push(b']');
}

/// A player's text before and behind its place, velocity, and angles.
fn around_place(player: &PlayerFrame) -> [Vec<u8>; 2] {
    let mut player = player.clone();
    (player.origin, player.velocity, player.angles) = (Some([0.0; 3]), None, None);
    let mut text = Vec::new();
    // memory takes it
    let _ = json::append(&mut text, &player);
    // quotes in names are escaped, so that no name has it
    let place = text.windows(PLACE.len()).position(|window| window == PLACE).unwrap_or_default();
    let behind = text.get(place + PLACE.len()..).unwrap_or_default().to_vec();
    text.truncate(place);
    [text, behind]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fragreel::model::{EntityFrame, EntityKind, EntityKinds, FrameOptions, Text};

    use super::*;

    fn compare(frame: &mut Frame, known: &mut Known) {
        let (mut ours, mut whole) = (Vec::new(), Vec::new());
        append(&mut ours, "a \"b\"", frame, known).unwrap();
        json::append_about(&mut whole, "a \"b\"", frame).unwrap();
        assert_eq!(String::from_utf8(ours).unwrap(), String::from_utf8(whole).unwrap());
    }

    #[test]
    fn frames_of_all_samples_are_written_as_a_whole() {
        let mut frames = 0;
        let families = ["quake3", "quake2", "goldsrc", "quake1"];
        for sample in families.into_iter().flat_map(fragreel_testkit::samples) {
            let bytes = sample.bytes();
            let Ok(recording) = fragreel::Recording::open(bytes, &sample.name) else { continue };
            let options = FrameOptions { entities: EntityKinds::ALL, ..FrameOptions::default() };
            let Ok(mut walk) = recording.frames(options) else { continue };
            let (mut known, mut frame) = (Known::default(), Frame::default());
            while walk.next_into(&mut frame) {
                compare(&mut frame, &mut known);
                frames += 1;
            }
        }
        assert!(frames > 10_000, "{frames}");
    }

    #[test]
    fn players_that_change_are_written_anew() {
        let (mut known, mut frame) = (Known::default(), Frame::default());
        frame.add_player(3).name = Some(Arc::new(Text::plain(",\"origin\":[0.0,0.0,0.0]")));
        frame.entities.push(EntityFrame::new(7, EntityKind::Item));
        compare(&mut frame, &mut known);
        for (origin, health) in
            [(None, None), (Some([1.0, -0.0, 0.5]), None), (Some([1.0, 0.0, f32::NAN]), Some(3)), (Some([0.0; 3]), Some(-3)), (None, Some(-3))]
        {
            (frame.players[0].origin, frame.players[0].angles, frame.players[0].health) = (origin, origin, health);
            compare(&mut frame, &mut known);
        }
        (0..3000).for_each(|slot| frame.add_player(slot).score = Some(i32::from(slot)));
        compare(&mut frame, &mut known);
        frame.players.iter_mut().for_each(|player| player.score = None);
        compare(&mut frame, &mut known);
    }
}
