//! Messages of the 2021 re-release (`docs/formats/quake1.md`, "Re-release").

use fragreel_base::wire::Wire;

use crate::dialect::Dialect;
use crate::message::body::Body;
use crate::message::primitive::{Text, Value};

/// A number of variable length: seven bits a byte, lowest first, bit 7 meaning that more follow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Uleb {
    /// The number.
    pub value: u64,
    /// Needless bytes at its end.
    pub padding: u8,
}

impl Uleb {
    /// Its length on the wire.
    pub(crate) fn bytes(self) -> u32 {
        Uleb::needed(self.value) + u32::from(self.padding)
    }

    fn needed(value: u64) -> u32 {
        (64 - value.leading_zeros()).div_ceil(7).max(1)
    }
}

impl Value for Uleb {
    fn code<W: Wire>(&mut self, w: &mut W, name: &'static str, _: &Dialect) -> Result<(), W::Error> {
        w.enter(name);
        let written = self.bytes();
        let (mut value, mut at) = (0u64, 0);
        loop {
            let chunk = self.value.checked_shr(7 * at).unwrap_or(0) as u32 & 0x7f;
            let byte = w.bits(chunk | u32::from(at + 1 < written) << 7, 8)?;
            let bits = u64::from(byte & 0x7f);
            w.expect(at < 9 && (bits << (7 * at)) >> (7 * at) == bits, "a number of more than 63 bits")?;
            value |= bits << (7 * at);
            at += 1;
            if byte & 0x80 == 0 {
                break;
            }
        }
        *self = Uleb { value, padding: (at - Uleb::needed(value)) as u8 };
        w.note(|| value.to_string());
        Ok(())
    }
}

/// Strings after their 16-bit count: a format and what is put into it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    /// The strings.
    pub texts: Vec<Text>,
}

impl Body for Strings {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.texts.len() as u32, 16)?;
        if W::READING {
            self.texts.clear();
            for _ in 0..count {
                let mut text = Text::default();
                text.code(w, "text", d)?;
                self.texts.push(text);
            }
            return Ok(());
        }
        self.texts.iter_mut().try_for_each(|text| text.code(w, "text", d))
    }
}

/// The server's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerVars {
    /// Which follow.
    pub mask: Uleb,
    /// Their values: floats by their bits, flags as they are.
    pub values: [u32; 14],
}

impl ServerVars {
    /// Names, and whether each is a byte instead of a float.
    pub(crate) const FIELDS: [(&'static str, bool); 14] = [
        ("deathmatch", true),
        ("ideal_pitch_scale", false),
        ("friction", false),
        ("edge_friction", false),
        ("stop_speed", false),
        ("max_velocity", false),
        ("gravity", false),
        ("no_step", true),
        ("max_speed", false),
        ("accelerate", false),
        ("controller_only", true),
        ("time_limit", false),
        ("frag_limit", false),
        ("teamplay", true),
    ];
}

impl Body for ServerVars {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.mask.code(w, "bits", d)?;
        w.expect(self.mask.value < 1 << 14, "unknown server settings")?;
        for (at, (name, byte)) in Self::FIELDS.into_iter().enumerate() {
            if self.mask.value >> at & 1 != 0 {
                self.values[at] = w.field(name, self.values[at], if byte { 8 } else { 32 })?;
            }
        }
        Ok(())
    }
}

/// A question to the player.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The question; absent when it is taken back.
    pub question: Text,
    /// Answers, and the impulse that each sends.
    pub answers: Vec<(Text, u8)>,
}

impl Body for Prompt {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        let count = w.field("count", self.answers.len() as u32, 8)?;
        if W::READING {
            *self = Prompt { question: Text::default(), answers: vec![(Text::default(), 0); count as usize] };
        }
        if count > 0 {
            self.question.code(w, "question", d)?;
        }
        for (answer, impulse) in &mut self.answers {
            answer.code(w, "answer", d)?;
            impulse.code(w, "impulse", d)?;
        }
        Ok(())
    }
}

/// Fields after those of FitzQuake's update that the re-release has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UpdateExtras {
    /// How solid it is.
    pub solid: u8,
    /// The entity's flags.
    pub flags: Uleb,
    /// Its health.
    pub health: Uleb,
    /// Bits 26 to 31, whose meaning is unknown.
    pub unknown: [u8; 6],
}

impl UpdateExtras {
    /// Reads or writes what `mask` announces.
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect, mask: u32) -> Result<(), W::Error> {
        if mask & 1 << 22 != 0 {
            self.solid.code(w, "solid", d)?;
        }
        if mask & 1 << 24 != 0 {
            self.flags.code(w, "flags", d)?;
        }
        if mask & 1 << 25 != 0 {
            self.health.code(w, "health", d)?;
        }
        for (at, value) in self.unknown.iter_mut().enumerate() {
            if mask & 1 << (26 + at) != 0 {
                value.code(w, "unknown", d)?;
            }
        }
        Ok(())
    }
}

/// Where a level ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelCompleted {
    /// Ten bytes whose meaning is unknown.
    pub unknown: [u8; 10],
    /// A name.
    pub name: Text,
}

impl Body for LevelCompleted {
    fn code<W: Wire>(&mut self, w: &mut W, d: &Dialect) -> Result<(), W::Error> {
        self.unknown.code(w, "unknown", d)?;
        self.name.code(w, "name", d)
    }
}
