//! Match states from printed lines.

use model::MatchState;

/// The match state that a printed line of the stock games, CTF or OpenTDM announces.
pub(crate) fn match_state(plain: &[u8]) -> Option<MatchState> {
    let line = plain.strip_suffix(b"\n").unwrap_or(plain);
    let text = std::str::from_utf8(line).ok()?;
    Some(match text {
        "Timelimit hit." | "Fraglimit hit." | "Capturelimit hit." | "Match ended." | "Timelimit hit. Match ended." | "MATCH COMPLETED!" => {
            MatchState::Intermission
        }
        "Fight!" | "The match has started!" => MatchState::Started,
        "Restarting the match..." => MatchState::Restarted,
        "All players have commited.  Match starting" => MatchState::Countdown,
        _ if text.contains(" called a time out.") => MatchState::Paused,
        _ if text.starts_with("Scores are tied ") => MatchState::Overtime,
        _ => return None,
    })
}

/// Corrects a state by what came before it. OpenTDM prints "Fight!" also when a match resumes after a time out.
pub(crate) fn in_course(state: MatchState, paused: &mut bool) -> MatchState {
    let goes_on = std::mem::replace(paused, state == MatchState::Paused) && state == MatchState::Started;
    if goes_on { MatchState::Resumed } else { state }
}
