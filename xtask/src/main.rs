//! The project's own chores. `cargo xtask` lists them.

mod absences;
mod bench;
mod bless;
mod ci;
mod counts;
#[cfg(feature = "dist")]
mod dist;
mod fuzz;
mod machines;
mod python;
mod step;
mod torture;
mod web;
mod words;

use std::process::ExitCode;

use step::Failed;

/// A chore.
struct Chore {
    name: &'static str,
    what: &'static str,
    run: fn(&[String]) -> Result<(), Failed>,
}

/// Declared once; the usage text is made from it.
const CHORES: &[Chore] = &[
    Chore { name: "ci", what: "everything that must pass before a change goes in", run: ci::run },
    Chore { name: "nightly", what: "what takes too long for every change: long tests, torture, counts, benchmarks", run: ci::nightly },
    Chore { name: "bless", what: "writes what the commands print now into the documents and transcripts", run: bless::run },
    Chore { name: "tables", what: "writes docs/tables.md and the types of the page as crates/tables, crates/wasm, and the schemas declare them", run: tables },
    Chore { name: "bench", what: "[PACKAGE...]: all benchmarks, or those of some packages", run: bench::run },
    Chore { name: "counts", what: "[--bless]: instructions of work over samples, by valgrind, against those written down", run: counts::run },
    Chore { name: "fuzz", what: "[SECONDS [TARGET...]]: each fuzz target for that long (60), from its seeds", run: fuzz::run },
    Chore { name: "torture", what: "[--cases N] [--seed S] [--family F]...: mutated recordings put to every question and every edit", run: torture::run },
    Chore { name: "web", what: "[--test]: the viewer: the library as WebAssembly, and the page around it", run: web::run },
    Chore { name: "python", what: "builds the Python package and runs its tests", run: python::run },
    Chore { name: "dist", what: "[--only PART]... [--target TRIPLE]... | --try: what a release offers, with sums, in target/dist, and tried there", run: dist },
    Chore { name: "sessions", what: "[COUNT]: that many (10,000) sessions of each protocol on bad networks, optimized", run: sessions },
    Chore { name: "machines", what: "packed files are the same bytes in WebAssembly and in 32 bits", run: machines::run },
    Chore { name: "words", what: "no word that CONTRIBUTING.md asks not to use is in documents, messages, or comments", run: words::check },
    Chore { name: "absences", what: "the rules of ARCHITECTURE.md are kept", run: absences::check },
    Chore { name: "fuzz-check", what: "every fuzz target is declared and every seed belongs to one", run: fuzz::check },
    Chore { name: "fuzz-declare", what: "declares every fuzz target that has a file", run: fuzz::declare },
];

#[cfg(feature = "dist")]
use dist::run as dist;

/// Starts this program again with the feature that it needs.
#[cfg(not(feature = "dist"))]
fn dist(arguments: &[String]) -> Result<(), Failed> {
    step::step("dist", step::cargo(&["run", "--quiet", "--package", "xtask", "--features", "dist", "--", "dist"]).args(arguments))
}

fn tables(_: &[String]) -> Result<(), Failed> {
    step::step("docs/tables.md", ci::workspace(&["test"]).args(["--test", "all", "the_document_is_up_to_date"]).env("FRAGREEL_BLESS", "1"))?;
    let types = ["test", "--package", "fragreel-wasm", "--lib", "the_types_of_the_page"];
    step::step("types of the page", step::cargo(&types).env("FRAGREEL_BLESS", "1"))
}

/// Every commit runs some of them; here are many.
pub fn sessions(arguments: &[String]) -> Result<(), Failed> {
    let count = arguments.first().map_or("10000", String::as_str);
    for package in ["fragreel-quake1-live", "fragreel-quake2-live", "fragreel-quake3-live"] {
        let test = ["test", "--release", "--package", package, "--lib", "sessions_on_bad_networks"];
        step::step(package, step::cargo(&test).env("FRAGREEL_SESSIONS", count))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(chore) = arguments.first().and_then(|name| CHORES.iter().find(|chore| chore.name == name)) else {
        eprintln!("usage: cargo xtask CHORE\n");
        for chore in CHORES {
            eprintln!("  {:<14}{}", chore.name, chore.what);
        }
        return ExitCode::from(2);
    };
    let done = (chore.run)(&arguments[1..]);
    let left_out = step::report();
    match done {
        Ok(()) if left_out == 0 => println!("\n{}: all passed", chore.name),
        Ok(()) => println!("\n{}: all that ran passed; {left_out} parts were left out, as listed above", chore.name),
        Err(Failed(why)) => {
            eprintln!("\nFAILED: {why}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
