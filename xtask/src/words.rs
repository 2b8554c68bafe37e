//! `cargo xtask words`: what users read is written in the field's own words.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{Failed, checkout};

/// Where the table of words stands: in the first column those not to use, each in backticks.
const TABLE: &str = "CONTRIBUTING.md";

/// Documents, beside everything in `docs`.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", TABLE];

/// What is printed: the code of these folders, in quotes, and the transcripts.
const CODE: &str = "crates";
const TRANSCRIPTS: &str = "tests/cli";

/// Fails when a word of the table stands in a document, a transcript, or a string of the code.
pub fn check(_: &[String]) -> Result<(), Failed> {
    let words = words(&read(&checkout().join(TABLE))?);
    if words.len() < 5 {
        return Err(Failed(format!("{TABLE} has no table of words")));
    }
    let mut complaints = Vec::new();
    let mut files: Vec<PathBuf> = DOCUMENTS.iter().map(|name| checkout().join(name)).collect();
    for folder in ["docs", TRANSCRIPTS, CODE] {
        below(&checkout().join(folder), &mut files)?;
    }
    for file in &files {
        let is_code = file.extension().is_some_and(|extension| extension == "rs");
        let text = read(file)?;
        let name = file.strip_prefix(checkout()).unwrap_or(file).display().to_string();
        for (number, line) in (1..).zip(text.lines()) {
            if is_code && line.contains("#[cfg(test)]") {
                break;
            }
            let said = if is_code { quoted(line) } else { line.to_owned() };
            for word in words.iter().filter(|word| has(&said, word)) {
                if name != TABLE || !line.starts_with("| `") {
                    complaints.push(format!("{name}:{number}: `{word}`"));
                }
            }
        }
    }
    if complaints.is_empty() {
        println!("{} words to avoid, in none of {} files", words.len(), files.len());
        Ok(())
    } else {
        Err(Failed(format!("words that {TABLE} asks not to use:\n        {}", complaints.join("\n        "))))
    }
}

/// The words in the first column of the table below the heading "Words".
fn words(text: &str) -> Vec<String> {
    let table = text.lines().skip_while(|line| *line != "## Words").skip(1).take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `"));
    table.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Whether a text has a word, as a whole word in any case.
fn has(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word).any(|(at, _)| !text[..at].ends_with(part_of_word) && !text[at + word.len()..].starts_with(part_of_word))
}

/// What stands in quotes in a line of code, and in the comments that become help texts.
fn quoted(line: &str) -> String {
    let line = line.trim_start();
    if line.starts_with("//") {
        return String::new();
    }
    line.replace("\\\"", "'").split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ")
}

fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed(format!("{}: {error}", path.display())))
}

/// Documents, transcripts and code below a folder; not what tests the code, nor what is written for those who implement a format.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failed> {
    let failed = |error| Failed(format!("{}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["tests", "benches", "examples", "target", "torture", "testkit", "formats", "errata"].contains(&name.as_str()) {
                below(&path, files)?;
            }
        } else if ["md", "rs", "trycmd", "txt"].iter().any(|kind| path.extension().is_some_and(|extension| extension == *kind)) && name != "tests.rs" {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whole_and_only_where_people_read_them() {
        assert_eq!(words("# x\n## Words\n\n| not | but |\n|---|---|\n| `told`, `tells` | encoded |\n## End\n| `x` |"), ["told", "tells"]);
        assert!(has("It was Told.", "told") && !has("untold", "told") && !has("told_x", "told"));
        assert_eq!(quoted(r#"    let told = format!("an \"entity\" {x}", "b");"#), "an 'entity' {x} b");
        assert_eq!(quoted(r#"    // "told""#), "");
    }
}
