//! Conversions to the plain dialects that every engine plays (`docs/formats/quake1.md`, "Conversions").

mod multi_view;
mod netquake;
mod point_of_view;
mod without_extensions;

use fragreel_base::wire::Error;
use fragreel_model::{Edited, Target};

use crate::container::Container;
use crate::dialect::{Dialect, Numbers, Stream};
use crate::edit::source::Source;
use crate::walk::input::Input;

use crate::encode::usage::Usage;
use crate::limits::Limits;

/// The requested target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Wanted {
    container: Option<Container>,
    protocol: Option<u32>,
}

impl Wanted {
    fn parse(format: Option<&str>) -> Option<Self> {
        let mut wanted = Wanted::default();
        for word in format.unwrap_or_default().split(|c: char| c.is_whitespace() || c == '.' || c == '+').filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "dem" => wanted.container = Some(Container::NetQuake),
                "qwd" => wanted.container = Some(Container::QuakeWorld),
                "mvd" => wanted.container = Some(Container::MultiView),
                number => wanted.protocol = Some(number.parse().ok()?),
            }
        }
        Some(wanted)
    }
}

/// The targets of a recording, for messages.
fn targets(recording: &Input<'_>) -> &'static str {
    match recording.container {
        Container::NetQuake if recording.dialect.is_nehahra() => "nothing",
        Container::NetQuake => "`dem 15`, `dem 666`, `dem 999`",
        Container::QuakeWorld => "`qwd 28`, `mvd`",
        Container::MultiView => "`mvd 28`, and with a point of view `qwd`",
    }
}

fn refused(recording: &Input<'_>, target: &Target) -> Error {
    let asked = target.format.as_deref().map_or_else(|| String::from("anything plainer"), |format| format!("`{format}`"));
    let name = recording.dialect.name();
    Error::unsupported(format!("a recording of {name} cannot become {asked}; it can become {}", targets(recording)))
}

/// The error for a conversion that lacks a server's statement.
fn unstated(why: &str) -> Error {
    Error::unsupported(format!("{why}: this recording can only be cut, joined and repaired"))
}

/// The recording in another format.
pub(super) fn convert(recording: &Source<'_>, target: &Target) -> Result<Edited, Error> {
    let d = &recording.dialect;
    let wanted = Wanted::parse(target.format.as_deref()).ok_or_else(|| refused(recording, target))?;
    let to = wanted.container.unwrap_or(match target.pov {
        Some(_) => Container::QuakeWorld,
        None => recording.container,
    });
    let plain28 = |stream| Dialect::plain(stream, QUAKEWORLD, d);
    let quakeworld = matches!(wanted.protocol, None | Some(QUAKEWORLD));
    if is_plain(d) && to == recording.container && wanted.protocol.is_none_or(|protocol| protocol == d.numbers.protocol) {
        // nothing to convert
        return Ok(Edited { bytes: recording.bytes.to_vec(), extension: to.extension().to_owned(), ..Edited::default() });
    }
    match (recording.container, to) {
        (Container::NetQuake, Container::NetQuake) if !d.is_nehahra() => {
            let usage = Usage::of(recording);
            if usage.levels.is_empty() {
                return Err(unstated("no server info states the protocol, so it cannot be changed"));
            }
            let protocol = match wanted.protocol {
                None => smallest(d, &usage),
                Some(protocol @ (15 | 666 | 999)) => protocol,
                Some(_) => return Err(refused(recording, target)),
            };
            Ok(without_extensions::netquake(recording, &usage, Dialect::plain(Stream::NetQuake, protocol, d)))
        }
        (Container::QuakeWorld, Container::QuakeWorld) if quakeworld => {
            Ok(without_extensions::quakeworld(recording, &Usage::of(recording), plain28(Stream::QuakeWorld)))
        }
        (Container::MultiView, Container::MultiView) if quakeworld => {
            Ok(without_extensions::quakeworld(recording, &Usage::of(recording), plain28(Stream::MultiView)))
        }
        (Container::MultiView, Container::QuakeWorld) if quakeworld => {
            let usage = Usage::of(recording);
            if usage.levels.is_empty() {
                return Err(unstated("no server data states the level, so the recorder cannot be stated"));
            }
            let slot = point_of_view::point_of_view(&usage, target.pov.as_deref())?;
            Ok(multi_view::to_client(recording, &usage, plain28(Stream::QuakeWorld), slot))
        }
        (Container::QuakeWorld, Container::MultiView) if quakeworld => {
            Ok(multi_view::from_client(recording, &Usage::of(recording), plain28(Stream::MultiView)))
        }
        _ => Err(refused(recording, target)),
    }
}

/// True for a protocol without extensions, as stock engines play it.
fn is_plain(d: &Dialect) -> bool {
    let Numbers { pext1, pext2, mvd1, .. } = d.numbers;
    (pext1 | pext2 | mvd1) == 0 && !d.is_nehahra() && !d.is_rerelease()
}

/// The protocol that all QuakeWorld engines support.
const QUAKEWORLD: u32 = 28;

/// The smallest NetQuake protocol that has numbers for everything.
fn smallest(d: &Dialect, usage: &Usage) -> u32 {
    for (protocol, limits) in [(15, Limits::ID), (666, Limits::FITZ)] {
        let to = Dialect::plain(Stream::NetQuake, protocol, d);
        if to.coord == d.coord && to.angle == d.angle && usage.fits(&limits) {
            return protocol;
        }
    }
    999
}
