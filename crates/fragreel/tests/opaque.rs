//! What the text form keeps as bytes, in a recording of each dialect: nothing that a public document describes.

use std::collections::BTreeMap;

use fragreel::text_form::decompile;
use serde_json::Value;

/// Members with bytes: the family, the member that holds them, their own name, and why they are bytes.
const KEPT: &[(&str, &str, &str, &str)] = &[
    ("quake1", "block", "undecoded", "protocols of DarkPlaces, which no document describes"),
    ("quake2", "frame", "areas", "a mask"),
    ("quake2", "frame", "portals", "a mask"),
    ("quake2", "frame", "connected", "numbers of a byte each"),
    ("quake2", "block", "undecoded", "the test release (protocol 25), which no document describes"),
    ("quake2", "", "opaque", "damage"),
    ("quake3", "snapshot", "areaMask", "a mask"),
    ("quake3", "message", "rest", "what fills the last byte"),
    ("quake3", "", "opaque", "damage, and seals of DeFRaG"),
    ("quake3", "undecoded", "data", "damage"),
    ("quake3", "lateVoice", "data", "coded voice"),
    ("quake3", "voipOpus", "data", "coded voice"),
    ("quake3", "voipSpeex", "data", "coded voice"),
    ("goldsrc", "packet", "undecoded", "messages of demo protocol 4, which no document describes"),
    ("goldsrc", "client_data", "data", "client data of demo protocol 4, which no document describes"),
    ("goldsrc", "buffer", "data", "what client DLLs keep, but for a zoom"),
    ("goldsrc", "voicedata", "data", "coded voice"),
    ("goldsrc", "resources", "reserved", "bytes that no engine uses"),
    ("goldsrc", "resources", "md5", "a hash"),
    ("goldsrc", "customization", "md5", "a hash"),
    ("goldsrc", "updateuserinfo", "key_hash", "a hash"),
    ("goldsrc", "serverinfo", "client_dll_md5", "a hash"),
    ("goldsrc", "data", "undecoded", "a message that is none"),
    ("goldsrc", "", "opaque", "damage"),
    ("goldsrc", "recording", "magic", "a damaged header"),
];

/// Names of members that hold bytes in some family.
const BYTES: &[&str] = &[
    "undecoded",
    "opaque",
    "data",
    "rest",
    "areas",
    "portals",
    "connected",
    "areaMask",
    "reserved",
    "md5",
    "key_hash",
    "client_dll_md5",
    "magic",
    "demo_info",
    "address",
    "status",
    "payload",
    "bytes",
];

/// Lines of each recording that are looked at.
const LINES: usize = 1000;
/// Bytes of each recording that are looked at.
const MOST: usize = 300_000;

fn collect(value: &Value, holder: &str, found: &mut impl FnMut(&str, &str)) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let digits = |text: &String| {
                    text.len() >= 2 && text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
                };
                if BYTES.contains(&&**name) && value.as_str().is_some_and(|text| digits(&text.to_owned())) {
                    found(holder, name);
                }
                let number = name.bytes().all(|byte| byte.is_ascii_digit());
                collect(value, if number { holder } else { name }, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, holder, found)),
        _ => {}
    }
}

#[test]
fn only_what_no_document_describes_stays_bytes() {
    let mut unknown: BTreeMap<(&str, String, String), String> = BTreeMap::new();
    let mut seen = 0;
    for family in super::FAMILIES {
        for sample in super::one_of_each_dialect(family) {
            let bytes = sample.bytes();
            let Ok(text) = decompile(&bytes[..bytes.len().min(MOST)], &sample.name) else { continue };
            let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
            if lines.len() > LINES {
                lines.truncate(LINES);
            } else if bytes.len() > MOST {
                // the block that was cut off, and what says so
                lines.truncate(lines.len().saturating_sub(3));
            }
            for line in lines {
                let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
                collect(&line, "", &mut |holder, name| {
                    seen += 1;
                    if !KEPT.iter().any(|(of, by, member, _)| (*of, *by, *member) == (family, holder, name)) {
                        unknown.entry((family, holder.to_owned(), name.to_owned())).or_insert_with(|| sample.name.clone());
                    }
                });
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
    assert!(seen > 100, "{seen}");
}
