//! The kinds of lines.

use std::sync::LazyLock;

use fragreel_base::textform::{Form, Names};
use fragreel_base::wire::WireError;

use super::layout::Layout;
use super::message;
use super::scope::{Frames, Scope};
use super::value::{bytes, field, padded};
use crate::container::body::{Body, ClientSound, DemoInfo, Info, MoveVars, RefParams, Sequence, ZOOM, zoom};
use crate::container::{Entry, Header, MacroKind, MacroType, directory};
use crate::dialect::Dialect;
use crate::message::Message;
use crate::scalars::form::ValueForm;

/// The number of this text form.
const FORM: u8 = 1;

static FIRST: LazyLock<Names> = LazyLock::new(|| Names::new(["recording"]));

/// The first line: the header without the directory's place, which follows from where the directory is. The fields of
/// `header` that depend on the dialect have no length yet after reading. `read_as` is the dialect of what follows, which a damaged header
/// does not state.
pub(super) fn head<F: Form>(f: &mut F, header: &mut Header, read_as: &mut Option<Dialect>) -> Result<(), F::Error> {
    f.variant(&FIRST, 0, |f, _| {
        f.object(|f| {
            let (mut form, mut family) = (FORM, fragreel_model::Family::GoldSrc.name().as_bytes().to_vec());
            f.field("form", &mut form)?;
            f.insist(form == FORM, "this version reads form 1 only")?;
            f.require("family")?;
            f.text(&mut family)?;
            f.field("demo_protocol", &mut header.demo_protocol)?;
            f.field("network_protocol", &mut header.network_protocol)?;
            let stated = Dialect::new(header.demo_protocol, header.network_protocol);
            if f.key("read_as", *read_as != stated)? {
                let (mut demo, mut network) = read_as.map_or((0, 0), |dialect| (dialect.demo_protocol, dialect.network_protocol));
                let numbers = f.object(|f| {
                    f.field("demo_protocol", &mut demo)?;
                    f.field("network_protocol", &mut network)
                });
                numbers.map_err(|error| error.inside("read_as", None))?;
                *read_as = Dialect::new(demo, network);
            } else {
                *read_as = stated;
            }
            f.insist(read_as.is_some(), "the demo protocol is neither 4 nor 5")?;
            let length = read_as.map_or(0, |dialect| dialect.header_string);
            f.require("map")?;
            padded(f, &mut header.map, length).map_err(|error| error.inside("map", None))?;
            f.require("game")?;
            padded(f, &mut header.game, length).map_err(|error| error.inside("game", None))?;
            f.field("map_crc", &mut header.map_crc)?;
            if f.key("magic", header.magic != Header::MAGIC_BYTES)? {
                f.hex(&mut header.magic)?;
            } else if F::READING {
                header.magic = Header::MAGIC_BYTES.to_vec();
            }
            f.insist(header.magic.len() == Header::MAGIC_BYTES.len(), "the magic bytes are eight")
        })
    })
}

/// A line behind the first.
#[derive(Debug, Clone)]
pub(super) enum Line {
    Macro(MacroLine),
    /// The directory.
    Directory(Vec<Entry>),
    /// What the header says where the directory is, when it is somewhere else.
    Header(i32),
    /// Bytes that are neither.
    Opaque(Vec<u8>),
}

/// A macro.
#[derive(Debug, Clone)]
pub(super) struct MacroLine {
    pub kind: MacroKind,
    pub id: MacroType,
    pub time: f32,
    pub frame: i32,
    pub body: Body,
    pub messages: Vec<Message>,
    /// The bytes of a data block or packet from the first that is no message on.
    pub undecoded: Vec<u8>,
}

/// What lines depend on.
pub(super) struct Setting<'s> {
    pub dialect: &'s Dialect,
    pub layout: &'s Layout,
    /// The demo information of the data block before.
    pub before: &'s DemoInfo,
    /// The tables in force, where messages are understood.
    pub scope: Option<&'s Scope>,
    pub frames: &'s Frames,
}

const DIRECTORY: usize = MacroKind::ALL.len();
const HEADER: usize = DIRECTORY + 1;
const OPAQUE: usize = DIRECTORY + 2;

static KINDS: LazyLock<Names> = LazyLock::new(|| Names::new(MacroKind::ALL.iter().map(|kind| kind.name()).chain(["directory", "header", "opaque"])));

impl Line {
    pub(super) fn form<F: Form>(&mut self, f: &mut F, setting: &Setting) -> Result<(), F::Error> {
        let which = match self {
            Line::Macro(line) => line.kind as usize,
            Line::Directory(_) => DIRECTORY,
            Line::Header(_) => HEADER,
            Line::Opaque(_) => OPAQUE,
        };
        f.variant(&KINDS, which, |f, which| {
            if F::READING {
                *self = match which {
                    DIRECTORY => Line::Directory(Vec::new()),
                    HEADER => Line::Header(0),
                    OPAQUE => Line::Opaque(Vec::new()),
                    kind => match MacroLine::empty(MacroKind::ALL[kind], setting) {
                        Some(line) => Line::Macro(line),
                        None => return f.expect(false, "this demo protocol has no such macro"),
                    },
                };
            }
            match self {
                Line::Macro(line) => f.object(|f| line.members(f, setting)).map_err(|error| error.inside(line.kind.name(), None)),
                Line::Directory(entries) => directory_form(f, entries, setting.layout).map_err(|error| error.inside("directory", None)),
                Line::Header(offset) => f.object(|f| f.field("directory_offset", offset)).map_err(|error| error.inside("header", None)),
                Line::Opaque(bytes) => f.hex(bytes).map_err(|error| error.inside("opaque", None)),
            }
        })
    }
}

fn directory_form<F: Form>(f: &mut F, entries: &mut Vec<Entry>, layout: &Layout) -> Result<(), F::Error> {
    let count = f.items(entries.len(), |f, at| {
        let usual = layout.entry(at);
        if F::READING {
            entries.truncate(at);
            entries.push(usual.clone());
        }
        f.object(|f| entries[at].members(f, Some(&usual)))
    })?;
    entries.truncate(count);
    f.expect((1..=directory::MAX_ENTRIES).contains(&count), "a directory has 1 to 1024 entries")
}

impl MacroLine {
    /// Absent where the dialect has no such macro.
    fn empty(kind: MacroKind, setting: &Setting) -> Option<Self> {
        let id = kind.id(setting.dialect.macros, setting.layout.playing())?;
        let body = Body::empty(kind, setting.dialect);
        Some(MacroLine { kind, id, time: 0.0, frame: 0, body, messages: Vec::new(), undecoded: Vec::new() })
    }

    fn members<F: Form>(&mut self, f: &mut F, setting: &Setting) -> Result<(), F::Error> {
        f.field("time", &mut self.time)?;
        f.field("frame", &mut self.frame)?;
        let usual = self.kind.id(setting.dialect.macros, setting.layout.playing()).unwrap_or(self.id);
        f.unless("type", &mut self.id.0, usual.0)?;
        f.insist(self.id.kind(setting.dialect.macros) == Some(self.kind), "this macro has another type")?;
        match &mut self.body {
            Body::Empty => Ok(()),
            Body::Data(info, sequence, _) => {
                info_form(f, info, setting)?;
                sequence_form(f, sequence)?;
                self.contents(f, setting)
            }
            Body::Packet(view, _) => {
                field(f, "view", view)?;
                self.contents(f, setting)
            }
            Body::Command(command) => field(f, "command", command),
            Body::ClientData(data) => data.members(f, Some(&Default::default())),
            Body::OldClientData(data) => {
                bytes(f, "data", data)?;
                f.insist(data.len() == setting.dialect.client_data_bytes(), "client data has another length")
            }
            Body::Event(event) => event.members(f, Some(&Default::default())),
            Body::WeaponAnim(anim) => anim.members(f, None),
            Body::Sound(sound) => sound_form(f, sound),
            Body::Buffer(data) => {
                let known = zoom(data);
                let zooms = f.key("zoom", known.is_some())?;
                if zooms {
                    let field_of_view = f.float(known.unwrap_or_default()).map_err(|error| error.inside("zoom", None))?;
                    if F::READING {
                        *data = [&ZOOM.to_le_bytes()[..], &field_of_view.to_le_bytes()].concat();
                    }
                }
                let others = f.key("data", known.is_none())?;
                if others {
                    f.hex(data).map_err(|error| error.inside("data", None))?;
                }
                f.insist(zooms != others, "a buffer is a zoom, or other data")?;
                f.expect(data.len() <= crate::container::MAX_BUFFER, "no recorder keeps that number of bytes")
            }
            Body::Sequence(sequence) => sequence_form(f, sequence),
        }
    }

    fn contents<F: Form>(&mut self, f: &mut F, setting: &Setting) -> Result<(), F::Error> {
        match setting.scope {
            Some(scope) if f.key("messages", !self.messages.is_empty())? => {
                message::list(f, &mut self.messages, scope, setting.frames).map_err(|error| error.inside("messages", None))?;
            }
            _ => self.messages.clear(),
        }
        f.hex_unless_empty("undecoded", &mut self.undecoded)
    }
}

fn sequence_form<F: Form>(f: &mut F, sequence: &mut Sequence) -> Result<(), F::Error> {
    field(f, "sequence", &mut sequence.words)
}

fn sound_form<F: Form>(f: &mut F, sound: &mut ClientSound) -> Result<(), F::Error> {
    f.field("channel", &mut sound.channel)?;
    f.require("sample")?;
    f.text(&mut sound.sample)?;
    f.expect(sound.sample.len() <= crate::container::MAX_BUFFER, "no recorder keeps so long a name")?;
    f.field("volume", &mut sound.volume)?;
    f.field("attenuation", &mut sound.attenuation)?;
    f.field("flags", &mut sound.flags)?;
    f.field("pitch", &mut sound.pitch)
}

fn info_form<F: Form>(f: &mut F, info: &mut Info, setting: &Setting) -> Result<(), F::Error> {
    match info {
        Info::Known(info) => info.members(f, Some(&usual(setting.before))),
        Info::Opaque(bytes) => {
            let length = setting.dialect.info_bytes();
            if f.key("demo_info", bytes.len() != length || bytes.iter().any(|&byte| byte != 0))? {
                f.hex(bytes).map_err(|error| error.inside("demo_info", None))?;
            } else if F::READING {
                *bytes = vec![0; length];
            }
            f.insist(bytes.len() == length, "demo information has another length")
        }
    }
}

/// The demo information that goes without saying: what does not change during a game is as in the block before, all
/// else is zero.
fn usual(before: &DemoInfo) -> DemoInfo {
    let RefParams { view_size, max_clients, view_entity, player_number, max_entities, hardware, smoothing, cmd, movevars, viewport, .. } = before.ref_params;
    DemoInfo {
        ref_params: RefParams {
            view_size,
            max_clients,
            view_entity,
            player_number,
            max_entities,
            hardware,
            smoothing,
            cmd,
            movevars,
            viewport,
            ..RefParams::default()
        },
        movevars: MoveVars::clone(&before.movevars),
        ..DemoInfo::default()
    }
}
