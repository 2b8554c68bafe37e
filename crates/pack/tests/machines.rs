//! The same bytes on every machine: WebAssembly has words of 32 bits and a compiler backend of its own.

use std::path::PathBuf;
use std::process::Command;

use fragreel_testkit::skipped;

use super::files::KNOWN;

/// Runs a module, whose exit code its main function returns.
const SCRIPT: &str = "WebAssembly.instantiate(require('fs').readFileSync(process.argv[1])).then(module => process.exit(module.instance.exports.main(0, 0)))";

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds the example `known` in a folder beside the tests' own. `None` where the compiler lacks the target.
fn built() -> Option<PathBuf> {
    let libraries = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output().ok();
    if !libraries.is_some_and(|libraries| PathBuf::from(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir()) {
        skipped(&format!("whether packed files are the same by {TARGET}: `rustup target add {TARGET}` adds it"));
        return None;
    }
    let program = std::env::current_exe().unwrap();
    let folder = program.ancestors().nth(3).unwrap().join("machines");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "fragreel-pack", "--example", "known", "--target", TARGET, "--target-dir"]).arg(&folder);
    // what reads messages takes longer to optimize than the samples take without that
    for library in ["base", "goldsrc", "quake1", "quake2", "quake3"] {
        cargo.arg("--config").arg(format!("profile.dev.package.fragreel-{library}.opt-level=0"));
    }
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    assert!(cargo.status().unwrap().success(), "the example was not built for {TARGET}");
    Some(folder.join(TARGET).join("debug/examples/known.wasm"))
}

#[test]
fn web_assembly_packs_into_the_same_bytes() {
    if !Command::new("node").arg("--version").output().is_ok_and(|ran| ran.status.success()) {
        skipped("whether packed files are the same in WebAssembly: it needs Node");
        return;
    }
    let Some(module) = built() else { return };
    let code = Command::new("node").args(["-e", SCRIPT]).arg(module).status().unwrap().code();
    let sum = code.and_then(|code| usize::try_from(code).ok()?.checked_sub(10));
    let differs = sum.and_then(|sum| Some((KNOWN.get(sum / 3)?.1, ["small", "quick", "deep"][sum % 3])));
    assert!(code == Some(0), "exit code {code:?}: what differs is {differs:?}, or the archive");
}
