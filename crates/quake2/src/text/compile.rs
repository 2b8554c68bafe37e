//! Compiles lines to bytes.

use fragreel_base::textform::{Compile, Error, Patch, read_line};
use fragreel_base::wire::WriteBytes;

use super::known::Known;
use super::lines::{Content, Head, Line};
use super::mvd::LineMessage;
use crate::container::{dm2, mvd2};
use crate::detect::Framing;
use crate::dialect::Dialect;
use crate::message::{Body, Contents, Context, Message, MvdBody, Packed};

/// Compiles a recording from lines.
#[derive(Debug, Default)]
pub struct Compiler {
    begun: Option<Begun>,
}

/// The context after the first line.
#[derive(Debug)]
struct Begun {
    framing: Framing,
    /// The announcements of the lines so far.
    known: Known,
    /// The announcements of the bytes so far.
    context: Context,
    content: Content,
    /// The block.
    data: Vec<u8>,
}

impl Compiler {
    /// A compiler for lines from the middle of a text in this dialect.
    pub(crate) fn within(framing: Framing, dialect: Dialect) -> Self {
        let (known, context) = (Known::new(dialect), Context::new(dialect));
        Compiler { begun: Some(Begun { framing, known, context, content: Content::default(), data: Vec::new() }) }
    }
}

impl Compile for Compiler {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), Error> {
        let wrong = |field: &str, expected: String| Error { line: number, column: 1, field: field.to_owned(), expected };
        let Some(begun) = &mut self.begun else {
            let mut head = Head::default();
            read_line(line, number, |f| head.form(f))?;
            let found = head.dialect();
            let (framing, dialect) = found.ok_or_else(|| wrong("recording", String::from("there is no such protocol in such a container")))?;
            if framing == Framing::Mvd2 {
                out.extend_from_slice(mvd2::MAGIC);
            }
            *self = Self::within(framing, dialect);
            return Ok(());
        };
        let mut read = Line::default();
        read_line(line, number, |f| read.form(f, begun.framing, &mut begun.content, &mut begun.known))?;
        match (read, begun.framing) {
            (Line::Opaque(bytes), _) => out.extend_from_slice(&bytes),
            (Line::End, Framing::Dm2) => out.extend_from_slice(&dm2::END_MARK.to_le_bytes()),
            (Line::End, Framing::Mvd2) => out.extend_from_slice(&mvd2::END_MARK),
            (Line::Block, Framing::Dm2) => {
                begun.write().map_err(|expected| wrong("block", expected))?;
                let length = begun.data.len();
                if length > dm2::LONGEST as usize {
                    return Err(wrong("block", format!("the block has {length} bytes, and no engine reads more than {}", dm2::LONGEST)));
                }
                dm2::write_block(out, &begun.data);
            }
            (Line::Block, Framing::Mvd2) => {
                begun.write().map_err(|expected| wrong("record", expected))?;
                let length = begun.data.len();
                if length == 0 || length > usize::from(u16::MAX) {
                    return Err(wrong("record", format!("the record has {length} bytes, and must have 1 to 65535")));
                }
                mvd2::write_record(out, &begun.data);
            }
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn Compile + Send>> {
        let begun = self.begun.as_ref()?;
        let dialect = begun.context.dialect;
        // If the form of an origin depends on earlier frames, every line must be compiled again.
        (!dialect.floats).then(|| Box::new(Self::within(begun.framing, dialect)) as _)
    }

    fn learned(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.known.learned)
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Vec<Patch>, Error> {
        Ok(Vec::new())
    }
}

impl Begun {
    fn write(&mut self) -> Result<(), String> {
        let mut w = WriteBytes::with_buffer(std::mem::take(&mut self.data));
        let Content { messages, told, rest } = &mut self.content;
        let written = match self.framing {
            Framing::Dm2 => write_messages(&mut w, messages, &mut self.context),
            Framing::Mvd2 => told.iter_mut().try_for_each(|told| told.write(&mut w, &mut self.context)),
        };
        self.data = w.finish();
        self.data.extend_from_slice(rest);
        written
    }
}

fn write_messages(w: &mut WriteBytes, messages: &mut [Message], cx: &mut Context) -> Result<(), String> {
    for message in messages {
        let Ok(()) = message.write(w, cx);
        if let Body::ZPacket(packed) | Body::ConfigBlast(packed) | Body::BaselineBlast(packed) = &message.body {
            fits(packed)?;
        }
    }
    Ok(())
}

/// Whether the lengths fit.
fn fits(packed: &Packed) -> Result<(), String> {
    let most = usize::from(u16::MAX);
    let opaque = matches!(packed.contents, Contents::Opaque);
    if packed.compressed.len() > most || !opaque && packed.inflated.len() > most {
        return Err(format!("a compressed part holds {} bytes, and at most {most} can be sent", packed.inflated.len()));
    }
    Ok(())
}

impl LineMessage {
    fn write(&mut self, w: &mut WriteBytes, cx: &mut Context) -> Result<(), String> {
        /// The length has eleven bits.
        const LONGEST: usize = 0x7ff;
        if let MvdBody::Parcel(parcel) = &mut self.message.body {
            let mut inside = WriteBytes::with_buffer(std::mem::take(&mut parcel.data));
            let written = write_messages(&mut inside, &mut self.inner, &mut Context::new(cx.dialect));
            parcel.data = inside.finish();
            written?;
            parcel.data.extend_from_slice(&self.rest);
            if parcel.data.len() > LONGEST {
                return Err(format!("the messages for these clients have {} bytes, and at most {LONGEST} can be sent at once", parcel.data.len()));
            }
        }
        let Ok(()) = self.message.write(w, cx);
        Ok(())
    }
}
