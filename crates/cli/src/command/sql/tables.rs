//! `.tables` and `.columns TABLE`: what a query can name.

use fragreel_tables::{TABLES, table};

use crate::failure::{Failure, Stop};
use crate::output::{self, printable};
use crate::shell::{Outcome, Shell};
use crate::table::Rows;

/// Answers a word with a dot before it, as SQLite's own program has them.
pub fn show(shell: &Shell, word: &str) -> Result<Outcome, Stop> {
    let mut output = output::stdout();
    let mut words = word.split_whitespace();
    match (words.next(), words.next()) {
        (Some("tables"), None) => {
            let mut rows = Rows::new(&["TABLE", "A ROW IS"]);
            for table in TABLES.iter() {
                rows.push(shell, &mut output, vec![table.name.to_owned(), table.about.to_owned()])?;
            }
            rows.flush(shell, &mut output)?;
        }
        (Some("columns" | "schema"), Some(name)) => {
            let table = table(name)
                .ok_or_else(|| Failure::new(format!("no table is called `{}`", printable(name))).help("`fragreel sql .tables` lists the tables."))?;
            let mut rows = Rows::new(&["COLUMN", "TYPE", "UNIT", "MEANING"]);
            for column in &table.columns {
                let cells = [column.name, column.kind.name(), column.unit, column.about];
                rows.push(shell, &mut output, cells.map(str::to_owned).to_vec())?;
            }
            rows.flush(shell, &mut output)?;
        }
        _ => {
            let unknown = Failure::new(format!("unknown command `.{}`", printable(word)));
            return Err(unknown.help("`.tables` lists the tables, and `.columns TABLE` the columns of one.").into());
        }
    }
    output::finish(output)?;
    Ok(Outcome::Fine)
}
