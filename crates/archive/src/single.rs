//! What packs one stream: xz, bzip2, Zstandard, gzip.

use std::io::{self, BufReader, Read};

use crate::Error;
use crate::bound::Bounded;
use crate::kind::Kind;

/// Dictionaries are no larger than this, in bytes: `xz -9` needs 64 MB.
const DICTIONARY: u64 = 128 << 20;

/// What comes out, at most so much of it.
pub(crate) fn bounded<'a>(kind: Kind, source: impl Read + 'a, most: u64) -> Result<Bounded<Box<dyn Read + 'a>>, Error> {
    let mut source = BufReader::new(source);
    let inner: Box<dyn Read + 'a> = match kind {
        Kind::Xz => {
            check_xz(&mut source)?;
            Box::new(lzma_rust2::XzReader::new(source, true))
        }
        Kind::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(source)),
        Kind::Zstd => Box::new(Frames { source: Some(source), decoder: None }),
        _ => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
    };
    Ok(Bounded::new(inner, most))
}

/// The name of what is packed: the file's, without the extension.
pub(crate) fn inner_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let end = name.to_ascii_lowercase();
    for extension in [".xz", ".bz2", ".zst"] {
        if end.ends_with(extension) {
            return name[..name.len() - extension.len()].to_owned();
        }
    }
    name.to_owned()
}

/// The name of the recording that a file of Qizmo's holds.
pub(crate) fn recording_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let end = name.len().saturating_sub(4);
    let stem = if name.get(end..).is_some_and(|end| end.eq_ignore_ascii_case(".qwz")) { &name[..end] } else { name };
    format!("{stem}.qwd")
}

/// Looks at the first block of an xz file: its dictionary is made before anything is unpacked.
fn check_xz<R: Read>(source: &mut BufReader<R>) -> Result<(), Error> {
    use std::io::BufRead;
    let head = source.fill_buf()?;
    let Some(block) = head.get(12..) else { return Ok(()) };
    let (Some(&size), Some(&flags)) = (block.first(), block.get(1)) else { return Ok(()) };
    let mut at = 2;
    // Two optional lengths, then filters: number, length of properties, properties.
    for bit in [0x40, 0x80] {
        if flags & bit != 0 {
            while block.get(at).is_some_and(|byte| byte & 0x80 != 0) {
                at += 1;
            }
            at += 1;
        }
    }
    for _ in 0..=(flags & 3) {
        let (Some(&filter), Some(&length)) = (block.get(at), block.get(at + 1)) else { return Ok(()) };
        if filter == 0x21 && length == 1 {
            let bits = block.get(at + 2).copied().unwrap_or_default();
            let dictionary = if bits >= 40 { u64::from(u32::MAX) } else { (2 | u64::from(bits & 1)) << (bits / 2 + 11) };
            if dictionary > DICTIONARY {
                return Err(Error::Unsupported(format!("it needs a dictionary of {dictionary} bytes, and the limit is {DICTIONARY}")));
            }
        }
        at += 2 + usize::from(length);
        if at > usize::from(size) * 4 + 4 {
            break;
        }
    }
    Ok(())
}

/// Frames of Zstandard, one after the other.
struct Frames<R: Read> {
    source: Option<BufReader<R>>,
    decoder: Option<ruzstd::decoding::StreamingDecoder<BufReader<R>, ruzstd::decoding::FrameDecoder>>,
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        use std::io::BufRead;
        loop {
            if let Some(decoder) = &mut self.decoder {
                let read = decoder.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                self.source = self.decoder.take().map(ruzstd::decoding::StreamingDecoder::into_inner);
            }
            let Some(mut source) = self.source.take() else { return Ok(0) };
            if source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, format!("{error}"));
            self.decoder = Some(ruzstd::decoding::StreamingDecoder::new(source).map_err(invalid)?);
        }
    }
}
