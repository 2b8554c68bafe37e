//! The names that keys and values have, by dialect and game.

use std::borrow::Cow;

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::Field;
use fragreel_base::textform::Names;

use crate::dialect::Dialect;
use crate::game::Game;

/// Kinds of entities before events.
const ENTITY_TYPES: [&str; 13] =
    ["general", "player", "item", "missile", "mover", "beam", "portal", "speaker", "push trigger", "teleport trigger", "invisible", "grapple", "team"];
/// How something moves.
const TRAJECTORIES: [&str; 6] = ["stationary", "interpolate", "linear", "linear stop", "sine", "gravity"];
/// How the player moves.
const MOVEMENTS: [&str; 7] = ["normal", "noclip", "spectator", "dead", "freeze", "intermission", "spintermission"];

/// Slots of each of the player's arrays.
const SLOTS: usize = 16;

/// A table of fields with their names and those of their values.
pub(super) struct Table {
    pub fields: &'static [Field],
    /// The fields' names, and behind them the vectors'.
    pub names: Names,
    /// Fields that are the components of one vector.
    pub vectors: Vec<Vector>,
    /// For each field, which vector it belongs to.
    pub vector_of: Vec<Option<usize>>,
    /// For each field, which of the enumerations its value is of.
    values: Vec<Option<usize>>,
}

/// All names of a recording.
pub(super) struct Vocabulary {
    pub dialect: &'static Dialect,
    pub entity: Table,
    pub player: Table,
    /// Slots of the player's arrays.
    pub slots: [Names; 4],
    enumerations: Vec<Names>,
}

impl Vocabulary {
    pub(super) fn new(dialect: &'static Dialect, game: &Game) -> Self {
        let known = game.events.names.is_empty();
        let types = (game.events.first_type as usize).min(ENTITY_TYPES.len());
        let entity_types = ENTITY_TYPES[..types].iter().chain(game.events.names).copied().take(256);
        let enumerations = vec![
            if known { Names::default() } else { Names::new(entity_types) },
            Names::new(TRAJECTORIES),
            if known { Names::default() } else { Names::new(MOVEMENTS) },
            Names::new(game.weapons.iter().map(|weapon| short(weapon))),
        ];
        let slots = [game.stats, game.persistant, game.weapons, game.powerups].map(slots);
        Vocabulary { dialect, entity: Table::new(dialect.entity), player: Table::new(dialect.player), slots, enumerations }
    }

    /// The names of a field's values, where it has some.
    pub(super) fn values(&self, table: &Table, at: usize) -> Option<&Names> {
        table.values[at].map(|enumeration| &self.enumerations[enumeration])
    }
}

/// Fields whose names differ in the number behind them only: `origin[0]`, `origin[1]`, `origin[2]`.
pub(super) struct Vector {
    /// The places of the components.
    pub components: Vec<usize>,
    /// The same as a set.
    pub set: FieldSet,
}

impl Table {
    fn new(fields: &'static [Field]) -> Self {
        let mut names: Vec<&'static str> = fields.iter().map(|field| field.name).collect();
        let mut vectors = Vec::new();
        let mut vector_of = vec![None; fields.len()];
        for (at, field) in fields.iter().enumerate() {
            let Some(base) = field.name.strip_suffix("[0]") else { continue };
            let component = |number: usize| fields.iter().position(|field| field.name == format!("{base}[{number}]"));
            let components: Vec<usize> = std::iter::once(at).chain((1..).map_while(component)).collect();
            let set = components.iter().fold(FieldSet::EMPTY, |set, &at| FieldSet(set.0 | 1 << at));
            components.iter().for_each(|&at| vector_of[at] = Some(vectors.len()));
            names.push(base);
            vectors.push(Vector { components, set });
        }
        let values = fields.iter().map(|field| enumeration(field.name)).collect();
        Table { fields, names: Names::new(names), vectors, vector_of, values }
    }

    /// The members for the `sent` fields: a vector where at least two of its components are sent.
    pub(super) fn members(&self, sent: FieldSet) -> impl Iterator<Item = usize> + '_ {
        sent.into_iter().filter_map(move |at| {
            let Some(vector) = self.vector_of[at] else { return Some(at) };
            let told = FieldSet(self.vectors[vector].set.0 & sent.0);
            match told.into_iter().next() {
                _ if told.len() < 2 => Some(at),
                first if first == Some(at) => Some(self.fields.len() + vector),
                _ => None,
            }
        })
    }
}

fn enumeration(field: &str) -> Option<usize> {
    Some(match field {
        "eType" => 0,
        "pos.trType" | "apos.trType" => 1,
        "pm_type" => 2,
        "weapon" => 3,
        _ => return None,
    })
}

/// The name of a weapon or power-up without its prefix.
fn short(name: &'static str) -> &'static str {
    ["weapon_", "item_", "team_CTF_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Names of slots; a slot without one goes by its number.
fn slots(names: &'static [&'static str]) -> Names {
    Names::new((0..SLOTS).map(|slot| match names.get(slot) {
        Some(name) if !name.is_empty() => Cow::Borrowed(short(name)),
        _ => Cow::Owned(slot.to_string()),
    }))
}
