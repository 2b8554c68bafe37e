//! Custom effects.

use crate::message::CustomEffect;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field};
use fragreel_base::textform::Form;

impl AsText for CustomEffect {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "kind", &mut self.kind, r)?;
            if self.kind == Self::DEFINITION {
                field(f, "defined", &mut self.defined, r)?;
                field(f, "style", &mut self.style, r)?;
                field(f, "name", &mut self.name, r)?;
                let length = self.looks_length();
                if f.key("looks", length != 0)? {
                    f.hex(&mut self.looks)?;
                } else {
                    self.looks.clear();
                }
                return f.insist(self.looks.len() == length, "`looks` has another length than `style` says");
            }
            let style = r.d.custom_effects.get(usize::from(self.kind)).copied();
            f.insist(style.is_some(), "a custom effect that was not defined")?;
            let has = |bit: u8| style.unwrap_or(0xff) & bit != 0;
            if has(64) {
                field(f, "id", &mut self.id, r)?;
                if self.id & 0x8000 != 0 {
                    return Ok(());
                }
            }
            field(f, "origin", &mut self.places[0], r)?;
            if has(128) {
                field(f, "end", &mut self.places[1], r)?;
            }
            if has(1) {
                field(f, "count", &mut self.count, r)?;
            }
            if has(32) {
                field(f, "velocity", &mut self.velocity, r)?;
            }
            if has(2) && (style.is_none() || !has(32)) {
                field(f, "direction", &mut self.direction, r)?;
            }
            Ok(())
        })
    }
}
