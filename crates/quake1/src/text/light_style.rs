//! Light styles with a color.

use crate::message::LightStyleColor;
use crate::text::rules::Rules;
use crate::text::value::{AsText, field};
use fragreel_base::textform::{Form, Leaf};

impl AsText for LightStyleColor {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        const HIGH: u8 = 0x40;
        const VALUES: u8 = 0x80;
        f.object(|f| {
            let sent = self.mask;
            let mut style = u16::from(self.style) | if sent & HIGH != 0 { u16::from(self.style_high) << 8 } else { 0 };
            f.field("style", &mut style)?;
            let (mut named, mut values) = (0, 0);
            for (at, name) in ["red", "green", "blue"].into_iter().enumerate() {
                if f.key(name, sent & 1 << at != 0)? {
                    named |= 1 << at;
                    if !f.null(sent & VALUES == 0)? {
                        values |= 1 << at;
                        Leaf::form(&mut self.color[at], f)?;
                    }
                }
            }
            field(f, "pattern", &mut self.pattern, r)?;
            let plain = named | if style > 255 { HIGH } else { 0 } | if values != 0 { VALUES } else { 0 };
            let mut spelling = sent ^ plain;
            f.unless("spelling", &mut spelling, 0)?;
            if F::READING {
                self.mask = plain ^ spelling;
                [self.style, self.style_high] = style.to_le_bytes();
                let all = if self.mask & VALUES != 0 { named } else { 0 };
                f.insist(values == all && self.mask & 7 == named, "colors have either all a value or all none, and `spelling` cannot say otherwise")?;
                f.insist(style <= 255 || self.mask & HIGH != 0, "`spelling` is about a smaller number: leave it out")?;
            }
            Ok(())
        })
    }
}
