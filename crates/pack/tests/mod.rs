//! What holds for whole files and archives.

mod archives;
mod files;
