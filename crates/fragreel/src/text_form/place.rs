//! Where a line stands: the number of its message and its times, which lines may carry and which mean nothing on the way back.

use std::borrow::Cow;

use fragreel_model::{Family, Milliseconds};

/// The member that says it.
const KEY: &[u8] = b"\"at\":{";

/// Counts the lines that are messages of the container, as `explain` numbers them.
///
/// ```
/// use fragreel::model::Family;
/// use fragreel::text_form::{Places, compile, decompile};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = &*std::fs::read("../../samples/quake3/dm_bots.dm_71").unwrap();
/// let text = decompile(recording, "dm_bots.dm_71")?;
/// let mut places = Places::of(Family::Quake3);
/// let mut with_numbers = Vec::new();
/// for line in text.split_inclusive(|&byte| byte == b'\n') {
///     let number = places.number(line);
///     with_numbers.extend_from_slice(&fragreel::text_form::placed(line, number, None));
/// }
/// assert!(String::from_utf8_lossy(&with_numbers).contains(r#","at":{"message":1119}}"#));
/// assert_eq!(compile(&with_numbers)?, recording);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Places {
    family: Family,
    next: u32,
}

impl Places {
    /// At the start of a text of this family.
    pub fn of(family: Family) -> Self {
        Places { family, next: 0 }
    }

    /// The number of the message that the next line is; nothing for lines that are none.
    pub fn number(&mut self, line: &[u8]) -> Option<u32> {
        let key = line.strip_prefix(b"{\"").and_then(|line| line.split(|&byte| byte == b'"').next())?;
        let never: &[&[u8]] = match self.family {
            Family::GoldSrc => &[b"recording", b"end_of_text", b"header", b"directory", b"opaque"],
            _ => &[b"recording", b"end_of_text", b"end", b"opaque"],
        };
        if never.contains(&key) {
            return None;
        }
        self.next += 1;
        Some(self.next - 1)
    }
}

/// A line with where it stands: its message's number, and the time since the recording's first frame and on the server's clock.
/// Lines that are no messages stay as they are.
pub fn placed(line: &[u8], number: Option<u32>, times: Option<(Milliseconds, Milliseconds)>) -> Cow<'_, [u8]> {
    let whole = line.strip_suffix(b"\n").unwrap_or(line);
    let (Some(number), Some(open)) = (number, whole.strip_suffix(b"}")) else { return Cow::Borrowed(line) };
    let times = times.map(|(time, server)| format!(",\"time\":{},\"server_time\":{}", time.0, server.0)).unwrap_or_default();
    let mut placed = Vec::with_capacity(line.len() + 64);
    placed.extend_from_slice(open);
    placed.extend_from_slice(format!(",\"at\":{{\"message\":{number}{times}}}}}").as_bytes());
    placed.extend_from_slice(&line[whole.len()..]);
    Cow::Owned(placed)
}

/// The line without the member that says where it stands, wherever in the line it is.
pub(super) fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    if !line.windows(KEY.len()).rev().any(|window| window == KEY) {
        return Cow::Borrowed(line);
    }
    match member(line) {
        Some((from, to)) => Cow::Owned([&line[..from], &line[to..]].concat()),
        None => Cow::Borrowed(line),
    }
}

/// Where the member is, with one comma beside it; only as a member of the line itself.
fn member(line: &[u8]) -> Option<(usize, usize)> {
    let (mut depth, mut in_text, mut escaped, mut comma) = (0_u32, false, false, None);
    let mut found = None;
    for (at, &byte) in line.iter().enumerate() {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                if depth == 1 && found.is_none() && line[at..].starts_with(KEY) {
                    found = Some((at, comma));
                }
                in_text = true;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if let (1, Some((from, comma))) = (depth, found) {
                    // A comma goes along: the one before, or for the first member the one behind.
                    let behind = line.get(at + 1) == Some(&b',');
                    return Some(comma.map_or((from, at + 1 + usize::from(behind)), |comma| (comma, at + 1)));
                }
            }
            b',' if depth == 1 => comma = Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_where_a_line_stands_is_taken_out_and_nothing_else() {
        for (line, expected) in [
            (r#"{"message":{"a":1},"at":{"message":7,"time":-5}}"#, r#"{"message":{"a":1}}"#),
            (r#"{"at":{"message":7},"message":{"a":1}}"#, r#"{"message":{"a":1}}"#),
            (r#"{"message":{"at":{"message":7}}}"#, r#"{"message":{"at":{"message":7}}}"#),
            (r#"{"message":{"a":"\",\"at\":{"}}"#, r#"{"message":{"a":"\",\"at\":{"}}"#),
            (r#"{"message":"\"at\":{","at":{}}"#, r#"{"message":"\"at\":{"}"#),
            (r#"{"message":1}"#, r#"{"message":1}"#),
            (r#"{"at":{"#, r#"{"at":{"#),
            ("}}\"at\":{", "}}\"at\":{"),
        ] {
            assert_eq!(String::from_utf8_lossy(&plain(line.as_bytes())), expected, "{line}");
        }
    }

    #[test]
    fn every_sample_comes_back_from_text_with_places() {
        for family in ["quake1", "quake2", "quake3", "goldsrc"] {
            let mut numbered = 0;
            for sample in fragreel_testkit::samples(family).iter().filter(|sample| !sample.name.ends_with(".gz")).take(8) {
                let bytes = sample.bytes();
                let text = super::super::decompile(&bytes, &sample.name).unwrap();
                let recording = crate::Recording::open(bytes.clone(), &sample.name).unwrap();
                let mut places = Places::of(recording.family());
                let lines = text.split_inclusive(|&byte| byte == b'\n').flat_map(|line| {
                    let number = places.number(line);
                    placed(line, number, Some((Milliseconds(1), Milliseconds(-2)))).into_owned()
                });
                let with_places: Vec<u8> = lines.collect();
                assert_eq!(super::super::compile(&with_places).unwrap(), bytes, "{}", sample.name);
                assert_eq!(u64::from(places.next), recording.info().messages, "{}", sample.name);
                numbered += places.next;
            }
            assert!(numbered > 5, "{family}");
        }
    }
}
