//! Does one piece of work over one recording, for counting its instructions:
//! `valgrind --tool=callgrind target/release/examples/work state FILE`.

use fragreel_model::{Fields, FrameOptions, Kind, Kinds};
use fragreel_quake3::Recording;
use fragreel_quake3::walk::{Visitor, visit};

struct Nothing;
impl Visitor for Nothing {}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, work, path] = &arguments[..] else { panic!("work read|info|state|kills|events|verify|frames|walk|places FILE") };
    let bytes = std::fs::read(path).expect("a file");
    let extension = path.rsplit('.').next();
    let recording = Recording::open(&bytes, extension, fragreel_base::wire::Limits::default()).expect("a recording");
    let mut count = 0u64;
    match work.as_str() {
        "open" => {}
        "read" => {
            let mut message = fragreel_quake3::message::Message::default();
            for piece in fragreel_quake3::container::Frames::new(&bytes) {
                if let fragreel_quake3::container::Piece::Message(frame) = piece {
                    let data = &bytes[frame.data_offset() as usize..];
                    count += u64::from(message.read_ahead(data, frame.length as usize, recording.dialect(), fragreel_quake3::message::Depth::Whole).is_ok());
                }
            }
        }
        "info" => count = recording.info().players.len() as u64,
        "state" => count = visit(&bytes, recording.dialect(), &mut Nothing).entities().count() as u64,
        "kills" => count = recording.events([Kind::Kill].into_iter().collect()).count() as u64,
        "events" => count = recording.events(Kinds::ALL).count() as u64,
        "verify" => count = recording.verify().snapshots,
        "frames" => recording.frames(FrameOptions::default()).for_each(|_| count += 1),
        "walk" => count = walk(&recording, FrameOptions::default()),
        "places" => count = walk(&recording, FrameOptions::default().hz(10.0).fields(Fields::ORIGIN)),
        other => panic!("no work is called {other}"),
    }
    println!("{count}");
}

/// All frames, each over the one before. Returns how many players they show.
fn walk(recording: &Recording<'_>, options: FrameOptions) -> u64 {
    let (mut frames, mut frame, mut count) = (recording.frames(options), fragreel_model::Frame::default(), 0);
    while frames.next_into(&mut frame) {
        count += frame.players.len() as u64;
    }
    count
}
