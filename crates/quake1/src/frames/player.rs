//! Fills in players. A player's body, its entity and the recording's own view are one.

use fragreel_model::{Fields, Holding, PlayerFrame, Term, share};

use crate::dialect::Dialect;
use crate::replacement::EntityState;
use crate::state::{Game, Stats, stat};

use crate::frames::names::Names;
use crate::frames::terms::{self, AMMO_TERMS, POWERUP_TERMS, THING_TERMS, WEAPON_TERMS};

/// Animation frames of `player.mdl` that show a dying or dead player.
pub(super) const DEATH_FRAMES: std::ops::RangeInclusive<u32> = 41..=102;
/// A turn in the units of view angles.
const TURN: f32 = 360.0 / 65536.0;
/// A bit of FTE's movement type: the player is on the ground.
const ON_GROUND: u8 = 0x80;
/// Slots that may be players if the server does not state the number.
pub(super) const MOST_PLAYERS: u8 = 32;

/// The slots of players and spectators, including the recording player.
pub(super) fn slots(game: &Game, d: &Dialect) -> impl Iterator<Item = u8> {
    let most = game.roster.people.len().max(game.bodies.len()).max(usize::from(game.own.unwrap_or_default()) + 1).min(256);
    let is_here =
        move |slot: &u8| game.roster.get(*slot).is_some() || Some(*slot) == game.own || (game.roster.people.is_empty() && place(game, d, *slot).is_some());
    (0..most).map(|slot| slot as u8).filter(is_here)
}

/// True if entities show players, not bodies.
pub(super) fn by_entity(d: &Dialect) -> bool {
    d.is_netquake() || d.replacement()
}

/// The position of a player, if known.
pub(super) fn place(game: &Game, d: &Dialect, slot: u8) -> Option<[f32; 3]> {
    if d.replacement() {
        return game.world.replaced().get(u32::from(slot) + 1).map(|known| d.layout().position(&known.state));
    }
    if by_entity(d) {
        return game.world.entity(d, u32::from(slot) + 1).map(|seen| seen.origin);
    }
    body(game, d, slot).map(|body| body.origin)
}

/// The body of a visible player.
pub(super) fn body<'g>(game: &'g Game, d: &Dialect, slot: u8) -> Option<&'g crate::state::Body> {
    // a multi-view frame has the players who moved, a client's packet all visible ones
    game.body_of(slot).filter(|body| d.is_multi_view() || game.is_fresh(body))
}

/// Calls `show` with the position of every player, in rising order of slots.
pub(super) fn each_place(game: &Game, d: &Dialect, mut show: impl FnMut(u8, [f32; 3])) {
    for slot in slots(game, d) {
        if let Some(origin) = place(game, d, slot) {
            show(slot, origin);
        }
    }
}

/// True if an entity shows a player.
pub(super) fn is_player(game: &Game, d: &Dialect, number: u32) -> bool {
    let slots = if game.level.max_clients > 0 { game.level.max_clients } else { MOST_PLAYERS };
    by_entity(d) && (1..=u32::from(slots)).contains(&number)
}

/// Fills in a player. `angles` are the recording player's view angles.
pub(super) fn fill(player: &mut PlayerFrame, game: &Game, d: &Dialect, fields: Fields, slot: u8, angles: Option<[f32; 3]>, names: &mut Names) {
    let own = Some(slot) == game.own;
    player.unplaced();
    let person = game.roster.get(slot);
    let (name, team) = person.map_or((None, None), |person| names.person(slot, person));
    share(&mut player.name, name);
    share(&mut player.team, team);
    player.spectator = person.filter(|_| !d.is_netquake()).map(|person| person.spectator);
    if let Some(person) = person.filter(|_| fields.has(Fields::SCORE)) {
        player.score = (!person.spectator).then_some(i32::from(person.frags));
        player.ping = person.ping;
    }
    shown(player, game, d, fields, slot, own);
    if fields.has(Fields::ANGLES) {
        player.angles = angles.or(player.angles);
    }
    let stats = if own { game.own_stats() } else { game.stats_of(slot) };
    let watches = player.spectator == Some(true);
    match stats.filter(|_| !(watches && d.is_multi_view())) {
        Some(stats) => held(player, stats, fields),
        None => player.empty_handed(),
    }
    if watches {
        player.alive = None;
    }
    if own && fields.has(Fields::STANCE) && game.own_on_ground.is_some() {
        player.on_ground = game.own_on_ground;
    }
}

/// Fills in what is visible of a player.
fn shown(player: &mut PlayerFrame, game: &Game, d: &Dialect, fields: Fields, slot: u8, own: bool) {
    let number = u32::from(slot) + 1;
    if d.replacement() {
        let Some(known) = game.world.replaced().get(number) else { return };
        replaced(player, d, fields, &known.state);
        player.entity = Some(number);
    } else if by_entity(d) {
        let Some(seen) = game.world.entity(d, number) else { return };
        player.entity = Some(number);
        player.origin = fields.has(Fields::ORIGIN).then_some(seen.origin);
        // the model's pitch is a third of the view's, with the other sign
        player.angles = fields.has(Fields::ANGLES).then_some([seen.angles[0] * -3.0, seen.angles[1], seen.angles[2]]);
        if fields.has(Fields::VELOCITY) && own {
            player.velocity = game.body_of(slot).map(|body| body.velocity);
        }
        if fields.has(Fields::HEALTH) && model_is(game, seen.model, "progs/player.mdl") {
            player.alive = Some(!DEATH_FRAMES.contains(&seen.frame));
        } else if fields.has(Fields::HEALTH) && model_is(game, seen.model, "progs/h_player.mdl") {
            player.alive = Some(false);
        }
    } else if let Some(body) = body(game, d, slot) {
        player.entity = Some(number);
        player.origin = fields.has(Fields::ORIGIN).then_some(body.origin);
        player.angles = fields.has(Fields::ANGLES).then_some(body.angles);
        player.velocity = (fields.has(Fields::VELOCITY) && !d.is_multi_view()).then_some(body.velocity);
        player.alive = fields.has(Fields::HEALTH).then_some(!body.dead);
    }
}

fn model_is(game: &Game, number: u32, path: &str) -> bool {
    game.level.models.get(number as usize).is_some_and(|model| model.bytes() == path.as_bytes())
}

fn replaced(player: &mut PlayerFrame, d: &Dialect, fields: Fields, state: &EntityState) {
    player.origin = fields.has(Fields::ORIGIN).then(|| d.layout().position(state));
    player.angles = fields.has(Fields::ANGLES).then(|| state.view_angles.map(|turns| f32::from(turns) * TURN));
    player.velocity = fields.has(Fields::VELOCITY).then(|| state.velocity.map(|eighths| f32::from(eighths) / 8.0));
    if fields.has(Fields::STANCE) && state.movetype != 0 {
        player.on_ground = Some(state.movetype & ON_GROUND != 0);
    }
    if fields.has(Fields::HEALTH) {
        // dead players are not solid
        player.alive = Some(state.solid != 0);
    }
}

/// Fills in the inventory of a player.
fn held(player: &mut PlayerFrame, stats: &Stats, fields: Fields) {
    let items = stats[stat::ITEMS];
    if fields.has(Fields::HEALTH) {
        player.health = Some(stats[stat::HEALTH]);
        player.alive = Some(stats[stat::HEALTH] > 0);
    }
    if fields.has(Fields::ARMOR) {
        player.armor = Some(stats[stat::ARMOR]);
    }
    let weapon = terms::weapon(stats[stat::ACTIVE_WEAPON], items);
    Term::share(&mut player.weapon, weapon.filter(|_| fields.has(Fields::WEAPON)));
    let mut ammo = Holding::over(&mut player.ammo);
    if fields.has(Fields::AMMO) {
        AMMO_TERMS.iter().zip(stat::SHELLS..).for_each(|(what, at)| ammo.push(what, Some(stats[at]), None));
    }
    let carried = |table: &'static terms::Table| table.iter().filter(move |(bit, _)| items & bit != 0);
    let mut powerups = Holding::over(&mut player.powerups);
    if fields.has(Fields::POWERUPS) {
        carried(&POWERUP_TERMS).for_each(|(_, what)| powerups.push(what, None, None));
    }
    let mut all = Holding::over(&mut player.items);
    if fields.has(Fields::ITEMS) {
        carried(&WEAPON_TERMS).chain(carried(&THING_TERMS)).for_each(|(_, what)| all.push(what, None, None));
    }
}
