//! Lines about rounds: points of a duel, KTX's clan arena and wipeout, Rocket Arena, and the table of rounds that teams have won.

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
#[derive(Debug, Clone, Default)]
pub(crate) struct Rounds {
    number: Option<i32>,
    /// Whether a line of Rocket Arena was seen.
    is_arena: bool,
    /// The winner of the last fight in the arena, who fights again.
    champion: Option<String>,
}

impl Rounds {
    /// The start or end of a round that a line states: `Team NAME has won the round`, `The round is a draw!`, and Rocket Arena's.
    pub(crate) fn line(&mut self, text: &str) -> Option<EventKind> {
        if let Some(round) = self.arena(text) {
            return Some(round);
        }
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

    /// Rocket Arena: `A vs. B` begins a fight. `The new winner is B`, or `The challenger B has failed`, ends it.
    fn arena(&mut self, text: &str) -> Option<EventKind> {
        let round = |started, winner: Option<String>| Some(EventKind::Round { number: None, started, winner: winner.map(Cow::Owned) });
        if text.ends_with(" is the new challenger") {
            self.is_arena = true;
        } else if let Some(winner) = text.strip_prefix("The new winner is ") {
            self.is_arena = true;
            return round(false, Some(winner.to_owned()));
        } else if text.starts_with("The challenger ") && text.contains(" has failed") {
            self.is_arena = true;
            return round(false, self.champion.take());
        } else if let (true, Some((champion, other))) = (self.is_arena, text.split_once(" vs. ")) {
            // a name that has these letters leaves open who is who
            self.champion = Some(champion.to_owned()).filter(|_| !other.contains(" vs. "));
            return round(true, None);
        }
        None
    }

    /// The start of the announced round, by the text in the middle of the screen.
    pub(crate) fn center(&self, text: &[u8]) -> Option<EventKind> {
        let number = self.number.filter(|_| text.trim_ascii() == b"FIGHT!")?;
        Some(EventKind::Round { number: Some(number), started: true, winner: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fights_of_an_arena_have_winners() {
        let mut rounds = Rounds::default();
        let mut read = |text| if let Some(EventKind::Round { started, winner, .. }) = rounds.line(text) { Some((started, winner)) } else { None };
        // other mods print such a line, too
        assert_eq!(read("Ada vs. Bo"), None);
        assert_eq!(read("The winner Ada has been defeated"), None);
        assert_eq!(read("The new winner is Bo"), Some((false, Some("Bo".into()))));
        assert_eq!(read("Ada is the new challenger"), None);
        assert_eq!(read("Bo vs. Ada"), Some((true, None)));
        assert_eq!(read("The challenger Ada has failed because he became bored with life!"), Some((false, Some("Bo".into()))));
        assert_eq!(read("The challenger Ada has failed"), Some((false, None)), "the start of this fight is missing");
    }

    #[test]
    fn points_and_standings_are_read() {
        assert_eq!(round_line("the point is over"), Some(RoundLine::PointOver));
        assert_eq!(round_line("team blue leads by 3 frags"), None);
        assert_eq!(round_line("team   wins need status"), Some(RoundLine::Standings));
        assert_eq!(standing("blue      5    0 round winner"), Some(("blue".into(), 5)));
        assert_eq!((standing("red       0    5 "), standing("------ ---- ---- ------------")), (Some(("red".into(), 0)), None));
    }
}
