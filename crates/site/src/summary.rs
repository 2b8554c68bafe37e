//! What lists say of a recording: little enough that a site of 50,000 recordings has all of it in memory.

use serde::{Deserialize, Serialize};

use crate::facts::{Board, Facts, Identity, Moment, Run};

/// What lists say of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The hash of the recording.
    pub hash: String,
    /// A digest of all its facts, by which pages know that nothing changed.
    pub digest: String,
    /// The name of its file.
    pub file: String,
    /// The extension of its kind of recording.
    pub extension: String,
    /// Bytes, unpacked.
    pub bytes: u64,
    /// The family of its game.
    pub family: String,
    /// When it was played: a day, with the time where it is known.
    pub date: Option<String>,
    /// Whether it shows everybody, and not one player's view.
    pub shows_all: bool,
    /// Its maps.
    pub maps: Vec<String>,
    /// Its matches.
    pub matches: Vec<Row>,
    /// Its moments.
    pub moments: Vec<Moment>,
    /// Its runs.
    pub runs: Vec<Run>,
    /// The maps that it has places of.
    pub plans: Vec<String>,
}

/// What lists say of a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the recording.
    pub number: u32,
    /// When it was.
    pub date: Option<String>,
    /// The map.
    pub map: String,
    /// The game type, with the size of teams where it is a match of teams.
    pub mode: String,
    /// When it began, in milliseconds since the recording's first frame.
    pub from: i64,
    /// When it ended.
    pub to: i64,
    /// How it ended.
    pub outcome: String,
    /// Whether scores are times.
    pub is_race: bool,
    /// The sides, best first, with their scores; players where there are no teams.
    pub sides: Vec<(String, Option<i64>)>,
    /// Whether the sides are teams.
    pub in_teams: bool,
    /// Who won.
    pub winner: Option<String>,
    /// Who played.
    pub players: Vec<Played>,
    /// Which match it is.
    pub identity: Identity,
}

/// A player's part in a match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The name.
    pub name: String,
    /// The team.
    pub team: Option<String>,
    /// Enemies killed.
    pub kills: Option<i64>,
    /// Whether he or his side won; absent where nobody did.
    pub won: Option<bool>,
}

/// The moments of a recording that lists may show, the best ones.
const MOMENTS: usize = 8;

impl Summary {
    /// What lists say of a recording with these facts.
    pub fn of(facts: &Facts) -> Self {
        let mut moments = facts.moments.clone();
        moments.sort_by(|one, other| other.points.cmp(&one.points).then(one.from.cmp(&other.from)));
        moments.truncate(MOMENTS);
        Summary {
            hash: facts.hash.clone(),
            digest: crate::key::of(&[&serde_json::to_vec(facts).unwrap_or_default()]),
            file: facts.file.clone(),
            extension: facts.extension.clone(),
            bytes: facts.bytes,
            family: facts.family.clone(),
            date: facts.matches.iter().find_map(|board| board.date.clone()).or_else(|| facts.date.clone()),
            shows_all: facts.recording != "client",
            maps: facts.maps.clone(),
            matches: facts.matches.iter().map(|board| row(board, facts.date.as_deref())).collect(),
            moments,
            runs: facts.runs.clone(),
            plans: facts.plans.iter().map(|plan| plan.map.clone()).collect(),
        }
    }

    /// Its name in addresses.
    pub fn id(&self) -> &str {
        self.hash.get(..16).unwrap_or(&self.hash)
    }

    /// The day it was played on.
    pub fn day(&self) -> Option<&str> {
        self.date.as_deref().and_then(day)
    }
}

impl Row {
    /// The day it was played on.
    pub fn day(&self) -> Option<&str> {
        self.date.as_deref().and_then(day)
    }
}

/// The day of a date: `2026-11-21`.
pub(crate) fn day(date: &str) -> Option<&str> {
    let day = date.get(..10)?;
    let bytes = day.as_bytes();
    let is_day = bytes.iter().enumerate().all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() });
    is_day.then_some(day)
}

/// What lists say of a match. `date`: the recording's, for a match that states none.
pub(crate) fn row(board: &Board, date: Option<&str>) -> Row {
    let in_teams = board.is_in_teams();
    let is_settled = matches!(board.outcome.as_str(), "won" | "forfeited");
    let won = |name: &str, team: Option<&str>| {
        let winner = board.winner.as_deref().filter(|_| is_settled)?;
        Some(if in_teams { team == Some(winner) } else { name == winner })
    };
    Row {
        number: board.number,
        date: board.date.clone().or_else(|| date.map(str::to_owned)),
        map: board.map.clone(),
        mode: mode(board),
        from: board.from,
        to: board.to,
        outcome: board.outcome.clone(),
        is_race: board.is_race,
        sides: board.sides().into_iter().take(8).map(|(name, score)| (name.to_owned(), score)).collect(),
        in_teams,
        winner: board.winner.clone(),
        players: board
            .players
            .iter()
            .map(|line| Played {
                name: line.player.name.clean.clone(),
                team: line.player.team.clone(),
                kills: line.get("kills").value(),
                won: won(&line.player.name.clean, line.player.team.as_deref()),
            })
            .collect(),
        identity: board.identity.clone(),
    }
}

/// The game type as lists say it: `CTF 4v4`.
pub(crate) fn mode(board: &Board) -> String {
    let mode = board.mode.as_deref().unwrap_or("unknown mode");
    if !board.is_in_teams() || mode.contains(|character: char| character.is_ascii_digit()) {
        return mode.to_owned();
    }
    let sizes = board.teams.iter().map(|side| board.players.iter().filter(|line| line.player.team.as_deref() == Some(&side.name)).count().to_string());
    let sizes: Vec<String> = sizes.collect();
    if sizes.len() > 4 { mode.to_owned() } else { format!("{mode} {}", sizes.join("v")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_days() {
        assert_eq!(day("2026-11-21T11:06:59"), Some("2026-11-21"));
        for text in ["", "21.11.2026", "2026-11", "2026-1é-21"] {
            assert_eq!(day(text), None, "{text}");
        }
    }
}
