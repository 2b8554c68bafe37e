//! Printed results and rounds: OpenTDM, Action Quake II, arenas and the match mode of id's capture the flag (`docs/formats/quake2.md`, "Events").

/// What a line says of the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A side won, with its score and the other's.
    Won { name: String, scores: Option<[i64; 2]> },
    /// A side won because the other is empty.
    ByForfeit { name: String },
    /// Nobody won.
    Tie { score: Option<i64> },
    /// Scores of sides, so far.
    Scores(Vec<(String, i64)>),
    /// The heading of the scores of numbered teams: how many there are. The scores stand in the next line.
    Numbered(usize),
    /// Scores of numbered teams.
    NumberedScores(Vec<i64>),
    /// A round is over: its winner stands in the next line.
    RoundOver,
    /// A side won the round.
    RoundWon(String),
    /// Nobody won the round.
    RoundTied,
    /// A player enters the arena.
    InArena(String),
    /// The players in the arena may fight.
    Fight,
    /// A player in the arena lost.
    Defeated(String),
}

/// Reads a line.
pub(super) fn read(line: &str) -> Option<Line> {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    if let Some(teams) = numbered(line) {
        return Some(Line::Numbered(teams));
    }
    if let Some(scores) = bracketed(line) {
        return Some(Line::NumberedScores(scores));
    }
    if line == "The round is over:" {
        return Some(Line::RoundOver);
    }
    if line == "It was a tie, no points awarded!" {
        return Some(Line::RoundTied);
    }
    if line == "Fight!!!" {
        return Some(Line::Fight);
    }
    if let Some(name) = line.strip_suffix(" steps into the arena") {
        return Some(Line::InArena(name.to_owned()));
    }
    if let Some(name) = line.strip_suffix(", has been defeated") {
        // the start of the line may be a text of its own
        let name = ["The champion, ", "The challenger, "].iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
        return Some(Line::Defeated(name.to_owned()));
    }
    if line == "TIE GAME!" {
        return Some(Line::Tie { score: None });
    }
    if let Some(rest) = line.strip_prefix("Current score is ") {
        return scores(rest).map(Line::Scores);
    }
    if let Some(rest) = line.strip_prefix("Tie game, ").and_then(|rest| rest.strip_suffix('.')) {
        return Some(Line::Tie { score: rest.split_once(" to ").and_then(|(first, _)| number(first)) });
    }
    if let Some(name) = line.strip_suffix(" wins by forfeit!") {
        return Some(Line::ByForfeit { name: name.to_owned() });
    }
    if let Some((name, rest)) = line.rsplit_once(" wins, ") {
        let (first, second) = rest.strip_suffix('.')?.split_once(" to ")?;
        return Some(Line::Won { name: name.to_owned(), scores: Some([number(first)?, number(second)?]) });
    }
    if let Some((name, _)) = line.split_once(" team won over the ").filter(|(name, _)| matches!(*name, "RED" | "BLUE")) {
        return Some(Line::Won { name: name.to_ascii_lowercase(), scores: None });
    }
    if let Some((name, rest)) = line.split_once(" TEAM:").filter(|(name, _)| matches!(*name, "RED" | "BLUE")) {
        let captures = number(rest.trim_start().split_once(" captures")?.0)?;
        return Some(Line::Scores(vec![(name.to_ascii_lowercase(), captures)]));
    }
    line.strip_suffix(" won!").map(|name| Line::RoundWon(name.to_owned()))
}

/// `Team 1 Score - Team 2 Score`: how many teams there are.
fn numbered(line: &str) -> Option<usize> {
    let names = line.trim().split(" - ");
    let is_one = |(at, name): (usize, &str)| name == format!("Team {} Score", at + 1);
    let teams = names.clone().count();
    (teams > 1 && names.enumerate().all(is_one)).then_some(teams)
}

/// `[3]           [12]`: more than one number in brackets.
fn bracketed(line: &str) -> Option<Vec<i64>> {
    let words = line.split_whitespace().map(|word| word.strip_prefix('[')?.strip_suffix(']')?.parse().ok());
    words.collect::<Option<Vec<i64>>>().filter(|scores| scores.len() > 1)
}

/// `Nuts: 3 to Crazies: 3 to The Po-leese: 6`. A name may have " to " in it.
fn scores(text: &str) -> Option<Vec<(String, i64)>> {
    let mut rest = text;
    let mut sides = Vec::new();
    loop {
        let (name, after) = rest.split_once(": ")?;
        let digits = after.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(after.len());
        sides.push((name.to_owned(), after[..digits].parse().ok()?));
        match after[digits..].strip_prefix(" to ") {
            Some(more) => rest = more,
            None if after.len() == digits => return Some(sides).filter(|sides| sides.len() > 1),
            None => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let own = str::to_owned;
        assert_eq!(read("player 2 wins, 4 to 2."), Some(Line::Won { name: own("player 2"), scores: Some([4, 2]) }));
        assert_eq!(read("stg wins by forfeit!"), Some(Line::ByForfeit { name: own("stg") }));
        assert_eq!(read("Tie game, 5 to 5."), Some(Line::Tie { score: Some(5) }));
        assert_eq!(
            read("Current score is Nuts: 3 to Crazies: 3 to The Po-leese: 6"),
            Some(Line::Scores(vec![(own("Nuts"), 3), (own("Crazies"), 3), (own("The Po-leese"), 6)]))
        );
        assert_eq!(read("The Po-leese won!"), Some(Line::RoundWon(own("The Po-leese"))));
        assert_eq!(read("Alice of the west steps into the arena"), Some(Line::InArena(own("Alice of the west"))));
        assert_eq!(read("Fight!!!"), Some(Line::Fight));
        assert_eq!(["Bob, has been defeated", "The champion, Bob, has been defeated"].map(read), [(); 2].map(|()| Some(Line::Defeated(own("Bob")))));
        assert_eq!([read("The champion, "), read("Fight!"), read("Bob has been defeated")], [None, None, None]);
        assert_eq!(read("RED TEAM:  3 captures, 45 points"), Some(Line::Scores(vec![(own("red"), 3)])));
        assert_eq!(read("RED team won over the BLUE team by 2 CAPTURES!"), Some(Line::Won { name: own("red"), scores: None }));
        assert_eq!(read("player 2 wins"), None);
        assert_eq!(read(" Team 1 Score - Team 2 Score - Team 3 Score"), Some(Line::Numbered(3)));
        assert_eq!(read("     [3]           [12]"), Some(Line::NumberedScores(vec![3, 12])));
        assert_eq!([read("Team 1 Score"), read("[3]"), read("[3] x [4]")], [None, None, None]);
    }
}
