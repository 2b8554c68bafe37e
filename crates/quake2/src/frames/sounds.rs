//! Sounds that last as long as an entity states them.

use std::sync::Arc;

use fragreel_model::Sound;

use super::happenings::NEAR;
use crate::chars;
use crate::state::State;

/// Units over which they fade.
const FADES: f32 = 1.0 / 0.003;

/// Sounds by number, each made when first heard.
#[derive(Debug, Clone, Default)]
pub(super) struct Sounds(Vec<Option<Option<Arc<Sound>>>>);

impl Sounds {
    /// Clears everything, because strings changed.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The sound of a number; 0 is none.
    #[inline]
    pub(super) fn of(&mut self, state: &State, number: u32) -> Option<Arc<Sound>> {
        if number == 0 { None } else { self.known(state, number) }
    }

    fn known(&mut self, state: &State, number: u32) -> Option<Arc<Sound>> {
        let strings = state.dialect.strings;
        let at = usize::try_from(number).ok().filter(|&at| at < usize::from(strings.images - strings.sounds))?;
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        let make = || {
            let path = chars::clean(state.strings.get(strings.sounds + at as u16));
            let file = match path.as_bytes().first()? {
                b'*' => return None,
                b'#' => path[1..].to_owned(),
                _ => format!("sound/{path}"),
            };
            Some(Arc::new(Sound { lasts: true, ..Sound::new(Arc::from(file)).within(NEAR, Some(NEAR + FADES)) }))
        };
        self.0[at].get_or_insert_with(make).clone()
    }
}
