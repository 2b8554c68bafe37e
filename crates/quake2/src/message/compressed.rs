//! Compressed messages, and the lists of strings and baselines that a level begins with.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use fragreel_base::wire::{ReadBytes, Wire, WriteBytes};

use super::{Body, ConfigString, Context, EntityDelta, Message, MessageKind, Text};
use crate::dialect::Numbering;

/// Deepest nesting of compressed packets; engines refuse any.
const DEEPEST: u8 = 1;

/// Something compressed: the bytes as sent, and what they hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    /// The compressed bytes as sent. Written again as they are while the contents are those they came with.
    pub compressed: Vec<u8>,
    /// What the stream says of the inflated length.
    pub inflated_size: u16,
    /// The inflated bytes; none where they do not inflate to the stated length.
    pub inflated: Vec<u8>,
    /// What they say.
    pub contents: Contents,
    /// Why they could not be read, when that is so; the contents are opaque then.
    pub failure: Option<String>,
}

/// What a compressed message holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Contents {
    /// Nothing that could be read.
    #[default]
    Opaque,
    /// Messages (`zpacket`).
    Messages(Vec<Message>),
    /// Configstrings (`configblast`).
    Strings(Vec<ConfigString>),
    /// Baselines (`spawnbaselineblast`).
    Baselines(Vec<EntityDelta>),
}

impl Packed {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context, op: MessageKind) -> Result<(), W::Error> {
        if !W::READING {
            self.encode(cx);
        }
        let length = w.field("compressed_size", self.compressed.len() as u32, 16)? as usize;
        self.inflated_size = w.field("inflated_size", self.inflated_size.into(), 16)? as u16;
        w.enter("compressed");
        w.octets(&mut self.compressed, length)?;
        if W::READING {
            self.decode(cx, op);
            w.note(|| match (&self.contents, &self.failure) {
                (_, Some(failure)) => failure.clone(),
                (Contents::Messages(list), _) => format!("{} messages", list.len()),
                (Contents::Strings(list), _) => format!("{} configstrings", list.len()),
                (Contents::Baselines(list), _) => format!("{} baselines", list.len()),
                (Contents::Opaque, _) => String::new(),
            });
        }
        Ok(())
    }

    fn decode(&mut self, cx: &mut Context, op: MessageKind) {
        self.contents = Contents::Opaque;
        self.failure = None;
        let kex = op != MessageKind::ZPacket;
        self.inflated.clear();
        // At most 65,535 bytes, whatever the stream says.
        self.inflated.reserve(usize::from(self.inflated_size) + 1);
        let status = Decompress::new(kex).decompress_vec(&self.compressed, &mut self.inflated, FlushDecompress::Finish);
        if !matches!(status, Ok(Status::StreamEnd)) || self.inflated.len() != usize::from(self.inflated_size) {
            // how much there is depends on the room that the memory happened to have
            self.inflated.clear();
            self.failure = Some(String::from("the compressed part does not inflate to the length it states"));
            return;
        }
        if cx.depth >= DEEPEST {
            self.failure = Some(String::from("a compressed packet inside a compressed packet"));
            return;
        }
        cx.depth += 1;
        let before = cx.clone();
        match self.decode_contents(cx, op) {
            Ok(contents) => self.contents = contents,
            Err(failure) => {
                self.failure = Some(failure.to_string());
                *cx = before;
            }
        }
        cx.depth -= 1;
    }

    fn decode_contents(&self, cx: &mut Context, op: MessageKind) -> Result<Contents, fragreel_base::wire::Error> {
        if op == MessageKind::ZPacket {
            return super::reader::messages(&self.inflated, cx).map(Contents::Messages);
        }
        let mut r = ReadBytes::new(&self.inflated);
        if op == MessageKind::ConfigBlast {
            let mut strings = Vec::new();
            while r.more(false) {
                let mut string = ConfigString::default();
                string.code(&mut r)?;
                strings.push(string);
            }
            return Ok(Contents::Strings(strings));
        }
        let mut baselines = Vec::new();
        while r.more(false) {
            let mut delta = EntityDelta::default();
            delta.code_baseline(&mut r, cx)?;
            baselines.push(delta);
        }
        Ok(Contents::Baselines(baselines))
    }

    fn encode(&mut self, cx: &mut Context) {
        let mut out = WriteBytes::default();
        let kex = cx.dialect.numbering == Numbering::Kex;
        match &mut self.contents {
            Contents::Opaque => return,
            Contents::Messages(messages) => {
                for message in messages {
                    let Ok(()) = message.write(&mut out, cx);
                }
            }
            Contents::Strings(strings) => {
                for string in strings {
                    let Ok(()) = string.code(&mut out);
                }
            }
            Contents::Baselines(baselines) => {
                for delta in baselines {
                    let Ok(()) = delta.code_baseline(&mut out, cx);
                }
            }
        }
        let bytes = out.finish();
        if bytes == self.inflated {
            return;
        }
        if let Some(packed) = Packed::deflate(bytes, kex) {
            *self = Packed { contents: std::mem::take(&mut self.contents), ..packed };
        }
    }

    /// These bytes, compressed as this crate does, unread. More than 65,535 of them cannot be sent.
    pub(crate) fn deflate(inflated: Vec<u8>, kex: bool) -> Option<Self> {
        // what does not get shorter gets longer by some bytes for every 16 KiB
        let mut compressed = Vec::with_capacity(inflated.len() + inflated.len() / 1024 + 64);
        let done = Compress::new(Compression::best(), kex).compress_vec(&inflated, &mut compressed, FlushCompress::Finish);
        let inflated_size = u16::try_from(inflated.len()).ok().filter(|_| matches!(done, Ok(Status::StreamEnd)))?;
        Some(Packed { compressed, inflated_size, inflated, contents: Contents::Opaque, failure: None })
    }

    /// These bytes, inflated, unread. `None` when they do not inflate to at most 65,535 bytes.
    pub(crate) fn inflate(compressed: Vec<u8>, kex: bool) -> Option<Self> {
        let mut inflated = Vec::with_capacity(usize::from(u16::MAX) + 1);
        let status = Decompress::new(kex).decompress_vec(&compressed, &mut inflated, FlushDecompress::Finish);
        let inflated_size = u16::try_from(inflated.len()).ok().filter(|_| matches!(status, Ok(Status::StreamEnd)))?;
        Some(Packed { compressed, inflated_size, inflated, contents: Contents::Opaque, failure: None })
    }
}

/// What a compressed stream holds, as far as it inflates.
pub(crate) struct Inflated {
    /// At most 65,536 bytes: no message holds more.
    pub bytes: Vec<u8>,
    /// How many of the compressed bytes belong to it.
    pub used: usize,
    /// Whether it inflates to its end.
    pub ended: bool,
}

impl Inflated {
    pub(crate) fn of(compressed: &[u8], kex: bool) -> Self {
        let mut bytes = Vec::with_capacity(usize::from(u16::MAX) + 1);
        let mut stream = Decompress::new(kex);
        let status = stream.decompress_vec(compressed, &mut bytes, FlushDecompress::Finish);
        Inflated { bytes, used: stream.total_in() as usize, ended: matches!(status, Ok(Status::StreamEnd)) }
    }
}

/// The number of bytes that [`inflate`] hands on at once.
const INFLATED_AT_ONCE: usize = 0x1_0000;

/// Inflates Q2PRO's pieces, which form one stream. Returns whether all bytes belong to the stream. The recording may end before the
/// stream does.
pub(crate) fn inflate(packed: &[u8], sink: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let mut stream = Decompress::new(false);
    let mut buffer = vec![0; INFLATED_AT_ONCE];
    loop {
        let (used, given) = (stream.total_in(), stream.total_out());
        let Ok(status) = stream.decompress(&packed[used as usize..], &mut buffer, FlushDecompress::Sync) else { return false };
        let length = (stream.total_out() - given) as usize;
        if !sink(&buffer[..length]) {
            return false;
        }
        let all = stream.total_in() as usize == packed.len();
        if status == Status::StreamEnd || (length == 0 && stream.total_in() == used) || (all && length < buffer.len()) {
            return all;
        }
    }
}

/// Configstrings up to a closing index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigStrings(pub Vec<ConfigString>);

impl ConfigStrings {
    pub(crate) fn code<W: Wire>(&mut self, w: &mut W, cx: &Context) -> Result<(), W::Error> {
        let end = u32::from(cx.dialect.strings.end);
        if W::READING {
            self.0.clear();
            loop {
                let index = w.field("index", 0, 16)?;
                if index == end {
                    return Ok(());
                }
                let mut text = Text::default();
                w.scope("configstring", Some(index), |w| text.code(w, "text"))?;
                self.0.push(ConfigString { index: index as u16, text });
            }
        }
        for string in &mut self.0 {
            string.code(w)?;
        }
        w.field("index", end, 16).map(|_| ())
    }
}

/// Q2PRO: everything that a level begins with, in one message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GameState {
    /// The configstrings (not of `baselinestream`).
    pub strings: ConfigStrings,
    /// The baselines.
    pub baselines: Vec<EntityDelta>,
    /// The mask of the entity 0 that ends them.
    pub end_mask: u64,
}

impl GameState {
    pub(super) fn code<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        self.strings.code(w, cx)?;
        self.code_baselines(w, cx)
    }

    pub(crate) fn code_baselines<W: Wire>(&mut self, w: &mut W, cx: &mut Context) -> Result<(), W::Error> {
        let mut list = super::PacketEntities { deltas: std::mem::take(&mut self.baselines), end_mask: self.end_mask };
        let result = list.code(w, cx, true);
        self.baselines = list.deltas;
        self.end_mask = list.end_mask;
        result
    }
}

impl Body {
    /// The messages inside a compressed one.
    pub fn inner(&self) -> &[Message] {
        match self {
            Body::ZPacket(packed) => match &packed.contents {
                Contents::Messages(messages) => messages,
                _ => &[],
            },
            _ => &[],
        }
    }
}
