//! What kind of statement a source makes (`docs/statistics.md`, "Stated").

use fragreel_model::Source;

/// Sources that servers send when a match is over, about the whole of it.
const AT_END: &[&str] = &["ktxstats", "finalscores", "xstats2", "xstats2a"];

/// The kind of a source. `is_over`: it comes when the match is over.
pub(super) fn of(source: &str, is_over: bool) -> Source {
    match source {
        _ if AT_END.contains(&source) => Source::End,
        "series statistics" => Source::Printed,
        _ if source.starts_with("printed") => Source::Printed,
        // Half-Life's servers state every change: at a level's end, these are the final figures
        "ScoreInfo" if is_over => Source::End,
        _ => Source::Board,
    }
}
