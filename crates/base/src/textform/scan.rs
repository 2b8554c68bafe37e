//! JSON from left to right, no further than it is asked for.
//!
//! Values are handed out as slices of the line, without looking at a character twice where that can be helped: with a general
//! pull parser (jiter 0.18) compiling Quake III recordings took 17 % more time.

use std::borrow::Cow;

use crate::wire::Error;

use crate::textform::number;

/// A place in a line.
#[derive(Debug, Clone)]
pub(crate) struct Scan<'l> {
    line: &'l str,
    at: usize,
    /// The line goes on behind this with bytes that are no UTF-8.
    cut: bool,
}

impl<'l> Scan<'l> {
    pub(crate) fn new(line: &'l [u8]) -> Self {
        match std::str::from_utf8(line) {
            Ok(line) => Scan { line, at: 0, cut: false },
            Err(error) => Scan { line: std::str::from_utf8(&line[..error.valid_up_to()]).unwrap_or_default(), at: 0, cut: true },
        }
    }

    /// Where the next value, or whatever comes next, starts.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> usize {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.line.as_bytes().get(self.at) {
            self.at += 1;
        }
        self.at
    }

    pub(crate) fn jump(&mut self, to: usize) {
        self.at = to;
    }

    /// The first character of what comes next; 0 at the end.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> u8 {
        let at = self.start();
        self.line.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Passes over a character that must come next.
    #[inline(always)]
    pub(crate) fn pass(&mut self, character: u8, expected: &'static str) -> Result<(), Error> {
        if self.peek() != character {
            return Err(self.wrong(expected));
        }
        self.at += 1;
        Ok(())
    }

    /// Passes over a character if it comes next. (Adding the answer to the place instead of branching was compiled wrongly by
    /// rustc 1.95 with optimization: the place stayed.)
    #[inline(always)]
    pub(crate) fn take(&mut self, character: u8) -> bool {
        if self.peek() != character {
            return false;
        }
        self.at += 1;
        true
    }

    /// Passes over `before`, a name in quotes and a colon, if exactly these characters come next: as they are written, without
    /// spaces. That the answer is no says nothing of a name spelled otherwise.
    #[inline(always)]
    pub(crate) fn plain_name(&mut self, before: u8, name: &str) -> bool {
        let rest = &self.line.as_bytes()[self.at..];
        let [first, b'"', rest @ ..] = rest else { return false };
        if *first != before || !matches!(rest.strip_prefix(name.as_bytes()), Some([b'"', b':', ..])) {
            return false;
        }
        self.at += name.len() + 4;
        true
    }

    /// Passes over a word if it comes next.
    pub(crate) fn word(&mut self, word: &str) -> bool {
        let at = self.start();
        if !self.line[at..].starts_with(word) {
            return false;
        }
        self.at += word.len();
        true
    }

    #[cold]
    pub(crate) fn wrong(&self, expected: impl Into<Cow<'static, str>>) -> Error {
        if self.cut && self.at == self.line.len() {
            return Error::malformed("the text is not UTF-8 here").at_offset(self.at as u64);
        }
        let expected = expected.into();
        let ended = self.at == self.line.len();
        Error::malformed(if ended { Cow::Owned(format!("{expected}, but the line ends")) } else { expected }).at_offset(self.at as u64)
    }

    /// A whole number of few digits, if nothing else comes next. Looks at each character once.
    #[inline(always)]
    pub(crate) fn whole(&mut self) -> Option<i64> {
        const DIGITS: usize = 18;
        let start = self.start();
        let rest = &self.line.as_bytes()[start..];
        let sign = usize::from(rest.first() == Some(&b'-'));
        let mut value = 0i64;
        let mut at = sign;
        while let Some(digit @ b'0'..=b'9') = rest.get(at)
            && at < sign + DIGITS
        {
            value = value * 10 + i64::from(digit - b'0');
            at += 1;
        }
        let leading_zero = at > sign + 1 && rest[sign] == b'0';
        if at == sign || leading_zero || (sign == 1 && value == 0) || matches!(rest.get(at), Some(b'0'..=b'9' | b'.' | b'e' | b'E')) {
            return None;
        }
        self.at = start + at;
        Some(if sign == 1 { -value } else { value })
    }

    /// A number of few digits and no exponent, if one comes next: its digits as a whole number over a power of ten. Both are numbers
    /// that a float of 64 bits holds exactly, so this gives what any other way of reading gives.
    #[inline]
    pub(crate) fn decimal(&mut self) -> Option<f64> {
        const DIGITS: usize = 15;
        let start = self.start();
        let rest = &self.line.as_bytes()[start..];
        let sign = usize::from(rest.first() == Some(&b'-'));
        let mut value = 0i64;
        let mut at = sign;
        let mut point = None;
        loop {
            match rest.get(at) {
                Some(digit @ b'0'..=b'9') => value = value * 10 + i64::from(digit - b'0'),
                Some(b'.') if point.is_none() && at > sign => point = Some(at),
                Some(b'.' | b'e' | b'E') => return None,
                _ => break,
            }
            at += 1;
            if at > DIGITS {
                return None;
            }
        }
        let places = point.map_or(0, |point| at - point - 1);
        let leading_zero = rest.get(sign) == Some(&b'0') && matches!(rest.get(sign + 1), Some(b'0'..=b'9'));
        if at == sign || leading_zero || (point.is_some() && places == 0) {
            return None;
        }
        let value = value as f64 / number::POWERS.get(places)?;
        self.at = start + at;
        Some(if sign == 1 { -value } else { value })
    }

    /// The characters of a number, if one comes next.
    #[inline]
    pub(crate) fn number(&mut self) -> Option<&'l str> {
        let start = self.start();
        let rest = &self.line.as_bytes()[start..];
        let length = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'.' | b'e' | b'E' | b'+')).unwrap_or(rest.len());
        let digits = &self.line[start..start + length];
        if !is_number(digits.as_bytes()) {
            return None;
        }
        self.at += length;
        Some(digits)
    }

    /// The text in quotes that must come next.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Cow<'l, str>, Error> {
        self.pass(b'"', "expected a text in quotes")?;
        let start = self.at;
        let rest = &self.line.as_bytes()[start..];
        match plain(rest) {
            Some(length) if rest[length] == b'"' => {
                self.at += length + 1;
                Ok(Cow::Borrowed(&self.line[start..start + length]))
            }
            _ => self.escaped(start - 1).map(Cow::Owned),
        }
    }

    /// The same where a character is escaped.
    #[cold]
    fn escaped(&mut self, quote: usize) -> Result<String, Error> {
        self.at = quote;
        let end = self.string_end().ok_or_else(|| Error::malformed("the text has no closing quote").at_offset(quote as u64))?;
        let text = &self.line[quote..end];
        self.at = end;
        serde_json::from_str(text).map_err(|error| {
            let column = quote + error.column().saturating_sub(1);
            Error::malformed("expected a text in quotes, with control characters and backslashes escaped").at_offset(column as u64)
        })
    }

    /// The place behind the closing quote of the text that starts here.
    fn string_end(&self) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            match self.line.as_bytes().get(at)? {
                b'"' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// Passes over any value. Looks at brackets and quotes only: what is asked for is looked at again.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        let mut depth = 0u32;
        loop {
            match self.peek() {
                b'"' => self.at = self.string_end().ok_or_else(|| self.wrong("the text has no closing quote"))?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                b't' | b'f' | b'n' if self.word("true") || self.word("false") || self.word("null") => {}
                _ if self.number().is_some() => {}
                _ => return Err(self.wrong("expected a value")),
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Whether nothing follows.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        let at = self.start();
        if at == self.line.len() && !self.cut { Ok(()) } else { Err(self.wrong("expected the end of the line")) }
    }
}

/// How many characters stand before the first that ends a text or is none of it as it stands. Eight at a time: most names
/// and texts are that short.
#[inline(always)]
fn plain(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    const QUOTES: u64 = ONES * 0x22;
    const BACKSLASHES: u64 = ONES * 0x5c;
    const SPACES: u64 = ONES * 0x20;
    let special = |byte: u8| byte == b'"' || byte == b'\\' || byte < 0x20;
    let mut at = 0;
    while let Some(eight) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*eight);
        let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
        let found = (zeros(word ^ QUOTES) | zeros(word ^ BACKSLASHES) | (word.wrapping_sub(SPACES) & !word)) & HIGH;
        if found != 0 {
            // a borrow can only mark characters behind the first that is marked rightly
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    bytes[at..].iter().position(|&byte| special(byte)).map(|rest| at + rest)
}

/// Whether these characters, which are all of a number, are one as JSON has it.
#[inline]
fn is_number(digits: &[u8]) -> bool {
    let digits = digits.strip_prefix(b"-").unwrap_or(digits);
    match digits {
        [] => false,
        [b'0', b'0'..=b'9', ..] => false,
        _ if digits.iter().all(u8::is_ascii_digit) => true,
        _ => is_fraction(digits),
    }
}

fn is_fraction(digits: &[u8]) -> bool {
    let count = |rest: &[u8]| rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = count(digits);
    let mut rest = &digits[whole..];
    let mut sound = whole > 0;
    if let [b'.', fraction @ ..] = rest {
        let length = count(fraction);
        sound &= length > 0;
        rest = &fraction[length..];
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        let length = count(exponent);
        sound &= length > 0;
        rest = &exponent[length..];
    }
    sound && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_json_s() {
        for good in ["0", "-0", "10", "-1.5", "1e5", "1.25E-7", "0.1", "1e+3"] {
            assert!(is_number(good.as_bytes()), "{good}");
        }
        for bad in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "--1", "1-2", "1.2.3", "-01"] {
            assert!(!is_number(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn decimals_are_what_they_are_elsewhere() {
        for text in ["0", "-0", "10", "-1.5", "0.1", "-170.15625", "123456789.0625", "0.000000001", "999999999999999", "7.0"] {
            let mut scan = Scan::new(text.as_bytes());
            assert_eq!(scan.decimal().map(f64::to_bits), Some(text.parse::<f64>().unwrap().to_bits()), "{text}");
            assert_eq!(scan.start(), text.len());
        }
        for other in ["", "-", "01", "-01", ".5", "1.", "1e5", "1.5E3", "1.2.3", "+1", "1234567890.1234567", "0.0000000000001", "\"1\""] {
            let mut scan = Scan::new(other.as_bytes());
            assert_eq!((scan.decimal(), scan.start()), (None, 0), "{other}");
        }
    }

    #[test]
    fn texts_end_where_they_end() {
        for length in 0..40 {
            for special in (0..=0x21).chain([b'"', b'#', b'[', b'\\', b']', 0x7f, 0x80, 0xff]) {
                for filler in [b'a', b'#', b'!', 0x7f, 0x80, 0xff, 0x20] {
                    let mut bytes = vec![filler; length];
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    bytes.push(b'"');
                    let slow = bytes.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20);
                    assert_eq!(plain(&bytes), slow, "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn texts_are_unescaped() {
        let text = |line: &str| Scan::new(line.as_bytes()).string().map(Cow::into_owned);
        assert_eq!(text(r#" "plain" "#).unwrap(), "plain");
        assert_eq!(text(r#""a\"b\\c\u00e4\n\ud83d\ude00""#).unwrap(), "a\"b\\cä\n😀");
        for bad in ["\"open", "\"open\\", "\"a\\q\"", "\"a\u{1}\"", "\"\\ud83d\""] {
            assert!(text(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn any_value_is_passed_over() {
        for value in ["1", "\"}\\\"\"", "{}", "[]", r#"{"a":[1,{"b":"]"}],"c":null}"#, "true"] {
            let line = format!("{value} ,");
            let mut scan = Scan::new(line.as_bytes());
            scan.skip().unwrap();
            assert_eq!(scan.start(), value.len() + 1, "{value}");
        }
        for bad in ["", "}", "{", "[1", "\"", "{\"a\":"] {
            assert!(Scan::new(bad.as_bytes()).skip().is_err(), "{bad}");
        }
    }
}
