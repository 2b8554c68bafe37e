//! The names that keys and values have, by dialect and game.

use std::borrow::Cow;

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::Field;
use fragreel_base::textform::{Flags, Names};

use crate::dialect::Dialect;
use crate::fields::{SLOTS, array};
use crate::game::{Game, Mod};

/// Kinds of entities before events.
const ENTITY_TYPES: [&str; 13] =
    ["general", "player", "item", "missile", "mover", "beam", "portal", "speaker", "push trigger", "teleport trigger", "invisible", "grapple", "team"];
/// How something moves.
const TRAJECTORIES: [&str; 6] = ["stationary", "interpolate", "linear", "linear stop", "sine", "gravity"];
/// How the player moves.
const MOVEMENTS: [&str; 7] = ["normal", "noclip", "spectator", "dead", "freeze", "intermission", "spintermission"];

/// What the player's weapon does.
const WEAPON_STATES: [&str; 4] = ["ready", "raising", "dropping", "firing"];

/// What is known of a snapshot as a whole.
pub(crate) const SNAPSHOT_FLAGS: Flags = Flags(&[(1, "SNAPFLAG_RATE_DELAYED"), (2, "SNAPFLAG_NOT_ACTIVE"), (4, "SNAPFLAG_SERVERCOUNT")]);

/// What is known of an entity. Bit 4 is of missiles, and of the events of players.
const ENTITY_FLAGS: Flags = Flags(&[
    (0x1, "EF_DEAD"),
    (0x2, "EF_TICKING"),
    (0x4, "EF_TELEPORT_BIT"),
    (0x8, "EF_AWARD_EXCELLENT"),
    (0x10, "EF_BOUNCE"),
    (0x20, "EF_BOUNCE_HALF"),
    (0x40, "EF_AWARD_GAUNTLET"),
    (0x80, "EF_NODRAW"),
    (0x100, "EF_FIRING"),
    (0x200, "EF_KAMIKAZE"),
    (0x400, "EF_MOVER_STOP"),
    (0x800, "EF_AWARD_CAP"),
    (0x1000, "EF_TALK"),
    (0x2000, "EF_CONNECTION"),
    (0x4000, "EF_VOTED"),
    (0x8000, "EF_AWARD_IMPRESSIVE"),
    (0x1_0000, "EF_AWARD_DEFEND"),
    (0x2_0000, "EF_AWARD_ASSIST"),
    (0x4_0000, "EF_AWARD_DENIED"),
    (0x8_0000, "EF_TEAMVOTED"),
]);

/// The names of configstrings from protocol 46 on, before those of models.
const STRINGS: [&str; 28] = [
    "CS_SERVERINFO",
    "CS_SYSTEMINFO",
    "CS_MUSIC",
    "CS_MESSAGE",
    "CS_MOTD",
    "CS_WARMUP",
    "CS_SCORES1",
    "CS_SCORES2",
    "CS_VOTE_TIME",
    "CS_VOTE_STRING",
    "CS_VOTE_YES",
    "CS_VOTE_NO",
    "CS_TEAMVOTE_TIME",
    "CS_TEAMVOTE_TIME+1",
    "CS_TEAMVOTE_STRING",
    "CS_TEAMVOTE_STRING+1",
    "CS_TEAMVOTE_YES",
    "CS_TEAMVOTE_YES+1",
    "CS_TEAMVOTE_NO",
    "CS_TEAMVOTE_NO+1",
    "CS_GAME_VERSION",
    "CS_LEVEL_START_TIME",
    "CS_INTERMISSION",
    "CS_FLAGSTATUS",
    "CS_SHADERSTATE",
    "CS_BOTINFO",
    "",
    "CS_ITEMS",
];

/// Models and sounds of a level.
const MODELS: usize = 256;

/// The name of a configstring's index, as far as the game states it.
pub(crate) fn string_name(game: &Game, index: usize) -> Option<String> {
    let places = &game.strings;
    if game.modification == Mod::UrbanTerror {
        return None;
    }
    let lists = [
        ("CS_MODELS", places.players - 2 * MODELS, places.players - MODELS),
        ("CS_SOUNDS", places.players - MODELS, places.players),
        ("CS_PLAYERS", places.players, places.locations),
        ("CS_LOCATIONS", places.locations, places.locations + 64),
    ];
    if let Some((name, from, _)) = lists.into_iter().find(|(_, from, to)| (*from..*to).contains(&index)) {
        return Some(format!("{name}+{}", index - from));
    }
    STRINGS.iter().take(places.named).nth(index).filter(|name| !name.is_empty()).map(|name| (*name).to_owned())
}

/// A table of fields with their names and those of their values.
pub(crate) struct Table {
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
pub(crate) struct Vocabulary {
    pub dialect: &'static Dialect,
    pub entity: Table,
    pub player: Table,
    /// Slots of the player's arrays.
    pub slots: [Names; array::COUNT],
    enumerations: Vec<Names>,
    /// The names of bits: of the player's movement, and of entities.
    flags: Option<[Flags; 2]>,
}

impl Vocabulary {
    pub(crate) fn new(dialect: &'static Dialect, game: &Game) -> Self {
        let unknown = game.events.names.is_empty();
        let types = (game.events.first_type as usize).min(ENTITY_TYPES.len());
        let entity_types = ENTITY_TYPES[..types].iter().chain(game.events.names).copied().take(256);
        let enumerations = vec![
            if unknown { Names::default() } else { Names::new(entity_types) },
            Names::new(TRAJECTORIES),
            if unknown { Names::default() } else { Names::new(MOVEMENTS) },
            Names::new(game.weapons.iter().map(|weapon| short(weapon))),
            Names::new((0..if unknown { 0 } else { 4 * EVENTS }).map(|number| event(game, number))),
            if unknown { Names::default() } else { Names::new(WEAPON_STATES) },
        ];
        let flags = (!unknown).then_some([Flags(game.move_flags), ENTITY_FLAGS]);
        let slots = [game.stats, game.persistant, game.weapons, game.powerups].map(slots);
        Vocabulary { dialect, entity: Table::new(dialect.entity), player: Table::new(dialect.player), slots, enumerations, flags }
    }

    /// The names of a field's bits, where they have some.
    pub(crate) fn flags(&self, field: &str) -> Option<Flags> {
        let [moves, entity] = self.flags?;
        match field {
            "pm_flags" => Some(moves),
            "eFlags" => Some(entity),
            _ => None,
        }
    }

    /// The names of the values of the field called `name`, where it has some.
    pub(crate) fn names(&self, name: &str) -> Option<&Names> {
        enumeration(name).map(|at| &self.enumerations[at])
    }

    /// The names of a field's values, where it has some.
    pub(super) fn values(&self, table: &Table, at: usize) -> Option<&Names> {
        table.values[at].map(|enumeration| &self.enumerations[enumeration])
    }
}

/// Fields whose names differ in the number behind them only: `origin[0]`, `origin[1]`, `origin[2]`.
pub(crate) struct Vector {
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
        "event" | "externalEvent" | "events[0]" | "events[1]" => 4,
        "weaponstate" => 5,
        _ => return None,
    })
}

/// Numbers of events before the bits that distinguish a repeated one from the one before.
const EVENTS: usize = 256;

/// The name of an event, with what distinguishes it from the one before.
fn event(game: &Game, number: usize) -> Cow<'static, str> {
    match game.events.names.get(number % EVENTS) {
        Some(name) if number < EVENTS || name.is_empty() => Cow::Borrowed(name),
        Some(name) => Cow::Owned(format!("{name}#{}", number / EVENTS)),
        None => Cow::Borrowed(""),
    }
}

/// The name of a weapon or power-up without its prefix.
fn short(name: &'static str) -> &'static str {
    ["weapon_", "item_", "team_CTF_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Names of slots; a slot without one goes by its number. Behind them, all numbers once more, for text that has numbers where slots have names.
fn slots(names: &'static [&'static str]) -> Names {
    let named = (0..SLOTS).map(|slot| match names.get(slot) {
        Some(name) if !name.is_empty() => Cow::Borrowed(short(name)),
        _ => Cow::Owned(slot.to_string()),
    });
    Names::new(named.chain((0..SLOTS).map(|slot| Cow::Owned(slot.to_string()))))
}
