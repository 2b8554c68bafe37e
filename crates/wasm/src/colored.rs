//! Colors of texts. What a person reads is the library's; the codes in what was sent say in which color.

use fragreel::model::{Family, Text};
use serde::Serialize;

/// Text in one color.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Run {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<String>,
}

const QUAKE3: [&str; 8] = ["#808080", "#f04040", "#30c030", "#e0c020", "#5080ff", "#20c0c0", "#e050e0", ""];
/// The upper half of Quake's characters.
const BRONZE: &str = "#c08040";
/// Game text has bytes that are no UTF-8 from here on.
const BYTES: u32 = 0xe000;

/// The pieces of a text; `None` where it has no colors, or where the codes are not what they seem.
pub(crate) fn runs(family: Family, text: &Text) -> Option<Vec<Run>> {
    let raw: Vec<char> = text.raw.chars().collect();
    let mut runs: Vec<Run> = Vec::new();
    let mut color = String::new();
    let mut at = 0;
    for wanted in text.clean.chars() {
        let own = loop {
            if let Some((length, next)) = code(family, &raw[at..]) {
                color = next;
                at += length;
                continue;
            }
            let sent = *raw.get(at)?;
            at += 1;
            if let Some(own) = shows(family, sent, wanted) {
                break own;
            }
        };
        let shade = if own.is_empty() { color.as_str() } else { own };
        match runs.last_mut() {
            Some(last) if last.color.as_deref().unwrap_or("") == shade => last.text.push(wanted),
            _ => runs.push(Run { text: wanted.to_string(), color: Some(shade.to_owned()).filter(|shade| !shade.is_empty()) }),
        }
    }
    runs.iter().any(|run| run.color.is_some()).then_some(runs)
}

/// Whether a character that was sent is read as another, and its own color.
fn shows(family: Family, sent: char, read: char) -> Option<&'static str> {
    if sent == read {
        return Some("");
    }
    let byte = u32::from(sent).checked_sub(BYTES).filter(|byte| *byte < 0x100)?;
    let low = byte & 0x7f;
    let shown = match low {
        32..127 => char::from_u32(low)?,
        18..=27 => char::from_u32(low + 30)?,
        16 => '[',
        17 => ']',
        _ => return None,
    };
    let is_bronze = byte >= 128 && matches!(family, Family::Quake1 | Family::Quake2);
    (shown == read).then_some(if is_bronze { BRONZE } else { "" })
}

/// A code at the beginning: its length, and the color from there on.
fn code(family: Family, rest: &[char]) -> Option<(usize, String)> {
    let hex = |digits: &[char]| digits.iter().all(char::is_ascii_hexdigit).then(|| format!("#{}", digits.iter().collect::<String>()));
    match (family, rest) {
        (Family::Quake3, ['^', 'x' | 'X', more @ ..]) if more.len() >= 6 && hex(&more[..6]).is_some() => Some((8, hex(&more[..6])?)),
        (Family::Quake3, ['^', code, ..]) if *code != '^' => Some((2, QUAKE3[(u32::from(*code).wrapping_sub(48) & 7) as usize].to_owned())),
        (Family::Quake1, ['&', 'c', more @ ..]) if more.len() >= 3 => Some((5, hex(&more[..3])?)),
        (Family::Quake1, ['&', 'r', ..]) => Some((2, String::new())),
        (Family::GoldSrc, ['\u{1}' | '\u{2}', ..]) => Some((1, String::new())),
        (Family::GoldSrc, ['\u{3}', ..]) => Some((1, "#5090e0".to_owned())),
        (Family::GoldSrc, ['\u{4}', ..]) => Some((1, "#30c030".to_owned())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(family: Family, raw: &str, clean: &str) -> Option<Vec<(String, Option<String>)>> {
        let text = Text { raw: raw.to_owned(), clean: clean.to_owned() };
        Some(runs(family, &text)?.into_iter().map(|run| (run.text, run.color)).collect())
    }

    fn run(text: &str, color: &str) -> (String, Option<String>) {
        (text.to_owned(), Some(color.to_owned()).filter(|color| !color.is_empty()))
    }

    #[test]
    fn colors_are_of_what_the_library_reads() {
        let red = "#f04040";
        assert_eq!(shown(Family::Quake3, "^1Bo^7b", "Bob"), Some(vec![run("Bo", red), run("b", "")]));
        assert_eq!(shown(Family::Quake3, "^xCCCCCC[EYE]^7dsp", "[EYE]dsp"), Some(vec![run("[EYE]", "#CCCCCC"), run("dsp", "")]));
        // a game that reads the same as something else
        assert_eq!(shown(Family::Quake3, "^xCC", "^xCC"), None);
        assert_eq!(shown(Family::Quake3, "plain", "plain"), None);
        assert_eq!(shown(Family::Quake1, "&cf00fox&r!", "fox!"), Some(vec![run("fox", "#f00"), run("!", "")]));
        assert_eq!(shown(Family::Quake1, "\u{e0e1}\u{e0e2}c", "abc"), Some(vec![run("ab", BRONZE), run("c", "")]));
        assert_eq!(shown(Family::Quake1, "\u{e010}x\u{e011}", "[x]"), None);
        assert_eq!(shown(Family::GoldSrc, "\u{3}team\u{1} said", "team said"), Some(vec![run("team", "#5090e0"), run(" said", "")]));
        // what cannot be read from what was sent has no colors
        assert_eq!(shown(Family::Quake3, "^1a", "b"), None);
    }
}
