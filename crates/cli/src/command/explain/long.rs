//! What to do where more is shown than anybody reads.

use std::collections::HashMap;

use fragreel::model::Explained;

/// Nobody reads more lines than this on a terminal.
const MANY: u64 = 2000;

/// How many fields are named.
const NAMED: usize = 4;

/// Counts what is shown on a terminal.
#[derive(Default)]
pub struct Length {
    lines: u64,
    fields: HashMap<&'static str, u64>,
}

impl Length {
    /// A message is shown.
    pub fn add(&mut self, message: &Explained) {
        self.lines += 1 + message.parts.len() as u64;
        for part in &message.parts {
            *self.fields.entry(part.field).or_default() += 1;
        }
    }

    /// Text is shown.
    pub fn add_text(&mut self, text: &[u8]) {
        self.lines += text.iter().filter(|&&byte| byte == b'\n').count() as u64;
    }

    /// How to ask for less, where it was much.
    pub fn advice(&self) -> Option<String> {
        if self.lines < MANY {
            return None;
        }
        let mut fields: Vec<_> = self.fields.iter().collect();
        fields.sort_by_key(|(field, count)| (std::cmp::Reverse(**count), *field));
        let named: Vec<&str> = fields.iter().take(NAMED).map(|(field, _)| **field).collect();
        let most = if named.is_empty() { String::new() } else { format!(" (most belong to {})", named.join(", ")) };
        Some(format!(
            "The output had {} lines{most}. To select fewer: --fields NAME, --entity N, --kinds KIND, --from TIME --to TIME, --messages A..B. Or page through them with `| less`.",
            self.lines
        ))
    }
}
