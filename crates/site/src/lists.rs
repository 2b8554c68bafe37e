//! Lists as JSON, by which the page that finds works without a server: names once, then the matches of one name in parts.

use serde_json::{Value, json};

use crate::archive::{Archive, CHUNK, Subject};
use crate::pages::item;
use crate::text;

/// All names: of players and of maps, each with its address, its number of matches and the number of its parts.
pub(crate) fn names(archive: &Archive) -> String {
    let rows = |subjects: &std::collections::BTreeMap<String, Subject>| -> Vec<Value> {
        let subjects = subjects.iter().filter(|(_, subject)| !subject.matches.is_empty());
        subjects
            .map(|(id, subject)| {
                let also: Vec<String> = subject.also().into_iter().take(12).map(text::name).collect();
                let name = text::name(&subject.name);
                if also.is_empty() { json!([id, name, subject.matches.len()]) } else { json!([id, name, subject.matches.len(), also]) }
            })
            .collect()
    };
    json!({ "chunk": CHUNK, "players": rows(&archive.players), "maps": rows(&archive.maps), "matches": archive.matches.len() }).to_string()
}

/// A part of the matches of a player or a map.
pub(crate) fn part(archive: &Archive, matches: &[usize]) -> String {
    let row = |number: &usize| {
        let item = item(archive, archive.matches[*number]);
        let players: Vec<String> = archive.row(archive.matches[*number]).players.iter().map(|player| crate::slug::slug(&player.name)).collect();
        json!([item.href, item.day, item.map, item.mode, item.a, item.first, item.second, item.b, item.a_class, item.b_class, item.map_href, players.join(" ")])
    };
    Value::Array(matches.iter().map(row).collect()).to_string()
}
