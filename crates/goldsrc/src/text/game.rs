//! Messages of a running game: events, the player's own state, sounds.

use fragreel_base::textform::Form;
use fragreel_base::wire::WireError;

use super::entities::row;
use super::message::{MessageContext, MessageForm};
use super::value::{number, padding};
use crate::fields::Structure;
use crate::message::{BitCoord, ClientDataMessage, Events, QueuedEvent, ReliableEvent, Sound};
use crate::scalars::{Attenuation, Pitch, Volume};

/// Hundredths of a second until an event fires.
fn fire_time<F: Form>(f: &mut F, time: &mut Option<u16>) -> Result<(), F::Error> {
    if f.key("fire_time", time.is_some())? {
        let steps = f.scaled(time.unwrap_or_default().into(), 0.01, 0, u16::MAX.into()).map_err(|error| error.inside("fire_time", None))?;
        *time = Some(steps as u16);
    } else {
        *time = None;
    }
    Ok(())
}

impl MessageForm for Events {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            if F::READING {
                self.values.clear();
            }
            let values = &mut self.values;
            f.list("events", &mut self.events, |f, event: &mut QueuedEvent| {
                f.object(|f| {
                    event.index = number(f, "index", event.index.into(), 10)? as u16;
                    if f.key("packet_index", event.packet_index.is_some())? {
                        event.packet_index = Some(f.int(event.packet_index.unwrap_or_default().into(), 0, 2047)? as u16);
                    } else {
                        event.packet_index = None;
                    }
                    if f.key("arguments", event.arguments.is_some())? {
                        let arguments = event.arguments.get_or_insert_default();
                        f.object(|f| row(f, context.scope, Structure::Event, arguments, values)).map_err(|error| error.inside("arguments", None))?;
                    } else {
                        event.arguments = None;
                    }
                    f.insist(event.arguments.is_none() || event.packet_index.is_some(), "arguments are sent only with a packet index")?;
                    fire_time(f, &mut event.fire_time)
                })
            })?;
            f.expect(self.events.len() < 32, "there are at most 31 events")?;
            padding(f, &mut self.padding)
        })
    }
}

impl MessageForm for ReliableEvent {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            if F::READING {
                self.values.clear();
            }
            self.index = number(f, "index", self.index.into(), 10)? as u16;
            f.part("arguments", |f| row(f, context.scope, Structure::Event, &mut self.arguments, &mut self.values))?;
            fire_time(f, &mut self.fire_time)?;
            padding(f, &mut self.padding)
        })
    }
}

impl MessageForm for ClientDataMessage {
    fn form<F: Form>(&mut self, f: &mut F, context: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            if context.scope.context.hltv {
                // an HLTV proxy says nothing
                self.body = None;
                return Ok(());
            }
            let body = self.body.get_or_insert_default();
            if F::READING {
                body.values.clear();
            }
            let values = &mut body.values;
            if f.key("delta_sequence", body.delta_sequence.is_some())? {
                body.delta_sequence = Some(f.int(body.delta_sequence.unwrap_or_default().into(), 0, u8::MAX.into())? as u8);
            } else {
                body.delta_sequence = None;
            }
            f.part("client", |f| row(f, context.scope, Structure::ClientData, &mut body.client, values))?;
            if f.key("weapons", !body.weapons.is_empty())? {
                let weapons = &mut body.weapons;
                let count = f.items(weapons.len(), |f, at| {
                    if F::READING {
                        weapons.truncate(at);
                        weapons.push(Default::default());
                    }
                    let weapon = &mut weapons[at];
                    f.object(|f| {
                        weapon.index = number(f, "weapon", weapon.index.into(), context.scope.context.rules.weapon_bits)? as u8;
                        row(f, context.scope, Structure::WeaponData, &mut weapon.delta, values)
                    })
                });
                weapons.truncate(count.map_err(|error| error.inside("weapons", None))?);
            } else {
                body.weapons.clear();
            }
            padding(f, &mut body.padding)
        })
    }
}

impl MessageForm for Sound {
    fn form<F: Form>(&mut self, f: &mut F, _: &MessageContext) -> Result<(), F::Error> {
        f.object(|f| {
            let byte = |f: &mut F, name, value: &mut Option<u8>, unit: f64| -> Result<(), F::Error> {
                *value = if f.key(name, value.is_some())? { Some(f.steps(value.unwrap_or_default().into(), unit, 0, u8::MAX.into())? as u8) } else { None };
                Ok(())
            };
            self.entity = number(f, "entity", self.entity.into(), 11)? as u16;
            self.channel = number(f, "channel", self.channel.into(), 3)? as u8;
            self.sound = number(f, "sound", self.sound.into(), 16)? as u16;
            byte(f, "volume", &mut self.volume, Volume::STEP)?;
            byte(f, "attenuation", &mut self.attenuation, Attenuation::STEP)?;
            byte(f, "pitch", &mut self.pitch, Pitch::STEP)?;
            origin(f, &mut self.origin)?;
            let mut large = self.flags & Sound::LARGE_INDEX != 0;
            f.unless("large_index", &mut large, self.sound > 255)?;
            f.insist(large || self.sound <= 255, "the sound's number needs the large index")?;
            let mut others = self.flags >> Sound::ANNOUNCING;
            f.unless("other_flags", &mut others, 0)?;
            f.insist(others < 1 << (9 - Sound::ANNOUNCING), "there are nine flags, and the lowest four are not said here")?;
            self.flags = others << Sound::ANNOUNCING | self.announced(large);
            padding(f, &mut self.padding)
        })
    }
}

/// Where a sound is: an axis that is not sent is null.
fn origin<F: Form>(f: &mut F, origin: &mut [Option<BitCoord>; 3]) -> Result<(), F::Error> {
    let sent = origin.iter().any(Option::is_some);
    let plain = origin.iter().flatten().all(|axis| *axis == BitCoord::of(axis.eighths()));
    if f.key("origin", sent && plain)? {
        let eighths = f.tuple(3, |f, at| {
            let axis = &mut origin[at];
            if f.null(axis.is_none())? {
                *axis = None;
                return Ok(());
            }
            let steps = f.scaled(axis.unwrap_or_default().eighths().into(), 0.125, -BitCoord::MOST, BitCoord::MOST)?;
            *axis = Some(BitCoord::of(steps as i32));
            Ok(())
        });
        return eighths.map_err(|error| error.inside("origin", None));
    }
    // a zero that is sent, or a sign without a number
    if f.key("origin_as_sent", sent && !plain)? {
        return f.tuple(3, |f, at| {
            let axis = &mut origin[at];
            if f.null(axis.is_none())? {
                *axis = None;
                return Ok(());
            }
            let coord = axis.get_or_insert_default();
            f.object(|f| {
                coord.whole = if f.key("whole", coord.whole.is_some())? { Some(f.int(coord.whole.unwrap_or_default().into(), 0, 4095)? as u16) } else { None };
                coord.fraction =
                    if f.key("fraction", coord.fraction.is_some())? { Some(f.int(coord.fraction.unwrap_or_default().into(), 0, 7)? as u8) } else { None };
                f.unless("negative", &mut coord.negative, false)?;
                f.insist(!coord.negative || coord.whole.is_some() || coord.fraction.is_some(), "nothing has no sign")
            })
        });
    }
    *origin = [None; 3];
    Ok(())
}
