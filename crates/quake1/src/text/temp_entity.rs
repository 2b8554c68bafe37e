//! Temporary entities: three coordinates or angles in a row are a list.

use fragreel_base::textform::Form;

use crate::message::temp_entity::{Layout, MOST_PARTS, Part, layout};
use crate::message::{Entity, TempEntity};
use crate::text::rules::Rules;
use crate::text::units::coordinate;
use crate::text::value::{AsText, field};

impl AsText for TempEntity {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.variant(r.temp_entities, self.kind.into(), |f, kind| {
            self.kind = kind as u8;
            let found = layout(r.d.is_netquake(), self.kind);
            f.object(|f| found.map_or(Ok(()), |layout| self.parts(f, r, layout)))
        })
    }
}

impl TempEntity {
    fn parts<F: Form>(&mut self, f: &mut F, r: &Rules, layout: &Layout) -> Result<(), F::Error> {
        if F::READING {
            self.parts = [0; MOST_PARTS];
            self.entity_overlong = false;
        }
        if layout.has_model {
            field(f, "model", &mut self.model, r)?;
        } else {
            self.model.0.clear();
        }
        let mut at = 0;
        while let Some(&(name, part)) = layout.parts.get(at) {
            match (name.strip_suffix("_x"), part) {
                (Some(stem), _) => {
                    f.require(stem)?;
                    f.tuple(3, |f, axis| self.part(f, r, at + axis, part)).map_err(|error| fragreel_base::wire::WireError::inside(error, stem, None))?;
                    at += 3;
                }
                (None, _) => {
                    f.require(name)?;
                    self.part(f, r, at, part).map_err(|error| fragreel_base::wire::WireError::inside(error, name, None))?;
                    at += 1;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn part<F: Form>(&mut self, f: &mut F, r: &Rules, at: usize, part: Part) -> Result<(), F::Error> {
        let word = self.parts[at];
        self.parts[at] = match part {
            Part::Coord => coordinate(f, r.d.coord, word)?,
            Part::Entity => {
                let mut entity = Entity { number: word, overlong: self.entity_overlong };
                entity.form(f, r)?;
                self.entity_overlong = entity.overlong;
                entity.number
            }
            Part::Byte => f.int(word.into(), 0, 255)? as u32,
            Part::Char => f.int(i64::from(word as i32), -128, 127)? as u32,
            Part::Short => f.int(word.into(), 0, 0xffff)? as u32,
        };
        Ok(())
    }
}
