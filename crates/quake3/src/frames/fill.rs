//! Fills frames from states: the view, players, entities.

use fragreel_base::delta::interleaved::Row;
use fragreel_model::{
    EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Held, Holding, Look, Milliseconds, PlayerFrame, Subject, Trajectory, View, share,
};

use super::happenings::EF_FIRING;
use super::places::{EntityPlaces, PlayerPlaces, vector, word};
use super::terms::{LevelTerms, term};
use crate::dialect::Dialect;
use crate::fields::array;
use crate::game::Game;
use crate::state::{ENTITIES, PlayerState, SnapshotState, State};

/// Types of entities. Those from [`EventList::first_type`](crate::game::events::EventList::first_type) on are events.
mod entity_type {
    pub(super) const GENERAL: u32 = 0;
    pub(super) const PLAYER: u32 = 1;
    pub(super) const ITEM: u32 = 2;
    pub(super) const MISSILE: u32 = 3;
    pub(super) const MOVER: u32 = 4;
    pub(super) const BEAM: u32 = 5;
    pub(super) const SPEAKER: u32 = 7;
    pub(super) const GRAPPLE: u32 = 11;
}

/// Degrees from the view to where the legs go, by the eight directions of a step.
const STRIDES: [i16; 8] = [0, 22, 45, -22, 0, 22, -45, -22];
/// The player is dead.
const EF_DEAD: u32 = 1;
/// With no more health, a body is in pieces.
const IN_PIECES: i16 = -40;
/// Not drawn.
const EF_NODRAW: u32 = 0x80;
/// Toggles with every teleport.
const EF_TELEPORT: u32 = 4;
/// `groundEntityNum` in the air.
const NO_GROUND: u32 = 1023;
/// `solid` of entities whose model is a part of the map.
const INLINE_MODEL: u32 = 0xff_ffff;
/// `pm_flags` of a crouching player.
const DUCKED: u32 = 1;
/// `pm_flags` of a spectator who follows a player.
const FOLLOWS: u32 = 4096;

/// Colors of the shells that power-ups give.
const QUAD: [u8; 3] = [60, 90, 255];
const BATTLE_SUIT: [u8; 3] = [200, 170, 40];
const INVISIBLE: [u8; 3] = [40, 40, 45];

/// `pm_type`.
mod moves {
    pub(super) const SPECTATOR: u32 = 2;
    pub(super) const DEAD: u32 = 3;
}

/// Fills frames from states.
#[derive(Debug, Clone)]
pub(super) struct Filler {
    fields: Fields,
    entities: EntityKinds,
    entity: EntityPlaces,
    player: PlayerPlaces,
    pub(super) terms: LevelTerms,
    /// `eFlags` of the last frame and its number, by entity: where the teleport bit turns over, something jumped.
    seen: Vec<(u32, u32)>,
    /// The same of entities that are no players. Apart, so that a player does not depend on which entities are asked for.
    passed: Vec<(u32, u32)>,
    /// The same of the view, and its slot.
    view: Option<(u32, u32)>,
    /// Frames filled so far.
    filled: u32,
    /// Which slot of `stats` is what.
    stats: Stats,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stats {
    armor: Option<usize>,
    weapons: Option<usize>,
    holdable: Option<usize>,
    score: Option<usize>,
    /// Where the dead look.
    dead_yaw: Option<usize>,
    /// Whether the game's versions have two layouts.
    two_layouts: bool,
}

impl Stats {
    /// The layout of these stats. OpenArena has Team Arena's since version 0.8.5. Every version states the most health of a player:
    /// in slot 6, or in slot 7 behind the slot that Team Arena inserted.
    fn of(self, stats: &[u32]) -> Stats {
        let inserted = self.two_layouts && stats[6] == 0 && stats[7] != 0;
        let at = |slot: Option<usize>| slot.map(|slot| slot + usize::from(inserted));
        Stats { armor: at(self.armor), weapons: at(self.weapons), dead_yaw: at(self.dead_yaw), ..self }
    }
}

impl Filler {
    pub(super) fn new(dialect: &Dialect, options: &FrameOptions) -> Self {
        Filler {
            fields: options.fields,
            entities: options.entities,
            entity: EntityPlaces::of(dialect),
            player: PlayerPlaces::of(dialect),
            terms: LevelTerms::default(),
            seen: vec![(0, 0); ENTITIES],
            passed: vec![(0, 0); ENTITIES],
            view: None,
            filled: 0,
            stats: Stats::default(),
        }
    }

    /// Starts a level.
    pub(super) fn level(&mut self, state: &State, game: &Game) {
        self.terms.level(state, game);
        let slot = |names: &[&str], wanted: &str| names.iter().position(|name| *name == wanted);
        self.stats = Stats {
            armor: slot(game.stats, "armor"),
            weapons: slot(game.stats, "weapons"),
            holdable: slot(game.stats, "holdable item"),
            score: slot(game.persistant, "score"),
            dead_yaw: slot(game.stats, "dead yaw"),
            two_layouts: game.has_two_layouts(),
        };
        self.forget();
    }

    /// Notes that the next frame does not continue the last one.
    pub(super) fn forget(&mut self) {
        self.filled += 2;
        self.view = None;
    }

    /// The string at `index` changed.
    pub(super) fn string(&mut self, state: &State, game: &Game, index: usize) {
        self.terms.string(state, game, index);
    }

    /// The slot of the player of the view.
    pub(super) fn view_slot(&self, player: &PlayerState) -> u32 {
        word(&player.row, self.player.client)
    }

    pub(super) fn fill(&mut self, state: &State, game: &Game, frame: &mut Frame) {
        let Some(snapshot) = state.snapshot() else { return };
        self.filled += 1;
        let view = self.view_slot(&snapshot.player);
        let slots = self.terms.slots();
        if frame.players.is_empty() {
            frame.players.reserve(self.terms.present.len() + 1);
        }
        for (at, person) in self.terms.present.iter().enumerate() {
            let player = frame.player_at(at, person.slot);
            share(&mut player.name, Some(&person.name));
            share(&mut player.team, person.team.as_ref());
            player.spectator = Some(person.spectates);
        }
        let known = self.terms.present.len();
        let mut count = known;
        // a view or an entity without a string is a player too
        let own = ((view as usize) < slots).then(|| self.terms.place(view).unwrap_or_else(|| player_without_string(frame, known, &mut count, view)));
        self.own(snapshot, view, own, frame);
        for entity in &snapshot.entities {
            let number = u32::from(entity.number);
            if number as usize >= slots && self.entities == EntityKinds::NONE {
                continue;
            }
            let row = state.row(*entity);
            let e_type = word(row, self.entity.e_type);
            let is_player = e_type == entity_type::PLAYER && (number as usize) < slots;
            if is_player && number != view {
                let at = self.terms.place(number).unwrap_or_else(|| player_without_string(frame, known, &mut count, number));
                self.other(number, row, frame_time(snapshot), &mut frame.players[at]);
            }
            let kind = self.kind(e_type, is_player, game);
            if self.entities.wants(kind) {
                let entity = self.entity(number, kind, row, frame_time(snapshot));
                frame.entities.push(entity);
            }
        }
        frame.end_players(count);
        for player in &mut frame.players {
            if player.entity.is_none() && u32::from(player.slot) != view {
                player.unseen();
            }
        }
        if count > known {
            frame.players.sort_by_key(|player| player.slot);
        }
    }

    /// The player whose view it is, and the view.
    fn own(&mut self, snapshot: &SnapshotState, slot: u32, place: Option<usize>, frame: &mut Frame) {
        let (row, at, fields) = (&snapshot.player.row, self.player, self.fields);
        let arrays = &snapshot.player.arrays;
        let (origin, angles) = (vector(row, at.origin), upright(vector(row, at.angles)));
        let flags = word(row, at.flags);
        let teleported = self.view.is_some_and(|(who, before)| who != slot || (before ^ flags) & EF_TELEPORT != 0);
        self.view = Some((slot, flags));
        let kind = word(row, at.kind);
        let health = i32::from(arrays[array::STATS][0] as i16);
        let stats = self.stats.of(&arrays[array::STATS]);
        if fields.any(Fields::VIEW) {
            let height = word(row, at.view_height) as i32 as f32;
            let mut angles = angles;
            // the dead see their killer
            if kind == moves::DEAD
                && health <= 0
                && let Some(slot) = stats.dead_yaw
            {
                angles[1] = f32::from(arrays[array::STATS][slot] as i16);
            }
            let mut view = View::new(u16::try_from(slot).ok(), [origin[0], origin[1], origin[2] + height], Some(angles));
            view.fov = Some(f32::from(word(row, at.fov) as u16)).filter(|fov| *fov > 0.0);
            view.teleported = teleported;
            frame.view = Some(view);
        }
        let Some(player) = place.and_then(|place| frame.players.get_mut(place)) else { return };
        player.teleported = teleported;
        // who follows another has that one's state, and a kind of movement of their own
        let looks_on = kind == moves::SPECTATOR && word(row, at.moves) & FOLLOWS == 0;
        // in round modes, the dead of a side look on until the next round
        let spectates = looks_on && player.spectator != Some(false);
        if spectates {
            player.spectator = Some(true);
        }
        player.origin = fields.any(Fields::ORIGIN).then_some(origin);
        player.velocity = fields.any(Fields::VELOCITY).then(|| vector(row, at.velocity));
        player.angles = fields.any(Fields::ANGLES).then_some(angles);
        player.health = fields.any(Fields::HEALTH).then_some(health);
        player.alive = (fields.any(Fields::HEALTH) && !spectates).then_some(health > 0 && kind != moves::DEAD && !looks_on);
        player.armor = stats.armor.filter(|_| fields.any(Fields::ARMOR)).map(|slot| i32::from(arrays[array::STATS][slot] as i16));
        self.terms.arm(player, word(row, at.weapon), fields);
        player.on_ground = fields.any(Fields::STANCE).then(|| word(row, at.ground) != NO_GROUND);
        player.crouching = fields.any(Fields::STANCE).then(|| word(row, at.moves) & DUCKED != 0);
        player.score = self.stats.score.filter(|_| fields.any(Fields::SCORE)).map(|slot| i32::from(arrays[array::PERSISTANT][slot] as i16));
        player.ping = None;
        let owned = stats.weapons.map_or(0, |slot| arrays[array::STATS][slot]);
        let mut ammo = Holding::over(&mut player.ammo);
        if fields.any(Fields::AMMO) {
            for ((weapon, what), &amount) in self.terms.ammo.iter().enumerate().zip(&arrays[array::AMMO]) {
                let amount = i32::from(amount as i16);
                if (amount > 0 || (amount == 0 && owned >> weapon & 1 != 0))
                    && let Some(what) = what
                {
                    ammo.push(what, Some(amount), None);
                }
            }
        }
        let mut carried = Carried::over(&mut player.items, &mut player.powerups, fields);
        if fields.any(Fields::ITEMS) {
            bits(owned).filter_map(|weapon| term(&self.terms.weapons, weapon)).for_each(|what| carried.items.push(what, None, None));
            let holdable = self.stats.holdable.and_then(|slot| term(&self.terms.items, arrays[array::STATS][slot]));
            holdable.into_iter().for_each(|what| carried.items.push(what, None, None));
        }
        for (slot, &until) in arrays[array::POWERUPS].iter().enumerate().filter(|(_, until)| **until != 0) {
            // permanent items have the last possible time
            let until = Some(until as i32).filter(|&until| until > 0 && until != i32::MAX).map(|until| Milliseconds(i64::from(until)));
            carried.powerup(&self.terms, slot as u32, until);
        }
    }

    /// Fills a visible player.
    fn other(&mut self, number: u32, row: &Row, now: Milliseconds, player: &mut PlayerFrame) {
        let (at, fields) = (&self.entity, self.fields);
        let flags = word(row, at.flags);
        player.entity = Some(number);
        player.teleported = teleported(&mut self.seen[number as usize], flags, self.filled);
        player.origin = fields.any(Fields::ORIGIN).then(|| at.place.at(row, now));
        // servers store the velocity here for every trajectory type
        player.velocity = fields.any(Fields::VELOCITY).then(|| at.place.delta(row));
        player.angles = fields.any(Fields::ANGLES).then(|| upright(at.turning.base(row)));
        let health = fields.any(Fields::HEALTH);
        player.alive = health.then_some(flags & EF_DEAD == 0);
        // Quake Live states it for players whose health the recorder may know
        player.health = Some(i32::from(word(row, at.health) as i16)).filter(|&points| health && points != 0);
        player.armor = Some(word(row, at.armor) as i32).filter(|&points| fields.any(Fields::ARMOR) && points != 0);
        self.terms.arm(player, word(row, at.weapon), fields);
        player.on_ground = fields.any(Fields::STANCE).then(|| word(row, at.ground) != NO_GROUND);
        (player.crouching, player.ping, player.score) = (None, None, None);
        player.ammo.clear();
        let powerups = word(row, at.powerups);
        if powerups != 0 || player.powerups.len() + player.items.len() > 0 {
            let mut carried = Carried::over(&mut player.items, &mut player.powerups, fields);
            bits(powerups).for_each(|slot| carried.powerup(&self.terms, slot, None));
        }
    }

    /// Adds what the player of the view and all entities in sight are drawn with.
    pub(super) fn looks(&self, state: &State, looks: &mut Vec<Look>) {
        let Some(snapshot) = state.snapshot() else { return };
        let (own, view) = (&snapshot.player.row, self.view_slot(&snapshot.player));
        let is_whole = snapshot.player.arrays[array::STATS][0] as i16 > IN_PIECES;
        if (view as usize) < self.terms.slots() && word(own, self.player.kind) != moves::SPECTATOR && is_whole {
            let pose = [self.player.legs, self.player.torso, self.player.weapon].map(|at| word(own, at));
            let mut figure = self.figure(Subject::Player(view as u16), view, pose);
            let powerups = snapshot.player.arrays[array::POWERUPS].iter().enumerate().fold(0, |all, (slot, until)| all | u32::from(*until != 0) << slot);
            self.wear(&mut figure, word(own, self.player.flags), word(own, self.player.stride), powerups);
            figure.sound =
                self.terms.sounds.of(state, word(own, self.player.sound)).or_else(|| self.terms.sounds.of_weapon(pose[2], figure.fires == Some(true)));
            figure.view_model = self.terms.files.hand(pose[2]);
            figure.view_step = Some(word(own, self.player.step) as u8);
            looks.push(figure);
        }
        let at = &self.entity;
        for entity in &snapshot.entities {
            let (number, row) = (u32::from(entity.number), state.row(*entity));
            let e_type = word(row, at.e_type);
            if number == view || word(row, at.flags) & EF_NODRAW != 0 {
                continue;
            }
            let mut look = Look::new(Subject::Entity(number));
            look.model = match e_type {
                entity_type::PLAYER => {
                    let is_player = (number as usize) < self.terms.slots();
                    let subject = if is_player { Subject::Player(number as u16) } else { Subject::Entity(number) };
                    let pose = [at.legs, at.torso, at.weapon].map(|at| word(row, at));
                    let mut figure = self.figure(subject, word(row, at.client), pose);
                    let flags = word(row, at.flags);
                    self.wear(&mut figure, flags, vector(row, [at.stride; 3])[0] as u32, word(row, at.powerups));
                    let of_weapon = || self.terms.sounds.of_weapon(pose[2], flags & EF_FIRING != 0).filter(|_| is_player && flags & EF_DEAD == 0);
                    figure.sound = self.terms.sounds.of(state, word(row, at.sound)).or_else(of_weapon);
                    figure.view_model = self.terms.files.hand(pose[2]).filter(|_| is_player);
                    looks.push(figure);
                    continue;
                }
                entity_type::ITEM => self.terms.files.item(word(row, at.model)),
                entity_type::MISSILE => self.terms.files.missile(word(row, at.weapon)),
                entity_type::GENERAL if word(row, at.solid) != INLINE_MODEL => {
                    self.terms.models.get(word(row, at.model) as usize).filter(|_| word(row, at.model) > 0).cloned().flatten()
                }
                _ => None,
            };
            look.sound = self.terms.sounds.of(state, word(row, at.sound));
            if look.sound.is_none() && e_type == entity_type::MISSILE {
                look.sound = self.terms.sounds.of_missile(word(row, at.weapon));
            }
            if look.model.is_some() || look.sound.is_some() {
                look.frame = Some(word(row, at.frame) as f32);
                looks.push(look);
            }
        }
    }

    /// The look of a player, or of what a player left behind.
    fn figure(&self, subject: Subject, client: u32, [legs, torso, weapon]: [u32; 3]) -> Look {
        let mut look = Look::new(subject);
        if let Some(figure) = self.terms.files.figure(client) {
            (look.model, look.skin) = (Some(figure.model.clone()), Some(figure.skin.clone()));
        }
        look.held = self.terms.files.weapon(weapon);
        (look.sequence, look.second_sequence) = (Some(legs as i32), Some(torso as i32));
        look
    }

    /// What a player wears and does beside the pose. `stride` is the direction of the step.
    fn wear(&self, look: &mut Look, flags: u32, stride: u32, powerups: u32) {
        look.fires = Some(flags & EF_FIRING != 0);
        look.stride = Some(if flags & EF_DEAD == 0 { STRIDES[stride as usize & 7] } else { 0 });
        for slot in bits(powerups) {
            let Some(own) = term(&self.terms.powerups, slot).map(|powerup| &*powerup.own) else { continue };
            match own {
                "item_quad" => look.shell = Some(QUAD),
                "item_enviro" if look.shell.is_none() => look.shell = Some(BATTLE_SUIT),
                "item_invis" => look.only_shell = true,
                _ => look.carried = self.terms.files.flag(slot).or(look.carried.take()),
            }
        }
        if look.only_shell && look.shell.is_none() {
            look.shell = Some(INVISIBLE);
        }
    }

    fn kind(&self, e_type: u32, is_player: bool, game: &Game) -> EntityKind {
        match e_type {
            entity_type::PLAYER if is_player => EntityKind::Player,
            entity_type::PLAYER => EntityKind::Corpse,
            entity_type::ITEM => EntityKind::Item,
            entity_type::MISSILE | entity_type::GRAPPLE => EntityKind::Missile,
            entity_type::MOVER => EntityKind::Mover,
            entity_type::BEAM => EntityKind::Beam,
            entity_type::SPEAKER => EntityKind::Sound,
            other if other >= game.events.first_type => EntityKind::Effect,
            _ => EntityKind::Other,
        }
    }

    fn entity(&mut self, number: u32, kind: EntityKind, row: &Row, now: Milliseconds) -> EntityFrame {
        let (at, fields) = (&self.entity, self.fields);
        let mut entity = EntityFrame::new(number, kind);
        // players are filled already
        if kind != EntityKind::Player {
            entity.teleported = teleported(&mut self.passed[number as usize & (ENTITIES - 1)], word(row, at.flags), self.filled);
        }
        if fields.any(Fields::ORIGIN | Fields::VELOCITY) {
            let motion = at.place.motion(row);
            if fields.any(Fields::ORIGIN) {
                entity.origin = Some(motion.at(now));
                entity.motion = Some(motion);
            }
            if fields.any(Fields::VELOCITY) {
                entity.velocity = Some(if motion.trajectory == Trajectory::Interpolate { motion.delta } else { motion.rate_at(now) });
            }
        }
        if fields.any(Fields::ANGLES) {
            let turning = at.turning.motion(row);
            entity.angles = Some(turning.at(now));
            entity.turning = Some(turning);
        }
        match kind {
            EntityKind::Item => entity.item = term(&self.terms.items, word(row, at.model)).cloned(),
            EntityKind::Missile => entity.item = term(&self.terms.weapons, word(row, at.weapon)).cloned(),
            _ => {}
        }
        entity.owner = match (kind, word(row, at.e_type)) {
            (EntityKind::Player, _) => Some(number),
            (EntityKind::Corpse, _) => Some(word(row, at.client)),
            (_, entity_type::GRAPPLE) => Some(word(row, at.other)),
            _ => None,
        }
        .map(|owner| owner as u16)
        .filter(|owner| usize::from(*owner) < self.terms.slots());
        if fields.any(Fields::MODEL) && matches!(kind, EntityKind::Mover | EntityKind::Beam | EntityKind::Other | EntityKind::Missile) {
            let index = word(row, at.model);
            entity.model = if word(row, at.solid) == INLINE_MODEL {
                self.terms.inline.get(index as usize).cloned()
            } else {
                self.terms.models.get(index as usize).filter(|_| index > 0).cloned().flatten()
            };
        }
        entity
    }
}

/// View angles with the pitch between -180 and 180 degrees. Games add turns to it that no view has.
fn upright([pitch, yaw, roll]: [f32; 3]) -> [f32; 3] {
    let pitch = if (-180.0..=180.0).contains(&pitch) { pitch } else { (pitch + 180.0).rem_euclid(360.0) - 180.0 };
    [pitch, yaw, roll]
}

/// The numbers of the set bits among the lower 16.
fn bits(mut of: u32) -> impl Iterator<Item = u32> {
    of &= 0xffff;
    std::iter::from_fn(move || {
        let bit = of.trailing_zeros();
        of &= of.wrapping_sub(1);
        (bit < 32).then_some(bit)
    })
}

fn frame_time(snapshot: &SnapshotState) -> Milliseconds {
    Milliseconds(i64::from(snapshot.server_time))
}

/// Whether the teleport bit turned over since the frame before. Something that was not there then came, but did not jump.
fn teleported(seen: &mut (u32, u32), flags: u32, filled: u32) -> bool {
    let (before, when) = std::mem::replace(seen, (flags, filled));
    when + 1 == filled && (before ^ flags) & EF_TELEPORT != 0
}

/// Adds a player without a string, unless one is there already. Returns its index.
#[cold]
fn player_without_string(frame: &mut Frame, known: usize, count: &mut usize, slot: u32) -> usize {
    if let Some(at) = (known..*count).find(|&at| u32::from(frame.players[at].slot) == slot) {
        return at;
    }
    let player = frame.player_at(*count, slot as u16);
    (player.name, player.team, player.spectator) = (None, None, None);
    *count += 1;
    *count - 1
}

/// Sorts holdings: carried things are items, lasting ones power-ups.
struct Carried<'l> {
    items: Holding<'l>,
    powerups: Holding<'l>,
    fields: Fields,
}

impl<'l> Carried<'l> {
    fn over(items: &'l mut Vec<Held>, powerups: &'l mut Vec<Held>, fields: Fields) -> Self {
        Carried { items: Holding::over(items), powerups: Holding::over(powerups), fields }
    }

    fn powerup(&mut self, terms: &LevelTerms, slot: u32, until: Option<Milliseconds>) {
        let Some(what) = term(&terms.powerups, slot) else { return };
        let is_flag = what.own.ends_with("flag");
        let (wanted, list) = if is_flag { (Fields::ITEMS, &mut self.items) } else { (Fields::POWERUPS, &mut self.powerups) };
        if self.fields.any(wanted) {
            list.push(what, None, until.filter(|_| !is_flag));
        }
    }
}

#[cfg(test)]
mod tests {
    use fragreel_base::delta::FieldSet;
    use fragreel_base::delta::interleaved::Spelling;

    use super::*;
    use crate::message::{ArrayDelta, Change, ConfigString, EntityDelta, Gamestate, GamestateItem, Operation, PlayerDelta, Snapshot};

    /// A row with these fields, and which they are.
    fn row(table: &[fragreel_base::delta::interleaved::Field], values: &[(&str, u32)]) -> (Row, Spelling) {
        let (mut row, mut sent) = ([0; 64], FieldSet::EMPTY);
        for (name, value) in values {
            let at = crate::fields::find(table, name);
            row[at] = *value;
            sent.insert(at);
        }
        (row, Spelling { sent, ..Spelling::default() })
    }

    /// Quake Live's frame of a view on slot 1 with these fields, and of a player in slot 0.
    fn frame(view: &[(&str, u32)], other: &[(&str, u32)]) -> Frame {
        frame_with(148, 0, view, other)
    }

    /// The same of a view with this health and this direction to the killer.
    fn frame_with(health: i16, dead_yaw: u16, view: &[(&str, u32)], other: &[(&str, u32)]) -> Frame {
        filled(health, dead_yaw, view, other).0
    }

    /// The same, and the looks.
    fn filled(health: i16, dead_yaw: u16, view: &[(&str, u32)], other: &[(&str, u32)]) -> (Frame, Vec<Look>) {
        let dialect = Dialect::of(91).unwrap();
        let mut state = State::new(dialect);
        let players = Game::of(dialect.line, b"", b"", b"").strings.players as u16;
        let string =
            |slot: u16, team: &str| GamestateItem::ConfigString(ConfigString { index: players + slot, text: format!("n\\p{slot}\\t\\{team}").into_bytes() });
        state.apply(1, &Operation::Gamestate(Gamestate { items: vec![string(0, "0"), string(1, "0")], ..Gamestate::default() }));
        let (view, spelling) = row(dialect.player, &[view, &[("clientNum", 1)]].concat());
        let mut player = PlayerDelta { spelling, row: view, arrays_sent: true, ..PlayerDelta::default() };
        let mut stats = [0; 16];
        (stats[0], stats[5]) = (u32::from(health as u16), dead_yaw.into());
        player.arrays[array::STATS] = ArrayDelta { sent: true, mask: 0b10_0001, values: stats };
        let (other, spelling) = row(dialect.entity, &[other, &[("eType", entity_type::PLAYER)]].concat());
        let entity = EntityDelta { number: 0, change: Change::Changed, spelling, row: other };
        state.apply(2, &Operation::Snapshot(Box::new(Snapshot { player, entities: vec![entity].into(), ..Snapshot::default() })));
        let game = Game::of_state(&state);
        let mut filler = Filler::new(dialect, &FrameOptions::default());
        filler.level(&state, &game);
        let mut frame = Frame::default();
        filler.fill(&state, &game, &mut frame);
        let mut looks = Vec::new();
        filler.looks(&state, &mut looks);
        (frame, looks)
    }

    #[test]
    fn a_body_in_pieces_has_no_look() {
        let subjects = |health| filled(health, 0, &[("pm_type", moves::DEAD)], &[]).1.iter().map(|look| look.subject).collect::<Vec<_>>();
        assert_eq!(subjects(-39), [Subject::Player(1), Subject::Player(0)]);
        assert_eq!(subjects(-40), [Subject::Player(0)]);
    }

    #[test]
    fn the_health_of_the_dead_is_below_zero() {
        let frame = frame(&[], &[("health", 65517), ("eFlags", EF_DEAD)]);
        assert_eq!((frame.players[0].health, frame.players[0].alive), (Some(-19), Some(false)));
    }

    #[test]
    fn the_most_health_shows_the_layout_of_stats() {
        let layout = |stats: &[u32], two_layouts| {
            let known = Stats { armor: Some(3), weapons: Some(2), holdable: Some(1), two_layouts, ..Stats::default() }.of(stats);
            (known.holdable, known.weapons, known.armor)
        };
        let (old, new) = ([125, 0, 6, 25, 0, 0, 100, 0], [100, 0, 0, 15358, 200, 0, 0, 100]);
        assert_eq!((layout(&old, true), layout(&new, true)), ((Some(1), Some(2), Some(3)), (Some(1), Some(3), Some(4))));
        assert_eq!(layout(&new, false), (Some(1), Some(2), Some(3)));
    }

    #[test]
    fn a_followed_player_plays() {
        let shown = |kind, moves| {
            let player = &frame(&[("pm_type", kind), ("pm_flags", moves)], &[]).players[1];
            (player.spectator, player.alive)
        };
        assert_eq!(shown(moves::SPECTATOR, FOLLOWS), (Some(false), Some(true)));
        assert_eq!(shown(moves::SPECTATOR, 0), (Some(false), Some(false)), "the dead of a side look on");
        assert_eq!(shown(0, 0), (Some(false), Some(true)));
    }

    #[test]
    fn the_dead_see_their_killer() {
        let yaws = |health, kind| {
            let frame = frame_with(health, 135, &[("pm_type", kind), ("viewangles[1]", 20_f32.to_bits())], &[]);
            (frame.view.unwrap().angles.unwrap()[1], frame.players[1].angles.unwrap()[1])
        };
        assert_eq!(yaws(-20, moves::DEAD), (135.0, 20.0));
        assert_eq!((yaws(80, 0), yaws(0, moves::SPECTATOR)), ((20.0, 20.0), (20.0, 20.0)));
    }

    #[test]
    fn pitch_is_that_of_a_view() {
        let angles = |pitch: f32| frame(&[("viewangles[0]", pitch.to_bits())], &[("apos.trBase[0]", pitch.to_bits())]);
        for (pitch, wanted) in [(-346.0, 14.0), (350.0, -10.0), (89.0, 89.0), (-89.0, -89.0)] {
            let frame = angles(pitch);
            assert_eq!(frame.players[1].angles.unwrap()[0], wanted);
            assert_eq!((frame.players[0].angles.unwrap()[0], frame.view.unwrap().angles.unwrap()[0]), (wanted, wanted));
        }
    }
}
