//! Players and entities as records of named values, for `state` and raw fields.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fragreel_model::{Record, Value};

use crate::dialect::Dialect;
use crate::message::Text;
use crate::replacement::EntityState;
use crate::state::{Game, MODEL_NUMBER, Seen, stat};

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
            if let Some(known) = known {
                replaced(&mut record, &known.state, false);
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

/// All known values of an entity in sight.
pub(crate) fn record_of_entity(game: &Game, d: &Dialect, seen: &Seen) -> Record {
    let mut record = record_of(game, seen);
    further(&mut record, game, d, seen.number);
    record
}

/// What people see of an entity.
pub(crate) fn record_of(game: &Game, seen: &Seen) -> Record {
    let mut record = Record::default();
    record.push("number", seen.number);
    if let Some(path) = game.level.models.get(seen.model as usize).filter(|path| !path.bytes().is_empty()) {
        record.push("model_name", Value::Game(Text::game(path)));
    }
    push_seen(&mut record, seen);
    record.push("colormap", seen.colormap);
    record
}

/// Adds the fields of an entity beyond those that all dialects have, where they are not as usual.
fn further(record: &mut Record, game: &Game, d: &Dialect, number: u32) {
    if d.replacement() {
        if let Some(known) = game.world.replaced().get(number) {
            replaced(record, &known.state, false);
        }
        return;
    }
    let mut words = |row: &[u32], names: &[(usize, &'static str)]| {
        for &(at, name) in names {
            if row.get(at).is_some_and(|word| *word != 0) {
                record.push(name, row[at]);
            }
        }
    };
    if d.is_netquake() {
        use crate::fields::netquake::slot;
        let names = [
            (slot::ALPHA, "alpha"),
            (slot::SCALE, "scale"),
            (slot::LERPFINISH, "lerp_finish"),
            (slot::GLOW_SIZE, "glow_size"),
            (slot::GLOW_COLOR, "glow_color"),
            (slot::COLORMOD, "colormod"),
        ];
        game.world.nq_row(number).into_iter().for_each(|row| words(row, &names));
    } else {
        use crate::fields::quakeworld::slot;
        let names = [
            (slot::SCALE, "scale"),
            (slot::TRANS, "alpha"),
            (slot::FATNESS, "fatness"),
            (slot::DRAWFLAGS, "draw_flags"),
            (slot::ABSLIGHT, "abs_light"),
            (slot::COLORMOD, "colormod_r"),
            (slot::COLORMOD + 1, "colormod_g"),
            (slot::COLORMOD + 2, "colormod_b"),
            (slot::DPFLAGS, "flags"),
            (slot::TAG_ENTITY, "tag_entity"),
            (slot::TAG_INDEX, "tag_index"),
            (slot::LIGHT, "light_r"),
            (slot::LIGHT + 1, "light_g"),
            (slot::LIGHT + 2, "light_b"),
            (slot::LIGHT + 3, "light_radius"),
            (slot::LIGHT_STYLE, "light_style"),
            (slot::LIGHT_FLAGS, "light_flags"),
        ];
        let found = game.world.qw_newest().entities.iter().find(|(known, _)| *known == number);
        found.into_iter().for_each(|(_, row)| words(row, &names));
    }
}

/// What one player in sight has, all in sight have: fields of replacement deltas that are as usual with some players only.
pub(crate) fn even_out(game: &Game, d: &Dialect, players: &mut [(u8, Record)]) {
    let shown: BTreeSet<Cow<'static, str>> = players.iter().flat_map(|(_, record)| &record.0).map(|(name, _)| name.clone()).collect();
    for (slot, record) in players {
        let number = u32::from(*slot) + 1;
        let Some(known) = game.world.replaced().get(number).filter(|_| d.replacement() && game.world.entity(d, number).is_some()) else { continue };
        let mut whole = Record::default();
        replaced(&mut whole, &known.state, true);
        whole.0.retain(|(name, _)| shown.contains(name) && record.find(name).is_none());
        record.0.append(&mut whole.0);
    }
}

/// The fields of a replacement delta, in their units: those that are not as usual, or all.
fn replaced(record: &mut Record, s: &EntityState, all: bool) {
    let usual = EntityState::default();
    let eighths = |words: [i16; 3]| words.map(|word| f32::from(word) / 8.0).to_vec();
    let thirty_seconds = |bytes: [u8; 3]| bytes.map(|byte| f32::from(byte) / 32.0).to_vec();
    if all || s.model > MODEL_NUMBER {
        record.push("ragdoll", s.model > MODEL_NUMBER);
    }
    macro_rules! changed {
        ($($field:ident: $value:expr;)*) => {
            $(if (all || s.$field != usual.$field) && record.find(stringify!($field)).is_none() {
                record.push(stringify!($field), $value);
            })*
        };
    }
    changed! {
        velocity: eighths(s.velocity);
        movement: s.movement.map(i64::from).to_vec();
        movetype: s.movetype;
        msec: s.msec;
        weapon_frame: s.weapon_frame;
        view_angles: s.view_angles.map(|word| f32::from(word) * (360.0 / 65536.0)).to_vec();
        lerp_end: s.lerp_end;
        solid: s.solid;
        flags: s.flags;
        alpha: s.alpha;
        scale: f32::from(s.scale) / 16.0;
        base_bone: s.base_bone;
        base_frame: s.base_frame;
        draw_flags: s.draw_flags;
        abs_light: s.abs_light;
        tag_entity: s.tag_entity;
        tag_index: s.tag_index;
        light: s.light.map(i64::from).to_vec();
        light_style: s.light_style;
        light_flags: s.light_flags;
        trail_effect: s.trail_effect;
        emit_effect: s.emit_effect;
        color_mod: thirty_seconds(s.color_mod);
        glow_size: 4 * i64::from(s.glow_size);
        glow_color: s.glow_color;
        glow_mod: thirty_seconds(s.glow_mod);
        fatness: f32::from(s.fatness) / 16.0;
        model2: s.model2;
        gravity_dir: s.gravity_dir.map(|byte| f32::from(byte as i8) * (360.0 / 256.0)).to_vec();
    }
    if all || !s.bones.is_empty() {
        record.push("bones", s.bones.iter().flatten().map(|part| i64::from(*part)).collect::<Vec<_>>());
    }
}
