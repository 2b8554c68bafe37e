//! KTX's statistics at the end of a match, as JSON in hidden blocks (`docs/formats/quake1.md`, "Demo info").

use std::borrow::Cow;

use model::{EventKind, Player, Score};
use serde_json::Value;

use crate::characters;
use crate::state::Game;

/// More than any match has to say is not collected.
pub const LONGEST: usize = 1 << 22;

/// The final scores.
pub fn scores(game: &Game, text: &[u8]) -> Option<EventKind> {
    let latin: String;
    // names keep their colours, so the text is not always UTF-8
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => {
            latin = text.iter().map(|&byte| char::from(byte)).collect();
            &latin
        }
    };
    let info: Value = serde_json::from_str(text.trim_end_matches('\0')).ok()?;
    let mut players = Vec::new();
    for entry in info.get("players")?.as_array()? {
        let name: Vec<u8> = entry.get("name")?.as_str()?.chars().map(|c| c as u32 as u8).collect();
        let stats = entry.get("stats");
        let number = |key: &str| stats.and_then(|stats| stats.get(key)).and_then(Value::as_i64).map(|value| value as i32);
        let team = entry.get("team").and_then(Value::as_str).map(plain).filter(|team| !team.is_empty());
        let slot = game.roster.iter().find(|(_, person)| person.name == name).map(|(slot, _)| u16::from(slot));
        players.push(Score {
            player: Player { slot, name: characters::text(&name), team },
            score: number("frags").unwrap_or(0),
            deaths: number("deaths"),
            ping: entry.get("ping").and_then(Value::as_i64).map(|value| value as i32),
            minutes: None,
        });
    }
    let mut teams: Vec<(Cow<'static, str>, i32)> = Vec::new();
    for name in info.get("teams").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let name = plain(name);
        let sum = players.iter().filter(|line| line.player.team.as_ref() == Some(&name)).map(|line| line.score).sum();
        teams.push((name, sum));
    }
    (!players.is_empty()).then_some(EventKind::Scores { teams, players })
}

fn plain(text: &str) -> Cow<'static, str> {
    let bytes: Vec<u8> = text.chars().map(|c| c as u32 as u8).collect();
    Cow::Owned(characters::clean(&bytes))
}
