//! What holds for whole files and archives.

mod archives;
mod decoders;
mod files;
mod mutants;
