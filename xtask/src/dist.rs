//! `cargo xtask dist`: everything that a release offers, in `dist` of the target folder. Times come from the last commit and paths of the machine are
//! left out, so that two builds of one commit give the same bytes.

mod contents;
mod image;
mod pack;
mod target;
mod tools;
mod trial;
mod wine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use self::target::Target;
use self::tools::Tools;
use crate::step::{Failed, cargo, checkout, leave_out, step, target as build_folder, timed};

/// What the command in a release can do beyond its default features.
const FEATURES: &str = "parquet,rar";

/// Cargo's profile for what is published.
const PROFILE: &str = "published";

/// What is made, by its name on the command line.
const PARTS: [&str; 5] = ["command", "image", "wheel", "npm", "crates"];

const USAGE: &str = "usage: cargo xtask dist [--only command|image|wheel|npm|crates]... [--target TRIPLE]... [--allow-dirty] | --try";

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// All parts, if it is empty.
    parts: Vec<String>,
    /// All targets that this machine can build, if it is empty.
    targets: Vec<String>,
    allow_dirty: bool,
    /// Only to try what is there.
    only_try: bool,
}

impl Wanted {
    fn read(arguments: &[String]) -> Option<Self> {
        let mut wanted = Wanted::default();
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            match option.as_str() {
                "--allow-dirty" => wanted.allow_dirty = true,
                "--try" if arguments.len() == 1 => wanted.only_try = true,
                "--only" => wanted.parts.push(rest.next().filter(|part| PARTS.contains(&part.as_str()))?.clone()),
                "--target" => wanted.targets.push(rest.next()?.clone()),
                _ => return None,
            }
        }
        Some(wanted)
    }

    fn has(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}

/// What all parts need to know.
struct Release {
    version: &'static str,
    /// Seconds of the last commit, for every time that a file has in it.
    epoch: u64,
    folder: PathBuf,
    tools: Option<Tools>,
}

pub fn run(arguments: &[String]) -> Result<(), Failed> {
    let wanted = Wanted::read(arguments).ok_or_else(|| Failed(USAGE.to_owned()))?;
    let folder = build_folder().join("dist");
    if wanted.only_try {
        return trial::run(&folder);
    }
    let epoch = said(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(checkout()))?;
    let epoch = epoch.parse().map_err(|_| Failed(format!("git gives no time of the last commit: {epoch}")))?;
    if !wanted.allow_dirty && !said(Command::new("git").args(["status", "--porcelain"]).current_dir(checkout()))?.is_empty() {
        return Err(Failed(String::from("there are changes without a commit; --allow-dirty takes them along")));
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| at(&folder, error))?;
    let tools = if ["command", "image", "wheel"].iter().any(|part| wanted.has(part)) { Tools::get()? } else { None };
    let release = Release { version: env!("CARGO_PKG_VERSION"), epoch, folder, tools };
    if ["command", "image", "npm"].iter().any(|part| wanted.has(part)) {
        crate::web::run(&[])?;
    }
    if wanted.has("command") {
        commands(&release, &wanted)?;
        trial::run(&release.folder)?;
    }
    if wanted.has("image") {
        image::make(&release)?;
    }
    if wanted.has("wheel") {
        wheel(&release)?;
    }
    if wanted.has("npm") {
        step("npm package", crate::web::npm(&["pack", "--ignore-scripts", "--pack-destination"]).arg(&release.folder))?;
    }
    if wanted.has("crates") {
        crates(&release, wanted.allow_dirty)?;
    }
    let listed = pack::sums(&release.folder)?;
    println!("\n{listed}\n{} has all of it", release.folder.display());
    Ok(())
}

/// The command for every target, packed with manual pages, completions, and samples.
fn commands(release: &Release, wanted: &Wanted) -> Result<(), Failed> {
    let mut built = Vec::new();
    for target in target::all()? {
        if !wanted.targets.is_empty() && !wanted.targets.contains(&target.triple) {
            continue;
        }
        match target.missing(release.tools.as_ref()) {
            Some(missing) if wanted.targets.contains(&target.triple) => return Err(Failed(format!("{}: {missing}", target.triple))),
            Some(missing) => leave_out(format!("the command for {}: {missing}", target.triple)),
            None => {
                let program = target.build(release)?;
                built.push((target, program));
            }
        }
    }
    let host = target::host()?;
    let runs = built.iter().find(|(target, _)| target.triple == host).map(|(_, program)| program.clone());
    let Some(runs) = runs.or_else(|| Some(build_folder().join("debug/fragreel")).filter(|command| command.is_file())) else {
        return Err(Failed(String::from("manual pages and completions need a command that runs here: build this machine's target, too")));
    };
    let shared = texts(&runs)?;
    for (target, program) in &built {
        timed(&format!("archive for {}", target.triple), || archive(release, target, program, &shared))?;
    }
    Ok(())
}

/// Manual pages and completions, in a folder of the build's.
fn texts(command: &Path) -> Result<PathBuf, Failed> {
    let folder = build_folder().join("dist-texts");
    let _ = fs::remove_dir_all(&folder);
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(|error| at(&completions, error))?;
    step("manual pages", Command::new(command).arg("man").arg("--folder").arg(folder.join("man")))?;
    for (shell, name) in
        [("bash", "fragreel.bash"), ("zsh", "_fragreel"), ("fish", "fragreel.fish"), ("powershell", "_fragreel.ps1"), ("elvish", "fragreel.elv")]
    {
        let script = Command::new(command).args(["completions", shell]).output().map_err(|error| at(command, error))?;
        fs::write(completions.join(name), script.stdout).map_err(|error| at(&completions, error))?;
    }
    Ok(folder)
}

fn archive(release: &Release, target: &Target, program: &Path, texts: &Path) -> Result<(), Failed> {
    let root = checkout();
    let name = format!("fragreel-{}-{}", release.version, target.triple);
    let mut files = vec![(target.program().to_owned(), program.to_owned())];
    for text in ["README.md", "CHANGELOG.md", "SECURITY.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        files.push((text.to_owned(), root.join(text)));
    }
    pack::below(texts, "", &mut files)?;
    // what the first minutes of README.md are tried on
    pack::below(&root.join("samples/quake3"), "samples/quake3/", &mut files)?;
    let list = release.folder.join(format!("{name}.cdx.json"));
    fs::write(&list, contents::list(release, &target.triple)?).map_err(|error| at(&list, error))?;
    files.push((String::from("contents.cdx.json"), list));
    pack::write(&release.folder, &name, &files, release.epoch, target.is_windows())
}

/// The wheel for Python, for the same old library of C as the command.
fn wheel(release: &Release) -> Result<(), Failed> {
    let Some(tools) = &release.tools else {
        leave_out(format!("the wheel: {}", tools::MISSING));
        return Ok(());
    };
    let mut command = tools.command("maturin");
    command.args(["build", "--profile", PROFILE, "--locked", "--strip", "--manifest-path", "python/Cargo.toml", "--out"]).arg(&release.folder);
    if cfg!(target_os = "linux") {
        command.args(["--zig", "--compatibility", "manylinux2014"]);
    }
    target::reproducible(&mut command, &target::host()?, release.epoch)?;
    step("wheel", command.current_dir(checkout()))
}

/// The crates as crates.io takes them.
fn crates(release: &Release, allow_dirty: bool) -> Result<(), Failed> {
    // a crate whose dependencies are not published yet cannot be compiled alone; the tests have compiled it
    let mut package = cargo(&["package", "--workspace", "--no-verify", "--locked"]);
    for name in unpublished()? {
        package.args(["--exclude", &name]);
    }
    if allow_dirty {
        package.arg("--allow-dirty");
    }
    let made = build_folder().join("package");
    let _ = fs::remove_dir_all(&made);
    // a crate has nothing from outside of its folder
    let command = checkout().join("crates/cli");
    let copies = [("web/dist", command.join("page")), ("docs", command.join("docs"))];
    let packed = copies.iter().try_for_each(|(from, to)| copy(&checkout().join(from), to)).and_then(|()| step("crates", &mut package));
    for (_, copy) in &copies {
        let _ = fs::remove_dir_all(copy);
    }
    packed?;
    let to = release.folder.join("crates");
    fs::create_dir_all(&to).map_err(|error| at(&to, error))?;
    let mut files = Vec::new();
    pack::below(&made, "", &mut files)?;
    for (name, path) in files.iter().filter(|(name, _)| name.ends_with(".crate") && !name.contains('/')) {
        fs::copy(path, to.join(name)).map_err(|error| at(path, error))?;
    }
    Ok(())
}

/// Copies what is in a folder and can be read by the command's build: the page, and documents.
fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    let _ = fs::remove_dir_all(to);
    let mut files = Vec::new();
    pack::below(from, "", &mut files)?;
    let is_built_in = |name: &str| ["html", "js", "css", "wasm", "json", "md"].iter().any(|kind| name.rsplit('.').next() == Some(kind));
    for (name, path) in files.iter().filter(|(name, _)| is_built_in(name)) {
        let to = to.join(name);
        let folder = to.parent().unwrap_or(&to);
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        fs::copy(path, &to).map_err(|error| at(path, error))?;
    }
    Ok(())
}

/// The crates that stay in the checkout.
fn unpublished() -> Result<Vec<String>, Failed> {
    let metadata = said(&mut cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| Failed(format!("cargo metadata: {error}")))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let inside = packages.filter(|package| package["publish"].as_array().is_some_and(Vec::is_empty));
    Ok(inside.filter_map(|package| package["name"].as_str()).map(str::to_owned).collect())
}

/// What a command prints.
fn said(command: &mut Command) -> Result<String, Failed> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| Failed(format!("{name}: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() { Ok(text) } else { Err(Failed(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))) }
}

fn at(path: &Path, error: impl std::fmt::Display) -> Failed {
    Failed(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Wanted, checkout};

    #[test]
    fn published_crates_have_what_registries_show() {
        let folders = fs::read_dir(checkout().join("crates")).expect("the checkout has crates");
        let mut published = 0;
        for folder in folders.map(|entry| entry.expect("it can be read").path()) {
            let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a crate has a manifest");
            if manifest.contains("publish = false") {
                continue;
            }
            for key in ["description", "version", "rust-version", "license", "repository", "readme", "keywords", "categories", "all-features"] {
                assert!(manifest.lines().any(|line| line.starts_with(key)), "{} has no {key}", folder.display());
            }
            assert!(folder.join("README.md").is_file(), "{} has no README.md", folder.display());
            published += 1;
        }
        assert!(published > 10, "only {published} crates");
    }

    #[test]
    fn options_are_read_or_refused() {
        let read = |line: &str| Wanted::read(&line.split_whitespace().map(String::from).collect::<Vec<_>>());
        let wanted = read("--only npm --only crates --target a-b-c --allow-dirty").expect("it is right");
        assert!(wanted.has("npm") && !wanted.has("wheel") && wanted.allow_dirty);
        assert_eq!(wanted.targets, ["a-b-c"]);
        assert!(read("").is_some_and(|all| all.has("wheel") && !all.only_try));
        assert!(read("--try").is_some_and(|wanted| wanted.only_try));
        assert_eq!((read("--only rpm"), read("--only"), read("npm --try")), (None, None, None));
    }
}
