//! The project's own chores. `cargo xtask` lists them.

mod bench;
mod ci;
mod fuzz;
mod step;

use std::process::ExitCode;

use step::Failed;

/// The chores: name, what it does, what does it. Declared once; the usage text is made from it.
const CHORES: &[(&str, &str, fn(&[String]) -> Result<(), Failed>)] = &[
    ("ci", "everything that must pass before a change goes in", ci::run),
    ("bench", "all benchmarks, or those of the named packages", bench::run),
    ("fuzz", "[SECONDS [TARGET...]]: every fuzz target for that long (60), from its seeds", fuzz::run),
    ("fuzz-check", "every fuzz target is declared and every seed belongs to one", fuzz::check),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chore = arguments.first().and_then(|name| CHORES.iter().find(|(known, ..)| known == name));
    let Some((_, _, run)) = chore else {
        eprintln!("usage: cargo xtask CHORE\n");
        for (name, what, _) in CHORES {
            eprintln!("  {name:<12}{what}");
        }
        return ExitCode::from(2);
    };
    match run(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(why)) => {
            eprintln!("\nFAILED: {why}");
            ExitCode::FAILURE
        }
    }
}
