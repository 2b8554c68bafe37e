//! Reads KTX's statistics at the end of a match, JSON in hidden blocks (`docs/formats/quake1.md`, "Demo info").

use std::borrow::Cow;

use fragreel_model::{EventKind, ItemStat, Milliseconds, Player, PlayerStats, Score, Stat, Statement, WeaponStat, common};
use serde_json::Value;

use crate::characters;
use crate::message::hidden::HiddenBody;
use crate::state::Game;
use crate::walk::blocks::NextBlock;
use crate::walk::decoder::Item;
use crate::walk::input::Input;
use crate::walk::playback::Playback;

/// The limit on collected text, in bytes. No match has more.
pub(crate) const LONGEST: usize = 1 << 22;

/// The mod's own statistics as it wrote them, such as KTX's JSON: one text for each time they were written.
pub(crate) fn texts(input: &Input<'_>) -> Vec<String> {
    raw_texts(input).into_iter().map(|(_, bytes)| text(&bytes)).collect()
}

/// The same as bytes, each with the block that holds its end.
pub(crate) fn raw_texts(input: &Input<'_>) -> Vec<(u32, Vec<u8>)> {
    let (mut texts, mut parts) = (Vec::new(), Vec::new());
    let mut playback = Playback::new(input, false);
    while let Some(step) = playback.next_block() {
        let NextBlock::Block(block) = step else { continue };
        // unreadable data has no statistics
        let _ = playback.play(&block, |context, item| match item {
            Item::Message(message) => context.apply(message),
            Item::Hidden(blocks) => {
                for hidden in &blocks.blocks {
                    let HiddenBody::DemoInfo { block: part, content } = &hidden.body else { continue };
                    if parts.len() + content.len() <= LONGEST {
                        parts.extend_from_slice(content);
                    }
                    if *part == 0 {
                        texts.push((block.number, std::mem::take(&mut parts)));
                    }
                }
            }
            Item::Header(_) | Item::Opaque(_) => {}
        });
    }
    texts
}

/// Demo info as one text. Names keep their colors, so the bytes may not be UTF-8.
pub(crate) fn text(bytes: &[u8]) -> String {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    text.trim_end_matches('\0').to_owned()
}

/// KTX's statistics of a match.
pub(crate) fn statement(game: &Game, bytes: &[u8]) -> Option<Statement> {
    let info: Value = serde_json::from_str(&text(bytes)).ok()?;
    let mut statement = Statement::new("ktxstats");
    for (key, value) in info.as_object()? {
        match (key.as_str(), value) {
            ("date", Value::String(date)) => statement.date = Some(date.clone()),
            ("mode", Value::String(mode)) => statement.mode = Some(mode.clone()),
            ("duration", value) => statement.duration = value.as_f64().map(Milliseconds::from_seconds),
            ("players", Value::Array(players)) => statement.players = players.iter().filter_map(|entry| player(game, entry)).collect(),
            (key, value) => leaves(value, &mut vec![key], &mut |path, leaf| {
                statement.other.insert(path.join("."), words(leaf));
            }),
        }
    }
    Some(statement)
}

/// The final scores in such statistics.
pub(crate) fn scores(statement: &Statement) -> Option<EventKind> {
    let figure = |line: &PlayerStats, stat| line.stats.get(stat).stated.map(|value| value as i32);
    let line = |line: &PlayerStats| Score {
        player: line.player.clone(),
        score: figure(line, Stat::Score).unwrap_or(0),
        deaths: figure(line, Stat::Deaths),
        ping: figure(line, Stat::Ping),
        minutes: None,
    };
    let players: Vec<Score> = statement.players.iter().map(line).collect();
    let mut teams: Vec<(Cow<'static, str>, i32)> = Vec::new();
    for name in statement.other.iter().filter(|(key, _)| key.starts_with("teams.")).map(|(_, name)| Cow::Owned(name.clone())) {
        let sum = players.iter().filter(|line| line.player.team.as_ref() == Some(&name)).map(|line| line.score).sum();
        teams.push((name, sum));
    }
    (!players.is_empty()).then_some(EventKind::Scores { teams, players })
}

fn player(game: &Game, entry: &Value) -> Option<PlayerStats> {
    let name = game_bytes(entry.get("name")?.as_str()?);
    let team = entry.get("team").and_then(Value::as_str).map(|team| characters::clean(&game_bytes(team))).filter(|team| !team.is_empty());
    let team = team.map(Cow::Owned);
    let slot = game.roster.iter().find(|(_, person)| person.name == name).map(|(slot, _)| u16::from(slot));
    let mut stats = PlayerStats::new(Player { slot, name: characters::text(&name), team });
    for (key, value) in entry.as_object()?.iter().filter(|(key, _)| !matches!(key.as_str(), "name" | "team")) {
        leaves(value, &mut vec![key], &mut |path, leaf| {
            if leaf.as_f64().and_then(|number| figure(&mut stats, path, number)).is_none() {
                stats.other.insert(path.join("."), words(leaf));
            }
        });
    }
    Some(stats)
}

/// Calls `show` with every value that is not an object or array, and the keys of its path.
fn leaves<'v>(value: &'v Value, path: &mut Vec<&'v str>, show: &mut impl FnMut(&[&str], &Value)) {
    const PLACES: [&str; 32] = [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26",
        "27", "28", "29", "30", "31",
    ];
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            path.push(key);
            leaves(member, path, show);
            path.pop();
        }),
        Value::Array(items) => items.iter().zip(PLACES).for_each(|(item, place)| {
            path.push(place);
            leaves(item, path, show);
            path.pop();
        }),
        leaf => show(path, leaf),
    }
}

/// Stores a number under its common name, if it has one.
fn figure(stats: &mut PlayerStats, path: &[&str], number: f64) -> Option<()> {
    let whole = number.round() as i64;
    let milliseconds = Milliseconds::from_seconds(number).0;
    let stat = match path {
        ["ping"] => Stat::Ping,
        ["stats", "frags"] => Stat::Score,
        ["stats", "deaths"] => Stat::Deaths,
        ["stats", "tk"] => Stat::TeamKills,
        ["stats", "spawn-frags"] => Stat::SpawnKills,
        ["stats", "kills"] => Stat::Kills,
        ["stats", "suicides"] => Stat::Suicides,
        ["dmg", "taken"] => Stat::DamageTaken,
        ["dmg", "given"] => Stat::DamageGiven,
        ["dmg", "team"] => Stat::DamageTeam,
        ["dmg", "self"] => Stat::DamageSelf,
        ["dmg", "enemy-weapons"] => Stat::DamageToArmed,
        ["dmg", "team-weapons"] => Stat::DamageToArmedMates,
        ["spree", "max"] => Stat::BestSpree,
        ["spree", "quad"] => Stat::BestQuadSpree,
        ["speed", "max"] => Stat::TopSpeed,
        ["speed", "avg"] => Stat::AverageSpeed,
        ["ctf", "caps"] => Stat::Captures,
        ["ctf", "pickups"] => Stat::FlagsTaken,
        ["ctf", "returns"] => Stat::FlagsReturned,
        ["ctf", "defends"] => Stat::Defends,
        ["ctf", "carrier-frags"] => Stat::CarrierKills,
        ["control"] => {
            stats.stats.state(Stat::ControlTime, milliseconds);
            return Some(());
        }
        ["xferRL" | "xfer"] => {
            stats.weapon(common::ROCKET_LAUNCHER).state(WeaponStat::Transfers, whole);
            return Some(());
        }
        ["xferLG"] => {
            stats.weapon(common::LIGHTNING_GUN).state(WeaponStat::Transfers, whole);
            return Some(());
        }
        ["weapons", weapon, rest @ ..] => {
            let figure = weapon_figure(weapon, rest)?;
            stats.weapon(common_weapon(weapon)?).state(figure, whole);
            return Some(());
        }
        ["items", item, "took"] => {
            stats.item(common_item(item)?).state(ItemStat::Pickups, whole);
            return Some(());
        }
        ["items", item, "time"] => {
            stats.item(common_item(item)?).state(ItemStat::TimeHeld, milliseconds);
            return Some(());
        }
        _ => return None,
    };
    stats.stats.state(stat, whole);
    Some(())
}

fn weapon_figure(weapon: &str, path: &[&str]) -> Option<WeaponStat> {
    let explodes = matches!(weapon, "rl" | "gl");
    // KTX counts the pellets of shotguns
    let has_pellets = matches!(weapon, "sg" | "ssg");
    Some(match path {
        ["acc", "attacks"] if has_pellets => WeaponStat::Pellets,
        ["acc", "hits"] if has_pellets => WeaponStat::PelletHits,
        ["acc", "attacks"] => WeaponStat::Shots,
        // for explosives, `hits` are direct hits
        ["acc", "hits"] if explodes => WeaponStat::DirectHits,
        ["acc", "hits"] => WeaponStat::Hits,
        ["acc", "real"] => WeaponStat::Hits,
        ["acc", "virtual"] => WeaponStat::VirtualHits,
        ["kills", "total"] => WeaponStat::Kills,
        ["kills", "team"] => WeaponStat::TeamKills,
        ["kills", "enemy"] => WeaponStat::HoldersKilled,
        ["kills", "self"] => WeaponStat::Suicides,
        ["deaths"] => WeaponStat::Deaths,
        ["pickups", "dropped"] => WeaponStat::Drops,
        ["pickups", "taken"] => WeaponStat::Pickups,
        ["pickups", "total-taken"] => WeaponStat::TotalPickups,
        ["pickups", "spawn-taken"] => WeaponStat::SpawnPickups,
        ["pickups", "spawn-total-taken"] => WeaponStat::TotalSpawnPickups,
        ["damage", "enemy"] => WeaponStat::Damage,
        ["damage", "team"] => WeaponStat::TeamDamage,
        _ => return None,
    })
}

/// The common name of a weapon that KTX abbreviates.
pub(crate) fn common_weapon(short: &str) -> Option<&'static str> {
    Some(match short {
        "axe" => common::MELEE,
        "sg" => common::SHOTGUN,
        "ssg" => common::SUPER_SHOTGUN,
        "ng" => common::NAILGUN,
        "sng" => common::SUPER_NAILGUN,
        "gl" => common::GRENADE_LAUNCHER,
        "rl" => common::ROCKET_LAUNCHER,
        "lg" => common::LIGHTNING_GUN,
        _ => return None,
    })
}

/// The common name of an item that KTX abbreviates; health packs keep their size.
pub(crate) fn common_item(short: &str) -> Option<&'static str> {
    Some(match short {
        "health_15" => "health_15",
        "health_25" => "health_25",
        "health_100" | "mh" => common::MEGA_HEALTH,
        "ga" => common::GREEN_ARMOR,
        "ya" => common::YELLOW_ARMOR,
        "ra" => common::RED_ARMOR,
        "q" | "Q" => common::QUAD,
        "p" | "P" => common::INVULNERABILITY,
        "r" | "R" => common::INVISIBILITY,
        _ => return None,
    })
}

/// Escapes name bytes: character 0x80 is byte 0x80.
fn game_bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| c as u32 as u8).collect()
}

fn words(leaf: &Value) -> String {
    match leaf {
        Value::String(text) => characters::clean(&game_bytes(text)),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_name_stays_visible() {
        let text = br#"{"version":3,"date":"2024-01-02 03:04:05 +0000","mode":"team","duration":60,"teams":["a","b"],"new":{"x":[1,"y"]},
            "players":[{"name":"joe","team":"a","stats":{"frags":3,"kills":4,"novel":7},"control":1.5,
            "weapons":{"rl":{"acc":{"attacks":9,"hits":1,"real":5}},"bow":{"deaths":2}},"items":{"ra":{"took":2,"time":14}}}]}"#;
        let said = statement(&Game::default(), text).unwrap();
        assert_eq!((said.date.as_deref(), said.duration), (Some("2024-01-02 03:04:05 +0000"), Some(Milliseconds(60_000))));
        let other: Vec<_> = said.other.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(other, [("new.x.0", "1"), ("new.x.1", "y"), ("teams.0", "a"), ("teams.1", "b"), ("version", "3")]);
        let joe = &said.players[0];
        assert_eq!((joe.stats.get(Stat::Kills).stated, joe.stats.get(Stat::ControlTime).stated), (Some(4), Some(1500)));
        let rockets = &joe.weapons[common::ROCKET_LAUNCHER];
        assert_eq!((rockets.get(WeaponStat::DirectHits).stated, rockets.get(WeaponStat::Hits).stated), (Some(1), Some(5)));
        assert_eq!(joe.items[common::RED_ARMOR].get(ItemStat::TimeHeld).stated, Some(14_000));
        assert_eq!(joe.other.keys().collect::<Vec<_>>(), ["stats.novel", "weapons.bow.deaths"]);
        let Some(EventKind::Scores { teams, players }) = scores(&said) else { panic!() };
        assert_eq!((teams[0].1, players[0].score), (3, 3));
    }
}
