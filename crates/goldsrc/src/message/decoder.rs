//! The messages of data blocks, one after another.

use std::ops::Range;

use wire::{Error, ReadBits, Wire, WriteBits};

use crate::message::context::Context;
use crate::message::{self, Message, Pool};

/// Reads the messages of one block after another, remembering between blocks what later messages need.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// What has been remembered.
    pub context: Context,
    /// Number and file offset of the last message that was read whole.
    pub last_good: Option<(u8, usize)>,
    /// Bytes of the last block up to the first message that could not be read.
    pub good_bytes: usize,
    pool: Pool,
    message: Message,
}

impl Decoder {
    /// A decoder that has seen nothing yet.
    pub fn new(context: Context) -> Self {
        Self { context, last_good: None, good_bytes: 0, pool: Pool::default(), message: Message::default() }
    }

    /// Hands each message of a block to `sink`, with the context it was read in and its bytes within the block.
    /// `offset` is where the block starts in the file; the error says where in the file reading failed.
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

/// The bytes of messages, written one after another. The context takes in each message, as on reading.
///
/// ```
/// # use goldsrc::message::{Message, Time};
/// # use goldsrc::{Context, Dialect};
/// let mut context = Context::new(Dialect::new(5, 48).unwrap().messages.unwrap());
/// let bytes = goldsrc::encode(&mut [Message::Time(Time { time: 1.0 })], &mut context);
/// assert_eq!(bytes, [7, 0, 0, 128, 63]);
/// ```
pub fn encode(messages: &mut [Message], context: &mut Context) -> Vec<u8> {
    let mut writer = WriteBits::default();
    let mut pool = Pool::default();
    for message in messages {
        let Ok(()) = message::code(&mut writer, context, message, &mut pool);
        // a description that breaks a rule cannot be used by what follows, but its bytes are its bytes
        let _ = context.observe(message);
    }
    writer.finish()
}
