//! The header says what the functions are, and a program in C gets the library's answers.

mod header;
mod program;
