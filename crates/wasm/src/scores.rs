//! Scoreboards, the figures at any time, the sides with their colors, and what does not agree.

use fragreel::ScoreHistory;
use fragreel::model::{Contradiction, Info, MatchStats};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Scores {
    #[serde(flatten)]
    history: ScoreHistory,
    sides: Vec<Side>,
    checks: Vec<Checks>,
}

/// What does not agree in a match.
#[derive(Serialize)]
struct Checks {
    number: u32,
    sentences: Vec<String>,
}

/// A team, and the color that it is drawn in.
#[derive(Debug, PartialEq, Serialize)]
struct Side {
    name: String,
    color: &'static str,
}

impl Scores {
    pub(crate) fn of(history: ScoreHistory, info: &Info) -> Self {
        let players = info.players.iter().filter_map(|player| player.team.as_deref());
        let played = history.matches.iter().flat_map(names);
        let sides = sides(players.chain(played));
        let sentences = |one: &MatchStats| one.findings.iter().map(Contradiction::sentence).collect();
        let checks = history.matches.iter().map(|one| Checks { number: one.number, sentences: sentences(one) });
        let checks = checks.filter(|one: &Checks| !one.sentences.is_empty()).collect();
        Scores { sides, checks, history }
    }
}

/// The teams of a match in the order of their names: that of the scoreboard says who won.
fn names(one: &MatchStats) -> Vec<&str> {
    let teams = one.teams.iter().map(|team| &*team.name);
    let mut names: Vec<&str> = teams.chain(one.players.iter().filter_map(|line| line.player.team.as_deref())).collect();
    names.sort_unstable();
    names
}

/// The colors in the order in which sides without a color of their own get them.
const COLORS: [&str; 4] = ["red", "blue", "green", "yellow"];

/// The color that a team's name says.
fn own_color(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "red" | "the red team" | "red team" => "red",
        "blue" | "the blue team" | "blue team" | "ct" | "counter-terrorist" | "counter-terrorists" => "blue",
        "green" => "green",
        "yellow" | "t" | "terrorist" | "terrorists" => "yellow",
        _ => return None,
    })
}

/// Two to four teams, each with a color of its own. What is no team has none, and more teams than colors have none.
fn sides<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Side> {
    let mut teams: Vec<&str> = Vec::new();
    for name in names.filter(|name| !matches!(name.to_ascii_lowercase().as_str(), "" | "free" | "spectator" | "spectators" | "none" | "unassigned")) {
        if !teams.contains(&name) {
            teams.push(name);
        }
    }
    if !(2..=COLORS.len()).contains(&teams.len()) {
        return Vec::new();
    }
    let mut left: Vec<&'static str> = COLORS.to_vec();
    let mut colors: Vec<Option<&'static str>> = Vec::new();
    for name in &teams {
        // two teams of one color's name would look alike
        let own = own_color(name).filter(|color| left.contains(color));
        left.retain(|color| Some(*color) != own);
        colors.push(own);
    }
    let mut left = left.into_iter();
    let named = teams.into_iter().zip(colors).filter_map(|(name, own)| Some(Side { name: name.to_owned(), color: own.or_else(|| left.next())? }));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_has_a_color_of_its_own() {
        let of = |names: &[&'static str]| sides(names.iter().copied()).into_iter().map(|side| (side.name, side.color)).collect::<Vec<_>>();
        let pairs = |pairs: &[(&str, &'static str)]| pairs.iter().map(|(name, color)| ((*name).to_owned(), *color)).collect::<Vec<_>>();
        assert_eq!(of(&["blue", "red", "blue", "free", "spectator"]), pairs(&[("blue", "blue"), ("red", "red")]));
        assert_eq!(of(&["-s-", "sr", "sr"]), pairs(&[("-s-", "red"), ("sr", "blue")]));
        assert_eq!(of(&["sr", "red"]), pairs(&[("sr", "blue"), ("red", "red")]));
        assert_eq!(of(&["RED", "red"]), pairs(&[("RED", "red"), ("red", "blue")]));
        assert_eq!(of(&["TERRORIST", "CT"]), pairs(&[("TERRORIST", "yellow"), ("CT", "blue")]));
        assert_eq!(of(&["alone"]), []);
        assert_eq!(of(&["free", "", "Spectators"]), []);
        assert_eq!(of(&["a", "b", "c", "d", "e"]), []);
    }
}
