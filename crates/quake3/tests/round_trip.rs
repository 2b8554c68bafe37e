//! `encode(decode(file)) == file`, from the container down.

use fragreel_quake3::container::{self, END_MARK, Frames, Piece};
use fragreel_quake3::message::Message;

/// Every piece written again gives the file, and every message that can be read comes out bit for bit.
#[test]
fn every_recording_of_the_corpus_comes_out_as_it_was() {
    for sample in fragreel_testkit::corpus("quake3") {
        let bytes = sample.bytes();
        let dialect = fragreel_quake3::detect::dialect(&bytes, Some(&sample.extension())).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        let mut message = Message::default();
        let mut out = Vec::with_capacity(bytes.len());
        let mut damaged = false;
        for piece in Frames::new(&bytes) {
            match piece {
                Piece::Message(frame) => {
                    let data = container::data(&bytes, &frame);
                    match message.read(data, dialect) {
                        Ok(()) => frame.write(&message.write(dialect), &mut out),
                        Err(_) => {
                            damaged = true;
                            frame.write(data, &mut out);
                        }
                    }
                }
                Piece::End(_) => out.extend(END_MARK),
                Piece::Prologue(range) | Piece::Opaque(range, _) => out.extend(&bytes[range.start as usize..range.end as usize]),
            }
        }
        assert!(!damaged || sample.damaged, "{}: a message could not be read", sample.name);
        assert!(out == bytes, "{}: differs first at {:?}", sample.name, out.iter().zip(&bytes).position(|(a, b)| a != b));
    }
}
