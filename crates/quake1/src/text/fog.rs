//! Nehahra's fog.

use crate::message::NehahraFog;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field};
use fragreel_base::textform::Form;

impl AsText for NehahraFog {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "on", &mut self.on, r)?;
            if self.on != 0 {
                field(f, "density", &mut self.density, r)?;
                field(f, "color", &mut self.color, r)?;
            }
            Ok(())
        })
    }
}
