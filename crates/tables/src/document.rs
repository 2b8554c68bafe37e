//! `docs/tables.md`, made of the declaration.

use std::fmt::Write;

use crate::declared::{COMMON, TABLES};
use crate::schema::{Column, Games};

const HEAD: &str = "\
# Tables

*Generated from `crates/tables/src/declared.rs` by `cargo xtask tables`; a test fails if they differ.*

The same names and units for all games. `fragreel export` writes these tables as Parquet, Arrow, CSV and JSON Lines; `fragreel sql` and
the Python package have the same. Unknown values are null, never 0. A test checks the range of every column. Text from games is
without colors; a column `…_raw` has the text as sent, by the rule of [text](json.md#text).
";

/// The document.
pub fn markdown() -> String {
    let mut text = String::from(HEAD);
    text.push_str("\nEvery table begins with these columns:\n\n");
    rows(&mut text, &TABLES[0].columns[..COMMON]);
    for table in TABLES.iter() {
        // Writing into a string does not fail.
        let _ = write!(text, "\n## `{}`\n\nOne row: {}. Made of what `fragreel {}` answers.\n\n", table.name, table.about, table.source.name());
        rows(&mut text, &table.columns[COMMON..]);
    }
    text
}

fn rows(text: &mut String, columns: &[Column]) {
    text.push_str("| column | type | unit | range | null if | meaning |\n|---|---|---|---|---|---|\n");
    for column in columns {
        let games = if column.games == Games::ALL { String::new() } else { format!(" ({})", column.games) };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {}{games} |",
            column.name,
            column.kind.name(),
            column.unit,
            column.range,
            column.null.unwrap_or("never"),
            column.about
        );
    }
}
