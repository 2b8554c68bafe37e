//! Players and entities as records of named values, for `state` and raw fields.

use fragreel_model::{Record, Value};

use crate::dialect::Dialect;
use crate::message::Text;
use crate::state::{Game, Seen, stat};

/// All known values of a player; `None` if there are none.
pub(crate) fn record_of_player(game: &Game, d: &Dialect, slot: u8) -> Option<Record> {
    let person = game.roster.get(slot);
    let stats = game.stats_of(slot);
    let body = game.body_of(slot);
    let entity = (d.is_netquake() || d.replacement()).then(|| game.world.entity(d, u32::from(slot) + 1)).flatten();
    if person.is_none() && body.is_none() && stats.is_none() && Some(slot) != game.own {
        return None;
    }
    let mut record = Record::default();
    record.push("slot", i64::from(slot));
    if let Some(person) = person {
        record.push("name", crate::characters::text(&person.name));
        record.push("team", crate::characters::text(&person.team));
        record.push("spectator", person.spectator);
        record.push("frags", i64::from(person.frags));
        if let Some(ping) = person.ping {
            record.push("ping", ping);
        }
    }
    if Some(slot) == game.own {
        record.push("recorder", true);
    }
    match (body, entity) {
        (body, Some(seen)) => {
            push_seen(&mut record, &seen);
            let known = game.world.replaced().get(u32::from(slot) + 1).filter(|_| d.replacement());
            let velocity = match (known, body) {
                (Some(known), _) => Some(known.state.velocity.map(|eighths| f32::from(eighths) / 8.0)),
                (None, Some(body)) => Some(body.velocity),
                _ => None,
            };
            if let Some(velocity) = velocity {
                record.push("velocity", velocity.to_vec());
            }
        }
        (Some(body), None) => {
            record.push("origin", body.origin.to_vec());
            record.push("angles", body.angles.to_vec());
            record.push("velocity", body.velocity.to_vec());
            record.push("frame", body.frame);
            record.push("model", body.model);
            record.push("skin", body.skin);
            record.push("effects", body.effects);
            record.push("weapon_frame", body.weapon_frame);
            record.push("dead", body.dead);
        }
        (None, None) => {}
    }
    if let Some(stats) = stats {
        for (name, at) in [
            ("health", stat::HEALTH),
            ("armor", stat::ARMOR),
            ("ammo", stat::AMMO),
            ("shells", stat::SHELLS),
            ("nails", stat::NAILS),
            ("rockets", stat::ROCKETS),
            ("cells", stat::CELLS),
            ("active_weapon", stat::ACTIVE_WEAPON),
            ("items", stat::ITEMS),
        ] {
            record.push(name, stats[at]);
        }
    }
    Some(record)
}

fn push_seen(record: &mut Record, seen: &Seen) {
    record.push("origin", seen.origin.to_vec());
    record.push("angles", seen.angles.to_vec());
    record.push("frame", seen.frame);
    record.push("model", seen.model);
    record.push("skin", seen.skin);
    record.push("effects", seen.effects);
}

/// All known values of an entity.
pub(crate) fn record_of_entity(game: &Game, seen: &Seen) -> Record {
    let mut record = Record::default();
    record.push("number", seen.number);
    if let Some(path) = game.level.models.get(seen.model as usize).filter(|path| !path.bytes().is_empty()) {
        record.push("model_name", Value::Game(Text::game(path)));
    }
    push_seen(&mut record, seen);
    record.push("colormap", seen.colormap);
    record
}
