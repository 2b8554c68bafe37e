//! `cargo xtask words`: documents, messages, and comments are written in the field's own words.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{Failed, checkout};

/// The document with the table of words. Its first column has the words to avoid, each in backticks.
const TABLE: &str = "CONTRIBUTING.md";

/// Documents, beside everything in `docs`.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md", "RELEASING.md", TABLE];

/// Folders of code whose strings are printed, and the transcripts.
const CODE: &str = "crates";
const TRANSCRIPTS: &str = "tests/cli";

/// Folders of code whose comments are checked.
const COMMENTED: &[&str] = &["crates", "xtask", "fuzz", "python/src", "web/src", "web/tests"];

/// Folders in them that hold nobody's comments.
const UNCOMMENTED: &[&str] = &["target", "generated"];

/// Folders with strings that no user reads, and documents for those who implement a format.
const UNPRINTED: &[&str] = &["tests", "benches", "examples", "target", "torture", "testkit", "formats", "errata"];

/// Fails when a document, a transcript, a string of the code, or a comment has a word of the table.
pub fn check(_: &[String]) -> Result<(), Failed> {
    let words = words(&read(&checkout().join(TABLE))?);
    if words.len() < 5 {
        return Err(Failed(format!("{TABLE} has no table of words")));
    }
    let mut printed: Vec<PathBuf> = DOCUMENTS.iter().map(|name| checkout().join(name)).filter(|path| path.is_file()).collect();
    for folder in ["docs", TRANSCRIPTS, CODE] {
        below(&checkout().join(folder), &["md", "rs", "trycmd", "txt"], UNPRINTED, &mut printed)?;
    }
    let mut places: BTreeMap<String, Vec<(usize, &str)>> = BTreeMap::new();
    for file in printed.iter().filter(|file| file.file_name().is_none_or(|name| name != "tests.rs")) {
        let lines = if is_code(file) { strings(&read(file)?) } else { prose(&read(file)?) };
        places.entry(shown(file)).or_default().extend(found(&lines, &words));
    }
    let mut commented = Vec::new();
    for folder in COMMENTED {
        below(&checkout().join(folder), &["rs", "ts", "mjs"], UNCOMMENTED, &mut commented)?;
    }
    for file in &commented {
        places.entry(shown(file)).or_default().extend(found(&comments(&read(file)?), &words));
    }
    let complaints: Vec<String> = places.iter().flat_map(|(name, places)| places.iter().map(move |(line, word)| format!("{name}:{line}: `{word}`"))).collect();
    if !complaints.is_empty() {
        return Err(Failed(format!("words that {TABLE} asks not to use:\n        {}", complaints.join("\n        "))));
    }
    println!("{} words to avoid are nowhere", words.len());
    Ok(())
}

/// The words in the first column of the table below the heading "Words".
fn words(text: &str) -> Vec<String> {
    let table = text.lines().skip_while(|line| *line != "## Words").skip(1).take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `"));
    table.flat_map(|row| row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Where a text has which word. A phrase may be split over two lines.
fn found<'w>(lines: &[(usize, String)], words: &'w [String]) -> Vec<(usize, &'w str)> {
    let mut places = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        let next = lines.get(at + 1).filter(|(next, _)| *next == number + 1);
        let ahead = next.and_then(|(_, next)| next.split_whitespace().next()).unwrap_or_default();
        let continued = format!("{line} {ahead}");
        places.extend(words.iter().filter(|word| has(if word.contains(' ') { &continued } else { line }, word)).map(|word| (*number, word.as_str())));
    }
    places
}

/// Whether a text has a word, as a whole word in any case.
fn has(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(&word).any(|(at, _)| !text[..at].ends_with(part_of_word) && !text[at + word.len()..].starts_with(part_of_word))
}

/// The lines of a document, without the table of words.
fn prose(text: &str) -> Vec<(usize, String)> {
    let is_table = |line: &str| line.starts_with("| `") && line.split('|').count() == 4;
    let mut inside = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("## ") {
            inside = line == "## Words";
        }
        if !(inside && is_table(line)) {
            lines.push((number, line.to_owned()));
        }
    }
    lines
}

/// What is in quotes in each line of code, up to its tests.
fn strings(text: &str) -> Vec<(usize, String)> {
    let code = (1..).zip(text.lines()).take_while(|(_, line)| !line.contains("#[cfg(test)]"));
    code.filter(|(_, line)| !line.trim_start().starts_with("//")).map(|(number, line)| (number, pieces(line).1)).collect()
}

/// The comment of each line of code.
fn comments(text: &str) -> Vec<(usize, String)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, pieces(line).0?))).collect()
}

/// The comment of a line of code, and what is in quotes before it.
fn pieces(line: &str) -> (Option<String>, String) {
    let line = line.replace("\\\"", "'").replace("'\"'", "' '");
    let mut quoted = Vec::new();
    for (number, piece) in line.split('"').enumerate() {
        if number % 2 == 1 {
            quoted.push(piece);
        } else if let Some(at) = piece.find("//").or_else(|| piece.find("/*")) {
            let begin = line.split('"').take(number).map(|before| before.len() + 1).sum::<usize>() + at;
            return (Some(line[begin..].trim_start_matches(['/', '*', '!', ' ']).to_owned()), quoted.join(" "));
        }
    }
    (None, quoted.join(" "))
}

fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

fn shown(path: &Path) -> String {
    path.strip_prefix(checkout()).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> Result<String, Failed> {
    fs::read_to_string(path).map_err(|error| Failed(format!("{}: {error}", path.display())))
}

/// Files of some kinds below a folder, without those in folders to skip.
fn below(folder: &Path, kinds: &[&str], skipped: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Failed> {
    let failed = |error| Failed(format!("{}: {error}", folder.display()));
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            if !skipped.contains(&path.file_name().unwrap_or_default().to_string_lossy().as_ref()) {
                below(&path, kinds, skipped, files)?;
            }
        } else if kinds.iter().any(|kind| path.extension().is_some_and(|extension| extension == *kind)) {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(lines: Vec<(usize, String)>) -> Vec<String> {
        lines.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn the_table_is_read_and_not_searched() {
        let text = "# x\n## Words\n\n| not | but |\n|---|---|\n| `told`, `so many` | encoded |\n## End\n| `x` | told |";
        assert_eq!(words(text), ["told", "so many"]);
        assert_eq!(found(&prose(text), &words(text)), [(8, "told")]);
    }

    #[test]
    fn words_are_found_whole_and_phrases_over_two_lines() {
        assert!(has("It was Told.", "told") && !has("untold", "told") && !has("told_x", "told"));
        let text = [(3, "there are so".to_owned()), (4, "many of them".to_owned()), (9, "many".to_owned())];
        assert_eq!(found(&text, &["so many".to_owned()]), [(3, "so many")]);
    }

    #[test]
    fn strings_and_comments_are_separated() {
        let code = "    let x = format!(\"an \\\"entity\\\" at http://x\", \"b\"); // a \"remark\"\n    /// Docs.\n    let quote = '\"'; // more\n#[cfg(test)]\n// last \"x\"";
        assert_eq!(lines(strings(code))[0], "an 'entity' at http://x b");
        assert_eq!(lines(comments(code)), ["a \"remark\"", "Docs.", "more", "last \"x\""]);
        assert_eq!(lines(comments("  /** Of TypeScript. */\n  fit(): void; // and more")), ["Of TypeScript. */", "and more"]);
    }
}
