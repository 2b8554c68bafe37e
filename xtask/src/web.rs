//! `cargo xtask web`: the libraries as WebAssembly, their bindings, and the page around them.

use std::fs;
use std::process::{Command, Stdio};

use crate::ci::workspace;
use crate::step::{Failed, cargo, checkout, has_target, leave_out, said, step};

/// What browsers run.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Only what is small is put in the place of its calls. Of one state of the sources: 822 kB by brotli and 289 ms for the frames of the corpus' largest
/// Quake III recording when compiled for size, 865 kB and 195 ms with 60 and 110 here, 984 kB and 171 ms without limits.
const INLINING: &str = "-Cllvm-args=-inline-threshold=25 -inlinehint-threshold=60";

/// The libraries: what one is called, and the feature of `crates/wasm` that it has. The page loads the second one when somebody makes a clip, looks inside
/// of a message, or opens an archive. By brotli (level 9), they are 1.19 and 1.42 MB; one with both features was 1.87 MB.
const LIBRARIES: [(&str, &str); 2] = [("fragreel", "watch"), ("fragreel_take", "take")];

/// Builds all of it, and tests it with `--test`.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    if let Some(missing) = missing() {
        return Err(Failed(missing));
    }
    build()?;
    if arguments.iter().any(|argument| argument == "--test") {
        step("command", &mut workspace(&["build", "--bin", "fragreel"]))?;
        check()?;
    }
    println!("\nthe page is in web/dist; `cargo run --release --bin fragreel -- view FILE` shows a recording in it");
    Ok(())
}

/// Builds the page where that is possible.
pub fn build() -> Result<(), Failed> {
    if let Some(missing) = missing() {
        leave_out(format!("the viewer in web/ was neither built nor tested: {missing}"));
        return Ok(());
    }
    let made = format!("target/web/{TARGET}/web/fragreel_wasm.wasm");
    for (name, feature) in LIBRARIES {
        let library = ["build", "--profile", "web", "--target", TARGET, "--target-dir", "target/web", "--package", "fragreel-wasm", "--lib"];
        let features = ["--no-default-features", "--features", feature];
        step(&format!("{name} for browsers"), cargo(&library).args(features).env("CARGO_ENCODED_RUSTFLAGS", INLINING))?;
        let bindings = ["run", "--quiet", "--manifest-path", "xtask/bindings/Cargo.toml", "--target-dir", "target/bindings"];
        step(&format!("bindings of {name}"), cargo(&bindings).args(["--", &made, "web/src/generated", name]))?;
    }
    packages()?;
    step("lint of the page", &mut npm(&["run", "lint"]))?;
    step("page", &mut npm(&["run", "build"]))
}

/// Tests the page in a browser, where it could be built, with the command that was built.
pub fn check() -> Result<(), Failed> {
    if missing().is_none() { step("tests of the page", &mut npm(&["test"])) } else { Ok(()) }
}

/// What this machine lacks for the page.
pub fn missing() -> Option<String> {
    let version = said(Command::new("node").arg("--version"));
    let major = version.and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) || said(Command::new("npm").arg("--version")).is_none() {
        return Some(String::from("Node 20 or later with npm is not installed"));
    }
    (!has_target(TARGET)).then(|| format!("no compiler for browsers: `rustup target add {TARGET}` adds it"))
}

/// npm's packages as the lock file has them, unless they are there.
fn packages() -> Result<(), Failed> {
    let web = checkout().join("web");
    let (lock, installed) = (fs::read(web.join("package-lock.json")), fs::read(web.join("node_modules/.fragreel-lock")));
    let lock = lock.map_err(|error| Failed(format!("web/package-lock.json: {error}")))?;
    if installed.is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    // the browser of the tests comes in a package, not by a download of the test library's own
    step("npm's packages", npm(&["ci"]).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
    fs::write(web.join("node_modules/.fragreel-lock"), lock).map_err(|error| Failed(format!("web/node_modules: {error}")))
}

/// npm in web/.
pub fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(checkout().join("web")).stdin(Stdio::null());
    command
}
