//! Recordings as JSON Lines and back (`docs/formats/quake1.md`, "Text form").
//!
//! ```
//! use fragreel_quake1::text::{Compiler, Decompiler};
//!
//! let mut file = b"-1\n".to_vec();
//! file.extend([5, 0, 0, 0]); // five bytes of messages
//! file.extend([0; 12]); // view angles
//! file.extend(b"\x1ahi\0\x02"); // svc_centerprint, svc_disconnect
//! let decompiler = Decompiler::new(&file, Some("dem"), fragreel_base::wire::Limits::default()).unwrap();
//! let text = fragreel_base::textform::decompile(decompiler, &file);
//! let lines: Vec<&str> = std::str::from_utf8(&text).unwrap().lines().collect();
//! assert_eq!(lines[1], r#"{"block":{"messages":[{"centerprint":{"text":"hi"}},{"disconnect":{}}]}}"#);
//! assert_eq!(fragreel_base::textform::compile(Compiler::new(), &text).unwrap(), file);
//! ```

mod baseline;
mod bodies;
mod csqc;
mod custom_effect;
mod disconnect;
mod download;
mod entities;
mod fog;
mod framing;
mod hidden;
mod light_style;
mod lines;
mod nails;
mod player;
mod portal;
mod replacement;
mod rerelease;
mod row;
mod rules;
mod schema;
mod server_data;
mod session;
mod sized_temp_entity;
mod sound;
mod split_screen;
mod temp_entity;
mod units;
mod unknown;
mod update;
mod value;
mod view;
mod window;

pub use schema::schema;

use fragreel_base::textform::{Form, Names, Patch, read_line, write_line};
use fragreel_base::wire::{Error, Limits, ReadBytes, WriteBytes};

use crate::Recording;
use crate::container::{Container, Framing, header, kind, write_block};
use crate::dialect::Dialect;
use lines::{BLOCK, COMMAND, LINES, OPAQUE, RECORDING, SEQUENCES};
use session::{Data, Session};
use window::{Piece, WindowSplitter};

/// The version of the text form that is written and read.
const VERSION: u8 = 1;

/// What the first line says.
#[derive(Debug, Clone)]
struct Head {
    container: Container,
    /// For people: what the first server states.
    dialect: String,
    /// The line that a NetQuake recording starts with.
    start: Vec<u8>,
}

const CONTAINERS: [Container; 3] = [Container::NetQuake, Container::QuakeWorld, Container::MultiView];

impl Head {
    fn form<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let containers = Names::new(CONTAINERS.map(Container::extension));
        let families = Names::new(["quake1"]);
        f.object(|f| {
            let mut version = VERSION;
            f.field("form", &mut version)?;
            f.insist(version == VERSION, "a version of the text form that is not known")?;
            f.require("family")?;
            f.word(0, 0, &families)?;
            f.require("container")?;
            let mut which = CONTAINERS.iter().position(|container| *container == self.container).unwrap_or_default() as u32;
            which = f.word(which, CONTAINERS.len() as u32 - 1, &containers)?;
            self.container = CONTAINERS[which as usize];
            let mut dialect = std::mem::take(&mut self.dialect).into_bytes();
            f.text_unless_empty("dialect", &mut dialect)?;
            if self.container == Container::NetQuake { self.start(f) } else { Ok(()) }
        })
    }

    /// The track, or the whole line when it is not spelled as engines do.
    fn start<F: Form>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let digits = self.start.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        let track = digits.and_then(|digits| digits.parse::<i32>().ok()).filter(|track| format!("{track}\n").as_bytes() == self.start);
        if f.key("track", track.is_some())? {
            let track = f.int(track.unwrap_or_default().into(), i32::MIN.into(), i32::MAX.into())?;
            self.start = format!("{track}\n").into_bytes();
        }
        if f.key("start", track.is_none())? {
            f.text(&mut self.start)?;
        }
        f.insist(header(&self.start).is_some_and(|line| line.len() == self.start.len()), "expected the number of a track and the end of a line")
    }
}

/// Takes a recording apart into lines.
#[derive(Debug, Clone)]
pub struct Decompiler {
    head: Option<Head>,
    cutter: WindowSplitter,
    session: Session,
}

impl Decompiler {
    /// For a recording that begins with `head`: 1 MiB of it, or all.
    pub fn new(head: &[u8], extension: Option<&str>, limits: Limits) -> Result<Self, Error> {
        let recording = Recording::open(head, extension, limits)?;
        let container = recording.container();
        let dialect = if recording.dialect().known { recording.dialect().name() } else { String::new() };
        Ok(Decompiler {
            head: Some(Head { container, dialect, start: recording.header().to_vec() }),
            cutter: WindowSplitter::new(container, limits.message_bytes.min(session::LONGEST_BLOCK)),
            session: Session::new(container),
        })
    }

    fn piece(&mut self, piece: Piece<'_>, out: &mut Vec<u8>) {
        match piece {
            Piece::Opaque(bytes) => write_line(out, |f| f.variant(&LINES, OPAQUE, |f, _| f.hex(&mut bytes.to_vec()))),
            Piece::Block(mut around, data) => {
                let line = match around {
                    Framing::NetQuake { .. } | Framing::Packet { .. } => BLOCK,
                    Framing::Command { .. } => COMMAND,
                    Framing::Sequences { .. } => SEQUENCES,
                };
                self.session.begin();
                let session = &mut self.session;
                let mut data = Data::From(ReadBytes::new(data));
                write_line(out, |f| f.variant(&LINES, line, |f, _| session.block(f, &mut around, &mut data)));
            }
        }
    }
}

impl fragreel_base::textform::Decompile for Decompiler {
    fn step(&mut self, window: &[u8], last: bool, out: &mut Vec<u8>) -> usize {
        let mut used = 0;
        if let Some(head) = &mut self.head {
            if window.len() < head.start.len() && !last {
                return 0;
            }
            used = head.start.len().min(window.len());
            write_line(out, |f| f.variant(&LINES, RECORDING, |f, _| head.form(f)));
            self.head = None;
        }
        while let Some((piece, length)) = self.cutter.next(&window[used..], last) {
            self.piece(piece, out);
            used += length;
        }
        used
    }
}

/// Puts a recording together from lines.
#[derive(Debug, Clone, Default)]
pub struct Compiler {
    session: Option<(Container, Session)>,
    /// The data of a block, reused.
    buffer: Vec<u8>,
}

impl Compiler {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn first(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), fragreel_base::textform::Error> {
        let mut head = Head { container: Container::NetQuake, dialect: String::new(), start: Vec::new() };
        read_line(line, number, |f| {
            f.variant(&LINES, RECORDING, |f, at| {
                f.expect(at == RECORDING, "the first line must be the one called `recording`")?;
                head.form(f)
            })
        })?;
        if head.container == Container::NetQuake {
            out.extend_from_slice(&head.start);
        }
        self.session = Some((head.container, Session::new(head.container)));
        Ok(())
    }
}

/// A block's data as a line of text, in a dialect that is known.
pub(crate) fn data_to_text(container: Container, dialect: &Dialect, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut around = any_block(container);
    let mut data = Data::From(ReadBytes::new(data));
    let mut session = Session::knowing(container, dialect.clone());
    write_line(&mut out, |f| session.block(f, &mut around, &mut data));
    out
}

/// The data that such a line stands for.
pub(crate) fn text_to_data(container: Container, dialect: &Dialect, line: &[u8]) -> Result<Vec<u8>, fragreel_base::textform::Error> {
    let mut around = any_block(container);
    let mut data = Data::To(WriteBytes::default());
    let mut session = Session::knowing(container, dialect.clone());
    read_line(line, 1, |f| session.block(f, &mut around, &mut data))?;
    Ok(if let Data::To(w) = data { w.finish() } else { Vec::new() })
}

/// A block for all.
fn any_block(container: Container) -> Framing {
    let mut around = framing::blank(container, BLOCK).unwrap_or(Framing::NetQuake { angles: Default::default() });
    if let Framing::Packet { target, .. } = &mut around {
        target.kind = if container == Container::MultiView { kind::ALL } else { kind::READ };
    }
    around
}

/// What a line stands for.
enum Line {
    Block(Framing),
    Opaque(Vec<u8>),
}

impl fragreel_base::textform::Compile for Compiler {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Vec<u8>) -> Result<(), fragreel_base::textform::Error> {
        let Some((container, session)) = &mut self.session else {
            return self.first(line, number, out);
        };
        session.begin();
        let mut data = Data::To(WriteBytes::with_buffer(std::mem::take(&mut self.buffer)));
        let mut field = Line::Opaque(Vec::new());
        read_line(line, number, |f| {
            f.variant(&LINES, BLOCK, |f, at| {
                f.expect(at != RECORDING, "only the first line can be called `recording`")?;
                if at == OPAQUE {
                    let mut bytes = Vec::new();
                    f.hex(&mut bytes)?;
                    field = Line::Opaque(bytes);
                    return Ok(());
                }
                let blank = framing::blank(*container, at);
                f.expect(blank.is_some(), "this container has no such line")?;
                if let Some(mut around) = blank {
                    session.block(f, &mut around, &mut data)?;
                    field = Line::Block(around);
                }
                Ok(())
            })
        })?;
        if let Data::To(w) = data {
            self.buffer = w.finish();
        }
        match field {
            Line::Opaque(bytes) => out.extend_from_slice(&bytes),
            Line::Block(around) => write_block(out, *container, &around, &self.buffer),
        }
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn fragreel_base::textform::Compile + Send>> {
        let (container, session) = self.session.as_ref()?;
        Some(Box::new(Compiler { session: Some((*container, session.fork())), buffer: Vec::new() }))
    }

    fn learned(&self) -> bool {
        self.session.as_ref().is_some_and(|(_, session)| session.learned)
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Vec<Patch>, fragreel_base::textform::Error> {
        if self.session.is_some() {
            return Ok(Vec::new());
        }
        let expected = String::from("expected a line called `recording`");
        Err(fragreel_base::textform::Error { line: 1, column: 1, field: String::new(), expected })
    }
}
