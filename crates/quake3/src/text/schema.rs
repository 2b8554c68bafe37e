//! The JSON schema of the text form.

use fragreel_base::textform::Schema;
use serde_json::Value;

use super::lines::{Head, Line};
use super::vocabulary::Vocabulary;
use crate::dialect::Dialect;
use crate::game::Game;
use crate::message::Message;

/// A JSON Schema that every line of every text of this family satisfies.
pub fn schema() -> Value {
    let games = |dialect: &'static Dialect| {
        Game::all().iter().filter_map(move |game| Game::titled(game.title, dialect)).map(move |game| Vocabulary::new(dialect, &game))
    };
    let words: Vec<Vocabulary> = Dialect::all().iter().flat_map(games).collect();
    let head = Schema::collect(1, |f| Head::default().form(f));
    let lines = Schema::collect(words.len() as u32, {
        let mut words = words.iter().cycle();
        move |f| words.next().map_or(Ok(()), |words| Line::default().form(f, &mut Message::default(), words))
    });
    serde_json::json!({ "anyOf": [head, lines] })
}
