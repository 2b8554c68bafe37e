//! Decodes and encodes the messages of data blocks.

use std::ops::Range;

use fragreel_base::wire::{Error, ReadBits, Wire, WriteBits};

use crate::message::context::Context;
use crate::message::{self, Message, Pool};

/// Decodes blocks of messages. The context is kept between blocks.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// The context for the next message.
    pub context: Context,
    /// Number and file offset of the last message that decoded without an error.
    pub last_good: Option<(u8, usize)>,
    /// Bytes of the last block up to the first message that could not be read.
    pub good_bytes: usize,
    pool: Pool,
    message: Message,
}

impl Decoder {
    /// A decoder that starts with `context`.
    pub fn new(context: Context) -> Self {
        Self { context, last_good: None, good_bytes: 0, pool: Pool::default(), message: Message::default() }
    }

    /// Passes each message of a block to `sink`, with the context that decoded it and its bytes within the block. `offset` is the start of
    /// the block in the file.
    ///
    /// # Errors
    /// The error of the first message that does not decode, with its offset in the file.
    pub fn block(&mut self, data: &[u8], offset: usize, mut sink: impl FnMut(&Context, &mut Message, Range<usize>)) -> Result<(), Error> {
        let mut reader = ReadBits::new(data);
        self.good_bytes = 0;
        while reader.more(true) {
            let from = (reader.position() / 8) as usize;
            message::code(&mut reader, &self.context, &mut self.message, &mut self.pool).map_err(|error| error.in_message_at(offset as u64))?;
            let to = (reader.position() / 8) as usize;
            sink(&self.context, &mut self.message, from..to);
            if let Err(rule) = self.context.observe(&self.message) {
                let error = Error::malformed(rule).at_bit(8 * from as u64);
                return Err(error.inside(message::name(self.message.id()), None).in_message_at(offset as u64));
            }
            self.last_good = Some((self.message.id(), offset + from));
            self.good_bytes = to;
        }
        Ok(())
    }
}

/// Encodes messages. The context is updated after each message, as in decoding.
///
/// ```
/// # use fragreel_goldsrc::message::{Message, Time};
/// # use fragreel_goldsrc::{Context, Dialect};
/// let mut context = Context::new(Dialect::new(5, 48).unwrap().messages.unwrap());
/// let bytes = fragreel_goldsrc::encode(&mut [Message::Time(Time { time: 1.0 })], &mut context);
/// assert_eq!(bytes, [7, 0, 0, 128, 63]);
/// ```
pub fn encode(messages: &mut [Message], context: &mut Context) -> Vec<u8> {
    let mut writer = WriteBits::default();
    let mut pool = Pool::default();
    for message in messages {
        let Ok(()) = message::code(&mut writer, context, message, &mut pool);
        // a description that breaks a rule is encoded all the same; later messages cannot use it
        let _ = context.observe(message);
    }
    writer.finish()
}
