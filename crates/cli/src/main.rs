//! The program `fragreel`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fragreel_cli::run(std::env::args_os().collect()).into()
}
