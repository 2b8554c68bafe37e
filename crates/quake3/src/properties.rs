//! What must hold for any bytes whatever: the body of the fuzz targets, run on their seeds in `cargo test`.

use model::{Kinds, Milliseconds, RoundTrip, Selection, When};
use wire::Limits;

use crate::Recording;
use crate::container::{Frames, Piece, Splitter};
use crate::dialect::{Dialect, Layout};
use crate::message::{Depth, Message};

/// Pieces follow each other without gap to the file's end.
pub fn container(bytes: &[u8]) {
    let mut at = 0;
    for piece in Frames::new(bytes) {
        let (from, to) = extent(&piece);
        assert!(from == at && to > from, "pieces follow each other");
        at = to;
    }
    assert_eq!(at, bytes.len() as u64, "pieces cover the file");
}

/// A recording in chunks gives the same pieces as in one. The first bytes say how long chunks are.
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

/// What can be read is written as it was, the fast cursor agrees with the careful one, and a trace covers every bit. The
/// first byte chooses the dialect.
pub fn message(bytes: &[u8]) {
    let Some((&choice, data)) = bytes.split_first() else { return };
    let dialects: Vec<&'static Dialect> = [Layout::Coded, Layout::Plain].into_iter().flat_map(Dialect::candidates).collect();
    let dialect = dialects[usize::from(choice) % dialects.len()];
    let (mut careful, mut fast) = (Message::default(), Message::default());
    let result = careful.read(data, dialect);
    // what follows a message in the file must not matter
    let mut followed = data.to_vec();
    followed.extend([0xa5; 16]);
    assert_eq!(fast.read_ahead(&followed, data.len(), dialect, Depth::Whole), result);
    assert_eq!(fast, careful);
    let (spans, traced) = Message::default().explain(data, dialect);
    assert_eq!(traced, result);
    assert!(spans.is_sorted_by(|a, b| a.to == b.from), "fields follow each other");
    if result.is_ok() {
        assert_eq!(careful.write(dialect), data, "{}", dialect.protocol);
    }
}

/// Every question is answered, and what can be decoded comes out as it was.
pub fn round_trip(bytes: &[u8]) {
    let extensions = [None, Some("dm_68"), Some("dm3"), Some("dm_91")];
    for extension in extensions {
        let Ok(recording) = Recording::open(bytes, extension, Limits::default()) else { continue };
        let report = recording.verify();
        assert_eq!(report.round_trip, RoundTrip::Identical, "{:?}", report.first_difference);
        recording.info();
        recording.explain(Selection::Message(0), &mut |_| {});
        // every snapshot is a reason to look again, so no more than a few
        let _ = recording.state_at(When::Demo(Milliseconds(100)));
    }
}

/// Events come in the order of the messages that said them.
pub fn events(bytes: &[u8]) {
    let Ok(recording) = Recording::open(bytes, Some("dm_68"), Limits::default()) else { return };
    let mut last = 0;
    recording.events(Kinds::ALL, &mut |event| {
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
