//! JSON Lines.

use std::io;

use crate::batch::Batch;
use crate::column::Value;

/// Writes rows as JSON objects, one a line. What is missing is left out. Numbers that JSON does not have are left out too.
pub fn json_lines(batch: &Batch, names: &[&str], out: &mut impl io::Write) -> io::Result<()> {
    let mut floats = ryu::Buffer::new();
    for row in 0..batch.rows {
        out.write_all(b"{")?;
        let mut gap = "";
        for (values, name) in batch.columns.iter().zip(names) {
            let value = values.get(row);
            if matches!(value, Value::Null)
                || matches!(value, Value::Real(value) if !value.is_finite())
                || matches!(value, Value::Double(value) if !value.is_finite())
            {
                continue;
            }
            write!(out, "{gap}\"{name}\":")?;
            gap = ",";
            match value {
                Value::Null => {}
                Value::Bool(value) => write!(out, "{value}")?,
                Value::Int(value) => write!(out, "{value}")?,
                Value::Real(value) => out.write_all(floats.format_finite(value).as_bytes())?,
                Value::Double(value) => out.write_all(floats.format_finite(value).as_bytes())?,
                Value::Text(text) => serde_json::to_writer(&mut *out, text)?,
            }
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}
