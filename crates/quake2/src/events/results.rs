//! Results that mods print at the end of a match or a round (`docs/formats/quake2.md`, "Results").

use fragreel_model::{Stat, Statement, TeamStats};

/// What a line says of a result.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PrintedResult {
    /// Sides and scores, as far as the line names them.
    pub sides: Vec<(String, i64)>,
    /// The score of the only other side, which the line does not name.
    pub other: Option<i64>,
    /// Captures by side, where they decide.
    pub captures: Option<(&'static str, i64)>,
    /// Who won.
    pub winner: Option<String>,
    /// True if the losers left.
    pub by_forfeit: bool,
    /// True if nobody won.
    pub is_draw: bool,
}

/// Reads a line without its end.
pub(super) fn read(line: &str) -> Option<PrintedResult> {
    opentdm(line).or_else(|| action_quake(line)).or_else(|| ctf(line))
}

/// `T wins, A to B.`, `Tie game, A to A.`, `T wins by forfeit!`
fn opentdm(line: &str) -> Option<PrintedResult> {
    if let Some(winner) = line.strip_suffix(" wins by forfeit!") {
        return Some(PrintedResult { winner: Some(winner.to_owned()), by_forfeit: true, ..PrintedResult::default() });
    }
    let (head, scores) = line.strip_suffix('.')?.rsplit_once(", ")?;
    let (first, second) = scores.split_once(" to ")?;
    let (first, second): (i64, i64) = (first.parse().ok()?, second.parse().ok()?);
    if head == "Tie game" && first == second {
        return Some(PrintedResult { other: Some(first), is_draw: true, ..PrintedResult::default() });
    }
    let winner = head.strip_suffix(" wins")?;
    Some(PrintedResult { sides: vec![(winner.to_owned(), first)], other: Some(second), winner: Some(winner.to_owned()), ..PrintedResult::default() })
}

/// `Current score is A: n to B: n`, with a third team perhaps.
fn action_quake(line: &str) -> Option<PrintedResult> {
    let mut rest = line.strip_prefix("Current score is ")?;
    let mut sides = Vec::new();
    loop {
        // a name may contain " to "
        let (name, after) = rest.split_once(": ")?;
        let digits = after.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(after.len());
        sides.push((name.to_owned(), after[..digits].parse().ok()?));
        match after[digits..].strip_prefix(" to ") {
            Some(more) => rest = more,
            None if after.len() == digits => break,
            None => return None,
        }
    }
    (sides.len() > 1).then_some(PrintedResult { sides, ..PrintedResult::default() })
}

/// `RED TEAM:  N captures, N points`, `RED team won over the BLUE team by N CAPTURES!`, `TIE GAME!`
fn ctf(line: &str) -> Option<PrintedResult> {
    if line == "TIE GAME!" {
        return Some(PrintedResult { is_draw: true, ..PrintedResult::default() });
    }
    for (team, name) in [("RED", "red"), ("BLUE", "blue")] {
        let Some(rest) = line.strip_prefix(team) else { continue };
        if let Some(figures) = rest.strip_prefix(" TEAM:  ") {
            let captures = figures.split_once(" captures, ").filter(|(_, points)| points.ends_with(" points"))?.0.parse().ok()?;
            return Some(PrintedResult { captures: Some((name, captures)), ..PrintedResult::default() });
        }
        if rest.starts_with(" team won over the ") && rest.contains(" team by ") {
            return Some(PrintedResult { winner: Some(name.to_owned()), ..PrintedResult::default() });
        }
    }
    None
}

impl PrintedResult {
    /// The statement of it. `known` are the teams of the last scoreboard, whose names a board may cut.
    pub(super) fn statement(&self, known: &[String]) -> Statement {
        let mut statement = Statement::new("printed result");
        let full = |name: &str| known.iter().find(|team| !team.is_empty() && name.starts_with(team.as_str())).cloned().unwrap_or_else(|| name.to_owned());
        let mut state = |name: String, stat, value| {
            let mut team = TeamStats::new(name);
            team.stats.state(stat, value);
            statement.teams.push(team);
        };
        for (name, score) in &self.sides {
            state(full(name), Stat::Score, *score);
        }
        if let Some(other) = self.other {
            let unnamed: Vec<&String> = known.iter().filter(|team| !self.sides.iter().any(|(name, _)| full(name) == **team)).collect();
            if self.is_draw || unnamed.len() == 1 {
                unnamed.into_iter().for_each(|team| state(team.clone(), Stat::Score, other));
            }
        }
        if let Some((name, captures)) = self.captures {
            state(name.to_owned(), Stat::Captures, captures);
        }
        let words = [
            ("winner", self.winner.as_deref().map(full)),
            ("forfeit", self.by_forfeit.then(|| String::from("yes"))),
            ("draw", self.is_draw.then(|| String::from("yes"))),
        ];
        statement.other.extend(words.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        statement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_mods_are_read() {
        let scores = |line: &str, known: &[&str]| -> Option<(Vec<(String, Option<i64>)>, Option<String>)> {
            let known: Vec<String> = known.iter().map(|team| (*team).to_owned()).collect();
            let statement = read(line)?.statement(&known);
            let score = |team: &TeamStats| (team.name.to_string(), team.stats.get(Stat::Score).stated);
            Some((statement.teams.iter().map(score).collect(), statement.other.get("winner").cloned()))
        };
        let side = |name: &str, score| (name.to_owned(), Some(score));
        let boards = ["stg", "a wins, 9 to 1"];
        assert_eq!(scores("stg wins, 4 to 2.", &boards), Some((vec![side("stg", 4), side("a wins, 9 to 1", 2)], Some(String::from("stg")))));
        assert_eq!(scores("stg wins, 4 to 2.", &[]), Some((vec![side("stg", 4)], Some(String::from("stg")))));
        assert_eq!(scores("Tie game, 3 to 3.", &boards).unwrap().0, [side("stg", 3), side("a wins, 9 to 1", 3)]);
        assert_eq!(scores("stg wins by forfeit!", &boards), Some((vec![], Some(String::from("stg")))));
        let three = "Current score is Nuts: 3 to Crazies: 3 to The Po-leese: 6";
        assert_eq!(scores(three, &["Nuts", "Crazies", "The Po-lees"]).unwrap().0, [side("Nuts", 3), side("Crazies", 3), side("The Po-lees", 6)]);
        assert_eq!(scores("Current score is 9 to 5", &[]), None);
        assert_eq!(read("RED TEAM:  3 captures, 71 points").unwrap().captures, Some(("red", 3)));
        assert_eq!(read("BLUE team won over the RED team by 2 CAPTURES!").unwrap().winner.as_deref(), Some("blue"));
        assert_eq!(read("Bob wins"), None);
    }
}
