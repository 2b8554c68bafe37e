//! What is inside of a program: every crate with version and license, as CycloneDX.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{FEATURES, Release, said};
use crate::step::{Failed, cargo};

/// The list for one target.
pub fn list(release: &Release, triple: &str) -> Result<String, Failed> {
    let tree = [
        "tree",
        "--locked",
        "--package",
        "fragreel-cli",
        "--features",
        FEATURES,
        "--edges",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}|{l}",
        "--target",
        triple,
    ];
    let crates: BTreeSet<Crate> = said(&mut cargo(&tree))?.lines().filter_map(Crate::read).collect();
    // the page's only library that is not ours
    let lock = include_str!("../../../web/package-lock.json");
    let lock: Value = serde_json::from_str(lock).map_err(|error| Failed(format!("web/package-lock.json: {error}")))?;
    let gif = &lock["packages"]["node_modules/gifenc"];
    let version = gif["version"].as_str().ok_or_else(|| Failed(String::from("web/package-lock.json has no version of gifenc")))?;
    let mut components: Vec<Value> = crates.iter().map(Crate::component).collect();
    components.push(json!({ "type": "library", "name": "gifenc", "version": version, "purl": format!("pkg:npm/gifenc@{version}"), "licenses": [{ "expression": gif["license"] }] }));
    let list = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "fragreel", "version": release.version, "purl": format!("pkg:cargo/fragreel-cli@{}", release.version) } },
        "components": components,
    });
    Ok(format!("{list:#}\n"))
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    license: Option<String>,
}

impl Crate {
    /// Reads `zip v9.0.0|MIT`, `fragreel v0.1.0 (/path)|MIT OR Apache-2.0` or `serde_derive v1.0.0 (proc-macro)|MIT OR Apache-2.0 (*)`.
    fn read(line: &str) -> Option<Self> {
        let (package, license) = line.trim_end_matches(" (*)").split_once('|')?;
        let mut words = package.split_whitespace();
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        // old manifests part licenses by a slash
        let license = Some(license.replace('/', " OR ")).filter(|license| !license.is_empty());
        Some(Crate { name: name.to_owned(), version: version.to_owned(), license })
    }

    fn component(&self) -> Value {
        let Crate { name, version, license } = self;
        let mut component = json!({ "type": "library", "name": name, "version": version, "purl": format!("pkg:cargo/{name}@{version}") });
        if let Some(license) = license {
            component["licenses"] = json!([{ "expression": license }]);
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_tree_are_read() {
        let read = |line| Crate::read(line).map(|one| (one.name, one.version, one.license));
        let wanted = |name: &str, version: &str, license: Option<&str>| Some((name.to_owned(), version.to_owned(), license.map(str::to_owned)));
        assert_eq!(read("zip v9.0.0|MIT"), wanted("zip", "9.0.0", Some("MIT")));
        assert_eq!(read("fragreel v0.1.0 (/x/y)|MIT/Apache-2.0 (*)"), wanted("fragreel", "0.1.0", Some("MIT OR Apache-2.0")));
        assert_eq!(read("odd v1.0.0|"), wanted("odd", "1.0.0", None));
        assert_eq!(read(""), None);
    }
}
