//! Voice of ioquake3, in its three historical layouts (`docs/formats/quake3.md`, "Voice").

use fragreel_base::wire::Wire;

use super::op;

/// Some frames of a player's voice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Voice {
    /// The speaker's slot.
    pub sender: u16,
    /// Counts the times that the speaker began to speak.
    pub generation: u8,
    /// Number of the first frame.
    pub sequence: u32,
    /// How many frames.
    pub frames: u8,
    /// Direct, spatial; two bits from protocol 71 on.
    pub flags: u8,
    /// The coded frames.
    pub data: Vec<u8>,
}

impl Voice {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, flags: bool) -> Result<(), W::Error> {
        self.sender = w.field("sender", u32::from(self.sender), 16)? as u16;
        self.generation = w.field("generation", u32::from(self.generation), 8)? as u8;
        self.sequence = w.field("sequence", self.sequence, 32)?;
        self.frames = w.field("frames", u32::from(self.frames), 8)? as u8;
        let length = w.field("length", self.data.len() as u32, 16)?;
        if flags {
            self.flags = w.field("flags", u32::from(self.flags), 2)? as u8;
        }
        w.enter("data");
        w.octets(&mut self.data, length as usize)
    }

    /// The layout of 2008: behind the message's end, without flags.
    pub(super) fn code_late<W: Wire>(&mut self, w: &mut W) -> Result<(), W::Error> {
        let extension = w.field("extension", u32::from(op::VOICE_SPEEX), 8)?;
        w.expect(extension == u32::from(op::VOICE_SPEEX), "no extension is announced after the end")?;
        let number = w.field("operation", u32::from(op::VOICE_OPUS), 8)?;
        w.expect(number == u32::from(op::VOICE_OPUS), "the extension after the end is not voice")?;
        self.code(w, false)
    }
}
