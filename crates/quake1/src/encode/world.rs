//! The visible world after a frame, in no dialect. Conversions write it, and comparisons compare it.

use crate::dialect::Dialect;
use crate::fields::netquake;
use crate::fields::quakeworld::slot;
use crate::message::{FastUpdate, Message};
use crate::replacement::{EntityState, Flags};
use crate::state::{Body, Game, Seen, appearance_seen, nq_seen, stat};

/// The default opacity, in the unit of replacement deltas.
pub(crate) const OPAQUE: u8 = 255;
/// The default size, in the unit of replacement deltas.
pub(crate) const LIFE_SIZE: u8 = 16;
/// Player slots of plain QuakeWorld.
pub(crate) const MOST_PLAYERS: u32 = 32;

/// An entity other than a QuakeWorld player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntityView {
    /// The values that every dialect has.
    pub seen: Seen,
    /// Opacity in 254ths; 255 is the default.
    pub alpha: u8,
    /// Size in sixteenths.
    pub scale: u8,
    /// True if it moves in steps, and should not be interpolated.
    pub steps: bool,
    /// Milliseconds until it thinks next; 0 if not stated.
    pub lerp_end: u32,
}

/// A player of QuakeWorld.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlayerView {
    /// His slot.
    pub slot: u8,
    /// Where.
    pub origin: [f32; 3],
    /// View angles in degrees.
    pub angles: [f32; 3],
    /// Velocity in units per second, if stated.
    pub velocity: Option<[f32; 3]>,
    /// Input: forward, side, up.
    pub movement: [i16; 3],
    /// The age of this state in milliseconds.
    pub msec: u8,
    /// Animation frame.
    pub frame: u32,
    /// Which model.
    pub model: u32,
    /// Which skin.
    pub skin: i32,
    /// Effects.
    pub effects: u32,
    /// Frame of the weapon.
    pub weapon_frame: u32,
    /// Whether he is dead.
    pub dead: bool,
}

/// All visible players and entities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldView {
    /// Players of QuakeWorld, by slot.
    pub players: Vec<PlayerView>,
    /// Everything else, by number. In NetQuake, players too.
    pub things: Vec<EntityView>,
}

/// The values of a replacement delta's state that any dialect has.
pub(crate) fn thing(d: &Dialect, number: u32, state: &EntityState) -> EntityView {
    const COLORS: u32 = 32;
    let layout = d.layout();
    let seen = Seen {
        number,
        model: state.model,
        frame: state.frame,
        skin: state.skin,
        // no other dialect has two colors instead of a slot
        colormap: if state.flags & COLORS != 0 { 0 } else { state.colormap },
        effects: state.effects & 0xff_ffff,
        origin: layout.position(state),
        angles: layout.facing(state),
        velocity: state.stated_velocity(),
    };
    EntityView { seen, alpha: state.alpha, scale: state.scale, steps: state.flags & 1 != 0, lerp_end: state.lerp_end }
}

impl EntityView {
    /// The state of replacement deltas with these values.
    pub fn replacement_state(&self, layout: &Flags) -> EntityState {
        const STEP: u32 = 1;
        let seen = &self.seen;
        EntityState {
            model: seen.model,
            frame: seen.frame,
            skin: seen.skin,
            colormap: seen.colormap,
            effects: seen.effects,
            origin: seen.origin.map(|units| layout.origin.word(units)),
            angles: seen.angles.map(|degrees| layout.angles.word(degrees)),
            velocity: seen.velocity.unwrap_or_default(),
            lerp_end: self.lerp_end,
            flags: if self.steps { STEP } else { 0 },
            alpha: self.alpha,
            scale: self.scale,
            ..EntityState::default()
        }
    }
}

const TURN: f32 = 360.0 / 65536.0;

fn player(d: &Dialect, slot: u8, state: &EntityState) -> PlayerView {
    let thing = thing(d, u32::from(slot) + 1, state).seen;
    PlayerView {
        slot,
        origin: thing.origin,
        angles: state.view_angles.map(|turns| f32::from(turns) * TURN),
        velocity: Some(state.velocity.map(|eighths| f32::from(eighths) / 8.0)),
        movement: state.movement,
        msec: state.msec,
        frame: thing.frame,
        model: thing.model,
        skin: thing.skin,
        effects: thing.effects,
        weapon_frame: u32::from(state.weapon_frame),
        dead: state.solid == 0,
    }
}

fn body(slot: u8, body: &Body, multi_view: bool) -> PlayerView {
    PlayerView {
        slot,
        origin: body.origin,
        angles: body.angles,
        velocity: (!multi_view).then_some(body.velocity),
        movement: [0; 3],
        msec: 0,
        frame: body.frame,
        model: body.model,
        skin: body.skin as i32,
        effects: body.effects,
        weapon_frame: body.weapon_frame,
        dead: body.dead,
    }
}

impl WorldView {
    /// Collects what is visible in a game.
    pub fn of(d: &Dialect, game: &Game) -> Self {
        let mut world_view = WorldView { players: players(d, game), ..WorldView::default() };
        if d.replacement() {
            let things = game.world.replaced().iter().filter(|(number, _)| !is_player(d, *number));
            world_view.things.extend(things.map(|(number, known)| thing(d, number, &known.state)));
            return world_view;
        }
        game.world.each(d, |seen| {
            let (alpha, scale) = looks(d, game, &seen);
            world_view.things.push(EntityView { seen, alpha, scale, steps: false, lerp_end: 0 });
        });
        // servers of NetQuake may send them in any order
        world_view.things.sort_by_key(|thing| thing.seen.number);
        // a broken list may have an entity twice, and a delta can have it only once
        world_view.things.dedup_by_key(|thing| thing.seen.number);
        world_view
    }
}

/// True if an entity of replacement deltas is a QuakeWorld player.
fn is_player(d: &Dialect, number: u32) -> bool {
    !d.is_netquake() && (1..=MOST_PLAYERS).contains(&number)
}

/// The visible players.
pub(crate) fn players(d: &Dialect, game: &Game) -> Vec<PlayerView> {
    let mut players = Vec::new();
    if d.replacement() {
        for (number, known) in game.world.replaced().iter().filter(|(number, _)| is_player(d, *number)) {
            let mut player = player(d, (number - 1) as u8, &known.state);
            if let Some(stats) = game.stats_of(player.slot) {
                player.dead = stats[stat::HEALTH] <= 0;
            }
            players.push(player);
        }
        return players;
    }
    for slot in 0..game.bodies.len().min(256) as u16 {
        let slot = slot as u8;
        let Some(known) = game.body_of(slot).filter(|_| !d.is_netquake()) else { continue };
        let here = game.roster.get(slot).is_some_and(|person| !person.spectator);
        if if d.is_multi_view() { here } else { game.is_fresh(known) } {
            players.push(body(slot, known, d.is_multi_view()));
        }
    }
    players
}

/// The entity of a fast update that was applied last to its number.
pub fn updated(d: &Dialect, game: &Game, update: &FastUpdate) -> Option<EntityView> {
    use netquake::bits;
    let mask = u64::from(update.mask);
    let seen = nq_seen(d, update.entity.number, game.world.nq_row(update.entity.number)?);
    let (alpha, scale) = looks(d, game, &seen);
    let lerp_end = if d.has_opacity() && mask & bits::LERPFINISH != 0 { (update.row[netquake::slot::LERPFINISH] * 1000 + 127) / 255 } else { 0 };
    Some(EntityView { seen, alpha, scale, steps: mask & bits::NOLERP != 0, lerp_end })
}

/// The entity of a baseline of NetQuake. `None` for other messages.
pub fn of_baseline(d: &Dialect, message: &Message) -> Option<(u32, EntityView)> {
    let (number, looks, alpha, scale) = match message {
        Message::Baseline(m) => (m.entity.number, &m.looks, 0, 0),
        Message::FitzBaseline(m) => (m.entity.number, &m.looks.looks, m.looks.alpha, m.looks.scale),
        _ => return None,
    };
    let alpha = if alpha == 0 { OPAQUE } else { alpha - 1 };
    let scale = if scale == 0 { LIFE_SIZE } else { scale };
    Some((number, EntityView { seen: appearance_seen(d, number, looks), alpha, scale, steps: false, lerp_end: 0 }))
}

/// Opacity and size, in the units of replacement deltas.
fn looks(d: &Dialect, game: &Game, seen: &Seen) -> (u8, u8) {
    if d.is_netquake() {
        let row = game.world.nq_row(seen.number);
        let alpha = row.map_or(0, |row| row[netquake::slot::ALPHA]);
        let scale = row.map_or(0, |row| row[netquake::slot::SCALE]);
        let rules = d.has_opacity();
        return (if rules && alpha != 0 { (alpha - 1) as u8 } else { OPAQUE }, if rules && scale != 0 { scale as u8 } else { LIFE_SIZE });
    }
    let rows = &game.world.qw_newest().entities;
    let Ok(at) = rows.binary_search_by_key(&seen.number, |(number, _)| *number) else { return (OPAQUE, LIFE_SIZE) };
    let row = &rows[at].1;
    let alpha = row[slot::TRANS] as u8;
    (if alpha == 0 { OPAQUE } else { alpha }, LIFE_SIZE)
}
