//! Properties that hold for any bytes: the bodies of the fuzz targets, which `cargo test` runs on their seeds.

use std::iter::repeat;

use fragreel_base::wire::Limits;
use fragreel_model::{Clock, Edited, Fate, Kinds, Milliseconds, Place, Range, Rewrite, Role, RoundTrip, Selection, Split, Target, When};

use crate::Recording;
use crate::container::{Frames, Piece, Splitter};
use crate::dialect::{Dialect, Layout};
use crate::message::{Depth, Message, Operation};
use crate::text::{Compiler, Decompiler};

/// Pieces follow each other without gaps, to the end of the file.
pub fn container(bytes: &[u8]) {
    let mut at = 0;
    for piece in Frames::new(bytes) {
        let (from, to) = extent(&piece);
        assert!(from == at && to > from, "pieces follow each other");
        at = to;
    }
    assert_eq!(at, bytes.len() as u64, "pieces cover the file");
}

/// A recording in chunks gives the same pieces. The first byte is the chunk size.
pub fn chunking(bytes: &[u8]) {
    let Some((&size, bytes)) = bytes.split_first() else { return };
    let mut splitter = Splitter::default();
    let mut pieces = Vec::new();
    for chunk in bytes.chunks(usize::from(size).max(1)) {
        splitter.push(chunk);
        while let Some((piece, _)) = splitter.next_piece() {
            pieces.push(piece);
        }
    }
    splitter.finish();
    while let Some((piece, _)) = splitter.next_piece() {
        pieces.push(piece);
    }
    assert_eq!(pieces, Frames::new(bytes).collect::<Vec<_>>());
}

/// Decoded messages encode to the same bytes, the fast cursor agrees with the careful one, a reused message equals a new one, and a trace covers
/// every bit. The first byte chooses the dialect.
pub fn message(bytes: &[u8]) {
    let Some((&choice, data)) = bytes.split_first() else { return };
    let dialects: Vec<&'static Dialect> = [Layout::Coded, Layout::Plain].into_iter().flat_map(Dialect::candidates).collect();
    let dialect = dialects[usize::from(choice) % dialects.len()];
    let (mut careful, mut fast) = (Message::default(), Message::default());
    let result = careful.read(data, dialect);
    // the bytes behind a message must not matter
    let mut followed = data.to_vec();
    followed.extend([0xa5; 16]);
    assert_eq!(fast.read_ahead(&followed, data.len(), dialect, Depth::Whole), result);
    assert_eq!(fast, careful);
    // two inputs that are mostly damaged
    let mut used = Message::default();
    for other in [&data[data.len().min(1)..], &data[data.len() / 2..]] {
        let _ = used.read(other, dialect);
    }
    assert_eq!(used.read(data, dialect), result);
    assert_eq!(used, careful, "what was read before shows");
    let (spans, traced) = Message::default().explain(data, dialect);
    assert_eq!(traced, result);
    assert!(spans.is_sorted_by(|a, b| a.to == b.from), "fields follow each other");
    if result.is_ok() {
        assert_eq!(careful.write(dialect), data, "{}", dialect.protocol);
    }
}

/// All questions are answered, and decodable messages round-trip.
pub fn round_trip(bytes: &[u8]) {
    let extensions = [None, Some("dm_68"), Some("dm3"), Some("dm_91")];
    for extension in extensions {
        let Ok(recording) = Recording::open(bytes, extension, Limits::default()) else { continue };
        let report = recording.verify();
        assert_eq!(report.round_trip, RoundTrip::Identical, "{:?}", report.first_difference);
        recording.info();
        recording.explain(Selection::Message(0)).for_each(drop);
        // finding states is slow, so only one
        let _ = recording.state_at(When::Demo(Milliseconds(100)));
    }
}

/// A recording comes back from its text, which is the same for all window sizes; and any bytes can be compiled. The first byte is the window size.
pub fn text_form(bytes: &[u8]) {
    // as a text, the bytes compile or fail without a panic
    let _ = fragreel_base::textform::compile(Compiler::default(), bytes);
    let Some((&size, bytes)) = bytes.split_first() else { return };
    for extension in [None, Some("dm_68"), Some("dm3"), Some("dm_91")] {
        let Ok(decompiler) = Decompiler::new(bytes, extension, Limits::default()) else { continue };
        let text = fragreel_base::textform::decompile(decompiler, bytes);
        assert!(fragreel_base::textform::compile(Compiler::default(), &text).as_deref() == Ok(bytes), "what was taken apart is put together again");
        let Ok(decompiler) = Decompiler::new(bytes, extension, Limits::default()) else { continue };
        assert!(fragreel_base::textform::decompile_in_windows(decompiler, bytes, repeat(usize::from(size) * 16 + 1)) == text, "windows do not show");
    }
}

/// Events come in the order of their messages.
pub fn events(bytes: &[u8]) {
    let Ok(recording) = Recording::open(bytes, Some("dm_68"), Limits::default()) else { return };
    let mut last = 0;
    recording.events(Kinds::ALL).for_each(|event| {
        assert!(event.message >= last, "events keep their order");
        last = event.message;
    });
}

fn extent(piece: &Piece) -> (u64, u64) {
    match piece {
        Piece::Prologue(range) | Piece::End(range) | Piece::Opaque(range, _) => (range.start, range.end),
        Piece::Message(frame) => (frame.offset, frame.end()),
    }
}

/// Edits of the repaired bytes, chosen by the first eight: the results decode without damage, play, and hold the frames of their source.
pub fn edit(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first_chunk::<8>() else { return };
    let extensions = ["dm_68", "dm3", "dm_48", "dm_91"];
    let Ok(damaged) = Recording::open(bytes, Some(extensions[usize::from(choice[0]) % 4]), Limits::default()) else { return };
    let Ok(repaired) = damaged.repair() else { return };
    let Ok(recording) = Recording::open(&repaired.bytes, Some(&repaired.extension), Limits::default()) else { return };
    whole("repaired", &recording, &recording);
    let times = |choice: u8| i64::from(choice) * recording.info().duration.map_or(0, |duration| duration.0) / 256;
    let (a, b) = (times(choice[1]), times(choice[2]));
    let range = Range { clock: Clock::Demo, from: Milliseconds(a.min(b)), to: Milliseconds(a.max(b)) };
    edited("cut", &recording, recording.cut(range));
    let mut random = u32::from_le_bytes([choice[3], choice[4], choice[5], choice[6]]) | 1;
    let thinned = recording.map_messages(&mut |_, message| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let begins = message.operations.iter().any(|operation| matches!(operation, Operation::Gamestate(_)));
        if begins || !random.is_multiple_of(7) { Fate::Keep } else { Fate::Drop }
    });
    edited("thinned", &recording, thinned);
    edited("rewritten", &recording, recording.rewrite(&mut Shorten(choice[7])));
    edited("converted", &recording, recording.convert(&Target::default()));
    let Ok(parts) = recording.split(Split::Gamestate) else { return };
    let parts: Vec<Recording<'_>> = parts.iter().filter_map(|part| Recording::open(&part.bytes, Some(&part.extension), Limits::default()).ok()).collect();
    edited("joined", &recording, Recording::join(&parts.iter().collect::<Vec<_>>()));
}

/// Cuts every text in half, and drops some.
struct Shorten(u8);

impl Rewrite for Shorten {
    fn text(&mut self, _: Place, role: Role, text: &mut Vec<u8>) -> Fate {
        // the strings of a level must stay
        if matches!(role, Role::String | Role::Command) {
            return Fate::Keep;
        }
        text.truncate(text.len() / 2);
        if text.first().is_some_and(|&byte| byte == self.0) { Fate::Drop } else { Fate::Keep }
    }
}

fn edited(what: &str, source: &Recording<'_>, edited: Result<Edited, fragreel_base::wire::Error>) {
    // texts that do not fit fail
    let Ok(edited) = edited else { return };
    let Ok(recording) = Recording::open(&edited.bytes, Some(&edited.extension), Limits::default()) else { panic!("{what} cannot be opened") };
    whole(what, source, &recording);
}

fn whole(what: &str, source: &Recording<'_>, edited: &Recording<'_>) {
    let report = edited.verify();
    assert!(report.damage.is_empty() && report.round_trip == RoundTrip::Identical, "{what}: {:?}", report.damage.first());
    let comparison = source.compare(edited);
    assert!(comparison.differing == 0, "{what}: {:?}", comparison.differences);
}
