//! Code pages: what bytes above 127 stand for in text that is neither UTF-8 nor a game's own characters.
//!
//! Recordings state no code page, so only a person can name it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};

/// A code page of one byte a character, whose lower half is ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePage(&'static Page);

#[derive(Debug, PartialEq, Eq)]
struct Page {
    name: &'static str,
    others: &'static [&'static str],
    /// The characters 128 to 255; U+FFFD where there is none.
    upper: &'static str,
}

impl CodePage {
    /// The code page of this name, without regard to case.
    ///
    /// ```
    /// use fragreel_base::code_page::CodePage;
    ///
    /// assert_eq!(CodePage::named("CP1251").unwrap().decode(b"\xcc\xe8\xf0"), "Мир");
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        PAGES.iter().find(|page| is(&page.name) || page.others.iter().any(&is)).map(CodePage)
    }

    /// The names of all, as people write them.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PAGES.iter().map(|page| page.name)
    }

    /// The name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// One character.
    pub fn character(self, byte: u8) -> char {
        if byte < 128 { char::from(byte) } else { self.0.upper.chars().nth(usize::from(byte) - 128).unwrap_or(char::REPLACEMENT_CHARACTER) }
    }

    /// Text, character by character.
    pub fn decode(self, bytes: &[u8]) -> String {
        bytes.iter().map(|&byte| self.character(byte)).collect()
    }
}

/// One more than the index of the page that was chosen, and 0 for none.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

/// Chooses the code page of all text that is read from now on in this process. It changes readable text alone (`Text::clean`), never bytes.
pub fn choose(page: Option<CodePage>) {
    let at = page.and_then(|page| PAGES.iter().position(|known| *known == *page.0)).map_or(0, |at| at as u8 + 1);
    CHOSEN.store(at, Ordering::Relaxed);
}

/// The code page that was chosen.
pub fn chosen() -> Option<CodePage> {
    let at = usize::from(CHOSEN.load(Ordering::Relaxed));
    PAGES.get(at.checked_sub(1)?).map(CodePage)
}

/// Text of games that may send UTF-8: it stays where all of it is valid. Otherwise the code page decodes it, and without one, bytes that are no UTF-8
/// are replaced.
pub fn readable(bytes: &[u8], page: Option<CodePage>) -> Cow<'_, str> {
    match (std::str::from_utf8(bytes), page) {
        (Ok(text), _) => Cow::Borrowed(text),
        (Err(_), Some(page)) => Cow::Owned(page.decode(bytes)),
        (Err(_), None) => String::from_utf8_lossy(bytes),
    }
}

static PAGES: [Page; 8] = [
    Page {
        name: "windows-1250",
        others: &["cp1250"],
        upper: concat!(
            "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰Š‹ŚŤŽŹ\u{fffd}‘’“”•–—\u{fffd}™š›śťžź",
            "\u{a0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{ad}®Ż°±˛ł´µ¶·¸ąş»Ľ˝ľż",
            "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß",
            "ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
        ),
    },
    Page {
        name: "windows-1251",
        others: &["cp1251"],
        upper: concat!(
            "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{fffd}™љ›њќћџ",
            "\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї",
            "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
            "абвгдежзийклмнопрстуфхцчшщъыьэюя",
        ),
    },
    Page {
        name: "windows-1252",
        others: &["cp1252", "latin1", "iso-8859-1"],
        upper: concat!(
            "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}Ž\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}žŸ",
            "\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿",
            "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß",
            "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ",
        ),
    },
    Page {
        name: "windows-1254",
        others: &["cp1254", "iso-8859-9"],
        upper: concat!(
            "€\u{fffd}‚ƒ„…†‡ˆ‰Š‹Œ\u{fffd}\u{fffd}\u{fffd}\u{fffd}‘’“”•–—˜™š›œ\u{fffd}\u{fffd}Ÿ",
            "\u{a0}¡¢£¤¥¦§¨©ª«¬\u{ad}®¯°±²³´µ¶·¸¹º»¼½¾¿",
            "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß",
            "àáâãäåæçèéêëìíîïğñòóôõö÷øùúûüışÿ",
        ),
    },
    Page {
        name: "windows-1257",
        others: &["cp1257"],
        upper: concat!(
            "€\u{fffd}‚\u{fffd}„…†‡\u{fffd}‰\u{fffd}‹\u{fffd}¨ˇ¸\u{fffd}‘’“”•–—\u{fffd}™\u{fffd}›\u{fffd}¯˛\u{fffd}",
            "\u{a0}\u{fffd}¢£¤\u{fffd}¦§Ø©Ŗ«¬\u{ad}®Æ°±²³´µ¶·ø¹ŗ»¼½¾æ",
            "ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß",
            "ąįāćäåęēčéźėģķīļšńņóōõö÷ųłśūüżž˙",
        ),
    },
    Page {
        name: "iso-8859-2",
        others: &["latin2"],
        upper: concat!(
            "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            "\u{a0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{ad}ŽŻ°ą˛ł´ľśˇ¸šşťź˝žż",
            "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß",
            "ŕáâăäĺćçčéęëěíîďđńňóôőö÷řůúűüýţ˙",
        ),
    },
    Page {
        name: "koi8-r",
        others: &["koi8r"],
        upper: concat!(
            "─│┌┐└┘├┤┬┴┼▀▄█▌▐░▒▓⌠■∙√≈≤≥\u{a0}⌡°²·÷",
            "═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©",
            "юабцдефгхийклмнопярстужвьызшэщчъ",
            "ЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧЪ",
        ),
    },
    Page {
        name: "cp866",
        others: &["ibm866"],
        upper: concat!(
            "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ",
            "абвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐",
            "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀",
            "рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{a0}",
        ),
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_a_character_for_each_byte() {
        for page in &PAGES {
            assert_eq!(page.upper.chars().count(), 128, "{}", page.name);
            assert_eq!(CodePage::named(page.name).map(CodePage::name), Some(page.name));
        }
        let of = |name, bytes: &[u8]| CodePage::named(name).unwrap().decode(bytes);
        assert_eq!(of("koi8-r", b"\xed\xc9\xd2"), "Мир");
        assert_eq!(of("cp866", b"\x8c\xa8\xe0"), "Мир");
        assert_eq!(of("latin1", b"Gr\xf6\xdfe"), "Größe");
        assert_eq!(of("windows-1252", b"\x81"), "\u{fffd}", "no character");
        assert_eq!(of("windows-1250", b"\x9aum"), "šum");
        assert!(CodePage::named("utf-16").is_none());
    }

    #[test]
    fn utf_8_stays() {
        let page = CodePage::named("windows-1251");
        assert_eq!(readable("Größe".as_bytes(), page), "Größe");
        assert_eq!(readable(b"\xcc\xe8\xf0", page), "Мир");
        assert_eq!(readable(b"\xcc!", None), "\u{fffd}!");
    }
}
