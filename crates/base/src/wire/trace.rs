//! The wire behind `explain`: reads like another wire and remembers which field owned which bits.

use crate::wire::{Burst, Crumb, Error, Wire};

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
    /// The value as the stream holds it (the last word of fields longer than 32 bits).
    pub raw: u32,
    /// What it means, where a coder said so.
    pub meaning: Option<String>,
}

/// Reads through `R` and records a [`Span`] per field. Errors keep what was read before them.
#[derive(Debug, Clone)]
pub struct Trace<R> {
    inner: R,
    path: Vec<Crumb>,
    field: &'static str,
    fresh: bool,
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
        Self { inner, path: Vec::new(), field: "", fresh: true, spans: Vec::new(), only: None, inside: 0 }
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

    fn record(&mut self, from: u64, raw: u32) {
        if self.passes_over() {
            return;
        }
        let to = self.inner.position();
        if !self.fresh
            && let Some(last) = self.spans.last_mut()
            && last.to == from
        {
            last.to = to;
            last.raw = raw;
            return;
        }
        self.fresh = false;
        self.spans.push(Span { path: self.path.clone(), field: self.field, from, to, raw, meaning: None });
    }
}

impl<R: Wire<Error = Error>> Wire for Trace<R> {
    type Error = Error;
    type Burst = Self;
    const READING: bool = true;

    #[inline(always)]
    fn burst<I: Burst<Self>>(&mut self, inner: I) -> I::Out {
        inner.run(self)
    }

    fn bits(&mut self, value: u32, width: u32) -> Result<u32, Error> {
        let from = self.inner.position();
        let raw = self.inner.bits(value, width)?;
        if width > 0 {
            self.record(from, raw);
        }
        Ok(raw)
    }

    fn run(&mut self, zeros: impl FnOnce() -> u32, max: u32) -> Result<u32, Error> {
        let from = self.inner.position();
        let run = self.inner.run(zeros, max)?;
        self.enter("unchanged fields");
        self.record(from, run);
        Ok(run)
    }

    fn expect(&mut self, ok: bool, rule: &'static str) -> Result<(), Error> {
        self.inner.expect(ok, rule)
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
        if let Some(last) = self.spans.last_mut() {
            last.meaning = Some(meaning());
        }
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
            self.record(from, u32::from(*bytes.last().unwrap_or(&0)));
        }
        Ok(())
    }

    fn text(&mut self, text: &mut Vec<u8>, limit: crate::wire::Bounded) -> Result<(), Error> {
        let from = self.inner.position();
        self.inner.text(text, limit)?;
        self.record(from, 0);
        self.note(|| format!("{:?}", String::from_utf8_lossy(text)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ReadBits;

    #[test]
    fn parts_nest() {
        let mut trace = Trace::new(ReadBits::new(&[0b1010_0101]));
        let result = trace.scope("outer", None, |w| {
            w.field("a", 0, 4)?;
            w.scope("inner", Some(7), |w| w.field("b", 0, 4))?;
            w.field("c", 0, 1)
        });
        assert_eq!(result.unwrap_err().path_text(), "outer");
        let seen: Vec<_> = trace.spans().iter().map(|span| (span.path.len(), span.field, span.raw)).collect();
        assert_eq!(seen, [(1, "a", 5), (2, "b", 10)]);
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
}
