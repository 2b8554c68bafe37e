//! Fills a frame from a state: view, players, entities.

use fragreel_model::{
    EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Held, Look, Milliseconds, PlayerFrame, Subject, Term, View, common, share,
};

use super::looks::{Figures, shell};
use super::models::Models;
use super::server_info::ServerInfo;
use super::sounds::Sounds;
use crate::dialect::{Dialect, FrameHeader};
use crate::fields::{entity, player};
use crate::state::{PlayerState, RF_BEAM, State};
use crate::walk::roster::Roster;

/// Stats of every game in the family.
mod stat {
    pub(super) const HEALTH: usize = 1;
    pub(super) const AMMO_ICON: usize = 2;
    pub(super) const AMMO: usize = 3;
    pub(super) const ARMOR: usize = 5;
    pub(super) const TIMER_ICON: usize = 9;
    pub(super) const TIMER: usize = 10;
    pub(super) const FRAGS: usize = 14;
    pub(super) const CHASE: usize = 16;
}

/// `pm_type`.
mod moves {
    pub(super) const NORMAL: u32 = 0;
    pub(super) const SPECTATOR: u32 = 1;
    pub(super) const FREEZE: u32 = 4;
}

/// `pm_flags`.
const DUCKED: u32 = 1;
const ON_GROUND: u32 = 4;
/// Entity events of a teleport.
const TELEPORTS: std::ops::RangeInclusive<u32> = 6..=7;
/// Player effects: power-ups and flags.
const EFFECTS: [(u32, &str, &str, bool); 4] = [
    (0x8000, "quad", common::QUAD, true),
    (0x1_0000, "pent", common::INVULNERABILITY, true),
    (0x4_0000, "flag1", common::RED_FLAG, false),
    (0x8_0000, "flag2", common::BLUE_FLAG, false),
];
/// Missile effects: blaster, rocket, grenade, hyperblaster, BFG.
const MISSILE: u32 = 0x08 | 0x10 | 0x20 | 0x40 | 0x80;
/// The effect of items to pick up.
const ROTATE: u32 = 1;
/// The maximum movement on one axis in one frame. Engines do not interpolate over more.
const JUMP: f32 = 512.0;
/// The same limit for a view.
const VIEW_JUMP: f32 = 256.0;

/// An entity in the last frame that had it.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    filled: u32,
    origin: [f32; 3],
    model: u32,
}

/// Fills frames from states.
#[derive(Debug, Clone)]
pub(super) struct Filler {
    fields: Fields,
    entities: EntityKinds,
    roster: Roster,
    /// The slots of the roster's players.
    listed: Vec<u16>,
    models: Models,
    figures: Figures,
    sounds: Sounds,
    /// The terms of [`EFFECTS`].
    effects: [Term; 4],
    /// Whether strings changed since the last frame.
    stale: bool,
    /// Entities from 1 to this are players.
    slots: u16,
    /// By entity number. Player states follow from [`STATES`].
    last: Vec<Last>,
    filled: u32,
    /// The position of each slot among the players of the frame, from 1.
    places: Vec<u16>,
    /// The number of players in the frame.
    players: usize,
}

/// The offset of player states in [`Filler::last`]. No engine has this many entities.
const STATES: usize = 8192;
/// More slots than any engine has.
const SLOTS: u16 = 256;

impl Filler {
    pub(super) fn new(options: &FrameOptions) -> Self {
        Filler {
            fields: options.fields,
            entities: options.entities,
            roster: Roster::default(),
            listed: Vec::new(),
            models: Models::default(),
            figures: Figures::default(),
            sounds: Sounds::default(),
            effects: EFFECTS.map(|(_, own, common, _)| Term::new(own, Some(common))),
            stale: true,
            slots: 1,
            last: vec![Last::default(); STATES + usize::from(SLOTS)],
            filled: 1,
            places: Vec::new(),
            players: 0,
        }
    }

    /// Handles a change of strings.
    pub(super) fn level(&mut self) {
        self.stale = true;
    }

    /// Handles a discontinuity: the next frame does not follow the last one.
    pub(super) fn forget(&mut self) {
        self.filled += 2;
    }

    pub(super) fn fill(&mut self, state: &State, server_info: &ServerInfo, frame: &mut Frame) {
        self.filled += 1;
        if std::mem::take(&mut self.stale) {
            self.models.clear();
            self.figures.clear();
            self.sounds.clear();
            let stated = std::str::from_utf8(state.strings.get(state.dialect.strings.maxclients)).ok().and_then(|text| text.trim().parse::<u16>().ok());
            self.slots = stated.unwrap_or(1).clamp(1, SLOTS);
            self.roster.update(state, self.slots);
            self.listed = self.roster.iter().map(|(slot, _)| slot).collect();
        }
        self.places.clear();
        self.places.resize(usize::from(SLOTS), 0);
        self.players = 0;
        for at in 0..self.listed.len() {
            self.player(frame, self.listed[at]);
        }
        let single = !(state.dialect.is_mvd() || state.dialect.unicasts() || state.dialect.frame == FrameHeader::Server);
        for (number, own) in state.players() {
            let slot = own_slot(&state.dialect, number, own);
            if single && frame.view.is_none() && self.fields.any(Fields::VIEW) {
                frame.view = Some(self.view(state, slot, own));
            }
            if let Some(slot) = slot.filter(|&slot| slot < SLOTS) {
                self.fill_player(state, frame, slot, own);
            }
        }
        self.fill_entities(state, frame);
        frame.end_players(self.players);
        if self.fields.any(Fields::SCORE) {
            frame.players.iter_mut().for_each(|player| player.ping = server_info.ping(player.slot));
        }
    }

    /// Returns the player of a slot, and adds it to the frame if needed.
    fn player<'f>(&mut self, frame: &'f mut Frame, slot: u16) -> &'f mut PlayerFrame {
        let place = &mut self.places[usize::from(slot)];
        if *place == 0 {
            let player = frame.player_at(self.players, slot);
            player.unseen();
            player.spectator = None;
            let entry = self.roster.get(slot);
            share(&mut player.name, entry.map(|entry| &entry.name));
            share(&mut player.team, entry.and_then(|entry| entry.team.as_ref()));
            self.players += 1;
            *place = self.players as u16;
        }
        &mut frame.players[usize::from(*place) - 1]
    }

    /// Whether something teleported since the last frame.
    fn jumped(&mut self, at: usize, origin: [f32; 3], model: u32, most: f32) -> bool {
        let now = Last { filled: self.filled, origin, model };
        let last = std::mem::replace(&mut self.last[at], now);
        let far = (0..3).any(|axis| (origin[axis] - last.origin[axis]).abs() > most);
        last.filled + 1 == self.filled && (far || last.model != model)
    }

    fn view(&mut self, state: &State, slot: Option<u16>, own: &PlayerState) -> View {
        let dialect = &state.dialect;
        let chased = chased(state, own);
        let origin = vector(dialect, &own.row, player::ORIGIN_X);
        let offset: [f32; 3] = std::array::from_fn(|axis| {
            let word = own.row[player::VIEWOFFSET_X + axis] as i32 as f32;
            word / if dialect.floats { 16.0 } else { 4.0 }
        });
        let height = if dialect.floats { own.row[player::VIEWHEIGHT] as i32 as f32 } else { 0.0 };
        let eyes = [origin[0] + offset[0], origin[1] + offset[1], origin[2] + offset[2] + height];
        let mut view = View::new(chased.or(slot), eyes, Some(turned(dialect, &own.row, player::VIEWANGLES_X)));
        view.fov = (own.row[player::FOV] != 0).then_some(own.row[player::FOV] as f32);
        view.teleported = self.jumped(0, origin, u32::from(view.slot.unwrap_or(u16::MAX)), VIEW_JUMP);
        view
    }

    fn fill_player(&mut self, state: &State, frame: &mut Frame, slot: u16, own: &PlayerState) {
        let (dialect, fields, server_time) = (&state.dialect, self.fields, frame.server_time);
        let (row, stats) = (&own.row, &own.stats);
        let kind = row[player::PM_TYPE];
        let spectator = kind == moves::SPECTATOR || kind == moves::FREEZE && chased(state, own).is_some();
        let origin = vector(dialect, row, player::ORIGIN_X);
        let jumped = self.jumped(STATES + usize::from(slot), origin, 0, VIEW_JUMP);
        let image = |filler: &mut Self, index: i16| filler.models.image(state, index).cloned();
        let ammo = if fields.any(Fields::AMMO) { image(self, stats[stat::AMMO_ICON]) } else { None };
        let timed = if fields.any(Fields::POWERUPS) { image(self, stats[stat::TIMER_ICON]) } else { None };
        let gun = row[player::GUNINDEX] & 0x1fff;
        let weapon = if fields.any(Fields::WEAPON) { self.models.model(state, gun).and_then(|entry| entry.weapon.clone()) } else { None };
        let to = self.player(frame, slot);
        to.teleported = jumped;
        to.spectator = Some(spectator);
        if fields.any(Fields::ORIGIN) {
            to.origin = Some(origin);
        }
        if fields.any(Fields::ANGLES) {
            to.angles = Some(turned(dialect, row, player::VIEWANGLES_X));
        }
        if !dialect.is_mvd() {
            if fields.any(Fields::VELOCITY) {
                to.velocity = Some(vector(dialect, row, player::VELOCITY_X));
            }
            if fields.any(Fields::STANCE) {
                let flags = row[player::PM_FLAGS];
                (to.on_ground, to.crouching) = (Some(flags & ON_GROUND != 0), Some(flags & DUCKED != 0));
            }
        }
        if fields.any(Fields::SCORE) {
            to.score = Some(stats[stat::FRAGS].into());
        }
        if spectator {
            return;
        }
        let health = i32::from(stats[stat::HEALTH]);
        if fields.any(Fields::HEALTH) {
            to.health = Some(health);
            to.alive = match kind {
                moves::NORMAL | moves::FREEZE => Some(health > 0),
                _ => Some(false),
            };
        }
        if fields.any(Fields::ARMOR) {
            to.armor = Some(stats[stat::ARMOR].into());
        }
        to.weapon = weapon;
        to.ammo.extend(ammo.map(|what| Held { what, amount: Some(stats[stat::AMMO].into()), until: None }));
        let until = server_time + Milliseconds(i64::from(stats[stat::TIMER]) * 1000);
        to.powerups.extend(timed.map(|what| Held { what, amount: None, until: Some(until) }));
    }

    fn fill_entities(&mut self, state: &State, frame: &mut Frame) {
        let (players, only_players) = (self.slots, self.entities == EntityKinds::NONE);
        state.stated_entities(|number, row, is_new| {
            if number <= players || !only_players {
                self.fill_entity(state, frame, number, row, is_new);
            }
        });
    }

    fn fill_entity(&mut self, state: &State, frame: &mut Frame, number: u16, row: &entity::Row, is_new: bool) {
        // an event lasts for one frame
        let event = if is_new { row[entity::EVENT] } else { 0 };
        if number <= self.slots && row[entity::MODELINDEX] == player_model(&state.dialect) {
            self.fill_from_entity(state, frame, number, row, event);
        }
        if self.entities == EntityKinds::NONE || usize::from(number) >= STATES {
            return;
        }
        let kind = self.kind(state, number, row, event);
        if self.entities.wants(kind) {
            let seen = self.entity(state, number, kind, row, event);
            frame.entities.push(seen);
        }
    }

    /// Fills a player from the player's entity.
    fn fill_from_entity(&mut self, state: &State, frame: &mut Frame, number: u16, row: &entity::Row, event: u32) {
        let (dialect, fields, slot) = (&state.dialect, self.fields, number - 1);
        let carried = (row[entity::MODELINDEX2] == player_model(dialect) && fields.any(Fields::WEAPON)).then(|| row[entity::SKINNUM] >> 8 & 255);
        let weapon = carried.and_then(|number| self.models.carried(state, number).cloned());
        let origin = vector(dialect, row, entity::ORIGIN_X);
        let jumped = self.jumped(usize::from(number), origin, row[entity::MODELINDEX], JUMP) || TELEPORTS.contains(&event);
        let to = self.player(frame, slot);
        to.entity = Some(number.into());
        let alone = to.origin.is_none() && to.spectator.is_none();
        if alone {
            to.teleported = jumped;
            if fields.any(Fields::ORIGIN) {
                to.origin = Some(origin);
            }
            if fields.any(Fields::ANGLES) {
                let mut angles = turned(dialect, row, entity::ANGLES_X);
                // The pitch of a body is a third of the head's.
                angles[0] *= 3.0;
                to.angles = Some(angles);
            }
            if fields.any(Fields::HEALTH) {
                to.alive = Some(row[entity::SOLID] != 0);
            }
            to.weapon = weapon;
        } else {
            to.teleported |= TELEPORTS.contains(&event);
        }
        for ((effect, _, common, power), what) in EFFECTS.iter().zip(&self.effects) {
            let (list, field) = if *power { (&mut to.powerups, Fields::POWERUPS) } else { (&mut to.items, Fields::ITEMS) };
            if row[entity::EFFECTS] & effect != 0 && fields.any(field) && !list.iter().any(|held| held.what.common == Some(*common)) {
                list.push(Held { what: what.clone(), amount: None, until: None });
            }
        }
    }

    /// Adds what every entity in sight is drawn with.
    pub(super) fn looks(&mut self, state: &State, looks: &mut Vec<Look>) {
        let figure_model = player_model(&state.dialect);
        state.stated_entities(|number, row, _| {
            let model = row[entity::MODELINDEX];
            if row[entity::RENDERFX] & RF_BEAM != 0 {
                return;
            }
            let is_player = model == figure_model && (1..=self.slots).contains(&number);
            let mut look = Look::new(if is_player { Subject::Player(number - 1) } else { Subject::Entity(number.into()) });
            let skin = row[entity::SKINNUM];
            if model == figure_model {
                let slot = (skin & 255) as u8;
                if let Some(figure) = self.figures.figure(state, slot) {
                    (look.model, look.skin) = (Some(figure.model.clone()), Some(figure.skin.clone()));
                }
                if row[entity::MODELINDEX2] == figure_model {
                    look.held = self.figures.held(state, slot, (skin >> 8) as u8);
                }
            } else {
                match self.models.model(state, model).filter(|entry| entry.kind != EntityKind::Mover) {
                    Some(entry) => (look.model, look.skin_number) = (Some(entry.model.clone()), Some(skin as i32)),
                    None if row[entity::SOUND] == 0 => return,
                    // a loudspeaker, or a part of the map that hums
                    None => {
                        look.sound = self.sounds.of(state, row[entity::SOUND]);
                        looks.push(look);
                        return;
                    }
                }
            }
            look.frame = Some(row[entity::FRAME] as f32);
            look.carried = self.models.model(state, row[entity::MODELINDEX3]).filter(|entry| entry.kind != EntityKind::Mover).map(|entry| entry.model.clone());
            look.rotates = row[entity::EFFECTS] & ROTATE != 0;
            look.shell = shell(row[entity::EFFECTS], row[entity::RENDERFX]);
            look.sound = self.sounds.of(state, row[entity::SOUND]);
            looks.push(look);
        });
        for (number, own) in state.players() {
            let (Some(slot), row) = (own_slot(&state.dialect, number, own), &own.row) else { continue };
            if let Some(gun) = self.models.model(state, row[player::GUNINDEX] & 0x1fff) {
                let look = Look::of(looks, Subject::Player(slot));
                (look.view_model, look.view_frame) = (Some(gun.model.clone()), Some(row[player::GUNFRAME] as f32));
                // the re-release's have units of their own
                if !state.dialect.floats {
                    let quarters = |from: usize| Some(std::array::from_fn(|axis| row[from + axis] as i32 as f32 / 4.0));
                    (look.view_offset, look.view_turn) = (quarters(player::GUNOFFSET_X), quarters(player::GUNANGLES_X));
                    look.view_kick = quarters(player::KICK_ANGLES_X);
                }
            }
        }
    }

    fn kind(&mut self, state: &State, number: u16, row: &entity::Row, event: u32) -> EntityKind {
        let model = row[entity::MODELINDEX];
        if model == player_model(&state.dialect) {
            return if number <= self.slots { EntityKind::Player } else { EntityKind::Corpse };
        }
        if row[entity::RENDERFX] & RF_BEAM != 0 {
            return EntityKind::Beam;
        }
        let entry = self.models.model(state, model).map(|entry| entry.kind);
        match entry {
            Some(kind @ (EntityKind::Mover | EntityKind::Missile | EntityKind::Item)) => kind,
            Some(_) if row[entity::EFFECTS] & MISSILE != 0 => EntityKind::Missile,
            Some(EntityKind::Other) if row[entity::EFFECTS] & ROTATE != 0 => EntityKind::Item,
            Some(kind) => kind,
            None if row[entity::SOUND] != 0 => EntityKind::Sound,
            None if event != 0 => EntityKind::Effect,
            None => EntityKind::Other,
        }
    }

    fn entity(&mut self, state: &State, number: u16, kind: EntityKind, row: &entity::Row, event: u32) -> EntityFrame {
        let (dialect, fields) = (&state.dialect, self.fields);
        let mut to = EntityFrame::new(number.into(), kind);
        let origin = vector(dialect, row, entity::ORIGIN_X);
        let jumped = kind != EntityKind::Player && self.jumped(usize::from(number), origin, row[entity::MODELINDEX], JUMP);
        to.teleported = jumped || TELEPORTS.contains(&event);
        if fields.any(Fields::ORIGIN) {
            to.origin = Some(origin);
        }
        if fields.any(Fields::ANGLES) {
            to.angles = Some(turned(dialect, row, entity::ANGLES_X));
        }
        if let Some(entry) = self.models.model(state, row[entity::MODELINDEX]) {
            if fields.any(Fields::MODEL) {
                to.model = Some(entry.model.clone());
            }
            to.item.clone_from(&entry.item);
        }
        to
    }
}

/// The slot of a player state. Network recordings of Q2PRO name the player whose view they show.
fn own_slot(dialect: &Dialect, number: i16, own: &PlayerState) -> Option<u16> {
    let named = own.row[player::CLIENTNUM];
    let number = if dialect.clientnum != 0 && named != 0 { named as i16 } else { number };
    u16::try_from(number).ok()
}

/// The player that a spectator follows. A stat holds the number of that player's configstring.
fn chased(state: &State, own: &PlayerState) -> Option<u16> {
    let strings = state.dialect.strings;
    let index = u16::try_from(own.stats[stat::CHASE]).ok()?;
    (strings.playerskins..strings.general).contains(&index).then(|| index - strings.playerskins)
}

/// The player model. Skins say what players look like.
fn player_model(dialect: &Dialect) -> u32 {
    if dialect.extended || dialect.sound16 { 8191 } else { 255 }
}

fn vector<const N: usize>(dialect: &Dialect, row: &[u32; N], from: usize) -> [f32; 3] {
    [0, 1, 2].map(|axis| dialect.units(row[from + axis]))
}

fn turned<const N: usize>(dialect: &Dialect, row: &[u32; N], from: usize) -> [f32; 3] {
    [0, 1, 2].map(|axis| dialect.degrees(row[from + axis]))
}
