//! `cargo xtask machines`: packed files are the same bytes on every machine. WebAssembly and 32-bit programs have other words than most machines, and
//! WebAssembly has another compiler backend.

use std::path::PathBuf;
use std::process::Command;

use crate::step::{Failed, cargo, has_target, leave_out, said, step, target};

/// Runs a module whose exit code its main function returns.
const SCRIPT: &str = "WebAssembly.instantiate(require('fs').readFileSync(process.argv[1])).then(module => process.exit(module.instance.exports.main(0, 0)))";

const NARROW: &str = "i686-unknown-linux-musl";

/// Packs samples on each machine, and compares with the sums that the tests of pack know.
pub fn run(_: &[String]) -> Result<(), Failed> {
    if said(Command::new("node").arg("--version")).is_none() {
        leave_out("whether packed files are the same in WebAssembly: it needs Node");
    } else if let Some(module) = built(crate::web::TARGET, "known.wasm")? {
        step("packed in WebAssembly", Command::new("node").args(["-e", SCRIPT]).arg(module))?;
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && let Some(program) = built(NARROW, "known")?
    {
        step("packed in 32 bits", &mut Command::new(program))?;
    }
    Ok(())
}

/// Builds the example `known` of pack. `None` where the compiler lacks the target.
fn built(triple: &str, file: &str) -> Result<Option<PathBuf>, Failed> {
    if !has_target(triple) {
        leave_out(format!("whether packed files are the same by {triple}: `rustup target add {triple}` adds it"));
        return Ok(None);
    }
    let mut build = cargo(&["build", "--package", "fragreel-pack", "--example", "known", "--target", triple]);
    // what reads messages takes longer to optimize than the samples take without that
    for library in ["base", "goldsrc", "quake1", "quake2", "quake3"] {
        build.arg("--config").arg(format!("profile.dev.package.fragreel-{library}.opt-level=0"));
    }
    // there need not be a C compiler for this target
    step(&format!("packing for {triple}"), build.env("CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_LINKER", "rust-lld"))?;
    Ok(Some(target().join(triple).join("debug/examples").join(file)))
}
