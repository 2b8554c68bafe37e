//! The same rules for the page: imports point down, and no files import each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Floors, Graph, ModulePath, cycles, read, upward_imports};
use crate::step::Failed;

/// The floors of `web/src`, from the top.
const FLOORS: Floors = &[&["element", "page", "viewer", "worker"], &["panel"], &["view"], &["open"], &["store"], &["files"], &["models"], &["maps"], &["data"]];

/// What breaks the rules below a folder.
pub fn check(source: &Path) -> Result<Vec<String>, Failed> {
    let mut texts = BTreeMap::new();
    let mut folders = vec![source.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| Failed(format!("{}: {error}", folder.display())))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ts") {
                let below = path.strip_prefix(source).unwrap_or(&path).with_extension("");
                texts.insert(below.iter().map(|part| part.to_string_lossy().into_owned()).collect(), read(&path)?);
            }
        }
    }
    Ok(broken(&texts))
}

fn broken(texts: &BTreeMap<ModulePath, String>) -> Vec<String> {
    let mut graph = Graph::new();
    for (module, text) in texts {
        let imported = imports(text).filter_map(|path| Some(resolved(module, path)).filter(|to| to != module && texts.contains_key(to)));
        graph.insert(module.clone(), imported.collect());
    }
    let mut found = upward_imports(&graph, FLOORS);
    let shown = |cycle: &[ModulePath]| cycle.iter().map(|module| module.join("/")).collect::<Vec<_>>().join(", ");
    found.extend(cycles(&graph).iter().map(|cycle| format!("files import each other: {}", shown(cycle))));
    found
}

/// The paths that a file imports. What is asked for as an address is no import.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    let named = text.lines().filter_map(|line| line.split_once(" from '").or_else(|| line.split_once("import '")));
    named.filter_map(|(_, rest)| rest.split('\'').next()).filter(|path| path.starts_with('.') && !path.contains('?'))
}

/// The module that a relative path leads to.
fn resolved(from: &ModulePath, path: &str) -> ModulePath {
    let mut module = from[..from.len() - 1].to_vec();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(module.pop()),
            name => module.push(name.to_owned()),
        }
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_up_and_a_circle_are_found() {
        let files = [
            ("viewer", "import { draw } from './view/draw';\nimport './page.css';"),
            ("view/draw", "import {\n  type A,\n} from '../data/a';\nexport type { B } from '../data/b';"),
            ("data/a", "import { b } from './b';\nimport worker from '../viewer.ts?worker&url';"),
            ("data/b", "import type { A } from './a';\nimport { draw } from '../view/draw';"),
        ];
        let texts = files.map(|(module, text)| (module.split('/').map(str::to_owned).collect(), text.to_owned())).into_iter().collect();
        let circle = "files import each other: data/a, data/b, view/draw";
        assert_eq!(broken(&texts), ["data/b imports view/draw, which is on a higher floor", circle]);
    }
}
