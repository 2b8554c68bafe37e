//! The wire behind `explain`: reads like another wire and remembers which field owned which bits.

use crate::wire::{Crumb, Error, Wire};

/// Bits in the order of their stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bits {
    /// Filled from the lowest bit of the first.
    bytes: Vec<u8>,
    count: u64,
}

impl Bits {
    /// The bits of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Bits { bytes: bytes.to_vec(), count: 8 * bytes.len() as u64 }
    }

    fn push(&mut self, value: u32, width: u32) {
        let mut value = u64::from(value) & ((1 << width) - 1);
        let mut left = width;
        while left > 0 {
            let used = (self.count % 8) as u32;
            let taken = (8 - used).min(left);
            let part = (value as u8) << used;
            match self.bytes.last_mut() {
                Some(last) if used > 0 => *last |= part,
                _ => self.bytes.push(part),
            }
            value >>= taken;
            left -= taken;
            self.count += u64::from(taken);
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.count.is_multiple_of(8) {
            self.bytes.extend_from_slice(bytes);
            self.count += 8 * bytes.len() as u64;
        } else {
            bytes.iter().for_each(|&byte| self.push(u32::from(byte), 8));
        }
    }

    /// The bits packed into bytes, the last one filled up with zero bits.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The number whose lowest bit is the first of them, if they are at most 64.
    pub fn number(&self) -> Option<u64> {
        (self.bytes.len() <= 8).then(|| self.bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// The number whose lowest bit is the first of them, in hexadecimal digits: one for each four bits.
    pub fn digits(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.bytes.iter().rev().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)]));
        digits.skip(usize::from(matches!(self.count % 8, 1..=4))).collect()
    }
}

/// One field as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The parts that hold the field, outermost first.
    pub path: Vec<Crumb>,
    /// The field's name in the format document.
    pub field: &'static str,
    /// First bit, counted from the message's first.
    pub from: u64,
    /// The bit after the last.
    pub to: u64,
    /// The bits as the stream holds them. A stream in Huffman codes holds as many as the field has, in `to - from` bits of codes.
    pub raw: Bits,
    /// What it means, where a coder said so. The meanings of several values are separated by commas.
    pub meaning: Option<String>,
}

/// Reads through `R` and records a [`Span`] per field. Errors keep what was read before them.
#[derive(Debug, Clone)]
pub struct Trace<R> {
    inner: R,
    path: Vec<Crumb>,
    field: &'static str,
    fresh: bool,
    /// Where the last note begins in the last span's meaning, if nothing was read since.
    noted: Option<usize>,
    spans: Vec<Span>,
    /// The entity whose fields alone are remembered.
    only: Option<u32>,
    /// How many parts of that entity hold what is read now.
    inside: u32,
}

/// Parts that are about the entity of their index.
const OF_ENTITIES: [&str; 2] = ["entity", "baseline"];

impl<R: Wire<Error = Error>> Trace<R> {
    /// Traces what is read through `inner` from here on.
    pub fn new(inner: R) -> Self {
        Self { inner, path: Vec::new(), field: "", fresh: true, noted: None, spans: Vec::new(), only: None, inside: 0 }
    }

    /// Remembers only the fields of updates of one entity, where one is named.
    #[must_use]
    pub fn only(self, entity: Option<u32>) -> Self {
        Self { only: entity, ..self }
    }

    /// Whether what is read now is not to be remembered.
    #[inline]
    fn passes_over(&self) -> bool {
        self.only.is_some() && self.inside == 0
    }

    fn is_of_interest(&self, name: &str, index: Option<u32>) -> bool {
        self.only.is_some() && index == self.only && OF_ENTITIES.contains(&name)
    }

    /// The fields read so far.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The fields read, and the reader as it now stands.
    pub fn into_parts(self) -> (Vec<Span>, R) {
        (self.spans, self.inner)
    }

    /// Adds what was read since `from` to the field, which begins with it or has begun.
    fn record(&mut self, from: u64, add: impl FnOnce(&mut Bits)) {
        if self.passes_over() {
            return;
        }
        let to = self.inner.position();
        self.noted = None;
        let fresh = std::mem::replace(&mut self.fresh, false);
        if let Some(last) = self.spans.last_mut().filter(|last| !fresh && last.to == from) {
            last.to = to;
            add(&mut last.raw);
            return;
        }
        let mut raw = Bits::default();
        add(&mut raw);
        self.spans.push(Span { path: self.path.clone(), field: self.field, from, to, raw, meaning: None });
    }
}

impl<R: Wire<Error = Error>> Wire for Trace<R> {
    type Error = Error;
    const READING: bool = true;

    crate::wire::without_bursts!();

    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Error> {
        let from = self.inner.position();
        let raw = self.inner.bits(value, width)?;
        if width > 0 {
            self.record(from, |bits| bits.push(raw, width));
        }
        Ok(raw)
    }

    fn run(&mut self, zeros: impl FnOnce() -> u32, max: u32) -> Result<u32, Error> {
        let from = self.inner.position();
        let run = self.inner.run(zeros, max)?;
        let flags = self.inner.position() - from;
        self.enter("unchanged fields");
        self.record(from, |bits| (0..flags).for_each(|at| bits.push(u32::from(at == u64::from(run)), 1)));
        self.note(|| run.to_string());
        Ok(run)
    }

    fn more(&mut self, more: bool) -> bool {
        self.inner.more(more)
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn enter(&mut self, field: &'static str) {
        self.field = field;
        self.fresh = true;
    }

    fn note(&mut self, meaning: impl FnOnce() -> String) {
        if self.passes_over() {
            return;
        }
        let Some(last) = self.spans.last_mut() else { return };
        let text = last.meaning.get_or_insert_default();
        match self.noted {
            Some(from) => text.truncate(from),
            None if !text.is_empty() => text.push_str(", "),
            None => {}
        }
        self.noted = Some(text.len());
        text.push_str(&meaning());
    }

    fn open(&mut self, name: &'static str, index: Option<u32>) {
        self.inside += u32::from(self.is_of_interest(name, index));
        self.path.push(Crumb { name, index });
        self.fresh = true;
    }

    fn close(&mut self) {
        if let Some(Crumb { name, index }) = self.path.pop() {
            self.inside -= u32::from(self.is_of_interest(name, index));
        }
        self.fresh = true;
    }

    fn octets(&mut self, bytes: &mut Vec<u8>, length: usize) -> Result<(), Error> {
        let from = self.inner.position();
        self.inner.octets(bytes, length)?;
        if length > 0 {
            self.record(from, |bits| bits.extend(bytes));
            self.note(|| hex(bytes));
        }
        Ok(())
    }

    fn text(&mut self, text: &mut Vec<u8>, limit: crate::wire::Bounded) -> Result<(), Error> {
        let from = self.inner.position();
        self.inner.text(text, limit)?;
        self.record(from, |bits| {
            bits.extend(text);
            bits.push(0, 8);
        });
        self.note(|| shown(text));
        Ok(())
    }
}

/// Bytes as people compare them: in the order of the stream.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A text in quotes.
fn shown(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Bounded, ReadBits, ReadBytes};

    #[test]
    fn parts_nest() {
        let mut trace = Trace::new(ReadBits::new(&[0b1010_0101]));
        let result = trace.scope("outer", None, |w| {
            w.field("a", 0, 4)?;
            w.scope("inner", Some(7), |w| w.field("b", 0, 4))?;
            w.field("c", 0, 1)
        });
        assert_eq!(result.unwrap_err().path_text(), "outer");
        let seen: Vec<_> = trace.spans().iter().map(|span| (span.path.len(), span.field, span.raw.number())).collect();
        assert_eq!(seen, [(1, "a", Some(5)), (2, "b", Some(10))]);
    }

    #[test]
    fn one_entity_alone_is_remembered() {
        let mut trace = Trace::new(ReadBits::new(&[0b1010_0101, 0xff])).only(Some(7));
        let result = trace.scope("entity", Some(6), |w| w.field("a", 0, 4));
        let result = result.and_then(|_| trace.scope("entity", Some(7), |w| w.field("b", 0, 2)));
        let result = result.and_then(|_| trace.scope("item", Some(7), |w| w.field("c", 0, 2)));
        assert!(result.is_ok());
        trace.note(|| unreachable!("nothing is noted of what is passed over"));
        let seen: Vec<_> = trace.spans().iter().map(|span| (span.field, span.from, span.meaning.is_some())).collect();
        assert_eq!(seen, [("b", 4, false)]);
    }

    /// A mask, a vector, a text, and bytes: each is one field with all of its bits.
    #[test]
    fn a_field_read_in_pieces_is_one_value() {
        let data = [0x8f, 0x0f, 9, 0, 0xf0, 0xff, b'h', b'i', 0, 0xde, 0xad];
        let mut trace = Trace::new(ReadBytes::new(&data));
        let (mut text, mut bytes) = (Vec::new(), Vec::new());
        let result: Result<(), Error> = (|| {
            trace.enter("mask");
            trace.bits(0, 8)?;
            trace.bits(0, 8)?;
            trace.enter("origin");
            for _ in 0..2 {
                let word = trace.bits(0, 16)? as u16 as i16;
                trace.note(|| String::from("replaced by the next note"));
                trace.note(|| (f32::from(word) / 8.0).to_string());
            }
            trace.enter("name");
            trace.text(&mut text, Bounded { bytes: 9, rule: "too long" })?;
            trace.enter("data");
            trace.octets(&mut bytes, 2)
        })();
        assert!(result.is_ok());
        let seen: Vec<_> = trace.spans().iter().map(|span| (span.field, span.to - span.from, span.raw.digits(), span.meaning.as_deref())).collect();
        let expected = [
            ("mask", 16, "0f8f", None),
            ("origin", 32, "fff00009", Some("1.125, -2")),
            ("name", 24, "006968", Some("\"hi\"")),
            ("data", 16, "adde", Some("dead")),
        ];
        assert_eq!(seen, expected.map(|(field, bits, digits, meaning)| (field, bits, digits.to_owned(), meaning)));
    }

    #[test]
    fn bits_keep_their_order_at_every_phase() {
        for phase in 0..8 {
            let mut bits = Bits::default();
            bits.push(0, phase);
            bits.push(0x1_5a5a, 17);
            bits.extend(&[0xff]);
            assert_eq!((bits.count(), bits.number()), (u64::from(phase) + 25, Some((0xff << 17 | 0x1_5a5a) << phase)));
            assert_eq!(bits.digits().len() as u64, bits.count().div_ceil(4));
            assert_eq!(u64::from_str_radix(&bits.digits(), 16).ok(), bits.number());
        }
    }
}
