//! Seats of a split screen.

use crate::message::Seats;
use crate::text::rules::Rules;
use crate::text::value::{AsText, elements};
use fragreel_base::textform::{Form, Leaf};

impl AsText for Seats {
    fn form<F: Form>(&mut self, f: &mut F, _: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            f.require("players")?;
            elements(f, &mut self.players, 255, "more than 255 seats", |f, player| Leaf::form(player, f))
        })
    }
}
