//! Rows of comma-separated values.

use std::borrow::Cow;

/// Writes a row into memory. Without `formulas`, what a spreadsheet would take for one begins with an apostrophe.
pub fn write(text: &mut Vec<u8>, row: &[&str], formulas: bool) {
    let cells = row.iter().map(|cell| if formulas { Cow::Borrowed(*cell) } else { harmless(cell) });
    // Memory takes it, and a row by itself has the length that it has.
    drop(csv::Writer::from_writer(text).write_record(cells.map(|cell| cell.into_owned().into_bytes())));
}

/// A cell that no spreadsheet takes for a formula.
fn harmless(cell: &str) -> Cow<'_, str> {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { Cow::Owned(format!("'{cell}")) } else { Cow::Borrowed(cell) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_only_written_where_they_may_be() {
        let row = |formulas| {
            let mut text = Vec::new();
            write(&mut text, &["=1+2", "-5", "-x", "a,b", "@x"], formulas);
            String::from_utf8(text).unwrap()
        };
        assert_eq!((row(true).as_str(), row(false).as_str()), ("=1+2,-5,-x,\"a,b\",@x\n", "'=1+2,-5,'-x,\"a,b\",'@x\n"));
    }
}
