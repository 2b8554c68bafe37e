//! Fills a frame from a state: the view, the players, the entities.

use fragreel_base::delta::masked::members;
use fragreel_model::{
    EntityFrame, EntityKind, EntityKinds, Fields, Frame, FrameOptions, Holding, Look, Milliseconds, PlayerFrame, Render, Subject, Term, View, share,
};

use super::columns::{ANGLES, BLENDS, COLOR, CONTROLLERS, Column, Columns, ORIGIN, VELOCITY, VIEW};
use super::models::Models;
use super::players::{CARRIED, DEAD, PackedPlayers, Players};
use crate::container::body::Eyes;
use crate::fields::Structure;
use crate::message::Message;
use crate::message::context::Context;
use crate::state::rows::RowId;
use crate::state::{Entity, State};
use crate::walk::roster::Roster;
use crate::walk::time::milliseconds;

/// `effects`: not to be interpolated.
const EF_NOINTERP: i64 = 32;
/// `effects`: not drawn.
const EF_NODRAW: i64 = 128;
/// `renderfx`: a shell in the render color.
const GLOW_SHELL: i64 = 19;
/// The model of players who may choose another.
const PLAYER_MODEL: &str = "models/player.mdl";
/// `flags` of the recording player.
const FL_ONGROUND: u32 = 1 << 9;
const FL_DUCKING: u32 = 1 << 14;
/// `iuser1` of a spectator in first-person view.
const IN_EYE: i64 = 4;
/// The highest speed (`sv_maxvelocity`), and a margin for one step of the server.
const FASTEST: f32 = 2000.0;
const SLACK: f32 = 64.0;
/// The bit of `weapons` that is the suit.
const SUIT: u8 = 31;

/// Fills frames from states.
#[derive(Debug, Clone)]
pub(super) struct Filler {
    fields: Fields,
    kinds: EntityKinds,
    players: Players,
    models: Models,
    player: Columns,
    entity: Columns,
    beam: Columns,
    client: Columns,
    weapon: Columns,
    /// By entity number: the last frame with the entity, and its position there.
    seen: Vec<(u32, [f32; 3])>,
    view: Option<(Option<u16>, [f32; 3])>,
    filled: u32,
    server_time: Milliseconds,
    marked: [Term; 3],
    suit: Term,
}

/// A player's rows, and values that are derived from them or stated elsewhere.
#[derive(Clone, Copy, Default)]
struct Rows<'s> {
    entity: Option<&'s [u32]>,
    client: Option<&'s [u32]>,
    place: Option<[f32; 3]>,
    /// The angles that the client wrote.
    angles: Option<[f32; 3]>,
}

impl Filler {
    pub(super) fn new(options: &FrameOptions, game: &str) -> Self {
        Filler {
            fields: options.fields,
            kinds: options.entities,
            players: Players::new(game),
            models: Models::default(),
            player: Columns::default(),
            entity: Columns::default(),
            beam: Columns::default(),
            client: Columns::default(),
            weapon: Columns::default(),
            seen: Vec::new(),
            view: None,
            filled: 1,
            server_time: Milliseconds(0),
            marked: CARRIED.map(|(_, name)| Term::new(name, None)),
            suit: Term::new("suit", None),
        }
    }

    /// A new filler with the same options.
    pub(super) fn restarted(&self, game: &str) -> Self {
        Filler::new(&FrameOptions::default().fields(self.fields).entities(self.kinds), game)
    }

    pub(super) fn message(&mut self, context: &Context, message: &Message) {
        self.players.message(context, message);
    }

    /// The players.
    pub(super) fn roster(&self) -> &Roster {
        &self.players.roster
    }

    /// The players, for a keyframe.
    pub(super) fn packed_players(&self) -> PackedPlayers {
        self.players.packed()
    }

    /// Continues from a keyframe.
    pub(super) fn enter(&mut self, players: &PackedPlayers) {
        self.players = Players::unpacked(players);
        self.forget();
    }

    /// Reads the models from the resources of the level.
    pub(super) fn list(&mut self, state: &State) {
        self.models = Models::of(&state.resources);
    }

    /// Forgets the last frame: the next one does not continue it.
    pub(super) fn forget(&mut self) {
        self.filled += 2;
        self.view = None;
    }

    /// The recording player's slot; a proxy has none.
    pub(super) fn own_slot(&self, state: &State, context: &Context) -> Option<u16> {
        if context.hltv { None } else { state.server.as_ref().map(|server| u16::from(server.player_number)) }
    }

    pub(super) fn fill(&mut self, state: &State, context: &Context, eyes: Option<Eyes>, fov: Option<f32>, frame: &mut Frame) {
        self.player.bind(context, Structure::Player);
        self.entity.bind(context, Structure::Entity);
        self.beam.bind(context, Structure::CustomEntity);
        self.client.bind(context, Structure::ClientData);
        self.weapon.bind(context, Structure::WeaponData);
        self.filled += 1;
        let passed = (frame.server_time.0 - self.server_time.0).max(0) as f32 / 1000.0;
        let farthest = FASTEST * passed + SLACK;
        self.server_time = frame.server_time;
        let entities = state.frame();
        let players = entities.partition_point(|entity| entity.number <= u16::from(context.max_clients));
        let own = self.own_slot(state, context);
        let place = self.fill_players(state, context, eyes, farthest, &entities[..players], frame);
        if let Some(own) = own
            && self.fields.any(Fields::VIEW)
        {
            self.view(state, (own, place), eyes, fov, farthest, frame);
        }
        if self.kinds != EntityKinds::NONE {
            self.entities(state, farthest, entities, u16::from(context.max_clients), frame);
        }
    }

    /// True if an entity moved farther than it can since the last frame, or was not in it.
    fn jumped(&mut self, number: u16, origin: [f32; 3], farthest: f32) -> bool {
        let at = usize::from(number);
        if self.seen.len() <= at {
            self.seen.resize(at + 1, (0, [0.0; 3]));
        }
        let (when, before) = std::mem::replace(&mut self.seen[at], (self.filled, origin));
        when + 1 != self.filled || distance(before, origin) > farthest
    }

    /// Fills the players. Returns the recording player's place in the client data.
    fn fill_players(
        &mut self,
        state: &State,
        context: &Context,
        eyes: Option<Eyes>,
        farthest: f32,
        entities: &[Entity],
        frame: &mut Frame,
    ) -> Option<[f32; 3]> {
        let own = self.own_slot(state, context);
        let own_place = state.client().and_then(|(row, _)| self.client.vector(state.row(row), ORIGIN));
        let (mut rest, mut count) = (entities, 0);
        for slot in 0..u16::from(context.max_clients) {
            let is_next = rest.first().is_some_and(|entity| entity.number <= slot + 1);
            if !is_next && own != Some(slot) && !self.players.roster.member(slot as u8).present {
                continue;
            }
            let entity = match rest.first() {
                Some(entity) if entity.number == slot + 1 => {
                    rest = &rest[1..];
                    // a beam with a player's number is no player
                    (entity.structure == Structure::Player).then(|| state.row(entity.row))
                }
                _ => None,
            };
            let member = self.players.roster.member(slot as u8);
            if member.proxy || !(member.present || entity.is_some() || own == Some(slot)) {
                continue;
            }
            let client = if own == Some(slot) { state.client().map(|(row, _)| state.row(row)) } else { None };
            // the recording player's place is in the client data, because that player's entity is sent without a place
            let place = client.and(own_place).or_else(|| entity.and_then(|row| self.player.vector(row, ORIGIN)));
            let angles = client.and(eyes).and_then(|eyes| known(eyes.own_angles));
            let rows = Rows { entity, client, place, angles };
            let player = frame.player_at(count, slot);
            player.unplaced();
            count += 1;
            self.person(slot, rows, player);
            self.body(rows, player);
            self.belongings(state, slot, rows, player);
            if let Some(origin) = place {
                let marked = rows.entity.and_then(|row| self.player.whole(row, Column::Effects)).is_some_and(|effects| effects & EF_NOINTERP != 0);
                let jumped = self.jumped(slot + 1, origin, farthest);
                frame.players[count - 1].teleported = marked || jumped;
            }
        }
        frame.end_players(count);
        own_place
    }

    fn person(&self, slot: u16, rows: Rows, player: &mut PlayerFrame) {
        let (person, member) = (&self.players.people[slot as u8], self.players.roster.member(slot as u8));
        player.entity = rows.entity.map(|_| u32::from(slot) + 1);
        share(&mut player.name, person.name.as_ref());
        share(&mut player.team, person.team.as_ref());
        player.spectator = self.players.roster.is_spectator(slot as u8);
        if self.fields.any(Fields::SCORE) {
            (player.ping, player.score) = (member.ping, member.frags);
        }
        if self.fields.any(Fields::HEALTH) {
            player.health = person.health;
            // the client data says more about the recording player
            let solid = rows.entity.filter(|_| rows.client.is_none()).and_then(|row| self.player.whole(row, Column::Solid));
            player.alive = solid.map(|solid| solid != 0).or_else(|| person.attributes.map(|marks| marks & DEAD == 0));
        }
    }

    /// Position, movement and stance.
    fn body(&self, rows: Rows, player: &mut PlayerFrame) {
        let wants = |fields| self.fields.any(fields);
        if wants(Fields::ORIGIN) {
            player.origin = rows.place;
        }
        if wants(Fields::ANGLES) {
            player.angles = rows.angles.or_else(|| self.player.vector(rows.entity?, ANGLES).map(view_angles));
        }
        if let Some(row) = rows.entity
            && wants(Fields::STANCE)
        {
            player.crouching = self.player.whole(row, Column::Hull).map(|hull| hull == 1);
        }
        let Some(row) = rows.client else { return };
        if wants(Fields::VELOCITY) {
            player.velocity = self.client.vector(row, VELOCITY);
        }
        if wants(Fields::HEALTH) {
            player.health = self.client.whole(row, Column::Health).map(|health| health as i32);
            let watches = self.client.whole(row, Column::Observer).is_some_and(|mode| mode != 0);
            let dead = self.client.whole(row, Column::DeadFlag).is_some_and(|flag| flag != 0);
            player.alive = player.health.map(|health| health > 0 && !dead && !watches);
        }
        if wants(Fields::ARMOR) {
            player.armor = self.players.own.armor;
        }
        if wants(Fields::STANCE)
            && let Some(flags) = self.client.bits(row, Column::Flags)
        {
            player.on_ground = Some(flags & FL_ONGROUND != 0);
            player.crouching = Some(flags & FL_DUCKING != 0);
        }
    }

    /// Weapon, ammunition, and items. More is known of the recording player's.
    fn belongings(&mut self, state: &State, slot: u16, rows: Rows, player: &mut PlayerFrame) {
        let client = if rows.client.is_some() { state.client() } else { None };
        let current = client.filter(|_| self.fields.any(Fields::WEAPON)).and_then(|(row, _)| self.in_hand(state.row(row)));
        current.into_iter().for_each(|id| self.players.own.know(id));
        let carried = client.map_or(0, |(row, weapons)| self.carried(state, row, weapons));
        let wants = |fields| self.fields.any(fields);
        let weapon = if !wants(Fields::WEAPON) {
            None
        } else if let Some(id) = current {
            self.players.own.weapon(id).map(|weapon| &weapon.term)
        } else {
            let model = rows.entity.and_then(|row| self.models.get(self.player.whole(row, Column::WeaponModel)));
            model.and_then(|model| model.term.as_ref())
        };
        Term::share(&mut player.weapon, weapon);
        player.powerups.clear();
        let (mut ammo, mut items) = (Holding::over(&mut player.ammo), Holding::over(&mut player.items));
        if wants(Fields::ITEMS) {
            let marks = self.players.people[slot as u8].attributes.unwrap_or_default();
            let marked = CARRIED.iter().zip(&self.marked).filter(|((mark, _), _)| marks & mark != 0);
            marked.for_each(|(_, what)| items.push(what, None, None));
        }
        let Some((row, weapons)) = client.filter(|_| wants(Fields::AMMO | Fields::ITEMS)) else { return };
        for id in members(carried & !1) {
            let id = id as u8;
            let Some(weapon) = self.players.own.weapon(id) else { continue };
            if wants(Fields::AMMO)
                && let Some(amount) = self.rounds(state, id, weapon.ammo, weapons)
            {
                ammo.push(&weapon.term, Some(amount), None);
            }
            if wants(Fields::ITEMS) {
                items.push(&weapon.term, None, None);
            }
        }
        if wants(Fields::ITEMS) && self.client.bits(state.row(row), Column::Weapons).unwrap_or_default() >> SUIT & 1 != 0 {
            items.push(&self.suit, None, None);
        }
    }

    /// The number of the weapon in the recording player's hand.
    fn in_hand(&self, row: &[u32]) -> Option<u8> {
        let stated = self.client.whole(row, Column::Weapon).filter(|&id| id > 0).and_then(|id| u8::try_from(id).ok());
        stated.or(self.players.own.current.map(|(id, _)| id))
    }

    /// The weapons that the recording player has, as bits. Their names are known afterwards.
    fn carried(&mut self, state: &State, row: RowId, weapons: &[(u8, RowId)]) -> u64 {
        if !self.fields.any(Fields::AMMO | Fields::ITEMS) {
            return 0;
        }
        let bits = self.client.bits(state.row(row), Column::Weapons).unwrap_or_default();
        let rows = weapons.iter().filter(|&&(_, row)| row != RowId::ZERO && self.weapon.whole(state.row(row), Column::Weapon).is_none_or(|id| id != 0));
        let carried = rows.fold(u64::from(bits & !(1 << SUIT)), |all, &(id, _)| if id < 64 { all | 1 << id } else { all });
        let own = &mut self.players.own;
        members(carried & !1).for_each(|id| own.know(id as u8));
        carried
    }

    /// Rounds for a weapon: in its magazine and in reserve, as far as either is known.
    fn rounds(&self, state: &State, id: u8, ammo: Option<u8>, weapons: &[(u8, RowId)]) -> Option<i32> {
        let row = weapons.iter().find(|&&(index, _)| index == id).map(|&(_, row)| state.row(row));
        let predicted = row.and_then(|row| self.weapon.whole(row, Column::Clip)).map(|clip| clip as i32);
        let shown = self.players.own.current.filter(|&(current, _)| current == id).and_then(|(_, clip)| clip);
        let clip = predicted.or(shown).filter(|&clip| clip >= 0);
        let reserve = ammo.and_then(|kind| self.players.own.reserves[kind]);
        match (clip, reserve) {
            (None, None) => None,
            (clip, reserve) => Some(clip.unwrap_or_default() + reserve.unwrap_or_default()),
        }
    }

    fn view(&mut self, state: &State, (own, place): (u16, Option<[f32; 3]>), eyes: Option<Eyes>, fov: Option<f32>, farthest: f32, frame: &mut Frame) {
        let row = state.client().map(|(row, _)| state.row(row));
        let drawn = eyes.filter(|eyes| eyes.origin != [0.0; 3]);
        let stood = || {
            let height = row.and_then(|row| self.client.vector(row, VIEW)).unwrap_or_default();
            place.map(|place| std::array::from_fn(|axis| place[axis] + height[axis]))
        };
        let Some(origin) = drawn.map(|eyes| eyes.origin).or_else(stood) else { return };
        let angles = drawn.map(|eyes| eyes.angles).or(eyes.map(|eyes| eyes.own_angles)).and_then(known).or_else(|| frame.player(own)?.angles);
        let mode = row.and_then(|row| self.client.whole(row, Column::Observer)).unwrap_or_default();
        let target = row.and_then(|row| self.client.whole(row, Column::Observed)).unwrap_or_default();
        // the server may have put the view elsewhere: into a camera, or another player's eyes
        let through = match (mode, i64::from(state.view_entity)) {
            (0, 0) => Some(i64::from(own) + 1),
            (0, entity) => Some(entity),
            (IN_EYE, _) => Some(target),
            _ => None,
        };
        let slots = state.server.as_ref().map_or(0, |server| i64::from(server.max_clients));
        let slot = through.filter(|number| (1..=slots).contains(number)).map(|number| (number - 1) as u16);
        let mut view = View::new(slot, origin, angles);
        view.fov = row.and_then(|row| self.client.get(row, Column::Fov)).filter(|fov| *fov > 0.0).or(fov);
        view.teleported = self.view.replace((slot, origin)).is_none_or(|(before, place)| before != slot || distance(place, origin) > farthest);
        frame.view = Some(view);
    }

    /// Adds what every entity in sight is drawn with.
    pub(super) fn looks(&self, state: &State, context: &Context, looks: &mut Vec<Look>) {
        for entity in state.frame() {
            let is_player = entity.structure == Structure::Player && (1..=u16::from(context.max_clients)).contains(&entity.number);
            let columns = match entity.structure {
                Structure::CustomEntity => continue,
                Structure::Player => &self.player,
                _ => &self.entity,
            };
            let row = state.row(entity.row);
            let Some(model) = self.models.get(columns.whole(row, Column::ModelIndex)) else { continue };
            let render = render(columns, row);
            if model.name.starts_with('*') && render.is_none() {
                continue;
            }
            if columns.whole(row, Column::Effects).is_some_and(|effects| effects & EF_NODRAW != 0) {
                continue;
            }
            let slot = entity.number.wrapping_sub(1);
            let mut look = Look::new(if is_player { Subject::Player(slot) } else { Subject::Entity(entity.number.into()) });
            let chosen = if is_player && &*model.name == PLAYER_MODEL { self.players.people[slot as u8].model.as_ref() } else { None };
            look.model = Some(chosen.unwrap_or(&model.name).clone());
            look.render = render;
            look.held = self.models.get(columns.whole(row, Column::WeaponModel)).filter(|_| is_player).map(|held| held.name.clone());
            let whole = |column| columns.whole(row, column).map(|value| value as i32);
            (look.skin_number, look.body) = (whole(Column::Skin), whole(Column::Body));
            (look.sequence, look.second_sequence) = (whole(Column::Sequence), whole(Column::Gait));
            (look.frame, look.rate) = (columns.get(row, Column::Pose), columns.get(row, Column::Rate));
            look.began = columns.get(row, Column::Began).map(milliseconds);
            let byte = |column| columns.whole(row, column).map_or(0, |value| value as u8);
            look.controllers = columns.whole(row, Column::ControllerA).map(|_| CONTROLLERS.map(byte));
            look.blends = columns.whole(row, Column::BlendA).map(|_| BLENDS.map(byte));
            look.shell = columns.whole(row, Column::RenderFx).filter(|fx| *fx == GLOW_SHELL).map(|_| COLOR.map(byte));
            look.colors = if is_player { self.players.people[slot as u8].hues } else { None };
            looks.push(look);
        }
        if let (Some(own), Some((row, _))) = (self.own_slot(state, context), state.client())
            && let Some(model) = self.models.get(self.client.whole(state.row(row), Column::ViewModel))
        {
            let look = Look::of(looks, Subject::Player(own));
            (look.view_model, look.view_frame) = (Some(model.name.clone()), self.client.get(state.row(row), Column::ViewSequence));
        }
    }

    fn entities(&mut self, state: &State, farthest: f32, entities: &[Entity], most_players: u16, frame: &mut Frame) {
        for entity in entities {
            let row = state.row(entity.row);
            let columns = match entity.structure {
                Structure::CustomEntity => &self.beam,
                Structure::Player => &self.player,
                _ => &self.entity,
            };
            let model = self.models.get(columns.whole(row, Column::ModelIndex));
            let kind = match (entity.structure, model) {
                (Structure::CustomEntity, _) => EntityKind::Beam,
                (Structure::Player, _) => EntityKind::Player,
                (_, Some(model)) => model.kind(columns.whole(row, Column::MoveType), columns.whole(row, Column::RenderFx)),
                (_, None) => EntityKind::Other,
            };
            if !self.kinds.wants(kind) {
                continue;
            }
            let mut out = EntityFrame::new(u32::from(entity.number), kind);
            let wants = |fields| self.fields.any(fields);
            if wants(Fields::MODEL) {
                out.model = model.map(|model| model.name.clone());
            }
            out.item = model.filter(|_| matches!(kind, EntityKind::Item | EntityKind::Missile)).and_then(|model| model.term.clone());
            let owner = match kind {
                EntityKind::Corpse => columns.whole(row, Column::RenderAmount),
                _ => columns.whole(row, Column::Owner),
            };
            out.owner = owner.filter(|number| (1..=i64::from(most_players)).contains(number)).map(|number| (number - 1) as u16);
            let place = columns.vector(row, ORIGIN);
            let effects = columns.whole(row, Column::Effects).unwrap_or_default();
            if wants(Fields::ORIGIN) {
                out.origin = place;
            }
            // the angles of a beam hold its end point
            if wants(Fields::ANGLES) && kind != EntityKind::Beam {
                out.angles = columns.vector(row, ANGLES);
            }
            if wants(Fields::VELOCITY) {
                out.velocity = columns.vector(row, VELOCITY).filter(|velocity| *velocity != [0.0; 3]);
            }
            if kind == EntityKind::Player {
                let own = frame.player(entity.number - 1);
                out.origin = own.and_then(|own| own.origin);
                out.teleported = own.is_some_and(|own| own.teleported);
            } else if let Some(place) = place {
                out.teleported = self.jumped(entity.number, place, farthest) || effects & EF_NOINTERP != 0;
            }
            frame.entities.push(out);
        }
    }
}

/// How an entity is drawn, unless in the usual way.
fn render(columns: &Columns, row: &[u32]) -> Option<Render> {
    let byte = |column| columns.whole(row, column).map_or(0, |value| value as u8);
    let mode = byte(Column::RenderMode);
    (mode != 0).then(|| Render::new(mode, byte(Column::RenderAmount), byte(Column::RenderFx), COLOR.map(byte)))
}

/// View angles of a player's entity. The entity's pitch is a third of the view's, with the opposite sign.
fn view_angles([pitch, yaw, roll]: [f32; 3]) -> [f32; 3] {
    let turn = |angle: f32| if angle > 180.0 { angle - 360.0 } else { angle };
    [-3.0 * turn(pitch), turn(yaw), turn(roll)]
}

/// Angles that the client wrote. It counts on past a full turn. A number that is none says nothing.
fn known(angles: [f32; 3]) -> Option<[f32; 3]> {
    let within = |angle: f32| if angle.abs() < 360.0 { angle } else { turned(angle) };
    angles.iter().all(|angle| angle.is_finite()).then(|| angles.map(within))
}

/// A function of its own, because the remainder would be computed for every angle, and dropped.
#[cold]
#[inline(never)]
fn turned(angle: f32) -> f32 {
    angle % 360.0
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis])).sum::<f32>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_of_clients_are_within_a_turn() {
        assert_eq!(known([12.5, 725.0, -361.0]), Some([12.5, 5.0, -1.0]));
        assert_eq!(known([f32::NAN, 0.0, 0.0]), None);
    }
}
