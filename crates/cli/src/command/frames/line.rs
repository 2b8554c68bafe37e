//! A frame as one line of JSON. The bytes are those of the frame as a whole.

use std::io;

use fragreel::model::{Frame, PlayerFrame, View};

use super::known::{Form, Known, Places};
use crate::json;
use crate::numbers::{self, Recent};

/// What stands for a player's place.
const PLACE: &[u8] = b",\"origin\":[0.0,0.0,0.0]";

/// Writes the lines of a recording's frames.
pub struct Lines {
    /// The start of every line.
    start: Vec<u8>,
    form: Json,
    known: Known,
}

impl Lines {
    /// Creates lines for a file.
    pub fn about(path: &str) -> Self {
        let mut start = b"{\"path\":".to_vec();
        // writing to memory cannot fail
        drop(json::append(&mut start, &path));
        Lines { start, form: Json { numbers: Recent::new(numbers::push_json) }, known: Known::default() }
    }

    /// Writes the line of a frame.
    pub fn append(&mut self, text: &mut Vec<u8>, frame: &Frame) -> io::Result<()> {
        text.extend_from_slice(&self.start);
        append_integer(text, b",\"number\":", frame.number);
        append_integer(text, b",\"message\":", frame.message);
        append_integer(text, b",\"level\":", frame.level);
        append_integer(text, b",\"time\":", frame.time.0);
        append_integer(text, b",\"server_time\":", frame.server_time.0);
        if let Some(time) = frame.match_time {
            append_integer(text, b",\"match_time\":", time.0);
        }
        if frame.uncertain {
            text.extend_from_slice(b",\"uncertain\":true");
        }
        if let Some(view) = &frame.view {
            self.form.append_view(text, view);
        }
        text.extend_from_slice(b",\"players\":[");
        for (at, player) in frame.players.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            self.known.append(text, &mut self.form, player, false);
        }
        text.extend_from_slice(b"],\"entities\":");
        json::append(text, &frame.entities)?;
        text.extend_from_slice(b"}\n");
        Ok(())
    }
}

fn append_integer(text: &mut Vec<u8>, key: &[u8], value: impl itoa::Integer) {
    text.extend_from_slice(key);
    numbers::push_integer(text, value);
}

/// Views and players as objects.
struct Json {
    numbers: Recent,
}

impl Json {
    fn append_view(&mut self, text: &mut Vec<u8>, view: &View) {
        text.extend_from_slice(b",\"view\":{");
        if let Some(slot) = view.slot {
            append_integer(text, b"\"slot\":", slot);
            text.push(b',');
        }
        self.append_three(text, b"\"origin\":[", view.origin);
        if let Some(angles) = view.angles {
            self.append_three(text, b",\"angles\":[", angles);
        }
        if let Some(fov) = view.fov {
            text.extend_from_slice(b",\"fov\":");
            self.numbers.push(text, fov);
        }
        text.extend_from_slice(if view.teleported { b",\"teleported\":true}" } else { b",\"teleported\":false}" });
    }

    #[inline]
    fn append_three(&mut self, text: &mut Vec<u8>, key: &[u8], [x, y, z]: [f32; 3]) {
        text.extend_from_slice(key);
        self.numbers.push(text, x);
        text.push(b',');
        self.numbers.push(text, y);
        text.push(b',');
        self.numbers.push(text, z);
        text.push(b']');
    }
}

impl Form for Json {
    fn append_around(&mut self, before: &mut Vec<u8>, behind: &mut Vec<u8>, player: &PlayerFrame, _: bool) {
        let mut player = player.clone();
        (player.origin, player.velocity, player.angles) = (Some([0.0; 3]), None, None);
        // writing to memory cannot fail
        drop(json::append(before, &player));
        // no name contains it, because quotes in names are escaped
        let place = before.windows(PLACE.len()).position(|window| window == PLACE).unwrap_or_default();
        behind.extend_from_slice(before.get(place + PLACE.len()..).unwrap_or_default());
        before.truncate(place);
    }

    fn append_places(&mut self, text: &mut Vec<u8>, [origin, velocity, angles]: &Places) {
        for (key, values) in [(&b",\"origin\":["[..], origin), (b",\"velocity\":[", velocity), (b",\"angles\":[", angles)] {
            if let Some(values) = *values {
                self.append_three(text, key, values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fragreel::model::{EntityFrame, EntityKind, EntityKinds, FrameOptions, Text};

    use super::*;

    fn lines() -> Lines {
        Lines::about("a \"b\"")
    }

    fn compare(frame: &Frame, lines: &mut Lines) {
        let (mut ours, mut whole) = (Vec::new(), Vec::new());
        lines.append(&mut ours, frame).unwrap();
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
            let (mut lines, mut frame) = (lines(), Frame::default());
            while walk.next_into(&mut frame) {
                compare(&frame, &mut lines);
                frames += 1;
            }
        }
        assert!(frames > 10_000, "{frames}");
    }

    #[test]
    fn players_that_change_are_written_anew() {
        let (mut lines, mut frame) = (lines(), Frame::default());
        frame.add_player(3).name = Some(Arc::new(Text::plain(",\"origin\":[0.0,0.0,0.0]")));
        frame.entities.push(EntityFrame::new(7, EntityKind::Item));
        compare(&frame, &mut lines);
        for (origin, health) in
            [(None, None), (Some([1.0, -0.0, 0.5]), None), (Some([1.0, 0.0, f32::NAN]), Some(3)), (Some([0.0; 3]), Some(-3)), (None, Some(-3))]
        {
            (frame.players[0].origin, frame.players[0].angles, frame.players[0].health) = (origin, origin, health);
            compare(&frame, &mut lines);
        }
        (0..3000).for_each(|slot| frame.add_player(slot).score = Some(i32::from(slot)));
        compare(&frame, &mut lines);
        frame.players.iter_mut().for_each(|player| player.score = None);
        compare(&frame, &mut lines);
    }
}
