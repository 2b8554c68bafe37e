//! Baselines and statics.

use fragreel_base::textform::Form;

use crate::message::{Angle, Appearance, Baseline, DpBaseline, DpStatic, FitzAppearance, FitzBaseline, Static};
use crate::text::rules::Rules;
use crate::text::value::{AsText, field, field_if};

/// What is said of looks: the members of an object. `model` and `frame` are the greatest that fit.
fn looks<F: Form>(f: &mut F, a: &mut Appearance, r: &Rules, model: i64, frame: i64) -> Result<(), F::Error> {
    f.require("model")?;
    a.model = f.int(a.model.into(), 0, model)? as u16;
    f.require("frame")?;
    a.frame = f.int(a.frame.into(), 0, frame)? as u16;
    f.unless("colormap", &mut a.colormap, 0)?;
    f.unless("skin", &mut a.skin, 0)?;
    field(f, "origin", &mut a.origin, r)?;
    if f.key("angles", a.angles.iter().any(|angle| angle.0 != 0))? {
        a.angles.form(f, r)
    } else {
        a.angles = [Angle(0); 3];
        Ok(())
    }
}

const BYTE: i64 = 0xff;
const SHORT: i64 = 0xffff;

fn widest_model(r: &Rules) -> i64 {
    if r.d.is_netquake() && r.d.wide_models() { SHORT } else { BYTE }
}

impl AsText for Baseline {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "entity", &mut self.entity, r)?;
            looks(f, &mut self.looks, r, widest_model(r), BYTE)
        })
    }
}

impl AsText for Static {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| looks(f, &mut self.looks, r, widest_model(r), BYTE))
    }
}

impl AsText for DpBaseline {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "entity", &mut self.entity, r)?;
            looks(f, &mut self.looks, r, SHORT, SHORT)
        })
    }
}

impl AsText for DpStatic {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| looks(f, &mut self.looks, r, SHORT, SHORT))
    }
}

/// The members of FitzQuake's looks, whose mask is made from what is there.
fn fitz<F: Form>(f: &mut F, a: &mut FitzAppearance, r: &Rules) -> Result<(), F::Error> {
    const WIDE_MODEL: u8 = 1;
    const WIDE_FRAME: u8 = 2;
    const ALPHA: u8 = 4;
    const SCALE: u8 = 8;
    const UNKNOWN: [&str; 4] = ["unknown_4", "unknown_5", "unknown_6", "unknown_7"];
    looks(f, &mut a.looks, r, SHORT, SHORT)?;
    let mut plain = 0;
    if field_if(f, "alpha", a.mask & ALPHA != 0, &mut a.alpha, r)? {
        plain |= ALPHA;
    }
    if field_if(f, "scale", a.mask & SCALE != 0, &mut a.scale, r)? {
        plain |= SCALE;
    }
    if r.d.is_rerelease() {
        for (at, name) in UNKNOWN.into_iter().enumerate() {
            if field_if(f, name, a.mask & 16 << at != 0, &mut a.unknown[at], r)? {
                plain |= 16 << at;
            }
        }
    }
    let needed = if a.looks.model > 255 { WIDE_MODEL } else { 0 } | if a.looks.frame > 255 { WIDE_FRAME } else { 0 };
    let mut wider = a.mask & (WIDE_MODEL | WIDE_FRAME) & !needed;
    f.unless("spelling", &mut wider, 0)?;
    f.insist(wider & !(WIDE_MODEL | WIDE_FRAME) == 0, "only 1, a wide model, and 2, a wide frame, can be spelled")?;
    a.mask = plain | needed | wider;
    Ok(())
}

impl AsText for FitzAppearance {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| fitz(f, self, r))
    }
}

impl AsText for FitzBaseline {
    fn form<F: Form>(&mut self, f: &mut F, r: &Rules) -> Result<(), F::Error> {
        f.object(|f| {
            field(f, "entity", &mut self.entity, r)?;
            fitz(f, &mut self.looks, r)
        })
    }
}
