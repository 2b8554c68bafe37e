//! Packs game recordings byte for byte, by a model of what their fields mean.
//!
//! A family's own functions read a message through a fourth kind of [`Wire`](fragreel_base::wire::Wire): beside reading, writing and
//! tracing, there is packing. It hands each field to a model with its name, its entity, and the value that it had, and the model predicts the
//! value bit by bit. Bytes that no message explains go to a general model of bytes. `docs/formats/pack.md` describes the packed file.
//!
//! ```
//! let original = b"bytes that are no recording at all, no recording at all, no recording at all";
//! let packed = fragreel_pack::pack(original, "name.bin");
//! let unpacked = fragreel_pack::unpack(&packed, &fragreel_pack::Limits::default())?;
//! assert_eq!((unpacked.bytes.as_slice(), unpacked.head.name.as_slice()), (&original[..], &b"name.bin"[..]));
//! # Ok::<(), fragreel_pack::Error>(())
//! ```
//!
//! Each family of games is a feature: `quake3`, `quake2`, `goldsrc`, `quake1`. All are on by default. Without a family, its recordings are packed as bytes,
//! and what its model packed cannot be unpacked.

#![warn(unreachable_pub)]
#![cfg_attr(
    not(all(feature = "quake3", feature = "quake2", feature = "goldsrc", feature = "quake1")),
    allow(dead_code, reason = "families share parts of the model, and each uses others")
)]

pub mod archive;
mod arithmetic;
mod bytes;
mod coding;
mod deep;
mod families;
mod fields;
mod file;
mod floats;
mod general;
#[cfg(feature = "goldsrc")]
mod goldsrc;
mod known;
mod lanes;
mod logistic;
mod mixed;
mod model;
mod numbers;
mod original;
mod pieces;
mod preset;
mod preset_stream;
#[doc(hidden)]
pub mod properties;
#[cfg(feature = "quake1")]
mod quake1;
#[cfg(feature = "quake2")]
mod quake2;
#[cfg(feature = "quake3")]
mod quake3;
mod quick;
mod rival;
mod small;
mod small_numbers;
mod states;
mod stream;

use sha2::{Digest, Sha256};

pub use file::{Beginning, Head, Method, VERSION, head, is_intact, is_packed, renamed};
pub use preset::Preset;

use arithmetic::{Packing, Unpacking};
use coding::PackCoding;
use families::content;
use file::{BEGINNING, Cursor, Sizes, store, unpack_beginning, write_head};
use general::General;
use known::{How, Known};
use mixed::Mixed;
use preset_stream::PresetStream;
use quick::Quick;
use rival::Rival;
use stream::{Stream, slots};

/// How much may come out of a packed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest original, in bytes.
    pub bytes: u64,
    /// What may come out whatever goes in,
    pub free: u64,
    /// and how many times what goes in beyond that.
    pub ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 4 << 30, free: 64 << 20, ratio: 1000 }
    }
}

/// Why a file could not be unpacked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not begin as packed files do.
    #[error("this is not a packed recording")]
    NotPacked,
    /// A newer version packed it.
    #[error("the recording was packed by version {0} of the model, and this program knows version {VERSION}")]
    Version(u8),
    /// A newer version packed it, or it is damaged.
    #[error("the recording was packed by a method that this program does not know")]
    Method,
    /// This program was built without the family whose recording was packed.
    #[error("the recording is packed by the model of {0}, and this program was built without it")]
    Family(&'static str),
    /// It ends too early.
    #[error("the packed file is truncated")]
    Truncated,
    /// It is not as it was written.
    #[error("the packed file is damaged: {0}")]
    Damaged(&'static str),
    /// All of it can be unpacked, and it is not the original: which bytes are others is not known.
    #[error("the packed file is damaged: the unpacked data does not have the SHA-256 of the original")]
    Hash,
    /// The limits are exceeded.
    #[error("the packed file states an original of {0} bytes, which is more than is allowed")]
    TooLarge(u64),
}

/// An original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// What the packed file states.
    pub head: Head,
    /// The bytes, whose SHA-256 is that of the head.
    pub bytes: Vec<u8>,
}

/// Packs a recording, or any bytes. `name` is kept for unpacking, and its extension is a hint. The result is the same everywhere.
///
/// The method is the one that takes the fewest bytes of those that are likely to: a family's model, the model of bytes, or none.
pub fn pack(bytes: &[u8], name: &str) -> Vec<u8> {
    pack_with(bytes, name, Preset::Small)
}

/// The same with a preset. Where that is quick, bytes are only modeled as such if no family knows them.
pub fn pack_with(bytes: &[u8], name: &str, preset: Preset) -> Vec<u8> {
    let mut best = None;
    let mut shortest = file::stored_length(bytes, name);
    let mut consider = |packed: Option<Packed>| {
        if let Some(packed) = packed.filter(|packed| packed.bytes.len() < shortest) {
            shortest = packed.bytes.len();
            best = Some(packed.bytes);
        }
    };
    let fields = families::pack(bytes, name, How { preset, known: None });
    // where the fields say little, as in files of engines that are not known well, a model of bytes may do better
    let quick = matches!(preset, Preset::Quick | Preset::FormerQuick);
    let suffice = fields.as_ref().is_some_and(|fields| fields.bytes.len() < bytes.len() / 2 && (quick || is_ahead(fields, bytes, preset)));
    let theirs = fields.as_ref().map(|fields| fields.beginning);
    consider(fields);
    if !suffice {
        let preset = if quick { preset } else { Preset::Deep };
        let how = How { preset, known: None };
        consider(match theirs {
            Some(theirs) => pack_as(Method::Bytes, &mut Rival::new(bytes, theirs), bytes, name, how),
            None => pack_as(Method::Bytes, &mut General { bytes }, bytes, name, how),
        });
    }
    best.unwrap_or_else(|| {
        let mut stored = write_head(Method::Stored, Preset::FormerSmall, bytes, name);
        store(bytes, &mut stored);
        stored
    })
}

/// Whether the smaller model of bytes needs half as much again for the beginning. Then the larger one would not catch up, and its time is saved.
fn is_ahead(fields: &Packed, bytes: &[u8], preset: Preset) -> bool {
    let beginning = &bytes[..fields.beginning.taken];
    let preset = if preset == Preset::Small { preset } else { Preset::FormerSmall };
    let mut stream = Stream::<Mixed<Packing>>::new(preset, slots(beginning.len() as u64));
    let mut content = General { bytes: &beginning[..beginning.len().min(BEGINNING)] };
    let most = fields.beginning.packed / 2 * 3;
    // more bytes than that are never needed again
    while stream.model.stored() <= most {
        if file::Content::piece(&mut content, &mut stream, usize::MAX, &mut Vec::new()) == Ok(0) {
            return false;
        }
    }
    true
}

/// A packed file.
struct Packed {
    bytes: Vec<u8>,
    beginning: Sizes,
}

/// Packs by one method. After other recordings it must be theirs; the archive has the name then.
fn pack_as(
    method: Method,
    content: &mut (impl file::Content<Mixed<Packing>> + file::Content<Quick<Packing>>),
    bytes: &[u8],
    name: &str,
    how: How<'_>,
) -> Option<Packed> {
    #[cfg(test)]
    PACKED.with(|packed| packed.set(packed.get() + 1));
    let Some(known) = how.known else {
        let mut out = write_head(method, how.preset, bytes, name);
        let beginning = PresetStream::new(how.preset, slots(bytes.len() as u64)).pack(content, &mut out).ok()?;
        return Some(Packed { bytes: out, beginning });
    };
    if known.method.is_some_and(|theirs| theirs != method) {
        return None;
    }
    let mut out = write_head(method, known.preset, bytes, "");
    known.lend(content);
    let Ok(beginning) = known.stream.pack(content, &mut out) else {
        // no reader meets what a recording taught that is not in the archive
        if known.method.is_none() {
            known.forget();
        }
        return None;
    };
    known.take_back(content);
    known.method = Some(method);
    Some(Packed { bytes: out, beginning })
}

/// Unpacks the blocks of one method.
fn unpack_as(
    content: &mut (impl file::Content<Mixed<Unpacking>> + file::Content<Quick<Unpacking>>),
    from: &mut Cursor<'_>,
    head: &Head,
    known: Option<&mut Known<Unpacking>>,
    sink: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<(), Error> {
    let Some(known) = known else { return PresetStream::new(head.preset, slots(head.length)).unpack(content, from, head, sink) };
    known.lend(content);
    known.stream.unpack(content, from, head, sink)?;
    known.take_back(content);
    Ok(())
}

/// Unpacks a file, and checks that every byte of the original is there.
///
/// # Errors
/// When the file is not packed, is truncated or damaged, needs a newer version, or states more than the limits allow.
pub fn unpack(packed: &[u8], limits: &Limits) -> Result<Unpacked, Error> {
    let mut bytes = Vec::new();
    let head = unpack_to(packed, limits, &mut |block| {
        bytes.extend_from_slice(block);
        true
    })?;
    Ok(Unpacked { head, bytes })
}

/// The first bytes of an original, at most about `most`, from the first bytes of its packed file: enough to know what it is. Nothing is checked.
pub fn beginning(packed: &[u8], most: usize) -> Vec<u8> {
    let mut from = Cursor::new(packed);
    let Ok(head) = from.head() else { return Vec::new() };
    match head.method {
        Method::Stored => from.rest()[..from.rest().len().min(most)].to_vec(),
        method if head.preset == Preset::Quick => {
            content!(method, |content| unpack_beginning::<Quick<Unpacking>>(&mut content, &mut from, &head, most)).unwrap_or_default()
        }
        method => content!(method, |content| unpack_beginning::<Mixed<Unpacking>>(&mut content, &mut from, &head, most)).unwrap_or_default(),
    }
}

/// Unpacks a file piece by piece into `sink`. Pieces that come before damage are those of the original, also in a block that is cut off; the whole
/// is checked at the end.
/// `sink` breaks off by returning false; then nothing is checked.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_to(packed: &[u8], limits: &Limits, sink: &mut dyn FnMut(&[u8]) -> bool) -> Result<Head, Error> {
    unpack_after(packed, limits, None, sink)
}

/// The same after other recordings of its group.
fn unpack_after(packed: &[u8], limits: &Limits, known: Option<&mut Known<Unpacking>>, sink: &mut dyn FnMut(&[u8]) -> bool) -> Result<Head, Error> {
    let mut from = Cursor::new(packed);
    let head = from.head()?;
    let most = limits.bytes.min(limits.free.max((packed.len() as u64).saturating_mul(limits.ratio)));
    if head.length > most {
        return Err(Error::TooLarge(head.length));
    }
    let mut seen = Sha256::new();
    let mut complete = true;
    let mut pass = |block: &[u8]| {
        seen.update(block);
        complete &= sink(block);
        complete
    };
    match head.method {
        Method::Stored => match (from.rest().len() as u64).cmp(&head.length) {
            std::cmp::Ordering::Less => {
                pass(from.rest());
                return Err(Error::Truncated);
            }
            std::cmp::Ordering::Equal => {
                pass(from.rest());
            }
            std::cmp::Ordering::Greater => return Err(Error::Damaged("there is data after the original")),
        },
        method => content!(method, |content| unpack_as(&mut content, &mut from, &head, known, &mut pass))??,
    }
    if complete && seen.finalize()[..] != head.sha256 {
        return Err(Error::Hash);
    }
    Ok(head)
}

#[cfg(test)]
thread_local! {
    /// How often this thread packed a recording by a model.
    static PACKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

// the tests in `tests` use the crate by the name that others do
#[cfg(test)]
extern crate self as fragreel_pack;

#[cfg(test)]
#[path = "../tests/mod.rs"]
mod tests;
