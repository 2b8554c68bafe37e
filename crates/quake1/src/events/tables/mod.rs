//! Tables of figures that mods print at a match's end (`docs/formats/quake1.md`, "Printed statistics").

mod arena;
mod frags;
mod keyed;

use fragreel_model::{Milliseconds, Statement};

use crate::characters;
use crate::state::Game;
use arena::ArenaTable;
use frags::{Heading, Table};

/// A table without an end goes on for this long after its last row, in milliseconds.
const PATIENCE: i64 = 1000;
/// Scores of teams are a table for this long after the line that says that the match is over.
const AFTER_END: i64 = 5000;

/// The tables so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tables {
    table: Option<Table>,
    arena: ArenaTable,
    /// When the last row came.
    last: Milliseconds,
    /// When a line said that the match is over.
    over: Option<Milliseconds>,
}

impl Tables {
    /// Follows a line. A table ends with another heading, not with the message.
    pub(super) fn line(&mut self, game: &Game, now: Milliseconds, line: &[u8]) {
        let clean = characters::clean(line);
        let text = clean.trim();
        if text.is_empty() {
            return;
        }
        if self.arena.line(game, text) {
            self.last = now;
            return;
        }
        let Some(heading) = frags::heading(text) else {
            if text.starts_with("The match is over") {
                self.over = Some(now);
            }
            if self.table.as_mut().is_some_and(|table| table.row(game, text)) {
                self.last = now;
            }
            return;
        };
        let is_first = self.table.as_ref().is_none_or(|table| !table.is_without_players());
        match heading {
            // mods print the scores of teams during a match, too
            Heading::Teams { .. } if self.table.is_none() && self.over.is_none_or(|over| (now - over).0 > AFTER_END) => return,
            Heading::Others if self.table.is_none() => return,
            Heading::Players { .. } if is_first => self.table = Some(Table::new()),
            _ => {}
        }
        self.last = now;
        self.table.get_or_insert_with(Table::new).head(heading);
    }

    /// True while there is no table.
    pub(super) fn is_empty(&self) -> bool {
        self.table.is_none() && self.arena.is_empty()
    }

    /// The tables that are complete by now, before anything of this time; all of them if nothing follows.
    pub(super) fn take(&mut self, now: Option<Milliseconds>) -> Vec<Statement> {
        let is_late = now.is_none_or(|now| (now - self.last).0 > PATIENCE);
        let table = self.table.take_if(|table| is_late || table.is_complete());
        table.and_then(Table::finish).into_iter().chain(self.arena.take()).collect()
    }
}

#[cfg(test)]
mod tests {
    use fragreel_model::{ItemStat, PlayerStats, Stat, WeaponStat, common};

    use super::*;

    fn game(names: &[&str]) -> Game {
        let mut game = Game::default();
        for (slot, name) in (0u8..).zip(names) {
            game.roster.person(slot).name = name.as_bytes().to_vec();
        }
        game
    }

    /// What tables of these lines state: one line in each moment of 100 ms.
    fn read(names: &[&str], lines: &[&str]) -> Vec<Statement> {
        let (game, mut tables, mut found) = (game(names), Tables::default(), Vec::new());
        for (at, line) in (0..).zip(lines) {
            let now = Milliseconds(at * 100);
            found.extend(tables.take(Some(now)));
            tables.line(&game, now, line.as_bytes());
        }
        found.extend(tables.take(None));
        found
    }

    fn of(line: &PlayerStats) -> (Option<u16>, &str, Option<i64>, Option<i64>, Option<i64>) {
        let stated = |stat| line.stats.get(stat).stated;
        (line.player.slot, &line.player.name.clean, stated(Stat::Score), stated(Stat::Deaths), stated(Stat::TeamKills))
    }

    fn teams(statement: &Statement) -> Vec<(&str, Option<i64>)> {
        statement.teams.iter().map(|team| (&*team.name, team.stats.get(Stat::Score).stated)).collect()
    }

    #[test]
    fn tables_of_ktx_go_on_over_messages() {
        let lines = [
            "The match is over",
            "....................Frags (rank) friendkills . efficiency",
            "Team [red]:",
            "_ fgh:",
            "  21 (-91) 3 15.8%",
            "Wp: lg20.5% (45/219) rl43.8% sg13.0%",
            "RL skill: ad:78.8 dh:13",
            "Movement: Perfect strafes:16.0% (4/25)",
            "Armr&mhs: ga:7 ya:3 ra:9 mh:3",
            "      RL: Took:50 Killed:21 Dropped:27 Xfer:10",
            "  Damage: Tkn:13287 Gvn:5591 Tm:459 Self:854 ToDie:118",
            " Streaks: Frags:2 QuadRun:0",
            "  SpawnFrags: [1]",
            ". ghost:",
            "  5 (1) 0 55.6%",
            "_ gh:",
            "      RL: Took:9 Killed:9",
            " Streaks: Frags:9 QuadRun:9",
            "[red] vs [blue] match statistics:",
            "Damage: Tkn:1 Gvn:2",
            "Team scores: frags . percentage",
            "[red]: 55 . 27.4%",
            "[[fs]]: 146 . 72.6%",
        ];
        let found = read(&["gh", "fgh", "lost"], &lines);
        let [table, scores] = &found[..] else { panic!("{found:?}") };
        let [line, ghost] = &table.players[..] else { panic!("{table:?}") };
        assert_eq!(of(line), (Some(1), "fgh", Some(21), Some(112), Some(3)), "not of whoever has the end of his name");
        assert_eq!((of(ghost), ghost.player.team.as_deref()), ((None, "ghost", Some(5), Some(4), Some(0)), Some("red")), "who has left");
        let stated = |stat| line.stats.get(stat).stated;
        assert_eq!(
            (stated(Stat::DamageTaken), stated(Stat::DamageGiven), stated(Stat::SpawnKills), stated(Stat::BestSpree)),
            (Some(13_287), Some(5591), Some(1), Some(2))
        );
        assert_eq!(line.weapons[common::LIGHTNING_GUN].get(WeaponStat::Shots).stated, Some(219));
        assert_eq!(line.weapons[common::ROCKET_LAUNCHER].get(WeaponStat::HoldersKilled).stated, Some(21));
        assert_eq!(line.items[common::RED_ARMOR].get(ItemStat::Pickups).stated, Some(9));
        assert_eq!(line.other.keys().collect::<Vec<_>>(), ["Damage.ToDie", "Movement.strafes", "RL skill.ad", "RL skill.dh", "Wp.lg", "Wp.rl", "Wp.sg"]);
        assert_eq!(teams(scores), [("red", Some(55)), ("[fs]", Some(146))]);
    }

    #[test]
    fn tables_of_one_line_for_each_player_are_read() {
        let kombat_teams =
            ["The match is over", "Team scores:", "!!!: 20", "2: 13", " Player results   (FRAGS (RANK))", "[!!!] -==E}|{UK==-  20 (2)", "[2] wisel  13 (-9)"];
        let found = read(&["wisel", "-==E}|{UK==-"], &kombat_teams);
        assert_eq!(teams(&found[0]), [("!!!", Some(20)), ("2", Some(13))]);
        let rows: Vec<_> = found[0].players.iter().map(of).collect();
        assert_eq!(rows, [(Some(1), "-==E}|{UK==-", Some(20), None, None), (Some(0), "wisel", Some(13), None, None)]);
        assert_eq!(found[0].players[1].other["rank"], "-9", "which deaths it counts is not known");
        let second = ["Frags (rank) friendkills . efficiency", "[tot]: 92 . 29.6%", "[tot] NAME: 31 (-17) 2 . 39.2%", "Team [x]:", "bld: 13 (-17) 1 . 31.8%"];
        let found = read(&["NAME", "bld"], &second);
        assert_eq!(
            found[0].players.iter().map(of).collect::<Vec<_>>(),
            [(Some(0), "NAME", Some(31), None, Some(2)), (Some(1), "bld", Some(13), Some(30), Some(1))]
        );
        assert_eq!(found[0].players[0].stats.get(Stat::DeathsByPlayers).stated, Some(48));
        let first = [
            "dm6 Results",
            "Frags + (dropped) = Total [Efficiency]",
            "e : 28 + (0) = 28 [ 24.1% ]",
            "tot : 71 + (3) = 74 [ 50.0% ]",
            "[e] NAME  20 (-22)  32.3%",
        ];
        let found = read(&["NAME"], &["The match is over"].into_iter().chain(first).collect::<Vec<_>>());
        assert_eq!((teams(&found[0]), of(&found[0].players[0])), (vec![("e", Some(28)), ("tot", Some(74))], (Some(0), "NAME", Some(20), None, None)));
        assert_eq!(found[0].players[0].stats.get(Stat::DeathsByEnemies).stated, Some(42));
        assert_eq!(found[0].teams.iter().map(|team| team.score_of_leavers).collect::<Vec<_>>(), [Some(0), Some(3)]);
    }

    #[test]
    fn frags_of_those_who_left_count_for_their_team() {
        let lines = ["The match is over", "Team scores:", "  () = frags of disconnected players", "icem: 173 + (21) = 194 frags", "-ff-: 415 frags"];
        assert_eq!(teams(&read(&["a"], &lines)[0]), [("icem", Some(194)), ("-ff-", Some(415))]);
        assert!(read(&["a"], &lines[1..2]).is_empty() && read(&["a"], &["Team scores:", "red: 5", "blue: 3"]).is_empty(), "during a match");
    }

    #[test]
    fn the_table_of_all_rounds_is_the_match() {
        let head = "sco  damg took  k  d  gl  rh  rd  lg% player";
        let round = [head, "--- ----- ---- -- -- --- --- --- ---- --------", "  9   533  410  2  1   -   4   1  20% player 1"];
        let all = [
            "series statistics:",
            "",
            head,
            " 32  2633 2100  6  7   2  20   2  30% player 1",
            " 12   843 1336  4  3   -  12   4   -  player 2",
            "Team blue has won the series!",
        ];
        let found = read(&["player 1", "player 2"], &[&round[..], &all[..]].concat());
        let [statement] = &found[..] else { panic!("{found:?}") };
        let rows: Vec<_> = statement.players.iter().map(of).collect();
        assert_eq!(rows, [(Some(0), "player 1", Some(32), Some(7), None), (Some(1), "player 2", Some(12), Some(3), None)]);
        assert_eq!(statement.winner.as_deref(), Some("blue"));
    }
}
