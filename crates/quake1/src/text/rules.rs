//! The rules in force, with the names that go with them.

use std::sync::LazyLock;

use fragreel_base::textform::Names;

use crate::dialect::{Dialect, NetQuakeRules, Numbers, Stream};
use crate::message::{MessageKind, temp_entity};
use crate::replacement::Flags;
use crate::text::row::Rows;

/// By stream.
static MESSAGES: LazyLock<[Names; 3]> = LazyLock::new(|| [Stream::NetQuake, Stream::QuakeWorld, Stream::MultiView].map(message_names));
/// Whether of NetQuake.
static TEMP_ENTITIES: LazyLock<[Names; 2]> = LazyLock::new(|| [false, true].map(temp_entity_names));

/// A dialect and what text needs to know of it.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) d: Dialect,
    /// By kind.
    pub(crate) messages: &'static Names,
    /// By number.
    pub(crate) temp_entities: &'static Names,
    pub(crate) rows: Rows,
    pub(crate) layout: Flags,
    /// What `rows` were made for.
    shape: (Numbers, NetQuakeRules),
}

impl Rules {
    pub(crate) fn new(d: Dialect) -> Self {
        let stream = d.numbers.stream;
        let (rows, layout, shape) = (Rows::of(&d), d.layout(), (d.numbers, d.netquake));
        Rules { d, messages: &MESSAGES[stream as usize], temp_entities: &TEMP_ENTITIES[usize::from(stream == Stream::NetQuake)], rows, layout, shape }
    }

    /// After something was learned.
    pub(crate) fn refresh(&mut self) {
        let shape = (self.d.numbers, self.d.netquake);
        if shape != self.shape {
            (self.rows, self.layout, self.shape) = (Rows::of(&self.d), self.d.layout(), shape);
        }
    }

    /// Takes back what was learned.
    pub(crate) fn restore(&mut self, d: Dialect) {
        self.d = d;
        self.refresh();
    }
}

/// The name of each kind of message that a stream can have: its stable name, or, where several kinds of the stream share
/// that, its own.
pub(crate) fn message_names(stream: Stream) -> Names {
    let exists = |kind: &MessageKind| kind.exists(stream);
    let shared = |kind: &MessageKind| MessageKind::ALL.iter().filter(|other| exists(other) && other.name() == kind.name()).count() > 1;
    Names::new(MessageKind::ALL.iter().map(|kind| match kind {
        kind if !exists(kind) => String::new(),
        // those in a row are one element
        MessageKind::FastUpdate => String::from("updates"),
        kind if shared(kind) => format!("{kind:?}").to_ascii_lowercase(),
        kind => kind.name().to_owned(),
    }))
}

/// The name of each kind of temporary entity; of two with one name the second has its number behind it.
fn temp_entity_names(netquake: bool) -> Names {
    let name = |number| temp_entity::layout(netquake, number).map_or("", |layout| layout.name);
    Names::new((0..=255).map(|number| match name(number) {
        name if !name.is_empty() && (0..number).any(|other| temp_entity::layout(netquake, other).is_some_and(|layout| layout.name == name)) => {
            format!("{name}_{number}")
        }
        name => name.to_owned(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_a_name_of_its_own() {
        for stream in [Stream::NetQuake, Stream::QuakeWorld, Stream::MultiView] {
            let names = message_names(stream);
            for (at, name) in names.iter() {
                assert_eq!(names.find(name), Some(at), "{name}");
            }
        }
        let [nq, qw, mvd] = [Stream::NetQuake, Stream::QuakeWorld, Stream::MultiView].map(message_names);
        assert_eq!(nq.get(MessageKind::NqPrint as usize), Some("print"));
        assert_eq!(qw.get(MessageKind::QwPrint as usize), Some("print"));
        assert_eq!(mvd.get(MessageKind::ViewPlayer as usize), Some("playerinfo"));
        assert_eq!(nq.get(MessageKind::FitzBaseline as usize), Some("fitzbaseline"));
        assert_eq!(nq.get(MessageKind::QwPrint as usize), None);
        for netquake in [false, true] {
            let names = temp_entity_names(netquake);
            assert!(names.iter().all(|(number, name)| names.find(name) == Some(number)));
        }
    }
}
