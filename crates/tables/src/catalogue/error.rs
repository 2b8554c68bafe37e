//! What can go wrong with a database.

use rusqlite::ErrorCode;

/// A failure, with what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is another program's database, or no database at all.
    #[error("it is not a catalogue of Fragreel")]
    Foreign,
    /// It was made by a later version.
    #[error("it has version {0} of the schema, and this program knows version {known}", known = crate::catalogue::version::VERSION)]
    Later(i64),
    /// It was made by an earlier version, which kept less.
    #[error("it has version {0} of the schema, and this program needs version {needed}", needed = crate::catalogue::version::VERSION)]
    Earlier(i64),
    /// Somebody else is writing to it.
    #[error("another program is using it")]
    Locked,
    /// The query is more than one that reads.
    #[error("only one query that reads is answered")]
    NotReading,
    /// The query names something that is not there, or is no SQL.
    #[error("{0}")]
    Sql(String),
    /// Anything else that SQLite says.
    #[error("{0}")]
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match &error {
            rusqlite::Error::SqliteFailure(failure, message) => match (failure.code, message) {
                (ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked, _) => Error::Locked,
                (ErrorCode::NotADatabase, _) => Error::Foreign,
                (ErrorCode::Unknown, Some(message)) => Error::Sql(message.clone()),
                _ => Error::Database(error),
            },
            rusqlite::Error::SqlInputError { msg, .. } => Error::Sql(msg.clone()),
            rusqlite::Error::MultipleStatement => Error::NotReading,
            _ => Error::Database(error),
        }
    }
}
