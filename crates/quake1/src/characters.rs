//! Quake's character set: ASCII with a second, colored copy above 127, digits in boxes and frame pieces below 32
//! (`docs/formats/quake1.md`, "Text").

use fragreel_base::code_page::{CodePage, chosen};

/// What the characters 0 to 31 look like; the same from 128 on.
const LOW: &[u8; 32] = b"................[]0123456789....";

/// One character without its color.
pub(crate) fn plain(byte: u8) -> u8 {
    match byte & 127 {
        b'\n' if byte < 128 => b'\n',
        b'\r' if byte < 128 => b'\r',
        low @ 0..32 => LOW[low as usize],
        127 => b'.',
        other => other,
    }
}

/// Without colors, color codes (`&c123`, `&r`, `^1`-style are left to the reader of FTE's markup) and line ends at the
/// end.
pub fn clean(bytes: &[u8]) -> String {
    clean_of(bytes, None)
}

/// With a code page that a person chose, it takes the place of the colored copy of ASCII.
fn clean_of(bytes: &[u8], page: Option<CodePage>) -> String {
    let mut text = match page {
        // the whole set is shown in ASCII
        None => {
            let mut text = Vec::with_capacity(bytes.len());
            shown(bytes, |byte| text.push(plain(byte)));
            String::from_utf8(text).unwrap_or_default()
        }
        Some(page) => {
            let mut text = String::with_capacity(bytes.len());
            shown(bytes, |byte| text.push(if byte >= 128 { page.character(byte) } else { char::from(plain(byte)) }));
            text
        }
    };
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    text
}

/// Calls `show` with each byte that is no part of a color code.
#[inline(always)]
fn shown(bytes: &[u8], mut show: impl FnMut(u8)) {
    let mut rest = bytes;
    while let Some((&byte, after)) = rest.split_first() {
        rest = match (byte, after) {
            (b'&', [b'r', after @ ..]) => after,
            (b'&', [b'c', a, b, c, after @ ..]) if [a, b, c].into_iter().all(u8::is_ascii_hexdigit) => after,
            _ => {
                if byte != b'\r' {
                    show(byte);
                }
                after
            }
        };
    }
}

/// As the shared vocabulary has it: as sent, and clean.
pub fn text(bytes: &[u8]) -> fragreel_model::Text {
    fragreel_model::Text::new(bytes, clean_of(bytes, chosen()))
}

/// Names compare like this: without color and case.
pub fn folded(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&byte| plain(byte).to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_and_boxes_come_off() {
        assert_eq!(clean(b"\xd0\xe1\xf5l\n"), "Paul");
        assert_eq!(clean(b"\x10\x12\x13\x11 \x92\x93"), "[01] 01");
        assert_eq!(clean(b"&cf00red&r white"), "red white");
        assert_eq!(clean(b"a&b"), "a&b");
    }

    #[test]
    fn a_code_page_takes_the_place_of_colors() {
        let page = CodePage::named("koi8-r");
        assert_eq!(clean_of(b"&cf00\xed\xc9\xd2&r \x12\n", page), "Мир 0");
        assert_eq!(clean_of(b"\xed\xc9\xd2", None), "mIR");
    }
}
