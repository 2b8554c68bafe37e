//! Lines that say how a match goes on or ends.

use fragreel_model::EndCause;

use crate::strings::clean;

/// Why a match ends, if the line says that it does: the games' own words, and those of OSP, CPMA and Quake Live.
pub(super) fn end(line: &[u8]) -> Option<EndCause> {
    let line = clean(line);
    let line = line.trim().trim_end_matches(['.', '!']).to_ascii_lowercase();
    // chat, and OSP's remarks on its settings
    if line.contains(": ") {
        return None;
    }
    const WHOLE: &[(&str, EndCause)] = &[("game has been forfeited", EndCause::Forfeit), ("match has been forfeited", EndCause::Forfeit)];
    const LIMITS: &[(&str, EndCause)] = &[
        ("timelimit", EndCause::Time),
        ("fraglimit", EndCause::Frags),
        ("capturelimit", EndCause::Captures),
        ("scorelimit", EndCause::Points),
        ("roundlimit", EndCause::Rounds),
        ("mercylimit", EndCause::Mercy),
    ];
    if let Some((_, cause)) = WHOLE.iter().find(|(whole, _)| line == *whole) {
        return Some(*cause);
    }
    let limit = line.strip_suffix(" hit").or_else(|| line.rsplit_once(" hit the ").map(|(_, limit)| limit))?;
    LIMITS.iter().find(|(name, _)| limit == *name).map(|(_, cause)| *cause)
}

/// Whether CPMA says that a match is over.
pub(super) fn is_over(line: &[u8]) -> bool {
    const OVER: &[&str] = &["match over", "match complete", "has won the match"];
    let line = clean(line).to_ascii_lowercase();
    OVER.iter().any(|words| line.contains(words))
}

/// Whether a match is prolonged.
pub(super) fn is_overtime(line: &[u8]) -> bool {
    let line = clean(line);
    let lower = line.to_ascii_lowercase();
    (lower.contains("overtime") || lower.contains("sudden death")) && !lower.contains("overtime mode") && !lower.contains("overtime:") && !line.contains(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_have_causes() {
        for (line, cause) in [
            ("Timelimit hit.\n", Some(EndCause::Time)),
            ("Timelimit hit\n", Some(EndCause::Time)),
            ("^1ann^7 hit the fraglimit.\n", Some(EndCause::Frags)),
            ("Red hit the capturelimit.\n", Some(EndCause::Captures)),
            ("Game hit the roundlimit.\n", Some(EndCause::Rounds)),
            ("Game has been forfeited.\n", Some(EndCause::Forfeit)),
            ("ann: timelimit hit", None),
            ("Fraglimit: 20", None),
            ("ann hit the wall", None),
        ] {
            assert_eq!(end(line.as_bytes()), cause, "{line}");
        }
    }
}
