//! `cargo xtask absences`: checks the rules that ARCHITECTURE.md claims.
//!
//! Imports are read as text, from `use` lines and from `crate::`, `super::` and `std::` paths. A path through a re-export counts for the file
//! that it leads to. Test modules are left out.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::step::{Failed, checkout};

/// Each crate, and the crates of ours that it may depend on. Its folder is in `crates`, but for the Python package.
const CRATES: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("model", &["base"]),
    ("movement", &["model"]),
    ("live", &[]),
    ("quake1", BELOW_FAMILIES),
    ("quake2", BELOW_FAMILIES),
    ("quake3", BELOW_FAMILIES),
    ("goldsrc", BELOW_FAMILIES),
    ("quake1-live", &["quake1", "live", "model", "base"]),
    ("quake2-live", &["quake2", "live", "model", "base"]),
    ("quake3-live", &["quake3", "live", "model", "base"]),
    ("detect", &["quake1", "quake2", "quake3", "goldsrc", "model"]),
    // Packing is driven by the readers of all families.
    ("pack", &["detect", "quake1", "quake2", "quake3", "goldsrc", "model", "base"]),
    ("fragreel", &["movement", "pack", "detect", "quake1", "quake2", "quake3", "goldsrc", "model", "base"]),
    // One kind of archive is packed by us.
    ("archive", &["pack", "base"]),
    ("site", &["fragreel", "detect"]),
    ("tables", &["fragreel"]),
    ("wasm", &["fragreel"]),
    ("capi", &["fragreel"]),
    // The package for Python has the command in it.
    ("python", &["cli", "tables", "fragreel"]),
    // The command uses families directly for recording and serving.
    ("cli", &["archive", "site", "tables", "fragreel", "quake1-live", "quake2-live", "quake3-live", "quake1", "quake2", "quake3", "live"]),
    ("testkit", &[]),
    ("benches", &[]),
    ("torture", &["fragreel", "testkit"]),
];

const BELOW_FAMILIES: &[&str] = &["base", "model"];

const FAMILIES: &[&str] = &["quake1", "quake2", "quake3", "goldsrc"];

/// Crates that open files, sockets and clocks: programs, and what serves tests alone.
const PROGRAMS: &[&str] = &["benches", "cli", "python", "testkit", "torture"];

/// Crates with `unsafe`, and why.
const UNSAFE: &[(&str, &str)] = &[("capi", "pointers come from C")];

/// Paths that no library uses.
const FORBIDDEN: &[(&str, &str)] = &[
    ("std::fs", "a library opens no file"),
    ("std::net::UdpSocket", "a library opens no socket"),
    ("std::net::TcpStream", "a library opens no socket"),
    ("std::net::TcpListener", "a library opens no socket"),
    ("std::time::Instant", "a library reads no clock"),
    ("std::time::SystemTime", "a library reads no clock"),
    ("std::env", "a library reads no environment variable"),
    ("std::process", "a library starts no process"),
    ("rusqlite::Connection", "a library opens no file"),
];

/// Libraries that use a forbidden path, and why.
const ALLOWED: &[(&str, &str, &str)] = &[("tables", "rusqlite::Connection", "SQLite opens the file")];

/// The floors of a family, from the top. A folder or file that is in neither of the first two is on the third.
const FAMILY_FLOORS: Floors = &[&["recording", "chunked", "unstable", "edit", "answers", "events", "frames", "text", "properties"], &["encode", "walk"]];

/// The floors of other crates that have some.
const OTHER_FLOORS: &[(&str, Floors)] = &[("base", &[&["textform"], &["delta"]]), ("model", &[&["replay"]]), ("tables", &[&["catalogue"]])];

type Floors = &'static [&'static [&'static str]];

pub fn check(_: &[String]) -> Result<(), Failed> {
    let root = checkout();
    let mut found = unknown_crates(root)?;
    let mut used = BTreeSet::new();
    for &(name, below) in CRATES {
        let folder = if name == "python" { root.join(name) } else { root.join("crates").join(name) };
        let manifest = folder.join("Cargo.toml");
        for dependency in dependencies(&read(&manifest)?) {
            if !below.contains(&dependency.as_str()) {
                found.push(format!("{name} must not depend on {dependency}"));
            }
        }
        let modules = modules(&folder.join("src"))?;
        for module in modules.values() {
            let place = |line| format!("crates/{name}/src/{}:{line}", module.file);
            let is_safe = UNSAFE.iter().all(|(other, _)| *other != name);
            found.extend(module.unsafe_lines.iter().filter(|_| is_safe).map(|&line| format!("{}: there is no `unsafe`", place(line))));
            for import in module.imports.iter().filter(|_| !PROGRAMS.contains(&name)) {
                let path = import.path.join("::");
                let Some((forbidden, rule)) = FORBIDDEN.iter().find(|(forbidden, _)| is_within(&path, forbidden)) else { continue };
                match ALLOWED.iter().find(|(library, what, _)| *library == name && what == forbidden) {
                    Some(allowed) => {
                        used.insert(allowed);
                    }
                    None => found.push(format!("{}: {rule}", place(import.line))),
                }
            }
        }
        let files = imports_of_files(&modules);
        let mut broken = Vec::new();
        if FAMILIES.contains(&name) {
            broken.extend(upward_imports(&files, FAMILY_FLOORS));
        } else if let Some((_, floors)) = OTHER_FLOORS.iter().find(|(other, _)| *other == name) {
            broken.extend(upward_imports(&files, floors));
        }
        broken.extend(import_cycles(&files));
        found.extend(broken.into_iter().map(|broken| format!("{name}: {broken}")));
    }
    found.extend(
        ALLOWED.iter().filter(|allowed| !used.contains(allowed)).map(|(library, what, _)| format!("{library} does not use {what}: remove it from ALLOWED")),
    );
    found.extend(page::check(&root.join("web/src"))?.into_iter().map(|broken| format!("web/src: {broken}")));
    if found.is_empty() {
        println!("{} crates and the page keep the rules of ARCHITECTURE.md", CRATES.len());
        Ok(())
    } else {
        Err(Failed(format!("rules of ARCHITECTURE.md are broken:\n        {}", found.join("\n        "))))
    }
}

/// Whether a path is `outer` or something in it.
fn is_within(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed(format!("{}: {error}", path.display())))
}

/// Crates that the table above does not list.
fn unknown_crates(root: &Path) -> Result<Vec<String>, Failed> {
    let folder = root.join("crates");
    let entries = fs::read_dir(&folder).map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
    let names = entries.filter_map(Result::ok).filter(|entry| entry.path().join("Cargo.toml").is_file());
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.filter(|name| CRATES.iter().all(|(known, _)| known != name)).map(|name| format!("xtask/src/absences.rs does not list the crate {name}")).collect())
}

/// The crates of ours that a manifest depends on, outside of tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            inside = section == "dependencies]";
        } else if inside {
            let name = line.split([' ', '.', '=']).next().unwrap_or_default();
            let short = name.strip_prefix("fragreel-").or_else(|| name.strip_prefix("fragreel_")).unwrap_or(name);
            if CRATES.iter().any(|(known, _)| *known == short) {
                found.push(short.to_owned());
            }
        }
    }
    found
}

/// Where a module is in its crate: `["walk", "input"]`; empty for the root.
type ModulePath = Vec<String>;

/// A source file.
#[derive(Debug, Default)]
struct Module {
    /// The path of the file below `src`.
    file: String,
    imports: Vec<Import>,
    unsafe_lines: Vec<usize>,
}

/// A path that a file names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Import {
    line: usize,
    /// The module that names it: the file, or a module inside of it.
    from: ModulePath,
    path: Vec<String>,
    /// The name that a `use` gives it.
    name: Option<String>,
    public: bool,
}

/// Every source file of a crate by its module, without those that are for tests.
fn modules(source: &Path) -> Result<BTreeMap<ModulePath, Module>, Failed> {
    let (mut files, mut tests) = (BTreeMap::new(), BTreeSet::new());
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = read(&path)?;
                let file = path.strip_prefix(source).unwrap_or(&path).to_owned();
                let module = module_of(&file);
                tests.extend(test_modules(&text).map(|name| [module.clone(), vec![name]].concat()));
                files.insert(module, (file, text));
            }
        }
    }
    if files.is_empty() {
        return Err(Failed(format!("{} has no sources: CRATES in xtask/src/absences.rs names another crate", source.display())));
    }
    let of_library = files.into_iter().filter(|(module, _)| !tests.iter().any(|test| module.starts_with(test)));
    Ok(of_library.map(|(module, (file, text))| (module.clone(), parse(&file.to_string_lossy(), &module, &text))).collect())
}

fn module_of(file: &Path) -> ModulePath {
    let mut module: ModulePath = file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    module
}

/// The modules in files of their own that a file declares for tests.
fn test_modules(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let pairs: Vec<(&str, &str)> = lines.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let declared = pairs.into_iter().filter(|(attribute, _)| *attribute == "#[cfg(test)]");
    declared.filter_map(|(_, line)| Some(line.split("mod ").nth(1)?.strip_suffix(';')?.to_owned())).collect::<Vec<_>>().into_iter()
}

/// Reads what a file imports, up to its module of tests.
fn parse(file: &str, module: &ModulePath, text: &str) -> Module {
    let lines: Vec<&str> = text.lines().collect();
    let tests = lines.windows(2).position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].trim_end().ends_with('{') && pair[1].contains("mod "));
    let code = lines[..tests.unwrap_or(lines.len())].join("\n");
    let tokens = tokens(&code);
    let mut parsed = Module { file: file.to_owned(), ..Module::default() };
    let (mut from, mut depth, mut inner) = (module.clone(), 0_usize, Vec::new());
    let mut at = 0;
    let text_at = |at: usize| tokens.get(at).map_or("", |(_, token)| token.as_str());
    while at < tokens.len() {
        let line = tokens[at].0;
        let before = if at == 0 { "" } else { text_at(at - 1) };
        match text_at(at) {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if inner.last() == Some(&depth) {
                    inner.pop();
                    from.pop();
                }
            }
            "mod" if text_at(at + 2) == "{" => {
                from.push(text_at(at + 1).to_owned());
                inner.push(depth);
                depth += 1;
                at += 2;
            }
            "unsafe" => parsed.unsafe_lines.push(line),
            "use" if ["", ";", "{", "}", "]", ")", "pub"].contains(&before) && text_at(at + 1) != "<" => {
                let end = (at..tokens.len()).find(|&at| text_at(at) == ";").unwrap_or(tokens.len());
                let words: Vec<&str> = tokens[at + 1..end].iter().map(|(_, token)| token.as_str()).collect();
                let public = before == "pub" || before == ")";
                for (path, name) in use_tree(&words, &[]) {
                    parsed.imports.push(Import { line, from: from.clone(), path, name: Some(name), public });
                }
                at = end;
            }
            "crate" | "super" | "std" if text_at(at + 1) == "::" && before != "::" && before != "in" => {
                let mut path = vec![text_at(at).to_owned()];
                while text_at(at + 1) == "::" && text_at(at + 2).starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    at += 2;
                    path.push(text_at(at).to_owned());
                }
                parsed.imports.push(Import { line, from: from.clone(), path, name: None, public: false });
            }
            _ => {}
        }
        at += 1;
    }
    parsed
}

/// The paths of a `use`, each with the name that it gets here.
fn use_tree(words: &[&str], prefix: &[String]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    let mut depth = 0;
    for tree in words.split(|word| {
        match *word {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        *word == "," && depth == 0
    }) {
        let plain = tree.iter().take_while(|word| **word != "{" && **word != "as").filter(|word| **word != "::").map(|word| (*word).to_owned());
        let mut path = [prefix.to_vec(), plain.collect()].concat();
        if let Some(open) = tree.iter().position(|word| *word == "{") {
            found.extend(use_tree(&tree[open + 1..tree.len() - 1], &path));
        } else if !tree.is_empty() {
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let renamed = tree.iter().position(|word| *word == "as").and_then(|at| tree.get(at + 1)).map(|name| (*name).to_owned());
            let name = renamed.or_else(|| path.last().cloned()).unwrap_or_default();
            found.push((path, name));
        }
    }
    found
}

/// Words and signs of a text with their lines, without comments, strings and characters.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut line, mut at) = (Vec::new(), 1, 0);
    let starts = |at: usize, what: &str| what.chars().enumerate().all(|(n, c)| chars.get(at + n) == Some(&c));
    while at < chars.len() {
        let begin = at;
        let raw = chars[at..].iter().skip(1).take_while(|c| **c == '#').count();
        match chars[at] {
            '/' if starts(at, "//") => at += chars[at..].iter().take_while(|c| **c != '\n').count(),
            '/' if starts(at, "/*") => at = (at..chars.len()).find(|&at| starts(at, "*/")).map_or(chars.len(), |end| end + 2),
            'r' if chars.get(at + 1 + raw) == Some(&'"') => {
                let end = format!("\"{}", "#".repeat(raw));
                at = (at + raw + 2..chars.len()).find(|&at| starts(at, &end)).map_or(chars.len(), |close| close + end.len());
            }
            '"' => {
                at += 1;
                while at < chars.len() && chars[at] != '"' {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                at += 1;
            }
            '\'' if chars.get(at + 1) == Some(&'\\') => at = (at + 3..chars.len()).find(|&at| chars[at] == '\'').map_or(chars.len(), |close| close + 1),
            '\'' if chars.get(at + 2) == Some(&'\'') => at += 3,
            c if c.is_alphanumeric() || c == '_' => {
                at += chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count();
                found.push((line, chars[begin..at].iter().collect()));
            }
            ':' if starts(at, "::") => {
                found.push((line, "::".to_owned()));
                at += 2;
            }
            c => {
                if !c.is_whitespace() {
                    found.push((line, c.to_string()));
                }
                at += 1;
            }
        }
        line += chars[begin..at.min(chars.len())].iter().filter(|c| **c == '\n').count();
    }
    found
}

/// What imports what, file by file.
type Graph = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// What imports from a higher floor of its crate.
fn upward_imports(files: &Graph, floors: Floors) -> Vec<String> {
    let floor = |module: &ModulePath| floors.iter().position(|floor| floor.contains(&module[0].as_str())).unwrap_or(floors.len());
    let pairs = between_folders(files).filter(|(from, to)| floor(from) > floor(to));
    pairs.map(|(from, to)| format!("{} imports {}, which is on a higher floor", from.join("/"), to.join("/"))).collect()
}

/// Imports from one folder below `src` to another.
fn between_folders(files: &Graph) -> impl Iterator<Item = (&ModulePath, &ModulePath)> {
    let pairs = files.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    pairs.filter(|(from, to)| !from.is_empty() && from[0] != to[0])
}

/// Folders that import each other, and files that do.
fn import_cycles(files: &Graph) -> Vec<String> {
    let mut folders = Graph::new();
    for (from, to) in between_folders(files) {
        folders.entry(vec![from[0].clone()]).or_default().insert(vec![to[0].clone()]);
    }
    let shown = |cycle: &[ModulePath]| cycle.iter().map(|module| module.join("/")).collect::<Vec<_>>().join(", ");
    let mut found: Vec<String> = cycles(&folders).iter().map(|cycle| format!("folders import each other: {}", shown(cycle))).collect();
    found.extend(cycles(files).iter().map(|cycle| format!("files import each other: {}", shown(cycle))));
    found
}

/// The files that each file imports. A module that re-exports its own parts does not import them.
fn imports_of_files(modules: &BTreeMap<ModulePath, Module>) -> Graph {
    let mut names = BTreeMap::new();
    let mut paths = Vec::new();
    for (module, import) in modules.iter().flat_map(|(module, parsed)| parsed.imports.iter().map(move |import| (module, import))) {
        let Some(path) = absolute(import, modules) else { continue };
        if let Some(name) = &import.name {
            names.insert((import.from.clone(), name.clone()), path.clone());
        }
        if !(import.public && path.len() > module.len() && path.starts_with(module)) {
            paths.push((module, path));
        }
    }
    let mut graph = Graph::new();
    for (module, path) in paths {
        if let Some(to) = file_of(&path, modules, &names).filter(|to| to != module && !to.is_empty()) {
            graph.entry(module.clone()).or_default().insert(to);
        }
    }
    graph
}

/// A path from the root of the crate, where it leads to one of its modules.
fn absolute(import: &Import, modules: &BTreeMap<ModulePath, Module>) -> Option<ModulePath> {
    let (path, from) = (&import.path, &import.from);
    let up = path.iter().take_while(|part| *part == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "super" => Some([&from[..from.len().checked_sub(up)?], &path[up..]].concat()),
        "self" => Some([from.as_slice(), &path[1..]].concat()),
        first => modules.contains_key(&[from.as_slice(), &[first.to_owned()]].concat()).then(|| [from.as_slice(), path.as_slice()].concat()),
    }
}

/// The file that a path leads to, re-exports followed.
fn file_of(path: &ModulePath, modules: &BTreeMap<ModulePath, Module>, names: &BTreeMap<(ModulePath, String), ModulePath>) -> Option<ModulePath> {
    let mut path = path.clone();
    for _ in 0..8 {
        let length = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
        let file = path[..length].to_vec();
        match path.get(length).and_then(|name| names.get(&(file.clone(), name.clone()))) {
            Some(target) if *target != path => path = [target.as_slice(), &path[length + 1..]].concat(),
            _ => return Some(file),
        }
    }
    None
}

/// Groups of modules. Each module reaches all others of its group.
fn cycles(graph: &Graph) -> Vec<Vec<ModulePath>> {
    let reached: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = graph.keys().map(|from| (from, reached_from(from, graph))).collect();
    let mut found: Vec<Vec<ModulePath>> = Vec::new();
    for from in graph.keys().filter(|from| reached[*from].contains(*from)) {
        if found.iter().all(|cycle| !cycle.contains(from)) {
            found.push(reached[from].iter().filter(|to| reached.get(**to).is_some_and(|back| back.contains(from))).map(|to| (*to).clone()).collect());
        }
    }
    found
}

fn reached_from<'g>(from: &ModulePath, graph: &'g Graph) -> BTreeSet<&'g ModulePath> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&ModulePath> = graph.get(from).into_iter().flatten().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(graph.get(module).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ModulePath {
        text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    fn crate_of(files: &[(&str, &str)]) -> BTreeMap<ModulePath, Module> {
        files.iter().map(|(module, text)| (path(module), parse(module, &path(module), text))).collect()
    }

    #[test]
    fn imports_are_read_from_uses_and_paths() {
        let text = "// use a::b;\npub use x::{self, y as z, w::{v, *}};\nfn f() -> u8 { crate::walk::g('\"', \"super::no\"); r#\"\"unsafe\"#; 0 }\n\
            mod inner {\n    use super::q;\n}\nunsafe {}\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}";
        let parsed = parse("a.rs", &path("a"), text);
        let shown: Vec<String> = parsed.imports.iter().map(|import| format!("{} {}", import.from.join("/"), import.path.join("::"))).collect();
        assert_eq!(shown, ["a x", "a x::y", "a x::w::v", "a x::w::*", "a crate::walk::g", "a/inner super::q"]);
        assert_eq!(parsed.imports[1].name.as_deref(), Some("z"));
        assert_eq!(parsed.unsafe_lines, [7]);
    }

    #[test]
    fn an_arrow_up_is_found_through_a_re_export() {
        let clean = crate_of(&[
            ("", ""),
            ("walk", "pub use input::Input;"),
            ("walk/input", "use crate::state::S;"),
            ("state", ""),
            ("edit", "use crate::walk::Input;"),
        ]);
        assert_eq!(upward_imports(&imports_of_files(&clean), FAMILY_FLOORS), [""; 0]);
        let broken = crate_of(&[("", ""), ("walk", "use crate::edit::Cut;"), ("edit", "pub use cut::Cut;"), ("edit/cut", "")]);
        assert_eq!(upward_imports(&imports_of_files(&broken), FAMILY_FLOORS), ["walk imports edit/cut, which is on a higher floor"]);
    }

    #[test]
    fn folders_and_files_that_import_each_other_are_found() {
        let broken =
            crate_of(&[("", ""), ("walk", ""), ("walk/a", "use crate::encode::b;"), ("encode", ""), ("encode/b", "use crate::walk::c;"), ("walk/c", "")]);
        assert_eq!(import_cycles(&imports_of_files(&broken)), ["folders import each other: encode, walk"]);
        let broken = crate_of(&[("", ""), ("walk", ""), ("walk/a", "use super::b;"), ("walk/b", "use super::a::A;")]);
        assert_eq!(import_cycles(&imports_of_files(&broken)), ["files import each other: walk/a, walk/b"]);
    }

    #[test]
    fn forbidden_paths_are_whole_names() {
        assert!(is_within("std::fs", "std::fs") && is_within("std::fs::File", "std::fs") && !is_within("std::fsx", "std::fs"));
        assert_eq!(
            dependencies("[dependencies]\nfragreel-base.workspace = true\nfragreel-model = \"1\"\nserde = \"1\"\n[dev-dependencies]\ntestkit = \"1\"\n"),
            ["base", "model"]
        );
    }

    #[test]
    fn the_architecture_is_kept() {
        assert!(check(&[]).is_ok(), "{:?}", check(&[]).err().map(|failed| failed.0));
    }
}
