//! What holds for whole files.

mod files;
