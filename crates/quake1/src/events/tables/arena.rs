//! KTX's table of clan arena and wipeout: a row for each player, after each round and after the last one for all of them.

use fragreel_model::{PlayerStats, Stat, Statement, WeaponStat, common};

use crate::characters;
use crate::state::Game;

/// The heading of the columns.
const HEADING: &str = "sco  damg took  k  d  gl  rh  rd  lg% player";

/// The table so far.
#[derive(Debug, Clone, Default)]
pub(super) struct ArenaTable {
    /// True after the line that says that figures of all rounds follow.
    is_total: bool,
    statement: Option<Statement>,
}

impl ArenaTable {
    /// Follows a line. Returns false if it has no part in such a table.
    pub(super) fn line(&mut self, game: &Game, text: &str) -> bool {
        if text == "series statistics:" {
            self.is_total = true;
            return true;
        }
        if text == HEADING {
            if std::mem::take(&mut self.is_total) {
                self.statement = Some(Statement::new("printed series statistics"));
            }
            return true;
        }
        if let Some(winner) = text.strip_prefix("Team ").and_then(|rest| rest.strip_suffix(" has won the series!")) {
            let statement = self.statement.get_or_insert_with(|| Statement::new("printed series statistics"));
            statement.winner = Some(winner.to_owned().into());
            return true;
        }
        let Some(statement) = &mut self.statement else { return false };
        let row = row(game, text);
        let is_row = row.is_some();
        statement.players.extend(row);
        is_row
    }

    /// True while there is no table.
    pub(super) fn is_empty(&self) -> bool {
        self.statement.is_none()
    }

    /// The table, once its moment has passed.
    pub(super) fn take(&mut self) -> Option<Statement> {
        self.statement.take_if(|statement| statement.winner.is_some())
    }
}

/// `32  2633 2100  6  7   2  20   2  30% NAME`; `-` is nothing.
fn row(game: &Game, text: &str) -> Option<PlayerStats> {
    let mut rest = text;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(word)
    };
    let number = |word: &str| if word == "-" { Some(0) } else { word.trim_end_matches('%').parse::<i64>().ok() };
    let mut figures = [0; 9];
    for figure in &mut figures {
        *figure = number(word()?)?;
    }
    let name = rest.trim();
    let same = |(_, person): &(u8, &crate::state::Person)| characters::clean(&person.name).trim() == name;
    let (slot, _) = game.roster.iter().find(same)?;
    let mut line = PlayerStats::new(game.roster.player(slot)?);
    let [score, given, taken, kills, deaths, grenades, rockets, direct, lightning] = figures;
    for (stat, value) in [(Stat::Score, score), (Stat::DamageGiven, given), (Stat::DamageTaken, taken), (Stat::Kills, kills), (Stat::Deaths, deaths)] {
        line.stats.state(stat, value);
    }
    line.weapon(common::GRENADE_LAUNCHER).state(WeaponStat::VirtualHits, grenades);
    line.weapon(common::ROCKET_LAUNCHER).state(WeaponStat::VirtualHits, rockets);
    line.weapon(common::ROCKET_LAUNCHER).state(WeaponStat::DirectHits, direct);
    line.weapon(common::LIGHTNING_GUN).state(WeaponStat::Accuracy, lightning);
    Some(line)
}
