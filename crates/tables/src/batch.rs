//! Rows of a table, column by column, and their making.

use crate::column::{SOME, Value, Values, some_of};
use crate::condition::Condition;
use crate::declared::places;
use crate::query::Query;
use crate::schema::{Table, Type};
use crate::source::Source;

/// How many rows are handed on together.
pub const BATCH_ROWS: usize = 16_384;

/// The same in bytes of texts.
const BATCH_BYTES: usize = 8 << 20;

/// Some rows of a table, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The columns wanted, in the order wanted.
    pub columns: Vec<Values>,
    /// How many rows there are.
    pub rows: usize,
}

impl Batch {
    /// A value.
    pub fn get(&self, row: usize, column: usize) -> Value<'_> {
        self.columns[column].get(row)
    }
}

/// Rows that are being made, of one query and one recording.
pub(crate) struct Rows {
    table: &'static Table,
    /// The columns wanted, in their order.
    wanted: Vec<usize>,
    /// A place for each column of the table; those that nobody asked for have none.
    columns: Vec<Option<Values>>,
    /// The places of those that are made.
    made: Vec<usize>,
    /// The places of texts among them.
    texts: Vec<usize>,
    conditions: Vec<Condition>,
    rows: usize,
    recording: String,
    family: &'static str,
}

impl Rows {
    /// None yet. The recording is hashed only if its name is wanted.
    pub(crate) fn new(query: &Query, source: &Source<'_>) -> Self {
        let made = query.made();
        let recording = if made[places::recording] { source.id().to_owned() } else { String::new() };
        let columns: Vec<_> = query.table.columns.iter().zip(&made).map(|(column, made)| made.then(|| Values::new(column.kind))).collect();
        let made: Vec<usize> = made.iter().enumerate().filter(|(_, made)| **made).map(|(at, _)| at).collect();
        let texts = made.iter().copied().filter(|&column| query.table.columns[column].kind == Type::Text).collect();
        let (wanted, conditions) = (query.columns.clone(), query.conditions.clone());
        Rows { table: query.table, wanted, columns, made, texts, conditions, rows: 0, recording, family: source.family().name() }
    }

    /// Whether anybody asked for a column.
    #[inline]
    pub(crate) fn wants(&self, column: usize) -> bool {
        self.columns[column].is_some()
    }

    /// A value of the present row.
    #[inline]
    pub(crate) fn put(&mut self, column: usize, value: Value<'_>) {
        if let Some(values) = &mut self.columns[column] {
            debug_assert!(values.len() <= self.rows, "{}.{}", self.table.name, self.table.columns[column].name);
            values.pad(self.rows);
            values.push(value);
        }
    }

    /// A whole number.
    #[inline]
    pub(crate) fn int(&mut self, column: usize, value: Option<impl Into<i64>>) {
        if let Some(value) = value {
            self.put(column, Value::Int(value.into()));
        }
    }

    /// A count.
    #[inline]
    pub(crate) fn count(&mut self, column: usize, value: u64) {
        self.put(column, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    /// A number of 32 bits.
    #[inline]
    pub(crate) fn real(&mut self, column: usize, value: Option<f32>) {
        if let Some(value) = value {
            self.put(column, Value::Real(value));
        }
    }

    /// Three numbers of 32 bits in three columns that follow each other.
    #[inline]
    pub(crate) fn vector(&mut self, first: usize, value: Option<[f32; 3]>) {
        if let Some(value) = value {
            for (at, value) in value.into_iter().enumerate() {
                self.put(first + at, Value::Real(value));
            }
        }
    }

    /// A column whose next values are those of the present row and of the rows behind it.
    #[inline]
    fn column(&mut self, column: usize) -> Option<&mut Values> {
        let rows = self.rows;
        let values = self.columns[column].as_mut()?;
        values.pad(rows);
        Some(values)
    }

    /// Whole numbers, one for each of the rows from the present one on.
    #[inline]
    pub(crate) fn ints<T, N: Into<i64>>(&mut self, column: usize, all: &[T], value: impl Fn(&T) -> Option<N>) {
        if let Some(values) = self.column(column) {
            values.ints(all, value);
        }
    }

    /// Three numbers of 32 bits in three columns, likewise.
    #[inline]
    pub(crate) fn vectors<T>(&mut self, first: usize, all: &[T], value: impl Fn(&T) -> Option<[f32; 3]>) {
        if !(first..first + 3).any(|column| self.wants(column)) {
            return;
        }
        // some, so that each is looked at once
        let mut rows = self.rows;
        for some in all.chunks(SOME) {
            let (vectors, there) = some_of(some, &value);
            for at in 0..3 {
                if let Some(values) = &mut self.columns[first + at] {
                    values.pad(rows);
                    values.reals(vectors[..some.len()].iter().map(|vector| vector[at]), there);
                }
            }
            rows += some.len();
        }
    }

    /// Yes or no, likewise.
    #[inline]
    pub(crate) fn flags<T>(&mut self, column: usize, all: &[T], value: impl Fn(&T) -> Option<bool>) {
        if let Some(values) = self.column(column) {
            values.flags(all, value);
        }
    }

    /// Texts, likewise; one may be put together in a string, and is missing if that stays empty.
    #[inline]
    pub(crate) fn texts<'a, T>(&mut self, column: usize, all: &'a [T], made: &mut String, value: impl Fn(&'a T, &mut String) -> Option<&'a str>) {
        if let Some(values) = self.column(column) {
            values.texts(all, made, value);
        }
    }

    /// The same value in some rows from the present one on.
    #[inline]
    pub(crate) fn fill(&mut self, column: usize, value: Value<'_>, rows: usize) {
        if let Some(values) = self.column(column) {
            values.repeat(value, rows);
        }
    }

    /// Ends some rows, where nothing chooses among rows.
    pub(crate) fn end_all(&mut self, rows: usize) {
        debug_assert!(self.takes_all());
        self.rows += rows;
    }

    /// Whether every row that is ended stays.
    pub(crate) fn takes_all(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Yes or no.
    #[inline]
    pub(crate) fn flag(&mut self, column: usize, value: Option<bool>) {
        if let Some(value) = value {
            self.put(column, Value::Bool(value));
        }
    }

    /// A text.
    #[inline]
    pub(crate) fn text(&mut self, column: usize, value: Option<&str>) {
        if let Some(value) = value {
            self.put(column, Value::Text(value));
        }
    }

    /// Ends the row. Values that were not set are missing; a row that fails a condition is dropped.
    pub(crate) fn end(&mut self) {
        let row = self.rows;
        if self.conditions.iter().all(|condition| condition.holds(self.value(row, condition.column()))) {
            self.rows += 1;
        } else {
            self.made.iter().for_each(|&column| self.columns[column].iter_mut().for_each(|values| values.truncate(row)));
        }
    }

    /// A value of the present row.
    fn value(&self, row: usize, column: usize) -> Value<'_> {
        match (column, &self.columns[column]) {
            (places::recording, _) => Value::Text(&self.recording),
            (places::family, _) => Value::Text(self.family),
            (_, Some(values)) if row < values.len() => values.get(row),
            _ => Value::Null,
        }
    }

    /// Whether there are enough rows to hand on.
    pub(crate) fn is_full(&self) -> bool {
        // whatever is no text is bounded by the number of rows
        self.rows >= BATCH_ROWS || self.texts.iter().flat_map(|&column| &self.columns[column]).map(Values::bytes).sum::<usize>() >= BATCH_BYTES
    }

    /// The rows so far, where there are any.
    pub(crate) fn take(&mut self) -> Option<Batch> {
        if self.rows == 0 {
            return None;
        }
        let (table, rows) = (self.table, self.rows);
        self.columns.iter_mut().flatten().for_each(|values| values.pad(rows));
        // What is the same in all rows is not written row by row.
        for (column, text) in [(places::recording, &*self.recording), (places::family, self.family)] {
            if let Some(values) = &mut self.columns[column] {
                *values = Values::constant(text, rows);
            }
        }
        // where one batch was full, the next may be
        let room = if rows < BATCH_ROWS { 0 } else { rows + rows / 64 };
        let fresh = |column: usize| Values::with_room(table.columns[column].kind, room);
        let out = self.columns.iter_mut().enumerate();
        let mut taken: Vec<_> = out.map(|(at, values)| values.as_mut().map(|values| std::mem::replace(values, fresh(at)))).collect();
        // a column may be asked for twice
        let columns = self.wanted.iter().enumerate().map(|(at, &column)| {
            let again = self.wanted[at + 1..].contains(&column);
            if again { taken[column].clone() } else { taken[column].take() }.unwrap_or_else(|| fresh(column))
        });
        let batch = Batch { columns: columns.collect(), rows };
        self.rows = 0;
        Some(batch)
    }
}
