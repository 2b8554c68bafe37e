//! Values that wait for the reader.

/// Values that the model knows before the reader asks for them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pending {
    values: [u32; 3],
    length: usize,
    next: usize,
}

impl Pending {
    pub(super) fn next(&mut self) -> Option<u32> {
        let value = *self.values[..self.length].get(self.next)?;
        self.next += 1;
        Some(value)
    }

    pub(super) fn push(&mut self, value: u32) {
        self.values[self.length] = value;
        self.length += 1;
    }
}
