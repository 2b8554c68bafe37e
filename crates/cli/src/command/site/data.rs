//! Tables of a site's data as Parquet.

use fragreel_site::data::{Column, Value};

use super::not_made::NotMade;
use crate::failure::{Failure, FailureKind};

/// Whether this command writes Parquet.
pub const IS_BUILT_IN: bool = cfg!(feature = "parquet");

/// Rows of a group. Readers fetch whole groups, so that few rows make small fetches.
#[cfg(feature = "parquet")]
const GROUP: usize = 32_768;

/// A table as a file.
#[cfg(feature = "parquet")]
pub fn parquet(columns: &[Column], rows: &mut dyn Iterator<Item = Result<Vec<Value>, NotMade>>) -> Result<Vec<u8>, NotMade> {
    use fragreel_site::data::Kind;
    use fragreel_tables::write::{Codec, ParquetFile};
    use fragreel_tables::{Batch, Type, Value as Cell, Values};

    let kind = |column: &Column| match column.kind {
        Kind::Bool => Type::Bool,
        Kind::Number => Type::Long,
        Kind::Text => Type::Text,
    };
    let not_written =
        |error: &dyn std::fmt::Display| NotMade(Failure::new("cannot write a table").because(std::io::Error::other(error.to_string())).kind(FailureKind::Io));
    let declared: Vec<(String, Type)> = columns.iter().map(|column| (column.name.to_owned(), kind(column))).collect();
    let schema = fragreel_tables::arrow::schema_of(&declared);
    let mut file = ParquetFile::new(Vec::new(), &schema, Codec::Zstd).map_err(|error| not_written(&error))?;
    let empty = || -> Vec<Values> { declared.iter().map(|(_, kind)| Values::new(*kind)).collect() };
    let (mut values, mut count) = (empty(), 0);
    loop {
        let row = rows.next().transpose()?;
        if count >= GROUP || (row.is_none() && count > 0) {
            let batch = Batch { columns: std::mem::replace(&mut values, empty()), rows: std::mem::take(&mut count) };
            file.write(&batch).and_then(|()| file.flush()).map_err(|error| not_written(&error))?;
        }
        let Some(row) = row else { break };
        for (values, value) in values.iter_mut().zip(&row) {
            values.push(match value {
                Value::Null => Cell::Null,
                Value::Bool(value) => Cell::Bool(*value),
                Value::Number(value) => Cell::Int(*value),
                Value::Text(text) => Cell::Text(text),
            });
        }
        count += 1;
    }
    file.finish().map_err(|error| not_written(&error))
}

/// Nobody asks for a table where Parquet is not built in.
#[cfg(not(feature = "parquet"))]
pub fn parquet(_: &[Column], _: &mut dyn Iterator<Item = Result<Vec<Value>, NotMade>>) -> Result<Vec<u8>, NotMade> {
    Err(NotMade(Failure::new("this command was built without Parquet").kind(FailureKind::Unsupported)))
}
