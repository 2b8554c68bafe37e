//! Text of strangers, made fit for pages, titles and pictures.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;

/// The graphemes that a name keeps.
const NAME: usize = 40;

/// A name as pages show it: without control and format characters, at most 40 graphemes; a name without any is said to be so.
pub(crate) fn name(text: &str) -> String {
    let clean = line(text, NAME);
    if clean.is_empty() { String::from("without a name") } else { clean }
}

/// One line of text without control and format characters, at most `most` graphemes.
pub(crate) fn line(text: &str, most: usize) -> String {
    let clean: String =
        text.chars().map(|character| if character.is_whitespace() { ' ' } else { character }).filter(|character| is_shown(*character)).collect();
    let words = clean.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut graphemes = words.graphemes(true);
    let mut kept: String = graphemes.by_ref().take(most).collect();
    if graphemes.next().is_some() {
        kept.pop();
        kept.push('…');
    }
    kept
}

/// Whether a character is neither of control, nor of format, nor private, nor half of a pair.
fn is_shown(character: char) -> bool {
    !matches!(
        character.general_category(),
        GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Surrogate | GeneralCategory::Unassigned
    )
}

/// What two spellings of one name have in common: no capitals, no spaces at the ends.
pub(crate) fn folded(name: &str) -> String {
    self::name(name).to_lowercase()
}

/// Minutes and seconds: `20:04`.
pub(crate) fn minutes(milliseconds: i64) -> String {
    let seconds = milliseconds.max(0) / 1000;
    if seconds >= 3600 { format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60) } else { format!("{}:{:02}", seconds / 60, seconds % 60) }
}

/// A time of a run: `0:24.312`.
pub(crate) fn run_time(milliseconds: i64) -> String {
    let rest = milliseconds.max(0);
    format!("{}:{:02}.{:03}", rest / 60_000, rest / 1000 % 60, rest % 1000)
}

/// Seconds as an address has them: `83.2`.
pub(crate) fn seconds(milliseconds: i64) -> String {
    let tenths = milliseconds.max(0) / 100;
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// A number with commas: `12,345`.
pub(crate) fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0 { format!("−{text}") } else { text }
}

/// A size: `1.2 MB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A word of the data as people write it: `railgun`, `red armor`.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_short_line() {
        assert_eq!(name("a\u{202e}b\nc\t d"), "ab c d");
        assert_eq!(name("\u{200b}\u{1}"), "without a name");
        assert_eq!(name(&"x".repeat(50)).graphemes(true).count(), 40);
        assert!(name(&"x".repeat(50)).ends_with('…'));
        assert_eq!(name(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(folded(" MiLTon "), "milton");
    }

    #[test]
    fn numbers_and_times() {
        assert_eq!((number(0), number(999), number(12345), number(-1_000_000)), ("0".into(), "999".into(), "12,345".into(), "−1,000,000".into()));
        assert_eq!((minutes(61_900), minutes(3_600_000), minutes(-5)), ("1:01".into(), "1:00:00".into(), "0:00".into()));
        assert_eq!((seconds(83_250), seconds(84_000), run_time(24_312)), ("83.2".into(), "84".into(), "0:24.312".into()));
        assert_eq!((size(12), size(1001), size(2_050_000)), ("12 bytes".into(), "2 kB".into(), "2.0 MB".into()));
    }
}
