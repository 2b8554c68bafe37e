//! Mistakes in a query.

use crate::declared;
use crate::schema::Type;

/// A mistake in a query, with what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// There is no such table.
    #[error("there is no table `{0}`; the tables are {known}", known = tables())]
    Table(String),
    /// The table has no such column.
    #[error("table `{table}` has no column `{column}`; it has {known}", known = columns(table))]
    Column {
        /// The table.
        table: &'static str,
        /// The column.
        column: String,
    },
    /// What a column is compared with is not of its type.
    #[error("`{text}` is not of type {kind}, which column `{column}` needs", kind = kind.name())]
    Operand {
        /// The column.
        column: String,
        /// What was written.
        text: String,
        /// The column's type.
        kind: Type,
    },
    /// It is no condition.
    #[error(
        "`{0}` is not a condition; write COLUMN OPERATOR VALUE, such as `weapon = railgun`, `time >= 60000`, `name like 'sar%'`, `team in red, blue` or `x is not null`"
    )]
    Condition(String),
}

fn tables() -> String {
    declared::TABLES.iter().map(|table| table.name).collect::<Vec<_>>().join(", ")
}

fn columns(table: &str) -> String {
    let columns = declared::table(table).map(|table| table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", "));
    columns.unwrap_or_default()
}
