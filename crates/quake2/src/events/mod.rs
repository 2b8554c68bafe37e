//! What happened, concluded from prints, strings, states and effects. Realises *Events* of `docs/formats/quake2.md`.

use model::{Damage, Event, Kinds};
use wire::Limits;

use crate::identify::Identified;

pub(crate) fn events(_bytes: &[u8], _found: &Identified, _limits: &Limits, _lenient: bool, _wanted: Kinds, _sink: &mut dyn FnMut(Event)) -> Vec<Damage> {
    Vec::new()
}
