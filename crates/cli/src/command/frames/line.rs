//! A frame as one line of JSON. The bytes are those of the frame as a whole.

use std::io;

use fragreel::model::{Frame, PlayerFrame, View};

use super::known::{Form, Known, Places};
use super::parts::{Before, Behind};
use super::piece::Piece;
use crate::json;
use crate::numbers::{self, Recent};

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
        Lines { start, form: Json { numbers: Recent::new(numbers::push_json), piece: Piece::new() }, known: Known::default() }
    }

    /// Writes the line of a frame.
    pub fn append(&mut self, text: &mut Vec<u8>, frame: &Frame) -> io::Result<()> {
        text.extend_from_slice(&self.start);
        let piece = &mut self.form.piece;
        piece.bytes(text, b",\"number\":");
        piece.integer(text, frame.number);
        piece.bytes(text, b",\"message\":");
        piece.integer(text, frame.message);
        piece.bytes(text, b",\"level\":");
        piece.integer(text, frame.level);
        piece.bytes(text, b",\"time\":");
        piece.integer(text, frame.time.0);
        piece.bytes(text, b",\"server_time\":");
        piece.integer(text, frame.server_time.0);
        if let Some(time) = frame.match_time {
            piece.bytes(text, b",\"match_time\":");
            piece.integer(text, time.0);
        }
        if frame.uncertain {
            piece.bytes(text, b",\"uncertain\":true");
        }
        if let Some(view) = &frame.view {
            self.form.append_view(text, view);
        }
        let piece = &mut self.form.piece;
        piece.bytes(text, b",\"players\":[");
        piece.end(text);
        for (at, player) in frame.players.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            self.known.append(text, &mut self.form, player, false);
        }
        if frame.entities.is_empty() {
            text.extend_from_slice(b"],\"entities\":[]}\n");
            return Ok(());
        }
        text.extend_from_slice(b"],\"entities\":");
        json::append(text, &frame.entities)?;
        text.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// Views and players as objects.
struct Json {
    numbers: Recent,
    piece: Piece,
}

impl Json {
    fn append_view(&mut self, text: &mut Vec<u8>, view: &View) {
        self.piece.bytes(text, b",\"view\":{");
        if let Some(slot) = view.slot {
            self.piece.bytes(text, b"\"slot\":");
            self.piece.integer(text, slot);
            self.piece.bytes(text, b",");
        }
        self.piece.bytes(text, b"\"origin\":[");
        self.append_three(text, view.origin);
        if let Some(angles) = view.angles {
            self.piece.bytes(text, b",\"angles\":[");
            self.append_three(text, angles);
        }
        if let Some(fov) = view.fov {
            self.piece.bytes(text, b",\"fov\":");
            self.piece.number(text, &mut self.numbers, fov);
        }
        self.piece.bytes(text, b",\"teleported\":");
        if view.teleported {
            self.piece.bytes(text, b"true}");
        } else {
            self.piece.bytes(text, b"false}");
        }
    }

    #[inline]
    fn append_three(&mut self, text: &mut Vec<u8>, [x, y, z]: [f32; 3]) {
        self.piece.number(text, &mut self.numbers, x);
        self.piece.bytes(text, b",");
        self.piece.number(text, &mut self.numbers, y);
        self.piece.bytes(text, b",");
        self.piece.number(text, &mut self.numbers, z);
        self.piece.bytes(text, b"]");
    }
}

impl Form for Json {
    fn append_around(&mut self, before: &mut Vec<u8>, behind: &mut Vec<u8>, player: &PlayerFrame, _: bool) {
        // writing to memory cannot fail
        drop(json::append(before, &Before::of(player)));
        before.pop();
        drop(json::append(behind, &Behind::of(player)));
        if let Some(first) = behind.first_mut() {
            *first = b',';
        }
    }

    fn append_places(&mut self, text: &mut Vec<u8>, [origin, velocity, angles]: &Places) {
        if let Some(origin) = *origin {
            self.piece.bytes(text, b",\"origin\":[");
            self.append_three(text, origin);
        }
        if let Some(velocity) = *velocity {
            self.piece.bytes(text, b",\"velocity\":[");
            self.append_three(text, velocity);
        }
        if let Some(angles) = *angles {
            self.piece.bytes(text, b",\"angles\":[");
            self.append_three(text, angles);
        }
        self.piece.end(text);
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
