//! `cargo xtask web`: the library as WebAssembly, its bindings, and the page around it. Nothing else in the project needs any of it.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::ci::{REPEATED, SKIPPED, command, has, repeated};
use crate::compiler::selected;
use crate::step::{Failed, cargo, checkout, said, step, timed};
use crate::unchanged::{Inputs, passed, remember};

/// What browsers run.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// Where the bindings go, and what says of what they were made.
const GENERATED: &str = "web/src/generated";
const STAMP: &str = "target/web/bindings.stamp";

/// Only what is small is put in the place of its calls. Of one state of the sources: 822 kB by brotli and 289 ms for the frames of the corpus' largest
/// Quake III recording when compiled for size, 865 kB and 195 ms with 60 and 110 here, 984 kB and 171 ms without limits.
const INLINING: &str = "-Cllvm-args=-inline-threshold=25 -inlinehint-threshold=60";

/// Packages that [`Library::OfTests`] does not optimize one by one.
const OPTIMIZED_AS_A_WHOLE: [&str; 8] =
    ["fragreel", "fragreel-base", "fragreel-goldsrc", "fragreel-model", "fragreel-pack", "fragreel-quake1", "fragreel-quake2", "fragreel-quake3"];

/// Files of page tests that run side by side.
const TOGETHER: usize = 2;

/// How Node runs a file of tests: what `test-files` of `web/package.json` has.
const TEST_OPTIONS: [&str; 3] = ["--test", "--test-timeout=180000", "--test-force-exit"];

/// Set by who has no time for it.
const WITHOUT: &str = "FRAGREEL_WITHOUT_WEB";

/// The remedy where nothing can compile for browsers.
const REMEDY: &str = "no compiler for browsers was found. Either\n    rustup target add wasm32-unknown-unknown\nor, on Debian,\n    \
    apt-get install --no-install-recommends rustc-web rust-web-src";

/// Which library is made of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The one that users get.
    OfUsers,
    /// One that takes half as long to compile: 171 s of processor time instead of 322. It is two thirds larger, an eighth compressed, and tests of the page
    /// take as long with it.
    OfTests,
}

/// Builds all of it.
pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let compiler = Compiler::find(Library::OfUsers).ok_or_else(|| Failed(REMEDY.to_owned()))?;
    if !has_node() {
        return Err(Failed("Node (20 or later) with npm is not installed; on Debian: apt-get install nodejs npm".to_owned()));
    }
    build(&compiler)?;
    if arguments.iter().any(|argument| argument == "--test") {
        step("command", &mut selected(&["test", "--no-run", "--quiet"])?)?;
        let files = test_files()?;
        test(&files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), Library::OfUsers, None)?;
    }
    println!("\nthe page is in web/dist; `cargo run --release --bin fragreel -- view FILE` shows a recording in it");
    Ok(())
}

/// For `cargo xtask ci`: builds the page where that is possible. Returns why not, where it is not.
pub fn build_if_possible(library: Library) -> Result<Option<String>, Failed> {
    let left_out = |why: &str| Ok(Some(format!("the viewer in web/ was neither built nor tested: {why}")));
    if std::env::var_os(WITHOUT).is_some() {
        return left_out(&format!("{WITHOUT} is set"));
    }
    let Some(compiler) = Compiler::find(library) else { return left_out(REMEDY) };
    if !has_node() {
        return left_out("Node with npm is not installed");
    }
    build(&compiler)?;
    Ok(None)
}

fn build(compiler: &Compiler) -> Result<(), Failed> {
    println!("\ncompiling for browsers with {}", compiler.about());
    step("WebAssembly", &mut compiler.command())?;
    bindings(&format!("target/web/{TARGET}/{}/fragreel_wasm.wasm", compiler.profile()))?;
    packages()?;
    step("lint of the page", &mut npm(&["run", "lint"]))?;
    page()
}

/// The page, in all its forms. One that was made of the same files stays, so that the command, which has it inside, is not compiled again.
fn page() -> Result<(), Failed> {
    if page_state().is_ok_and(|state| passed("page", &state).is_some()) {
        return Ok(());
    }
    step("page", &mut npm(&["run", "build"]))?;
    remember("page", &page_state()?, [])
}

/// What the page is made of, and what was made of it.
fn page_state() -> Result<Inputs, Failed> {
    let mut files = Vec::new();
    for folder in ["web/src", "web/dist", "web/dist-single", "web/lib"] {
        files.extend(files_of(folder)?);
    }
    Ok(Inputs::of(&["web/", "LICENSE-", "samples/quake3/ctf_bots.dm_71"])?.and_contents(&files))
}

/// Every file of the page that was built.
pub fn built() -> Result<Vec<PathBuf>, Failed> {
    files_of("web/dist")
}

/// What the page is built of, with the bindings and without the library.
pub fn sources() -> Result<Vec<PathBuf>, Failed> {
    Ok(files_of("web/src")?.into_iter().filter(|file| file.extension().is_none_or(|extension| extension != "wasm")).collect())
}

fn files_of(folder: &str) -> Result<Vec<PathBuf>, Failed> {
    let failed = |error: std::io::Error| Failed(format!("{folder}: {error}"));
    let (mut folders, mut files) = (vec![checkout().join(folder)], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// What a file of page tests depends on besides the page and the bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// Nothing: it tests what the page does with any recording.
    Page,
    /// What the library answers in the browser.
    Library,
    /// What the command answers, too.
    Command,
}

/// Files that test the page itself.
const OF_THE_PAGE: &[&str] = &["control", "culling", "film", "firefox", "life", "maps", "package", "plain", "sprites", "textures"];

/// The files of page tests, each with what it reads. Long ones come first, so that none is left alone at the end: the one that waits for a clock, and then
/// by the length of their text.
pub fn test_files() -> Result<Vec<(String, Reads)>, Failed> {
    let failed = |error: std::io::Error| Failed(format!("web/tests: {error}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(checkout().join("web/tests")).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".test.mjs")) else { continue };
        let text = fs::read_to_string(&path).map_err(failed)?;
        let reads = match name {
            _ if text.contains("fragreel(") || text.contains("command") => Reads::Command,
            name if OF_THE_PAGE.contains(&name) => Reads::Page,
            _ => Reads::Library,
        };
        files.push((std::cmp::Reverse((name == "live", text.len())), format!("tests/{name}.test.mjs"), reads));
    }
    files.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    Ok(files.into_iter().map(|(_, name, reads)| (name, reads)).collect())
}

/// Tests the page in a browser, with the command that `cargo test` builds. What the browser cannot do is written to `skipped`.
pub fn test(files: &[&str], library: Library, skipped: Option<&Path>) -> Result<(), Failed> {
    println!("\n=== page in a browser: {}", files.join(" "));
    let (left, failed) = (Mutex::new(files.iter()), Mutex::new(Vec::new()));
    let lane = || {
        loop {
            let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(&file) = next else { return };
            // without a graphics card, a browser sometimes never answers
            if !passes(file, library, skipped) && !passes(file, library, skipped) {
                failed.lock().unwrap_or_else(PoisonError::into_inner).push(file);
            }
        }
    };
    timed("page in a browser", || {
        std::thread::scope(|scope| (0..TOGETHER).for_each(|_| drop(scope.spawn(lane))));
        let failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_empty() {
            Ok(())
        } else {
            Err(Failed(format!("page in a browser: {} failed twice; in web/, `npm run test-files -- FILE` runs one", failed.join(", "))))
        }
    })
}

/// Runs a file of page tests, and prints what it says when it has ended.
fn passes(file: &str, library: Library, skipped: Option<&Path>) -> bool {
    // as `npm run test-files` does, which takes half a second for itself
    let mut tests = Command::new("node");
    tests.args(TEST_OPTIONS).arg(file).current_dir(checkout().join("web")).env("FRAGREEL", command());
    if let Some(compiler) = Compiler::find(library) {
        tests.env("FRAGREEL_WEB_COMPILER", compiler.kind());
    }
    if let Some(skipped) = skipped {
        tests.env(SKIPPED, skipped);
    }
    if library == Library::OfTests {
        // a part of the cases, as in the other tests of a short run
        tests.env(REPEATED, repeated(false));
    }
    let Ok(output) = tests.stdin(Stdio::null()).output() else { return false };
    let said = [output.stdout, output.stderr].map(|part| String::from_utf8_lossy(&part).into_owned()).concat();
    println!("=== {file}: {}\n{said}", if output.status.success() { "passed" } else { "FAILED" });
    output.status.success()
}

/// What compiles for browsers.
enum Compiler {
    /// The toolchain's own, with the target's standard library.
    Installed,
    /// Another one that compiles the standard library, too, and the linker that goes with it.
    WithSources { rustc: PathBuf, linker: PathBuf, library: Library },
}

impl Compiler {
    fn find(library: Library) -> Option<Self> {
        if has(TARGET) {
            return Some(Compiler::Installed);
        }
        // Debian's compiler for its browsers
        let rustc = PathBuf::from(std::env::var_os("FRAGREEL_WEB_RUSTC").unwrap_or_else(|| "/usr/bin/rustc".into()));
        let root = said(Command::new(&rustc).args(["--print", "sysroot"]))?;
        let has_sources = Path::new(&root).join("lib/rustlib/src/rust/library/Cargo.lock").is_file();
        let linker = linker()?;
        (has_sources && is_new_enough(&rustc)).then_some(Compiler::WithSources { rustc, linker, library })
    }

    /// What `web/sizes.tsv` calls it: each makes another size of the same sources.
    fn kind(&self) -> &'static str {
        match self {
            Compiler::Installed => "installed",
            Compiler::WithSources { library: Library::OfUsers, .. } => "with sources",
            Compiler::WithSources { library: Library::OfTests, .. } => "with sources, for tests",
        }
    }

    /// Cargo's profile.
    fn profile(&self) -> &'static str {
        match self {
            Compiler::WithSources { library: Library::OfTests, .. } => "web-tests",
            _ => "web",
        }
    }

    fn about(&self) -> String {
        match self {
            Compiler::Installed => format!("the toolchain's {TARGET}"),
            Compiler::WithSources { rustc, .. } => format!("{} and the sources of its standard library", rustc.display()),
        }
    }

    fn command(&self) -> Command {
        let mut command =
            cargo(&["build", "--profile", self.profile(), "--target", TARGET, "--target-dir", "target/web", "--package", "fragreel-wasm", "--lib"]);
        command.env("CARGO_ENCODED_RUSTFLAGS", INLINING).env_remove("RUSTC_WRAPPER");
        if let Compiler::WithSources { rustc, linker, library } = self {
            command.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
            // sorting without a copy of each algorithm for each type: 3 in 100 of the library, and no slower here
            command.arg("-Zbuild-std-features=optimize_for_size");
            command.arg("--config").arg(format!("target.{TARGET}.linker='{}'", linker.display()));
            if *library == Library::OfTests {
                command.arg("-Zprofile-rustflags");
                for package in OPTIMIZED_AS_A_WHOLE {
                    command.arg("--config").arg(format!("profile.{}.package.{package}.rustflags=['-Cno-prepopulate-passes']", self.profile()));
                }
            }
        }
        command
    }
}

/// The linker that comes with every toolchain of rustup's, or LLVM's own.
fn linker() -> Option<PathBuf> {
    let root = said(Command::new("rustc").args(["--print", "sysroot"]))?;
    let host = said(Command::new("rustc").arg("-vV"))?.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned))?;
    let bundled = PathBuf::from(root).join("lib/rustlib").join(host).join("bin/rust-lld");
    let others = ["wasm-ld", "wasm-ld-19"].map(PathBuf::from);
    bundled.is_file().then_some(bundled).or_else(|| others.into_iter().find(|name| said(Command::new(name).arg("--version")).is_some()))
}

/// Whether a compiler is as new as the workspace asks for.
fn is_new_enough(rustc: &Path) -> bool {
    let number = |text: &str| text.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok());
    let least = number(env!("CARGO_PKG_RUST_VERSION"));
    let found = said(Command::new(rustc).arg("--version")).and_then(|text| number(text.split(' ').nth(1)?));
    let is_new_enough = found >= least;
    if !is_new_enough {
        eprintln!("{} is older than {}", rustc.display(), env!("CARGO_PKG_RUST_VERSION"));
    }
    is_new_enough
}

/// JavaScript, types and the final wasm of what the compiler made, unless they are there.
fn bindings(wasm: &str) -> Result<(), Failed> {
    let root = checkout();
    let failed = |error: std::io::Error| Failed(format!("{wasm}: {error}"));
    let mut hasher = DefaultHasher::new();
    fs::read(root.join(wasm)).map_err(failed)?.hash(&mut hasher);
    fs::read(root.join("xtask/bindings/Cargo.toml")).map_err(failed)?.hash(&mut hasher);
    let stamp = format!("{:016x}", hasher.finish());
    if root.join(GENERATED).join("fragreel_bg.wasm").is_file() && fs::read_to_string(root.join(STAMP)).is_ok_and(|last| last == stamp) {
        return Ok(());
    }
    let run = ["run", "--quiet", "--manifest-path", "xtask/bindings/Cargo.toml", "--target-dir", "target/bindings", "--", wasm, GENERATED];
    step("bindings", &mut cargo(&run))?;
    fs::write(root.join(STAMP), stamp).map_err(failed)
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
    step("packages", npm(&["ci"]).env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
    fs::write(web.join("node_modules/.fragreel-lock"), lock).map_err(|error| Failed(format!("web/node_modules: {error}")))
}

fn has_node() -> bool {
    let version = said(Command::new("node").arg("--version"));
    let major = version.and_then(|text| text.trim_start_matches('v').split('.').next()?.parse::<u32>().ok());
    major.is_some_and(|major| major >= 20) && said(Command::new("npm").arg("--version")).is_some()
}

/// npm in web/.
pub fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new("npm");
    command.args(arguments).current_dir(checkout().join("web")).stdin(Stdio::null());
    command
}
