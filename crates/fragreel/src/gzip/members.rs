//! The members of a gzip file, read one after the other as one stream.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;
use fragreel_base::wire::Limits;

/// Whether the bytes begin as gzip does (RFC 1952: the magic number and the only method there is).
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8])
}

/// A reader of what is packed with gzip: all members in a row. Zeros behind the last one are padding; anything else there is
/// not read, and counted.
///
/// Reading fails when more comes out than may, or more than [`MOST_RATIO`] times what went in.
///
/// ```
/// use std::io::Read;
///
/// let packed = [fragreel::edit::packed(b"one "), fragreel::edit::packed(b"two"), vec![0; 512]].concat();
/// let mut text = String::new();
/// fragreel::Unpacked::new(&packed[..], &fragreel::Limits::default()).read_to_string(&mut text)?;
/// assert_eq!(text, "one two");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Unpacked<R> {
    state: State<R>,
    packed: u64,
    unpacked: u64,
    most: u64,
    ratio: u64,
    trailing: Option<(u64, u64)>,
    /// Where the current member begins, packed and unpacked.
    pub(super) member: (u64, u64),
}

#[derive(Debug)]
enum State<R> {
    Member(Box<GzDecoder<Counted<R>>>),
    Between(Counted<R>),
    End,
}

/// Nothing that a game records packs better than that; what does is made to fill memories.
const MOST_RATIO: u64 = 200;

/// What may come out whatever the ratio.
const FREE: u64 = 64 << 20;

impl<R: BufRead> Unpacked<R> {
    /// Reads `reader`, which begins with a member.
    pub fn new(reader: R, limits: &Limits) -> Self {
        let state = State::Between(Counted { reader, count: 0 });
        Unpacked { state, packed: 0, unpacked: 0, most: limits.recording_bytes, ratio: MOST_RATIO, trailing: None, member: (0, 0) }
    }

    /// Lets any amount come out, for what is used up as it comes.
    #[must_use]
    pub fn unlimited(self) -> Self {
        Unpacked { most: u64::MAX, ratio: u64::MAX, ..self }
    }

    /// Where in the packed file what is no gzip begins, and how many bytes those are; known at the end.
    pub fn trailing(&self) -> Option<(u64, u64)> {
        self.trailing
    }

    fn guard(&self) -> io::Result<()> {
        if self.unpacked > self.most {
            return Err(too_much(format!("unpacks to more than {} bytes", self.most)));
        }
        if self.unpacked > FREE && self.unpacked / self.ratio > self.packed {
            return Err(too_much(format!("unpacks to more than {MOST_RATIO} times its size, which no recording does")));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::End) {
                State::End => return Ok(0),
                State::Between(mut rest) => {
                    self.member = (rest.count, self.unpacked);
                    let head = rest.fill_buf()?;
                    if head.is_empty() {
                        continue;
                    }
                    if is_gzip(head) || [0x1f, 0x8b, 8].starts_with(head) {
                        self.state = State::Member(Box::new(GzDecoder::new(rest)));
                    } else {
                        self.trailing = rest.trailing()?;
                    }
                }
                State::Member(mut decoder) => {
                    let read = decoder.read(buffer)?;
                    self.packed = decoder.get_ref().count;
                    self.unpacked += read as u64;
                    self.guard()?;
                    if read > 0 {
                        self.state = State::Member(decoder);
                        return Ok(read);
                    }
                    self.state = State::Between(decoder.into_inner());
                }
            }
        }
    }
}

/// A reader that knows how much of it was used.
#[derive(Debug)]
struct Counted<R> {
    reader: R,
    count: u64,
}

impl<R: BufRead> Counted<R> {
    /// Reads to the end. Where something that is not zero begins, and how much follows.
    fn trailing(&mut self) -> io::Result<Option<(u64, u64)>> {
        let (from, mut is_padding) = (self.count, true);
        loop {
            let rest = self.fill_buf()?;
            if rest.is_empty() {
                return Ok((!is_padding).then_some((from, self.count - from)));
            }
            is_padding &= rest.iter().all(|&byte| byte == 0);
            let length = rest.len();
            self.consume(length);
        }
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.reader.consume(amount);
        self.count += amount as u64;
    }
}

/// Why unpacking was given up.
#[derive(Debug)]
pub(super) struct TooMuch(pub String);

impl std::fmt::Display for TooMuch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TooMuch {}

fn too_much(why: String) -> io::Error {
    io::Error::other(TooMuch(why))
}
