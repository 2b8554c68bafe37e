//! Tables that OSP and CPMA print at a match's end, and CPMA's line of the result (`docs/formats/quake3-events.md`, "Statistics").

use std::borrow::Cow;

use fragreel_model::{Player, PlayerStats, Stat, Statement, TeamStats, Text};

use crate::strings::clean;
use crate::walk::Roster;

/// The table whose rows come now: its columns after the name.
#[derive(Debug, Default)]
pub(super) struct PrintedTables {
    columns: Vec<String>,
    /// True if rows begin with a team.
    has_teams: bool,
}

/// Teams as rows and results name them.
const TEAMS: [(&str, &str); 2] = [("RED", "red"), ("BLUE", "blue")];
/// The width to which servers cut names.
const NAME: usize = 15;
/// The least width of a rule.
const RULE: usize = 20;

impl PrintedTables {
    /// Follows a printed text, which may have several lines.
    pub(super) fn read(&mut self, text: &[u8], players: &Roster) -> Option<Statement> {
        let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
        if self.columns.is_empty() && !has(b"Kll") && !has(b" wins ") {
            return None;
        }
        let mut statement = Statement::new("printed statistics");
        for line in text.split(|&byte| byte == b'\n') {
            let line = clean(line);
            // rules may be glued to rows
            let rule = line.bytes().take_while(|&byte| byte == b'-').count();
            let line = if rule >= RULE { &line[rule..] } else { &line }.trim();
            if let Some(result) = result(line) {
                return Some(result);
            }
            if !self.head(line) {
                self.row(line, players, &mut statement);
            }
        }
        (!statement.players.is_empty() || !statement.teams.is_empty()).then_some(statement)
    }

    /// Follows a heading.
    fn head(&mut self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches('-')).collect();
        let (has_teams, columns) = match &words[..] {
            ["TEAM", "Player", columns @ ..] => (true, columns),
            ["Player", columns @ ..] => (false, columns),
            _ => return false,
        };
        if !columns.contains(&"Kll") || columns.last() != Some(&"Score") {
            return false;
        }
        self.has_teams = has_teams;
        self.columns = columns.iter().map(|column| (*column).to_owned()).collect();
        true
    }

    fn row(&mut self, line: &str, players: &Roster, statement: &mut Statement) {
        if self.columns.is_empty() || line.is_empty() {
            return;
        }
        let mut rest = line;
        let mut figures = Vec::new();
        for _ in &self.columns {
            let Some((before, word)) = rest.trim_end().rsplit_once(' ') else { return };
            let Ok(figure) = word.parse::<i64>() else { return };
            figures.push(figure);
            rest = before;
        }
        figures.reverse();
        let figures = || self.columns.iter().map(String::as_str).zip(figures.iter().copied());
        let mut name = rest.trim();
        let mut team = None;
        if self.has_teams {
            let Some((word, after)) = name.split_once(' ') else { return };
            let Some((_, known)) = TEAMS.iter().find(|(known, _)| *known == word) else { return };
            (team, name) = (Some(*known), after.trim());
        }
        if let (Some(team), "Totals") = (team, name) {
            let mut line = TeamStats::new(team);
            let known = figures().filter(|(column, _)| *column != "Score").filter_map(|(column, value)| Some((stat(column)?, value)));
            known.for_each(|(stat, value)| line.stats.state(stat, value));
            statement.teams.push(line);
            return;
        }
        let mut line = PlayerStats::new(player(name, team, players));
        // where flags count, the points of a player are not those of the scoreboard
        let is_score = !self.columns.iter().any(|column| column == "FC");
        for (column, value) in figures() {
            match stat(column).filter(|stat| *stat != Stat::Score || is_score) {
                Some(stat) => line.stats.state(stat, value),
                None => drop(line.other.insert(other(column).to_owned(), value.to_string())),
            }
        }
        statement.players.push(line);
    }
}

/// The figure of a column. `Dth` are deaths by enemies alone.
fn stat(column: &str) -> Option<Stat> {
    Some(match column {
        "Kll" => Stat::Kills,
        "Sui" => Stat::Suicides,
        "TK" => Stat::TeamKills,
        "DG" => Stat::DamageGiven,
        "DR" => Stat::DamageTaken,
        "TD" => Stat::DamageTeam,
        "Score" => Stat::Score,
        _ => return None,
    })
}

/// A name of ours for a column without a figure.
fn other(column: &str) -> &str {
    if column == "Dth" { "deaths_without_suicides" } else { column }
}

/// The player of a name, which may be cut.
fn player(name: &str, team: Option<&'static str>, players: &Roster) -> Player {
    let fits = |full: &str| full == name || full.chars().count() > NAME && full.chars().take(NAME).collect::<String>().trim_end() == name;
    let mut fitting = players.slots().filter_map(|(slot, person)| Some((slot, person?))).filter(|(_, person)| fits(person.name.clean.trim()));
    match (fitting.next(), fitting.next()) {
        (Some((slot, person)), None) => person.player(slot),
        _ => Player { slot: None, name: Text::plain(name), team: team.map(Cow::Borrowed) },
    }
}

/// `RED wins 25 to 23`.
fn result(line: &str) -> Option<Statement> {
    let (winner, scores) = line.split_once(" wins ")?;
    let (first, second) = scores.split_once(" to ")?;
    let at = TEAMS.iter().position(|(known, _)| *known == winner)?;
    let mut statement = Statement::new("printed result");
    for (team, score) in [(TEAMS[at].1, first), (TEAMS[1 - at].1, second)] {
        let mut line = TeamStats::new(team);
        line.stats.state(Stat::Score, score.trim().parse().ok()?);
        statement.teams.push(line);
    }
    statement.other.insert(String::from("winner"), TEAMS[at].1.to_owned());
    Some(statement)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    /// What texts state: the players' figures, the teams' kills and scores, the winner.
    fn read(names: &[&str], texts: &[&str]) -> (Vec<String>, Vec<String>, Option<String>) {
        let (players, mut tables) = (roster(names), PrintedTables::default());
        let (mut rows, mut teams, mut winner) = (Vec::new(), Vec::new(), None);
        for statement in texts.iter().filter_map(|text| tables.read(text.as_bytes(), &players)) {
            for line in &statement.players {
                let of = |stat| line.stats.get(stat).stated.map_or_else(|| String::from("-"), |value| value.to_string());
                let figures =
                    [Stat::Kills, Stat::Suicides, Stat::TeamKills, Stat::DamageGiven, Stat::DamageTaken, Stat::DamageTeam, Stat::Score].map(of).join(" ");
                rows.push(format!("{} {} {figures} {}", line.player.slot.map_or(-1, i32::from), line.player.name, line.other["deaths_without_suicides"]));
            }
            for team in &statement.teams {
                teams.push(format!("{} {:?} {:?}", team.name, team.stats.get(Stat::Kills).stated, team.stats.get(Stat::Score).stated));
            }
            winner = statement.other.get("winner").cloned().or(winner);
        }
        (rows, teams, winner)
    }

    #[test]
    fn tables_of_teams_are_read() {
        let texts = [
            "TEAM Player          Kll Dth Sui TK NET Eff    DG    DR   TD  Score\n-------------------------------------------------------------------\n",
            "^1RED  ^7two words           62  67   0  0  -5  48  9852 10431   80     62\n",
            "^1RED  ^7a very long name of  1   2   3  4  -5  48    52   431   80      6\n",
            "-------------------------------------------------------------------\nRED  Totals          104 120   3  1 -20  46 21576 25028  457     99\n",
        ];
        let (rows, teams, winner) = read(&["two words", "a very long name of somebody"], &texts);
        assert_eq!(rows, ["0 two words 62 0 0 9852 10431 80 62 67", "-1 a very long name of 1 3 4 52 431 80 6 2"]);
        assert_eq!((teams, winner), (vec![String::from("red Some(104) None")], None));
        assert_eq!(
            read(&["a very long name"], &[texts[0], "BLUE a very long nam  1   2   3  4  -5  48    52   431   80      6\n"]).0[0].split(' ').next(),
            Some("0")
        );
    }

    #[test]
    fn tables_of_flags_and_of_duels_are_read() {
        let flags = "TEAM Player          Kll Dth ^3FC FR NET^7 Eff    ^2DG    ^1DR  ^3Score\n^1RED  ^7rokky             2   1^3  0  1  -5^7  50^2  1910^1  1387^3     20^7\n";
        let (rows, teams, winner) = read(&["rokky"], &[flags, "RED wins 16 to 12\n", "rokky wins 3 to 2"]);
        assert_eq!(rows, ["0 rokky 2 - - 1910 1387 - - 1"]);
        assert_eq!((teams, winner.as_deref()), (vec![String::from("red None Some(16)"), String::from("blue None Some(12)")], Some("red")));
        let duel = "Player          Kll Dth Sui Time FPH Eff    DG    DR  Score\nann              12   2   1    3 218  84  1865  1379     11\n";
        assert_eq!(read(&["ann"], &[duel, "12 days to go 1 2 3 4 5 6 7 8 9 x"]).0, ["0 ann 12 1 - 1865 1379 - 11 2"]);
        assert!(read(&["ann"], &["ann              12   2   1    3 218  84  1865  1379     11\n"]).0.is_empty(), "without a heading");
    }
}
