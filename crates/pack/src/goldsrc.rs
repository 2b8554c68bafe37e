//! Half-Life: macros of a recording, and the messages in them, through their own readers.

use fragreel_base::wire::{Limits, ReadBits, Wire};

use fragreel_goldsrc::container::{Body, Container, Macro, MacroKind, MacroType, messages};
use fragreel_goldsrc::message::{Message, Pool, code};
use fragreel_goldsrc::{Context, Dialect};

use crate::coding::Coding;
use crate::fields::{Fields, Memory};
use crate::file::{Content, Method};
use crate::known::How;
use crate::original::{Bits, Layout, Original};
use crate::pieces::{BROKEN, Pieces, RAW, Raw, SOUND};
use crate::stream::{Stream, kind};
use crate::{Error, Packed};

/// The longest messages of a macro.
const LONGEST: usize = 1 << 17;

const NO_MACRO: Error = Error::Damaged("a macro holds what no macro can hold");

/// Packs a recording of this family.
pub(crate) fn pack(bytes: &[u8], _extension: Option<&str>, name: &str, how: How<'_>) -> Option<Packed> {
    let container = Container::open(bytes, &Limits::default()).ok()?;
    let dialect = container.dialect;
    let mut macros: Vec<Macro<'_>> = container.macros().filter_map(fragreel_goldsrc::container::Step::found).collect();
    macros.sort_by_key(|window| window.offset);
    let mut content = Recording { bytes, macros, ..Recording::new(dialect) };
    let method = Method::GoldSrc(u8::try_from(dialect.demo_protocol).ok()?, u8::try_from(dialect.network_protocol).ok()?);
    // what the messages are nobody knows
    let how = if dialect.messages.is_none() { how.deep() } else { how };
    crate::pack_as(method, &mut content, bytes, name, how)
}

/// The content of a packed file of this family.
pub(crate) fn unpacking(demo_protocol: u8, network_protocol: u8) -> Result<Recording<'static>, Error> {
    Dialect::new(demo_protocol.into(), network_protocol.into()).map(Recording::new).ok_or(Error::Method)
}

/// A recording in either direction.
pub(crate) struct Recording<'a> {
    bytes: &'a [u8],
    /// The macros in the order of the file, and how many are packed.
    macros: Vec<Macro<'a>>,
    done: usize,
    at: usize,
    raw: Raw<'a>,
    dialect: Dialect,
    context: Option<Context>,
    memory: Memory,
    pieces: Pieces,
    message: Message,
    pool: Pool,
}

impl<'a> Recording<'a> {
    fn new(dialect: Dialect) -> Self {
        Recording {
            bytes: &[],
            macros: Vec::new(),
            done: 0,
            at: 0,
            raw: Raw::default(),
            dialect,
            context: dialect.messages.map(Context::new),
            memory: Memory::new(),
            pieces: Pieces::default(),
            message: Message::default(),
            pool: Pool::default(),
        }
    }

    /// The next macro, unless other bytes come before it.
    fn next_macro(&mut self) -> Option<Macro<'a>> {
        while let Some(&window) = self.macros.get(self.done) {
            if window.offset > self.at {
                break;
            }
            self.done += 1;
            if window.offset == self.at {
                return Some(window);
            }
        }
        let to = self.macros.get(self.done).map_or(self.bytes.len(), |window| window.offset);
        self.raw = Raw(&self.bytes[self.at..to]);
        None
    }

    fn pack_piece<D: Coding>(&mut self, stream: &mut Stream<D>) -> Result<usize, Error> {
        let window = if self.raw.0.is_empty() { self.next_macro() } else { None };
        let taken = match window {
            Some(window) => {
                let data = messages(&window, &self.dialect).map(|(_, data)| data);
                let sound = data.is_none_or(|data| self.is_sound(data));
                // the rest of the macro must come back from its tree
                let fits = is_exact(&window, &self.dialect);
                if fits {
                    self.pieces.code(stream, if sound { SOUND } else { BROKEN });
                    self.code_macro::<D>(stream, sound, Some(&window), &mut Vec::new())?;
                    window.end() - window.offset
                } else {
                    self.raw = Raw(&self.bytes[window.offset..window.end()]);
                    self.pieces.code(stream, RAW);
                    self.raw.pack(stream)
                }
            }
            None if self.raw.0.is_empty() => return Ok(0),
            None => {
                self.pieces.code(stream, RAW);
                self.raw.pack(stream)
            }
        };
        self.at += taken;
        Ok(taken)
    }

    /// Whether the data are messages to their end.
    fn is_sound(&mut self, data: &[u8]) -> bool {
        let Some(mut context) = self.context.clone() else { return false };
        let mut r = ReadBits::new(data);
        while r.more(true) {
            if code(&mut r, &context, &mut self.message, &mut self.pool).is_err() || context.observe(&self.message).is_err() {
                return false;
            }
        }
        r.position() == data.len() as u64 * 8
    }

    fn unpack_piece<D: Coding>(&mut self, stream: &mut Stream<D>, out: &mut Vec<u8>) -> Result<(), Error> {
        match self.pieces.code(stream, 0) {
            RAW => Raw::unpack(stream, out),
            piece => self.code_macro::<D>(stream, piece == SOUND, None, out)?,
        }
        Ok(())
    }

    fn code_macro<D: Coding>(&mut self, stream: &mut Stream<D>, sound: bool, window: Option<&Macro<'_>>, out: &mut Vec<u8>) -> Result<(), Error> {
        let mut head = [0; 9];
        if let Some(window) = window {
            // a time that is no number has bits of its own
            head.copy_from_slice(&self.bytes[window.offset..window.offset + 9]);
            let mut fields = Fields::new(Bits::source(&head), &mut self.memory, stream);
            code_head(&mut fields).map_err(|_| NO_MACRO)?;
        } else {
            let mut fields = Fields::new(<Bits as Layout>::Sink::default(), &mut self.memory, stream);
            code_head(&mut fields).map_err(|_| NO_MACRO)?;
            out.extend_from_slice(&Bits::finish(fields.into_original()));
            head[0] = out.get(out.len().wrapping_sub(9)).copied().unwrap_or(0);
        }
        let kind = MacroType(head[0]).kind(self.dialect.macros).ok_or(NO_MACRO)?;
        let has_data = matches!(kind, MacroKind::Data | MacroKind::Packet);
        let mut body = Body::empty(kind, &self.dialect);
        let dialect = self.dialect;
        if let Some(window) = window {
            let mut fields = Fields::new(Bits::source(window.body), &mut self.memory, stream).without_length(1, has_data);
            fields.scope(kind.name(), None, |w| body.code(w, &dialect)).map_err(|_| NO_MACRO)?;
        } else {
            let mut fields = Fields::new(<Bits as Layout>::Sink::default(), &mut self.memory, stream).without_length(1, has_data);
            fields.scope(kind.name(), None, |w| body.code(w, &dialect)).map_err(|_| NO_MACRO)?;
        }
        let data = window.and_then(|window| messages(window, &dialect)).map_or(&[][..], |(_, data)| data);
        let data = if has_data { self.code_data::<D>(stream, sound, data)? } else { Vec::new() };
        if window.is_none() {
            if let Body::Data(_, _, length) | Body::Packet(_, length) = &mut body {
                *length = data.len() as u32;
            }
            out.extend_from_slice(&body.bytes(&dialect));
            out.extend_from_slice(&data);
        }
        Ok(())
    }

    fn code_data<D: Coding>(&mut self, stream: &mut Stream<D>, sound: bool, data: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let Some(context) = self.context.as_mut().filter(|_| sound) else {
            stream.bytes(data, kind::DAMAGE, LONGEST, &mut out);
            return Ok(out);
        };
        if D::PACKING {
            let mut fields = Fields::new(Bits::source(data), &mut self.memory, stream);
            code_messages(&mut fields, context, &mut self.message, &mut self.pool)?;
            if fields.original().position() != data.len() as u64 * 8 {
                return Err(NO_MACRO);
            }
        } else {
            let mut fields = Fields::new(<Bits as Layout>::Sink::default(), &mut self.memory, stream);
            code_messages(&mut fields, context, &mut self.message, &mut self.pool)?;
            out = Bits::finish(fields.into_original());
        }
        Ok(out)
    }
}

fn code_head<W: Wire>(w: &mut W) -> Result<(), W::Error> {
    w.field("macro", 0, 8)?;
    w.field("time", 0, 32)?;
    w.field("frame", 0, 32).map(|_| ())
}

fn code_messages<W: Wire>(w: &mut W, context: &mut Context, message: &mut Message, pool: &mut Pool) -> Result<(), Error> {
    while w.more(true) {
        code(w, context, message, pool).map_err(|_| NO_MACRO)?;
        context.observe(message).map_err(|_| NO_MACRO)?;
    }
    Ok(())
}

/// Whether the part of a macro before its messages comes back from its tree.
fn is_exact(window: &Macro<'_>, dialect: &Dialect) -> bool {
    let Ok(mut body) = Body::read(window, dialect) else { return false };
    let bytes = body.bytes(dialect);
    let length = messages(window, dialect).map_or(0, |(_, data)| data.len());
    let stated = match &body {
        Body::Data(_, _, stated) | Body::Packet(_, stated) => *stated as usize == length,
        _ => true,
    };
    stated && window.body.len() == bytes.len() + length && window.body.starts_with(&bytes)
}

impl<D: Coding> Content<D> for Recording<'_> {
    fn piece(&mut self, stream: &mut Stream<D>, _: usize, out: &mut Vec<u8>) -> Result<usize, Error> {
        if D::PACKING { self.pack_piece(stream) } else { self.unpack_piece(stream, out).map(|()| 0) }
    }

    fn memory(&mut self) -> Option<&mut Memory> {
        Some(&mut self.memory)
    }
}
