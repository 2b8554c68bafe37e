//! Text as Half-Life writes it (`docs/formats/goldsrc.md`, "Text").

use fragreel_base::code_page::{CodePage, chosen, readable};
use fragreel_model::Text;

/// Text with its color and control characters taken out of the readable form.
pub(crate) fn text(raw: &[u8]) -> Text {
    Text::new(raw, clean(raw))
}

/// What a person reads, in one line: no control characters (1 to 4 switch colors in chat), ends of lines and tabs as one
/// space. What is no UTF-8 is text of the chosen code page, and replaced without one.
pub(crate) fn clean(raw: &[u8]) -> String {
    clean_of(raw, chosen())
}

fn clean_of(raw: &[u8], page: Option<CodePage>) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in readable(raw, page).chars() {
        match c {
            '\n' | '\r' | '\t' if out.ends_with(' ') => {}
            '\n' | '\r' | '\t' => out.push(' '),
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_and_lines() {
        assert_eq!(clean(b"\x02Gordon: hi\n"), "Gordon: hi");
        assert_eq!(clean(b"BUILD 6153 SERVER (0 CRC)\r\n\nServer # 1\n"), "BUILD 6153 SERVER (0 CRC) Server # 1");
        assert_eq!(text(b"\xff").raw, "\u{e0ff}");
    }

    #[test]
    fn a_code_page_makes_names_of_before_steam_readable() {
        let page = CodePage::named("windows-1251");
        assert_eq!(clean_of(b"\x02\xcc\xe8\xf0: \xef\xf0\xe8\xe2\xe5\xf2\n", page), "Мир: привет");
        assert_eq!(clean_of("Größe".as_bytes(), page), "Größe", "what is UTF-8 stays");
    }
}
