//! The last line of a text: a text without it may have been cut off at a line's end.

use fragreel_base::textform::{Compile, Decompile, Error, Patch};
use serde_json::{Value, json};

use super::place::plain;

/// The line.
const END: &[u8] = b"{\"end_of_text\":true}\n";

const KEY: &str = "end_of_text";

/// Whether a line is the one that ends a text. It stands for nothing; a text that lacks it may be the front of a longer one.
///
/// ```
/// use fragreel::text_form::{decompile, is_end};
///
/// # fn main() -> Result<(), fragreel::Error> {
/// let text = decompile(&*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap(), "dm_bots.dm_71")?;
/// assert!(text.split(|&byte| byte == b'\n').any(is_end));
/// # Ok(())
/// # }
/// ```
pub fn is_end(line: &[u8]) -> bool {
    times_said(line) == 1
}

/// How often a line says that the text ends; 0 of one that says something else.
fn times_said(line: &[u8]) -> usize {
    // Few lines are so short.
    let is_end = line.len() < 64
        && serde_json::from_slice::<Value>(line).is_ok_and(|line| line.as_object().is_some_and(|line| line.len() == 1 && line.contains_key(KEY)));
    if is_end { line.windows(KEY.len()).filter(|word| *word == KEY.as_bytes()).count() } else { 0 }
}

/// Ends the text of another.
pub(super) struct Decompiler {
    inner: Box<dyn Decompile + Send>,
    ended: bool,
}

impl Decompiler {
    pub(super) fn new(inner: Box<dyn Decompile + Send>) -> Self {
        Decompiler { inner, ended: false }
    }
}

impl Decompile for Decompiler {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        let used = self.inner.step(window, last, out);
        if last && used == window.len() && !self.ended {
            self.ended = true;
            out.extend_from_slice(END);
        }
        used
    }
}

/// Passes over the last line, and over where a line stands.
pub(super) struct Compiler(pub Box<dyn Compile + Send>);

impl Compile for Compiler {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        match times_said(line) {
            0 => self.0.line(&plain(line), number, out),
            1 => Ok(()),
            _ => Err(Error { line: number, column: 1, field: String::new(), expected: format!("the field `{KEY}` stands here twice") }),
        }
    }

    fn fork(&self) -> Option<Box<dyn Compile + Send>> {
        Some(Box::new(Compiler(self.0.fork()?)))
    }

    fn learned(&self) -> bool {
        self.0.learned()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Vec<Patch>, Error> {
        self.0.finish(out)
    }
}

/// The lines of a family, and this one.
pub(super) fn schema(lines: Value) -> Value {
    let end = json!({"type": "object", "properties": {KEY: {"const": true}}, "required": [KEY], "additionalProperties": false});
    json!({"anyOf": [lines, end]})
}
