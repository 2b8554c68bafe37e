//! Names in addresses.

use sha2::{Digest, Sha256};

use crate::text;

/// Names that Windows keeps for devices, in any folder and with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A name as a folder: itself where it has only small letters, digits, `_` and `-`, otherwise `~` and 16 digits of its hash.
pub fn slug(name: &str) -> String {
    let folded = text::folded(name);
    if is_plain(&folded) {
        return folded;
    }
    let digits: String = Sha256::digest(folded.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("~{digits}")
}

fn is_plain(name: &str) -> bool {
    let mut bytes = name.bytes();
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    starts && name.len() <= 40 && bytes.all(is_inner) && !is_device(name)
}

fn is_device(name: &str) -> bool {
    let port =
        |prefix: &str| name.strip_prefix(prefix).is_some_and(|digit| digit.len() == 1 && digit != "0" && digit.bytes().all(|byte| byte.is_ascii_digit()));
    DEVICES.contains(&name) || port("com") || port("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_safe_in_every_file_system() {
        assert_eq!(slug("Milton"), "milton");
        assert_eq!(slug("dm4_2"), "dm4_2");
        for name in ["..", "/ bro", "con", "COM1", "lpt9", "a.b", "-x", "_x", "", "<ai>ralle", "a/b", "ü", &"x".repeat(41)] {
            let slug = slug(name);
            assert!(slug.len() == 17 && slug.starts_with('~') && slug[1..].bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}: {slug}");
        }
        assert_eq!(slug("com10"), "com10");
        assert_ne!(slug("*"), slug(". gamer"));
        assert_eq!(slug("ÜBER"), slug("über"), "capitals make no other address");
    }
}
