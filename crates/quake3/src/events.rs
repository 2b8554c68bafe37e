//! What happened, concluded from messages and states.

use model::{Damage, Event, Kinds};

use crate::dialect::Dialect;
use crate::playback::{Listener, run as play};

/// Tells `sink` what happened, in stream order. Returns the damage met on the way.
pub fn run(bytes: &[u8], dialect: &'static Dialect, _wanted: Kinds, _sink: &mut dyn FnMut(Event)) -> Vec<Damage> {
    struct Quiet(Vec<Damage>);
    impl Listener for Quiet {
        fn damage(&mut self, damage: Damage) {
            self.0.push(damage);
        }
    }
    let mut quiet = Quiet(Vec::new());
    play(bytes, dialect, &mut quiet);
    quiet.0
}
