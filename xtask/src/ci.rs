//! `cargo xtask ci`: what continuous integration runs, and nothing that it alone knows.
//!
//! Every build of the workspace names the same packages and features ([`SELECTION`]), so that cargo compiles each library twice: with its lints
//! and its documentation for the tests of others ([`crate::compiler`]), and as a test of its own. Two lanes run side by side: this one holds cargo's lock
//! on the build folder, the other one builds in folders of its own ([`side`]).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::compiler::{compiling, selected};
use crate::step::{Failed, cargo, joined, said, step, target, times};
use crate::unchanged::{Inputs, passed, remember, test_programs};
use crate::web::{Library, Reads};

/// The packages and features of every build here: all of them, but for what measures them ([`crate::bench::check`]).
pub const SELECTION: &[&str] = &[
    "--workspace",
    "--exclude",
    crate::bench::PACKAGE,
    "--features",
    "fragreel-tables/files,fragreel-tables/catalogue,fragreel-cli/parquet,fragreel-cli/rar,fragreel-archive/rar,xtask/dist",
];

/// The same but for the catalogue, so that what does not know of it is not compiled again.
const WITHOUT_CATALOGUE: &[&str] = &[
    "--workspace",
    "--exclude",
    crate::bench::PACKAGE,
    "--no-default-features",
    "--features",
    "fragreel/default,fragreel-tables/files,fragreel-cli/parquet,fragreel-cli/rar,fragreel-archive/rar,xtask/dist",
];

/// Another word size, for which the libraries must compile.
const NARROW: &str = "i686-unknown-linux-gnu";

/// The library crate, which depends on every other library.
const LIBRARY: &str = "fragreel";

/// Selections of the library's features that must compile, in a long run.
const FEATURES: [&str; 7] = ["quake3", "quake3,text", "quake3,edit", "quake3,gzip", "quake2", "goldsrc", "quake1"];

/// Cases that torture tries in the long run.
const TORTURE: &str = "2000";

/// Everything that finds a mistake in minutes. `--long` adds what somebody runs overnight.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let long = match arguments {
        [] => false,
        [flag] if flag == "--long" => true,
        _ => return Err(Failed(String::from("usage: cargo xtask ci [--long]"))),
    };
    step("formatting", &mut cargo(&["fmt", "--all", "--check"]))?;
    crate::fuzz::check(&[])?;
    crate::words::check(&[])?;
    crate::absences::check(&[])?;
    // the other lane ends before the tests begin: some of them wait for clocks, which a busy machine delays
    let (mut skipped, has_page) = std::thread::scope(|scope| {
        let side = scope.spawn(move || side(long));
        let main = main_lane(long);
        let side = joined(side, "side lane");
        main.and(side)
    })?;
    // it has the page inside, which may be another one now; compiled any later, it would be gone for a moment while tests of Python run it
    step("the command with the page", &mut build()?)?;
    if !has_page {
        // otherwise the page is the check
        skipped.extend(compiles_for(crate::web::TARGET)?);
    }
    skipped.extend(tests(long, has_page)?);
    if long {
        FEATURES.into_iter().try_for_each(compiles_with)?;
        // what it says where features are missing
        step("the command with its default features", &mut cargo(&["test", "--package", "fragreel-cli"]))?;
        crate::bench::check()?;
        skipped.extend(crate::counts::check()?);
        skipped.extend(crate::machines::check()?);
        crate::torture::run(&["--cases", TORTURE].map(String::from))?;
        crate::sessions(&[])?;
    }
    println!("\n{}", times());
    for what in &skipped {
        println!("*** SKIPPED: {what} ***");
    }
    match skipped.len() {
        0 => println!("\nall checks passed"),
        some => println!("\nall checks that ran passed; {some} were skipped, as said above"),
    }
    Ok(())
}

/// The tests without running them, with lints and documentation of what they test.
fn build() -> Result<Command, Failed> {
    selected(if has_nextest() { &["nextest", "run", "--no-run"] } else { &["test", "--no-run"] })
}

/// What holds cargo's lock on the build folder.
fn main_lane(long: bool) -> Result<(), Failed> {
    step("building, lints, and documentation", &mut build()?)?;
    if long { step("lints of tests", &mut lints(SELECTION)) } else { Ok(()) }
}

/// Lints a selection with its tests.
fn lints(selection: &[&str]) -> Command {
    let mut clippy = cargo(&["clippy", "--all-targets"]);
    clippy.args(selection).args(["--", "-D", "warnings"]);
    clippy
}

/// Other selections of features, and another word size. Returns what was left out.
fn other_selections(long: bool) -> Result<Option<String>, Failed> {
    step("the command without a catalogue", compiling(&["test", "--no-run", "--bin", "fragreel"])?.args(WITHOUT_CATALOGUE))?;
    if long {
        step("lints without a catalogue", &mut lints(WITHOUT_CATALOGUE))?;
    }
    compiles_for(NARROW)
}

/// Lints the library with these features alone.
fn compiles_with(features: &str) -> Result<(), Failed> {
    let lint = ["clippy", "--package", LIBRARY, "--no-default-features", "--features", features, "--", "-D", "warnings"];
    step(&format!("features {features} alone"), &mut cargo(&lint))
}

/// All tests of the workspace, of the package for Python, of the page, and with games and servers, with the command that was built. Returns what was left
/// out.
fn tests(long: bool, has_page: bool) -> Result<BTreeSet<String>, Failed> {
    let nextest = has_nextest();
    // those of Python mostly wait for servers of their own, those of the page for a browser
    std::thread::scope(|scope| {
        let python = scope.spawn(move || crate::python::check(long));
        let mut skipped = if nextest {
            nextest_programs(long)?
        } else {
            let summary = Summary::new();
            step("tests", &mut with_summary(selected(&["test"])?, &summary, long))?;
            summary.lines()
        };
        let page = has_page.then(|| scope.spawn(|| page_tests(long)));
        // these mostly wait for the clock
        let live = scope.spawn(crate::live::check);
        if nextest {
            step("documentation examples", &mut selected(&["test", "--doc"])?)?;
        }
        skipped.extend(other_selections(long)?);
        if let Some(page) = page {
            skipped.extend(joined(page, "page in a browser")?);
        }
        skipped.extend(joined(live, "games and servers")?);
        skipped.extend(joined(python, "Python package")?);
        Ok(skipped)
    })
}

/// Runs the test programs.
fn nextest_programs(long: bool) -> Result<BTreeSet<String>, Failed> {
    // tests of the command and of this program read any file, those of libraries these
    let (all, some) = (Inputs::of(&[""])?, Inputs::of(&["samples/", "fuzz/", "crates/", "docs/tables.md", "docs/formats/quake3-events.md"])?);
    let command = command();
    let programs = test_programs()?.into_iter().map(|(name, file)| {
        let inputs = match name.split("::").next() {
            Some("fragreel-cli") => all.and(&[&file, &command]),
            Some("xtask") => all.and(&[&file]),
            _ => some.and(&[&file]),
        };
        (name, inputs)
    });
    run_changed(programs, long, |names, summary| {
        let filter = names.iter().map(|name| format!("binary_id(={name})")).collect::<Vec<_>>().join(" | ");
        step("tests", with_summary(selected(&["nextest", "run"])?, summary, long).args(["--filterset", &filter]))
    })
}

/// Runs those of the checks that have changed, or read something that has; in the long run all of them. `run` gets their names. Returns what was
/// skipped, now or when a check ran last.
fn run_changed(
    checks: impl Iterator<Item = (String, Inputs)>,
    long: bool,
    run: impl FnOnce(&[&str], &Summary) -> Result<(), Failed>,
) -> Result<BTreeSet<String>, Failed> {
    let (mut same, mut changed, mut skipped) = (Vec::new(), Vec::new(), BTreeSet::new());
    for (name, inputs) in checks {
        match passed(&name, &inputs).filter(|_| !long) {
            Some(then) => {
                skipped.extend(then);
                same.push(name);
            }
            None => changed.push((name, inputs)),
        }
    }
    if !same.is_empty() {
        println!("\nnot run again, as they and what they read are as they were when they passed: {}", same.join(", "));
    }
    if changed.is_empty() {
        return Ok(skipped);
    }
    let summary = Summary::new();
    run(&changed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), &summary)?;
    let now = summary.lines();
    changed.iter().try_for_each(|(name, inputs)| remember(name, inputs, &now))?;
    skipped.extend(now);
    Ok(skipped)
}

/// The library for browsers that the page is tested with.
fn library(long: bool) -> Library {
    if long { Library::OfUsers } else { Library::OfTests }
}

/// Runs the files of page tests.
fn page_tests(long: bool) -> Result<BTreeSet<String>, Failed> {
    let inputs = Inputs::of(&["web/", "samples/", "docs/viewer.md", "docs/pictures/", "README.md"])?;
    let inputs = inputs.and_contents(&crate::web::sources()?);
    let built = crate::web::built()?;
    let files = crate::web::test_files()?.into_iter().map(|(name, reads)| {
        let inputs = match reads {
            Reads::Page => inputs.clone(),
            Reads::Library => inputs.and_contents(&built),
            Reads::Command => inputs.and_contents(&built).and(&[&command()]),
        };
        (name, inputs)
    });
    run_changed(files, long, |names, summary| crate::web::test(names, library(long), Some(&summary.0)))
}

fn with_summary(mut tests: Command, summary: &Summary, long: bool) -> Command {
    tests.env(SKIPPED, &summary.0).env(REPEATED, repeated(long));
    tests
}

/// What builds in folders of its own: the page, the environment of Python's tests, and the public interface. Returns what was left out, and whether there is a page.
fn side(long: bool) -> Result<(BTreeSet<String>, bool), Failed> {
    let no_page = crate::web::build_if_possible(library(long))?;
    let has_page = no_page.is_none();
    crate::python::prepare()?;
    let skipped = no_page.into_iter().chain(crate::semver::check(&[])?);
    Ok((skipped.collect(), has_page))
}

fn has_nextest() -> bool {
    cargo(&["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}

/// The command as the tests built it.
pub fn command() -> PathBuf {
    target().join("debug/fragreel")
}

/// The environment variable that names the file in which tests write what they skip (`fragreel_testkit::SKIPPED`).
pub const SKIPPED: &str = "FRAGREEL_SKIPPED";

/// The environment variable that says how many times as often random tests try (`fragreel_testkit::cases`).
pub const REPEATED: &str = "FRAGREEL_REPEATED";

/// What it says in a run.
pub fn repeated(long: bool) -> &'static str {
    if long { "10" } else { "1" }
}

/// The file in which tests write what they skip.
struct Summary(PathBuf);

impl Summary {
    /// An empty file that only this run uses.
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("fragreel-skipped-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        Summary(path)
    }

    /// What tests wrote, each line once.
    fn lines(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.0).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

impl Drop for Summary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Checks the libraries for another target. Returns a sentence if the toolchain lacks it.
fn compiles_for(target: &str) -> Result<Option<String>, Failed> {
    if !has(target) {
        return Ok(Some(format!("{target} is not installed; `rustup target add {target}` adds it")));
    }
    step(target, &mut cargo(&["check", "--package", LIBRARY, "--target", target]))?;
    Ok(None)
}

/// Whether the toolchain has the target's standard library.
pub fn has(target: &str) -> bool {
    said(Command::new("rustc").args(["--print", "target-libdir", "--target", target])).is_some_and(|folder| Path::new(&folder).is_dir())
}
