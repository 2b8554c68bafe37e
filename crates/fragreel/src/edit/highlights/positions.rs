//! Where players are, from what `state` shows. The names of sections and fields are those of docs/formats.

use model::{Family, Moment, Player, Record, Value};

/// Somebody's place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Body {
    origin: [f32; 3],
    in_air: Option<bool>,
}

impl Body {
    pub fn distance(&self, other: &Body) -> f32 {
        self.origin.iter().zip(other.origin).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
    }

    /// Whether they stand on nothing, where that is told.
    pub fn in_air(&self) -> Option<bool> {
        self.in_air
    }
}

/// Everybody's place at one moment, by slot.
pub(super) struct Bodies(Vec<(u16, Body)>);

/// What a record has to be called and hold to be a player's.
struct Source {
    section: &'static str,
    /// The field with the number, and the number of the player in slot 0.
    number: (&'static str, i64),
    /// Where the player stands.
    origin: &'static str,
    in_air: fn(&Record) -> Option<bool>,
}

fn untold(_: &Record) -> Option<bool> {
    None
}

/// The number of the entity that Quake III's players stand on when they stand on nothing.
const NO_ENTITY: i64 = 1023;

/// Fields that are zero are left out of entities.
fn on_no_entity(record: &Record) -> Option<bool> {
    Some(int(record, "groundEntityNum") == NO_ENTITY)
}

/// Standing on something is a bit of Quake II's `pm_flags`.
const ON_GROUND: i64 = 4;

fn without_ground_flag(record: &Record) -> Option<bool> {
    Some(int(record, "pm_flags") & ON_GROUND == 0)
}

const QUAKE3: &[Source] = &[
    Source { section: "player", number: ("clientNum", 0), origin: "origin", in_air: on_no_entity },
    Source { section: "entities", number: ("number", 0), origin: "pos.trBase", in_air: on_no_entity },
];
const QUAKE2: &[Source] = &[
    Source { section: "players", number: ("number", 0), origin: "origin", in_air: without_ground_flag },
    Source { section: "entities", number: ("number", 1), origin: "origin", in_air: untold },
];
const QUAKE1: &[Source] = &[
    Source { section: "players", number: ("slot", 0), origin: "origin", in_air: untold },
    Source { section: "entities", number: ("number", 1), origin: "origin", in_air: untold },
];
const GOLDSRC: &[Source] = &[Source { section: "entities", number: ("entity", 1), origin: "origin", in_air: untold }];

/// As many players as any of the games has.
const MOST_PLAYERS: i64 = 256;

impl Bodies {
    pub fn of(family: Family, moment: &Moment) -> Self {
        let sources = match family {
            Family::Quake3 => QUAKE3,
            Family::Quake2 => QUAKE2,
            Family::Quake1 => QUAKE1,
            _ => GOLDSRC,
        };
        let mut bodies: Vec<(u16, Body)> = Vec::new();
        for source in sources {
            let records = moment.sections.iter().filter(|section| section.name == source.section).flat_map(|section| &section.records);
            for record in records {
                let slot = int(record, source.number.0) - source.number.1;
                let Some(origin) = origin(record, source.origin) else { continue };
                if (0..MOST_PLAYERS).contains(&slot) && bodies.iter().all(|(known, _)| i64::from(*known) != slot) {
                    bodies.push((slot as u16, Body { origin, in_air: (source.in_air)(record) }));
                }
            }
        }
        Bodies(bodies)
    }

    pub fn find(&self, player: &Player) -> Option<&Body> {
        let slot = player.slot?;
        self.0.iter().find(|(known, _)| *known == slot).map(|(_, body)| body)
    }
}

fn int(record: &Record, name: &str) -> i64 {
    match record.find(name) {
        Some(Value::Int(value)) => *value,
        _ => 0,
    }
}

fn origin(record: &Record, name: &str) -> Option<[f32; 3]> {
    match record.find(name)? {
        Value::Floats(values) => values.as_slice().try_into().ok(),
        Value::Ints(values) => values.iter().map(|&value| value as f32).collect::<Vec<_>>().try_into().ok(),
        _ => None,
    }
}
