//! Data that tools keep in command macros (`docs/formats/goldsrc.md`, "Macros").
//!
//! Consoles skip a comment, so a command that is one does nothing. Tools use such commands to store data of their own in a recording.

use super::body;
use super::macros::{Macro, MacroKind};

/// What BunnymodXT's blobs begin with. Settings, passwords among them, and commands follow, enciphered and escaped.
const BUNNYMOD: &[u8] = b"//BXTD";

/// The tags that tools put before their data, with their names.
const TAGS: &[(&[u8], &str)] = &[(BUNNYMOD, "BunnymodXT")];

/// The version of that format that is known.
const BUNNYMOD_VERSION: u8 = b'0';

/// Words of comments are shorter; hexadecimal and Base64 text has none.
const LONG_WORD: usize = 24;

/// The tool whose data a command is, unless it is a command, or a comment that people can read.
pub(crate) fn tool_of(command: &[u8]) -> Option<&'static str> {
    let comment = command.strip_prefix(b"//")?;
    let known = TAGS.iter().find(|(tag, _)| command.starts_with(tag)).map(|(_, name)| *name);
    known.or_else(|| is_encoded(comment).then_some("an unknown tool"))
}

/// The escaped data of BunnymodXT in a command.
pub(crate) fn bunnymod_data(command: &[u8]) -> Option<&[u8]> {
    match command.strip_prefix(BUNNYMOD)? {
        [BUNNYMOD_VERSION, data @ ..] => Some(data),
        _ => None,
    }
}

/// The same for a macro.
pub(crate) fn tool_of_macro(window: &Macro) -> Option<&'static str> {
    if window.kind == MacroKind::Command { tool_of(&body::command_text(window).0) } else { None }
}

/// True for bytes that are no text, and for text without spaces as encodings make it.
fn is_encoded(comment: &[u8]) -> bool {
    comment.iter().any(|byte| byte.is_ascii_control() && *byte != b'\t') || comment.split(u8::is_ascii_whitespace).any(|word| word.len() >= LONG_WORD)
}

/// Overwrites the tagged data in bytes that are no macros, as those of a damaged stretch. Returns true if there was some.
pub(crate) fn blank(bytes: &mut [u8]) -> bool {
    let mut found = false;
    for (tag, _) in TAGS {
        let mut at = 0;
        while let Some(place) = bytes[at..].windows(tag.len()).position(|window| window == *tag) {
            at += place + tag.len();
            let rest = &mut bytes[at..];
            let length = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
            found |= rest[..length].iter().any(|byte| *byte != b'*');
            rest[..length].fill(b'*');
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_with_encoded_data_belong_to_tools() {
        for (command, tool) in [
            (&b"//BXTD0\x07\x9d\x87"[..], Some("BunnymodXT")),
            (b"//BXTD0plain", Some("BunnymodXT")),
            (b"//\x01\x02\x03", Some("an unknown tool")),
            (b"//TOOL c2V0dGluZ3MgYW5kIHBhc3N3b3Jkcw==", Some("an unknown tool")),
            (b"// a note that I wrote myself", None),
            (b"//", None),
            (b"say //BXTD0", None),
            (b"+forward", None),
            (b"say \x01\x02", None),
        ] {
            assert_eq!(tool_of(command), tool, "{command:?}");
        }
    }

    #[test]
    fn data_in_damaged_bytes_is_overwritten_up_to_its_nul() {
        let mut bytes = b"\x03\0//BXTD0abc\xff\0rest//BXTD0z".to_vec();
        assert!(blank(&mut bytes) && !blank(&mut bytes.clone()));
        assert_eq!(bytes, b"\x03\0//BXTD*****\0rest//BXTD**");
    }
}
