//! The one trait that every coder is written over.

use crate::wire::WireError;

/// A bit cursor whose *type* is its direction: reading ignores the value it is handed and returns what the
/// stream holds, writing emits that value and returns it unchanged, tracing reads and remembers.
///
/// *For coders*: on reading, the argument comes from stale or base data, so the expression that makes it must
/// be total (`wrapping_add`, no slicing by it). Keep arguments cheap; where a writer has to search, take a
/// closure as [`run`](Wire::run) does: passing the search result by value made reading 2.4 times slower.
pub trait Wire: Sized {
    /// [`crate::wire::Error`] for readers, [`std::convert::Infallible`] for writers.
    type Error: WireError;

    /// Whether values come from the stream. For the few places where the shape of the work differs,
    /// such as growing a list.
    const READING: bool;

    /// The cursor inside of a [`burst`](Wire::burst).
    type Burst: Wire<Error = Self::Error>;

    /// Runs `inner`, which takes [`BURST`] bits at most: a fast reader looks at them once for all of it.
    fn burst<I: Burst<Self::Burst>>(&mut self, inner: I) -> I::Out;

    /// The next `width` (0 to 32) bits as an unsigned number.
    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Self::Error>;

    /// Fails with `rule` and the position unless `ok`. A writer only asserts it in debug builds.
    #[inline(always)]
    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), Self::Error> {
        if ok { Ok(()) } else { Self::Error::broken(rule, self.position()) }
    }

    /// Called once in every loop that the stream bounds. A reader that does not check every field looks here whether the
    /// message has ended.
    #[inline(always)]
    fn checkpoint(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Whether the message goes on: a reader looks whether a whole byte remains, a writer believes `more`.
    /// For formats whose messages end where their data ends.
    fn more(&mut self, more: bool) -> bool;

    /// Position in bits from the message's first. Writers count what they wrote.
    fn position(&self) -> u64;

    /// One bit.
    #[inline(always)]
    fn flag(&mut self, on: bool) -> Result<bool, Self::Error> {
        Ok(self.bits(u32::from(on), 1)? != 0)
    }

    /// A run of `zeros()` clear flags closed by one set flag, or by reaching `max`. Lazy, because a reader
    /// never needs to know what a writer would have said.
    #[inline(always)]
    fn run(&mut self, zeros: impl FnOnce() -> u32, max: u32) -> Result<u32, Self::Error> {
        let zeros = if Self::READING { u32::MAX } else { zeros() };
        let mut run = 0;
        while run < max && !self.flag(run == zeros)? {
            run += 1;
        }
        Ok(run)
    }

    /// A [`run`](Wire::run) of the flags of the fields from `at` (at most 64) to `end` and, unless it reached the end, the
    /// [`burst`](Wire::burst) behind it, which gets the number of its field. `None` where it reached the end.
    #[inline(always)]
    fn run_and<I: Burst<Self::Burst>>(
        &mut self,
        zeros: impl FnOnce() -> u32,
        at: usize,
        end: usize,
        inner: impl FnOnce(usize) -> I,
    ) -> Result<Option<I::Out>, Self::Error> {
        let at = at + self.run(zeros, (end - at) as u32)? as usize;
        Ok(if at < end { Some(self.burst(inner(at))) } else { None })
    }

    /// Skips to the next byte boundary. The bits skipped are `padding`, kept because writers left junk there.
    #[inline]
    fn align(&mut self, padding: u32) -> Result<u32, Self::Error> {
        let width = (8 - (self.position() % 8) as u32) % 8;
        self.bits(padding, width)
    }

    /// Announces the next field. Only the tracing wire behind `explain` listens.
    #[inline(always)]
    fn enter(&mut self, _field: &'static str) {}

    /// Says what the last field means. Only the tracing wire listens, so the text is made only there.
    #[inline(always)]
    fn note(&mut self, _meaning: impl FnOnce() -> String) {}

    /// Begins the part called `name`; [`scope`](Wire::scope) pairs it with [`close`](Wire::close). Only the tracing
    /// wire listens.
    #[inline(always)]
    fn open(&mut self, _name: &'static str, _index: Option<u32>) {}

    /// Ends the part that the last [`open`](Wire::open) began.
    #[inline(always)]
    fn close(&mut self) {}

    /// Runs `inner`, a loop over many small fields, on a copy of the cursor where that lets it live in registers.
    #[inline(always)]
    fn hot<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        inner(self)
    }

    /// Runs `inner` as the part called `name`: the breadcrumb of its errors and the nesting of its trace.
    #[inline(always)]
    fn scope<T>(&mut self, name: &'static str, index: Option<u32>, inner: impl FnOnce(&mut Self) -> Result<T, Self::Error>) -> Result<T, Self::Error> {
        self.open(name, index);
        let result = inner(self).map_err(|error| error.inside(name, index));
        self.close();
        result
    }

    /// A named unsigned field.
    #[inline(always)]
    fn field(&mut self, name: &'static str, value: u32, width: u32) -> Result<u32, Self::Error> {
        self.enter(name);
        self.bits(value, width)
    }

    /// A named two's-complement field.
    #[inline(always)]
    fn signed(&mut self, name: &'static str, value: i32, width: u32) -> Result<i32, Self::Error> {
        self.enter(name);
        let value = sign_extend(self.bits(value as u32, width)?, width) as i32;
        self.note(|| value.to_string());
        Ok(value)
    }

    /// As [`bits`](Wire::bits), for a word that people read as something else than an unsigned number.
    #[inline(always)]
    fn quantity(&mut self, value: u32, width: u32, quantity: Quantity) -> Result<u32, Self::Error> {
        let value = self.bits(value, width)?;
        self.note(|| quantity.show(value, width));
        Ok(value)
    }

    /// As [`bits`](Wire::bits), for a number that stands for a name, or for several.
    #[inline(always)]
    fn named(&mut self, value: u32, width: u32, names: &impl Vocabulary) -> Result<u32, Self::Error> {
        let value = self.bits(value, width)?;
        self.note(|| names.show(value));
        Ok(value)
    }

    /// A mask whose first byte is followed by another if it has the first bit of `more`, that by another if it has the second, and so on.
    #[inline(always)]
    fn mask(&mut self, mask: u64, more: &[u64]) -> Result<u64, Self::Error> {
        let mut out = u64::from(self.bits(mask as u32 & 0xff, 8)?);
        for (at, bit) in more.iter().enumerate() {
            if out & bit == 0 {
                break;
            }
            let shift = 8 * (at + 1);
            out |= u64::from(self.bits((mask >> shift) as u32 & 0xff, 8)?) << shift;
        }
        Ok(out)
    }

    /// The mask of a delta, and the number of what it is of: 16 bits if the mask has the bit `wide`, else eight. A wire
    /// that packs codes the number first, because the mask depends on it.
    #[inline(always)]
    fn mask_and_number(&mut self, mask: u64, more: &[u64], number: u32, wide: u64) -> Result<(u64, u32), Self::Error> {
        self.enter("mask");
        let mask = self.mask(mask, more)?;
        let number = self.field("number", number, if mask & wide != 0 { 16 } else { 8 })?;
        Ok((mask, number))
    }

    /// Exactly `length` bytes. Reading replaces what `bytes` held; `length` is checked against the stream as
    /// it is consumed, so a wild length costs an error and no memory.
    #[inline]
    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), Self::Error> {
        if Self::READING {
            bytes.clear();
            for _ in 0..length {
                bytes.push(self.bits(0, 8)? as u8);
            }
        } else {
            for &byte in bytes.iter() {
                self.bits(u32::from(byte), 8)?;
            }
        }
        Ok(())
    }

    /// A NUL-terminated string, without its NUL. `limit` counts the bytes before the NUL.
    #[inline]
    fn text(&mut self, text: &mut Vec<u8>, limit: Bounded) -> Result<(), Self::Error> {
        if Self::READING {
            text.clear();
            loop {
                let byte = self.bits(0, 8)? as u8;
                if byte == 0 {
                    self.note(|| format!("{:?}", String::from_utf8_lossy(text)));
                    return Ok(());
                }
                self.expect(text.len() < limit.bytes, limit.rule)?;
                text.push(byte);
            }
        } else {
            for &byte in text.iter() {
                self.bits(u32::from(byte), 8)?;
            }
            self.bits(0, 8).map(|_| ())
        }
    }
}

/// A few fields that take [`BURST`] bits at most. (A closure would do, but closures cannot be marked for inlining, and then cost more
/// than they save.)
pub trait Burst<W> {
    /// What comes of it.
    type Out;
    /// Reads or writes them.
    fn run(self, w: &mut W) -> Self::Out;
}

/// Inside of an implementation of [`Wire`]: a cursor that gains nothing from a [`burst`](Wire::burst), and is its own.
#[macro_export]
#[doc(hidden)]
macro_rules! without_bursts {
    () => {
        type Burst = Self;

        #[inline(always)]
        fn burst<I: $crate::wire::Burst<Self>>(&mut self, inner: I) -> I::Out {
            inner.run(self)
        }
    };
}

/// The most bits that a [`burst`](Wire::burst) may take. A value of 32 bits is four codes of at most eleven.
pub const BURST: u32 = 57;

/// How the value of each field is sent: 0 is a float, which a flag says to be sent whole or as an integer of [`SMALL_BITS`]; else the width, with
/// [`SIGNED`] where it is two's complement.
pub type Widths = [u8; 64];
/// Bits of a float that is sent as an integer.
pub const SMALL_BITS: u32 = 13;
/// Marks a width whose values are two's complement.
pub const SIGNED: u8 = 0x80;

/// What the bits of a word mean to people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// A two's-complement number.
    Signed,
    /// The bits of a 32-bit float.
    Float,
    /// Units for each step: 0.125 for coordinates in eighths, 1.40625 for angles of eight bits.
    Scaled {
        /// What one step is worth.
        unit: f64,
        /// Whether the steps are a two's-complement number.
        signed: bool,
    },
}

impl Quantity {
    /// A word of `width` (1 to 32) bits as people read it.
    pub fn show(self, word: u32, width: u32) -> String {
        match self {
            Quantity::Signed => (sign_extend(word, width) as i32).to_string(),
            Quantity::Float => f32::from_bits(word).to_string(),
            Quantity::Scaled { unit, signed: true } => (f64::from(sign_extend(word, width) as i32) * unit).to_string(),
            Quantity::Scaled { unit, signed: false } => (f64::from(word) * unit).to_string(),
        }
    }
}

/// Names of numbers.
pub trait Vocabulary {
    /// The name of a number that has one.
    fn name(&self, number: u32) -> Option<&str>;
    /// The number of a name.
    fn number(&self, name: &str) -> Option<u32>;
    /// A number as people read it: by its name if it has one.
    fn show(&self, number: u32) -> String {
        self.name(number).map_or_else(|| number.to_string(), str::to_owned)
    }
}

/// How long a string may be, and what is said of a longer one.
#[derive(Debug, Clone, Copy)]
pub struct Bounded {
    /// Most bytes before the NUL.
    pub bytes: usize,
    /// The rule named when there are more.
    pub rule: &'static str,
}

/// Spreads the sign of a `width`-bit (1 to 32) number over the word.
#[inline(always)]
pub fn sign_extend(raw: u32, width: u32) -> u32 {
    let unused = 32 - width;
    (((raw << unused) as i32) >> unused) as u32
}
