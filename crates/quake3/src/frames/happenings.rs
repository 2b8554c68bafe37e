//! Events of entities and players as sounds and effects, in the vocabulary of all games (`docs/formats/quake3-events.md`, "Happenings").

use fragreel_base::delta::interleaved::Row;
use fragreel_model::{Happening, HappeningKind, Happenings, Milliseconds, Subject, direction_of_byte};

use super::announcer::Announcer;
use super::pellets;
use super::places::{MotionFields, vector, word};
use super::sounds::{FAR, NEAR, SOUNDS};
use super::terms::{LevelTerms, term};
use crate::dialect::Dialect;
use crate::fields::{array, find};
use crate::game::Game;
use crate::message::Snapshot;
use crate::state::{PlayerState, State};
use crate::strings::info;
use crate::walk::entity_events::{ChangedEntity, ET_PLAYER, EntityFields, EventTracker};
use crate::walk::{PlayerFields, ViewTracker};

/// `eFlags`: the player fires.
pub(super) const EF_FIRING: u32 = 0x100;
/// A muzzle, from its owner's origin: up and ahead.
const MUZZLE: [f32; 2] = [22.0, 14.0];
/// How far lightning reaches, and how long it is shown from one snapshot.
const LIGHTNING: f32 = 768.0;
const LIGHTNING_LIFE: Milliseconds = Milliseconds(60);
/// The event of a shotgun, an entity by itself. `otherEntityNum` is who shoots.
const SHOTGUN: &str = "EV_SHOTGUN";
/// The smoke of a shotgun: how far ahead of the muzzle it is, its radius, and how long it is seen.
const SMOKE_AHEAD: f32 = 32.0;
const SMOKE: f32 = 32.0;
const SMOKE_LIFE: Milliseconds = Milliseconds(900);
/// The radius of the mark that a pellet leaves.
const PELLET_MARK: f32 = 4.0;
/// The parameter of a rail that hit nothing that can be marked.
const NO_MARK: u32 = 255;

const ORANGE: [u8; 3] = [255, 190, 70];
const YELLOW: [u8; 3] = [255, 230, 110];
const BLUE: [u8; 3] = [120, 160, 255];
const GREEN: [u8; 3] = [90, 230, 90];
const WHITE: [u8; 3] = [235, 235, 235];
const GREY: [u8; 3] = [150, 145, 135];
const RED: [u8; 3] = [150, 15, 10];

/// What a weapon does: the color of its flash, the sound of a shot, and the color, size, and sound of a hit.
type Weapon = ([u8; 3], &'static str, [u8; 3], f32, &'static str);

/// The sounds are under `sound/weapons/`.
fn weapon(own: &str) -> Option<Weapon> {
    Some(match own {
        "weapon_gauntlet" => (BLUE, "melee/fstatck", BLUE, 0.0, ""),
        "weapon_machinegun" | "weapon_hmg" | "weapon_chaingun" => (YELLOW, "machinegun/machgf1b", GREY, 8.0, "machinegun/ric1"),
        "weapon_shotgun" => (YELLOW, "shotgun/sshotf1b", GREY, 4.0, "machinegun/ric1"),
        "weapon_grenadelauncher" => (ORANGE, "grenade/grenlf1a", ORANGE, 64.0, "rocket/rocklx1a"),
        "weapon_prox_launcher" => (ORANGE, "proxmine/wstbfire", ORANGE, 64.0, "proxmine/wstbexpl"),
        "weapon_rocketlauncher" => (ORANGE, "rocket/rocklf1a", ORANGE, 64.0, "rocket/rocklx1a"),
        "weapon_lightning" => (BLUE, "lightning/lg_fire", BLUE, 0.0, "lightning/lg_hit"),
        "weapon_railgun" => (ORANGE, "railgun/railgf1a", WHITE, 24.0, "plasma/plasmx1a"),
        "weapon_plasmagun" => (BLUE, "plasma/hyprbf1a", BLUE, 16.0, "plasma/plasmx1a"),
        "weapon_bfg" => (GREEN, "bfg/bfg_fire", GREEN, 64.0, "rocket/rocklx1a"),
        "weapon_nailgun" => (YELLOW, "nailgun/wnalfire", GREY, 4.0, "nailgun/wnalimpd"),
        _ => return None,
    })
}

/// The sound of taking an item.
fn pickup(own: &str) -> Option<&'static str> {
    Some(match own {
        "item_armor_shard" => "sound/misc/ar1_pkup.wav",
        "item_armor_combat" | "item_armor_body" | "item_armor_jacket" => "sound/misc/ar2_pkup.wav",
        "item_health_small" => "sound/items/s_health.wav",
        "item_health" => "sound/items/n_health.wav",
        "item_health_large" => "sound/items/l_health.wav",
        "item_health_mega" => "sound/items/m_health.wav",
        "item_quad" => "sound/items/quaddamage.wav",
        "item_enviro" => "sound/items/protect.wav",
        "item_haste" => "sound/items/haste.wav",
        "item_invis" => "sound/items/invisibility.wav",
        "item_regen" => "sound/items/regeneration.wav",
        "item_flight" => "sound/items/flight.wav",
        "holdable_teleporter" | "holdable_medkit" => "sound/items/holdable.wav",
        own if own.starts_with("weapon_") => "sound/misc/w_pkup.wav",
        own if own.starts_with("ammo_") => "sound/misc/am_pkup.wav",
        _ => return None,
    })
}

/// The sound of an event that has no parameter; `*` stands for the folder of the player's figure.
fn sound_of(event: &str) -> Option<&'static str> {
    Some(match event {
        "EV_FOOTSTEP" => "sound/player/footsteps/boot1.wav",
        "EV_FOOTSTEP_METAL" => "sound/player/footsteps/clank1.wav",
        "EV_FOOTSTEP_SNOW" => "sound/player/footsteps/snow1.wav",
        "EV_FOOTSTEP_WOOD" => "sound/player/footsteps/wood1.wav",
        "EV_FOOTSPLASH" | "EV_FOOTWADE" | "EV_SWIM" => "sound/player/footsteps/splash1.wav",
        "EV_FALL_SHORT" => "sound/player/land1.wav",
        "EV_FALL_MEDIUM" => "*pain100_1.wav",
        "EV_FALL_FAR" => "*fall1.wav",
        "EV_JUMP_PAD" => "sound/world/jumppad.wav",
        "EV_JUMP" => "*jump1.wav",
        "EV_TAUNT" => "*taunt.wav",
        "EV_WATER_TOUCH" => "sound/player/watr_in.wav",
        "EV_WATER_LEAVE" => "sound/player/watr_out.wav",
        "EV_WATER_UNDER" => "sound/player/watr_un.wav",
        "EV_WATER_CLEAR" => "*gasp.wav",
        "EV_DROWN" => "*drown.wav",
        "EV_NOAMMO" => "sound/weapons/noammo.wav",
        "EV_CHANGE_WEAPON" | "EV_DROP_WEAPON" => "sound/weapons/change.wav",
        "EV_GRENADE_BOUNCE" => "sound/weapons/grenade/hgrenb1a.wav",
        "EV_DEATH1" => "*death1.wav",
        "EV_DEATH2" => "*death2.wav",
        "EV_DEATH3" => "*death3.wav",
        "EV_POWERUP_QUAD" => "sound/items/damage3.wav",
        "EV_POWERUP_BATTLESUIT" => "sound/items/protect3.wav",
        "EV_POWERUP_REGEN" => "sound/items/regen.wav",
        "EV_PROXIMITY_MINE_STICK" => "sound/weapons/proxmine/wstbimpl.wav",
        "EV_PROXIMITY_MINE_TRIGGER" => "sound/weapons/proxmine/wstbactv.wav",
        _ => return None,
    })
}

/// The cry of a player who has this health left.
fn pain(health: u32) -> &'static str {
    match health {
        0..25 => "*pain25_1.wav",
        25..50 => "*pain50_1.wav",
        50..75 => "*pain75_1.wav",
        _ => "*pain100_1.wav",
    }
}

/// Where fields stand in the rows of entities and of the player of the view.
#[derive(Debug, Clone, Copy)]
struct Fields {
    entity: EntityFields,
    weapon: usize,
    origin2: [usize; 3],
    place: MotionFields,
    turning: MotionFields,
    own: OwnFields,
}

/// Fields of the player of the view, beside those that events need.
#[derive(Debug, Clone, Copy)]
struct OwnFields {
    events: PlayerFields,
    weapon: usize,
    angles: [usize; 3],
}

impl Fields {
    fn of(dialect: &Dialect) -> Self {
        let at = |name| find(dialect.entity, name);
        let own = |name| find(dialect.player, name);
        Fields {
            entity: EntityFields::of(dialect),
            weapon: at("weapon"),
            origin2: [at("origin2[0]"), at("origin2[1]"), at("origin2[2]")],
            place: MotionFields::of(dialect, "pos"),
            turning: MotionFields::of(dialect, "apos"),
            own: OwnFields {
                events: PlayerFields::of(dialect),
                weapon: own("weapon"),
                angles: [own("viewangles[0]"), own("viewangles[1]"), own("viewangles[2]")],
            },
        }
    }
}

/// An event with all that it may need.
struct Event<'e> {
    name: &'e str,
    parameter: u32,
    subject: Option<Subject>,
    /// The player whose figure and color count.
    client: u32,
    weapon: u32,
    origin: [f32; 3],
    angles: [f32; 3],
    /// The start of a rail, or where a shotgun is aimed.
    origin2: Option<[f32; 3]>,
}

/// Collects what happens.
#[derive(Debug, Clone)]
pub(super) struct Collector {
    pub list: Happenings,
    fields: Fields,
    events: EventTracker,
    view: ViewTracker,
    announcer: Announcer,
}

impl Collector {
    pub(super) fn new(list: Happenings, dialect: &Dialect) -> Self {
        Collector { list, fields: Fields::of(dialect), events: EventTracker::default(), view: ViewTracker::default(), announcer: Announcer::default() }
    }

    /// The next snapshot does not follow the last one.
    pub(super) fn forget(&mut self) {
        self.view = ViewTracker::default();
        self.announcer = Announcer::default();
        self.events = EventTracker::default();
    }

    /// Adds what is new in a snapshot; `tree` is what was sent of it.
    pub(super) fn snapshot(&mut self, state: &State, tree: &Snapshot, game: &Game, terms: &LevelTerms, time: Milliseconds) {
        let Some(snapshot) = state.snapshot() else { return };
        self.list.set_time(time);
        let Fields { entity: at, own, .. } = self.fields;
        let view = own.events.slot(&snapshot.player);
        self.own_events(state, game, terms, &snapshot.player);
        self.announcer.counts(game, view, &snapshot.player.arrays[array::PERSISTANT], &mut self.list);
        self.lightnings(state, terms, view);
        self.events.snapshot(snapshot.sequence, snapshot.server_time);
        let first_type = game.events.first_type;
        let mut found = Vec::new();
        self.events.free(ChangedEntity::of(tree, at.e_type), state, &at, first_type, |event, row| {
            found.push((None, *row, event, word(row, at.event_parm)));
        });
        let others = state.entities().filter(|(_, row)| word(row, at.e_type) < first_type);
        self.events.of_entities(others, &at, |number, row, event, parameter| found.push((Some(number), *row, event, parameter)));
        for (number, row, event, parameter) in found {
            self.entity_event(state, game, terms, number, &row, event, parameter);
        }
    }

    /// Lightning of all other players in sight who fire it.
    fn lightnings(&mut self, state: &State, terms: &LevelTerms, view: u32) {
        let at = self.fields;
        let Some(server_time) = state.snapshot().map(|snapshot| Milliseconds(snapshot.server_time.into())) else { return };
        for (number, row) in state.entities().take_while(|(number, _)| usize::from(*number) < terms.slots()) {
            let fires = word(row, at.entity.e_type) == ET_PLAYER && word(row, at.entity.e_flags) & EF_FIRING != 0;
            if fires && u32::from(number) != view {
                self.lightning(terms, number.into(), word(row, at.weapon), at.place.at(row, server_time), at.turning.at(row, server_time));
            }
        }
    }

    /// Adds what an event of an entity says. One that is an entity by itself has no number here.
    #[expect(clippy::too_many_arguments, reason = "an event and all that it is read by")]
    fn entity_event(&mut self, state: &State, game: &Game, terms: &LevelTerms, number: Option<u16>, row: &Row, event: u32, parameter: u32) {
        let Some(name) = game.events.names.get(event as usize) else { return };
        let at = self.fields;
        let server_time = Milliseconds(state.snapshot().map_or(0, |snapshot| snapshot.server_time).into());
        let stated = if *name == SHOTGUN { Some(word(row, at.entity.other)) } else { at.entity.event_player(row) };
        let owner = stated.filter(|_| number.is_none());
        let client = owner.unwrap_or_else(|| word(row, at.entity.client));
        let is_player = word(row, at.entity.e_type) == ET_PLAYER;
        let subject = match number {
            Some(slot) if is_player && usize::from(slot) < terms.slots() => Some(Subject::Player(slot)),
            Some(number) => Some(Subject::Entity(number.into())),
            None => owner.filter(|slot| (*slot as usize) < terms.slots()).map(|slot| Subject::Player(slot as u16)),
        };
        let event = Event {
            name,
            parameter,
            subject,
            client,
            weapon: word(row, at.weapon),
            // what an event entity is at is its base
            origin: if number.is_none() { at.place.base(row) } else { at.place.at(row, server_time) },
            angles: at.turning.at(row, server_time),
            origin2: Some(vector(row, at.origin2)),
        };
        self.event(state, game, terms, &event);
    }

    /// The events of the player of the view.
    fn own_events(&mut self, state: &State, game: &Game, terms: &LevelTerms, player: &PlayerState) {
        let at = self.fields.own;
        let view = at.events.slot(player);
        if (view as usize) >= terms.slots() {
            return;
        }
        let (origin, angles, weapon) = (at.events.place(player), vector(&player.row, at.angles), word(&player.row, at.weapon));
        if at.events.flags(player) & EF_FIRING != 0 {
            self.lightning(terms, view, weapon, origin, angles);
        }
        let mut found = Vec::new();
        self.view.update(player, &at.events, |number, parameter| found.push((number, parameter)));
        for (number, parameter) in found {
            let Some(name) = game.events.names.get(number as usize) else { continue };
            let subject = Some(Subject::Player(view as u16));
            self.event(state, game, terms, &Event { name, parameter, subject, client: view, weapon, origin, angles, origin2: None });
        }
    }

    /// The lightning of somebody who fires it: where it ends is not stated.
    fn lightning(&mut self, terms: &LevelTerms, slot: u32, weapon: u32, origin: [f32; 3], angles: [f32; 3]) {
        if term(&terms.weapons, weapon).is_none_or(|weapon| &*weapon.own != "weapon_lightning") {
            return;
        }
        let mut bolt = Happening::at(HappeningKind::Lightning, muzzle(origin, angles));
        (bolt.direction, bolt.size, bolt.life) = (Some(forward(angles)), Some(LIGHTNING), Some(LIGHTNING_LIFE));
        (bolt.subject, bolt.color) = (Some(Subject::Player(slot as u16)), Some(BLUE));
        self.list.push(bolt);
    }

    fn event(&mut self, state: &State, game: &Game, terms: &LevelTerms, event: &Event<'_>) {
        let &Event { name, parameter, subject, client, origin, .. } = event;
        let fired = term(&terms.weapons, event.weapon).and_then(|weapon_term| weapon(&weapon_term.own));
        let direction = u8::try_from(parameter).ok().and_then(direction_of_byte);
        let mut seen = Happening::at(HappeningKind::Sound, origin);
        seen.subject = subject;
        let mut file: Option<String> = None;
        let mut everywhere = false;
        let of_weapon = |name: &str| (!name.is_empty()).then(|| format!("sound/weapons/{name}.wav"));
        match name {
            "EV_FIRE_WEAPON" => {
                let Some((color, sound, ..)) = fired else { return };
                seen.kind = HappeningKind::Flash;
                (seen.origin, seen.direction) = (Some(muzzle(origin, event.angles)), Some(forward(event.angles)));
                (seen.color, seen.size, file) = (Some(color), Some(300.0), of_weapon(sound));
            }
            SHOTGUN => {
                let Some(aimed) = event.origin2.filter(|_| pellets::are_known(game)) else { return };
                // the game takes the way that was aimed for a place, too
                if let Some([x, y, z]) = pellets::normal([0, 1, 2].map(|axis| aimed[axis] - origin[axis])) {
                    let mut smoke =
                        Happening::at(HappeningKind::Smoke, [origin[0] + x * SMOKE_AHEAD, origin[1] + y * SMOKE_AHEAD, origin[2] + z * SMOKE_AHEAD]);
                    (smoke.subject, smoke.color, smoke.size, smoke.life) = (subject, Some(WHITE), Some(SMOKE), Some(SMOKE_LIFE));
                    self.list.push(smoke);
                }
                for direction in pellets::directions(aimed, parameter).into_iter().flatten() {
                    let mut pellet = Happening::at(HappeningKind::Pellet, origin);
                    (pellet.subject, pellet.direction, pellet.color, pellet.size) = (subject, Some(direction), Some(GREY), Some(PELLET_MARK));
                    self.list.push(pellet);
                }
                return;
            }
            "EV_MISSILE_HIT" | "EV_MISSILE_MISS" | "EV_MISSILE_MISS_METAL" | "EV_MISSILE_MISS_DMGTHROUGH" => {
                let Some((_, _, color, size, sound)) = fired else { return };
                if name == "EV_MISSILE_HIT" {
                    let mut blood = Happening::at(HappeningKind::Blood, origin);
                    (blood.color, blood.count) = (Some(RED), Some(12));
                    self.list.push(blood);
                }
                seen.kind = if size >= 16.0 { HappeningKind::Explosion } else { HappeningKind::Impact };
                (seen.subject, seen.direction, seen.color) = (None, direction, Some(color));
                (seen.size, file) = ((size > 0.0).then_some(size), of_weapon(sound));
            }
            "EV_RAILTRAIL" => {
                let Some(start) = event.origin2 else { return };
                let is_player = (client as usize) < terms.slots();
                let mut rail = Happening::at(HappeningKind::Rail, start);
                (rail.end, rail.size, rail.color) =
                    (Some(origin), Some(3.0), Some(if is_player { rail_color(state.string(game.strings.players + client as usize)) } else { WHITE }));
                rail.subject = is_player.then_some(Subject::Player(client as u16));
                let color = rail.color;
                self.list.push(rail);
                if parameter == NO_MARK {
                    return;
                }
                (seen.kind, seen.subject, seen.direction) = (HappeningKind::Explosion, None, direction);
                (seen.color, seen.size, file) = (color, Some(24.0), of_weapon("plasma/plasmx1a"));
            }
            "EV_BULLET_HIT_WALL" => {
                (seen.kind, seen.subject, seen.direction) = (HappeningKind::Impact, None, direction);
                (seen.color, seen.count, file) = (Some(GREY), Some(8), of_weapon("machinegun/ric1"));
            }
            "EV_BULLET_HIT_FLESH" => {
                (seen.kind, seen.subject, seen.color, seen.count) = (HappeningKind::Blood, None, Some(RED), Some(12));
            }
            "EV_PLAYER_TELEPORT_IN" | "EV_PLAYER_TELEPORT_OUT" => {
                (seen.kind, seen.color, seen.size, seen.count) = (HappeningKind::Teleport, Some(WHITE), Some(32.0), Some(64));
                let way = if name.ends_with("IN") { "in" } else { "out" };
                file = Some(format!("sound/world/tele{way}.wav"));
            }
            "EV_ITEM_RESPAWN" | "EV_ITEM_POP" => {
                (seen.kind, seen.color, seen.size, seen.count) = (HappeningKind::Respawn, Some(WHITE), Some(24.0), Some(24));
                file = Some(String::from("sound/items/respawn1.wav"));
            }
            "EV_GIB_PLAYER" => {
                (seen.kind, seen.color, seen.count) = (HappeningKind::Gibs, Some(RED), Some(10));
                file = Some(String::from("sound/player/gibsplt1.wav"));
            }
            "EV_ITEM_PICKUP" | "EV_GLOBAL_ITEM_PICKUP" => {
                let Some(sound) = term(&terms.items, parameter).and_then(|item| pickup(&item.own)) else { return };
                everywhere = name == "EV_GLOBAL_ITEM_PICKUP";
                file = Some(sound.to_owned());
            }
            "EV_GENERAL_SOUND" | "EV_GLOBAL_SOUND" => {
                let Some(first) = game.strings.players.checked_sub(SOUNDS).filter(|_| (parameter as usize) < SOUNDS) else { return };
                let path = fragreel_model::game_text(state.string(first + parameter as usize));
                everywhere = name == "EV_GLOBAL_SOUND";
                file = Some(path).filter(|path| !path.is_empty());
            }
            "EV_GLOBAL_TEAM_SOUND" => {
                let Some(sound) = self.announcer.team_sound(parameter) else { return };
                everywhere = true;
                file = Some(format!("sound/{sound}.wav"));
            }
            "EV_PAIN" => file = Some(pain(parameter).to_owned()),
            _ => file = sound_of(name).map(str::to_owned),
        }
        if let Some(file) = file {
            let path = match file.strip_prefix('*') {
                Some(rest) => {
                    let figure = terms.files.figure(client).and_then(|figure| figure.model.strip_prefix("models/players/"));
                    format!("sound/player/{}/{rest}", figure.unwrap_or("sarge"))
                }
                None => file,
            };
            if everywhere {
                seen.origin = None;
            }
            seen.sound = Some(self.list.sound(&path).within(NEAR, (!everywhere).then_some(FAR)));
        }
        if seen.kind != HappeningKind::Sound || seen.sound.is_some() {
            self.list.push(seen);
        }
    }
}

/// Where a player looks.
fn forward([pitch, yaw, _]: [f32; 3]) -> [f32; 3] {
    let ((sin_pitch, cos_pitch), (sin, cos)) = (pitch.to_radians().sin_cos(), yaw.to_radians().sin_cos());
    [cos_pitch * cos, cos_pitch * sin, -sin_pitch]
}

fn muzzle(origin: [f32; 3], angles: [f32; 3]) -> [f32; 3] {
    let [up, ahead] = MUZZLE;
    let way = forward(angles);
    [origin[0] + way[0] * ahead, origin[1] + way[1] * ahead, origin[2] + way[2] * ahead + up]
}

/// The color of a player's rails: a digit whose bits are blue, green, red.
fn rail_color(string: &[u8]) -> [u8; 3] {
    match info(string, "c1") {
        [digit @ b'1'..=b'7'] => [4, 2, 1].map(|bit| if (digit - b'0') & bit != 0 { 255 } else { 40 }),
        _ => WHITE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_is_the_color_of_a_rail() {
        assert_eq!(rail_color(b"n\\Ann\\c1\\4"), [255, 40, 40]);
        assert_eq!(rail_color(b"n\\Ann\\c1\\3"), [40, 255, 255]);
        assert_eq!(rail_color(b"n\\Ann"), WHITE);
    }

    #[test]
    fn somebody_who_looks_down_points_down() {
        let [x, _, z] = forward([90.0, 0.0, 0.0]);
        assert!(x.abs() < 1e-6 && z < -0.999);
        assert_eq!(muzzle([0.0; 3], [0.0; 3]), [14.0, 0.0, 22.0]);
    }

    #[test]
    fn every_sound_of_a_figure_has_a_file() {
        for health in [0, 30, 60, 100] {
            assert!(pain(health).starts_with("*pain") && pain(health).ends_with("_1.wav"));
        }
        assert!(sound_of("EV_JUMP").is_some() && sound_of("EV_NONE").is_none());
    }
}
