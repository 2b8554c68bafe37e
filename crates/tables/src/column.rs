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

/// Texts. Each is kept once, and a row has its number: names, weapons and teams come again and again.
#[derive(Debug, Clone)]
pub struct Texts {
    /// The number of each row's text.
    pub numbers: Vec<i32>,
    /// Where each text begins, and where the last ends.
    pub offsets: Vec<i32>,
    /// The texts, one behind the other.
    pub bytes: String,
    /// Numbers of texts plus one, in places by hash; 0 where there is none.
    index: Vec<i32>,
    /// The same, in places by where the text lay in memory: frames share names.
    near: Box<[i32; 32]>,
    /// The number of the text that stands for a missing one, plus one; 0 where there is none.
    nothing: i32,
}

impl Default for Texts {
    fn default() -> Self {
        Texts { numbers: Vec::new(), offsets: vec![0], bytes: String::new(), index: Vec::new(), near: Box::new([0; 32]), nothing: 0 }
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.numbers.len() == other.numbers.len() && (0..self.numbers.len()).all(|row| self.get(row) == other.get(row))
    }
}

impl Texts {
    /// In how many places a text is looked for. Hostile texts of one hash are kept twice, and cost no time.
    const PROBES: usize = 8;

    /// The same text in every row.
    pub(crate) fn constant(text: &str, rows: usize) -> Self {
        let mut texts = Texts::default();
        if rows > 0 {
            texts.push(text);
            texts.numbers.resize(rows, 0);
        }
        texts
    }

    /// Adds one.
    #[inline]
    pub fn push(&mut self, text: &str) {
        if let Some(&last) = self.numbers.last()
            && self.is(last, text)
        {
            self.numbers.push(last);
            return;
        }
        let address = text.as_ptr() as usize;
        let place = (address >> 4 ^ address >> 9) % self.near.len();
        let near = self.near[place] - 1;
        let number = if near >= 0 && self.is(near, text) { near } else { self.number(text) };
        self.near[place] = number + 1;
        self.numbers.push(number);
    }

    /// Adds what stands for a missing one.
    #[inline]
    fn push_nothing(&mut self) {
        let nothing = self.nothing();
        self.numbers.push(nothing);
    }

    fn nothing(&mut self) -> i32 {
        if self.nothing == 0 {
            self.nothing = self.number("") + 1;
        }
        self.nothing - 1
    }

    #[inline]
    fn is(&self, number: i32, text: &str) -> bool {
        let number = number as usize;
        self.bytes.as_bytes()[self.offsets[number] as usize..self.offsets[number + 1] as usize] == *text.as_bytes()
    }

    /// The text of a row.
    pub fn get(&self, row: usize) -> &str {
        self.text(self.numbers[row])
    }

    /// The text of a number.
    #[inline]
    pub(crate) fn text(&self, number: i32) -> &str {
        let number = number as usize;
        &self.bytes[self.offsets[number] as usize..self.offsets[number + 1] as usize]
    }

    /// The number of a text, which is added where it is new.
    fn number(&mut self, text: &str) -> i32 {
        let texts = self.offsets.len() - 1;
        if texts * 2 >= self.index.len() {
            self.index = vec![0; (texts * 4).max(16)];
            for number in 0..texts as i32 {
                let hash = hash(self.text(number));
                if let Some(place) = self.places(hash).find(|&place| self.index[place] == 0) {
                    self.index[place] = number + 1;
                }
            }
        }
        let mut free = None;
        for place in self.places(hash(text)) {
            match self.index[place] {
                0 => {
                    free = Some(place);
                    break;
                }
                number if self.text(number - 1) == text => return number - 1,
                _ => {}
            }
        }
        self.bytes.push_str(text);
        self.offsets.push(self.bytes.len() as i32);
        if let Some(place) = free {
            self.index[place] = texts as i32 + 1;
        }
        texts as i32
    }

    fn places(&self, hash: usize) -> impl Iterator<Item = usize> + use<> {
        let mask = self.index.len() - 1;
        (0..Self::PROBES).map(move |step| (hash + step) & mask)
    }

    fn truncate(&mut self, rows: usize) {
        self.numbers.truncate(rows);
    }

    /// Adds the texts of another column.
    fn append(&mut self, other: &Texts) {
        const UNKNOWN: i32 = -1;
        let mut known = vec![UNKNOWN; other.offsets.len()];
        for &number in &other.numbers {
            let place = &mut known[number as usize];
            if *place == UNKNOWN {
                *place = self.number(other.text(number));
            }
            self.numbers.push(*place);
        }
    }
}

fn hash(text: &str) -> usize {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let mut words = text.as_bytes().chunks_exact(8);
    let mut hash = text.len() as u64;
    for word in &mut words {
        hash = mix(hash, word.try_into().map_or(0, u64::from_le_bytes));
    }
    let rest = words.remainder().iter().rev().fold(0, |rest, &byte| rest << 8 | u64::from(byte));
    (mix(hash, rest) >> 32) as usize
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

    /// Adds some bits, 64 at most, the lowest first; those above are 0.
    #[inline]
    fn append(&mut self, bits: u64, count: usize) {
        let used = self.length % 8;
        let mut rest = u128::from(bits);
        if used > 0
            && let Some(last) = self.bytes.last_mut()
        {
            rest <<= used;
            *last |= rest as u8;
            rest >>= 8;
        }
        let length = self.length + count;
        let bytes = length.div_ceil(8) - self.bytes.len();
        self.bytes.extend_from_slice(&rest.to_le_bytes()[..bytes]);
        self.length = length;
        self.zeros += count - bits.count_ones() as usize;
    }

    /// Adds all bits of others.
    fn append_all(&mut self, other: &Bits) {
        let mut rest = other.length;
        for some in other.bytes.chunks(8) {
            let mut word = [0; 8];
            word[..some.len()].copy_from_slice(some);
            let count = rest.min(64);
            self.append(u64::from_le_bytes(word), count);
            rest -= count;
        }
    }

    /// Adds the same bit several times.
    fn extend(&mut self, bit: bool, count: usize) {
        let from = self.length;
        self.length += count;
        self.zeros += if bit { 0 } else { count };
        self.bytes.resize(self.length.div_ceil(8), if bit { 0xff } else { 0 });
        if bit && !from.is_multiple_of(8) {
            self.bytes[from / 8] |= 0xff << (from % 8);
        }
        if bit
            && !self.length.is_multiple_of(8)
            && let Some(last) = self.bytes.last_mut()
        {
            *last &= 0xff >> (8 - self.length % 8);
        }
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

/// How many values are gathered at a time.
pub(crate) const SOME: usize = 16;

/// The values of some, [`SOME`] at most, and a bit for each that is there.
#[inline]
pub(crate) fn some_of<T, V: Copy + Default>(some: &[T], value: impl Fn(&T) -> Option<V>) -> ([V; SOME], u64) {
    let (mut values, mut there) = ([V::default(); SOME], 0);
    for (at, (place, one)) in values.iter_mut().zip(some).enumerate() {
        let value = value(one);
        *place = value.unwrap_or_default();
        there |= u64::from(value.is_some()) << at;
    }
    (values, there)
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

    /// None yet, with room for this number; texts take theirs as they come.
    pub(crate) fn with_room(kind: crate::Type, rows: usize) -> Self {
        let mut values = Self::new(kind);
        match &mut values.data {
            Data::Bool(values) => values.reserve(rows),
            Data::Int(values) => values.reserve(rows),
            Data::Long(values) => values.reserve(rows),
            Data::Real(values) => values.reserve(rows),
            Data::Double(values) => values.reserve(rows),
            Data::Text(texts) => texts.numbers.reserve(rows),
        }
        values.valid.bytes.reserve(rows.div_ceil(8));
        values
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

    /// Adds numbers of 32 bits; a bit says of each whether it is there. A column of another type has none.
    #[inline]
    pub(crate) fn reals(&mut self, some: impl ExactSizeIterator<Item = f32>, there: u64) {
        let count = some.len();
        match &mut self.data {
            Data::Real(values) => values.extend(some),
            _ => return self.pad(self.len() + count),
        }
        self.valid.append(there, count);
    }

    /// Adds a whole number for each of `all`, likewise; one that does not fit is missing.
    #[inline]
    pub(crate) fn ints<T, N: Into<i64>>(&mut self, all: &[T], value: impl Fn(&T) -> Option<N>) {
        for some in all.chunks(SOME) {
            let (numbers, there) = some_of(some, |one| value(one).and_then(|value| i32::try_from(value.into()).ok()));
            match &mut self.data {
                Data::Int(values) => values.extend_from_slice(&numbers[..some.len()]),
                _ => return self.pad(self.len() + some.len()),
            }
            self.valid.append(there, some.len());
        }
    }

    /// Adds yes or no for each of `all`, likewise.
    #[inline]
    pub(crate) fn flags<T>(&mut self, all: &[T], value: impl Fn(&T) -> Option<bool>) {
        for some in all.chunks(SOME) {
            let (flags, there) = some_of(some, &value);
            match &mut self.data {
                Data::Bool(values) => values.extend_from_slice(&flags[..some.len()]),
                _ => return self.pad(self.len() + some.len()),
            }
            self.valid.append(there, some.len());
        }
    }

    /// Adds a text for each of `all`, likewise. What was put together in `made` is a text too, where it is not empty.
    #[inline]
    pub(crate) fn texts<'a, T>(&mut self, all: &'a [T], made: &mut String, value: impl Fn(&'a T, &mut String) -> Option<&'a str>) {
        for some in all.chunks(SOME) {
            let Data::Text(texts) = &mut self.data else { return self.pad(self.len() + some.len()) };
            let mut there = 0;
            for (at, one) in some.iter().enumerate() {
                made.clear();
                match value(one, made).or((!made.is_empty()).then_some(&**made)) {
                    Some(text) => {
                        texts.push(text);
                        there |= 1 << at;
                    }
                    None => texts.push_nothing(),
                }
            }
            self.valid.append(there, some.len());
        }
    }

    /// Adds the same value several times.
    pub(crate) fn repeat(&mut self, value: Value<'_>, count: usize) {
        let Some(more) = count.checked_sub(1) else { return };
        self.push(value);
        let there = self.valid.zeros == 0 || self.valid.get(self.valid.length - 1);
        fn again<T: Copy>(values: &mut Vec<T>, more: usize) {
            if let Some(&last) = values.last() {
                values.resize(values.len() + more, last);
            }
        }
        match &mut self.data {
            Data::Bool(values) => again(values, more),
            Data::Int(values) => again(values, more),
            Data::Long(values) => again(values, more),
            Data::Real(values) => again(values, more),
            Data::Double(values) => again(values, more),
            Data::Text(texts) => again(&mut texts.numbers, more),
        }
        self.valid.extend(there, more);
    }

    /// Adds the values of a column of the same type. Values of another type are missing.
    pub fn append(&mut self, other: &Values) {
        match (&mut self.data, &other.data) {
            (Data::Bool(values), Data::Bool(more)) => values.extend_from_slice(more),
            (Data::Int(values), Data::Int(more)) => values.extend_from_slice(more),
            (Data::Long(values), Data::Long(more)) => values.extend_from_slice(more),
            (Data::Real(values), Data::Real(more)) => values.extend_from_slice(more),
            (Data::Double(values), Data::Double(more)) => values.extend_from_slice(more),
            (Data::Text(texts), Data::Text(more)) => texts.append(more),
            _ => return self.pad(self.len() + other.len()),
        }
        self.valid.append_all(&other.valid);
    }

    /// The same text in every row.
    pub(crate) fn constant(text: &str, rows: usize) -> Self {
        let mut valid = Bits::default();
        valid.extend(true, rows);
        Values { data: Data::Text(Texts::constant(text, rows)), valid }
    }

    /// Adds missing values until there are this many.
    #[inline]
    pub(crate) fn pad(&mut self, rows: usize) {
        if self.valid.length < rows {
            self.push_missing(rows);
        }
    }

    fn push_missing(&mut self, rows: usize) {
        match &mut self.data {
            Data::Bool(values) => values.resize(rows, false),
            Data::Int(values) => values.resize(rows, 0),
            Data::Long(values) => values.resize(rows, 0),
            Data::Real(values) => values.resize(rows, 0.0),
            Data::Double(values) => values.resize(rows, 0.0),
            Data::Text(texts) => {
                let nothing = texts.nothing();
                texts.numbers.resize(rows, nothing);
            }
        }
        self.valid.extend(false, rows - self.valid.length);
    }

    /// Drops all but the first ones, up to this number.
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
            Data::Text(texts) => texts.bytes.len() + (texts.numbers.len() + texts.offsets.len() + texts.index.len()) * 4,
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
            Data::Text(texts) => texts.push_nothing(),
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
        values.pad(4);
        assert_eq!((values.len(), values.get(1), values.get(3), values.valid.zeros), (4, Value::Text("d"), Value::Null, 2));
        values.repeat(Value::Text("a"), 3);
        values.repeat(Value::Null, 2);
        values.repeat(Value::Text("never"), 0);
        assert_eq!((values.len(), values.get(6), values.get(7), values.get(8), values.valid.zeros), (9, Value::Text("a"), Value::Null, Value::Null, 4));
        let mut numbers = Values::new(Type::Int);
        numbers.push(Value::Int(1 << 40));
        assert_eq!(numbers.get(0), Value::Null, "what does not fit is missing, not wrong");
    }

    #[test]
    fn texts_are_kept_once() {
        let words: Vec<String> = (0..500).map(|number| format!("player {}", number % 40)).collect();
        let mut texts = Texts::default();
        words.iter().for_each(|word| texts.push(word));
        assert!(words.iter().enumerate().all(|(row, word)| texts.get(row) == word));
        assert_eq!(texts.offsets.len() - 1, 40);
        assert_eq!(Texts::constant("same", 3).numbers, [0, 0, 0]);
        assert!(Texts::constant("same", 0).numbers.is_empty());
    }

    #[test]
    fn bits_are_added_some_at_a_time() {
        for (from, bits, count) in [(0, 0b101, 3), (5, 0b101, 3), (5, 0b1011, 4), (7, u64::MAX, 64), (8, 1, 64), (3, 0, 0), (0, 0, 0), (1, 0x7f, 7)] {
            let (mut together, mut alone) = (Bits::default(), Bits::default());
            (0..from).for_each(|at| [&mut together, &mut alone].into_iter().for_each(|bits| bits.push(at % 2 == 0)));
            together.append(bits, count);
            (0..count).for_each(|at| alone.push(bits >> at & 1 != 0));
            assert_eq!(together, alone, "{count} from {from}");
        }
    }

    #[test]
    fn columns_are_joined() {
        for kind in [Type::Bool, Type::Int, Type::Long, Type::Real, Type::Double, Type::Text] {
            for (first, second) in [(0, 0), (0, 70), (3, 64), (9, 200), (64, 1)] {
                let value = |row: usize| match (row % 3, kind) {
                    (0, _) => Value::Null,
                    (_, Type::Bool) => Value::Bool(row.is_multiple_of(2)),
                    (_, Type::Int | Type::Long) => Value::Int(row as i64),
                    (_, Type::Real) => Value::Real(row as f32),
                    (_, Type::Double) => Value::Double(row as f64),
                    (one, Type::Text) => Value::Text(["", "a", "b"][one]),
                };
                let (mut joined, mut more, mut alone) = (Values::new(kind), Values::new(kind), Values::new(kind));
                (0..first).for_each(|row| joined.push(value(row)));
                (first..first + second).for_each(|row| more.push(value(row)));
                (0..first + second).for_each(|row| alone.push(value(row)));
                joined.append(&more);
                assert_eq!(joined, alone, "{kind:?}: {first} and {second}");
            }
        }
        let (mut numbers, mut text) = (Values::new(Type::Int), Values::new(Type::Text));
        text.push(Value::Text("a"));
        numbers.append(&text);
        assert_eq!((numbers.len(), numbers.get(0)), (1, Value::Null));
    }

    #[test]
    fn bits_of_a_kind_are_added_together() {
        for (from, count) in [(0, 0), (0, 3), (3, 5), (3, 13), (8, 8), (7, 1)] {
            for bit in [false, true] {
                let (mut together, mut alone) = (Bits::default(), Bits::default());
                (0..from).for_each(|at| [&mut together, &mut alone].into_iter().for_each(|bits| bits.push(at % 2 == 0)));
                together.extend(bit, count);
                (0..count).for_each(|_| alone.push(bit));
                assert_eq!(together, alone, "{count} from {from}");
            }
        }
    }
}
