//! What somebody may have meant.

/// The candidate that needs the fewest letters changed, when those are few; in any case.
pub(super) fn closest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let folded = word.to_lowercase();
    let (changes, best) = candidates.iter().map(|candidate| (distance(folded.as_bytes(), candidate.to_lowercase().as_bytes()), *candidate)).min()?;
    (changes * 3 <= word.len()).then_some(best)
}

/// How many letters have to be put in, taken out or changed.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_found_and_others_not() {
        let known = ["svc_print", "svc_sound", "Snapshot"];
        for (word, expected) in [("svc_prnit", Some("svc_print")), ("sound", None), ("snapshots", Some("Snapshot")), ("", None), ("zzz", None)] {
            assert_eq!(closest(word, &known), expected, "{word}");
        }
        assert_eq!((distance(b"kitten", b"sitting"), distance(b"", b"ab")), (3, 2));
    }
}
