//! Sounds, temporary entities and events of weapons, in the vocabulary of all games (`docs/formats/goldsrc.md`, "Happenings").

use std::collections::HashMap;
use std::sync::Arc;

use fragreel_model::{Happening, HappeningKind, Happenings, Milliseconds, Subject};

use super::columns::{ANGLES, Column, Columns, ORIGIN};
use crate::encode::DECAL_RESET;
use crate::fields::Structure;
use crate::game_text::clean;
use crate::message::context::Context;
use crate::message::temp_entity::{FieldType, TempEntity, TempEntityShape};
use crate::message::{Delta, Message, Sound, SpawnStaticSound, Values};
use crate::state::State;
use crate::weapon_scripts::{EVENT_SCRIPT, weapon_script};

/// The kind of resources that are sounds.
const SOUND: u8 = 0;
/// The kind of resources that are decals.
const DECAL: u8 = 3;
/// The number that `TE_DECALHIGH` and `TE_WORLDDECALHIGH` count from.
const HIGH: u16 = 256;
/// Flags of sounds: of a sentence, to stop it, to change its volume or pitch.
const SENTENCE: u16 = Sound::SENTENCE;
const STOP: u16 = 0x20;
const CHANGE: u16 = 0xc0;
/// The channel of sounds at a place.
const STATIC: u8 = 6;
/// `effects`: the weapon flashes.
const EF_MUZZLEFLASH: i64 = 2;
/// How far a sound carries that fades at the normal speed.
const FAR: f32 = 1000.0;
/// What weapons fade with.
const WEAPON_FAR: f32 = FAR / 0.8;
/// A muzzle, from the middle of a player: up and ahead.
const MUZZLE: [f32; 2] = [16.0, 24.0];

const FIRE: [u8; 3] = [255, 190, 80];
const DUST: [u8; 3] = [150, 145, 135];
const RED: [u8; 3] = [150, 15, 10];
const GREEN: [u8; 3] = [110, 150, 40];
const BLUE: [u8; 3] = [120, 160, 255];
const GREY: [u8; 3] = [70, 70, 70];
const LAVA: [u8; 3] = [255, 110, 20];
const WATER: [u8; 3] = [150, 180, 200];

/// The color of the palette that the blood of aliens has.
const ALIEN_BLOOD: f32 = 195.0;

/// A message of a block, until the block's frame is known.
#[derive(Debug, Clone)]
enum Pending {
    Sound(Sound),
    Static(SpawnStaticSound),
    Temporary(TempEntity),
    Event { script: u16, packet: Option<u16>, stated: Stated, delay: Option<u16> },
}

/// What an event's arguments state.
#[derive(Debug, Clone, Copy, Default)]
struct Stated {
    origin: Option<[f32; 3]>,
    angles: Option<[f32; 3]>,
    entity: Option<u16>,
}

/// Collects what happens.
#[derive(Debug, Clone)]
pub(super) struct Collector {
    pub list: Happenings,
    pending: Vec<Pending>,
    /// Entities whose weapons flash.
    flashing: Vec<u16>,
    /// The light styles that were reported.
    lights: Option<Arc<HashMap<u8, Vec<u8>>>>,
    player: Columns,
    event: Columns,
}

impl Collector {
    pub(super) fn new(list: Happenings) -> Self {
        Collector { list, pending: Vec::new(), flashing: Vec::new(), lights: None, player: Columns::default(), event: Columns::default() }
    }

    /// The next frame does not follow the last one.
    pub(super) fn forget(&mut self) {
        self.list.clear();
        self.pending.clear();
        self.flashing.clear();
        self.lights = None;
    }

    /// Keeps a message until its block has ended.
    pub(super) fn message(&mut self, context: &Context, message: &Message) {
        if self.pending.len() >= Happenings::MOST {
            return;
        }
        match message {
            Message::Sound(sound) => self.pending.push(Pending::Sound(sound.clone())),
            Message::SpawnStaticSound(sound) => self.pending.push(Pending::Static(sound.clone())),
            Message::TempEntity(effect) => self.pending.push(Pending::Temporary(effect.clone())),
            Message::Event(events) => {
                for event in &events.events {
                    let stated = event.arguments.map(|arguments| self.stated(context, &arguments, &events.values)).unwrap_or_default();
                    self.pending.push(Pending::Event { script: event.index, packet: event.packet_index, stated, delay: event.fire_time });
                }
            }
            Message::EventReliable(event) => {
                let stated = self.stated(context, &event.arguments, &event.values);
                self.pending.push(Pending::Event { script: event.index, packet: None, stated, delay: event.fire_time });
            }
            _ => {}
        }
    }

    fn stated(&mut self, context: &Context, arguments: &Delta, values: &Values) -> Stated {
        self.event.bind(context, Structure::Event);
        // a description may have more fields than a mask has bits
        let mut row = [0; 256];
        let mut sent = 0;
        for (field, word) in values.of(arguments) {
            if let Some(place) = row.get_mut(field) {
                *place = word;
                sent |= 1_u64 << field;
            }
        }
        // what was not sent is the default, which for a place means: that of the entity
        let is_sent = |column| self.event.place(column).is_some_and(|at| at < 64 && sent & 1 << at != 0);
        let vector = |columns: [Column; 3]| columns.iter().any(|column| is_sent(*column)).then(|| self.event.vector(&row, columns)).flatten();
        Stated {
            origin: vector(ORIGIN),
            angles: vector(ANGLES),
            entity: self.event.whole(&row, Column::Entity).and_then(|entity| u16::try_from(entity).ok()).filter(|entity| *entity > 0),
        }
    }

    /// Adds what the block said, at the frame that it brought.
    pub(super) fn frame(&mut self, state: &State, context: &Context, time: Milliseconds) {
        self.list.set_time(time);
        self.player.bind(context, Structure::Player);
        for pending in std::mem::take(&mut self.pending) {
            match pending {
                Pending::Sound(sound) => self.sound(state, context, &sound),
                Pending::Static(sound) => self.lasting(state, context, &sound),
                Pending::Temporary(effect) => self.temporary(state, context, &effect),
                Pending::Event { script, packet, stated, delay } => self.event(state, context, script, packet, stated, delay),
            }
        }
        if self.lights.as_ref().is_none_or(|lights| !Arc::ptr_eq(lights, &state.light_styles)) {
            let mut styles: Vec<(u16, &[u8])> = state.light_styles.iter().map(|(style, pattern)| ((*style).into(), &pattern[..])).collect();
            styles.sort_unstable();
            self.list.light_styles(styles);
            self.lights = Some(state.light_styles.clone());
        }
        let mut flashing = Vec::new();
        for entity in state.frame().iter().filter(|entity| entity.structure == Structure::Player) {
            let row = state.row(entity.row);
            if self.player.whole(row, Column::Effects).is_some_and(|effects| effects & EF_MUZZLEFLASH != 0) {
                if !self.flashing.contains(&entity.number)
                    && let Some(origin) = self.player.vector(row, ORIGIN)
                {
                    self.list.push(flash(subject(context, entity.number), origin, self.player.vector(row, ANGLES)));
                }
                flashing.push(entity.number);
            }
        }
        self.flashing = flashing;
    }

    fn sound(&mut self, state: &State, context: &Context, sound: &Sound) {
        // volume and pitch of what is heard already
        if sound.flags & STOP == 0 && sound.flags & CHANGE != 0 {
            return;
        }
        let Some(file) = self.file(state, sound.flags, sound.sound) else { return };
        if sound.flags & STOP != 0 {
            self.silence(context, sound.entity, sound.channel, file);
            return;
        }
        let mut heard = Happening::at(HappeningKind::Sound, sound.origin.map(|axis| axis.map_or(0.0, crate::message::BitCoord::units)));
        heard.subject = subject(context, sound.entity);
        let far = match sound.attenuation {
            Some(0) => None,
            attenuation => Some(FAR * 64.0 / f32::from(attenuation.unwrap_or(64))),
        };
        heard.sound = Some(fragreel_model::Sound {
            volume: sound.volume.map_or(1.0, |volume| f32::from(volume) / 255.0),
            channel: sound.channel,
            pitch: sound.pitch.map_or(1.0, |pitch| f32::from(pitch) / 100.0),
            ..file.within(0.0, far)
        });
        self.list.push(heard);
    }

    /// The file of a sound. A sentence is its name in `sound/sentences.txt`, or its number there, behind an exclamation mark.
    fn file(&mut self, state: &State, flags: u16, number: u16) -> Option<fragreel_model::Sound> {
        if flags & SENTENCE != 0 {
            return Some(self.list.sound(&format!("!{number}")));
        }
        let path = clean(&state.resource(SOUND, number)?.name.0);
        match path.chars().next()? {
            '!' => Some(self.list.sound(&path)),
            _ => Some(self.list.sound(&format!("sound/{}", path.trim_start_matches(['*', '?', '<', '>', '^'])))),
        }
    }

    /// Ends what an entity is heard with on a channel.
    fn silence(&mut self, context: &Context, entity: u16, channel: u8, file: fragreel_model::Sound) {
        let mut ends = Happening::new(HappeningKind::Silence);
        ends.subject = subject(context, entity);
        ends.sound = Some(fragreel_model::Sound { channel, ..file });
        self.list.push(ends);
    }

    /// A sound at a place, which another message may end.
    fn lasting(&mut self, state: &State, context: &Context, sound: &SpawnStaticSound) {
        let flags = u16::from(sound.flags);
        let Some(file) = self.file(state, flags, sound.sound) else { return };
        if flags & STOP != 0 {
            self.silence(context, sound.entity, STATIC, file);
        } else if flags & CHANGE == 0 {
            let mut heard = Happening::at(HappeningKind::Sound, sound.origin.map(|axis| f32::from(axis.0) / 8.0));
            heard.subject = subject(context, sound.entity);
            let far = (sound.attenuation.0 > 0).then(|| FAR * 64.0 / f32::from(sound.attenuation.0));
            let pitch = if sound.pitch.0 > 0 { f32::from(sound.pitch.0) / 100.0 } else { 1.0 };
            heard.sound =
                Some(fragreel_model::Sound { volume: f32::from(sound.volume.0) / 255.0, channel: STATIC, pitch, lasts: true, ..file.within(0.0, far) });
            self.list.push(heard);
        }
    }

    fn event(&mut self, state: &State, context: &Context, script: u16, packet: Option<u16>, stated: Stated, delay: Option<u16>) {
        let Some(resource) = state.resource(EVENT_SCRIPT, script) else { return };
        if resource.name.0 == DECAL_RESET {
            self.list.push(Happening::new(HappeningKind::Decal));
            return;
        }
        let Some(weapon) = weapon_script(&clean(&resource.name.0)).filter(|weapon| weapon.flashes || weapon.sound.is_some()) else { return };
        let entity = packet.and_then(|at| state.frame().get(usize::from(at)));
        let number = entity.map(|entity| entity.number).or(stated.entity);
        let row = number.and_then(|number| state.frame().iter().find(|entity| entity.number == number && entity.structure == Structure::Player));
        let row = row.map(|entity| state.row(entity.row));
        let origin = stated.origin.or_else(|| row.and_then(|row| self.player.vector(row, ORIGIN)));
        let Some(origin) = origin else { return };
        let angles = stated.angles.or_else(|| row.and_then(|row| self.player.vector(row, ANGLES)));
        let mut shot = flash(number.and_then(|number| subject(context, number)), origin, angles);
        shot.time = Milliseconds(i64::from(delay.unwrap_or_default()) * 10);
        shot.sound = weapon.sound.map(|sound| self.list.sound(&format!("sound/{sound}")).within(0.0, Some(WEAPON_FAR)));
        if !weapon.flashes {
            shot.kind = HappeningKind::Sound;
        }
        self.list.push(shot);
    }

    fn temporary(&mut self, state: &State, context: &Context, effect: &TempEntity) {
        let Some(shape) = TempEntityShape::of(effect.kind) else { return };
        let field = |name: &str| {
            let at = shape.fields.iter().position(|(field, _)| *field == name)?;
            let word = *effect.values.get(at)?;
            Some(match shape.fields[at].1 {
                FieldType::Coord => f32::from(word as u16 as i16) / 8.0,
                FieldType::Short => f32::from(word as u16 as i16),
                _ => word as f32,
            })
        };
        let point = |[x, y, z]: [&str; 3]| Some([field(x)?, field(y)?, field(z)?]);
        // an entity's number has the point on it in the highest bits
        let entity = |name: &str| field(name).map(|number| number as i64 as u16 & 0xfff);
        let place = |number: u16| {
            let found = state.frame().iter().find(|entity| entity.number == number && entity.structure == Structure::Player)?;
            self.player.vector(state.row(found.row), ORIGIN)
        };
        let start = point(["x", "y", "z"]).or_else(|| point(["min_x", "min_y", "min_z"])).or_else(|| place(entity("entity")?));
        let Some(origin) = start else { return };
        if let Some(number) = field("decal").or_else(|| field("texture")) {
            decal(&mut self.list, state, (shape.name, number as u16), origin, entity("entity").and_then(|number| subject(context, number)));
        }
        use HappeningKind::{Blood, Bubbles, Explosion, Flash, Impact, Laser, Lightning, Smoke, Splash, Teleport, Tracer};
        let stated = point_of_color(field("red"), field("green"), field("blue"));
        let number = |name: &str| field(name).map(|number| number.clamp(0.0, 65535.0) as u16);
        let blood = |color: Option<f32>| if color == Some(ALIEN_BLOOD) { GREEN } else { RED };
        let (kind, color, count, size, sound) = match shape.name {
            "TE_BEAMPOINTS" | "TE_BEAMENTPOINT" | "TE_BEAMENTS" | "TE_SHOWLINE" | "TE_LINE" => {
                let width = field("width").unwrap_or(10.0) / 10.0;
                (if field("noise").unwrap_or_default() > 0.0 { Lightning } else { Laser }, stated.unwrap_or(BLUE), None, Some(width), "")
            }
            "TE_LIGHTNING" => (Lightning, BLUE, None, field("width").map(|width| width / 10.0), ""),
            "TE_GUNSHOT" | "TE_GUNSHOTDECAL" | "TE_ARMOR_RICOCHET" => (Impact, DUST, Some(8), None, "weapons/ric1.wav"),
            "TE_MULTIGUNSHOT" => (Impact, DUST, number("count"), None, ""),
            "TE_SPARKS" | "TE_STREAK_SPLASH" => (Impact, FIRE, Some(number("count").unwrap_or(8)), None, ""),
            "TE_EXPLOSION" => {
                // flags: no sound, and no particles
                let quiet = field("flags").unwrap_or_default() as u32 & 4 != 0;
                (Explosion, FIRE, None, field("scale").map(|scale| scale * 3.2), if quiet { "" } else { "weapons/explode3.wav" })
            }
            "TE_EXPLOSION2" | "TE_TAREXPLOSION" => (Explosion, FIRE, None, Some(64.0), "weapons/explode3.wav"),
            "TE_SMOKE" | "TE_FIREFIELD" => (Smoke, GREY, Some(8), Some(field("scale").or_else(|| field("radius")).unwrap_or(20.0) * 1.6), ""),
            "TE_TRACER" | "TE_USERTRACER" => (Tracer, FIRE, None, None, ""),
            "TE_LAVASPLASH" => (Splash, LAVA, Some(200), Some(128.0), ""),
            "TE_TELEPORT" => (Teleport, BLUE, Some(200), Some(32.0), ""),
            "TE_BLOOD" | "TE_BLOODSTREAM" | "TE_BLOODSPRITE" => (Blood, blood(field("color")), Some(20), None, ""),
            "TE_DLIGHT" => (Flash, stated.unwrap_or(FIRE), None, field("radius").map(|radius| radius * 10.0), ""),
            "TE_BUBBLES" | "TE_BUBBLETRAIL" => (Bubbles, WATER, number("count"), None, ""),
            _ => return,
        };
        let mut seen = Happening::at(kind, origin);
        seen.end = point(["end_x", "end_y", "end_z"]).or_else(|| point(["max_x", "max_y", "max_z"])).or_else(|| place(entity("end_entity")?));
        if matches!(kind, Laser | Lightning | Tracer) && seen.end.is_none() {
            return;
        }
        seen.subject = entity("entity").filter(|_| matches!(kind, Laser | Lightning)).and_then(|number| subject(context, number));
        (seen.color, seen.count, seen.size) = (Some(color), count, size);
        // in tenths of a second
        seen.life = field("life").map(|life| Milliseconds((life * 100.0) as i64));
        if !sound.is_empty() {
            seen.sound = Some(self.list.sound(&format!("sound/{sound}")).within(0.0, Some(FAR)));
        }
        self.list.push(seen);
    }
}

fn point_of_color(red: Option<f32>, green: Option<f32>, blue: Option<f32>) -> Option<[u8; 3]> {
    Some([red? as u8, green? as u8, blue? as u8])
}

/// Adds a decal on the map, or on an entity that is a part of it.
fn decal(list: &mut Happenings, state: &State, (kind, number): (&str, u16), origin: [f32; 3], subject: Option<Subject>) {
    let number = match kind {
        "TE_BSPDECAL" | "TE_DECAL" | "TE_WORLDDECAL" | "TE_GUNSHOTDECAL" => number,
        "TE_DECALHIGH" | "TE_WORLDDECALHIGH" => number + HIGH,
        // the picture of a spray is its player's own
        _ => return,
    };
    let Some(resource) = state.resource(DECAL, number) else { return };
    let mut decal = Happening::at(HappeningKind::Decal, origin);
    (decal.picture, decal.subject) = (Some(list.name(&clean(&resource.name.0))), subject);
    list.push(decal);
}

/// Whose it is: the first entities are those of players.
fn subject(context: &Context, number: u16) -> Option<Subject> {
    let slot = number.checked_sub(1)?;
    Some(if slot < u16::from(context.max_clients) { Subject::Player(slot) } else { Subject::Entity(number.into()) })
}

fn flash(subject: Option<Subject>, [x, y, z]: [f32; 3], angles: Option<[f32; 3]>) -> Happening {
    let yaw = angles.map(|angles| angles[1].to_radians());
    let [up, ahead] = MUZZLE;
    let [sin, cos] = yaw.map_or([0.0; 2], |yaw| [yaw.sin(), yaw.cos()]);
    let mut flash = Happening::at(HappeningKind::Flash, [x + cos * ahead, y + sin * ahead, z + up]);
    (flash.subject, flash.color, flash.size) = (subject, Some(FIRE), Some(200.0));
    flash
}
