//! What a recording holds beside the game: the answer to `extract`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtractKind {
    /// A file that the server sent.
    Download,
    /// What one player said, in the packets of the stream.
    Voice,
    /// The configstrings with which a level begins.
    Configstrings,
    /// Statistics that the game mod wrote.
    Statistics,
    /// Data that a tool keeps in the recording.
    ToolData,
    /// A layout: a program of what is drawn on the screen.
    Layout,
    /// A player's spray. Recordings name it, and do not hold it.
    Spray,
}

impl ExtractKind {
    /// All kinds with their names.
    pub const NAMES: [(&'static str, ExtractKind); 7] = [
        ("download", ExtractKind::Download),
        ("voice", ExtractKind::Voice),
        ("configstrings", ExtractKind::Configstrings),
        ("statistics", ExtractKind::Statistics),
        ("tool_data", ExtractKind::ToolData),
        ("layout", ExtractKind::Layout),
        ("spray", ExtractKind::Spray),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// The kind called `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}

/// Something that a recording holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extracted {
    /// What it is.
    pub kind: ExtractKind,
    /// The name that the recording gives it. It may be any path, and hostile.
    pub stated_name: Option<String>,
    /// A name made of its kind and number, with an extension that fits.
    pub made_name: String,
    /// The message or block that holds its first byte.
    pub message: u32,
    /// The one that holds its last.
    pub last_message: u32,
    /// How many bytes it has, where the recording says so.
    pub stated_bytes: Option<u64>,
    /// Whether all of it is there. `None` where the recording does not say.
    pub complete: Option<bool>,
    /// The codec of a voice, the tool of data, the hash of a spray.
    pub detail: Option<Cow<'static, str>>,
    /// The bytes. `None` where the recording only names it.
    pub bytes: Option<Vec<u8>>,
}

impl Extracted {
    /// Something whole that begins and ends in one message.
    pub fn new(kind: ExtractKind, made_name: String, message: u32, bytes: Vec<u8>) -> Self {
        let (stated_name, stated_bytes, complete, detail) = (None, None, Some(true), None);
        Extracted { kind, stated_name, made_name, message, last_message: message, stated_bytes, complete, detail, bytes: Some(bytes) }
    }
}

/// Configstrings as lines of index, name, and bytes, parted by tabs. Tabs, line ends and backslashes in the bytes are `\t`, `\n`, `\r` and `\\`.
pub fn configstring_lines<'s>(strings: impl IntoIterator<Item = (usize, Option<String>, &'s [u8])>) -> Vec<u8> {
    let mut lines = Vec::new();
    for (index, name, bytes) in strings {
        lines.extend_from_slice(format!("{index}\t{}\t", name.unwrap_or_default()).as_bytes());
        for &byte in bytes {
            match byte {
                b'\t' => lines.extend_from_slice(b"\\t"),
                b'\n' => lines.extend_from_slice(b"\\n"),
                b'\r' => lines.extend_from_slice(b"\\r"),
                b'\\' => lines.extend_from_slice(b"\\\\"),
                byte => lines.push(byte),
            }
        }
        lines.push(b'\n');
    }
    lines
}

/// The voices of a recording: a file for each speaker and codec, with a line of JSON for each packet.
#[derive(Debug, Default)]
pub struct Voices(BTreeMap<(u32, Cow<'static, str>), Voice>);

#[derive(Debug)]
struct Voice {
    first: u32,
    last: u32,
    lines: Vec<u8>,
}

impl Voices {
    /// Adds a packet. `fields` are what the stream states of it beside the speaker, in its order.
    pub fn packet(&mut self, message: u32, speaker: u32, codec: Cow<'static, str>, fields: &[(&'static str, i64)], data: &[u8]) {
        let voice = self.0.entry((speaker, codec)).or_insert_with(|| Voice { first: message, last: message, lines: Vec::new() });
        voice.last = message;
        voice.lines.extend_from_slice(format!("{{\"message\":{message},\"speaker\":{speaker}").as_bytes());
        for (name, value) in fields {
            voice.lines.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
        }
        voice.lines.extend_from_slice(format!(",\"data\":\"{}\"}}\n", fragreel_base::wire::hex(data)).as_bytes());
    }

    /// One file for each speaker and codec.
    pub fn finish(self) -> impl Iterator<Item = Extracted> {
        self.0.into_iter().map(|((speaker, codec), voice)| {
            let made_name = format!("voice_{speaker}.{}.jsonl", if codec.is_empty() { "unknown" } else { &codec });
            let detail = Some(codec).filter(|codec| !codec.is_empty());
            let bare = Extracted::new(ExtractKind::Voice, made_name, voice.first, voice.lines);
            Extracted { last_message: voice.last, complete: None, detail, ..bare }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configstring_is_one_line() {
        let strings = [(0, Some("CS_NAME".to_owned()), &b"a\\b\n"[..]), (9, None, b"\xff\t")];
        assert_eq!(configstring_lines(strings), b"0\tCS_NAME\ta\\\\b\\n\n9\t\t\xff\\t\n");
    }

    #[test]
    fn voices_are_kept_apart_by_speaker_and_codec() {
        let mut voices = Voices::default();
        voices.packet(3, 1, "opus".into(), &[("frames", 2)], &[0xab, 1]);
        voices.packet(4, 0, "opus".into(), &[], &[2]);
        voices.packet(9, 1, "opus".into(), &[("frames", 1)], &[]);
        let files: Vec<Extracted> = voices.finish().collect();
        assert_eq!(files.iter().map(|file| &*file.made_name).collect::<Vec<_>>(), ["voice_0.opus.jsonl", "voice_1.opus.jsonl"]);
        assert_eq!((files[1].message, files[1].last_message), (3, 9));
        let lines = "{\"message\":3,\"speaker\":1,\"frames\":2,\"data\":\"ab01\"}\n{\"message\":9,\"speaker\":1,\"frames\":1,\"data\":\"\"}\n";
        assert_eq!(files[1].bytes.as_deref(), Some(lines.as_bytes()));
    }
}
