//! Recordings read in chunks give the answers that they give in memory.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicUsize, Ordering};

use fragreel::model::FrameOptions;
use fragreel::{ErrorKind, Limits, LongRecording, properties};
use fragreel_testkit::Random;

/// Chunks of odd sizes, the second longer than most blocks.
const SIZES: [usize; 2] = [4_099, 65_537];

/// Puts damage into a copy: it is cut, bytes are flipped, lost, doubled, or zero.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(3) {
        let (from, length) = (random.below(bytes.len().max(1)), random.below(3000));
        let to = (from + length).min(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(from.max(bytes.len() / 2)),
            1 | 2 => (0..8).for_each(|_| {
                let at = random.below(bytes.len().max(1));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }),
            3 => drop(bytes.drain(from..to)),
            4 => bytes[from..to].fill(0),
            _ => {
                let twice = bytes[from..to].to_vec();
                bytes.splice(from..from, twice);
            }
        }
    }
    bytes
}

fn same_in(family: &str) {
    let samples = super::small(family);
    let (chunked, others) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let count = |is_chunked: bool| if is_chunked { &chunked } else { &others }.fetch_add(1, Ordering::Relaxed);
    fragreel_testkit::two_at_a_time(&samples, |sample, bytes| {
        let mut random = Random::named(&sample.name);
        for size in SIZES {
            count(properties::chunks(bytes, &sample.name, size));
        }
        for round in 0..fragreel_testkit::sessions(2) {
            count(properties::chunks(&damaged(bytes, &mut random), &sample.name, SIZES[round as usize % 2]));
        }
    });
    let (chunked, others) = (chunked.into_inner(), others.into_inner());
    assert!(chunked * 2 > others, "{family}: {chunked} were read in chunks, and {others} were not");
}

#[test]
fn quake3_answers_are_those_in_memory() {
    same_in("quake3");
}

#[test]
fn quake2_answers_are_those_in_memory() {
    same_in("quake2");
}

#[test]
fn goldsrc_answers_are_those_in_memory() {
    same_in("goldsrc");
}

#[test]
fn quake1_answers_are_those_in_memory() {
    same_in("quake1");
}

/// A disk that breaks at a place.
struct Broken(Cursor<Vec<u8>>, u64);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.position() + buffer.len() as u64 > self.1 { Err(io::Error::other("a bad sector")) } else { self.0.read(buffer) }
    }
}

impl Seek for Broken {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_failure_to_read_ends_every_answer() {
    let name = "quake3/crowd_latency.dm_71";
    let bytes = std::fs::read(fragreel_testkit::checkout().join("samples").join(name)).expect("a sample");
    let end = bytes.len() as u64;
    let open = |limit| LongRecording::open_in_chunks_of(5000, Broken(Cursor::new(bytes.clone()), limit), name, Limits::default());
    assert_eq!(open(1000).unwrap_err().kind(), ErrorKind::Io, "the head is needed");
    let long = open(end).expect("a recording").expect("one that is read in chunks");
    assert!(long.info().is_ok());
    // the same file breaks behind its first half
    let late = LongRecording::open_in_chunks_of(5000, Late(Cursor::new(bytes.clone()), end / 2, false), name, Limits::default());
    let late = late.expect("a recording").expect("one that is read in chunks");
    assert_eq!(late.info().unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(late.verify().unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(late.scores().unwrap_err().kind(), ErrorKind::Io);
    let mut events = late.events(fragreel::model::Kinds::ALL);
    assert!(events.by_ref().count() > 0);
    assert_eq!(events.failure().map(fragreel::Error::kind), Some(ErrorKind::Io));
    let mut frames = late.frames(FrameOptions::default()).expect("frames");
    assert!(frames.by_ref().count() > 0);
    assert_eq!(frames.failure().map(fragreel::Error::kind), Some(ErrorKind::Io));
}

/// A disk that breaks at a place once all of it was read.
struct Late(Cursor<Vec<u8>>, u64, bool);

impl Read for Late {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.2 && self.0.position() >= self.1 {
            return Err(io::Error::other("a bad sector"));
        }
        self.2 |= self.0.position() + buffer.len() as u64 >= self.0.get_ref().len() as u64;
        self.0.read(buffer)
    }
}

impl Seek for Late {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}
