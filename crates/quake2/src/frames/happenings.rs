//! Sounds, muzzle flashes, temporary entities and events of entities, in the vocabulary of all games (`docs/formats/quake2.md`, "Happenings").

use fragreel_model::{Happening, HappeningKind, Happenings, Milliseconds, Sound, Subject, direction_of_byte};

use super::looks::Figures;
use crate::chars;
use crate::dialect::{Coordinates, Dialect};
use crate::fields::{entity, flagged_value};
use crate::message::{self, Body, Message, MuzzleFlash, Part, TempEntity, layout_in};
use crate::state::{RF_BEAM, State, aged};

/// Units up to which a sound has its full volume, and from there on until it is gone at the normal attenuation.
pub(super) const NEAR: f32 = 80.0;
const FADES: f32 = 2000.0;
/// An attenuation that fades as fast as no multiple of the normal one.
const STATIC: u8 = 192;
const STATIC_FADES: f32 = 1.0 / 0.003;
/// Where a weapon flashes: ahead of its owner, and to the right.
const MUZZLE: [f32; 2] = [18.0, 16.0];
/// The bit of a flash that is quiet and dark.
const SILENCED: u16 = 128;
/// How long an entity's beam is shown: a frame.
const BEAM_LIFE: Milliseconds = Milliseconds(100);

const YELLOW: [u8; 3] = [255, 230, 110];
const ORANGE: [u8; 3] = [255, 160, 60];
const WHITE: [u8; 3] = [220, 220, 200];
const RED: [u8; 3] = [150, 20, 10];
const GREEN: [u8; 3] = [80, 220, 60];
const BLUE: [u8; 3] = [110, 150, 255];
const VIOLET: [u8; 3] = [190, 110, 255];
const WATER: [u8; 3] = [130, 160, 190];
const MUD: [u8; 3] = [120, 95, 60];
const LAVA: [u8; 3] = [255, 110, 20];
const BLACK: [u8; 3] = [30, 10, 40];
const GREY: [u8; 3] = [140, 140, 140];

/// A weapon's flash: color, radius of its light, sound.
type Flash = ([u8; 3], f32, &'static str);

/// The flash of a player's weapon by number; the sounds are under `sound/weapons/`.
fn flash(weapon: u16) -> Option<Flash> {
    Some(match weapon {
        0 => (YELLOW, 200.0, "blastf1a"),
        1 => (YELLOW, 200.0, "machgf1b"),
        2 => (YELLOW, 200.0, "shotgf1b"),
        3 => (ORANGE, 200.0, "machgf1b"),
        4 => (ORANGE, 225.0, "machgf1b"),
        5 => (YELLOW, 250.0, "machgf1b"),
        6 => (BLUE, 200.0, "railgf1a"),
        7 => (ORANGE, 200.0, "rocklf1a"),
        8 => (ORANGE, 200.0, "grenlf1a"),
        12 => (GREEN, 200.0, "bfg__f1y"),
        13 => (YELLOW, 200.0, "sshotf1b"),
        14 => (YELLOW, 200.0, "hyprbf1a"),
        16 => (ORANGE, 200.0, "rippfire"),
        17 => (BLUE, 200.0, "hyprbf1a"),
        18 => (ORANGE, 200.0, "plasshot"),
        30 => (YELLOW, 200.0, "nail1"),
        32 => (YELLOW, 200.0, "shotg2"),
        34 => (GREEN, 200.0, "blastf1a"),
        _ => return None,
    })
}

/// The numbers of flashes that are no weapons': somebody comes, goes, or begins again.
const LOGIN: u16 = 9;
const LOGOUT: u16 = 10;
const RESPAWN: u16 = 11;

/// What a temporary entity looks and sounds like: kind, color, particles, size, sound.
type Shown = (HappeningKind, [u8; 3], u16, f32, &'static str);

fn shown(name: &str) -> Option<Shown> {
    use HappeningKind::{Blood, Bubbles, Explosion, Impact, Laser, Lightning, Rail, Smoke, Splash, Teleport};
    Some(match name {
        "TE_GUNSHOT" => (Impact, WHITE, 40, 0.0, "world/ric1.wav"),
        "TE_SHOTGUN" => (Impact, WHITE, 20, 0.0, ""),
        "TE_SPARKS" | "TE_BULLET_SPARKS" => (Impact, ORANGE, 6, 0.0, ""),
        "TE_ELECTRIC_SPARKS" => (Impact, BLUE, 40, 0.0, "weapons/lashit.wav"),
        "TE_HEATBEAM_SPARKS" => (Impact, ORANGE, 50, 0.0, "weapons/lashit.wav"),
        "TE_SCREEN_SPARKS" => (Impact, GREEN, 40, 0.0, "weapons/lashit.wav"),
        "TE_SHIELD_SPARKS" => (Impact, BLUE, 40, 0.0, "weapons/lashit.wav"),
        "TE_BLOOD" => (Blood, RED, 60, 0.0, ""),
        "TE_MOREBLOOD" => (Blood, RED, 250, 0.0, ""),
        "TE_GREENBLOOD" => (Blood, GREEN, 30, 0.0, ""),
        "TE_BLASTER" | "TE_REDBLASTER" | "TE_FLECHETTE" => (Impact, YELLOW, 40, 150.0, "weapons/lashit.wav"),
        "TE_BLASTER2" => (Impact, GREEN, 40, 150.0, "weapons/lashit.wav"),
        "TE_BLUEHYPERBLASTER" | "TE_BLUEHYPERBLASTER_2" => (Impact, BLUE, 40, 150.0, "weapons/lashit.wav"),
        "TE_RAILTRAIL" | "TE_RAILTRAIL2" => (Rail, BLUE, 0, 3.0, "weapons/railgf1a.wav"),
        "TE_EXPLOSION1"
        | "TE_EXPLOSION2"
        | "TE_ROCKET_EXPLOSION"
        | "TE_EXPLOSION1_NP"
        | "TE_EXPLOSION1_NL"
        | "TE_EXPLOSION2_NL"
        | "TE_PLAIN_EXPLOSION"
        | "TE_DBALL_GOAL" => (Explosion, ORANGE, 0, 64.0, "weapons/rocklx1a.wav"),
        "TE_EXPLOSION1_BIG" | "TE_NUKEBLAST" => (Explosion, ORANGE, 0, 160.0, "weapons/rocklx1a.wav"),
        "TE_GRENADE_EXPLOSION" => (Explosion, ORANGE, 0, 64.0, "weapons/grenlx1a.wav"),
        "TE_ROCKET_EXPLOSION_WATER" | "TE_GRENADE_EXPLOSION_WATER" => (Explosion, ORANGE, 0, 64.0, "weapons/xpld_wat.wav"),
        "TE_PLASMA_EXPLOSION" => (Explosion, BLUE, 0, 48.0, "weapons/rocklx1a.wav"),
        "TE_BFG_EXPLOSION" => (Explosion, GREEN, 0, 48.0, ""),
        "TE_BFG_BIGEXPLOSION" => (Explosion, GREEN, 0, 96.0, ""),
        "TE_TRACKER_EXPLOSION" => (Explosion, BLACK, 0, 48.0, "weapons/disrupthit.wav"),
        "TE_BUBBLETRAIL" | "TE_BUBBLETRAIL2" => (Bubbles, WATER, 0, 0.0, ""),
        "TE_BOSSTPORT" => (Teleport, ORANGE, 300, 64.0, "misc/bigtele.wav"),
        "TE_TELEPORT_EFFECT" => (Teleport, WHITE, 200, 32.0, ""),
        "TE_SPLASH" | "TE_LASER_SPARKS" | "TE_WELDING_SPARKS" | "TE_TUNNEL_SPARKS" => (Splash, WATER, 0, 16.0, ""),
        "TE_PARASITE_ATTACK" | "TE_MEDIC_CABLE_ATTACK" | "TE_GRAPPLE_CABLE" | "TE_GRAPPLE_CABLE_2" => (Laser, MUD, 0, 2.0, ""),
        "TE_BFG_LASER" | "TE_BFG_ZAP" => (Laser, GREEN, 0, 4.0, ""),
        "TE_HEATBEAM" | "TE_MONSTER_HEATBEAM" => (Laser, ORANGE, 0, 4.0, ""),
        "TE_LIGHTNING" => (Lightning, VIOLET, 0, 4.0, "weapons/tesla.wav"),
        "TE_LIGHTNING_BEAM" => (Lightning, BLUE, 0, 4.0, ""),
        "TE_CHAINFIST_SMOKE" | "TE_HEATBEAM_STEAM" | "TE_STEAM" => (Smoke, GREY, 8, 24.0, ""),
        _ => return None,
    })
}

/// The colors of splashes by kind: nothing, sparks, blue and brown water, slime, lava, blood.
const SPLASHES: [[u8; 3]; 7] = [GREY, YELLOW, WATER, MUD, GREEN, LAVA, RED];

/// Events of entities.
mod event {
    pub(super) const ITEM_RESPAWN: u32 = 1;
    pub(super) const FOOTSTEP: u32 = 2;
    pub(super) const FALL_SHORT: u32 = 3;
    pub(super) const FALL: u32 = 4;
    pub(super) const FALL_FAR: u32 = 5;
    pub(super) const PLAYER_TELEPORT: u32 = 6;
    pub(super) const OTHER_TELEPORT: u32 = 7;
}

/// Collects what happens.
#[derive(Debug, Clone)]
pub(super) struct Collector {
    pub list: Happenings,
    figures: Figures,
    /// Entities from 1 to this are players.
    slots: u16,
    /// Whether light styles changed since the last frame.
    lights_changed: bool,
}

impl Collector {
    pub(super) fn new(list: Happenings) -> Self {
        Collector { list, figures: Figures::default(), slots: 1, lights_changed: true }
    }

    /// A light style changed.
    pub(super) fn light(&mut self) {
        self.lights_changed = true;
    }

    /// Strings changed: those of players, too, perhaps.
    pub(super) fn strings(&mut self, state: &State) {
        self.figures.clear();
        self.lights_changed = true;
        let stated = std::str::from_utf8(state.strings.get(state.dialect.strings.maxclients)).ok().and_then(|text| text.trim().parse::<u16>().ok());
        self.slots = stated.unwrap_or(1).clamp(1, 256);
    }

    fn subject(&self, number: u16) -> Option<Subject> {
        match number {
            0 => None,
            number if number <= self.slots => Some(Subject::Player(number - 1)),
            number => Some(Subject::Entity(number.into())),
        }
    }

    /// A message of a recording, or one inside a parcel of an MVD2.
    pub(super) fn message(&mut self, message: &Message, state: &State) {
        self.list.set_time(state.clock.time());
        match &message.body {
            Body::Sound(sound) => self.sound(sound, state),
            Body::MuzzleFlash(flash) => self.flash(flash, state),
            Body::MuzzleFlash2(flash) | Body::MuzzleFlash3(flash) => {
                let number = flash.entity & 0x1fff;
                if let Some((origin, yaw)) = place(state, number) {
                    self.list.push(shining(self.subject(number), muzzle(origin, yaw), (ORANGE, 200.0)));
                }
            }
            Body::TempEntity(effect) => self.temporary(effect, state),
            _ => {}
        }
    }

    /// Adds a sound.
    pub(super) fn sound(&mut self, sound: &message::Sound, state: &State) {
        self.list.set_time(state.clock.time());
        let number = (sound.entity_channel >> 3) as u16 & 0x1fff;
        let strings = state.dialect.strings;
        if sound.index >= strings.images - strings.sounds {
            return;
        }
        let path = chars::clean(state.strings.get(strings.sounds + sound.index));
        let Some(file) = self.file(&path, number, state) else { return };
        let mut heard = Happening::new(HappeningKind::Sound);
        heard.time = Milliseconds(sound.offset.into());
        heard.subject = self.subject(number);
        heard.origin = if sound.flags & message::Sound::POSITION != 0 {
            Some(sound.position.map(|word| coordinate(&state.dialect, word)))
        } else {
            place(state, number).map(|(origin, _)| origin)
        };
        let far = match sound.attenuation {
            0 => None,
            STATIC => Some(NEAR + STATIC_FADES),
            attenuation => Some(NEAR + FADES * 64.0 / f32::from(attenuation)),
        };
        // a sound of something that is nowhere cannot be placed
        if heard.origin.is_none() && far.is_some() {
            return;
        }
        heard.sound = Some(Sound { volume: f32::from(sound.volume) / 255.0, channel: (sound.entity_channel & 7) as u8, ..file.within(NEAR, far) });
        self.list.push(heard);
    }

    /// The file of a sound: a `*` stands for the folder of the player's figure, and `#` for a path that is not in `sound/`.
    fn file(&mut self, path: &str, number: u16, state: &State) -> Option<Sound> {
        let file = match path.as_bytes().first()? {
            b'*' => {
                let slot = u8::try_from(number.checked_sub(1)?).ok()?;
                let model = self.figures.figure(state, slot).map_or("players/male/tris.md2", |figure| &figure.model);
                format!("{}/{}", model.rsplit_once('/')?.0, &path[1..])
            }
            b'#' => path[1..].to_owned(),
            _ => format!("sound/{path}"),
        };
        Some(self.list.sound(&file))
    }

    fn flash(&mut self, flashed: &MuzzleFlash, state: &State) {
        let number = flashed.entity & 0x1fff;
        let Some((origin, yaw)) = place(state, number) else { return };
        let (weapon, quiet) = (flashed.weapon & !SILENCED, flashed.weapon & SILENCED != 0);
        let subject = self.subject(number);
        let coming = match weapon {
            LOGIN => Some(GREEN),
            LOGOUT => Some(RED),
            RESPAWN => Some(YELLOW),
            _ => None,
        };
        if let Some(color) = coming {
            let mut seen = Happening::at(HappeningKind::Teleport, origin);
            (seen.subject, seen.color, seen.count, seen.size) = (subject, Some(color), Some(500), Some(32.0));
            seen.sound = Some(self.list.sound("sound/weapons/grenlf1a.wav").within(NEAR, Some(NEAR + FADES)));
            self.list.push(seen);
        } else if let Some((color, size, sound)) = flash(weapon) {
            let mut seen = shining(subject, muzzle(origin, yaw), (color, if quiet { size / 2.0 } else { size }));
            let volume = if quiet { 0.2 } else { 1.0 };
            seen.sound = Some(Sound { volume, ..self.list.sound(&format!("sound/weapons/{sound}.wav")).within(NEAR, Some(NEAR + FADES)) });
            self.list.push(seen);
        }
    }

    fn temporary(&mut self, effect: &TempEntity, state: &State) {
        let Some((name, parts)) = layout_in(&state.dialect, effect.kind) else { return };
        let Some((kind, color, count, size, sound)) = shown(name) else { return };
        let at = |place: usize| effect.positions[place].map(|word| coordinate(&state.dialect, word));
        let has = |part: Part| parts.contains(&part);
        let mut seen = Happening::at(kind, at(0));
        seen.end = (parts.iter().filter(|part| **part == Part::Position).count() > 1).then(|| at(1));
        if has(Part::Direction) {
            seen.direction = direction_of_byte(effect.direction);
        }
        if has(Part::Entity1) {
            seen.subject = u16::try_from(effect.entity1).ok().and_then(|number| self.subject(number));
        }
        seen.color = Some(if kind == HappeningKind::Splash { SPLASHES[usize::from(effect.color).min(SPLASHES.len() - 1)] } else { color });
        seen.count = if has(Part::Count) { Some(effect.count) } else { (count > 0).then_some(count) };
        seen.size = (size > 0.0).then_some(size);
        if !sound.is_empty() {
            let far = if name == "TE_BOSSTPORT" { None } else { Some(NEAR + FADES) };
            seen.sound = Some(self.list.sound(&format!("sound/{sound}")).within(NEAR, far));
        }
        self.list.push(seen);
    }

    /// Adds what the entities of a frame do. An event is stated for one frame.
    pub(super) fn frame(&mut self, state: &State) {
        self.list.set_time(state.clock.time());
        if std::mem::take(&mut self.lights_changed) {
            let strings = state.dialect.strings;
            let styles = (0..strings.items - strings.lights).map(|style| (style, state.strings.get(strings.lights + style)));
            self.list.light_styles(styles.filter(|(_, pattern)| !pattern.is_empty()));
        }
        let mut found = Vec::new();
        state.stated_entities(|number, row, is_new| {
            if is_new && row[entity::EVENT] != 0 || row[entity::RENDERFX] & RF_BEAM != 0 {
                found.push((number, if is_new { *row } else { aged(row, state.dialect.line) }));
            }
        });
        for (number, row) in found {
            let vector = |from: usize| [0, 1, 2].map(|axis| state.dialect.units(row[from + axis]));
            let origin = vector(entity::ORIGIN_X);
            if row[entity::RENDERFX] & RF_BEAM != 0 {
                let mut beam = Happening::at(HappeningKind::Laser, origin);
                beam.end = Some(vector(entity::OLD_ORIGIN_X));
                (beam.subject, beam.life) = (self.subject(number), Some(BEAM_LIFE));
                (beam.size, beam.color) = (Some(row[entity::FRAME] as f32), Some(RED));
                self.list.push(beam);
                continue;
            }
            let (kind, sound, attenuation) = match row[entity::EVENT] {
                event::ITEM_RESPAWN => (HappeningKind::Respawn, "items/respawn1.wav", 2.0),
                event::FOOTSTEP => (HappeningKind::Sound, "player/step1.wav", 1.0),
                event::FALL_SHORT => (HappeningKind::Sound, "player/land1.wav", 1.0),
                event::FALL => (HappeningKind::Sound, "*fall2.wav", 1.0),
                event::FALL_FAR => (HappeningKind::Sound, "*fall1.wav", 1.0),
                event::PLAYER_TELEPORT => (HappeningKind::Teleport, "misc/tele1.wav", 2.0),
                event::OTHER_TELEPORT => (HappeningKind::Teleport, "", 1.0),
                _ => continue,
            };
            let mut seen = Happening::at(kind, origin);
            seen.subject = self.subject(number);
            if kind != HappeningKind::Sound {
                (seen.color, seen.count, seen.size) = (Some(if kind == HappeningKind::Respawn { GREEN } else { WHITE }), Some(64), Some(32.0));
            }
            if let Some(file) = self.file(sound, number, state) {
                seen.sound = Some(file.within(NEAR, Some(NEAR + FADES / attenuation)));
            }
            self.list.push(seen);
        }
    }
}

fn shining(subject: Option<Subject>, origin: [f32; 3], (color, size): ([u8; 3], f32)) -> Happening {
    let mut flash = Happening::at(HappeningKind::Flash, origin);
    (flash.subject, flash.color, flash.size) = (subject, Some(color), Some(size));
    flash
}

/// Where a weapon flashes.
fn muzzle([x, y, z]: [f32; 3], yaw: f32) -> [f32; 3] {
    let (sin, cos) = yaw.to_radians().sin_cos();
    let [ahead, right] = MUZZLE;
    [x + cos * ahead + sin * right, y + sin * ahead - cos * right, z]
}

/// A coordinate of a message. One with a flag has no older one that it differs from.
fn coordinate(dialect: &Dialect, word: u32) -> f32 {
    dialect.units(if dialect.coordinates == Coordinates::Flagged { flagged_value(word, 0) } else { word })
}

/// Where an entity is, and its yaw.
fn place(state: &State, wanted: u16) -> Option<([f32; 3], f32)> {
    let mut found = None;
    state.stated_entities(|number, row, _| {
        if number == wanted {
            let origin = [0, 1, 2].map(|axis| state.dialect.units(row[entity::ORIGIN_X + axis]));
            found = Some((origin, state.dialect.degrees(row[entity::ANGLES_X + 1])));
        }
    });
    found
}
