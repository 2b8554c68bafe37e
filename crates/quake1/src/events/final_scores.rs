//! KTX's `//finalscores "DATE" "MODE" "MAP" "SIDE" SCORE "SIDE" SCORE`, sent as a match ends (`docs/formats/quake1.md`, "Final scores").

use fragreel_model::{PlayerStats, Stat, Statement, TeamStats};

use crate::characters;
use crate::state::Game;

/// The statement of such a command, whose first word is passed.
pub(super) fn statement(game: &Game, arguments: &[u8]) -> Option<Statement> {
    let mut words = words(arguments);
    let mut statement = Statement::new("finalscores");
    let (_date, mode, map) = (words.next()?, words.next()?, words.next()?);
    statement.mode = Some(characters::clean(mode)).filter(|mode| !mode.is_empty());
    statement.other.insert(String::from("map"), characters::clean(map));
    let mut sides = Vec::new();
    while let (Some(side), Some(score)) = (words.next(), words.next()) {
        sides.push((side, std::str::from_utf8(score).ok()?.parse::<i64>().ok()?));
    }
    let slot = |name: &[u8]| game.roster.iter().find(|(_, person)| characters::folded(&person.name) == characters::folded(name)).map(|(slot, _)| slot);
    let has_players = !game.level.has_teams() && sides.iter().all(|(name, _)| slot(name).is_some());
    for (side, score) in sides {
        if has_players {
            let mut line = PlayerStats::new(game.roster.player(slot(side)?)?);
            line.stats.state(Stat::Score, score);
            statement.players.push(line);
        } else {
            let mut team = TeamStats::new(characters::clean(side));
            team.stats.state(Stat::Score, score);
            statement.teams.push(team);
        }
    }
    Some(statement).filter(|statement| !statement.players.is_empty() || !statement.teams.is_empty())
}

/// Words, some of them in quotes.
fn words(mut text: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        text = text.trim_ascii_start();
        let (&first, rest) = text.split_first()?;
        let (from, end): (_, fn(&u8) -> bool) = if first == b'"' { (rest, |byte| *byte == b'"') } else { (text, u8::is_ascii_whitespace) };
        let at = from.iter().position(end).unwrap_or(from.len());
        text = from.get(at + usize::from(first == b'"')..).unwrap_or_default();
        Some(&from[..at])
    })
}
