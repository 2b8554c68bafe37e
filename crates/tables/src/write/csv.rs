//! Comma-separated values.

use std::io;

use crate::batch::Batch;
use crate::column::Value;

/// Writes rows as CSV by RFC 4180. What is missing is empty; an empty text is `""` there.
pub fn csv(batch: &Batch, out: &mut impl io::Write) -> io::Result<()> {
    let mut floats = ryu::Buffer::new();
    for row in 0..batch.rows {
        for (at, values) in batch.columns.iter().enumerate() {
            if at > 0 {
                out.write_all(b",")?;
            }
            match values.get(row) {
                Value::Null => {}
                Value::Bool(value) => out.write_all(if value { b"true" } else { b"false" })?,
                Value::Int(value) => write!(out, "{value}")?,
                Value::Real(value) => out.write_all(floats.format(value).as_bytes())?,
                Value::Double(value) => out.write_all(floats.format(value).as_bytes())?,
                Value::Text(text) => quoted(text, out)?,
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn quoted(text: &str, out: &mut impl io::Write) -> io::Result<()> {
    if !text.is_empty() && !text.contains([',', '"', '\n', '\r']) {
        return out.write_all(text.as_bytes());
    }
    out.write_all(b"\"")?;
    for (at, part) in text.split('"').enumerate() {
        if at > 0 {
            out.write_all(b"\"\"")?;
        }
        out.write_all(part.as_bytes())?;
    }
    out.write_all(b"\"")
}
