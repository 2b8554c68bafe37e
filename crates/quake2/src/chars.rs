//! Quake II text: bytes in the game's character set. Implements *Text* of `docs/formats/quake2.md`.

use std::borrow::Cow;

use fragreel_base::code_page::{CodePage, chosen};
use fragreel_model::Text;

/// The readable text. Drops the color bit, replaces pictures by similar characters, and removes control characters except line ends.
pub fn clean(bytes: &[u8]) -> String {
    bytes.iter().filter_map(|&byte| sign(byte)).collect()
}

fn sign(byte: u8) -> Option<char> {
    Some(match byte & 0x7f {
        b'\n' => '\n',
        0x10 => '[',
        0x11 => ']',
        digit @ 0x12..=0x1b => (digit - 0x12 + b'0') as char,
        0x1c | 0x0e | 0x0f | 0x05 => '.',
        0x1d => '<',
        0x1e => '=',
        0x1f => '>',
        plain @ 0x20..=0x7e => plain as char,
        _ => return None,
    })
}

/// Raw and readable text together.
pub fn text(bytes: &[u8]) -> Text {
    Text::new(bytes, readable(bytes, chosen()))
}

/// Like [`clean`], but a code page that a person chose takes the place of the green copy of ASCII.
fn readable(bytes: &[u8], page: Option<CodePage>) -> String {
    let Some(page) = page else { return clean(bytes) };
    let read = |&byte: &u8| if byte < 128 { sign(byte) } else { Some(page.character(byte)).filter(|c| !c.is_control()) };
    bytes.iter().filter_map(read).collect()
}

/// Like [`text`], without a line end.
pub fn line(bytes: &[u8]) -> Text {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    text(bytes)
}

/// Removes the color bit, for comparing names.
pub fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.iter().all(|byte| byte & 0x80 == 0) { Cow::Borrowed(bytes) } else { Cow::Owned(bytes.iter().map(|byte| byte & 0x7f).collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn green_text_and_pictures_become_readable() {
        assert_eq!(clean(b"\xc1lice\x10\x12\x11\n"), "Alice[0]\n");
        assert_eq!(clean(b"\x1d\x1e\x1f\x07"), "<=>");
        assert_eq!(&*plain(b"\xc1b"), b"Ab");
    }

    #[test]
    fn a_code_page_takes_the_place_of_green_text() {
        let page = CodePage::named("windows-1251");
        assert_eq!(readable(b"\xcc\xe8\xf0 \x12\n", page), "Мир 0\n");
        assert_eq!(readable(b"\xcc\xe8\xf0", None), "Lhp");
    }
}
