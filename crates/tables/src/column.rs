//! The values of one column in a batch.

/// Values, one after the other, and which of them are there.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// The values; a missing one has a place too.
    pub data: Data,
    /// Which are there, a bit each, the lowest first.
    pub valid: Bits,
}

/// Values of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Yes or no.
    Bool(Vec<bool>),
    /// Whole numbers.
    Int(Vec<i32>),
    /// Long whole numbers.
    Long(Vec<i64>),
    /// Numbers with a fraction.
    Real(Vec<f32>),
    /// The same, more precise.
    Double(Vec<f64>),
    /// Texts.
    Text(Texts),
}

/// Texts, one behind the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Texts {
    /// Where each begins, and where the last ends.
    pub offsets: Vec<i32>,
    /// All of them.
    pub bytes: String,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { offsets: vec![0], bytes: String::new() }
    }
}

impl Texts {
    /// Adds one.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.offsets.push(self.bytes.len() as i32);
    }

    /// One of them.
    pub fn get(&self, row: usize) -> &str {
        &self.bytes[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    fn truncate(&mut self, rows: usize) {
        self.offsets.truncate(rows + 1);
        self.bytes.truncate(self.offsets[rows] as usize);
    }
}

/// Bits, the lowest of each byte first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bits {
    /// The bits.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub length: usize,
    /// How many of them are 0.
    pub zeros: usize,
}

impl Bits {
    #[inline]
    fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
        self.zeros += usize::from(!bit);
    }

    /// One of them.
    #[inline]
    pub fn get(&self, at: usize) -> bool {
        self.bytes[at / 8] >> (at % 8) & 1 != 0
    }

    fn truncate(&mut self, length: usize) {
        while self.length > length {
            self.length -= 1;
            let (byte, bit) = (self.length / 8, self.length % 8);
            self.zeros -= usize::from(self.bytes[byte] >> bit & 1 == 0);
            self.bytes[byte] &= !(1 << bit);
        }
        self.bytes.truncate(length.div_ceil(8));
    }
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number of 32 bits.
    Real(f32),
    /// A number of 64 bits.
    Double(f64),
    /// A text.
    Text(&'a str),
}

impl Values {
    /// None yet, of a type.
    pub fn new(kind: crate::Type) -> Self {
        let data = match kind {
            crate::Type::Bool => Data::Bool(Vec::new()),
            crate::Type::Int => Data::Int(Vec::new()),
            crate::Type::Long => Data::Long(Vec::new()),
            crate::Type::Real => Data::Real(Vec::new()),
            crate::Type::Double => Data::Double(Vec::new()),
            crate::Type::Text => Data::Text(Texts::default()),
        };
        Values { data, valid: Bits::default() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.valid.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.valid.length == 0
    }

    /// The value of a row.
    pub fn get(&self, row: usize) -> Value<'_> {
        if !self.valid.get(row) {
            return Value::Null;
        }
        match &self.data {
            Data::Bool(values) => Value::Bool(values[row]),
            Data::Int(values) => Value::Int(i64::from(values[row])),
            Data::Long(values) => Value::Int(values[row]),
            Data::Real(values) => Value::Real(values[row]),
            Data::Double(values) => Value::Double(values[row]),
            Data::Text(texts) => Value::Text(texts.get(row)),
        }
    }

    /// Adds a value; one that does not fit the type is missing.
    #[inline]
    pub fn push(&mut self, value: Value<'_>) {
        let there = match (&mut self.data, value) {
            (Data::Bool(values), Value::Bool(value)) => {
                values.push(value);
                true
            }
            (Data::Int(values), Value::Int(value)) => {
                let value = i32::try_from(value);
                values.push(value.unwrap_or_default());
                value.is_ok()
            }
            (Data::Long(values), Value::Int(value)) => {
                values.push(value);
                true
            }
            (Data::Real(values), Value::Real(value)) => {
                values.push(value);
                true
            }
            (Data::Double(values), Value::Double(value)) => {
                values.push(value);
                true
            }
            (Data::Text(texts), Value::Text(text)) => {
                texts.push(text);
                true
            }
            (data, _) => {
                data.push_nothing();
                false
            }
        };
        self.valid.push(there);
    }

    /// Drops all but the first so many.
    pub fn truncate(&mut self, rows: usize) {
        if rows >= self.len() {
            return;
        }
        match &mut self.data {
            Data::Bool(values) => values.truncate(rows),
            Data::Int(values) => values.truncate(rows),
            Data::Long(values) => values.truncate(rows),
            Data::Real(values) => values.truncate(rows),
            Data::Double(values) => values.truncate(rows),
            Data::Text(texts) => texts.truncate(rows),
        }
        self.valid.truncate(rows);
    }

    /// About how many bytes they take.
    pub fn bytes(&self) -> usize {
        let data = match &self.data {
            Data::Bool(values) => values.len(),
            Data::Int(values) => values.len() * 4,
            Data::Real(values) => values.len() * 4,
            Data::Long(values) => values.len() * 8,
            Data::Double(values) => values.len() * 8,
            Data::Text(texts) => texts.bytes.len() + texts.offsets.len() * 4,
        };
        data + self.valid.bytes.len()
    }
}

impl Data {
    fn push_nothing(&mut self) {
        match self {
            Data::Bool(values) => values.push(false),
            Data::Int(values) => values.push(0),
            Data::Long(values) => values.push(0),
            Data::Real(values) => values.push(0.0),
            Data::Double(values) => values.push(0.0),
            Data::Text(texts) => texts.push(""),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Type;

    #[test]
    fn values_come_back_and_can_be_dropped() {
        let mut values = Values::new(Type::Text);
        for value in [Value::Text("a"), Value::Null, Value::Text("bc"), Value::Int(4)] {
            values.push(value);
        }
        assert_eq!((0..4).map(|row| values.get(row)).collect::<Vec<_>>(), [Value::Text("a"), Value::Null, Value::Text("bc"), Value::Null]);
        assert_eq!(values.valid.zeros, 2);
        values.truncate(1);
        values.push(Value::Text("d"));
        assert_eq!((values.len(), values.get(1), values.valid.zeros), (2, Value::Text("d"), 0));
        let mut numbers = Values::new(Type::Int);
        numbers.push(Value::Int(1 << 40));
        assert_eq!(numbers.get(0), Value::Null, "what does not fit is missing, not wrong");
    }
}
