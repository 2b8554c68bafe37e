//! `svc_director` (`docs/formats/goldsrc.md`, "Director commands").

use fragreel_base::wire::Wire;

use super::temp_entity::{FieldType, value};
use crate::message::context::Context;

/// A command of an HLTV director: the fixed fields that its number announces, then whatever else the message holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Director {
    /// What to do; absent in a message without bytes.
    pub command: Option<u8>,
    /// The fixed fields.
    pub values: Vec<u32>,
    /// Strings, waypoints, and commands that do not fit their fields.
    pub rest: Vec<u8>,
}

/// A director command's name and fixed fields.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) fields: &'static [(&'static str, FieldType)],
}

macro_rules! shapes {
    ($($name:literal { $($field:literal: $type:ident),* }),* $(,)?) => {
        /// By number, from 0.
        pub(crate) const SHAPES: &[Shape] = &[$(Shape { name: $name, fields: &[$(($field, FieldType::$type)),*] }),*];
    };
}

shapes! {
    "none" {},
    "start" {},
    "event" { "first entity": Word, "second entity": Word, "flags": Long },
    "mode" { "mode": Byte },
    "camera" { "x": Coord, "y": Coord, "z": Coord, "pitch": Coord, "yaw": Coord, "roll": Coord, "fov": Byte, "entity": Word },
    "timescale" { "scale": Float },
    "message" { "effect": Byte, "color": Long, "x": Float, "y": Float, "fade in": Float, "fade out": Float, "hold": Float, "effect time": Float },
    "sound" {},
    "status" { "slots": Long, "spectators": Long, "proxies": Word },
    "banner" {},
    "stufftext" {},
    "chase" {},
    "ineye" {},
    "map" {},
    "campath" { "x": Coord, "y": Coord, "z": Coord, "pitch": Coord, "yaw": Coord, "roll": Coord, "fov": Byte, "flags": Byte },
    "waypoints" { "count": Byte },
}

impl Director {
    /// The command's name.
    pub fn name(&self) -> &'static str {
        self.command.and_then(shape).map_or("unknown command", |shape| shape.name)
    }

    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, _: &Context) -> Result<(), W::Error> {
        let own = usize::from(self.command.is_some()) + self.fixed_bytes() + self.rest.len();
        let length = w.field("length", own as u32, 8)? as usize;
        if W::READING {
            self.command = None;
            self.values.clear();
            self.rest.clear();
        }
        let Some(left) = length.checked_sub(1) else { return Ok(()) };
        let command = w.field("command", u32::from(self.command.unwrap_or_default()), 8)? as u8;
        self.command = Some(command);
        w.note(|| self.name().to_owned());
        let fields = shape(command).map_or(&[][..], |shape| shape.fields);
        // reading: a command that is too short for its fields is kept as it is
        let fixed: usize = fields.iter().map(|(_, kind)| kind.bytes()).sum();
        let fits = if W::READING { fixed <= left } else { !self.values.is_empty() };
        if fits {
            if W::READING {
                self.values.resize(fields.len(), 0);
            }
            for (&(name, kind), word) in fields.iter().zip(&mut self.values) {
                *word = value(w, name, kind, *word)?;
            }
        }
        w.enter("rest");
        w.octets(&mut self.rest, if fits { left - fixed } else { left })?;
        w.note(|| format!("{:?}", String::from_utf8_lossy(&self.rest)));
        Ok(())
    }

    /// Bytes of the fixed fields that are there.
    pub(crate) fn fixed_bytes(&self) -> usize {
        let fields = self.command.and_then(shape).map_or(&[][..], |shape| shape.fields);
        if self.values.is_empty() { 0 } else { fields.iter().map(|(_, kind)| kind.bytes()).sum() }
    }
}

fn shape(command: u8) -> Option<&'static Shape> {
    SHAPES.get(usize::from(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_the_documented_lengths() {
        for (name, bytes) in [("start", 0), ("event", 8), ("mode", 1), ("camera", 15), ("timescale", 4), ("message", 29), ("status", 10), ("campath", 14)] {
            let shape = SHAPES.iter().find(|shape| shape.name == name).unwrap();
            assert_eq!(shape.fields.iter().map(|(_, kind)| kind.bytes()).sum::<usize>(), bytes, "{name}");
        }
    }
}
