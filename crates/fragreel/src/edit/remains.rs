//! What an edit that removes text left of it. The search shares nothing with the removal but how names read: it takes the text form, which has
//! every string of every message, also of packed and of undecoded ones, and the bytes themselves.

use std::collections::{BTreeSet, HashSet};

use aho_corasick::AhoCorasick;
use fragreel_base::wire::{Error, Limits};
use fragreel_model::{Action, Edited, Family, Role};

use super::names::{Names, is_path};
use crate::text_form::{HEAD, Places, decompiler, schema};

/// Places that are listed.
const LISTED: usize = 10;
/// Shorter pieces stand everywhere by chance: names, other words, files, what was said, and names in bytes that are no text.
const SHORTEST_NAME: usize = 3;
const SHORTEST_WORD: usize = 7;
const SHORTEST_FILE: usize = 8;
const SHORTEST_SAID: usize = 20;
const SHORTEST_IN_BYTES: usize = 6;
/// Longer texts are none that somebody wrote.
const LONGEST: usize = 1024;
/// More than a recording has.
const MOST: usize = 100_000;

/// What was removed beside names.
#[derive(Debug, Clone, Default)]
pub(super) struct Gone {
    /// Each text, and the shortest one of its kind that is searched for.
    texts: BTreeSet<(u8, Vec<u8>)>,
    /// Texts that stay: a name in one of them cannot be distinguished from it.
    kept: BTreeSet<Vec<u8>>,
}

impl Gone {
    /// Remembers a text that was removed.
    pub(super) fn add(&mut self, role: Role, text: &[u8]) {
        let (text, shortest) = match role {
            // without the speaker, whose name is searched for itself
            Role::Chat => (text.windows(2).position(|pair| pair == b": ").map_or(text, |at| &text[at + 2..]), SHORTEST_SAID),
            Role::FileName => (text, SHORTEST_FILE),
            _ => (text, SHORTEST_WORD),
        };
        let text = text.trim_ascii();
        // bytes that nobody reads are shown as what they may hold
        let is_text = text.len() <= LONGEST && text.iter().all(|byte| byte & 0x7f >= b' ');
        if is_text && text.len() >= shortest && self.texts.len() < MOST {
            self.texts.insert((shortest as u8, text.to_vec()));
        }
    }

    /// Remembers a text that stays.
    pub(super) fn keep(&mut self, text: &[u8]) {
        if text.len() <= LONGEST && self.kept.len() < MOST && !self.kept.contains(text) {
            self.kept.insert(text.to_vec());
        }
    }

    /// Searches an edited recording for this and for replaced names. What is left becomes an action of it, up to ten times.
    pub(super) fn search<'n>(&self, family: Family, edited: &mut Edited, names: impl Iterator<Item = &'n Names>) -> Result<(), Error> {
        let name = format!("edited.{}", edited.extension);
        let reader = Names::new(family);
        let mut wanted: Vec<Vec<u8>> = Vec::new();
        let pairs: Vec<_> = names.flat_map(Names::pairs).collect();
        let there: Vec<Vec<u8>> = pairs.iter().map(|(_, new)| *new).chain(self.kept.iter().map(Vec::as_slice)).map(|text| reader.read(text)).collect();
        for (read, _) in pairs {
            let is_word = read.len() >= SHORTEST_NAME && read.iter().any(u8::is_ascii_alphanumeric);
            // who is called like a stand-in, or like a model that stays, cannot be distinguished from it
            if is_word && !there.iter().any(|text| contains_word(text, read)) {
                wanted.push(read.to_vec());
            }
        }
        wanted.extend(
            self.texts
                .iter()
                .map(|(shortest, text)| (usize::from(*shortest), reader.read(text)))
                .filter(|(shortest, read)| read.len() >= *shortest)
                .map(|(_, read)| read),
        );
        wanted.sort_unstable();
        wanted.dedup();
        let mut search = Search::of(family, reader, wanted)?;
        search.text(&edited.bytes, &name)?;
        search.bytes(&edited.bytes);
        edited.actions.extend(search.remains);
        Ok(())
    }
}

struct Search {
    family: Family,
    reader: Names,
    wanted: Vec<Vec<u8>>,
    finder: AhoCorasick,
    /// Values of the text form that are names of numbers.
    enumerated: HashSet<String>,
    remains: Vec<Action>,
}

impl Search {
    fn of(family: Family, reader: Names, wanted: Vec<Vec<u8>>) -> Result<Self, Error> {
        let finder = AhoCorasick::new(&wanted).map_err(|error| Error::unsupported(format!("too much to search for: {error}")))?;
        let mut enumerated = HashSet::new();
        schema(family).iter().for_each(|schema| enumerations(schema, &mut enumerated));
        Ok(Search { family, reader, wanted, finder, enumerated, remains: Vec::new() })
    }

    /// Searches the strings of the text form.
    fn text(&mut self, recording: &[u8], name: &str) -> Result<(), Error> {
        let mut decompiler = decompiler(&recording[..recording.len().min(HEAD)], name, Limits::default())?;
        let (mut places, mut lines, mut at, mut size) = (Places::of(self.family), Vec::new(), 0, HEAD);
        loop {
            let window = &recording[at..recording.len().min(at + size)];
            let is_last = at + window.len() == recording.len();
            let used = decompiler.step(window, is_last, &mut lines);
            let whole = lines.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            for line in lines[..whole].split_inclusive(|&byte| byte == b'\n') {
                let number = places.number(line);
                self.line(line, number);
            }
            lines.drain(..whole);
            if is_last {
                return Ok(());
            }
            at += used;
            size = if used == 0 { size * 2 } else { HEAD };
        }
    }

    fn line(&mut self, line: &[u8], number: Option<u32>) {
        let (mut open, mut name, mut at) = (Vec::<&[u8]>::new(), &b""[..], 0);
        while at < line.len() {
            match line[at] {
                b'{' | b'[' => open.push(std::mem::take(&mut name)),
                b'}' | b']' => drop(open.pop()),
                b',' => name = b"",
                b'"' => {
                    let from = at + 1;
                    at = from;
                    while at < line.len() && line[at] != b'"' {
                        at += if line[at] == b'\\' { 2 } else { 1 };
                    }
                    let end = at.min(line.len());
                    if line.get(end + 1) == Some(&b':') {
                        name = &line[from..end];
                    } else if end - from >= SHORTEST_NAME {
                        self.value(&line[from - 1..(end + 1).min(line.len())], || {
                            let path: Vec<_> = open.iter().chain([&name]).filter(|part| !part.is_empty()).map(|part| String::from_utf8_lossy(part)).collect();
                            let number = number.map_or(String::new(), |number| format!("message {number}, "));
                            format!("{number}{}", path.join("."))
                        });
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Searches a string, which is written as JSON.
    fn value(&mut self, json: &[u8], place: impl Fn() -> String) {
        let Ok(text) = serde_json::from_slice::<String>(json) else { return };
        if self.enumerated.contains(&text) {
            return;
        }
        let bytes = game_bytes(&text);
        self.look(&bytes, SHORTEST_NAME, &place);
        if let Some(bytes) = from_hex(&text) {
            self.look(&bytes, SHORTEST_IN_BYTES, &place);
        }
    }

    /// Searches the bytes as they stand. What the text form has is not found again.
    fn bytes(&mut self, bytes: &[u8]) {
        if self.remains.is_empty() {
            self.look(bytes, SHORTEST_IN_BYTES, &|| String::from("the bytes of the file"));
        }
    }

    fn look(&mut self, text: &[u8], shortest: usize, place: &dyn Fn() -> String) {
        let read = self.reader.read(text);
        let is_left = |found: &aho_corasick::Match| {
            let range = found.start()..found.end();
            range.len() >= shortest && is_word(&read, range.clone()) && !is_path(&read, range, b"/")
        };
        for found in self.finder.find_overlapping_iter(&read).filter(is_left) {
            if self.remains.len() < LISTED {
                let text = fragreel_model::game_text(&self.wanted[found.pattern().as_usize()]);
                self.remains.push(Action::TextRemains { text, place: place() });
            }
        }
    }
}

/// Whether a range is no part of a longer word.
fn is_word(text: &[u8], range: std::ops::Range<usize>) -> bool {
    let parted = |neighbor: Option<&u8>, edge: u8| neighbor.is_none_or(|neighbor| !(neighbor.is_ascii_alphanumeric() && edge.is_ascii_alphanumeric()));
    parted(range.start.checked_sub(1).and_then(|before| text.get(before)), text[range.start]) && parted(text.get(range.end), text[range.end - 1])
}

fn contains_word(text: &[u8], word: &[u8]) -> bool {
    (0..(text.len() + 1).saturating_sub(word.len())).any(|at| text[at..].starts_with(word) && is_word(text, at..at + word.len()))
}

/// The bytes of a string of the text form.
fn game_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match u32::from(character).checked_sub(0xe000).and_then(|byte| u8::try_from(byte).ok()) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    bytes
}

/// The bytes of undecoded data.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() < 2 * SHORTEST_IN_BYTES || !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    digits.chunks_exact(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// The names that a schema lists.
fn enumerations(schema: &serde_json::Value, into: &mut HashSet<String>) {
    use serde_json::Value;
    match schema {
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("enum", Value::Array(values)) => into.extend(values.iter().filter_map(Value::as_str).map(str::to_owned)),
                    ("const", Value::String(value)) => drop(into.insert(value.clone())),
                    _ => enumerations(value, into),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| enumerations(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text_form::{compile, decompile};

    /// What a search for one name finds in a recording.
    fn found(bytes: Vec<u8>, name: &str, family: Family, wanted: &str) -> Vec<Action> {
        let mut names = Names::new(family);
        names.set(wanted.as_bytes(), b"player 1".to_vec());
        let extension = name.rsplit('.').next().unwrap_or_default().to_owned();
        let mut edited = Edited { bytes, extension, ..Edited::default() };
        Gone::default().search(family, &mut edited, std::iter::once(&names)).expect("a recording");
        edited.actions
    }

    /// A name is found in any color, as a value of an info string, and beside other words, and its place is named.
    #[test]
    fn what_is_left_is_found_in_every_encoding() {
        for (family, name) in [(Family::Quake3, "quake3/dm_bots.dm_71"), (Family::Quake2, "quake2/yq2dm_Alice.dm2"), (Family::Quake1, "quake1/match_e1m1.qwd")]
        {
            let sample = fragreel_testkit::samples(family.name()).into_iter().find(|known| known.name == name).expect("a sample");
            assert_eq!(found(sample.bytes(), name, family, "Zqxwvk"), []);
            let text = String::from_utf8(decompile(&sample.bytes(), name).expect("its text")).expect("text");
            let colored: String = match family {
                Family::Quake3 => "Zqxwvk".chars().map(|letter| format!("^2{letter}")).collect(),
                _ => "Zqxwvk".bytes().map(|byte| char::from_u32(0xe080 + u32::from(byte)).expect("a character")).collect(),
            };
            for planted in ["zqxWvk", &colored, "to_zqxwvk-vs", "\\\\note\\\\zqxwvk\\\\x\\\\1"] {
                let start = if family == Family::Quake3 { "print \\\"" } else { "\"text\":\"" };
                let at = text.find(start).expect("a line of text") + start.len();
                let with = format!("{}{planted} {}", &text[..at], &text[at..]);
                let bytes = compile(with.as_bytes()).unwrap_or_else(|error| panic!("{name}: {planted}: {error:?}"));
                let actions = found(bytes, name, family, "Zqxwvk");
                assert!(
                    matches!(&actions[..], [Action::TextRemains { text, place }] if text == "zqxwvk" && place.starts_with("message ")),
                    "{name}: {planted}: {actions:?}"
                );
            }
        }
    }
}
