//! Text as Quake III writes it: command lines, info strings, colors (`docs/formats/quake3.md`, "Text").

use std::ops::Range;

use fragreel_base::code_page::{CodePage, chosen, readable};
use fragreel_model::Text;

/// The words of a command line as the engine splits them: at blanks, with quotes around words that contain them. Line ends are blanks; comments
/// (`//`, `/* */`) are skipped.
#[derive(Debug, Clone)]
pub struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub fn new(line: &'a [u8]) -> Self {
        Words { rest: line }
    }

    /// The rest of the line.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The ranges of the words in the rest of the line, without their quotation marks.
    pub fn ranges(mut self) -> impl Iterator<Item = Range<usize>> {
        let length = self.rest.len();
        std::iter::from_fn(move || {
            self.skip_blanks();
            let from = length - self.rest.len() + usize::from(self.rest.first() == Some(&b'"'));
            self.next().map(|word| from..from + word.len())
        })
    }

    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.rest.iter().take_while(|&&byte| byte <= b' ').count();
            self.rest = &self.rest[blanks..];
            if self.rest.starts_with(b"//") {
                self.rest = &[];
            } else if self.rest.starts_with(b"/*") {
                let end = self.rest.windows(2).position(|pair| pair == b"*/");
                self.rest = end.map_or(&[], |end| &self.rest[end + 2..]);
            } else {
                return;
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return None;
        }
        if let Some(quoted) = self.rest.strip_prefix(b"\"") {
            let end = quoted.iter().position(|&byte| byte == b'"').unwrap_or(quoted.len());
            self.rest = quoted.get(end + 1..).unwrap_or_default();
            return Some(&quoted[..end]);
        }
        let mut end = 0;
        while end < self.rest.len() {
            let here = &self.rest[end..];
            if here[0] <= b' ' || here[0] == b'"' || here.starts_with(b"//") || here.starts_with(b"/*") {
                break;
            }
            end += 1;
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

/// The value of `key` in an info string (`\key\value\key\value`). Keys are compared without case, as engines do; empty
/// when there is none.
pub fn info<'a>(info: &'a [u8], key: &str) -> &'a [u8] {
    info_pairs(info).find(|(found, _)| found.eq_ignore_ascii_case(key.as_bytes())).map_or(&[], |(_, value)| value)
}

/// The pairs of an info string in order.
pub fn info_pairs(info: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut parts = info.strip_prefix(b"\\").unwrap_or(info).split(|&byte| byte == b'\\');
    std::iter::from_fn(move || {
        let key = parts.next().filter(|key| !key.is_empty())?;
        Some((key, parts.next().unwrap_or_default()))
    })
}

/// A number as C's `atoi` reads it: leading blanks, a sign, digits; 0 when there are none.
pub fn number(text: &[u8]) -> i32 {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let value =
        digits.iter().take_while(|byte| byte.is_ascii_digit()).fold(0i64, |value, digit| (value * 10 + i64::from(digit - b'0')).min(i64::from(u32::MAX)));
    (if negative { -value } else { value }) as i32
}

/// Text without colors and control characters: `^` and the character after it go, and so does OSP's `^xRRGGBB`. Bytes that are not UTF-8,
/// and `%`, become `.`, as engines show them.
pub fn clean(raw: &[u8]) -> String {
    clean_of(raw, chosen())
}

fn clean_of(raw: &[u8], page: Option<CodePage>) -> String {
    let mut out = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let hex = |range: Range<usize>| raw.get(range).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        match raw.get(at + 1) {
            Some(b'x' | b'X') if byte == b'^' && hex(at + 2..at + 8) => at += 8,
            Some(&next) if byte == b'^' && next != b'^' => at += 2,
            _ => {
                if byte >= 0x20 && byte != 0x7f {
                    out.push(if byte == b'%' { b'.' } else { byte });
                }
                at += 1;
            }
        }
    }
    readable(&out, page).replace(char::REPLACEMENT_CHARACTER, ".")
}

/// Text, raw and clean.
pub fn text(raw: &[u8]) -> Text {
    Text::new(raw, clean(raw))
}

/// The name and the text of chat that OSP's spectators and GTV's viewers say: a print `NAME^4 (45)^3: TEXT`.
pub(crate) fn relayed_chat(line: &[u8]) -> Option<(&[u8], &[u8])> {
    const OPEN: &[u8] = b"^4 (";
    let open = line.windows(OPEN.len()).position(|window| window == OPEN)?;
    let rest = &line[open + OPEN.len()..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let body = rest.get(digits..)?.strip_prefix(b")^3: ").filter(|_| digits > 0)?;
    Some((&line[..open], body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        Words::new(line.as_bytes()).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    #[test]
    fn lines_split_as_the_engine_splits_them() {
        assert_eq!(words("cs 5 \"a b\" tail"), ["cs", "5", "a b", "tail"]);
        assert_eq!(words("print \"half\n"), ["print", "half\n"]);
        assert_eq!(words("a\"b\"c // gone"), ["a", "b", "c"]);
        assert_eq!(words(" \"\" x/*y*/z"), ["", "x", "z"]);
    }

    #[test]
    fn info_strings_give_values_by_key() {
        let string = b"\\mapname\\q3dm6\\sv_hostname\\^1Red\\empty\\\\last\\1";
        assert_eq!(info(string, "MapName"), b"q3dm6");
        assert_eq!(info(string, "last"), b"1");
        assert_eq!((info(string, "empty"), info(string, "none")), (&b""[..], &b""[..]));
    }

    #[test]
    fn names_come_clean() {
        assert_eq!(clean(b"^1R^7e^xff00FFd\x19^^1!"), "Red^!");
        assert_eq!(clean(b"100% caf\xe9"), "100. caf.");
        assert_eq!(number(b" -12ab"), -12);
        assert_eq!(number(b"x"), 0);
    }

    #[test]
    fn a_code_page_makes_other_bytes_readable() {
        assert_eq!(clean_of(b"^1\xcc\xe8^7\xf0", CodePage::named("windows-1251")), "Мир");
        assert_eq!(clean_of(b"^1\xcc\xe8^7\xf0", None), "...");
    }
}
