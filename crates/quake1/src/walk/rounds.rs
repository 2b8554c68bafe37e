//! Lines about rounds: points of a duel, KTX's clan arena and wipeout, and the table of rounds that teams have won.

use std::borrow::Cow;

use fragreel_model::EventKind;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoundLine {
    /// A point of a duel of points is over.
    PointOver,
    /// The heading of a table of teams, their rounds and what they still need.
    Standings,
}

/// Reads a line in lower case.
pub(super) fn round_line(text: &str) -> Option<RoundLine> {
    if text.starts_with("the point is over") {
        return Some(RoundLine::PointOver);
    }
    text.split_whitespace().eq(["team", "wins", "need", "status"]).then_some(RoundLine::Standings)
}

/// A row of the table: `blue      5    0 round winner`.
pub(crate) fn standing(text: &str) -> Option<(String, i64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = (1..words.len().saturating_sub(1)).find(|&at| words[at..at + 2].iter().all(|word| word.parse::<u16>().is_ok()))?;
    Some((words[..at].join(" "), words[at].parse().ok()?))
}

/// The round that is announced.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rounds {
    number: Option<i32>,
}

impl Rounds {
    /// The end of a round that a line states: `Team NAME has won the round`, `The round is a draw!`
    pub(crate) fn line(&mut self, text: &str) -> Option<EventKind> {
        if let Some(number) = text.strip_prefix("round [").and_then(|rest| rest.split_once("] starts in ")) {
            self.number = number.0.parse().ok();
            return None;
        }
        let winner = match text.strip_prefix("Team ").and_then(|rest| rest.strip_suffix(" has won the round")) {
            Some(winner) => Some(Cow::Owned(winner.to_owned())),
            None if text == "The round is a draw!" => None,
            None => return None,
        };
        Some(EventKind::Round { number: self.number, started: false, winner })
    }

    /// The start of the announced round, by the text in the middle of the screen.
    pub(crate) fn center(self, text: &[u8]) -> Option<EventKind> {
        let number = self.number.filter(|_| text.trim_ascii() == b"FIGHT!")?;
        Some(EventKind::Round { number: Some(number), started: true, winner: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_standings_are_read() {
        assert_eq!(round_line("the point is over"), Some(RoundLine::PointOver));
        assert_eq!(round_line("team blue leads by 3 frags"), None);
        assert_eq!(round_line("team   wins need status"), Some(RoundLine::Standings));
        assert_eq!(standing("blue      5    0 round winner"), Some(("blue".into(), 5)));
        assert_eq!((standing("red       0    5 "), standing("------ ---- ---- ------------")), (Some(("red".into(), 0)), None));
    }
}
