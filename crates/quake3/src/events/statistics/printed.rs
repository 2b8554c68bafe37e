//! Tables that OSP and CPMA print when a match is over: a row for each player under a heading, and the result
//! (`docs/formats/quake3-events.md`, "Statistics").

use std::borrow::Cow;

use fragreel_model::{Player, PlayerStats, Stat, Statement, TeamStats};

use crate::strings::clean;
use crate::walk::Roster;

/// What a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Figure(Stat),
    /// Something that has no name of ours, or that follows from the rest.
    Other,
}

/// Columns by their headings.
const COLUMNS: &[(&str, Column)] = &[
    ("Kll", Column::Figure(Stat::Kills)),
    ("Dth", Column::Figure(Stat::DeathsByEnemies)),
    ("Sui", Column::Figure(Stat::OwnDeaths)),
    ("TK", Column::Figure(Stat::TeamKills)),
    ("DG", Column::Figure(Stat::DamageGiven)),
    ("DR", Column::Figure(Stat::DamageTaken)),
    ("TD", Column::Figure(Stat::DamageTeam)),
    ("FC", Column::Figure(Stat::Captures)),
    ("FR", Column::Figure(Stat::FlagsTaken)),
    ("Score", Column::Figure(Stat::Score)),
    ("NET", Column::Other),
    ("Eff", Column::Other),
    ("Time", Column::Other),
    ("FPH", Column::Other),
    ("Run", Column::Other),
    ("Held", Column::Other),
    ("Cap", Column::Figure(Stat::Captures)),
    ("Ast", Column::Figure(Stat::Assists)),
    ("Def", Column::Figure(Stat::Defends)),
    ("Rtn", Column::Figure(Stat::FlagsReturned)),
];

/// The longest line that is kept: a table is narrower.
const LONGEST: usize = 512;

/// Reads the lines that a server prints.
#[derive(Debug, Default)]
pub(super) struct PrintedTables {
    /// A line whose end was not sent yet.
    begun: Vec<u8>,
    /// The columns of the table that is printed, and whether its rows begin with a team.
    heading: Option<(Vec<Column>, bool)>,
    rows: Option<Statement>,
    result: Option<Statement>,
}

impl PrintedTables {
    /// A piece of text is printed.
    pub(super) fn print(&mut self, text: &[u8], players: &Roster) {
        for piece in text.split_inclusive(|&byte| byte == b'\n') {
            if self.begun.len() + piece.len() <= LONGEST {
                self.begun.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                let line = clean(&std::mem::take(&mut self.begun));
                self.line(line.trim_end(), players);
            }
        }
    }

    /// What was printed so far, once.
    pub(super) fn take(&mut self) -> impl Iterator<Item = Statement> {
        [self.rows.take(), self.result.take()].into_iter().flatten()
    }

    fn line(&mut self, line: &str, players: &Roster) {
        if let Some(heading) = heading(line) {
            self.heading = Some(heading);
            return;
        }
        if let Some(said) = result(line) {
            (self.heading, self.result) = (None, Some(said));
            return;
        }
        let Some((columns, with_team)) = &self.heading else { return };
        let Some((team, name, values)) = row(line, columns.len(), *with_team) else { return };
        let rows = self.rows.get_or_insert_with(|| Statement::new("printed statistics"));
        let figures = columns.iter().zip(values).filter_map(|(column, value)| match column {
            Column::Figure(stat) => Some((*stat, value?)),
            Column::Other => None,
        });
        // sums of the players that are left: the server states the score of a side
        if name == "Totals" {
            return;
        }
        let mut line = PlayerStats::new(player(players, name, team));
        figures.for_each(|(stat, value)| line.stats.state(stat, value));
        rows.players.push(line);
    }
}

/// `TEAM Player Kll Dth Sui TK NET Eff DG DR TD Score`: what the columns behind the name have.
fn heading(line: &str) -> Option<(Vec<Column>, bool)> {
    let mut words = line.split_whitespace();
    let with_team = match words.next()? {
        "TEAM" => words.next()? == "Player",
        "Player" => false,
        _ => return None,
    };
    let mut columns: Vec<Column> = words.map(|word| COLUMNS.iter().find(|(name, _)| *name == word).map(|(_, column)| *column)).collect::<Option<_>>()?;
    // in Capture Strike the score counts more than that of `xstats2`
    if columns.contains(&Column::Figure(Stat::FlagsTaken)) {
        columns.iter_mut().filter(|column| **column == Column::Figure(Stat::Score)).for_each(|column| *column = Column::Other);
    }
    (columns.len() > 3 && columns.contains(&Column::Figure(Stat::Kills))).then_some((columns, with_team))
}

/// The team, the name, and the values of a row.
type Row<'l> = (Option<&'static str>, &'l str, Vec<Option<i64>>);

/// Reads a row. A name may have blanks.
fn row(line: &str, columns: usize, with_team: bool) -> Option<Row<'_>> {
    let mut rest = line.trim();
    let mut team = None;
    if with_team {
        let (first, behind) = rest.split_once(' ')?;
        team = Some(side(first)?);
        rest = behind.trim_start();
    }
    let mut values = Vec::with_capacity(columns);
    for _ in 0..columns {
        let at = rest.rfind(' ')?;
        let word = &rest[at + 1..];
        // times, such as 3:49
        let is_value = word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.'));
        if word.is_empty() || !is_value {
            return None;
        }
        values.push(word.parse().ok());
        rest = rest[..at].trim_end();
    }
    values.reverse();
    (!rest.is_empty()).then_some((team, rest, values))
}

/// `RED wins 15 to 10`.
fn result(line: &str) -> Option<Statement> {
    let (name, scores) = line.trim().trim_end_matches(['.', '!']).split_once(" wins ")?;
    let winner = side(name)?;
    let (won, lost) = scores.split_once(" to ")?;
    let mut statement = Statement::new("printed result");
    statement.winner = Some(Cow::Borrowed(winner));
    let loser = if winner == "red" { "blue" } else { "red" };
    for (name, score) in [(winner, won), (loser, lost)] {
        let mut team = TeamStats::new(name);
        team.stats.state(Stat::Score, score.trim().parse().ok()?);
        statement.teams.push(team);
    }
    Some(statement)
}

fn side(name: &str) -> Option<&'static str> {
    ["red", "blue"].into_iter().find(|side| side.eq_ignore_ascii_case(name))
}

/// The player of a name that may be cut off.
fn player(players: &Roster, name: &str, team: Option<&'static str>) -> Player {
    let mut player = players.named_or_cut(name);
    if let Some(team) = team {
        player.team = Some(Cow::Borrowed(team));
    }
    player
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walk::roster::tests::roster;

    #[test]
    fn tables_of_teams_are_read() {
        let players = roster(&["ann", "a long name with blanks", "bob"]);
        let mut tables = PrintedTables::default();
        for text in [
            "^3TEAM   Player          Kll Dth Sui TK  NET Eff    DG    DR  TD Score\n",
            "-------------------------------------------------------------------\n",
            "^1RED    ann              62  67   0  0   -5  48  9852 10431  80    62\n^1RED    a long name wit  24",
            "  30   3  1  -10  40  4000  5000 116    20\n",
            "^1RED    Totals           86  97   3  1  -15  45 13852 15431 196    82\n",
            "^4BLUE   gone              1   2   0  0   -1  33   100   200   0     1\n",
            "^1RED wins 82 to 71\n",
        ] {
            tables.print(text.as_bytes(), &players);
        }
        let said: Vec<Statement> = tables.take().collect();
        let of = |at: usize, stat| said[0].players[at].stats.get(stat).stated;
        assert_eq!((said[0].players.len(), said[0].players[1].player.slot), (3, Some(1)));
        assert_eq!([Stat::Kills, Stat::DeathsByEnemies, Stat::OwnDeaths, Stat::TeamKills, Stat::Score].map(|stat| of(1, stat)), [24, 30, 3, 1, 20].map(Some));
        assert_eq!([Stat::DamageGiven, Stat::DamageTaken, Stat::DamageTeam].map(|stat| of(0, stat)), [9852, 10_431, 80].map(Some));
        assert_eq!((&*said[0].players[2].player.name.clean, said[0].players[2].player.team.as_deref()), ("gone", Some("blue")));
        assert_eq!((said[1].winner.as_deref(), said[1].teams[1].stats.get(Stat::Score).stated), (Some("red"), Some(71)));
        assert_eq!(tables.take().count(), 0);
    }

    #[test]
    fn tables_of_players_have_times() {
        let players = roster(&["ann", "bob"]);
        let mut tables = PrintedTables::default();
        tables.print(b"Player          Kll Dth Sui Time FPH Eff   DG   DR Score\nann              12   2   1    3 218  84 1865 1379    11\n", &players);
        let said: Vec<Statement> = tables.take().collect();
        assert_eq!(said[0].players[0].stats.get(Stat::DamageTaken).stated, Some(1379));
        assert_eq!(said[0].players[0].stats.get(Stat::Score).stated, Some(11));
    }
}
