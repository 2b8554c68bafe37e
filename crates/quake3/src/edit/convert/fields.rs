//! How one protocol's numbers become another's (`docs/formats/quake3.md`, "Converting").
//!
//! Every rule converts one value by itself and keeps 0. So deltas can be converted one by one: they fit the converted base.

use fragreel_model::{Loss, LossList};

use fragreel_base::delta::FieldSet;
use fragreel_base::delta::interleaved::{self, Field, Kind, Row, Spelling};

use crate::dialect::{Dialect, Layout};
use crate::fields::{SLOTS, array, find};
use crate::game::Game;
use crate::game::events::{EventList, TOGGLE_BITS};
use crate::message::{ArrayDelta, Change, EntityDelta, PlayerDelta};
use crate::state::PlayerState;

/// How a value is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    Same,
    /// The number of an event, with the bits that distinguish repetitions.
    Event,
    /// The type of an entity, which may be an event by itself.
    EntityType,
    /// One bit per power-up.
    Powerups,
    /// Bits without these.
    Without(u32),
    /// Quake Live's movement flags.
    MoveFlags,
}

/// The way from one table of fields to another, and from the slots of a player's arrays to others.
#[derive(Debug, Clone)]
pub(in crate::edit) struct FieldConverter {
    from: &'static Dialect,
    to: &'static Dialect,
    /// Whether nothing has to change.
    pub same: bool,
    /// By field of the source: the target's field and the rule.
    entity: Vec<(usize, Rule)>,
    player: Vec<(usize, Rule)>,
    /// By array and slot.
    slots: [[Option<usize>; SLOTS]; array::COUNT],
    /// Values that the target cannot represent.
    pub lost: LossList,
}

/// `eFlags` of a player who has voted; something else in protocol 91.
const VOTED: u32 = 0x4000;

impl FieldConverter {
    pub(crate) fn new(from: &'static Dialect, to: &'static Dialect) -> Self {
        let mut slots = [std::array::from_fn(Some); array::COUNT];
        if from.line != to.line {
            let (old, new) = (Game::plain(from.line).persistant, Game::plain(to.line).persistant);
            slots[array::PERSISTANT] =
                std::array::from_fn(|slot| old.get(slot).filter(|name| !name.is_empty()).and_then(|name| new.iter().position(|other| other == name)));
        }
        if from.flags_first != to.flags_first {
            // 14 counts other things from then on
            slots[array::PERSISTANT] = std::array::from_fn(|slot| Some(slot).filter(|&slot| slot < 14));
            slots[array::POWERUPS] = std::array::from_fn(|slot| Some(flags_first(slot)));
        }
        let same =
            from.layout == to.layout && from.entity == to.entity && from.player == to.player && from.line == to.line && from.flags_first == to.flags_first;
        FieldConverter {
            from,
            to,
            same,
            entity: way(from, to, from.entity, to.entity),
            player: way(from, to, from.player, to.player),
            slots,
            lost: LossList::default(),
        }
    }

    /// Converts the delta of an entity.
    pub(crate) fn entity(&mut self, delta: &EntityDelta) -> EntityDelta {
        let mut new = EntityDelta { number: delta.number, change: delta.change, ..EntityDelta::default() };
        if delta.change == Change::Changed {
            let way = std::mem::take(&mut self.entity);
            let sent = self.values(&way, (self.from.entity, self.to.entity), &delta.row, delta.spelling.sent, &mut new.row);
            self.entity = way;
            new.spelling = spelled::<true>(self.to, self.to.entity, &new.row, sent);
        }
        new
    }

    /// Converts the delta of the player.
    pub(crate) fn player(&mut self, delta: &PlayerDelta) -> PlayerDelta {
        let mut new = PlayerDelta::default();
        let way = std::mem::take(&mut self.player);
        let sent = self.values(&way, (self.from.player, self.to.player), &delta.row, delta.spelling.sent, &mut new.row);
        self.player = way;
        new.spelling = spelled::<false>(self.to, self.to.player, &new.row, sent);
        for (array, (old, new)) in delta.arrays.iter().zip(&mut new.arrays).enumerate() {
            *new = ArrayDelta::default();
            // an array that was not sent holds leftovers
            for (slot, value) in old.changes().filter(|_| delta.arrays_sent) {
                match self.slots[array][slot] {
                    Some(slot) => {
                        new.mask |= 1 << slot;
                        new.values[slot] = value;
                    }
                    None if value != 0 => self.lose_slot(array, slot),
                    None => {}
                }
            }
            new.sent = new.mask != 0;
        }
        // before protocol 66 there is no flag in front of them
        new.arrays_sent = new.arrays.iter().any(|array| array.sent) || self.to.layout == Layout::Plain;
        new
    }

    /// An entity's row as the target has it.
    pub(crate) fn entity_row(&mut self, row: &Row) -> Row {
        if self.same {
            return *row;
        }
        let mut new = [0; 64];
        let way = std::mem::take(&mut self.entity);
        self.values(&way, (self.from.entity, self.to.entity), row, all(self.from.entity), &mut new);
        self.entity = way;
        new
    }

    /// A player's state as the target has it.
    pub(crate) fn player_state(&mut self, player: &PlayerState) -> PlayerState {
        if self.same {
            return *player;
        }
        let mut new = PlayerState::default();
        let way = std::mem::take(&mut self.player);
        self.values(&way, (self.from.player, self.to.player), &player.row, all(self.from.player), &mut new.row);
        self.player = way;
        for (array, values) in player.arrays.iter().enumerate() {
            for (slot, &value) in values.iter().enumerate() {
                if let Some(to) = self.slots[array][slot] {
                    new.arrays[array][to] = value;
                }
            }
        }
        new
    }

    fn values(&mut self, way: &[(usize, Rule)], (from, to): (&[Field], &[Field]), old: &Row, sent: FieldSet, new: &mut Row) -> FieldSet {
        let mut out = FieldSet::EMPTY;
        for at in sent {
            let Some(&(place, rule)) = way.get(at) else { continue };
            if place >= to.len() {
                if old[at] != 0 {
                    self.lost.lose(Loss::Field { name: from[at].name.to_owned() });
                }
                continue;
            }
            let value = self.value(rule, old[at]);
            new[place] = encode_in_parts(to[place].kind, value);
            if encode_in_parts(from[at].kind, new[place]) != encode_in_parts(from[at].kind, value) {
                self.lost.lose(Loss::FieldValues { name: from[at].name.to_owned(), kind: format!("{:?}", to[place].kind) });
            }
            out.insert(place);
        }
        out
    }

    fn value(&mut self, rule: Rule, value: u32) -> u32 {
        match rule {
            Rule::Same => value,
            Rule::Event => match self.event(value & !TOGGLE_BITS) {
                0 => 0,
                event => event | value & TOGGLE_BITS,
            },
            Rule::EntityType => {
                let (old, new) = (list(self.from), list(self.to));
                if value < old.first_type { value } else { new.first_type + self.event(value - old.first_type) }
            }
            Rule::Powerups => (0..16).filter(|bit| value >> bit & 1 != 0).fold(value & !0xffff, |bits, bit| bits | 1 << flags_first(bit)),
            Rule::Without(bits) => value & !bits,
            Rule::MoveFlags => value & !(1 << 8 | 1 << 13 | 1 << 7) | (value >> 8 & 1) << 7,
        }
    }

    fn event(&mut self, event: u32) -> u32 {
        let (old, new) = (list(self.from), list(self.to));
        let Some(&name) = old.names.get(event as usize) else {
            self.lost.lose(Loss::UnnamedEvent { number: event });
            return 0;
        };
        match new.names.iter().position(|other| *other == name) {
            Some(at) => at as u32,
            None => {
                self.lost.lose(Loss::Event { name: String::from(name) });
                0
            }
        }
    }

    fn lose_slot(&mut self, array: usize, slot: usize) {
        let name = self.from.arrays.iter().find(|known| known.at == array).map_or("", |known| known.name);
        self.lost.lose(Loss::ArraySlot { slot: slot as u64, array: name.to_owned() });
    }
}

fn list(dialect: &Dialect) -> &'static EventList {
    Game::plain(dialect.line).events
}

/// Power-ups by slot before protocol 91: quad, battle suit, haste, invisibility, regeneration, flight, then the flags. From then
/// on flags come first.
fn flags_first(slot: usize) -> usize {
    match slot {
        1..=6 => slot + 3,
        7..=9 => slot - 6,
        other => other,
    }
}

fn way(from: &'static Dialect, to: &'static Dialect, old: &[Field], new: &[Field]) -> Vec<(usize, Rule)> {
    let rule = |name: &str| match name {
        "event" | "externalEvent" | "events[0]" | "events[1]" if from.line != to.line => Rule::Event,
        "eType" if from.line != to.line => Rule::EntityType,
        "powerups" if from.flags_first != to.flags_first => Rule::Powerups,
        "eFlags" if from.flags_first != to.flags_first => Rule::Without(VOTED),
        "pm_flags" if from.flags_first != to.flags_first => Rule::MoveFlags,
        _ => Rule::Same,
    };
    old.iter().map(|field| (find(new, field.name), rule(field.name))).collect()
}

fn all(table: &[Field]) -> FieldSet {
    let mut set = FieldSet::EMPTY;
    (0..table.len()).for_each(|at| set.insert(at));
    set
}

/// A value as it arrives through a field of this kind.
fn encode_in_parts(kind: Kind, value: u32) -> u32 {
    match kind {
        Kind::Float | Kind::Uint(32) => value,
        Kind::Uint(width) => value & ((1 << width) - 1),
        Kind::Int(width) => fragreel_base::wire::sign_extend(value & (u32::MAX >> (32 - u32::from(width))), u32::from(width)),
    }
}

fn spelled<const ENTITY: bool>(to: &Dialect, table: &[Field], row: &Row, sent: FieldSet) -> Spelling {
    match (to.layout, ENTITY) {
        (Layout::Coded, true) => interleaved::spelled::<true>(table, row, sent),
        _ => interleaved::spelled::<false>(table, row, sent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(from: u16, to: u16) -> FieldConverter {
        FieldConverter::new(Dialect::of(from).unwrap(), Dialect::of(to).unwrap())
    }

    #[test]
    fn nothing_stays_nothing() {
        for (from, to) in [(43, 68), (45, 68), (46, 68), (48, 68), (73, 91), (90, 91)] {
            let mut fields = fields(from, to);
            assert_eq!(fields.entity_row(&[0; 64]), [0; 64]);
            assert_eq!(fields.player_state(&PlayerState::default()), PlayerState::default());
            assert!(fields.lost.is_empty());
        }
    }

    /// Numbers as they are listed for both games.
    #[test]
    fn early_numbers_become_later_ones() {
        let mut early = fields(45, 68);
        let table = early.from.entity;
        let mut row = [0; 64];
        // an obituary entity, and an event of a player with a toggle bit
        row[find(table, "eType")] = 12 + 58;
        row[find(table, "event")] = 0x100 | 58;
        let new = early.entity_row(&row);
        assert_eq!((new[find(early.to.entity, "eType")], new[find(early.to.entity, "event")]), (13 + 60, 0x100 | 60));
        let mut player = PlayerState::default();
        player.row[find(early.from.player, "weaponTime")] = 0xffce;
        player.arrays[1] = [9, 8, 7, 6, 5, 0, 0, 4, 3, 2, 1, 11, 0, 0, 0, 0];
        let new = early.player_state(&player);
        assert_eq!(new.row[find(early.to.player, "weaponTime")] as i32, -50);
        assert_eq!(new.arrays[1], [9, 8, 7, 6, 5, 0, 4, 0, 3, 2, 1, 0, 0, 11, 0, 0]);
        assert!(early.lost.is_empty(), "{:?}", early.lost);
    }

    #[test]
    fn flags_come_first_in_the_last_protocol() {
        let mut live = fields(90, 91);
        let mut row = [0; 64];
        row[find(live.from.entity, "powerups")] = 1 << 1 | 1 << 7 | 1 << 10;
        row[find(live.from.entity, "eFlags")] = 0x4001;
        let new = live.entity_row(&row);
        assert_eq!(new[find(live.to.entity, "powerups")], 1 << 4 | 1 << 1 | 1 << 10);
        assert_eq!(new[find(live.to.entity, "eFlags")], 1);
        let mut player = PlayerState::default();
        player.row[find(live.from.player, "pm_flags")] = 1 << 8 | 1 << 12 | 1 << 13;
        player.arrays[3][8] = 99;
        let new = live.player_state(&player);
        assert_eq!((new.row[find(live.to.player, "pm_flags")], new.arrays[3][2]), (1 << 7 | 1 << 12, 99));
    }
}
