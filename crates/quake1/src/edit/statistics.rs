//! A mod's statistics in hidden messages of a multi-view recording: one text in several parts.

use std::collections::VecDeque;

use fragreel_model::replay::personal;
use fragreel_model::{Fate, Role};

use crate::message::hidden::HiddenBody;
use crate::walk::input::Input;

use crate::walk::decoded_blocks::{DecodedBlocks, NextDecoded};

/// The statistics of a recording. They are rewritten as a whole, because a name may span two parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Statistics {
    /// The whole text.
    whole: Vec<u8>,
    /// The rewritten parts, made when the first is requested.
    parts: Option<VecDeque<Vec<u8>>>,
    lengths: Vec<usize>,
}

impl Statistics {
    /// Collects the statistics of a recording.
    pub(super) fn of(recording: &Input<'_>) -> Self {
        let mut statistics = Statistics::default();
        let mut reading = DecodedBlocks::new(recording);
        while let Some(next) = reading.next(|_, _, _| {}) {
            let NextDecoded::Block(unit) = next else { continue };
            for block in unit.hidden.iter().flat_map(|hidden| &hidden.blocks) {
                if let HiddenBody::DemoInfo { content, .. } = &block.body {
                    statistics.whole.extend_from_slice(content);
                    statistics.lengths.push(content.len());
                }
            }
        }
        statistics
    }

    /// The next rewritten part.
    pub(super) fn part(&mut self, content: &mut Vec<u8>, mut show: impl FnMut(Role, &mut Vec<u8>) -> Fate) {
        let (whole, lengths) = (&self.whole, &self.lengths);
        let parts = self.parts.get_or_insert_with(|| {
            let changed = rewritten(whole, &mut show);
            let mut rest = &changed[..];
            let mut parts: VecDeque<Vec<u8>> = VecDeque::new();
            for (at, &length) in lengths.iter().enumerate() {
                let length = if at + 1 == lengths.len() { rest.len() } else { length.min(rest.len()) };
                let (part, after) = rest.split_at(length);
                parts.push_back(part.to_vec());
                rest = after;
            }
            parts
        });
        if let Some(part) = parts.pop_front() {
            *content = part;
        }
    }
}

/// Keys with a role, in lower case.
const OWN: personal::OwnKeys<'_> = &[(b"name", Role::Name), (b"team", Role::Team), (b"teams", Role::Team), (b"demo", Role::FileName)];

/// Rewrites the strings in a text: in JSON by their keys, anything else as one.
fn rewritten(text: &[u8], show: &mut dyn FnMut(Role, &mut Vec<u8>) -> Fate) -> Vec<u8> {
    if text.trim_ascii_start().first() != Some(&b'{') {
        let mut new = text.to_vec();
        return if show(Role::String, &mut new) == Fate::Drop { Vec::new() } else { new };
    }
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut key) = (0, Vec::new());
    while at < text.len() {
        if text[at] != b'"' {
            out.push(text[at]);
            at += 1;
            continue;
        }
        let from = at + 1;
        let end = end_of_string(text, from);
        let string = unescaped(&text[from..end]);
        let is_key = text[(end + 1).min(text.len())..].trim_ascii_start().first() == Some(&b':');
        let mut new = string.clone();
        if is_key {
            key = string.to_ascii_lowercase();
            // teams and players may be keys
            let _ = show(Role::String, &mut new);
        } else {
            let own = OWN.iter().find(|(known, _)| key == *known).map(|(_, role)| *role);
            let role = own.or_else(|| personal::role_of_key(&key)).unwrap_or(Role::String);
            if show(role, &mut new) == Fate::Drop {
                new.clear();
            }
        }
        out.push(b'"');
        if new == string {
            out.extend_from_slice(&text[from..end]);
        } else {
            escape(&mut out, &new);
        }
        out.extend((end < text.len()).then_some(b'"'));
        at = end + 1;
    }
    out
}

fn end_of_string(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() && text[at] != b'"' {
        at += 1 + usize::from(text[at] == b'\\');
    }
    at.min(text.len())
}

/// A JSON string as the game's bytes: one byte per character.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (byte, length) = match (text[at], text.get(at + 1)) {
            (b'\\', Some(b'u')) => {
                let digits = text.get(at + 2..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
                (digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).map_or(b'?', |code| code as u8), 6)
            }
            (b'\\', Some(b'n')) => (b'\n', 2),
            (b'\\', Some(b't')) => (b'\t', 2),
            (b'\\', Some(b'r')) => (b'\r', 2),
            (b'\\', Some(&other)) => (other, 2),
            (byte, _) => (byte, 1),
        };
        out.push(byte);
        at += length;
    }
    out
}

fn escape(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b' '..=b'~' => out.push(byte),
            _ => out.extend(format!("\\u{byte:04x}").into_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_shown_by_their_keys() {
        let text = br#"{"players":[{"name":"a\u0041 \"x\"","login":"me","ip":"10.0.0.1","team":"red"}],"n":1}"#;
        let mut seen = Vec::new();
        let new = rewritten(text, &mut |role, text| {
            seen.push((role, String::from_utf8_lossy(text).into_owned()));
            match role {
                Role::Name => *text = b"p\x80".to_vec(),
                Role::Address | Role::Identifier => return Fate::Drop,
                _ => {}
            }
            Fate::Keep
        });
        assert!(seen.contains(&(Role::Name, String::from("aA \"x\""))) && seen.contains(&(Role::Team, String::from("red"))), "{seen:?}");
        assert_eq!(String::from_utf8_lossy(&new), r#"{"players":[{"name":"p\u0080","login":"","ip":"","team":"red"}],"n":1}"#);
        assert_eq!(rewritten(text, &mut |_, _| Fate::Keep), text);
    }

    #[test]
    fn strings_without_an_end_stay() {
        for text in [&b"{\"a\":\"b"[..], b"{\"a\\", b"{\"a\\\"", b"{\"\\u00", b"{\"\\u12", b"{"] {
            assert_eq!(rewritten(text, &mut |_, _| Fate::Keep), text);
        }
    }
}
