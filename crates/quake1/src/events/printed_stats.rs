//! Reads the statistics that KTX and its predecessors print at the end of a match (`docs/formats/quake1.md`, "Printed statistics").

use fragreel_model::{ItemStat, Player, PlayerStats, Stat, Statement, WeaponStat, common};

use crate::characters;
use crate::events::demo_info::{common_item, common_weapon};
use crate::state::Game;

/// The table so far.
#[derive(Debug, Clone, Default)]
pub(super) struct PrintedStats {
    statement: Option<Statement>,
    friend_kills: bool,
    /// The player of the next row of figures. The row with the name comes first.
    next: Option<Player>,
    /// True if a player's main row was missing. The player's other rows are ignored then.
    astray: bool,
}

impl PrintedStats {
    /// Follows a line. The table starts at its heading and ends at the teams' part.
    pub(super) fn line(&mut self, game: &Game, line: &[u8]) {
        let clean = characters::clean(line);
        let text = clean.trim();
        if text.starts_with("Frags (rank)") {
            let (statement, friend_kills) = (Some(Statement::new("printed statistics")), text.contains("friendkills"));
            *self = PrintedStats { statement, friend_kills, ..PrintedStats::default() };
            return;
        }
        let Some(statement) = self.statement.as_mut().filter(|_| !text.is_empty()) else { return };
        if text.ends_with("match statistics:") || text.ends_with("top scorers:") {
            // rows of teams look like those of players
            self.next = None;
            self.friend_kills = false;
            statement.other.insert(String::from("complete"), String::from("yes"));
            return;
        }
        if statement.other.contains_key("complete") {
            return;
        }
        if let Some(name) = text.strip_suffix(':') {
            self.next = named(game, name);
        } else if let Some(player) = self.next.take() {
            let figures = frags(text, player, self.friend_kills);
            self.astray = figures.is_none();
            statement.players.extend(figures);
        } else if let Some(last) = statement.players.last_mut().filter(|_| !self.astray) {
            row(text, last);
        }
    }

    /// The table, once it is complete.
    pub(super) fn take(&mut self) -> Option<Statement> {
        let mut statement = std::mem::take(self).statement?;
        statement.other.clear();
        Some(statement).filter(|statement| !statement.players.is_empty())
    }
}

/// The player whose name ends a text, after the team mark. Of two, the one with the longer name.
fn named(game: &Game, text: &str) -> Option<Player> {
    let names = game.roster.iter().map(|(slot, person)| (slot, characters::clean(&person.name)));
    let (slot, _) = names.filter(|(_, name)| !name.is_empty() && text.ends_with(name.as_str())).max_by_key(|(_, name)| name.len())?;
    game.roster.player(slot)
}

/// `21 (-91) 3 15.8%`: frags, frags less deaths, mates killed in team games, efficiency.
fn frags(text: &str, player: Player, friend_kills: bool) -> Option<PlayerStats> {
    let mut words = text.split_whitespace();
    let score: i64 = words.next()?.parse().ok()?;
    let net: i64 = words.next()?.trim_matches(['(', ')']).parse().ok()?;
    let mut line = PlayerStats::new(player);
    line.stats.state(Stat::Score, score);
    line.stats.state(Stat::Deaths, score - net);
    if friend_kills {
        line.stats.state(Stat::TeamKills, words.next()?.parse().ok()?);
    }
    Some(line)
}

/// `Damage: Tkn:8239 Gvn:7360 Tm:249` and similar rows. Words without a common name stay as they are.
fn row(text: &str, line: &mut PlayerStats) {
    let Some((head, rest)) = text.split_once(':') else { return };
    let head = head.trim();
    let mut words = rest.split_whitespace().peekable();
    if head == "SpawnFrags" {
        if let Some(count) = words.next().and_then(|word| word.trim_matches(['[', ']']).parse().ok()) {
            line.stats.state(Stat::SpawnKills, count);
        }
        return;
    }
    while let Some(word) = words.next() {
        // `strafes:16.0% (4/25)`
        if word.starts_with(['(', '[']) {
            continue;
        }
        let split = word.split_once(':').or_else(|| word.find(|c: char| c.is_ascii_digit()).map(|at| word.split_at(at)));
        let Some((key, value)) = split else { continue };
        // `lg20.5% (45/219)`: hits and shots
        if head == "Wp" {
            let name = common_weapon(key);
            let figures = words.next_if(|next| next.starts_with('(')).and_then(|next| next.trim_matches(['(', ')']).split_once('/'));
            if let (Some(name), Some((Ok(hits), Ok(shots)))) = (name, figures.map(|(hits, shots)| (hits.parse(), shots.parse()))) {
                line.weapon(name).state(WeaponStat::Hits, hits);
                line.weapon(name).state(WeaponStat::Shots, shots);
            }
            line.other.insert(format!("Wp.{key}"), value.to_owned());
            continue;
        }
        let Ok(number) = value.trim_end_matches('%').trim_matches(['[', ']']).parse::<i64>() else {
            line.other.insert(format!("{head}.{key}"), value.to_owned());
            continue;
        };
        let stat = match (head, key) {
            ("Damage", "Tkn") => Some(Stat::DamageTaken),
            ("Damage", "Gvn") => Some(Stat::DamageGiven),
            ("Damage", "Tm") => Some(Stat::DamageTeam),
            ("Damage", "Self") => Some(Stat::DamageSelf),
            ("Damage", "EWep") => Some(Stat::DamageToArmed),
            ("Streaks", "Frags") => Some(Stat::BestSpree),
            ("Streaks", "QuadRun") => Some(Stat::BestQuadSpree),
            _ => None,
        };
        if let Some(stat) = stat {
            line.stats.state(stat, number);
            continue;
        }
        let weapon = match head {
            "RL" => Some(common::ROCKET_LAUNCHER),
            "LG" => Some(common::LIGHTNING_GUN),
            _ => None,
        };
        let of_weapon = match key {
            "Took" => Some(WeaponStat::Pickups),
            "Killed" => Some(WeaponStat::HoldersKilled),
            "Dropped" => Some(WeaponStat::Drops),
            "Xfer" => Some(WeaponStat::Transfers),
            _ => None,
        };
        match (weapon, of_weapon, common_item(key)) {
            (Some(weapon), Some(figure), _) => line.weapon(weapon).state(figure, number),
            (_, _, Some(item)) if matches!(head, "Armr&mhs" | "Powerups") => line.item(item).state(ItemStat::Pickups, number),
            _ => drop(line.other.insert(format!("{head}.{key}"), value.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let mut game = Game::default();
        for (slot, name) in [&b"gh"[..], b"fgh", b"lost"].into_iter().enumerate() {
            game.roster.person(slot as u8).name = name.to_vec();
        }
        let mut table = PrintedStats::default();
        let lines = [
            "Frags (rank) friendkills . efficiency",
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
            "_ lost:",
            "      RL: Took:9 Killed:9",
            " Streaks: Frags:9 QuadRun:9",
            "[red] vs [blue] match statistics:",
            "Damage: Tkn:1 Gvn:2",
        ];
        lines.iter().for_each(|line| table.line(&game, line.as_bytes()));
        let repeats = table.take().unwrap();
        let [line] = &repeats.players[..] else { panic!("{repeats:?}") };
        let of = |stat| line.stats.get(stat).stated;
        assert_eq!(line.player.slot, Some(1), "not of whoever has the end of his name");
        assert_eq!((of(Stat::Score), of(Stat::Deaths), of(Stat::TeamKills), of(Stat::BestSpree)), (Some(21), Some(112), Some(3), Some(2)));
        assert_eq!((of(Stat::DamageTaken), of(Stat::DamageGiven), of(Stat::SpawnKills)), (Some(13_287), Some(5591), Some(1)));
        assert_eq!(line.weapons[common::LIGHTNING_GUN].get(WeaponStat::Shots).stated, Some(219));
        assert_eq!(line.weapons[common::ROCKET_LAUNCHER].get(WeaponStat::HoldersKilled).stated, Some(21));
        assert_eq!(line.items[common::RED_ARMOR].get(ItemStat::Pickups).stated, Some(9));
        assert_eq!(line.other.keys().collect::<Vec<_>>(), ["Damage.ToDie", "Movement.strafes", "RL skill.ad", "RL skill.dh", "Wp.lg", "Wp.rl", "Wp.sg"]);
    }
}
