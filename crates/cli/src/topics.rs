//! `fragreel help TOPIC`: the documents that the command carries.

use std::ffi::OsString;
use std::io::Write;

/// Topics and their documents, in Markdown.
pub const TOPICS: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/topics.rs"));

/// The document that `fragreel help TOPIC` asks for. Help texts name `docs/audit.md`: that form works too, and shows the document even if a command has
/// the same name.
pub fn asked(command: &clap::Command, words: &[OsString]) -> Option<&'static str> {
    let [_, help, topic] = words else { return None };
    let topic = topic.to_str().filter(|_| help == "help")?;
    let name = topic.strip_prefix("docs/").unwrap_or(topic);
    let (name, is_file) = name.strip_suffix(".md").map_or((name, false), |name| (name, true));
    let is_command = !is_file && command.find_subcommand(name).is_some();
    TOPICS.iter().find(|(known, _)| *known == name && !is_command).map(|(_, text)| *text)
}

/// Prints a document.
pub fn print(text: &str) {
    // the reader may close a pager before the end
    let _ = std::io::stdout().write_all(text.as_bytes());
}
