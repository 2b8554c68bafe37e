//! Decodes and encodes the messages of data blocks.

use std::ops::Range;

use fragreel_base::wire::{Error, ReadBits, Wire, WriteBits};

use crate::fields::Structure;
use crate::message::context::Context;
use crate::message::{self, Message, MessageKind, Pool};

/// Messages that name themselves, and that chance does not line up.
const IN_A_ROW: u32 = 3;
/// Most bytes of client data.
const CLIENT_DATA: usize = 1024;

/// Receives the messages of a block. Every closure over context, message, and bytes is one.
pub(crate) trait Sink {
    /// Reads the message that `data` starts with in a way of its own. Returns its bytes, or `None` if [`message`](Self::message) is to get it.
    #[inline(always)]
    fn read(&mut self, _context: &mut Context, _data: &[u8]) -> Option<usize> {
        None
    }

    /// A message, with the context that decoded it and its bytes within the block.
    fn message(&mut self, context: &Context, message: &mut Message, range: Range<usize>);
}

impl<F: FnMut(&Context, &mut Message, Range<usize>)> Sink for F {
    #[inline]
    fn message(&mut self, context: &Context, message: &mut Message, range: Range<usize>) {
        self(context, message, range);
    }
}

/// Decodes blocks of messages. The context is kept between blocks.
#[derive(Debug, Clone)]
pub struct Decoder {
    /// The context for the next message.
    pub context: Context,
    /// Number and file offset of the last message that decoded without an error.
    pub last_good: Option<(u8, usize)>,
    /// Bytes of the last block up to the first message that could not be read.
    pub good_bytes: usize,
    /// All bytes of the last block that could not be read, where its signon or its frame goes on behind some of them; otherwise none.
    pub skipped: Vec<Range<usize>>,
    pool: Pool,
    message: Message,
}

impl Decoder {
    /// A decoder that starts with `context`.
    pub fn new(context: Context) -> Self {
        Self { context, last_good: None, good_bytes: 0, skipped: Vec::new(), pool: Pool::default(), message: Message::default() }
    }

    /// Passes each message of a block to `sink`, with the context that decoded it and its bytes within the block. `offset` is the start of
    /// the block in the file.
    ///
    /// # Errors
    /// The error of the first message that does not decode, with its offset in the file. Messages of the signon behind it are passed on all the same, and
    /// the entities behind client data that is not described.
    pub fn block(&mut self, data: &[u8], offset: usize, mut sink: impl FnMut(&Context, &mut Message, Range<usize>)) -> Result<(), Error> {
        self.block_into(data, offset, &mut sink)
    }

    /// The same for any sink.
    pub(crate) fn block_into(&mut self, data: &[u8], offset: usize, sink: &mut impl Sink) -> Result<(), Error> {
        self.good_bytes = 0;
        self.skipped.clear();
        let (mut first, mut at) = (None, 0);
        while let Err((from, error)) = self.run(data, at, offset, sink) {
            let error = first.get_or_insert(error);
            let Some(next) = self.behind_client_data(data, from).or_else(|| self.resume(data, from + 1)) else {
                if !self.skipped.is_empty() {
                    self.skipped.push(from..data.len());
                }
                return Err(error.clone());
            };
            if self.skipped.is_empty() {
                self.good_bytes = from;
            }
            self.skipped.push(from..next);
            at = next;
        }
        first.map_or(Ok(()), Err)
    }

    /// Decodes from byte `begin` of a block on. The error comes with the first byte of its message. Its bit counts from `begin`.
    #[inline]
    fn run(&mut self, data: &[u8], begin: usize, offset: usize, sink: &mut impl Sink) -> Result<(), (usize, Error)> {
        let mut from = begin;
        // every message begins at a byte
        while from < data.len() {
            let rest = &data[from..];
            let (id, bytes) = if let Some(bytes) = sink.read(&mut self.context, rest) {
                (rest[0], bytes)
            } else {
                let mut reader = ReadBits::new(rest);
                if let Err(error) = message::code(&mut reader, &self.context, &mut self.message, &mut self.pool) {
                    // once more, so that the bits before the message count
                    let mut reader = ReadBits::new(&data[begin..]);
                    let _ = reader.octets(&mut Vec::new(), from - begin);
                    let error = message::code(&mut reader, &self.context, &mut self.message, &mut self.pool).err().unwrap_or(error);
                    return Err((from, error.in_message_at((offset + begin) as u64)));
                }
                let bytes = (reader.position() / 8) as usize;
                sink.message(&self.context, &mut self.message, from..from + bytes);
                if let Err(rule) = self.context.observe(&self.message) {
                    let error = Error::malformed(rule).at_bit(8 * (from - begin) as u64);
                    return Err((from, error.inside(message::name(self.message.id()), None).in_message_at((offset + begin) as u64)));
                }
                (self.message.id(), bytes)
            };
            self.last_good = Some((id, offset + from));
            from += bytes;
            if self.skipped.is_empty() {
                self.good_bytes = from;
            }
        }
        Ok(())
    }

    /// True if all messages from byte `begin` of a block on decode.
    #[cold]
    fn reads(&mut self, data: &[u8], begin: usize, mut sink: impl FnMut(&Context, &mut Message, Range<usize>)) -> bool {
        self.run(data, begin, 0, &mut sink).is_ok()
    }

    /// The place of the entities behind the client data at `from`, if its description is lost: all that follows them can be read.
    #[cold]
    fn behind_client_data(&self, data: &[u8], from: usize) -> Option<usize> {
        let is_lost = [Structure::ClientData, Structure::WeaponData].iter().any(|&structure| self.context.description(structure).is_none());
        if !is_lost || MessageKind::of(data[from]) != Some(MessageKind::ClientData) {
            return None;
        }
        let has_entities = |at: usize| matches!(MessageKind::of(data[at]), Some(MessageKind::PacketEntities | MessageKind::DeltaPacketEntities));
        let places = (from + 1..data.len().min(from + CLIENT_DATA)).filter(|&at| has_entities(at));
        places.into_iter().find(|&at| Decoder::new(self.context.clone()).reads(data, at, |_, _, _| {}))
    }

    /// The first place from `from` on at which the signon goes on: with a description and two messages behind it, with three messages in a row that name
    /// themselves, or with messages up to the end of the block.
    #[cold]
    fn resume(&self, data: &[u8], from: usize) -> Option<usize> {
        (from..data.len()).filter(|&at| message::begins_signon(&data[at..])).find(|&at| {
            let (mut ahead, mut named, mut described, mut others) = (Decoder::new(self.context.clone()), 0, false, false);
            let read = ahead.reads(data, at, |_, message, _| {
                // the name of a structure is too long for chance
                described |= named == 0 && matches!(message, Message::DeltaDescription(_));
                others |= !described && !matches!(message, Message::DeltaDescription(_) | Message::NewUserMessage(_) | Message::UpdateUserInfo(_));
                named += u32::from(!others);
            });
            read || named >= IN_A_ROW
        })
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
