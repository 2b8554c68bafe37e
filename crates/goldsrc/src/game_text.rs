//! Text as Half-Life writes it (`docs/formats/goldsrc.md`, "Text").

use fragreel_model::Text;

/// Text with its color and control characters taken out of the readable form.
pub(crate) fn text(raw: &[u8]) -> Text {
    Text::new(raw, clean(raw))
}

/// What a person reads, in one line: no control characters (1 to 4 switch colors in chat), ends of lines and tabs as one
/// space, bytes that are no UTF-8 replaced.
pub(crate) fn clean(raw: &[u8]) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in String::from_utf8_lossy(raw).chars() {
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
}
