//! Sounds, temporary entities, particles and muzzle flashes, in the vocabulary of all games (`docs/formats/quake1.md`, "Happenings").

use fragreel_model::{Happening, HappeningKind, Happenings, Sound, StaticEntity, Subject};

use crate::dialect::Dialect;
use crate::frames::models::Models;
use crate::frames::player::{MOST_PLAYERS, place};
use crate::message::temp_entity::{self, Part, TempEntity};
use crate::message::{Coord, FlaggedStaticSound, Message, NqSound, Particle, QwSound, StaticSound, WideStaticSound};
use crate::state::{Game, Seen};

/// `effects`: the weapon flashes in this frame.
const MUZZLE_FLASH: u32 = 2;
/// How far a sound carries that fades at the normal speed.
const FAR: f32 = 1000.0;
/// Where a weapon flashes, from its owner's origin.
const MUZZLE: [f32; 2] = [18.0, 16.0];
/// How long a flash lights its surroundings, and how far.
const FLASH_SIZE: f32 = 200.0;
/// Radius of the fire of an explosion.
const EXPLOSION_SIZE: f32 = 64.0;

const FIRE: [u8; 3] = [255, 170, 70];
const DUST: [u8; 3] = [150, 140, 125];
const RED: [u8; 3] = [150, 20, 10];
const BLUE: [u8; 3] = [150, 190, 255];
const TAR: [u8; 3] = [90, 70, 140];
const POISON: [u8; 3] = [110, 140, 50];
const MAGIC: [u8; 3] = [255, 140, 50];
const LAVA: [u8; 3] = [255, 110, 20];
const HOOK: [u8; 3] = [120, 95, 60];

/// Colors of the palette that blood has.
const BLOOD_COLORS: std::ops::RangeInclusive<u8> = 64..=79;
/// The number of particles that stands for an explosion.
const EXPLODES: u8 = 255;

/// Adds what a message says.
pub(super) fn message(game: &Game, d: &Dialect, message: &Message, to: &mut Happenings) {
    match message {
        Message::QwSound(sound) => quakeworld_sound(game, d, sound, to),
        Message::NqSound(sound) => netquake_sound(game, d, sound, to),
        Message::StaticSound(StaticSound { origin, sound, volume, attenuation }) => {
            lasting(game, d, origin, [*sound, (*volume).into(), (*attenuation).into()], to);
        }
        Message::FitzStaticSound(WideStaticSound { origin, sound, volume, attenuation })
        | Message::DpStaticSound(WideStaticSound { origin, sound, volume, attenuation }) => {
            lasting(game, d, origin, [*sound, (*volume).into(), (*attenuation).into()], to);
        }
        Message::SpawnStaticSound2(FlaggedStaticSound { origin, sound, volume, attenuation, .. }) => {
            lasting(game, d, origin, [*sound, (*volume).into(), (*attenuation).into()], to);
        }
        Message::TempEntity(effect) => temporary(game, d, effect, to),
        Message::Particle(particle) => particles(d, particle, to),
        Message::MuzzleFlash(flash) => {
            let whose = subject(game, flash.entity.number);
            let (origin, angles) = match whose {
                Some(Subject::Player(slot)) => (place(game, d, slot as u8), game.body_of(slot as u8).map(|body| body.angles)),
                _ => game.world.entity(d, flash.entity.number).map(|seen| (seen.origin, seen.angles)).unzip(),
            };
            to.push(muzzle_flash(whose, origin, angles));
        }
        _ => {}
    }
}

/// A static entity.
pub(super) fn static_entity(models: &mut Models, game: &Game, seen: &Seen) -> Option<Happening> {
    let model = models.model(game, seen.model)?.model.clone();
    let ([pitch, yaw, _], whole) = (seen.angles.map(f32::to_radians), |number: i64| number.try_into().unwrap_or(0));
    let mut found = Happening::at(HappeningKind::Static, seen.origin);
    // in these games, a model with positive pitch points up
    found.direction = Some([pitch.cos() * yaw.cos(), pitch.cos() * yaw.sin(), pitch.sin()]);
    found.entity = Some(StaticEntity { model, frame: whole(seen.frame.into()), skin: whole(seen.skin.into()) });
    Some(found)
}

/// Adds the muzzle flashes that entities show. `flashing` are those of the frame before.
pub(super) fn flashes(game: &Game, d: &Dialect, in_sight: &[Seen], flashing: &mut Vec<u32>, to: &mut Happenings) {
    if !d.is_netquake() {
        return;
    }
    let mut now = Vec::new();
    for seen in in_sight {
        if seen.effects & MUZZLE_FLASH != 0 {
            if !flashing.contains(&seen.number) {
                to.push(muzzle_flash(subject(game, seen.number), Some(seen.origin), Some(seen.angles)));
            }
            now.push(seen.number);
        }
    }
    *flashing = now;
}

fn muzzle_flash(subject: Option<Subject>, origin: Option<[f32; 3]>, angles: Option<[f32; 3]>) -> Happening {
    let yaw = angles.map_or(0.0, |angles| angles[1].to_radians());
    let ahead = if angles.is_some() { MUZZLE[0] } else { 0.0 };
    let mut flash = Happening::new(HappeningKind::Flash);
    flash.origin = origin.map(|[x, y, z]| [x + yaw.cos() * ahead, y + yaw.sin() * ahead, z + MUZZLE[1]]);
    (flash.subject, flash.color, flash.size) = (subject, Some(FIRE), Some(FLASH_SIZE));
    flash
}

/// Whose a sound or an effect is: the first entities are those of players.
fn subject(game: &Game, number: u32) -> Option<Subject> {
    let slots = if game.level.max_clients > 0 { game.level.max_clients } else { MOST_PLAYERS };
    let slot = number.checked_sub(1)?;
    Some(if slot < u32::from(slots) { Subject::Player(slot as u16) } else { Subject::Entity(number) })
}

fn units(d: &Dialect, place: &[Coord; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| d.coord.units(place[axis].0))
}

/// How far a sound carries, by its attenuation in 64ths.
fn far(attenuation: u8) -> Option<f32> {
    (attenuation > 0).then(|| FAR * 64.0 / f32::from(attenuation))
}

fn file(game: &Game, number: u32, to: &mut Happenings) -> Option<Sound> {
    let path = game.level.sounds.get(number as usize)?.bytes();
    (!path.is_empty()).then(|| to.sound(&format!("sound/{}", String::from_utf8_lossy(path).trim_start_matches('*'))))
}

fn quakeworld_sound(game: &Game, d: &Dialect, sound: &QwSound, to: &mut Happenings) {
    let Some(file) = file(game, sound.sound.into(), to) else { return };
    let mut heard = Happening::at(HappeningKind::Sound, units(d, &sound.origin));
    heard.subject = subject(game, sound.entity());
    let heard_from = file.within(0.0, far(sound.attenuation));
    heard.sound = Some(Sound { volume: f32::from(sound.volume) / 255.0, channel: (sound.channel & 7) as u8, ..heard_from });
    to.push(heard);
}

fn netquake_sound(game: &Game, d: &Dialect, sound: &NqSound, to: &mut Happenings) {
    let Some(file) = file(game, sound.sound.into(), to) else { return };
    let mut heard = Happening::at(HappeningKind::Sound, units(d, &sound.origin));
    heard.subject = subject(game, sound.entity.number);
    let pitch = if sound.mask & NqSound::PITCH != 0 && sound.pitch > 0 { f32::from(sound.pitch) / 100.0 } else { 1.0 };
    heard.sound = Some(Sound { volume: f32::from(sound.volume) / 255.0, channel: sound.channel, pitch, ..file.within(0.0, far(sound.attenuation)) });
    to.push(heard);
}

/// A sound that never ends.
fn lasting(game: &Game, d: &Dialect, origin: &[Coord; 3], [sound, volume, attenuation]: [u16; 3], to: &mut Happenings) {
    let Some(file) = file(game, sound.into(), to) else { return };
    let mut heard = Happening::at(HappeningKind::Sound, units(d, origin));
    heard.sound = Some(Sound { volume: f32::from(volume) / 255.0, lasts: true, ..file.within(0.0, far(attenuation as u8)) });
    to.push(heard);
}

/// Particles of a server: blood, sparks, dust.
fn particles(d: &Dialect, particle: &Particle, to: &mut Happenings) {
    let kind = match particle.count {
        EXPLODES => HappeningKind::Explosion,
        _ if BLOOD_COLORS.contains(&particle.color) => HappeningKind::Blood,
        _ => HappeningKind::Impact,
    };
    let mut shown = Happening::at(kind, units(d, &particle.origin));
    shown.count = Some(particle.count.into()).filter(|_| kind != HappeningKind::Explosion);
    (shown.color, shown.size) = match kind {
        HappeningKind::Explosion => (Some(FIRE), Some(EXPLOSION_SIZE)),
        HappeningKind::Blood => (Some(RED), None),
        _ => (Some(DUST), None),
    };
    to.push(shown);
}

/// What an effect looks and sounds like: kind, color, particles, size, sound.
type Shown = (HappeningKind, [u8; 3], u16, f32, &'static str);

fn shown(name: &str) -> Option<Shown> {
    use HappeningKind::{Blood, Explosion, Flash, Impact, Laser, Lightning, Rail, Smoke, Splash, Teleport};
    Some(match name {
        "spike" | "spikequad" => (Impact, DUST, 10, 0.0, "weapons/tink1.wav"),
        "superspike" | "superspikequad" => (Impact, DUST, 20, 0.0, "weapons/tink1.wav"),
        "gunshot" | "gunshotquad" | "bullet" | "superbullet" | "nq_gunshot" | "qw_gunshot" => (Impact, DUST, 20, 0.0, ""),
        "wizspike" => (Impact, POISON, 30, 0.0, "wizard/hit.wav"),
        "knightspike" => (Impact, MAGIC, 20, 0.0, "hknight/hit.wav"),
        "spark" => (Impact, FIRE, 20, 0.0, ""),
        "explosion" | "explosion2" | "explosion3" | "explosionquad" | "nq_explosion" | "qw_explosion" | "explosionrgb" | "tei_bigexplosion" => {
            (Explosion, FIRE, 0, EXPLOSION_SIZE, "weapons/r_exp3.wav")
        }
        "tarexplosion" => (Explosion, TAR, 0, EXPLOSION_SIZE, "weapons/r_exp3.wav"),
        "plasmaburn" | "tei_plasmahit" => (Explosion, BLUE, 0, EXPLOSION_SIZE / 2.0, ""),
        "blood" => (Blood, RED, 20, 0.0, ""),
        "lightningblood" => (Blood, RED, 50, 0.0, ""),
        "lightning1" | "lightning2" | "lightning3" | "lightning4" => (Lightning, BLUE, 0, 4.0, ""),
        "beam" => (Laser, HOOK, 0, 2.0, ""),
        "railtrail" | "tei_g3" => (Rail, BLUE, 0, 2.0, ""),
        "smoke" | "neh_smoke" | "flamejet" => (Smoke, DUST, 8, 24.0, ""),
        "smallflash" | "customflash" => (Flash, FIRE, 0, FLASH_SIZE, ""),
        "lavasplash" => (Splash, LAVA, 200, 128.0, ""),
        "teleport" => (Teleport, BLUE, 200, 32.0, ""),
        _ => return None,
    })
}

fn temporary(game: &Game, d: &Dialect, effect: &TempEntity, to: &mut Happenings) {
    let Some(layout) = temp_entity::layout(d.is_netquake(), effect.kind) else { return };
    let Some((kind, color, count, size, sound)) = shown(layout.name) else { return };
    let part = |name: &str| layout.parts.iter().position(|(part, _)| *part == name).map(|at| (effect.parts[at], layout.parts[at].1));
    let coordinate = |name: &str| match part(name) {
        Some((word, Part::Coord)) => Some(d.coord.units(word)),
        _ => None,
    };
    let point = |[x, y, z]: [&str; 3]| Some([coordinate(x)?, coordinate(y)?, coordinate(z)?]);
    let Some(origin) = point(["origin_x", "origin_y", "origin_z"]).or_else(|| point(["start_x", "start_y", "start_z"])) else { return };
    let mut seen = Happening::at(kind, origin);
    seen.end = point(["end_x", "end_y", "end_z"]);
    seen.subject = part("entity").and_then(|(number, _)| subject(game, number));
    seen.color = Some(color);
    let stated = part("count").map(|(number, _)| number as u16);
    // a gunshot's count is that of its pellets, and blood's that of its drops, each of 20 particles
    let each = if matches!(layout.name, "gunshot" | "qw_gunshot" | "blood") && effect.kind < 50 { 20 } else { 1 };
    seen.count = stated.map(|stated| stated.saturating_mul(each)).or((count > 0).then_some(count));
    seen.size = (size > 0.0).then_some(size);
    if !sound.is_empty() {
        seen.sound = Some(to.sound(&format!("sound/{sound}")).within(0.0, Some(FAR)));
    }
    to.push(seen);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_of_the_original_games_is_shown() {
        for number in 0..=13 {
            for netquake in [false, true] {
                let layout = temp_entity::layout(netquake, number).unwrap();
                assert!(shown(layout.name).is_some(), "{}", layout.name);
            }
        }
    }

    #[test]
    fn attenuation_says_how_far_a_sound_carries() {
        assert_eq!([64, 128, 0].map(far), [Some(1000.0), Some(500.0), None]);
    }
}
